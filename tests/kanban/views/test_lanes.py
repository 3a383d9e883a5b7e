"""The live update: only what changed, 304 when nothing did, tags that ignore clock words."""

from __future__ import annotations

import re

from django.test import Client

from kanban.transitions import todos
from tests.sample_goal import OWNER, SampleGoal


def tag(text: str) -> str:
    found = re.search(r'hx-ptag="([^"]+)"', text)
    assert found
    return found[1]


def test_nothing_changed_is_304(owner: Client, sample: SampleGoal) -> None:
    known = tag(owner.get(f"/goals/{sample.slug}/").content.decode())
    response = owner.get(f"/goals/{sample.slug}/lanes", headers={"HX-PTag": known})
    assert response.status_code == 304
    assert response["HX-PTag"] == known
    assert "ETag" not in response


def test_only_changed_parts_are_sent(owner: Client, sample: SampleGoal) -> None:
    known = tag(owner.get(f"/goals/{sample.slug}/").content.decode())
    todos.add_todos(OWNER, sample.slug, [{"title": "Fresh work"}], now=sample.now)
    response = owner.get(f"/goals/{sample.slug}/lanes", headers={"HX-PTag": known})
    text = response.content.decode()
    assert re.findall(r'hx-partial hx-target="#([\w-]+)"', text) == ["lane-ready", "switcher"]
    assert "Fresh work" in text
    again = owner.get(f"/goals/{sample.slug}/lanes", headers={"HX-PTag": response["HX-PTag"]})
    assert again.status_code == 304


def test_without_a_tag_everything_is_sent(owner: Client, sample: SampleGoal) -> None:
    text = owner.get(f"/goals/{sample.slug}/lanes").content.decode()
    assert text.count("<hx-partial") == 9


def test_the_drawer_that_is_open_comes_along(owner: Client, sample: SampleGoal) -> None:
    page = f"http://testserver/goals/{sample.slug}/todos/{sample.refs['sample']}"
    text = owner.get(
        f"/goals/{sample.slug}/lanes", headers={"HX-Request": "true", "HX-Current-URL": page}
    ).content.decode()
    assert 'hx-target="#drawer"' in text
