"""The decision in words: what each rule asks, why it decided, what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext as _

from kanban.queries.why import Why


def rule_question(rule: str) -> str:
    return {
        "goal_is_active": _("Is the goal active?"),
        "agent_may_act": _("May the agent act now?"),
        "state_is_sound": _("Are the records sound?"),
        "human_judgment": _("Does a person have to decide first?"),
        "unfinished_turn": _("Is a turn unfinished?"),
        "quota_has_room": _("Is there quota?"),
        "repair_owed": _("Does the agent owe a repair first?"),
        "due_monitor": _("Is a check due?"),
        "frontier": _("Is there work it can do?"),
        "gap_to_repair": _("Is something missing that nobody works on?"),
        "move_of_others": _("Is it someone else’s move?"),
    }.get(rule, rule)


def fact_words(facts: Mapping[str, Any]) -> str:
    """What a rule looked at, for the facts that mean something to a reader."""
    said = [words for name, value in facts.items() if (words := _fact(name, value))]
    return " · ".join(said)


def _fact(name: str, value: Any) -> str:
    refs = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if name == "goal" and isinstance(value, dict):
        return _("{spent} of {allowed} slots spent, {reserved} held").format(**value)
    if not value:
        return {
            "findings": _("nothing found"),
            "questions": _("no question covers all it could do"),
            "turn": _("none"),
        }.get(name, "")
    return {
        "status": _("it is active"),
        "questions": _("questions: {refs}").format(refs=refs),
        "could_do": _("could do: {refs}").format(refs=refs),
        "findings": refs,
    }.get(name, "")


def why_headline(why: Why) -> str:
    said = {
        "deliver": _("{agent} may work"),
        "self_repair": _("{agent} may put something right"),
        "ask": _("{agent} is told to ask a person"),
        "wait": _("{agent} is told to wait"),
        "quiet": _("{agent} is told to rest"),
    }[why.outcome]
    return format_html(said, agent=why.agent)


def reason_short(reason: str) -> str:
    return _REASONS[reason][0]() if reason in _REASONS else reason


def reason_words(reason: str) -> str:
    return _REASONS[reason][1]() if reason in _REASONS else reason


def remedy_words(reason: str) -> str:
    return _REASONS[reason][2]() if reason in _REASONS else "–"


# reason: a few words for a list, a sentence, and what would change it.
_REASONS = {
    "goal_paused": (
        lambda: _("the goal is paused"),
        lambda: _("The goal is paused. Nothing begins meanwhile."),
        lambda: _("A person resumes the goal."),
    ),
    "goal_stopped": (
        lambda: _("the goal is stopped"),
        lambda: _("The goal is stopped."),
        lambda: _("A person resumes the goal."),
    ),
    "goal_closed": (
        lambda: _("the goal is closed"),
        lambda: _("The goal is closed. Closing is final."),
        lambda: _("Start a new goal that follows this one."),
    ),
    "agent_paused": (
        lambda: _("the agent is paused"),
        lambda: _("The agent is paused."),
        lambda: _("A person lets the agent go on."),
    ),
    "agent_limited": (
        lambda: _("its provider’s limit is reached"),
        lambda: _("The agent reported its provider’s limit."),
        lambda: _("It goes on by itself when the limit ends."),
    ),
    "outside_active_hours": (
        lambda: _("outside its hours"),
        lambda: _("It is outside the hours in which agents may work."),
        lambda: _("It goes on by itself when the hours begin."),
    ),
    "health_blocked": (
        lambda: _("the records need a look"),
        lambda: _("A check of the records found something wrong."),
        lambda: _("Run “loopx doctor --deep”; it names the remedy."),
    ),
    "gate_open": (
        lambda: _("waits for your answer"),
        lambda: _("A question to a person is open, and it covers all this agent could do."),
        lambda: _("Answer the question. The agent goes on within seconds."),
    ),
    "awaiting_answer": (
        lambda: _("waits for your answer"),
        lambda: _("The agent has put its question to a person and waits for the answer."),
        lambda: _("Answer the question. The agent goes on within seconds."),
    ),
    "resume_turn": (
        lambda: _("at work"),
        lambda: _("It has begun a turn and may finish it."),
        lambda: _("Nothing has to change."),
    ),
    "quota_paused": (
        lambda: _("quota is set to none"),
        lambda: _("The goal’s share of quota is zero, so nothing begins."),
        lambda: _("Raise the share in the quota policy."),
    ),
    "quota_exhausted": (
        lambda: _("quota is used up"),
        lambda: _("All slots of this window are spent or held."),
        lambda: _("Wait until the window moves on, or raise the share."),
    ),
    "token_budget_exhausted": (
        lambda: _("tokens are used up"),
        lambda: _("The tokens of this window are spent."),
        lambda: _("Wait until the window moves on, or raise the budget."),
    ),
    "cost_budget_exhausted": (
        lambda: _("money is used up"),
        lambda: _("The money of this window is spent."),
        lambda: _("Wait until the window moves on, or raise the budget."),
    ),
    "needs_info": (
        lambda: _("makes a question clearer"),
        lambda: _("A person asked back; the agent makes its question clearer first."),
        lambda: _("Nothing has to change."),
    ),
    "stalled": (
        lambda: _("looks for a way out"),
        lambda: _("Its last turns brought no progress, so it looks for a way out first."),
        lambda: _("Nothing has to change; a comment on the card may help it."),
    ),
    "surface_streak": (
        lambda: _("has to show results"),
        lambda: _("Its last turns changed only the surface, so it looks for real progress first."),
        lambda: _("Nothing has to change."),
    ),
    "monitor_due": (
        lambda: _("has something to look at"),
        lambda: _("A watch is due."),
        lambda: _("Nothing has to change."),
    ),
    "work_ready": (
        lambda: _("may start work"),
        lambda: _("There is work it can begin now."),
        lambda: _("Nothing has to change. If it does not start, look whether it still runs."),
    ),
    "review_ready": (
        lambda: _("may check finished work"),
        lambda: _("Another agent’s result waits for a check."),
        lambda: _("Nothing has to change."),
    ),
    "decision_gap": (
        lambda: _("asks for a missing decision"),
        lambda: _("Work needs a decision nobody has asked for yet; the agent asks for it."),
        lambda: _("Nothing has to change."),
    ),
    "acceptance_gap": (
        lambda: _("finds out what is missing"),
        lambda: _(
            "All cards are done but a criterion is not met; the agent proposes what is missing."
        ),
        lambda: _("Nothing has to change."),
    ),
    "person_needed": (
        lambda: _("a person’s move"),
        lambda: _("What is left is for a person: a task, a blocked card or a question."),
        lambda: _("Look at “Needs you” on the board."),
    ),
    "awaiting_person": (
        lambda: _("a person’s move"),
        lambda: _("The agent has said what it needs from a person and waits."),
        lambda: _("Look at “Needs you” on the board."),
    ),
    "peer_owns_work": (
        lambda: _("others hold the work"),
        lambda: _("Other agents hold all the work it could do."),
        lambda: _("It goes on when they finish, or when you add a card."),
    ),
    "peer_repairs": (
        lambda: _("another agent puts it right"),
        lambda: _("Another agent is already putting right what is missing."),
        lambda: _("It goes on when that is done."),
    ),
    "scope_busy": (
        lambda: _("another agent writes there"),
        lambda: _("Another agent writes in the same folders."),
        lambda: _("It goes on when that turn ends."),
    ),
    "dependency": (
        lambda: _("waits for other cards"),
        lambda: _("Its work waits for other cards."),
        lambda: _("It goes on when those are done."),
    ),
    "not_due": (
        lambda: _("nothing due yet"),
        lambda: _("Everything it could do starts later."),
        lambda: _("It goes on by itself at that time."),
    ),
    "no_capability": (
        lambda: _("lacks an ability"),
        lambda: _("The work that is left needs something this agent cannot do."),
        lambda: _("Connect an agent that can, or change the card."),
    ),
    "monitor_only": (
        lambda: _("only watches"),
        lambda: _("The agent only watches, and nothing is due."),
        lambda: _("A person sets it to work."),
    ),
}
