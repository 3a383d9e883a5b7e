"""Answers as lines for a terminal or a prompt. Pure: the JSON in, text out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

JSON = dict[str, Any]
Words = Callable[[JSON], str]


def decision_words(board: str) -> Words:
    """`board` is this server's address, for links to the questions."""

    def words(body: JSON) -> str:
        return "\n".join(_decision(body, board))

    return words


def turn_words(body: JSON) -> str:
    """A begun turn: its packet."""
    about = body["todo"] or (body["gap"] or "").partition(":")[0]
    head = f"Turn {body['id']} on {about}, epoch {body['epoch']}, until {_time(body['ends_by'])}"
    lines = [f"{head}; the lease ends {_time(body['lease_until'])}."]
    return "\n".join([*lines, "", packet_words(body["packet"])] if "packet" in body else lines)


def finished_words(board: str) -> Words:
    def words(body: JSON) -> str:
        receipt = body["receipt"]
        already = " (written before)" if receipt["replayed"] else ""
        lines = [f"Written{already}: {body['turn']['result']}, version {receipt['version']}."]
        lines += [todo_words(body["todo"])] if body["todo"] else []
        return "\n".join([*lines, "", *_decision(body["decision"], board)])

    return words


def todo_words(body: JSON) -> str:
    owner = body["owner"]
    held = ""
    if owner:
        until = f" until {_time(owner['lease_until'])}" if owner["lease_until"] else ""
        held = f"; {owner['agent']} holds it{until}, epoch {owner['epoch']}"
    lane = body["lane"].replace("_", " ")
    return f"{body['ref']} {body['priority']} {body['title']} · {lane}{held}"


def packet_words(body: JSON) -> str:
    return "\n".join(_packet(body)).strip()


def _decision(body: JSON, board: str) -> Iterator[str]:
    outcome = "stop" if body["stop"] else body["outcome"]
    yield f"{outcome} · {body['reason']}"
    yield body["explanation"]
    for question in body["questions"]:
        yield f"{question['tag']}  {question['question']}"
        for option in question["options"]:
            yield f"  {option['key']:<9} {option['label']}"
        noun = "gates" if question["ref"].startswith("G") else "todos"
        yield f"Answer on the board: {board}/goals/{body['goal']}/{noun}/{question['ref']}"
    if body["also_asking"]:
        yield f"Also asking: {', '.join(item['tag'] for item in body['also_asking'])}"
    yield from (_answered(answer) for answer in body["answers"])
    yield from (_notice(notice) for notice in body["notices"])
    yield from _following(body)
    yield from (_step(step) for step in body.get("trace", ()))


def _following(body: JSON) -> Iterator[str]:
    if body["turn"]:
        yield "Next: go on with the turn you hold (`loopx turn begin` gives it back)."
    elif body["spend"]["allowed"]:
        selected = f" --todo {body['selected']}" if body["selected"] else ""
        yield f"Next: loopx turn begin{selected}"
    elif not body["stop"]:
        yield f"Next check in {body['next_check_seconds']} s."


def _answered(answer: JSON) -> str:
    said = answer.get("label") or answer.get("option") or answer.get("outcome")
    text = f" — {answer['text']}" if answer.get("text") else ""
    return f"{answer['ref']} was answered: {said}{text}"


def _notice(notice: JSON) -> str:
    about = notice["todo"] or "a gap"
    return f"Note: {notice['kind'].replace('_', ' ')} on {about}: {notice['why']}"


def _step(step: JSON) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in step["facts"].items() if value)
    return f"{step['number']:>2}  {step['result']:<11}  {step['rule']}" + (
        f"  ({facts})" if facts else ""
    )


def _packet(body: JSON) -> Iterator[str]:
    goal, decision = body["goal"], body["decision"]
    yield f"Goal {goal['slug']}: {goal['title']} [{goal['status']}]"
    yield goal["objective"]
    for criterion in goal["acceptance"]:
        yield f"  {criterion['ref']} {criterion['text']} [{criterion['state']}]"
    yield f"Decision for {body['agent']}: {decision['outcome']} · {decision['reason']}"
    yield decision["explanation"]
    if body["turn"]:
        yield f"Turn {body['turn']['id']}, epoch {body['turn']['epoch']}"
    if todo := body["todo"]:
        yield f"Todo {todo['ref']} {todo['priority']} {todo['title']} [{todo['status']}]"
        yield from (todo[name] for name in ("body", "target", "status_reason") if todo.get(name))
        if todo.get("acceptance_check"):
            yield f"Done when this exits 0: {todo['acceptance_check']}"
    if gap := body["gap"]:
        yield f"Gap: {gap['fact']}"
    yield from (_answered(answer) for answer in body["answers"])
    boundary = body["boundary"]
    yield f"Boundary: {boundary['note']}"
    yield from (f"  write {scope}" for scope in boundary["write_scope"])
    yield from (f"  not {line}" for line in boundary["non_goals"])
    for item in body["evidence"]:
        state = "fresh" if item["fresh"] else "stale"
        yield f"Evidence {item['ref']} {item['verdict']}: {item['summary']} [{state}]"
    yield from (_notice(notice) for notice in body["notices"])
    yield from ("Next:", *(f"  {command}" for command in body["next"]))


def _time(value: str | None) -> str:
    return f"{value[:19]}Z" if value else "?"
