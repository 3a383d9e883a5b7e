"""The fields of a todo, from the contract's form into the stored one, each checked."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from kanban.kernel import scopes, text
from kanban.kernel.conditions import parse_condition, refuse_cycle
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Invalid, invalid
from kanban.kernel.frontier import member_of
from kanban.kernel.limits import SPAN_MAX_SECONDS
from kanban.kernel.wording import parse_decision_scope

KINDS = ("advancement", "monitor", "user_action")
CADENCE_MIN = 60
# What stays a matter of its own operator (conditions, claims) or is said once (kind) is not here.
UPDATABLE = frozenset(
    """
    title body priority required_capabilities required_write_scopes decision_scopes depends_on
    bound_agent excluded_agents due acceptance_check keep_true waits_for
    """.split()
)


def parse_fields(draft: Draft, given: dict[str, Any], ref: str) -> dict[str, Any]:
    """The stored form of the fields that were given, each checked."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name == "monitor":
            made |= _monitor(draft, value)
        elif name == "resume_when" and value is not None:
            made[name] = parse_condition(draft.state, value, draft.now)
            made["status"] = "deferred"
        else:
            made[name] = _field(draft, name, value)
    if made.get("kind") == "monitor" and "cadence_seconds" not in made:
        raise invalid("A monitor needs target and cadence_seconds.", fields=["monitor"])
    needs = [*made.get("depends_on", ())]
    condition = made.get("resume_when")
    if condition and condition["type"] == "todo_done":
        needs.append(condition["ref"])
    refuse_cycle(draft.state, ref, needs)
    return made


def _field(draft: Draft, name: str, value: Any) -> Any:
    match name:
        case "title":
            return text.title(value)
        case "body":
            return text.body(value)
        case "acceptance_check":
            return text.note(value, name)
        case "kind":
            if value not in KINDS:
                raise invalid(f"kind {value!r} is none of {', '.join(KINDS)}.", fields=["kind"])
            return value
        case "priority":
            return parse_priority(value)
        case "required_write_scopes":
            return scopes.parse(value, name)
        case "decision_scopes":
            return tuple(dict.fromkeys(parse_decision_scope(entry) for entry in value if entry))
        case "required_capabilities":
            return tuple(dict.fromkeys(text.title(entry, name, limit=200) for entry in value))
        case "depends_on":
            for ref in value:
                draft.todo(ref)
            return tuple(dict.fromkeys(value))
        case "excluded_agents":
            return tuple(dict.fromkeys(_agent(draft, name, entry) for entry in value))
        case "bound_agent":
            return _member(draft, name, value) if value else ""
        case "waits_for":
            return text.title(value, name, limit=150) if value else ""
        case "due":
            if value is not None and not isinstance(value, date):
                raise invalid("due is a date.", fields=["due"])
            return value
        case "keep_true":
            return bool(value)
        case "resume_when":
            return None
    raise Invalid("unknown_field", f"A todo has no field {name!r}.", fields=[name])


def _agent(draft: Draft, name: str, agent: str) -> str:
    if agent not in draft.state.members:
        raise invalid(f"{name}: {agent!r} is not an agent of this goal.", fields=[name])
    return agent


def _member(draft: Draft, name: str, agent: str) -> str:
    """Somebody who may still act; an exclusion may also name one that has left."""
    if member_of(draft.state, agent) is None:
        raise invalid(f"{name}: {agent!r} is not an agent of this goal.", fields=[name])
    return agent


def parse_priority(value: Any) -> int:
    text_value = str(value).removeprefix("P")
    if text_value not in ("0", "1", "2", "3"):
        raise invalid(f"priority {value!r} is none of P0 to P3.", fields=["priority"])
    return int(text_value)


def _monitor(draft: Draft, given: dict[str, Any]) -> dict[str, Any]:
    cadence = given.get("cadence_seconds")
    if not isinstance(cadence, int) or not CADENCE_MIN <= cadence <= SPAN_MAX_SECONDS:
        raise invalid("cadence_seconds lies between 60 and ten years.", fields=["monitor"])
    first: datetime = given.get("next_due_at") or draft.now
    return {
        "target": text.title(given.get("target", ""), "target", limit=2_000),
        "cadence_seconds": cadence,
        "next_due_at": first,
        "expires_at": given.get("expires_at"),
    }
