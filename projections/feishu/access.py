"""Who may open the base: view only, inside the tenant, no way to hand it on."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from projections.feishu.client import FeishuClient
from projections.feishu.schema import Place
from projections.sink import Finding, SinkError, Step

READ_ONLY = {
    "external_access_entity": "closed",
    "security_entity": "only_full_access",
    "comment_entity": "anyone_can_view",
    "share_entity": "same_tenant",
    "manage_collaborator_entity": "collaborator_full_access",
    "copy_entity": "only_full_access",
}
LINK = {"tenant": "tenant_readable", "closed": "closed"}


def wanted(link_sharing: str) -> dict[str, str]:
    return {**READ_ONLY, "link_share_entity": LINK[link_sharing]}


def restrict(client: FeishuClient, place: Place, link_sharing: str) -> list[Step]:
    path = f"/open-apis/drive/v2/permissions/{place.app_token}/public"
    body = wanted(link_sharing)
    found = client.read("GET", path, type="bitable").get("permission_public") or {}
    if all(found.get(name) == value for name, value in body.items()):
        return [Step("keep", "sharing: view only inside the tenant")]
    client.write("PATCH", path, body=body, lane=place.app_token, type="bitable")
    return [Step("set", "sharing: view only inside the tenant")]


def admit(client: FeishuClient, place: Place, viewers: list[str]) -> list[Step]:
    """Named people by open_id or e-mail, with `view`."""
    steps = []
    for viewer in viewers:
        kind = "email" if "@" in viewer else "openid"
        body = {"member_type": kind, "member_id": viewer, "perm": "view", "type": "user"}
        path = f"/open-apis/drive/v1/permissions/{place.app_token}/members"
        try:
            client.write("POST", path, body=body, lane=place.app_token, type="bitable")
            steps.append(Step("set", f"{viewer} may view"))
        except SinkError as error:
            if not error.permanent:
                raise
            # 1063003: may do more already; anything else is about this one person.
            action = "keep" if error.code == "1063003" else "by hand"
            steps.append(Step(action, f"let {viewer} view ({error})"))
    return steps


def check(client: FeishuClient, place: Place, link_sharing: str) -> Finding:
    path = f"/open-apis/drive/v2/permissions/{place.app_token}/public"
    try:
        found = client.read("GET", path, type="bitable").get("permission_public") or {}
    except SinkError as error:
        return Finding("sharing", False, str(error), error.remedy)
    wider = {
        name: found.get(name)
        for name, value in wanted(link_sharing).items()
        if found.get(name) != value
    }
    if not wider:
        return Finding("sharing", True, "view only inside the tenant")
    detail = ", ".join(f"{name} is {value}" for name, value in wider.items())
    return Finding("sharing", False, detail, _("Run set-up again: it restores view-only sharing."))
