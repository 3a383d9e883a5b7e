"""One asker before one settled state: the facts that several rules look at, each judged once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from kanban.kernel.decision import Ask, Question
from kanban.kernel.frontier import (
    CLOSED,
    Clause,
    can_review,
    could_do,
    covers,
    failing,
    fits,
    is_runnable,
    order,
    scope_asked,
    unsettled,
)
from kanban.kernel.gate import may_reword, tag
from kanban.kernel.state import Gate, Member, State, Todo, Turn


@dataclass
class Case:
    """One asker before one settled state; `facts` collects what the rule at hand looked at."""

    state: State
    ask: Ask
    now: datetime
    facts: dict[str, Any] = field(default_factory=dict)
    _lacking: dict[str, list[Clause]] = field(default_factory=dict)

    @cached_property
    def agent(self) -> str:
        return self.ask.by.agent

    @cached_property
    def member(self) -> Member:
        return self.state.members[self.agent]

    @cached_property
    def capabilities(self) -> tuple[str, ...]:
        given = self.ask.capabilities
        return self.member.capabilities if given is None else given

    @cached_property
    def monitors_only(self) -> bool:
        return self.member.work_mode == "monitor_only"

    @cached_property
    def live_turn(self) -> Turn | None:
        """The live turn of this very execution."""
        return next(
            (
                turn
                for turn in self.state.turns.values()
                if turn.status == "live"
                and (turn.agent, turn.execution) == (self.agent, self.ask.by.mark)
            ),
            None,
        )

    @cached_property
    def open_todos(self) -> list[Todo]:
        """Todos that are not closed, in the order of work; only the one asked for, if any."""
        wanted = self.ask.todo
        todos = [
            todo
            for todo in self.state.todos.values()
            if todo.status not in CLOSED and wanted in ("", todo.ref)
        ]
        return sorted(todos, key=lambda todo: order(todo, self.agent))

    @cached_property
    def possible(self) -> list[Todo]:
        """What this execution could do if every question were answered with a choice."""
        return [
            todo
            for todo in self.open_todos
            if (not self.monitors_only or todo.kind == "monitor")
            and (
                could_do(self.state, todo, self.lacking(todo), self.now)
                or can_review(todo, self.ask.by, self.state)
            )
        ]

    @cached_property
    def workable(self) -> list[Todo]:
        """Rule 9's frontier: runnable todos and others' work in review, best first."""
        return [
            todo
            for todo in self.possible
            if is_runnable(self.state, todo, self.lacking(todo))
            or (can_review(todo, self.ask.by, self.state) and not self.holders(todo))
        ]

    @cached_property
    def blocking(self) -> list[Gate]:
        """Unsettled gates that are a person's move, not this agent's to reword."""
        return [
            gate
            for gate in unsettled(self.state)
            if gate.status != "sent_back" or not may_reword(self.state, gate, self.agent)
        ]

    @cached_property
    def sent_back(self) -> list[Gate]:
        return [
            gate
            for gate in unsettled(self.state)
            if gate.status == "sent_back" and may_reword(self.state, gate, self.agent)
        ]

    def lacking(self, todo: Todo) -> list[Clause]:
        """The clauses of fitting that fail for this todo, judged once."""
        if todo.ref not in self._lacking:
            self._lacking[todo.ref] = failing(
                fits(self.state, todo, self.ask.by, self.capabilities, self.now)
            )
        return self._lacking[todo.ref]

    def holders(self, todo: Todo) -> list[Gate]:
        """The gates that keep this todo from this agent."""
        asked = {
            gate.ref
            for scope in todo.decision_scopes
            for gate in scope_asked(self.state, todo, scope)
        }
        return [
            gate
            for gate in unsettled(self.state)
            if covers(gate, todo, self.agent) or gate.ref in asked
        ]

    def shown(self, questions: tuple[Question, ...]) -> bool:
        return all(question.tag in self.ask.shown for question in questions)

    def question(self, gate: Gate) -> Question:
        return Question(gate.ref, tag(gate, self.now), gate.question, gate=gate)
