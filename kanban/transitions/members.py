"""Agents, their tokens, and their membership of goals."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from kanban.kernel import goal as rules
from kanban.kernel.actor import Actor, require_administrator
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, LoopxError, invalid, missing
from kanban.kernel.present import member_json
from kanban.kernel.state import Member
from kanban.models import Agent, Seen, Token
from kanban.models.agents import HOST_KINDS, SEEN_APART
from kanban.queries.snapshot import goals_of
from kanban.store.write import write
from kanban.transitions.perform import Call, Work, perform, perform_together
from kanban.transitions.receipt import Receipt

logger = logging.getLogger(__name__)

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
TOKEN_PREFIX = "lxa_"


def create_agent(
    actor: Actor,
    name: str,
    *,
    host_kind: str = "other",
    role: str = "",
    capabilities: Iterable[str] = (),
    now: datetime,
) -> Agent:
    require_administrator(actor, "Adding an agent")
    if not _NAME.fullmatch(name):
        raise invalid(
            f"agent name {name!r} may hold small letters, digits, dot, hyphen, underscore.",
            fields=["name"],
        )
    if host_kind not in dict(HOST_KINDS):
        raise invalid(f"host kind {host_kind!r} is unknown.", fields=["host_kind"])

    def work() -> Agent:
        if Agent.objects.filter(name=name).exists():
            raise Conflict("exists", f"There is an agent {name!r} already.", "Use it.")
        return Agent.objects.create(
            name=name,
            host_kind=host_kind,
            role=role,
            capabilities=sorted({*capabilities}),
            created_at=now,
        )

    return write(work)


def change_agent(actor: Actor, name: str, given: dict[str, Any], *, now: datetime) -> Agent:
    """Changes an agent everywhere: its row, and its copy in the ledger of each of its goals."""
    require_self_or_administrator(actor, name, given)
    agent = find_agent(name)
    if given.get("work_mode") and given["work_mode"] not in rules.WORK_MODES:
        raise invalid(f"work_mode is one of {', '.join(rules.WORK_MODES)}.", fields=["work_mode"])
    own = {field: given[field] for field in ("role", "capabilities", "work_mode") if field in given}

    def row() -> None:
        if own:
            Agent.objects.filter(pk=agent.pk).update(**own)

    perform_together(actor, member_changes(name, given), now=now, alongside=row)
    return find_agent(name)


def member_changes(name: str, given: dict[str, Any]) -> list[tuple[str, Call, Work]]:
    """The same change of an agent in each of its goals."""
    fields = {
        field: tuple(value) if field == "capabilities" else value for field, value in given.items()
    }

    def work(draft: Draft) -> dict[str, Any]:
        rules.change_member(draft, name, fields)
        return {}

    return [(goal, Call(f"member.change {name}"), work) for goal in goals_of(name)]


def require_self_or_administrator(actor: Actor, name: str, given: dict[str, Any]) -> None:
    """An agent may pause itself and report its provider's limit; the rest is for people."""
    pausing = given.get("work_mode") in (None, "paused")
    limits = {*given} <= {"work_mode", "limited_until", "limit_unknown"}
    if not (actor.is_agent and actor.name == name and pausing and limits):
        require_administrator(actor, "Changing an agent")


def mint_token(
    actor: Actor,
    name: str,
    *,
    now: datetime,
    goals: Iterable[str] = (),
    verbs: Iterable[str] = (),
    expires_at: datetime | None = None,
) -> str:
    """A new token, returned this once; only its hash is stored."""
    require_administrator(actor, "Making a token")
    agent = find_agent(name)
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)

    def work() -> None:
        Token.objects.create(
            agent=agent,
            hash=token_hash(token),
            prefix=token[:8],
            goals=sorted({*goals}),
            verbs=sorted({*verbs}),
            created_at=now,
            created_by=str(actor),
            expires_at=expires_at,
        )

    write(work)
    return token


def revoke_token(actor: Actor, name: str, token_id: int, *, now: datetime) -> None:
    require_administrator(actor, "Revoking a token")
    tokens = Token.objects.filter(agent=find_agent(name), pk=token_id)
    if not tokens.exists():
        raise missing("token", str(token_id))
    write(lambda: tokens.filter(revoked_at=None).update(revoked_at=now))


def note_seen(name: str, now: datetime) -> None:
    """That the agent called: beside the ledger, once a minute; where it fails, the call goes on."""

    def work() -> None:
        if not Seen.objects.filter(agent__name=name, at__gt=now - SEEN_APART).exists():
            Seen.objects.update_or_create(agent=find_agent(name), defaults={"at": now})

    try:
        write(work)
    except (LoopxError, DatabaseError) as error:
        logger.warning("that %s was seen could not be noted: %s", name, error)


def token_hash(token: str) -> str:
    """Tokens are random, so a plain hash is enough to make the stored form useless."""
    return hashlib.sha256(token.encode()).hexdigest()


def register_member(
    actor: Actor,
    goal: str,
    name: str,
    *,
    delegated: Iterable[str] | None = None,
    now: datetime,
    key: str | None = None,
) -> Receipt:
    """Membership; `delegated` also sets what the agent may do to others' work in this goal."""
    row = member_row(find_agent(name))
    given = None if delegated is None else tuple(sorted({*delegated}))

    def work(draft: Draft) -> dict[str, Any]:
        rules.register_member(draft, row)
        if given is not None:
            rules.change_member(draft, name, {"delegated": given})
        return member_json(draft.state.members[name])

    return perform(actor, goal, Call(f"member.register {name}", given, key), work, now=now)


def remove_member(
    actor: Actor, goal: str, name: str, *, now: datetime, key: str | None = None
) -> Receipt:
    def work(draft: Draft) -> dict[str, Any]:
        rules.remove_member(draft, name)
        return member_json(draft.state.members[name])

    return perform(actor, goal, Call(f"member.remove {name}", None, key), work, now=now)


def find_agent(name: str) -> Agent:
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise missing("agent", name)
    return agent


def require_agents(names: Iterable[str]) -> list[Agent]:
    return [find_agent(name) for name in dict.fromkeys(names)]


def member_row(agent: Agent) -> Member:
    return Member(
        agent=agent.name,
        host_kind=agent.host_kind,
        role=agent.role,
        capabilities=tuple(agent.capabilities),
        work_mode=agent.work_mode,
    )
