"""The whole product once: an installed wheel, four processes, one person in a real browser."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from loopx_web.client import LoopX, NotAllowed
from loopx_web.client.results import Gate
from tests import waiting
from tests.conftest import sign_in
from tests.e2e.running import GOAL, Program, owner, rows
from tests.serving import ServerProcess, environment
from tests.standin.feishu import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.browser]

MINUTES = 60.0
ENDED = "the example ended"
LANES = {
    "needs_you": "Needs you",
    "ready": "Ready",
    "working": "Working",
    "waiting": "Waiting",
    "done": "Done",
}


@dataclass
class World:
    """The installation, its server, the stand-in Feishu and the directory of results."""

    bin: Path
    server: ServerProcess
    feishu: StandIn
    out: Path

    def loopx(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """A command of the installed `loopx`, as the person at the terminal."""
        known = {"LOOPX_SERVER": self.server.url, "LOOPX_GOAL": GOAL}
        return subprocess.run(
            [str(self.bin / "loopx"), *argv],
            env=environment(self.server.data_dir, known | self.feishu.environment()),
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )

    def example(self) -> Program:
        key = (self.server.data_dir / "owner.key").read_text(encoding="ascii").strip()
        folder = next(self.bin.parent.glob("lib*/**/loopx_web/examples/auto-research"))
        extra = {"LOOPX_TOKEN": key, "LOOPX_EXAMPLE_OUT": str(self.out)}
        return Program(
            self.server, "start.py", extra, python=str(self.bin / "python"), folder=folder
        )


@pytest.fixture
def world(installed: Path, tmp_path: Path) -> Iterator[World]:
    out = tmp_path / "out"
    out.mkdir()
    with StandIn() as feishu:
        known = feishu.environment() | {"LOOPX_FEISHU_PAUSE_MS": "0"}
        program = [str(installed / "loopx")]
        with ServerProcess(tmp_path / "data", extra=known, program=program) as server:
            yield World(installed, server, feishu, out)


def test_the_first_governed_loop(world: World, page: Page) -> None:
    sign_in(page, world.server.first_sign_in)
    loopx = owner(world.server)
    with world.example() as example:
        waiting.until(lambda: goal_exists(loopx), "the goal", limit=30)
        setup = world.loopx("lark-kanban", "setup", "--execute")
        assert setup.returncode == 0, setup.stdout + setup.stderr
        page.goto(f"{world.server.url}/goals/{GOAL}/")

        answer(page, world, "publish", loopx, example)
        answer(page, world, "close", loopx, example)
        assert example.process.wait(timeout=MINUTES) == 0, example.output

    assert loopx.goal().status == "achieved"
    assert all(item["state"] == "met" for item in loopx.goal().acceptance)
    the_figures_are_the_computed_ones(world, loopx)
    the_ledger_is_sound(world)
    quota_is_spent_once_per_turn(world)
    waiting.until(lambda: table(world) == board(loopx), "Feishu shows the board", limit=90)


def answer(page: Page, world: World, option: str, loopx: LoopX, example: Program) -> None:
    """Waits for the question, clicks its answer on the board, and ends the undo window."""
    gate = waiting.until(
        lambda: question_with(loopx, option) or ended(example),
        f"asked {option}",
        limit=3 * MINUTES,
    )
    assert gate != ENDED, example.output
    no_token_answers(loopx, gate)
    # The question came to the open page by itself: nothing reloads it.
    page.locator(f"#card-{gate} button[name=option][value={option}]").click()
    expect(page.locator("#toasts").get_by_role("button", name="Undo")).to_be_visible()
    page.goto(f"{world.server.url}/goals/{GOAL}/gates/{gate}")
    page.get_by_role("button", name="Send now").click()
    expect(page.get_by_text("An answer never changes")).to_be_visible()
    page.goto(f"{world.server.url}/goals/{GOAL}/")


def goal_exists(loopx: LoopX) -> bool:
    return any(goal.slug == GOAL for goal in loopx.goals().items)


def question_with(loopx: LoopX, option: str) -> str:
    """The open question that offers this answer."""
    for gate in loopx.gates(status="open").items:
        if any(offered["key"] == option for offered in gate.options):
            return gate.ref
    return ""


def ended(example: Program) -> str:
    return "" if example.process.poll() is None else ENDED


def no_token_answers(loopx: LoopX, gate: str) -> None:
    """Neither an agent's token nor the local owner key passes for a person."""
    token = loopx.wire.post("/agents/evaluator/tokens", {"goals": [GOAL]})["token"]
    body = {"outcome": "chosen", "option": "publish", "revision": 1}
    for client in (LoopX(loopx.wire.server, token), loopx):
        with pytest.raises(NotAllowed) as refused:
            client.wire.post(f"/goals/{GOAL}/gates/{gate}/answer", body)
        assert (refused.value.status, refused.value.code) == (403, "human_required")


