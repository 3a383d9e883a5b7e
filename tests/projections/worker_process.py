"""A real worker process for the tests that kill one: huey's consumer over cards from a file.

`python -m tests.projections.worker_process setup|work CARDS.json`, with LOOPX_* in its environment.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django


def read_cards(path: Path) -> tuple[int, list[dict[str, Any]]]:
    data = json.loads(path.read_text())
    return data["version"], data["cards"]


def install_source(path: Path) -> None:
    from kanban.queries import projected

    def load(slug: str, now: datetime) -> projected.ProjectedGoal | None:
        version, cards = read_cards(path)
        made = [projected.ProjectedCard(goal=slug, **card) for card in cards]
        return projected.ProjectedGoal(version, made)

    projected.load = load
    projected.version_of = lambda slug: read_cards(path)[0]


def set_up() -> None:
    from django.core.management import call_command

    from projections.models import Board, Request, Watch
    from projections.requests import run_request

    call_command("migrate", "projections", verbosity=0, skip_checks=True)
    now = datetime.now(UTC)
    board = Board.objects.create(slug="team", title="Team", created_at=now)
    Watch.objects.create(board=board, goal="apollo")
    request = Request.objects.create(
        board=board, action="setup", execute=True, by="person:owner", created_at=now
    )
    run_request(request.pk)
    request.refresh_from_db()
    assert request.status == "done", request.error


def work() -> None:
    from django.conf import settings
    from django.utils.module_loading import autodiscover_modules

    autodiscover_modules("tasks")
    from huey.contrib.djhuey import HUEY

    options = {**settings.HUEY["consumer"], "max_delay": 0.1}
    HUEY.create_consumer(**options).run()


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "loopx_web.settings"
    django.setup()
    install_source(Path(sys.argv[2]))
    {"setup": set_up, "work": work}[sys.argv[1]]()


if __name__ == "__main__":
    main()
