"""The Python client: `with LoopX().turn(goal="apollo", agent="executor") as turn: …`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from loopx_web.client.core import Json, given, page
from loopx_web.client.results import Decision, Goal, Page, Settled, TurnState
from loopx_web.client.turns import Turn
from loopx_web.client.work import Gates, Proofs, Todos

WAIT_STEP = 60
TITLE_LIMIT = 300


class LoopX(Todos, Gates, Proofs):
    """The API's verbs as methods. Errors are the classes of `loopx_web.client.errors`."""

    # Looking around

    def me(self) -> Json:
        return dict(self.wire.get("/me"))

    def health(self) -> Json:
        return dict(self.wire.get("/health"))

    def goals(self, **filters: Any) -> Page[Goal]:
        return page(Goal, self.wire.get("/goals", filters))

    def goal(self, goal: str | None = None) -> Goal:
        return Goal.read(self.wire.get(self._path(goal)))

    def quota(self, goal: str | None = None) -> Json:
        return dict(self.wire.get(self._path(goal, "quota")))

    def packet(self, goal: str | None = None, *, agent: str | None = None, **query: Any) -> Json:
        return dict(self.wire.get(self._path(goal, "packet"), self._who(agent) | query))

    def events(self, goal: str | None = None, **filters: Any) -> Iterator[Json]:
        """The goal's history, page after page."""
        cursor: str | None = None
        while True:
            path = self._path(goal, "events")
            data = self.wire.get(path, {**filters, "cursor": cursor})
            yield from data["items"]
            cursor = data.get("cursor")
            if not cursor:
                return

    # Goals and agents

    def create_goal(self, objective: str, *, acceptance: Sequence[str] = (), **fields: Any) -> Goal:
        """Fields: title (default: the objective's first line), write_scope, slug, agents, …"""
        title = fields.pop("title", None) or objective.strip().split("\n")[0][:TITLE_LIMIT]
        criteria = list(acceptance) or None
        body = given(title=title, objective=objective, acceptance=criteria, **fields)
        return Goal.read(self.wire.post("/goals", body))

    def add_agent(self, name: str, **fields: Any) -> Json:
        """Fields: host_kind, capabilities, role. For people."""
        return dict(self.wire.post("/agents", given(name=name, **fields)))

    def make_token(
        self, agent: str, *, goals: Sequence[str] | None = None, expires_at: str | None = None
    ) -> str:
        """A new token of the agent; the server shows it this once. For people."""
        body = given(goals=goals, expires_at=expires_at)
        return str(self.wire.post(f"/agents/{agent}/tokens", body)["token"])

    def join(
        self,
        agent: str | None = None,
        *,
        goal: str | None = None,
        delegated: Sequence[str] | None = None,
    ) -> Json:
        """Registers an agent; `delegated` says what it may do to others' work (people give it)."""
        body = given(agent=agent or self.agent_name, delegated=delegated)
        return dict(self.wire.post(self._path(goal, "agents"), body) or {})

    # Decision

    def should_run(
        self,
        goal: str | None = None,
        agent: str | None = None,
        *,
        capabilities: Sequence[str] = (),
        shown: Sequence[str] = (),
        slots: int | None = None,
        todo: str | None = None,
        explain: bool = False,
    ) -> Decision:
        query = self._who(agent) | {"capability": list(capabilities), "shown": list(shown)}
        query |= {"slots": slots, "todo": todo, "explain": explain}
        return Decision.read(self.wire.get(self._path(goal, "should-run"), query))

    def wait(
        self,
        goal: str | None = None,
        agent: str | None = None,
        *,
        after: str = "",
        timeout: float = 60.0,
        capabilities: Sequence[str] = (),
        shown: Sequence[str] = (),
    ) -> Decision:
        """Returns once the decision's digest is not `after`, at the latest after `timeout`."""
        query = self._who(agent) | {"capability": list(capabilities), "shown": list(shown)}
        path = self._path(goal, "wait")
        deadline = time.monotonic() + timeout
        while True:
            step = max(1, min(int(deadline - time.monotonic()), WAIT_STEP))
            step_query = query | {"after": after, "timeout": step}
            asked = time.monotonic()
            data = self.wire.get(path, step_query, timeout=step + self.wire.timeout)
            decision = Decision.read(data)
            now = time.monotonic()
            if not after or decision.digest != after or now + 1 > deadline:
                return decision
            if now - asked < 1:
                time.sleep(1)  # a server that does not hold the call must not be hammered

    # Turns

    def begin(
        self,
        goal: str | None = None,
        agent: str | None = None,
        *,
        todo: str | None = None,
        capabilities: Sequence[str] | None = None,
        lease_seconds: int | None = None,
        slots: int | None = None,
        shown: Sequence[str] | None = None,
    ) -> TurnState:
        """Claims and reserves in one step; NotNow carries the decision when it is no longer yes."""
        body = self._who(agent) | given(
            todo=todo,
            capabilities=capabilities,
            lease_seconds=lease_seconds,
            slots=slots,
            shown=shown,
        )
        state = TurnState.read(self.wire.post(self._path(goal, "turns"), body))
        ref = state.todo.get("ref", "") if isinstance(state.todo, dict) else state.todo or ""
        self._hold(goal, ref, state.epoch)
        return state

    def turn_state(self, turn: str) -> TurnState:
        return TurnState.read(self.wire.get(f"/turns/{turn}"))

    def renew(self, turn: str, epoch: int, *, lease_seconds: int | None = None) -> TurnState:
        body = {"execution_key": self.execution_key, "epoch": epoch}
        data = self.wire.post(f"/turns/{turn}/renew", body | given(lease_seconds=lease_seconds))
        return TurnState.read(data)

    def finish(self, turn: str, epoch: int, result: str, **fields: Any) -> Settled:
        """Fields: outcome, summary, evidence, continuation, todos, gates, block, poll, usage…"""
        body = {"execution_key": self.execution_key, "epoch": epoch, "result": result}
        return Settled.read(self.wire.post(f"/turns/{turn}/finish", body | given(**fields)))

    def turn(self, goal: str | None = None, agent: str | None = None, **options: Any) -> Turn:
        """One slice of work as a `with` block; options are those of `begin`."""
        return Turn(self, self._slug(goal), agent, options)