def the_figures_are_the_computed_ones(world: World, loopx: LoopX) -> None:
    winner = json.loads((world.out / "winner.json").read_text(encoding="utf-8"))
    assert winner["setup"] == {
        "k": 5,
        "metric": "euclidean",
        "weighting": "uniform",
        "scaling": "raw",
        "shifts": "quarter",
    }
    proofs = loopx.evidence(limit=200).items
    published = [proof for proof in proofs if "held_out_correct" in proof.data]
    assert [proof.data for proof in published] == [winner]
    # The contradiction is a real one: Chebyshev led on one fold and lost on the next.
    (taken_back,) = [proof for proof in proofs if proof.invalidated]
    assert (taken_back.data["setup"]["metric"], taken_back.data["correct"]) == ("chebyshev", 353)
    (against,) = [p for p in proofs if p.verdict == "contradicts" and p.data.get("fold") == 1]
    assert (against.data["correct"], against.data["against"]) == (349, 355)
    dropped = [todo.title for todo in loopx.todos(status="superseded", limit=200).items]
    assert "Measure k=3, Chebyshev distance" in dropped


def the_ledger_is_sound(world: World) -> None:
    """The chain of events holds, and replaying it gives exactly the tables."""
    verified = world.loopx("verify", "--data-dir", str(world.server.data_dir))
    assert verified.returncode == 0, verified.stdout + verified.stderr


def quota_is_spent_once_per_turn(world: World) -> None:
    turns = rows(world.server, "select id, status, result, slots from kanban_turn")
    assert {turn["status"] for turn in turns} == {"finished"}
    settled = sorted(
        (t["id"], t["slots"]) for t in turns if t["result"] in ("completed", "progress")
    )
    entries = rows(world.server, "select turn, status, slots from kanban_entry")
    assert {entry["status"] for entry in entries} <= {"spent", "released"}
    assert settled == sorted((e["turn"], e["slots"]) for e in entries if e["status"] == "spent")
    assert len(entries) == len(turns) > 20


Row = tuple[str, str, str]


def board(loopx: LoopX) -> dict[str, Row]:
    """Reference → (title, lane, answer) of what people see: the lanes, and answered questions."""
    shown = loopx.wire.get(f"/goals/{GOAL}/board")
    assert not any(lane["older"] for lane in shown["lanes"])
    cards = {
        card["ref"]: (card["title"], LANES[lane["lane"]], "")
        for lane in shown["lanes"]
        for card in lane["cards"]
    }
    answered = {
        gate.ref: (gate.label or gate.question, LANES["done"], label_of(gate))
        for gate in loopx.gates().items
    }
    return cards | answered


def label_of(gate: Gate) -> str:
    chosen = (gate.answer or {}).get("option")
    return next(str(option["label"]) for option in gate.options if option["key"] == chosen)


def table(world: World) -> dict[str, Row]:
    """The same of the rows in Feishu; no key twice."""
    found = world.feishu.world.only_base().table_named("Cards").rows()
    rows = {row["Key"].rpartition("/")[2]: row for row in found}
    assert len(rows) == len(found)
    return {
        ref: (row["Title"], row["Status"], row.get("Answer") or "") for ref, row in rows.items()
    }
