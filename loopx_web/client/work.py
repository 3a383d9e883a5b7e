"""Todos, gates and evidence of the Python client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loopx_web.client.continuations import question_body
from loopx_web.client.core import Core, Json, given, page
from loopx_web.client.results import Evidence, Gate, Page, Todo

Proof = str | Mapping[str, Any]  # `E3`, or the body of new evidence
# The operators that an owner's write carries its fence to; the others ask only who acts.
FENCED = frozenset("release reassign block defer submit complete supersede drop move".split())


class Todos(Core):
    def todos(self, goal: str | None = None, **filters: Any) -> Page[Todo]:
        return page(Todo, self.wire.get(self._path(goal, "todos"), filters))

    def todo(self, ref: str, *, goal: str | None = None) -> Todo:
        return Todo.read(self.wire.get(self._path(goal, "todos", ref)))

    def add_todo(self, title: str, *, goal: str | None = None, **fields: Any) -> Todo:
        return Todo.read(self.wire.post(self._path(goal, "todos"), given(title=title, **fields)))

    def add_todos(
        self, todos: Sequence[Mapping[str, Any]], *, goal: str | None = None
    ) -> tuple[Todo, ...]:
        """All or none of them."""
        data = self.wire.post(self._path(goal, "todos"), given(todos=todos))
        return page(Todo, data).items

    def update_todo(
        self,
        ref: str,
        *,
        goal: str | None = None,
        epoch: int | None = None,
        if_version: int | None = None,
        **fields: Any,
    ) -> Todo:
        body = self._fence(goal, ref, epoch) | given(**fields)
        path = self._path(goal, "todos", ref)
        return Todo.read(self.wire.patch(path, body, if_match=if_version))

    def claim(
        self,
        ref: str,
        *,
        goal: str | None = None,
        agent: str | None = None,
        lease_seconds: int | None = None,
        write_scopes: Sequence[str] | None = None,
    ) -> Todo:
        """Takes the todo; Conflict `already_claimed` names the owner if a peer was faster."""
        body = self._who(agent) | given(lease_seconds=lease_seconds, write_scopes=write_scopes)
        return self._held(goal, self.wire.post(self._path(goal, "todos", ref, "claim"), body))

    def claim_next(
        self,
        *,
        goal: str | None = None,
        agent: str | None = None,
        lease_seconds: int | None = None,
        capabilities: Sequence[str] | None = None,
    ) -> Todo | None:
        """Claims the best runnable todo; None when nothing is claimable."""
        body = self._who(agent) | given(lease_seconds=lease_seconds, capabilities=capabilities)
        data = self.wire.post(self._path(goal, "todos", "claim-next"), body)
        return self._held(goal, data) if data else None

    def operate(
        self,
        ref: str,
        operator: str,
        *,
        goal: str | None = None,
        epoch: int | None = None,
        **body: Any,
    ) -> Todo:
        """Any operator of the contract, where it counts under the fence held for the todo."""
        fence = self._fence(goal, ref, epoch) if operator in FENCED else {}
        path = self._path(goal, "todos", ref, operator)
        return Todo.read(self.wire.post(path, fence | given(**body)))

    def release(self, ref: str, **options: Any) -> Todo:
        return self.operate(ref, "release", **options)

    def reassign(self, ref: str, agent: str, reason: str, **options: Any) -> Todo:
        return self.operate(ref, "reassign", agent=agent, reason=reason, **options)

    def block(self, ref: str, reason: str, **options: Any) -> Todo:
        """Options: until (a resume condition), gate, or person."""
        return self.operate(ref, "block", reason=reason, **options)

    def unblock(self, ref: str, **options: Any) -> Todo:
        return self.operate(ref, "unblock", **options)

    def defer(self, ref: str, resume_when: Mapping[str, Any], **options: Any) -> Todo:
        return self.operate(ref, "defer", resume_when=resume_when, **options)

    def resume(self, ref: str, **options: Any) -> Todo:
        return self.operate(ref, "resume", **options)

    def submit(self, ref: str, evidence: Sequence[Proof], **options: Any) -> Todo:
        return self.operate(ref, "submit", evidence=evidence, **options)

    def accept(self, ref: str, **options: Any) -> Todo:
        return self.operate(ref, "accept", **options)

    def return_todo(self, ref: str, reason: str, **options: Any) -> Todo:
        return self.operate(ref, "return", reason=reason, **options)

    def complete(
        self, ref: str, evidence: Sequence[Proof], continuation: Json, **options: Any
    ) -> Todo:
        """Options: check, as {"exit_code", "summary"?}, where the todo has an acceptance check."""
        return self.operate(
            ref, "complete", evidence=evidence, continuation=continuation, **options
        )

    def supersede(self, ref: str, **options: Any) -> Todo:
        """Options: successors, or a reason."""
        return self.operate(ref, "supersede", **options)

    def drop(self, ref: str, reason: str, **options: Any) -> Todo:
        return self.operate(ref, "drop", reason=reason, **options)

    def reopen(self, ref: str, reason: str, **options: Any) -> Todo:
        return self.operate(ref, "reopen", reason=reason, **options)

    def move(self, ref: str, **options: Any) -> Todo:
        """Options: before, after, or priority."""
        return self.operate(ref, "move", **options)

    def _held(self, goal: str | None, data: Mapping[str, Any]) -> Todo:
        todo = Todo.read(data)
        self._hold(goal, todo.ref, todo.epoch)
        return todo


class Gates(Core):
    def ask(
        self,
        question: str,
        *,
        goal: str | None = None,
        options: Sequence[Mapping[str, str]] = (),
        **fields: Any,
    ) -> Gate:
        """Puts a concrete question to a person; a vague one is refused (`vague_question`)."""
        body = question_body(question, options, given(**fields))
        return Gate.read(self.wire.post(self._path(goal, "gates"), body))

    def gates(self, goal: str | None = None, **filters: Any) -> Page[Gate]:
        return page(Gate, self.wire.get(self._path(goal, "gates"), filters))

    def gate(self, ref: str, *, goal: str | None = None) -> Gate:
        return Gate.read(self.wire.get(self._path(goal, "gates", ref)))

    def revise_gate(
        self, ref: str, *, goal: str | None = None, if_version: int | None = None, **fields: Any
    ) -> Gate:
        path = self._path(goal, "gates", ref)
        return Gate.read(self.wire.patch(path, given(**fields), if_match=if_version))

    def withdraw_gate(self, ref: str, reason: str = "", *, goal: str | None = None) -> Gate:
        path = self._path(goal, "gates", ref, "withdraw")
        return Gate.read(self.wire.post(path, given(reason=reason or None)))


class Proofs(Core):
    def add_evidence(
        self,
        kind: str,
        summary: str,
        *,
        verdict: str = "supports",
        goal: str | None = None,
        **fields: Any,
    ) -> Evidence:
        """Fields: ref, data, observed_at, valid_seconds, supports."""
        body = given(kind=kind, verdict=verdict, summary=summary, **fields)
        return Evidence.read(self.wire.post(self._path(goal, "evidence"), body))

    def evidence(self, goal: str | None = None, **filters: Any) -> Page[Evidence]:
        return page(Evidence, self.wire.get(self._path(goal, "evidence"), filters))

    def invalidate_evidence(
        self, ref: str, reason: str, *, goal: str | None = None, replaced_by: str | None = None
    ) -> Evidence:
        path = self._path(goal, "evidence", ref, "invalidate")
        return Evidence.read(self.wire.post(path, given(reason=reason, replaced_by=replaced_by)))
