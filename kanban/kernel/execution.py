"""Who asks: one execution of an agent, told apart from other processes of the same agent."""

from __future__ import annotations

from dataclasses import dataclass

from kanban.kernel.codec import digest

DEFAULT_KEY = "default"


@dataclass(frozen=True, slots=True)
class Execution:
    """`mark` stands for the caller's execution key, which is never stored or shown."""

    agent: str
    mark: str


def execution(agent: str, key: str = "") -> Execution:
    """The execution behind a key; callers that send none are one and the same."""
    return Execution(agent, digest(f"{agent}\n{key or DEFAULT_KEY}")[:16])
