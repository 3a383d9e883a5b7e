"""Objects of the API as lines for a terminal. Pure: data in, text out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]


def decision(data: Json, board: str = "") -> str:
    """First line: what to obey. Then why, what it is about, and what comes next.

    `board` is the server's address, for links to the questions.
    """
    lines = [headline(data), str(data.get("explanation") or "")]
    if data.get("gap"):
        lines.append(f"  Gap: {gap(data['gap'])}")
    pages = f"{board}/goals/{data.get('goal')}" if board else ""
    lines += [line for item in data.get("questions") or [] for line in question(item, pages)]
    lines += [f"  Also asking: {refs(data['also_asking'])}"] if data.get("also_asking") else []
    lines += [f"  {answered(item)}" for item in data.get("answers") or []]
    lines += [f"  Note: {notice(item)}" for item in data.get("notices") or []]
    if data.get("outcome") in {"deliver", "self_repair"}:
        lines.append(_next_step(data))
    elif not data.get("stop"):
        lines.append(_again(data))
    lines += [f"  {trace_line(step)}" for step in data.get("trace") or []]
    return "\n".join(line for line in lines if line)


def headline(data: Json) -> str:
    outcome = "stop" if data.get("stop") else data.get("outcome", "?")
    return f"{outcome} · {data.get('reason', '')}"


def _next_step(data: Json) -> str:
    if data.get("turn"):
        return "Next: go on with the turn you hold (`loopx turn begin` gives it back)."
    selected = data.get("selected")
    ref = selected.get("ref") if isinstance(selected, dict) else selected
    return f"Next: loopx turn begin{f' --todo {ref}' if ref else ''}"


def _again(data: Json) -> str:
    seconds = data.get("next_check_seconds")
    if data.get("wake_at"):
        return f"Look again at {moment(data['wake_at'])}."
    return f"Look again in {duration(seconds)}." if seconds else ""


def gap(data: Any) -> str:
    if not isinstance(data, dict):
        return inline(data)
    return f"{data.get('code', '')} {data.get('subject', '')}".strip().replace("_", " ")


def question(item: Json, pages: str = "") -> list[str]:
    lines = [f"  {item.get('tag') or item.get('ref', '')}  {item.get('question', '')}"]
    for option in item.get("options") or []:
        lines.append(f"      {line_of_part(option)}")
    if pages:
        kind = "gates" if str(item.get("ref", "")).startswith("G") else "todos"
        lines.append(f"      {pages}/{kind}/{item.get('ref', '')}")
    return lines


def answered(item: Json) -> str:
    said = item.get("text") or item.get("label") or item.get("option") or item.get("outcome")
    by = f" ({item['answered_by']})" if item.get("answered_by") else ""
    return f"{item.get('ref', '')} was answered: {inline(said)}{by}"


def notice(item: Any) -> str:
    if not isinstance(item, dict):
        return inline(item)
    if "kind" in item and "why" in item:
        return f"{item['kind'].replace('_', ' ')} on {item.get('todo') or 'a gap'}: {item['why']}"
    return str(item.get("text") or inline({n: v for n, v in item.items() if n != "id"}))


def refs(items: Sequence[Any]) -> str:
    return ", ".join(str(i.get("ref", "")) if isinstance(i, dict) else str(i) for i in items)


def trace_line(step: Json) -> str:
    known = inline({n: v for n, v in (step.get("facts") or {}).items() if v not in (None, "", [])})
    head = f"{step.get('number', ''):>2}  {step.get('result', ''):<11}  {step.get('rule', '')}"
    return f"{head}  ({known})" if known else head


def settled(data: Json) -> str:
    """What `turn finish` wrote, and the next decision."""
    receipt = data.get("receipt") or {}
    done = data.get("turn") or {}
    replayed = " (already written before)" if receipt.get("replayed") else ""
    lines = [f"Written{replayed}: {done.get('result') or 'finished'}."]
    if isinstance(data.get("todo"), dict):
        lines.append(f"  {todo_line(data['todo'])}")
    lines += [f"  Note: {notice(item)}" for item in data.get("notices") or []]
    if data.get("decision"):
        lines += ["", decision(data["decision"])]
    return "\n".join(lines)


def todo_line(data: Json) -> str:
    extra = [str(data.get("lane") or data.get("status") or "").replace("_", " ")]
    owner = data.get("owner")
    if isinstance(owner, dict):
        until = owner.get("lease_until")
        stale = ", stale" if owner.get("stale") else ""
        extra.append(f"{owner.get('agent')}{f' until {moment(until)}' if until else ''}{stale}")
    waits = data.get("waits_for")
    if waits and not owner:
        extra.append(f"waits for {inline(waits)}")
    tail = " · ".join(part for part in extra if part)
    return f"{data.get('ref', '')}  {priority(data)} {data.get('title', '')}" + (
        f"  [{tail}]" if tail else ""
    )


def priority(data: Json) -> str:
    value = data.get("priority")
    return "" if value is None else f"P{value}" if isinstance(value, int) else str(value)


def gate_line(data: Json) -> str:
    answer = data.get("answer")
    said = ""
    if isinstance(answer, dict):
        said = f" → {answer.get('label') or answer.get('text') or answer.get('outcome')}"
    holds = inline(data.get("holds_up") or "")
    held = f"; holds up {holds}" if holds else ""
    return f"{data.get('ref', '')}  {data.get('question', '')}  [{data.get('status')}{said}{held}]"


def evidence_line(data: Json) -> str:
    state = "invalid" if data.get("invalidated") else "fresh" if data.get("fresh") else "stale"
    supports = inline(data.get("supports") or "")
    about = f" {supports}" if supports else ""
    return (
        f"{data.get('ref', '')}  {data.get('kind', '')} {data.get('verdict', '')}{about}: "
        f"{data.get('summary', '')}  [{state}]"
    )


def goal_line(data: Json) -> str:
    return f"{data.get('slug', '')}  {data.get('title', '')}  [{data.get('status', '')}]"


def agent_line(data: Json) -> str:
    skills = inline(data.get("capabilities") or "")
    tail = f"; {skills}" if skills else ""
    return f"{data['name']}  {data.get('host_kind', '')}  [{data.get('work_mode', '')}{tail}]"


def event_line(data: Json) -> str:
    subject = inline(data.get("subject") or "")
    when = moment(data.get("at") or data.get("time"))
    what, who = data.get("kind", ""), inline(data.get("actor"))
    return f"{data.get('version', ''):>5}  {when}  {what}  {subject}  by {who}"


def listing(items: Sequence[Any], line: Callable[[Any], str], empty: str = "None.") -> str:
    return "\n".join(line(item) for item in items) if items else empty


def table(rows: Iterable[tuple[str, Any]]) -> str:
    """Names and values in two columns; a list of objects takes a line for each."""
    found: list[tuple[str, str]] = []
    for name, value in rows:
        several = isinstance(value, list) and value and isinstance(value[0], dict)
        lines = [line_of_part(item) for item in value] if several else [inline(value)]
        titles = [name.replace("_", " "), *[""] * (len(lines) - 1)]
        found += zip(titles, lines, strict=True)
    width = max((len(name) for name, _ in found), default=0)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in found)


def line_of_part(item: Json) -> str:
    """An option, a criterion or a member, inside the card of its gate or goal."""
    if "label" in item:
        consequence = f": {item['consequence']}" if item.get("consequence") else ""
        return f"{item.get('key', '')} = {item['label']}{consequence}"
    if "text" in item and "ref" in item:
        return f"{item['ref']}  {item['text']}  [{item.get('state', '')}]"
    if "agent" in item and "work_mode" in item:
        return f"{item['agent']}  {item.get('host_kind', '')}  [{item['work_mode']}]"
    return inline(item)


def inline(value: Any) -> str:
    """One value on one line."""
    if isinstance(value, dict):
        leading = next((value[name] for name in ("text", "explanation") if value.get(name)), None)
        if leading and len(value) <= 2:
            return str(leading)
        return ", ".join(
            f"{n.replace('_', ' ')} {inline(v)}"
            for n, v in value.items()
            if v not in (None, "", [], {})
        )
    if isinstance(value, list | tuple):
        return ", ".join(inline(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return moment(value) if _looks_like_time(value) else " ".join(str(value).split())


def _looks_like_time(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= 20 and value[10:11] == "T" and value[4] == "-"


def moment(value: Any, now: datetime | None = None) -> str:
    """An instant in the reader's own time; today only the hour."""
    try:
        at = datetime.fromisoformat(str(value).replace("Z", "+00:00")).astimezone()
    except ValueError:
        return str(value)
    today = (now or datetime.now(UTC)).astimezone().date()
    return at.strftime("%H:%M" if at.date() == today else "%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{int(seconds)} s"
    return f"{int(seconds // 60)} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
