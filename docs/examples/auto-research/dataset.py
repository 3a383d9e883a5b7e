"""The handwritten digits and their splits, fixed by hash before any figure was computed."""

from __future__ import annotations

import gzip
import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("digits.csv.gz")
SOURCE_SHA256 = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"
SEED = "auto-research"
FOLDS = 4
HELD_OUT = "held-out"

Pixels = tuple[float, ...]


@dataclass(frozen=True)
class Rows:
    pixels: tuple[Pixels, ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)


class DataChanged(RuntimeError):
    """The committed file is not the one that the figures belong to."""


@cache
def load() -> Rows:
    packed = SOURCE.read_bytes()
    if hashlib.sha256(packed).hexdigest() != SOURCE_SHA256:
        raise DataChanged(f"{SOURCE.name} does not have the hash that DATA.md names; restore it")
    lines = gzip.decompress(packed).decode("ascii").split()
    numbers = [tuple(map(int, line.split(","))) for line in lines]
    return Rows(tuple(row[:-1] for row in numbers), tuple(row[-1] for row in numbers))


@cache
def parts() -> dict[str, tuple[int, ...]]:
    """Row numbers by part: a fifth held out, the rest in four folds, each class spread evenly."""
    by_class: dict[int, list[int]] = defaultdict(list)
    for row, label in enumerate(load().labels):
        by_class[label].append(row)
    dealt: dict[str, list[int]] = defaultdict(list)
    names = [HELD_OUT, *(f"fold-{number}" for number in range(FOLDS))]
    turn = 0
    for label in sorted(by_class):
        for row in sorted(by_class[label], key=_shuffled):
            dealt[names[turn % len(names)]].append(row)
            turn += 1
    return {name: tuple(sorted(rows)) for name, rows in dealt.items()}


def parts_sha256() -> str:
    text = "\n".join(f"{name}:{','.join(map(str, rows))}" for name, rows in sorted(parts().items()))
    return hashlib.sha256(text.encode()).hexdigest()


def folds(number: int) -> tuple[Rows, Rows]:
    """(training rows, validation rows) with the numbered fold as validation; never held-out."""
    if not 0 <= number < FOLDS:
        raise ValueError(f"There are folds 0 to {FOLDS - 1}, not {number}.")
    training = [
        row for other in range(FOLDS) if other != number for row in parts()[f"fold-{other}"]
    ]
    return _pick(sorted(training)), _pick(parts()[f"fold-{number}"])


def held_out() -> tuple[Rows, Rows]:
    """(all search rows, held-out rows): for the one measurement of a winner, after the choice."""
    training = [row for number in range(FOLDS) for row in parts()[f"fold-{number}"]]
    return _pick(sorted(training)), _pick(parts()[HELD_OUT])


def _shuffled(row: int) -> bytes:
    return hashlib.sha256(f"{SEED}:{row}".encode()).digest()


def _pick(rows: Iterable[int]) -> Rows:
    data = load()
    chosen = tuple(rows)
    return Rows(
        tuple(data.pixels[row] for row in chosen), tuple(data.labels[row] for row in chosen)
    )
