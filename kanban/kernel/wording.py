"""What a gate may say and hold up: the fields of a question in their stored form."""

from __future__ import annotations

from typing import Any

from kanban.kernel import text
from kanban.kernel.draft import Draft
from kanban.kernel.errors import NotAllowed, invalid
from kanban.kernel.limits import (
    DEFAULT_ANSWER_AFTER,
    REMIND_DEFAULT_SECONDS,
    REMIND_MIN_SECONDS,
    SPAN_MAX_SECONDS,
)
from kanban.kernel.vague import refuse_vague

KINDS = tuple(
    "direction write_scope resource production publish private_read risk closure other".split()
)
# Only these may be answered by a declared default when time runs out.
LOW_STAKES = ("direction", "resource")
WORDING = """
    question label why fallback options free_text kind decision_scope suggested_option
    remind_after_seconds expire_at default_option on_reject
    """.split()


def parse_wording(draft: Draft, given: dict[str, Any]) -> dict[str, Any]:
    """What a question says, checked: words, options, kind, scope, reminders and expiry."""
    question = text.clean(given.get("question", ""), "question", limit=text.QUESTION_LIMIT).strip()
    options = tuple(_option(option) for option in given.get("options", ()))
    free_text = bool(given.get("free_text", False))
    labels = [option["label"] for option in options]
    refuse_vague(question, labels, free_text=free_text)
    keys = [option["key"] for option in options]
    if len({*keys}) != len(keys) or not all(text.is_visible(key) for key in keys):
        raise invalid("Each option needs a key of its own.", fields=["options"])
    if len({*labels}) != len(labels):
        raise invalid("Two options read the same.", fields=["options"])
    kind = given.get("kind", "other")
    if kind not in KINDS:
        raise invalid(f"gate kind {kind!r} is none of {', '.join(KINDS)}.", fields=["kind"])
    for name in ("suggested_option", "default_option"):
        if (key := given.get(name, "")) and key not in keys:
            raise invalid(f"{name}: {key!r} is no option.", fields=[name])
    return {
        "question": text.plainly_read(question, "question"),
        "label": text.title(given["label"], "label", limit=60) if given.get("label") else "",
        "why": text.body(given.get("why", ""), "why"),
        "kind": kind,
        "decision_scope": parse_decision_scope(given.get("decision_scope", "")),
        "options": options,
        "suggested_option": given.get("suggested_option", ""),
        "free_text": free_text,
        "fallback": text.note(given.get("fallback", ""), "fallback"),
        "remind_after_seconds": _remind(given.get("remind_after_seconds")),
        "on_reject": _on_reject(given.get("on_reject", "block")),
        **_expiry(draft, kind, given),
    }


def _option(given: dict[str, Any]) -> dict[str, str]:
    label = text.clean(str(given.get("label", "")), "label", limit=200).strip()
    consequence = text.note(str(given.get("consequence", "")), "consequence")
    return {
        "key": text.clean(str(given.get("key", "")), "key", limit=100).strip(),
        "label": text.plainly_read(label, "label"),
        "consequence": text.plainly_read(consequence, "consequence"),
    }


def parse_decision_scope(value: str) -> str:
    """A scope as `kind:subject`, in the form in which todos and gates are compared."""
    value = text.plainly_read(
        text.clean(value, "decision_scope", limit=200).strip(), "decision_scope"
    )
    kind, colon, subject = value.partition(":")
    if value and not (kind in KINDS and colon and subject.strip()):
        raise invalid(
            f"decision scope {value!r} is not kind:subject.",
            "Such as publish:pypi/loopx.",
            fields=["decision_scope"],
        )
    return value


def _remind(seconds: int | None) -> int:
    value = REMIND_DEFAULT_SECONDS if seconds is None else seconds
    if not REMIND_MIN_SECONDS <= value <= SPAN_MAX_SECONDS:
        raise invalid(
            "remind_after_seconds lies between 60 and ten years.", fields=["remind_after_seconds"]
        )
    return value


def _on_reject(value: str) -> str:
    if value not in ("block", "drop"):
        raise invalid("on_reject is block or drop.", fields=["on_reject"])
    return value


def _expiry(draft: Draft, kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """A deadline never counts as a yes; a default only for low stakes and after a day."""
    expire_at, default = given.get("expire_at"), given.get("default_option", "")
    if expire_at is not None and expire_at <= draft.now:
        raise invalid("expire_at lies in the past.", fields=["expire_at"])
    if default:
        scoped = given.get("decision_scope", "").partition(":")[0]
        for stakes in (kind, scoped or kind):
            if stakes not in LOW_STAKES:
                raise invalid(
                    f"A {stakes} question can have no default.", fields=["default_option"]
                )
        if expire_at is None or expire_at < draft.now + DEFAULT_ANSWER_AFTER:
            raise invalid(
                "A default needs expire_at at least 24 h ahead.", fields=["default_option"]
            )
    return {"expire_at": expire_at, "default_option": default}


def parse_coverage(draft: Draft, blocks: dict[str, Any]) -> dict[str, Any]:
    """What a question holds up: the goal, one agent (an agent only itself), named todos."""
    agent, todos = blocks.get("agent") or "", tuple(dict.fromkeys(blocks.get("todos") or ()))
    for ref in todos:
        if ref not in draft.state.todos:
            raise invalid(f"blocks: there is no todo {ref!r}.", fields=["blocks"])
    if agent and agent not in draft.state.members:
        raise invalid(f"blocks: {agent!r} is not an agent here.", fields=["blocks"])
    if draft.actor.is_agent and agent not in ("", draft.actor.name):
        raise NotAllowed("not_owner", "An agent may block only itself by `agent`.")
    return {
        "blocks_goal": bool(blocks.get("goal", False)),
        "blocks_agent": agent,
        "blocks_todos": todos,
    }
