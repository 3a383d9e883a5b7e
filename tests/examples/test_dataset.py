from __future__ import annotations

from collections import Counter
from pathlib import Path

import dataset
import pytest

DATA_MD = Path(dataset.__file__).with_name("DATA.md").read_text(encoding="utf-8")


def test_the_file_is_the_one_that_is_documented() -> None:
    data = dataset.load()
    assert len(data) == 1797
    assert {len(pixels) for pixels in data.pixels} == {64}
    assert {*data.labels} == {*range(10)}
    assert dataset.SOURCE_SHA256 in DATA_MD


def test_the_splits_are_the_documented_ones() -> None:
    sizes = {name: len(rows) for name, rows in dataset.parts().items()}
    assert sizes == {"held-out": 360, "fold-0": 360, "fold-1": 359, "fold-2": 359, "fold-3": 359}
    assert dataset.parts_sha256() in DATA_MD


def test_every_row_is_in_exactly_one_part() -> None:
    rows = [row for part in dataset.parts().values() for row in part]
    assert sorted(rows) == list(range(1797))


def test_each_part_has_its_share_of_every_digit() -> None:
    labels = dataset.load().labels
    whole = Counter(labels)
    for rows in dataset.parts().values():
        share = Counter(labels[row] for row in rows)
        assert all(abs(share[digit] - whole[digit] / 5) <= 1 for digit in range(10))


@pytest.mark.parametrize("number", range(dataset.FOLDS))
def test_a_fold_trains_on_the_others_and_never_on_held_out_rows(number: int) -> None:
    data, parts = dataset.load(), dataset.parts()
    training, validation = dataset.folds(number)
    rows = sorted(
        row for other in range(dataset.FOLDS) if other != number for row in parts[f"fold-{other}"]
    )
    assert training.pixels == tuple(data.pixels[row] for row in rows)
    assert validation.labels == tuple(data.labels[row] for row in parts[f"fold-{number}"])


def test_the_held_out_rows_are_asked_against_all_search_rows() -> None:
    training, questions = dataset.held_out()
    assert (len(training), len(questions)) == (1437, 360)


def test_there_is_no_fifth_fold() -> None:
    with pytest.raises(ValueError, match="folds 0 to 3"):
        dataset.folds(4)


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "SOURCE_SHA256", "0" * 64)
    dataset.load.cache_clear()
    with pytest.raises(dataset.DataChanged, match=r"DATA\.md"):
        dataset.load()
