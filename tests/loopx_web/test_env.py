from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from loopx_web import env
from loopx_web.env import BadSetting

NAME = "LOOPX_EXAMPLE"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.delenv(f"{NAME}_FILE", raising=False)
    return monkeypatch


def test_text_falls_back_to_the_default(given: pytest.MonkeyPatch) -> None:
    assert env.text(NAME, "so") == "so"


def test_text_prefers_the_file(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("kept apart\n", encoding="utf-8")
    given.setenv(NAME, "in the open")
    given.setenv(f"{NAME}_FILE", str(tmp_path / "secret"))
    assert env.text(NAME) == "kept apart"


def test_a_file_that_cannot_be_read_is_named(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv(f"{NAME}_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(
        BadSetting, match=r"LOOPX_EXAMPLE_FILE: cannot read .*nowhere: No such file"
    ):
        env.text(NAME)


@pytest.mark.parametrize("raw", ["1", "65535", " 80"])
def test_integer_reads_what_is_in_range(given: pytest.MonkeyPatch, raw: str) -> None:
    given.setenv(NAME, raw)
    assert env.integer(NAME, 5, low=1, high=65535) == int(raw)


@pytest.mark.parametrize(
    ("raw", "said"), [("ten", "'ten' is not a whole number"), ("0", "0 is not between 1 and 9")]
)
def test_integer_refuses(given: pytest.MonkeyPatch, raw: str, said: str) -> None:
    given.setenv(NAME, raw)
    with pytest.raises(BadSetting, match=f"LOOPX_EXAMPLE: {said}"):
        env.integer(NAME, 5, low=1, high=9)


@pytest.mark.parametrize(("raw", "value"), [("YES", True), ("off", False), ("", True)])
def test_boolean(given: pytest.MonkeyPatch, raw: str, value: bool) -> None:
    given.setenv(NAME, raw)
    assert env.boolean(NAME, True) is value


def test_boolean_refuses_a_guess(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "maybe")
    with pytest.raises(BadSetting, match="neither true nor false"):
        env.boolean(NAME, False)


def test_choice_names_what_is_allowed(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "SLOW")
    with pytest.raises(BadSetting, match="'SLOW' is none of FULL, NORMAL"):
        env.choice(NAME, "FULL", ("FULL", "NORMAL"))


def test_words_split_at_commas(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "one, two,,")
    assert env.words(NAME, []) == ["one", "two"]


def test_database_of_nothing_is_sqlite_in_the_data_directory(tmp_path: Path) -> None:
    chosen = env.database("", tmp_path, "FULL")
    assert chosen["NAME"] == tmp_path / "loopx.sqlite3"
    assert "synchronous=FULL" in str(chosen["OPTIONS"])


def test_database_of_a_postgresql_url(tmp_path: Path) -> None:
    url = "postgresql://o%40x:p%2Fw@db.example:5433/loop"
    chosen = env.database(url, tmp_path, "FULL")
    parts = {name: chosen[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    assert parts == {
        "NAME": "loop",
        "USER": "o@x",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "5433",
    }


def test_database_refuses_another_engine(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="'mysql' is neither postgresql nor sqlite"):
        env.database("mysql://db/loop", tmp_path, "FULL")


def test_queue_refuses_another_broker(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="'amqp' is not redis"):
        env.queue("amqp://guest@mq", tmp_path / "queue.sqlite3")


def test_kept_secret_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "secret.key"
    first = env.kept_secret(path, prefix="lxo_")
    assert first.startswith("lxo_") and len(first) > 60
    assert env.kept_secret(path) == first
    assert os.listdir(path.parent) == ["secret.key"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_empty_secret_is_refused_rather_than_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    path.touch()
    with pytest.raises(env.BadSetting, match="is empty"):
        env.kept_secret(path)
    assert path.read_bytes() == b""


def test_kept_secret_is_one_for_all_who_start_at_once(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    seen: list[str] = []
    together = threading.Barrier(8)

    def read() -> None:
        together.wait()
        seen.append(env.kept_secret(path))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len(set(seen)) == 1


def test_kept_secret_says_what_to_do_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "state").symlink_to(tmp_path / "gone")
    with pytest.raises(BadSetting, match=r"cannot make .*LOOPX_DATA_DIR or --data-dir"):
        env.kept_secret(tmp_path / "state" / "secret.key")
