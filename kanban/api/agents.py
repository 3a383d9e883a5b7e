"""Agents and their tokens: for people and the owner's local key."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import answer, page
from kanban.api.auth import caller_of
from kanban.api.responses import answers
from kanban.api.schemas.agents import AgentChange, AgentIn, TokenIn
from kanban.api.schemas.queries import Paged
from kanban.kernel.errors import NotAllowed, missing
from kanban.queries.agents import agent_json, agent_names, agents_json, token_json
from kanban.queries.clock import now
from kanban.transitions import members as transitions

router = Router(tags=["agents"])

NO_LIMITS = TokenIn()


@router.get("", response=answers("Agents"))
def list_agents(request: HttpRequest, query: Query[Paged]) -> HttpResponse:
    _require_reader(request)
    return answer(page(agents_json(agent_names()), "name", query.limit, query.cursor))


@router.post("", response=answers("Agent", created=True, writes=True))
def create_agent(request: HttpRequest, given: AgentIn) -> HttpResponse:
    agent = transitions.create_agent(
        caller_of(request).actor,
        given.name,
        host_kind=given.host_kind or "other",
        role=given.role or "",
        capabilities=given.capabilities or (),
        now=now(),
    )
    return answer(agent_json(agent.name), 201)


@router.get("/{agent}", response=answers("Agent"))
def get_agent(request: HttpRequest, agent: str) -> HttpResponse:
    _require_reader(request)
    return answer(agent_json(agent))


@router.patch("/{agent}", response=answers("Agent", writes=True))
def change_agent(request: HttpRequest, agent: str, given: AgentChange) -> HttpResponse:
    """Work mode, role, capabilities; in every goal of the agent."""
    _require_reader(request)
    transitions.change_agent(caller_of(request).actor, agent, given.given(), now=now())
    return answer(agent_json(agent))


@router.post("/{agent}/tokens", response=answers("Token", created=True, writes=True))
def mint_token(request: HttpRequest, agent: str, given: TokenIn = NO_LIMITS) -> HttpResponse:
    """The token is in this answer and nowhere else; only its hash is stored."""
    token = transitions.mint_token(
        caller_of(request).actor,
        agent,
        now=now(),
        goals=given.goals or (),
        verbs=given.verbs or (),
        expires_at=given.expires_at,
    )
    return answer({"token": token} | token_json(transitions.token_hash(token)), 201)


@router.delete("/{agent}/tokens/{token}", response=answers("", writes=True, empty=True))
def revoke_token(request: HttpRequest, agent: str, token: str) -> HttpResponse:
    actor = caller_of(request).actor
    if not (token.isascii() and token.isdigit() and len(token) < 16):
        raise missing("token", token)
    transitions.revoke_token(actor, agent, int(token), now=now())
    return HttpResponse(status=204)


def _require_reader(request: HttpRequest) -> None:
    if caller_of(request).is_agent:
        raise NotAllowed(
            "human_required", "Agents are administered by people.", "See /me for your own."
        )
