"""The admin: quota policy is edited here, through its transition; the rest of the state is shown.

Agents and tokens are made by `loopx agent`; a token may be revoked here.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model
from django.forms.models import model_to_dict
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kanban.kernel.errors import LoopxError
from kanban.kernel.goal import check_policy
from kanban.models import (
    Agent,
    Entry,
    Event,
    Evidence,
    Gate,
    Goal,
    Member,
    Policy,
    Project,
    Todo,
    Token,
    Turn,
)
from kanban.queries.agents import last_seen
from kanban.queries.clock import now
from kanban.queries.people import person_actor
from kanban.transitions.members import revoke_token
from kanban.transitions.quota import set_policy

if TYPE_CHECKING:
    PolicyModelForm = forms.ModelForm[Policy]
    AnyModelAdmin = admin.ModelAdmin[Any]
else:  # generic for the type checker alone
    PolicyModelForm = forms.ModelForm
    AnyModelAdmin = admin.ModelAdmin

POLICY_FIELDS = (
    "share",
    "window_hours",
    "slot_minutes",
    "slots",
    "token_budget",
    "cost_budget_micros",
    "active_hours",
    "time_zone",
    "burst_slots",
    "burst_until",
)

admin.site.site_header = "LoopX"
admin.site.site_title = "LoopX"
admin.site.index_title = gettext_lazy("Administration")


class ReadOnly(AnyModelAdmin):
    """Shows rows that only transitions may write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class PolicyForm(PolicyModelForm):
    class Meta:
        model = Policy
        fields = ("goal", "agent", *POLICY_FIELDS)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            check_policy({name: cleaned[name] for name in POLICY_FIELDS if name in cleaned})
        except LoopxError as refusal:
            raise forms.ValidationError(refusal.detail) from refusal
        goal, agent = cleaned.get("goal"), cleaned.get("agent")
        if goal and agent and not Member.objects.filter(goal=goal, agent=agent).exists():
            raise forms.ValidationError(_("This agent is not registered on that goal."))
        return cleaned


@admin.register(Policy)
class PolicyAdmin(AnyModelAdmin):
    """Quota of a goal, or of one agent in it; a change counts for the next decision."""

    form = PolicyForm
    list_display = ("goal", "agent", "share", "window_hours", "slot_minutes", "slots")
    list_filter = ("goal",)

    def get_readonly_fields(self, request: HttpRequest, obj: Policy | None = None) -> Any:
        return ("goal", "agent") if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Policy | None = None) -> bool:
        return False

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        # Without the transaction that Django puts around it: the transition brings its own, and
        # one opened here would hold the database before its turn at the write queue.
        view = self._changeform_view  # type: ignore[attr-defined]
        return view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Policy, form: Any, change: bool) -> None:
        actor, given = person_actor(request.user), model_to_dict(obj, fields=POLICY_FIELDS)
        set_policy(actor, obj.goal.slug, given, now=now(), agent=obj.agent)
        obj.pk = Policy.objects.get(goal=obj.goal, agent=obj.agent).pk


@admin.register(Token)
class TokenAdmin(ReadOnly):
    list_display = ("prefix", "agent", "created_at", "expires_at", "revoked_at")
    exclude = ("hash",)
    actions = ("revoke",)

    @admin.action(description=gettext_lazy("Revoke the chosen tokens"))
    def revoke(self, request: HttpRequest, queryset: Any) -> None:
        actor = person_actor(request.user)
        for token in queryset:
            revoke_token(actor, token.agent.name, token.pk, now=now())
        messages.success(request, _("Revoked. Programs that use these tokens are refused now."))


@admin.register(Agent)
class AgentAdmin(ReadOnly):
    list_display = ("name", "host_kind", "role", "work_mode", "created_at", "last_seen")
    list_select_related = ("seen",)

    @admin.display(description=gettext_lazy("Last seen"), ordering="seen__at")
    def last_seen(self, agent: Agent) -> datetime | None:
        return last_seen(agent)


@admin.register(Goal)
class GoalAdmin(ReadOnly):
    list_display = ("slug", "title", "status", "version", "updated_at")


@admin.register(Todo)
class TodoAdmin(ReadOnly):
    list_display = ("goal", "ref", "title", "status", "owner")
    list_filter = ("goal", "status")


@admin.register(Gate)
class GateAdmin(ReadOnly):
    list_display = ("goal", "ref", "question", "status", "answered_by")
    list_filter = ("goal", "status")


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ("goal", "version", "kind", "actor", "subject", "at")
    list_filter = ("goal", "kind")


for model in (Evidence, Turn, Entry, Member, Project):
    admin.site.register(model, ReadOnly)
