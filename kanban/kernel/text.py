"""Words as they may enter the state: normalised, and refused rather than cut."""

from __future__ import annotations

import re
import unicodedata

from kanban.kernel.errors import invalid

TITLE_LIMIT = 300
QUESTION_LIMIT = 2_000
NOTE_LIMIT = 4_000
BODY_LIMIT = 64 * 1024  # bytes

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def clean(value: str, name: str, *, limit: int) -> str:
    """NFC text with LF line ends; control characters and over-long text are refused, never cut."""
    text = unicodedata.normalize("NFC", value.replace("\r\n", "\n").replace("\r", "\n"))
    if bad := _CONTROL.search(text):
        raise invalid(
            f"{name} holds the control character U+{ord(bad.group()):04X}.",
            "Remove it; only newline and tab are allowed.",
            fields=[name],
        )
    size = len(text.encode()) if limit == BODY_LIMIT else len(text)
    if size > limit:
        unit = "bytes" if limit == BODY_LIMIT else "characters"
        raise invalid(
            f"{name} has {size} {unit}; at most {limit} fit.",
            "Shorten it, or put the rest into a file and refer to it.",
            fields=[name],
        )
    return text


def title(value: str, name: str = "title", *, limit: int = TITLE_LIMIT) -> str:
    """One trimmed line that is not empty."""
    text = " ".join(clean(value, name, limit=max(limit, len(value))).split())
    if not text:
        raise invalid(f"{name} is empty.", "Say in a few words what it is.", fields=[name])
    return clean(text, name, limit=limit)


def body(value: str, name: str = "body") -> str:
    return clean(value, name, limit=BODY_LIMIT).strip("\n")


def note(value: str, name: str) -> str:
    return clean(value, name, limit=NOTE_LIMIT).strip()
