"""Random walks: a short one always, a long one with the slow tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.kanban.kernel.walk import Walk

COMMON = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class ShortWalk(Walk):
    """Twenty walks of at most forty steps."""


class LongWalk(Walk):
    """Three hundred walks of at most a hundred steps."""


TestShortWalk = ShortWalk.TestCase
TestShortWalk.settings = settings(COMMON, max_examples=20, stateful_step_count=40)

TestLongWalk = pytest.mark.slow(LongWalk.TestCase)
TestLongWalk.settings = settings(COMMON, max_examples=300, stateful_step_count=100)
