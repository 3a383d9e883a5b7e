"""What never leaves: paths, credentials, addresses of people and of private machines.

Matching runs on a shadow of the text (full-width letters narrowed, invisible characters dropped),
so that dressing a secret up does not carry it out; what matches is cut from the original.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.utils.translation import gettext_noop as _

LABELS: Final = {
    "path": _("path"),
    "credential": _("credential"),
    "email": _("e-mail"),
    "phone": _("phone number"),
    "host": _("private address"),
}

_ROOTS = (
    "home|Users|root|var|etc|opt|tmp|usr|srv|mnt|media|private|Volumes|Library|Applications|"
    "System|proc|dev|run|data|workspace|workspaces|work|app|nix|boot|sys|snap|builds"
)
_WORD = r"[^\s\"'`<>|,;()\[\]{}，。；（）【】]"
PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, flags))
    for kind, pattern, flags in (
        # Credentials of known shape.
        ("credential", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.S),
        ("credential", r"\blx[oa]_[\w-]{16,}", 0),
        ("credential", r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[\w-]{16,}", 0),
        ("credential", r"\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}", 0),
        ("credential", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}", 0),
        ("credential", r"\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|\bya29\.[\w-]{10,}", 0),
        ("credential", r"\b(?:npm|hf|pypi|dop_v1|shpat|rubygems|SG)[_.-][\w.-]{20,}", 0),
        ("credential", r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?", 0),
        ("credential", r"\b[tu]-[\w.-]{24,}", 0),
        ("credential", r"\b\d{8,10}:[A-Za-z0-9_-]{35}\b", 0),
        ("credential", r"https?://\S+/(?:open-apis/bot/v2/hook|services)/[\w/-]{8,}", 0),
        ("credential", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@\S*", re.I),
        ("credential", r"\b(?:Bearer|Basic)\s+[\w.~+/=-]{12,}", re.I),
        (
            "credential",
            r"(?:pass(?:word|wd|phrase)?|secret|token|api[_ -]?key|access[_ -]?key|credential|"
            r"private[_ -]?key|密码|口令|密钥|令牌)[\"']?\s*(?:[:=]|=>|是|为)\s*[\"']?"
            r"(?!\s)[^\s\"',;，。；]{6,}",
            re.I,
        ),
        # Absolute paths of three systems.
        ("path", rf"(?<![\w.:/])/(?:{_ROOTS})(?:/{_WORD}*)+", 0),
        ("path", rf"(?<!\w)~[\w-]*/{_WORD}+", 0),
        ("path", rf"\bfile://{_WORD}+", re.I),
        ("path", rf"(?<!\w)[A-Za-z]:[\\/](?![/\s]){_WORD}*", 0),
        ("path", rf"(?<!\\)\\\\[\w.$-]+\\{_WORD}+", 0),
        # People.
        ("email", r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+", 0),
        ("phone", r"(?<![\w.])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){6,11}(?!\w)", 0),
        ("phone", r"(?<![\w.-])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\w-])", 0),
        ("phone", r"(?<![\w.])\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}(?!\w)", 0),
        ("phone", r"(?<![\w.-])\d{3}[ .-]\d{3}[ .-]\d{4}(?![\w.-])", 0),
        # Private machines.
        (
            "host",
            r"(?<![\w.])(?:10|127)(?:\.\d{1,3}){3}(?![\w])(?::\d+)?(?:/\S*)?"
            r"|(?<![\w.])(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}"
            r"(?!\w)(?::\d+)?(?:/\S*)?",
            0,
        ),
        ("host", r"(?<![\w:])(?:f[cd][0-9a-f]{2}|fe80)(?::[0-9a-f]{0,4}){2,7}", re.I),
        ("host", r"(?:\b[a-z]+://)?\blocalhost:\d+(?:/\S*)?|\[?::1\]?(?::\d+)", re.I),
        (
            "host",
            r"(?:\b[a-z][a-z0-9+.-]*://)?\b(?:[a-z0-9-]+\.)+"
            r"(?:local|internal|intranet|corp|lan|localdomain|home\.arpa|svc)\b(?::\d+)?(?:/\S*)?",
            re.I,
        ),
    )
)
LONG_WORD: Final = re.compile(r"(?<![\w/+=-])[A-Za-z0-9+_=-]{32,}(?![\w/+=-])")
HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
COMMIT_LENGTHS: Final = {40, 64}
BITS_PER_CHARACTER: Final = 3.8
CACHED_LENGTH: Final = 1_000
Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Scrubbed:
    text: str
    kinds: tuple[str, ...]  # what was withheld, once per place


def scrub(text: str, mark: Callable[[str], str]) -> Scrubbed:
    """The text with everything private replaced by `mark(kind)`."""
    found = _find_again(text) if len(text) <= CACHED_LENGTH else _find(text)
    if not found:
        return Scrubbed(text, ())
    parts: list[str] = []
    position = 0
    for first, last, kind in found:
        parts += [text[position:first], mark(kind)]
        position = last
    parts.append(text[position:])
    return Scrubbed("".join(parts), tuple(kind for _start, _end, kind in found))


def _find(text: str) -> tuple[Span, ...]:
    """Where in the original something private stands."""
    shadow, origin = _shadow(text)
    found = _merge(_spans(shadow))
    return tuple((origin[start], origin[end - 1] + 1, kind) for start, end, kind in found)


# A board is rendered whole on each change, and nearly all of its texts are the same as before.
_find_again = lru_cache(maxsize=32_768)(_find)


def _shadow(text: str) -> tuple[str, list[int]]:
    """The text as a reader sees it, and for each of its characters the place in the original."""
    if text.isascii():
        return text, list(range(len(text)))
    characters: list[str] = []
    origin: list[int] = []
    for position, character in enumerate(text):
        if unicodedata.category(character) == "Cf":
            continue
        for part in unicodedata.normalize("NFKC", character):
            characters.append(part)
            origin.append(position)
    return "".join(characters), origin


def _spans(shadow: str) -> Iterable[Span]:
    for kind, pattern in PATTERNS:
        for found in pattern.finditer(shadow):
            if found.end() > found.start():
                yield found.start(), found.end(), kind
    for found in LONG_WORD.finditer(shadow):
        if _looks_random(found.group()):
            yield found.start(), found.end(), "credential"


def _looks_random(word: str) -> bool:
    """A long word of unknown shape; digests of commits and files are spared."""
    if HEX.fullmatch(word):
        return len(word) not in COMMIT_LENGTHS and any(c.isdigit() for c in word)
    kinds = (any(c.isdigit() for c in word), any(c.isupper() for c in word))
    if not all(kinds) or not any(c.islower() for c in word):
        return False
    counts = Counter(word)
    bits = -sum(n / len(word) * math.log2(n / len(word)) for n in counts.values())
    return bits >= BITS_PER_CHARACTER


def _merge(spans: Iterable[Span]) -> list[Span]:
    """Overlapping finds become one, named after the one that starts first."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    return merged
