"""Tenant tokens and who may open a base."""

from __future__ import annotations

import time

from tests.standin.errors import ApiError
from tests.standin.routing import Request, route
from tests.standin.world import Json, World

TOKEN_SECONDS = 7200
REUSE_SECONDS = 1800
PUBLIC = {
    "external_access_entity": {"open", "closed", "allow_share_partner_tenant"},
    "security_entity": {"anyone_can_view", "anyone_can_edit", "only_full_access"},
    "comment_entity": {"anyone_can_view", "anyone_can_edit"},
    "share_entity": {"anyone", "same_tenant"},
    "manage_collaborator_entity": {
        "collaborator_can_view",
        "collaborator_can_edit",
        "collaborator_full_access",
    },
    "link_share_entity": {
        "tenant_readable",
        "tenant_editable",
        "partner_tenant_readable",
        "partner_tenant_editable",
        "anyone_readable",
        "anyone_editable",
        "closed",
    },
    "copy_entity": {"anyone_can_view", "anyone_can_edit", "only_full_access"},
}
MEMBER_TYPES = {"openid", "userid", "unionid", "email", "openchat", "opendepartmentid", "groupid"}


def tenant_token(world: World, body: Json) -> Json:
    """The flat answer of the token endpoint; the same token while half an hour remains."""
    app_id, secret = str(body.get("app_id") or ""), body.get("app_secret")
    if app_id not in world.apps:
        raise ApiError(10003, "app_id", status=400)
    if world.apps[app_id] != secret:
        raise ApiError(10014, "app secret invalid", status=400)
    now = time.time()
    for token, (owner, until) in world.tokens.items():
        if owner == app_id and until - now >= REUSE_SECONDS:
            return {"tenant_access_token": token, "expire": int(until - now)}
    token = world.new_id("t-standin", 24)
    world.tokens[token] = (app_id, now + TOKEN_SECONDS)
    return {"tenant_access_token": token, "expire": TOKEN_SECONDS}


def authenticate(world: World, header: str) -> str:
    if not header:
        raise ApiError(99991661, status=400)
    token = header.removeprefix("Bearer ")
    if not token.startswith(("t-", "u-")):
        raise ApiError(99991671, status=400)
    app_id, until = world.tokens.get(token, ("", 0.0))
    if until <= time.time():
        raise ApiError(99991663, status=400)
    return app_id


@route("PATCH", "/open-apis/drive/v2/permissions/:app/public", rate=(100, 60.0))
def patch_public(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    _need_bitable(request)
    for name, value in request.body.items():
        if value not in PUBLIC.get(name, set()):
            raise ApiError(1063001, name, status=400)
    merged = {**base.public, **request.body}
    anyone = str(merged.get("link_share_entity", "")).startswith("anyone")
    if anyone and merged.get("external_access_entity") != "open":
        raise ApiError(1063001, "link_share_entity needs open external access", status=400)
    base.public = merged
    return {"permission_public": merged}


@route("GET", "/open-apis/drive/v2/permissions/:app/public", rate=(100, 60.0))
def get_public(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    _need_bitable(request)
    return {"permission_public": dict(base.public)}


@route("POST", "/open-apis/drive/v1/permissions/:app/members")
def add_member(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    _need_bitable(request)
    body = request.body
    known = body.get("member_type") in MEMBER_TYPES and bool(body.get("member_id"))
    if not known or body.get("perm") not in {"view", "edit", "full_access"}:
        raise ApiError(1063001, status=400)
    base.members = [m for m in base.members if m["member_id"] != body["member_id"]]
    base.members.append(body)
    return {"member": body}


@route("GET", "/open-apis/drive/v1/permissions/:app/members")
def list_members(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    _need_bitable(request)
    return {"items": list(base.members)}


def _need_bitable(request: Request) -> None:
    if request.query.get("type") != "bitable":
        raise ApiError(1063001, "type", status=400)
