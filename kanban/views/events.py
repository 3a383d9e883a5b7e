"""One line per event of the log, in the reader's language."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from kanban.queries.timeline import Entry


def event_words(entry: Entry) -> str:
    """What the actor did; the actor's name stands before it."""
    if entry.kind not in _KINDS:
        return gettext("recorded a change ({kind})").format(kind=entry.kind)
    said = gettext(_KINDS[entry.kind])
    return format_html(said, what=_what(entry), agent=entry.agent, detail=_detail(entry.detail))


def _detail(detail: str) -> str:
    """A result or outcome in words; an answer stands as the person gave it."""
    return gettext(_DETAILS[detail]) if detail in _DETAILS else detail


def _what(entry: Entry) -> SafeString:
    if not entry.title:
        return format_html("{}", entry.subject)
    return format_html("“{}” <code>{}</code>", entry.title, entry.subject)


_DETAILS = {
    "completed": _("completed"),
    "progress": _("progress"),
    "no_change": _("no change"),
    "failed": _("failed"),
    "blocked": _("blocked"),
    "asked": _("asked a person"),
    "rejected": _("no"),
    "needs_info": _("asked back"),
}
_KINDS = {
    "goal.created": _("created the goal"),
    "goal.updated": _("changed the goal"),
    "goal.paused": _("paused the goal"),
    "goal.resumed": _("resumed the goal"),
    "goal.stopped": _("stopped the goal"),
    "goal.closed": _("closed the goal"),
    "criterion.added": _("added a criterion: {what}"),
    "criterion.updated": _("changed a criterion: {what}"),
    "member.registered": _("registered {agent}"),
    "member.changed": _("changed {agent}"),
    "member.removed": _("removed {agent}"),
    "quota.policy_set": _("changed the quota"),
    "todo.added": _("added {what}"),
    "todo.updated": _("changed {what}"),
    "todo.claimed": _("took {what}"),
    "todo.released": _("put {what} back"),
    "todo.reassigned": _("gave {what} to {agent}"),
    "todo.blocked": _("blocked {what}"),
    "todo.unblocked": _("unblocked {what}"),
    "todo.deferred": _("put {what} aside"),
    "todo.resumed": _("took {what} up again"),
    "todo.submitted": _("handed in {what} for a check"),
    "todo.accepted": _("accepted {what}"),
    "todo.returned": _("sent {what} back"),
    "todo.completed": _("finished {what}"),
    "todo.superseded": _("replaced {what}"),
    "todo.dropped": _("dropped {what}"),
    "todo.reopened": _("opened {what} again"),
    "todo.opened": _("opened {what}: what it waited for has come"),
    "todo.moved": _("moved {what}"),
    "lease.expired": _("ended the hold on {what}: its time ran out"),
    "lease.renewed": _("keeps on with {what}"),
    "gate.asked": _("asked {what}"),
    "gate.revised": _("reworded {what}"),
    "gate.answered": _("answered {what}: {detail}"),
    "gate.undone": _("took the answer to {what} back"),
    "gate.sent": _("sent the answer to {what} at once"),
    "gate.sent_back": _("sent {what} back to be made clearer"),
    "gate.chosen": _("put the answer to {what} into effect"),
    "gate.rejected": _("put the no to {what} into effect"),
    "gate.expired": _("closed {what}: it ran out without an answer"),
    "gate.defaulted": _("took the agreed default for {what}"),
    "gate.withdrawn": _("withdrew {what}"),
    "gate.received": _("read the answer to {what}"),
    "turn.began": _("started a turn on {what}"),
    "turn.renewed": _("goes on with its turn on {what}"),
    "turn.finished": _("ended its turn on {what}: {detail}"),
    "turn.expired": _("closed a turn on {what}: its time ran out"),
    "turn.revoked": _("ended a turn on {what}"),
    "evidence.added": _("added evidence {what}"),
    "evidence.cited": _("pointed to evidence {what}"),
    "evidence.invalidated": _("withdrew evidence {what}"),
    "evidence.expired": _("marked evidence {what} as run out"),
    "monitor.polled": _("looked at {what}"),
}
