"""The sentences of the board: facts of a card put into the reader's language."""

from __future__ import annotations

from collections.abc import Callable

from django.utils import formats
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kanban.queries.board import Standing
from kanban.queries.card import Chip, Next
from kanban.queries.inbox import Ask, GoalLine, Inbox
from kanban.queries.question import GateCard
from kanban.views.clock_words import duration, moment


def actor_name(actor: str) -> str:
    """ "agent:executor" is shown as executor; the system has the product's name."""
    kind, colon, name = actor.partition(":")
    if not colon:
        return "LoopX" if kind in ("system", "") else kind
    return name


def sentence(step: Next) -> str:
    """Who acts next, in one sentence."""
    return _SENTENCES[step.code](step)


def _waits_gate(step: Next) -> str:
    if step.text:
        return format_html(_("Waits for your answer about {label}."), label=step.text)
    return format_html(_("Waits for your answer to {ref}."), ref=step.ref)


def _you_act(step: Next) -> str:
    if step.day:
        return format_html(
            _("You act next. Due {day}."), day=formats.date_format(step.day, "MONTH_DAY_FORMAT")
        )
    return _("You act next.")


def _refused(step: Next) -> str:
    about = step.text or step.ref
    return format_html(
        _("Stopped by the answer about {label}; only a person frees it."), label=about
    )


def _answered(step: Next) -> str:
    told = step.text or _("your words")
    return format_html(
        _("<strong>You answered: {answer}.</strong> Agents get it in {left}."),
        answer=told,
        left=moment(step.at, "left"),
    )


def _said_no(step: Next) -> str:
    return format_html(
        _("<strong>You said no.</strong> Agents get it in {left}."), left=moment(step.at, "left")
    )


def _asked_back(step: Next) -> str:
    return format_html(
        _("<strong>You asked back.</strong> Agents get it in {left}."), left=moment(step.at, "left")
    )


def _watching(step: Next) -> str:
    looked = format_html(_("Nothing to do. Looks again {point}."), point=moment(step.at, "point"))
    if not step.count:
        return looked
    unchanged = ngettext("Unchanged {n} time.", "Unchanged {n} times.", step.count)
    return format_html("{} {}", looked, unchanged.format(n=step.count))


def _blocked(step: Next) -> str:
    if step.text:
        return format_html(_("Blocked: {reason}"), reason=step.text)
    return _("Blocked until somebody says it may go on.")


_SENTENCES: dict[str, Callable[[Next], str]] = {
    "you_answer": lambda s: _("Waits for your answer."),
    "answered": _answered,
    "said_no": _said_no,
    "asked_back": _asked_back,
    "sent_back": lambda s: format_html(
        _("You asked back. {who} makes it clearer next."), who=actor_name(s.who)
    ),
    "you_act": _you_act,
    "you_review": lambda s: format_html(
        _("You act next: look at what {who} did."), who=s.who or _("the agent")
    ),
    "you_unblock": lambda s: format_html(_("You act next: {reason}"), reason=s.text or "–"),
    "you_unblock_gate": _refused,
    "review": lambda s: format_html(_("{who} is done; another agent checks it next."), who=s.who),
    "working": lambda s: format_html(
        _("{who} is working, {left} left."), who=s.who, left=moment(s.at, "left")
    ),
    "holds": lambda s: format_html(_("{who} acts next; it has taken the card."), who=s.who),
    "silent": lambda s: format_html(
        _("{who} has been silent for {age}. Others may take over."),
        who=s.who,
        age=moment(s.at, "age"),
    ),
    "waits_gate": _waits_gate,
    "waits_card": lambda s: format_html(_("Waits for “{title}”."), title=s.text),
    "waits_evidence": lambda s: format_html(_("Waits for proof of “{text}”."), text=s.text),
    "starts": lambda s: format_html(_("Starts by itself {point}."), point=moment(s.at, "point")),
    "watching": _watching,
    "watch_due": lambda s: _("A look is due; the next free agent takes it."),
    "refused": _refused,
    "blocked": _blocked,
    "no_agent": lambda s: _("Nobody can start: no agent is connected."),
    "nobody_able": lambda s: format_html(
        _("Nobody can start: it needs {what}, and no connected agent has it."), what=s.text
    ),
    "ready_bound": lambda s: format_html(_("{who} acts next."), who=s.who),
    "ready": lambda s: _("The next free agent acts next."),
    "done": lambda s: format_html(_("Done {age} ago."), age=moment(s.at, "age")),
    "dropped": lambda s: format_html(_("Dropped {age} ago."), age=moment(s.at, "age")),
    "superseded": lambda s: format_html(_("Replaced by {ref}."), ref=s.ref or "–"),
}


def chip_words(chip: Chip) -> str:
    return _CHIPS[chip.code](chip)


