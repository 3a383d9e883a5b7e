"""Tables and kernel rows are the same thing twice: their fields must agree."""

from __future__ import annotations

from dataclasses import fields

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction

from kanban.kernel.codec import FORMS, ROWS
from kanban.models.columns import COLUMNS
from tests.kanban.store.ledger import NOW, begin, make_goal

pytestmark = pytest.mark.django_db(transaction=True)

OWN = {"id", "goal"}


@pytest.mark.parametrize("name", ROWS)
def test_a_tables_columns_are_the_fields_of_its_row(name: str) -> None:
    model = apps.get_model("kanban", name)
    kept = {"id"} if name == "turn" else set()
    extra = {"head_hash"} if name == "goal" else set()
    columns = {field.name for field in model._meta.concrete_fields} - (OWN - kept) - extra
    assert columns == {field.name for field in fields(ROWS[name])}
    assert model._meta.db_table == COLUMNS[name].table


@pytest.mark.parametrize("name", ROWS)
def test_each_column_can_hold_its_field(name: str) -> None:
    kinds: dict[str, tuple[type[models.Field[object, object]], ...]] = {
        "flag": (models.BooleanField,),
        "time": (models.DateTimeField,),
        "date": (models.DateField,),
        "list": (models.JSONField,),
        "object": (models.JSONField,),
    }
    model = apps.get_model("kanban", name)
    for field, form in FORMS[name].items():
        column = model._meta.get_field(field)
        if form in kinds:
            assert isinstance(column, kinds[form]), field
        else:
            assert not isinstance(column, models.JSONField), field


@pytest.mark.parametrize("name", ROWS)
def test_a_fresh_row_and_an_empty_model_have_the_same_defaults(name: str) -> None:
    key = COLUMNS[name].key
    row = ROWS[name](**({} if key == "agent" and name == "policy" else {key: "x"}))
    model = apps.get_model("kanban", name)(**{key: getattr(row, key)})
    for field, form in FORMS[name].items():
        stored = getattr(model, field)
        ours = getattr(row, field)
        assert stored == (list(ours) if form == "list" else ours), field


def test_the_migrations_are_complete() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


IMPOSSIBLE = [
    "UPDATE kanban_todo SET claim_form = 'lease', owner = 'agent', lease_until = NULL",
    "UPDATE kanban_todo SET owner = 'agent', claim_form = ''",
    "UPDATE kanban_todo SET owner = '', claim_form = 'soft'",
    "UPDATE kanban_todo SET status = 'finished'",
    "UPDATE kanban_todo SET priority = 4",
    "UPDATE kanban_todo SET ref = 'T1'",
    "UPDATE kanban_goal SET status = 'asleep'",
    "UPDATE kanban_turn SET status = 'paused'",
    "UPDATE kanban_policy SET share = 1.5",
    "UPDATE kanban_policy SET share = -1",
    "UPDATE kanban_event SET version = 1",
    "UPDATE kanban_member SET agent = 'agent'",
]


@pytest.mark.parametrize("statement", IMPOSSIBLE)
def test_the_database_refuses_what_no_transition_writes(statement: str) -> None:
    make_goal(2)
    begin()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_one_live_turn_per_execution_and_one_closing_question() -> None:
    from kanban.models import Gate, Goal, Turn

    make_goal()
    goal = Goal.objects.get()
    live = {"goal": goal, "agent": "agent", "execution": "x", "status": "live"}
    Turn.objects.create(id="a", **live)
    Turn.objects.create(id="b", **live | {"status": "finished"})
    with pytest.raises(IntegrityError), transaction.atomic():
        Turn.objects.create(id="c", **live)
    Gate.objects.create(goal=goal, ref="G1", purpose="closure", status="withdrawn")
    Gate.objects.create(goal=goal, ref="G2", purpose="closure", status="provisional")
    with pytest.raises(IntegrityError), transaction.atomic():
        Gate.objects.create(goal=goal, ref="G3", purpose="closure", created_at=NOW)
