"""Who calls: an agent by its token, the owner's local key, or a person's session."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from django.conf import settings
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from kanban.api.errors import unauthenticated
from kanban.api.schemas.agents import Verb
from kanban.kernel.actor import Actor, require_operator
from kanban.kernel.errors import NotAllowed, invalid, missing
from kanban.kernel.state import State
from kanban.queries.clock import now
from kanban.queries.credentials import Holder, is_member, token_holder
from kanban.queries.people import person_actor
from kanban.transitions.members import note_seen, token_hash

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWNER_PREFIX = "lxo_"
OWNER_KEY = "owner.key"
# What a token may be limited to; reading is always allowed.
VERBS: tuple[str, ...] = get_args(Verb)


@dataclass(frozen=True, slots=True)
class Caller:
    """The actor, and what its credential is limited to (empty: to nothing)."""

    actor: Actor
    goals: frozenset[str] = field(default_factory=frozenset)
    verbs: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_agent(self) -> bool:
        return self.actor.is_agent

    def covers(self, goal: str) -> bool:
        return not self.goals or goal in self.goals

    def require_goal(self, goal: str) -> None:
        """What an agent may not see does not exist for it."""
        if self.is_agent and not (self.covers(goal) and is_member(self.actor.name, goal)):
            raise missing("goal", goal)

    def require_seen(self, state: State) -> State:
        """The same for a goal that was read already."""
        if not self.is_agent:
            return state
        member = state.members.get(self.actor.name)
        if not (self.covers(state.goal.slug) and member and member.active):
            raise missing("goal", state.goal.slug)
        return state

    def agent(self, given: str | None) -> str:
        """The agent a request is about: the token's own, or the one a person names."""
        if not self.is_agent:
            if given:
                return given
            raise invalid("A person names the agent.", "Send `agent`.", fields=["agent"])
        if given and given != self.actor.name:
            raise NotAllowed(
                "agent_mismatch",
                f"The token is {self.actor.name}'s, not {given}'s.",
                "Leave `agent` out, or use that agent's own token.",
            )
        return self.actor.name


def caller_of(request: HttpRequest) -> Caller:
    caller: Caller = request.auth  # type: ignore[attr-defined]
    return caller


def caller_on(request: HttpRequest, goal: str) -> Caller:
    """The caller, who may see this goal."""
    caller = caller_of(request)
    caller.require_goal(goal)
    return caller


class Bearer(HttpBearer):
    """`Authorization: Bearer lxa_…` of an agent, or the local owner key `lxo_…`."""

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        if token.startswith(OWNER_PREFIX):
            if not _is_owner_key(token):
                raise unauthenticated("This is not the owner key of this server.")
            return Caller(Actor("person", "owner", "local"))
        moment = now()
        holder = token_holder(token_hash(token), moment)
        if holder is None:
            raise unauthenticated("The token is unknown, revoked, or has expired.")
        if holder.silent:
            note_seen(holder.agent, moment)
        return _agent(request, holder)


class Session(APIKeyCookie):
    """A signed-in person; every unsafe request carries the CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Caller | None:
        return self.authenticate(request, request.COOKIES.get(self.param_name))

    def authenticate(self, request: HttpRequest, key: str | None) -> Caller | None:
        if not key or not request.user.is_authenticated:
            return None
        actor = person_actor(request.user)
        if request.method not in SAFE_METHODS:
            if check_csrf(request) is not None:
                raise NotAllowed(
                    "cross_origin",
                    "The request carries no valid CSRF token; nothing was changed.",
                    "Send the CSRF cookie's value in X-CSRFToken; programs send a Bearer token.",
                )
            require_operator(actor, "Changing anything")
        return Caller(actor)


def verb_of(request: HttpRequest) -> str:
    """The part of the API that a request writes to, such as `todos`."""
    parts = request.path.removeprefix("/api/v1/").split("/")
    inner = parts[2] if parts[0] == "goals" and len(parts) > 2 else parts[0]
    return inner if inner in VERBS else parts[0]


def _agent(request: HttpRequest, holder: Holder) -> Caller:
    if holder.verbs and request.method not in SAFE_METHODS:
        verb = verb_of(request)
        if verb not in holder.verbs:
            raise NotAllowed(
                "token_scope",
                f"The token is limited to {', '.join(holder.verbs)}; this writes to {verb}.",
                "Use another token of the agent, or ask a person for one.",
            )
    return Caller(Actor("agent", holder.agent), frozenset(holder.goals), frozenset(holder.verbs))


def _is_owner_key(token: str) -> bool:
    path = Path(settings.DATA_DIR) / OWNER_KEY
    try:
        key = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return False
    # Hashed first, so that the comparison gives away neither content nor length.
    return bool(key) and hmac.compare_digest(_hash(token), _hash(key))


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def authenticate(request: HttpRequest) -> Caller:
    """The caller of a request outside the API's routers; raises `unauthenticated`."""
    for scheme in SCHEMES:
        caller: Caller | None = scheme(request)
        if caller is not None:
            return caller
    raise unauthenticated("The request says nothing about who sends it.")


SCHEMES: tuple[Bearer | Session, ...] = (Bearer(), Session())
