"""Who asks: one execution of an agent, told apart from other processes of the same agent."""

from __future__ import annotations

from dataclasses import dataclass

from kanban.kernel.codec import digest


@dataclass(frozen=True, slots=True)
class Execution:
    """`mark` stands for the caller's execution key, which is never stored or shown."""

    agent: str
    mark: str


def execution(agent: str, key: str = "") -> Execution:
    return Execution(agent, digest(f"{agent}\n{key}")[:16])
