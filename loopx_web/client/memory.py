"""What the client remembers in the project's .loopx/: questions shown, and fences held.

Losing it is harmless: a question is shown again, a fence has to be given as --epoch.
"""

from __future__ import annotations

import os

from loopx_web.client.config import Config, safe_name

TAGS_KEPT = 200


def shown(config: Config) -> list[str]:
    """Tags (`G3@2.1`) of the questions this agent has put to its person on this goal."""
    return _lines(_path(config, "shown"))


def remember_shown(config: Config, tags: list[str]) -> None:
    known = shown(config)
    fresh = [tag for tag in tags if tag and tag not in known]
    if fresh:
        _write(_path(config, "shown"), [*known, *fresh][-TAGS_KEPT:])


def turn(config: Config) -> tuple[str, str, str]:
    """The turn this execution holds: id, epoch, todo; empty strings if none.

    Inside `loopx run` its runner names the turn; else it is the one begun here last.
    """
    own = os.environ.get("LOOPX_TURN", "")
    if own:
        return own, os.environ.get("LOOPX_EPOCH", ""), os.environ.get("LOOPX_TODO", "")
    for line in _lines(_path(config, "held")):
        if line.startswith("turn="):
            parts = (line[5:] + "::").split(":")
            return parts[0], parts[1], parts[2]
    return "", "", ""


def epoch(config: Config, todo: str) -> str:
    held = (line.partition("=") for line in _lines(_path(config, "held")))
    own, own_epoch, own_todo = turn(config)
    if own and own_todo == todo:
        return own_epoch
    return next((value for name, _, value in held if name == todo), "")


def hold_turn(config: Config, turn_id: str, turn_epoch: str, todo: str) -> None:
    _replace(config, "turn", f"{turn_id}:{turn_epoch}:{todo}")


def hold_todo(config: Config, todo: str, todo_epoch: str) -> None:
    _replace(config, todo, todo_epoch)


def forget(config: Config, name: str) -> None:
    """Drops the fence of a todo, or of the turn (name `turn`)."""
    _replace(config, name, "")


def _replace(config: Config, name: str, value: str) -> None:
    path = _path(config, "held")
    old = _lines(path)
    new = [line for line in old if not line.startswith(f"{name}=")]
    if value:
        new.append(f"{name}={value}")
    if new != old:
        _write(path, new)


def _path(config: Config, kind: str) -> str:
    if not config.state_dir:
        return ""
    parts = [config.goal, config.agent, config.execution_key if kind == "held" else ""]
    name = ".".join(safe_name(part) for part in parts if part)
    return os.path.join(config.state_dir, kind, name) if name else ""


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(65536).split("\n")[:-1]
    except OSError:
        return []


def _write(path: str, lines: list[str]) -> None:
    if not path:
        return
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        os.replace(temporary, path)
    except OSError:
        return  # a read-only project: nothing is remembered, nothing breaks
