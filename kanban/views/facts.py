"""The facts of an opened card as label and value, in the reader's language."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _

from kanban.kernel.state import State, Todo
from kanban.views.labels import priority_label, todo_kind
from kanban.views.sentences import actor_name


def todo_facts(state: State, todo: Todo) -> list[dict[str, Any]]:
    rows = [
        (_("Kind"), [{"text": todo_kind(todo.kind)}]),
        (_("Priority"), [{"text": priority_label(todo.priority)}]),
        (_("Held by"), [{"text": todo.owner}] if todo.owner else []),
        (_("For"), [{"text": todo.bound_agent}] if todo.bound_agent else []),
        (_("Counts towards"), _criteria(state, todo)),
        (_("Waits for"), _cards(state, todo.depends_on)),
        (_("Leads to"), _cards(state, todo.successors)),
        (_("Replaced by"), _cards(state, todo.superseded_by)),
        (_("Came from"), _cards(state, _sources(state, todo))),
        (_("May change"), _code(todo.required_write_scopes)),
        (_("Needs"), _code(todo.required_capabilities)),
        (_("Decision needed"), _code(todo.decision_scopes)),
        (_("Check"), _code((todo.acceptance_check,) if todo.acceptance_check else ())),
        (_("Due"), [{"text": formats.date_format(todo.due, "DATE_FORMAT")}] if todo.due else []),
        (_("Added"), [{"at": todo.created_at}, {"text": actor_name(todo.created_by)}]),
    ]
    return [{"label": label, "parts": parts} for label, parts in rows if parts]


def _criteria(state: State, todo: Todo) -> list[dict[str, Any]]:
    named = {
        ref
        for item in state.evidence.values()
        if item.todo == todo.ref or todo.ref in item.supports
        for ref in item.supports
        if ref in state.criteria
    }
    return [{"text": f"{ref} · {state.criteria[ref].text}"} for ref in sorted(named)]


def _cards(state: State, refs: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"text": state.todos[ref].title, "url": reverse("todo", args=[state.goal.slug, ref])}
        for ref in refs
        if ref in state.todos
    ]


def _sources(state: State, todo: Todo) -> tuple[str, ...]:
    return tuple(
        other.ref
        for other in state.todos.values()
        if todo.ref in other.successors or todo.ref in other.superseded_by
    )


def _code(values: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"text": value, "code": True} for value in values]
