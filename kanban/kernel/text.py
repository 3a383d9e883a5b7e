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
# Letters that turn the order of those around them: what is read is not what is written.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


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
    if not is_visible(text):
        raise invalid(f"{name} is empty.", "Say in a few words what it is.", fields=[name])
    return clean(text, name, limit=limit)


def is_visible(text: str) -> bool:
    """Whether a reader would see anything: not only spaces, marks and invisible characters."""
    return any(unicodedata.category(letter)[0] not in "CZM" for letter in text)


def body(value: str, name: str = "body") -> str:
    return clean(value, name, limit=BODY_LIMIT).strip("\n")


def note(value: str, name: str) -> str:
    return clean(value, name, limit=NOTE_LIMIT).strip()


def plainly_read(value: str, name: str) -> str:
    """Words that a person decides by: they read as they are written."""
    if _TURNING.search(value):
        raise invalid(
            f"{name} turns the direction of its letters.",
            "Write it without direction overrides; right-to-left words need none.",
            fields=[name],
        )
    return value
