"""`should-run`: the decision over the settled state; reads only, at any rate."""

from __future__ import annotations

from datetime import datetime

from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask, Decision
from kanban.queries.snapshot import ledger_time, settled


def should_run(slug: str, ask: Ask, now: datetime) -> Decision:
    state = settled(slug, now)
    return decide(state, ask, ledger_time(state, now))
