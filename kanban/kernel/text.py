"""Words as they may enter the state, and which questions are too vague to put to a person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from kanban.kernel.errors import Invalid, invalid

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


# Words that only say that somebody waits or should agree, in the languages people use here.
# A question made of nothing else names nothing to decide.
_EMPTY_WORDS = frozenset(
    """
    a an and any approval approve approved are ask asking await awaiting be blocked by
    can clarify check confirm confirmation confirmed continue could decide decision do
    feedback for from further give go going goal guidance has have help hello hi human i
    if in input instructions is it its just kindly know let me must my need needed needs
    next not of ok okay on operator or our owner pending permission person please
    proceed question questions ready request required requires response review reviewed
    shall should sign signoff off somebody someone something stuck task team that the
    then there this to todo too unsure up user verify wait waiting we what when whether
    who will with work would yes no you your ждем ждём жду ожидаем ожидание ответ ответа
    владельца владелец решение решения подтвердите подтверждение пожалуйста нужно нужен
    нужна одобрение согласование можно ли продолжать да нет bitte bestätigen warten
    warte auf freigabe besitzer weiter soll ich wir wirklich por favor confirmar
    esperando aprobación dueño continuar merci confirmer attente validation
    """.split()
)
_EMPTY_HAN = re.compile(
    r"(等待|等候|请|麻烦|确认|负责人|所有者|用户|老板|审批|批准|同意|回复|决定|一下|是否|可以|继续|需要|"
    r"需|待|吗|呢|么|您|你|我|我们|的|了|人工|处理|审核|意见|指示|反馈|帮忙|看|好|在|中|"
    r"確認|お願い|します|してください|待ち|承認|オーナー|ください)"
)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
HINT = (
    "Ask for one decision: name the thing to decide and give two or more options, each with what "
    "it would lead to, or allow free text."
)


def refuse_vague(question: str, labels: Iterable[str], *, free_text: bool) -> None:
    """Raises `vague_question` unless a person could decide by reading the question alone."""
    if not names_a_subject(question):
        raise Invalid(
            "vague_question", f"{question.strip()[:120]!r} names nothing to decide.", HINT
        )
    options = list(labels)
    if any(not label.strip() for label in options):
        raise Invalid("vague_question", "An option has no label.", HINT)
    if len(options) < 2 and not free_text:
        raise Invalid(
            "vague_question",
            f"There {'is one option' if options else 'are no options'} and no free text.",
            HINT,
        )


def names_a_subject(question: str) -> bool:
    """Whether at least one word remains once waiting, asking and agreeing are taken away."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    if len(_WORD.findall(folded)) < 2 and len(_HAN.findall(folded)) < 4:
        return False
    remaining = _EMPTY_HAN.sub(" ", folded)
    return any(
        (len(word) > 1 or _HAN.match(word)) and word not in _EMPTY_WORDS
        for word in _WORD.findall(remaining)
    )
