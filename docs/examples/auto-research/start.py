"""Creates the goal, its agents and their tokens, and runs the four peers until the goal closes.

Needs LOOPX_SERVER and, as LOOPX_TOKEN, the owner key of the server's data directory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from publish import WINNER
from search import BASELINE, Task

from loopx_web.client import LoopX

HERE = Path(__file__).parent
LOOK_SECONDS = 0.2
DEATHS_ALLOWED = 3
GOAL = "knn-digits"
OBJECTIVE = (
    "Find an exact nearest-neighbour classifier for handwritten digits that is right more often "
    "than the baseline, by figures that hold when they are repeated."
)
CRITERIA = [
    "At least eight candidates are counted on the same validation rows as the baseline.",
    "The leader is right more often than the baseline over all four folds.",
    "A person decided about publishing, and what was decided is done.",
]


@dataclass(frozen=True)
class Peer:
    name: str
    program: str
    capability: str
    role: str


PEERS = (
    Peer("proposer", "proposer.py", "propose", "proposer"),
    Peer("executor-1", "executor.py", "measure", "executor"),
    Peer("executor-2", "executor.py", "measure", "executor"),
    Peer("evaluator", "evaluator.py", "judge", "evaluator"),
)


def prepare(loopx: LoopX) -> dict[str, str]:
    """Makes goal and agents; returns each agent's new token."""
    tokens: dict[str, str] = {}
    for peer in PEERS:
        body = {"name": peer.name, "host_kind": "shell", "role": peer.role}
        loopx.wire.post("/agents", body | {"capabilities": [peer.capability]})
    loopx.create_goal(
        OBJECTIVE,
        title="A better digit classifier",
        slug=GOAL,
        acceptance=CRITERIA,
        write_scope=[WINNER],
        agents=[peer.name for peer in PEERS],
    )
    # To end a line of work it must close todos that nobody has taken yet: a person lets it.
    loopx.join("evaluator", goal=GOAL, delegated=["supersede"])
    for peer in PEERS:
        made = loopx.wire.post(f"/agents/{peer.name}/tokens", {"goals": [GOAL]})
        tokens[peer.name] = made["token"]
    baseline = loopx.add_todo(
        f"Measure the baseline, {BASELINE.title}",
        goal=GOAL,
        body=Task("measure").body("Count its right answers on the validation fold."),
        required_capabilities=["measure"],
    )
    loopx.add_todo(
        "Propose round 1",
        goal=GOAL,
        body=Task("propose", 1).body(
            "Propose changes of the baseline, each with what builds on it."
        ),
        required_capabilities=["propose"],
        depends_on=[baseline.ref],
    )
    return tokens


@dataclass
class Crew:
    """The peers' processes. One that dies is started again: its claim waits for its agent."""

    server: str
    tokens: dict[str, str]
    running: dict[Peer, subprocess.Popen[bytes]] = field(default_factory=dict)
    deaths: Counter[Peer] = field(default_factory=Counter)

    def start(self, peer: Peer) -> None:
        own = {
            "LOOPX_SERVER": self.server,
            "LOOPX_TOKEN": self.tokens[peer.name],
            "LOOPX_GOAL": GOAL,
            "LOOPX_AGENT": peer.name,
        }
        command = [sys.executable, str(HERE / peer.program)]
        self.running[peer] = subprocess.Popen(command, env=os.environ | own)

    def run(self) -> int:
        """0 once every peer was told to stop, 1 when one keeps dying."""
        for peer in PEERS:
            self.start(peer)
        while self.running:
            time.sleep(LOOK_SECONDS)
            for peer, process in list(self.running.items()):
                code = process.poll()
                if code == 0:
                    del self.running[peer]
                elif code is not None:
                    self.deaths[peer] += 1
                    if self.deaths[peer] > DEATHS_ALLOWED:
                        return 1
                    self.start(peer)
        return 0

    def stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            process.wait()


def main() -> int:
    loopx = LoopX()
    crew = Crew(loopx.wire.server, prepare(loopx))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return crew.run()
    except KeyboardInterrupt:
        return 130
    finally:
        crew.stop()


if __name__ == "__main__":
    sys.exit(main())
