"""A sample goal in a real database, and who looks at it: owner, outsider, nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from kanban.queries.people import OPERATOR
from kanban.transitions.people import ensure_owner
from tests.sample_goal import SampleGoal


@pytest.fixture
def sample(transactional_db: None) -> SampleGoal:
    goal = SampleGoal(datetime.now(UTC))
    goal.build()
    return goal


@pytest.fixture
def owner(transactional_db: None) -> Iterator[Client]:
    client = Client()
    client.force_login(ensure_owner())
    yield client


@pytest.fixture
def second_person(transactional_db: None) -> Client:
    colleague = User.objects.create_user("colleague")
    colleague.groups.add(Group.objects.create(name=OPERATOR))
    client = Client()
    client.force_login(colleague)
    return client


@pytest.fixture
def viewer(transactional_db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("visitor"))
    return client
