"""The forms of the board; what they accept is checked again by the transition."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from kanban.kernel.text import TITLE_LIMIT

INPUT = {"class": "input"}
SHORT = 80  # characters of the objective that make the title


class GoalForm(forms.Form):
    """A goal from three answers."""

    objective = forms.CharField(
        label=_("What should be true in the end?"),
        widget=forms.Textarea(attrs=INPUT | {"rows": 2}),
    )
    acceptance = forms.CharField(
        label=_("How will you know?"),
        help_text=_("Things that can be checked, one a line, e.g. “recall of at least 0.78”"),
        required=False,
        widget=forms.Textarea(attrs=INPUT | {"rows": 2}),
    )
    write_scope = forms.CharField(
        label=_("Where may agents write?"),
        help_text=_("Folders of the project, separated by commas. Empty: nowhere yet, they ask."),
        required=False,
        widget=forms.TextInput(attrs=INPUT),
    )

    def fields_of_goal(self) -> dict[str, Any]:
        data = self.cleaned_data
        first = data["objective"].strip().splitlines()[0]
        return {
            "title": first if len(first) <= SHORT else f"{first[:SHORT].rsplit(' ', 1)[0]}…",
            "objective": data["objective"],
            "acceptance": [
                line.strip() for line in data["acceptance"].splitlines() if line.strip()
            ],
            "write_scope": [
                path.strip() for path in data["write_scope"].split(",") if path.strip()
            ],
        }


class CardForm(forms.Form):
    title = forms.CharField(
        label=_("What is to be done?"),
        max_length=TITLE_LIMIT,
        widget=forms.TextInput(attrs=INPUT),
    )
    body = forms.CharField(
        label=_("What should whoever takes it know?"),
        required=False,
        widget=forms.Textarea(attrs=INPUT | {"rows": 4}),
    )
    priority = forms.TypedChoiceField(
        label=_("How urgent?"),
        coerce=int,
        initial=2,
        choices=[(0, _("Urgent")), (1, _("High")), (2, _("Normal")), (3, _("Low"))],
        widget=forms.Select(attrs=INPUT),
    )
    kind = forms.ChoiceField(
        label=_("Who does it?"),
        choices=[("advancement", _("An agent")), ("user_action", _("A person"))],
        widget=forms.Select(attrs=INPUT),
    )
