"""The numbers behind the rules, each once."""

from __future__ import annotations

from datetime import timedelta

LEASE_MIN = timedelta(seconds=30)
LEASE_MAX = timedelta(hours=24)
LEASE_DEFAULT_SECONDS = 900
TURN_MAX = timedelta(hours=2)
SOFT_CLAIM_TIMEOUT = timedelta(hours=2)
SOFT_CLAIMS = 5  # per agent and goal

UNDO_DEFAULT_SECONDS = 20
UNDO_MAX_SECONDS = 120
REMIND_DEFAULT_SECONDS = 24 * 3600
REMIND_MIN_SECONDS = 60
# A declared default answer may only follow this long after the question last changed.
DEFAULT_ANSWER_AFTER = timedelta(hours=24)
MANUAL_REVIEW = timedelta(days=7)

STALL_TURNS = 3
GAP_TRIES = 2
QUIET_POLLS = 2  # unchanged polls in a row before work comes first
CANDIDATES = 5

CHECK_FLOOR = timedelta(seconds=30)
CHECK_CEILING = timedelta(minutes=30)
FAILURE_BACKOFF = (timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=60))

# Longer than anybody plans, and far from where dates and database columns end.
SPAN_MAX_SECONDS = 10 * 366 * 24 * 3600
SLOTS_MAX = 10**6
FIGURE_MAX = 10**15  # tokens, or millionths of a dollar

# How long evidence counts unless it says otherwise; None: until it is contradicted.
EVIDENCE_VALID: dict[str, timedelta | None] = {
    "test": timedelta(days=7),
    "metric": timedelta(days=30),
    "diff": None,
    "url": timedelta(days=30),
    "pull_request": timedelta(days=30),
    "log": timedelta(days=7),
    "note": timedelta(days=30),
    "decision": None,
    "artifact": timedelta(days=90),
}
