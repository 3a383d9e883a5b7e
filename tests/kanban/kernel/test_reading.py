"""What a person decides by reads as it is written, and waiting for oneself is found in one walk."""

from __future__ import annotations

import pytest

from kanban.kernel import text
from kanban.kernel.conditions import refuse_cycle, todo_standing
from kanban.kernel.errors import Conflict, Invalid, LoopxError
from kanban.kernel.state import State, Todo
from kanban.kernel.vague import refuse_vague


@pytest.mark.parametrize("unseen", ["\u200b", "\u202e", "\ufeff\u2060", "\u0301", "  "])
def test_words_that_nobody_sees_are_no_title(unseen: str) -> None:
    with pytest.raises(LoopxError):
        text.title(unseen)


@pytest.mark.parametrize("seen", ["T", "题", "🧭", "ع", "…", "1"])
def test_anything_that_can_be_seen_is_a_title(seen: str) -> None:
    assert text.title(seen) == seen


def test_an_option_that_nobody_sees_has_no_label() -> None:
    with pytest.raises(Invalid) as refused:
        refuse_vague("Publish version 2 of the package?", ["Publish", "\u200b"], free_text=False)
    assert refused.value.code == "vague_question"


@pytest.mark.parametrize("turned", ["Keep \u202eeteled", "\u2066Publish"])
def test_words_for_a_decision_cannot_be_turned_round(turned: str) -> None:
    with pytest.raises(LoopxError):
        text.plainly_read(turned, "question")


def layered(depth: int) -> State:
    """Two todos a layer, each waiting for both of the layer before."""
    todos = {}
    for layer in range(depth):
        below = (f"T{2 * layer - 1}", f"T{2 * layer}") if layer else ()
        for number in (2 * layer + 1, 2 * layer + 2):
            todos[f"T{number}"] = Todo(ref=f"T{number}", depends_on=below)
    return State(goal=State.empty("goal").goal, todos=todos)


def test_a_cycle_is_looked_for_once_per_todo() -> None:
    # A walk per path would look at 2**300 of them.
    state = layered(300)
    refuse_cycle(state, "T0", ["T600", "T599"])
    with pytest.raises(Conflict) as refused:
        refuse_cycle(state, "T1", ["T600"])
    way = refused.value.extra["cycle"]
    assert (way[0], way[-1], len(way)) == ("T1", "T1", 301)


def test_a_long_line_of_successors_is_followed_to_its_end() -> None:
    todos = {
        f"T{n}": Todo(ref=f"T{n}", status="superseded", superseded_by=(f"T{n + 1}",))
        for n in range(1, 3000)
    }
    state = State(goal=State.empty("goal").goal, todos={**todos, "T3000": Todo(ref="T3000")})
    assert todo_standing(state, "T1") == "open"


def test_a_todo_stands_for_all_its_successors() -> None:
    def standing(*ends: str) -> str:
        heirs = {f"T{n}": Todo(ref=f"T{n}", status=end) for n, end in enumerate(ends, start=2)}
        first = Todo(ref="T1", status="superseded", superseded_by=tuple(heirs))
        return todo_standing(
            State(goal=State.empty("goal").goal, todos={"T1": first, **heirs}), "T1"
        )

    assert standing("done", "done") == "holds"
    assert standing("done", "open") == "open"
    assert standing("done", "open", "dropped") == "dead"
    assert standing() == "dead"
