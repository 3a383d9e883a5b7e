"""Which words fit an answer: told by its keys. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from loopx_web.client import packets, words

Json = Mapping[str, Any]


def anything(data: Any) -> str:
    """The words for whatever object this is, told by its keys."""
    if data is None:
        return "Nothing."
    if not isinstance(data, dict):
        return str(data)
    if "items" in data:
        return words.listing(data["items"], line_for)
    for keys, render in SHAPES:
        if keys <= data.keys():
            return render(data)
    return words.table(data.items())


def line_for(data: Any) -> str:
    if not isinstance(data, dict):
        return str(data)
    for keys, render in LINES:
        if keys <= data.keys():
            return render(data)
    return words.inline(data)


def card(line: Callable[[Json], str], hidden: Iterable[str] = ()) -> Callable[[Json], str]:
    """The one-line form, then every other field that holds something."""

    def render(data: Json) -> str:
        skip = {"ref", "title", "question", "summary", "slug", "name", "links", *hidden}
        rest = [(name, value) for name, value in data.items() if name not in skip]
        body = words.table((n, v) for n, v in rest if v not in (None, "", [], {}, False))
        return f"{line(data)}\n" + "\n".join(f"  {row}" for row in body.splitlines())

    return render


LINES: tuple[tuple[set[str], Callable[[Json], str]], ...] = (
    ({"ref", "question"}, words.gate_line),
    ({"ref", "verdict"}, words.evidence_line),
    ({"ref", "title"}, words.todo_line),
    ({"slug", "status"}, words.goal_line),
    ({"name", "host_kind"}, words.agent_line),
    ({"kind", "actor"}, words.event_line),
)
SHAPES: tuple[tuple[set[str], Callable[[Json], str]], ...] = (
    ({"outcome", "digest"}, words.decision),
    ({"receipt"}, words.settled),
    ({"boundary", "decision"}, packets.packet),
    ({"id", "epoch"}, packets.turn),
    ({"ref", "question"}, card(words.gate_line, {"status"})),
    ({"ref", "verdict"}, card(words.evidence_line, {"kind", "verdict", "fresh"})),
    ({"ref", "title"}, card(words.todo_line, {"priority", "lane"})),
    ({"slug", "status"}, card(words.goal_line, {"status"})),
    ({"name", "host_kind"}, card(words.agent_line, {"host_kind"})),
)