def _proofs(chip: Chip) -> str:
    return ngettext("{n} proof", "{n} proofs", chip.count).format(n=chip.count)


def _proofs_fresh(chip: Chip) -> str:
    return ngettext("{n} proof, fresh", "{n} proofs, fresh", chip.count).format(n=chip.count)


def _due(chip: Chip) -> str:
    day = formats.date_format(chip.day, "MONTH_DAY_FORMAT") if chip.day else "–"
    return _("due {day}").format(day=day)


_CHIPS: dict[str, Callable[[Chip], str]] = {
    "urgent": lambda c: _("Urgent"),
    "high": lambda c: _("High"),
    "stale": lambda c: _("stale"),
    "due": _due,
    "nobody_able": lambda c: _("nobody able"),
    "no_proof": lambda c: _("no proof yet"),
    "proofs": _proofs,
    "proofs_fresh": _proofs_fresh,
    "proof_expired": lambda c: _("proof expired"),
    "proof_void": lambda c: _("proof withdrawn"),
    "contradicted": lambda c: _("contradicted"),
}


def gate_cost(card: GateCard) -> str:
    waited = format_html(_("waiting {age}"), age=moment(card.since, "age"))
    if not card.holds_up:
        return format_html("{} · {}", waited, _("holds up nothing"))
    held = ngettext("holds up {n} card", "holds up {n} cards", card.holds_up)
    return format_html("{} · {}", waited, held.format(n=card.holds_up))


def idle_words(ask: Ask) -> str:
    names = _(", ").join(ask.idle)
    return ngettext("{names} is idle", "{names} are idle", len(ask.idle)).format(names=names)


def minutes(value: int) -> str:
    return duration(value * 60) if value else _("{n} min").format(n=0)


def questions_and_tasks(questions: int, tasks: int) -> str:
    asked = ngettext("{n} question", "{n} questions", questions).format(n=questions)
    todo = ngettext("{n} task", "{n} tasks", tasks).format(n=tasks)
    if questions and tasks:
        return _("{questions} and {tasks}").format(questions=asked, tasks=todo)
    return asked if questions else todo


def standing(now: Standing) -> str:
    """The sentence above the board."""
    total = now.questions + now.tasks
    if total:
        need = ngettext("{what} needs you", "{what} need you", total)
        what = need.format(what=questions_and_tasks(now.questions, now.tasks))
        first = format_html('<strong class="asks">{}</strong>', what)
    else:
        first = format_html("<strong>{}</strong>", _("Nothing needs you"))
    parts = [first, _agents(now), _criteria(now)]
    if now.status != "active":
        parts.insert(0, format_html("<strong>{}</strong>", goal_status(now.status)))
    return format_html_join(" · ", "{}", ((part,) for part in parts))


def goal_status(status: str) -> str:
    return {
        "active": _("it is active"),
        "paused": _("The goal is paused"),
        "stopped": _("The goal is stopped"),
        "achieved": _("The goal is achieved"),
        "abandoned": _("The goal was given up"),
    }[status]


def _agents(now: Standing) -> str:
    if not now.agents:
        return _("no agent connected")
    told = [ngettext("{n} at work", "{n} at work", now.working).format(n=now.working)]
    if now.waiting_for_you:
        waits = ngettext("{n} waits for you", "{n} wait for you", now.waiting_for_you)
        told.append(waits.format(n=now.waiting_for_you))
    if now.silent:
        told.append(ngettext("{n} silent", "{n} silent", now.silent).format(n=now.silent))
    return _("agents: {list}").format(list=_(", ").join(told))


def _criteria(now: Standing) -> str:
    return _("criteria: {met} of {all} met").format(met=now.met, all=now.criteria)


def goal_words(line: GoalLine) -> str:
    """One goal in a list: what it needs and how far it is."""
    parts = [_agents(line.standing), _criteria(line.standing)]
    if line.standing.status != "active":
        parts.insert(0, goal_status(line.standing.status))
    elif line.needs:
        need = ngettext("{n} needs you", "{n} need you", line.needs)
        parts.insert(0, need.format(n=line.needs))
    return " · ".join(parts)


def inbox_words(inbox: Inbox) -> str:
    if not inbox.asks:
        return _("Nothing waits for you. Agents go on by themselves.")
    what = questions_and_tasks(inbox.questions, inbox.tasks)
    goals = ngettext("{what} in {n} goal.", "{what} in {n} goals.", inbox.goals_asking)
    told = goals.format(what=what, n=inbox.goals_asking)
    if not inbox.cost_minutes:
        return told
    lost = format_html(
        _("Waiting has cost <strong>{time}</strong> of agent time so far."),
        time=minutes(inbox.cost_minutes),
    )
    idle = ngettext("{n} agent is idle.", "{n} agents are idle.", inbox.idle)
    return format_html("{} {} {}", told, lost, idle.format(n=inbox.idle))
