"""Just enough JSON writing for the hot path; reading JSON stays with the json module."""

from __future__ import annotations

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Raw(str):
    """Text that is JSON already and is put in as it stands; the server judges it."""

    __slots__ = ()


def dumps(value: object) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        pairs = (f"{_string(name)}:{dumps(item)}" for name, item in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dumps(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"{type(value).__name__} has no JSON form here")


def _string(text: str) -> str:
    body = "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text)
    return f'"{body}"'


def evidence(text: str) -> object:
    """`E3`, a JSON object, or `KIND VERDICT: SUMMARY` (`metric supports: accuracy 0.93`)."""
    if text.startswith("{"):
        return Raw(text)
    if is_reference(text, "E"):
        return text
    head, colon, summary = text.partition(":")
    words = head.split()
    if not colon or not 1 <= len(words) <= 2 or not summary.strip():
        raise ValueError(
            f"evidence {text!r} is neither a reference such as E3, nor a JSON object, "
            "nor `KIND VERDICT: SUMMARY` (as in `test supports: 41 tests pass`)."
        )
    verdict = words[1] if len(words) == 2 else "supports"
    return {"kind": words[0], "verdict": verdict, "summary": summary.strip()}


def successor(text: str) -> object:
    """`T5` (a todo that exists), a JSON object, or the title of a new todo."""
    if text.startswith("{"):
        return Raw(text)
    return {"ref": text} if is_reference(text, "T") else {"title": text}


def is_reference(text: str, letter: str) -> bool:
    return text[:1] == letter and text[1:].isascii() and text[1:].isdigit()
