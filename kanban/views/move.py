"""Moving a card by hand: each move is a transition, with its checks and its refusals."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from kanban.kernel.conditions import open_dependencies
from kanban.kernel.errors import Conflict, invalid
from kanban.kernel.frontier import CLOSED, covering_gates
from kanban.kernel.state import State, Todo
from kanban.queries import clock
from kanban.queries.card import card_of
from kanban.queries.states import goal_state
from kanban.transitions import claims, todos
from kanban.views.access import actor_of, person_required
from kanban.views.changed import Toast, changed
from kanban.views.labels import lane_label


@require_POST
@person_required
def move(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    state = goal_state(slug, clock.now())
    if ref not in state.todos:
        raise invalid(f"There is no card {ref!r} here.")
    to = request.POST.get("to", "")
    steps = {"ready": _ready, "waiting": _waiting, "done": _done, "dropped": _dropped}
    steps.get(to, _nowhere)(request, slug, state.todos[ref])
    after = goal_state(slug, clock.now())
    lane = card_of(after, after.todos[ref], clock.now()).lane
    return changed(request, slug, ref, _told(to, lane))


def _ready(request: HttpRequest, slug: str, todo: Todo) -> None:
    actor, now = actor_of(request), clock.now()
    key, note = request.POST.get("key"), request.POST.get("note", "")
    if todo.status in CLOSED:
        todos.reopen_todo(actor, slug, todo.ref, reason=note, now=now, key=key)
    elif todo.status == "review":
        todos.return_todo(actor, slug, todo.ref, reason=note, now=now, key=key)
    elif todo.status == "deferred":
        todos.resume_todo(actor, slug, todo.ref, now=now, key=key)
    elif todo.status == "blocked":
        todos.unblock_todo(actor, slug, todo.ref, now=now, key=key)
    elif todo.owner:
        claims.release_todo(actor, slug, todo.ref, now=now, key=key)
    else:
        _explain_ready(goal_state(slug, now), todo)


def _explain_ready(state: State, todo: Todo) -> None:
    """Nothing has to be done for it to be ready but what this refusal names."""
    if gates := covering_gates(state, todo):
        about = gates[0].label or gates[0].ref
        raise Conflict(
            "gate_open",
            f"{todo.ref} waits for the answer about {about}.",
            "It becomes ready by itself when you answer.",
            gate=gates[0].ref,
        )
    if waiting := open_dependencies(state, todo):
        raise Conflict(
            "not_runnable",
            f"{todo.ref} waits for {', '.join(waiting)}.",
            "It becomes ready by itself when that is done.",
        )


def _waiting(request: HttpRequest, slug: str, todo: Todo) -> None:
    until = request.POST.get("until", "")
    if until == "card":
        condition = {"type": "todo_done", "ref": request.POST.get("card", "")}
    else:
        condition = {"type": "time", "at": until}
    todos.defer_todo(
        actor_of(request),
        slug,
        todo.ref,
        resume_when=condition,
        now=clock.now(),
        key=request.POST.get("key"),
    )


def _done(request: HttpRequest, slug: str, todo: Todo) -> None:
    actor, now, key = actor_of(request), clock.now(), request.POST.get("key")
    if todo.status == "review":
        todos.accept_todo(actor, slug, todo.ref, now=now, key=key)
        return
    note = request.POST.get("note", "")
    todos.complete_todo(
        actor,
        slug,
        todo.ref,
        evidence=[],
        continuation=None,
        override_note=note,
        now=now,
        key=key,
    )


def _dropped(request: HttpRequest, slug: str, todo: Todo) -> None:
    todos.drop_todo(
        actor_of(request),
        slug,
        todo.ref,
        reason=request.POST.get("note", ""),
        now=clock.now(),
        key=request.POST.get("key"),
    )


def _nowhere(request: HttpRequest, slug: str, todo: Todo) -> None:
    raise Conflict("not_runnable", "Only a question puts a card there.", "Answer the question.")


def _told(to: str, lane: str) -> Toast:
    if to == "dropped":
        return Toast(_("Dropped. It stays in the timeline."))
    return Toast(_("Moved to {lane}").format(lane=lane_label(lane)))
