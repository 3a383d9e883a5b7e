from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopx_web.client import config
from loopx_web.client.config import Config, ConfigError


def bind(room: Path, **binding: object) -> None:
    (room / ".loopx").mkdir(exist_ok=True)
    (room / ".loopx" / "project.json").write_text(json.dumps(binding, indent=2))


def secret(path: str, token: str, mode: int = 0o600) -> None:
    where = Path(path)
    where.parent.mkdir(parents=True, exist_ok=True)
    where.write_text(token)
    where.chmod(mode)


def test_flags_go_before_environment_project_and_user(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    personal = Path(config.config_dir())
    personal.mkdir(parents=True)
    (personal / "config.json").write_text('{"goal": "user", "agent": "user", "server": "u:1"}')
    assert (Config({}).goal, Config({}).server) == ("user", "http://u:1")
    bind(room, goal="project", server="http://127.0.0.1:9")
    assert (Config({}).goal, Config({}).agent) == ("project", "user")
    monkeypatch.setenv("LOOPX_GOAL", "environment")
    assert Config({}).goal == "environment"
    assert Config({"goal": "flag"}).goal == "flag"


def test_the_project_is_found_from_below(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bind(room, goal="apollo")
    (room / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(room / "a" / "b")
    assert Config({}).project == str(room)


@pytest.mark.parametrize(
    "binding",
    [
        {},
        {"goal": "a"},
        {"goal": "a", "agent": "b", "server": "http://x:1"},
        {"goal": 'quo"te', "agent": "back\\slash"},
        {"goal": "ключ", "agent": ""},
        {"goal": "a", "number": 5},
    ],
)
def test_the_small_reader_reads_what_json_reads(room: Path, binding: dict[str, object]) -> None:
    for indent in (None, 2):
        path = room / "flat.json"
        path.write_text(json.dumps(binding, indent=indent))
        expected = {name: str(value) for name, value in binding.items()}
        assert config.read_flat(str(path)) == expected


@pytest.mark.parametrize("text", ["", "{", '{"a": }', '["a"]', '{"a": "b",}'])
def test_a_broken_file_is_named(room: Path, text: str) -> None:
    path = room / "flat.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"flat\.json"):
        config.read_flat(str(path))


def test_the_kept_token_belongs_to_one_server_and_agent(room: Path) -> None:
    secret(config.token_file("http://127.0.0.1:9", "executor"), "lxa_one")
    assert Config({"server": "127.0.0.1:9", "agent": "executor"}).token == "lxa_one"
    assert Config({"server": "127.0.0.1:8", "agent": "executor"}).token == ""
    assert Config({"server": "127.0.0.1:9", "agent": "proposer"}).token == ""


def test_a_token_file_others_may_read_is_refused(room: Path) -> None:
    secret(config.token_file("http://127.0.0.1:9", "executor"), "lxa_one", mode=0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        Config({"server": "127.0.0.1:9", "agent": "executor"})


def test_a_checked_in_project_cannot_send_the_token_elsewhere(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPX_TOKEN", "lxa_secret")
    bind(room, server="http://203.0.113.9:80", goal="apollo", agent="executor")
    with pytest.raises(ConfigError, match="not sent"):
        Config({})
    assert Config({"server": "http://203.0.113.9:80"}).token == "lxa_secret"
    bind(room, server="http://127.0.0.1:80")
    assert Config({}).token == "lxa_secret"


@pytest.mark.parametrize(
    ("server", "loopback"),
    [
        ("http://127.0.0.1:8765", True),
        ("http://localhost", True),
        ("http://[::1]:80", True),
        ("http://127.evil.example", False),
        ("http://127.0.0.1@evil.example", False),
        ("https://loopx.example", False),
    ],
)
def test_what_counts_as_this_machine(server: str, loopback: bool) -> None:
    assert config.is_loopback(server) is loopback


def test_a_name_cannot_leave_the_token_folder(room: Path) -> None:
    inside = config.token_file("http://127.0.0.1:9", "../../other")
    assert Path(inside).parent == Path(config.token_file("http://127.0.0.1:9", "x")).parent
    assert config.safe_name("..") == "_"
