"""Write scopes: path globs compared by whole segments, case-sensitive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from kanban.kernel.errors import invalid

_WILD = re.compile(r"[*?\[]")


def parse(values: Iterable[str], name: str = "write_scope") -> tuple[str, ...]:
    """Normalised globs: relative, forward slashes, no `..`; kept in order, without doubles."""
    return tuple(dict.fromkeys(_parse(value, name) for value in values))


def _parse(value: str, name: str) -> str:
    parts = [part for part in value.strip().split("/") if part not in ("", ".")]
    if not parts or ".." in parts or "\\" in value or value.strip().startswith("/"):
        raise invalid(
            f"{name}: {value!r} is not a path inside the project.",
            "Write it relative to the project with forward slashes, such as src/app or docs/**.",
            fields=[name],
        )
    return "/".join(parts)


def overlaps(left: str, right: str) -> bool:
    """Whether a path could lie in both; a path covers everything below it.

    `src/app` and `src/application` do not meet; `src` and `src/app/x.py` do. Two segments that
    both hold wildcards are taken to meet: a false conflict costs a wait, a missed one costs work.
    """
    return _meet(left.split("/"), right.split("/"))


def _meet(left: list[str], right: list[str]) -> bool:
    if not left or not right or left[0] == "**" or right[0] == "**":
        return True
    return _segments_meet(left[0], right[0]) and _meet(left[1:], right[1:])


def _segments_meet(left: str, right: str) -> bool:
    wild_left, wild_right = bool(_WILD.search(left)), bool(_WILD.search(right))
    if wild_left and wild_right:
        return True
    return fnmatchcase(right, left) if wild_left else fnmatchcase(left, right)


def within(scope: str, allowed: Iterable[str]) -> bool:
    """Whether every path of `scope` lies in one of the `allowed` ones."""
    return any(_inside(scope.split("/"), other.split("/")) for other in allowed)


def _inside(scope: list[str], allowed: list[str]) -> bool:
    if not allowed or allowed == ["**"]:
        return True
    if allowed[0] == "**":
        # Any depth, but a depth that a glob leaves open is not known to match.
        depths = range(scope.index("**") if "**" in scope else len(scope))
        return any(_inside(scope[depth:], allowed[1:]) for depth in depths)
    if not scope or scope[0] == "**":
        return False
    same = allowed[0] in (scope[0], "*") or (
        not _WILD.search(scope[0]) and fnmatchcase(scope[0], allowed[0])
    )
    return same and _inside(scope[1:], allowed[1:])
