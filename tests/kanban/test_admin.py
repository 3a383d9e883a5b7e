"""The admin edits quota policy through its transition, and shows the rest."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from kanban.kernel.actor import person
from kanban.kernel.decision import Ask
from kanban.kernel.execution import execution
from kanban.models import Event, Policy, Token
from kanban.queries.clock import now
from kanban.queries.events import verify_goal
from kanban.transitions import goals, members, todos
from tests.kanban.deciding import should_run

pytestmark = pytest.mark.django_db

OWNER = person("owner")


@pytest.fixture
def goal() -> str:
    members.create_agent(OWNER, "executor", now=now())
    given = {"title": "Measure", "objective": "Measure it", "agents": ["executor"]}
    slug = goals.create_goal(OWNER, given, now=now()).goal
    todos.add_todos(OWNER, slug, [{"title": "A step"}], now=now())
    return slug


@pytest.fixture
def owner() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("owner"))
    return client


def reason(goal: str) -> str:
    return should_run(goal, Ask(execution("executor")), now()).reason


def form(policy: Policy, **changes: object) -> dict[str, object]:
    fields = {
        "share": policy.share,
        "window_hours": policy.window_hours,
        "slot_minutes": policy.slot_minutes,
        "time_zone": policy.time_zone,
        "burst_slots": policy.burst_slots,
    }
    return fields | changes


def change(client: Client, policy: Policy, **changes: object) -> str:
    address = reverse("admin:kanban_policy_change", args=[policy.pk])
    return client.post(address, form(policy, **changes), follow=True).content.decode()


def test_a_changed_policy_changes_the_next_decision(owner: Client, goal: str) -> None:
    assert reason(goal) == "work_ready"
    change(owner, Policy.objects.get(), share=0)
    assert reason(goal) == "quota_paused"
    change(owner, Policy.objects.get(), share=1)
    assert reason(goal) == "work_ready"


def test_the_change_is_an_event_of_the_person_and_replays(owner: Client, goal: str) -> None:
    change(owner, Policy.objects.get(), slots=3)
    event = Event.objects.latest("version")
    assert (event.kind, event.actor) == ("quota.policy_set", "person:owner")
    assert verify_goal(goal) == []


def test_saving_without_a_change_writes_nothing(owner: Client, goal: str) -> None:
    before = Event.objects.count()
    change(owner, Policy.objects.get())
    assert Event.objects.count() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 1.5},
        {"window_hours": 0},
        {"time_zone": "Moon/Sea"},
        {"active_hours": '{"mon": [["18:00", "09:00"]]}'},
        {"active_hours": '{"someday": []}'},
    ],
)
def test_figures_that_cannot_be_meant_are_refused_on_the_form(
    owner: Client, goal: str, wrong: dict[str, object]
) -> None:
    page = change(owner, Policy.objects.get(), **wrong)
    assert "errorlist" in page or "errornote" in page
    assert Policy.objects.get().share == 1


def test_an_agent_gets_a_policy_of_its_own(owner: Client, goal: str) -> None:
    whole = Policy.objects.get()
    given = form(whole, goal=whole.goal.pk, agent="executor", slots=0)
    owner.post(reverse("admin:kanban_policy_add"), given)
    assert Policy.objects.filter(agent="executor", slots=0).exists()
    assert reason(goal) == "quota_exhausted"


def test_a_policy_for_an_agent_elsewhere_is_refused(owner: Client, goal: str) -> None:
    whole = Policy.objects.get()
    given = form(whole, goal=whole.goal.pk, agent="outsider")
    page = owner.post(reverse("admin:kanban_policy_add"), given)
    assert "not registered" in page.content.decode()


def test_state_is_shown_and_never_edited(owner: Client, goal: str) -> None:
    for name in ("goal", "todo", "gate", "event", "evidence", "turn", "entry", "member", "agent"):
        assert owner.get(reverse(f"admin:kanban_{name}_changelist")).status_code == 200
        assert owner.get(reverse(f"admin:kanban_{name}_add")).status_code == 403


def test_the_list_of_agents_says_when_each_was_last_seen(owner: Client, goal: str) -> None:
    address = reverse("admin:kanban_agent_changelist")
    assert "Last seen" in owner.get(address).content.decode()
    members.note_seen("executor", datetime(2026, 6, 9, 10, 16, tzinfo=UTC))
    assert "June 9, 2026, 10:16" in owner.get(address).content.decode()


def test_a_token_is_revoked_and_its_hash_not_shown(owner: Client, goal: str) -> None:
    members.mint_token(OWNER, "executor", now=now())
    token = Token.objects.get()
    page = owner.get(reverse("admin:kanban_token_change", args=[token.pk])).content.decode()
    assert token.hash not in page
    chosen = {"action": "revoke", "_selected_action": [token.pk]}
    owner.post(reverse("admin:kanban_token_changelist"), chosen)
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_people_without_the_rights_stay_outside(goal: str) -> None:
    client = Client()
    client.force_login(User.objects.create_user("outsider"))
    assert client.get(reverse("admin:kanban_policy_changelist")).status_code == 302
