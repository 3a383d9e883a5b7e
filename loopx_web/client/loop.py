"""`loopx run`: wait, begin, run, finish, for as long as the decision says so."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from loopx_web.client import memory, words
from loopx_web.client.config import Config
from loopx_web.client.errors import (
    Busy,
    Conflict,
    Invalid,
    NotNow,
    RateLimited,
    ServerFault,
    Unreachable,
)
from loopx_web.client.results import Decision
from loopx_web.client.runner import Job, Outcome, run_turn
from loopx_web.client.sdk import LoopX

LONGEST_BACKOFF = 300.0
SHORTEST_CYCLE = 1.0
WAIT_STEP = 60.0
AWAY = (Unreachable, Busy, RateLimited, ServerFault)


@dataclass(frozen=True)
class Limits:
    max_turns: int = 0  # 0: no limit
    idle_exit: float = 0.0  # seconds without work after which the loop ends; 0: never
    backoff: float = 5.0  # first pause after a turn that moved nothing; doubles to 5 minutes


class Loop:
    """Obeys the decision and nothing else. Ends at `stop`, a limit, or Ctrl-C."""

    def __init__(
        self,
        loopx: LoopX,
        config: Config,
        job: Job,
        limits: Limits,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:
        self.loopx = loopx
        self.config = config
        self.job = job
        self.limits = limits
        self.say = say
        self.turns = 0
        self.outcomes: list[Outcome] = []
        self._after = ""
        self._shown = memory.shown(config)
        self._fruitless = 0
        self._reached = False
        self._idle_since = time.monotonic()

    def run(self) -> Decision | None:
        """The decision it ended at; None when a limit ended it."""
        while True:
            began = time.monotonic()
            decision = self._next()
            if decision is None:
                continue
            if decision.stop:
                self.say(words.decision(decision.raw, self.config.server))
                return decision
            if decision.may_work:
                self._work(decision)
                if self.limits.max_turns and self.turns >= self.limits.max_turns:
                    return None
            elif self._idle(decision, began):
                return None

    def _next(self) -> Decision | None:
        """The next decision that differs; None while the server is away."""
        try:
            decision = self.loopx.wait(
                self.config.goal,
                self.config.agent,
                after=self._after,
                shown=self._shown,
                capabilities=self.job.begin.get("capabilities") or (),
                timeout=self._step(),
            )
        except AWAY as error:
            if not self._reached:
                raise
            self.say(f"{error.detail} Trying again.")
            self._pause()
            return None
        self._reached = True
        return decision

    def _step(self) -> float:
        if not self.limits.idle_exit:
            return WAIT_STEP
        left = self._idle_since + self.limits.idle_exit - time.monotonic()
        return max(1.0, min(WAIT_STEP, left))

    def _work(self, decision: Decision) -> None:
        self._after = ""
        try:
            outcome = run_turn(self.loopx, self.config.goal, self.config.agent, self.job)
        except NotNow as error:
            # A peer was faster. The refusal's decision is the one to wait on, without a pause
            # unless it keeps happening.
            self._after = str(error.decision.get("digest") or "")
            self._fruitless += 1
            if not self._after or self._fruitless > 1:
                self._pause()
            return
        except (Conflict, Invalid, *AWAY) as error:
            self._fruitless += 1
            self.say(f"{error}")
            self._pause()
            return
        self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        self.turns += 1
        self.outcomes.append(outcome)
        self.say(outcome_line(outcome))
        if outcome.moved:
            self._fruitless = 0
        else:
            self._fruitless += 1
            if not self.limits.max_turns or self.turns < self.limits.max_turns:
                self._pause()
        self._idle_since = time.monotonic()

    def _idle(self, decision: Decision, began: float) -> bool:
        """Nothing to do: says so once per decision; True when idle for long enough."""
        if decision.digest != self._after:
            self.say(words.decision(decision.raw, self.config.server))
            self._remember(decision)
        elif time.monotonic() - began < SHORTEST_CYCLE:
            time.sleep(SHORTEST_CYCLE)  # a server that does not hold the call is not hammered
        self._after = decision.digest
        limit = self.limits.idle_exit
        return bool(limit) and time.monotonic() - self._idle_since >= limit

    def _remember(self, decision: Decision) -> None:
        fresh = [tag for tag in decision.tags if tag not in self._shown]
        if decision.outcome == "ask" and fresh:
            self._shown = [*self._shown, *fresh]
            memory.remember_shown(self.config, fresh)

    def _pause(self) -> None:
        step = min(self.limits.backoff * 2 ** max(self._fruitless - 1, 0), LONGEST_BACKOFF)
        time.sleep(step * random.uniform(0.75, 1.25))


def outcome_line(outcome: Outcome) -> str:
    about = f" on {outcome.todo}" if outcome.todo else ""
    summary = f": {words.inline(outcome.summary)}" if outcome.summary else ""
    return f"Turn{about} → {outcome.result}{summary}"
