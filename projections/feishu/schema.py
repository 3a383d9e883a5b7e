"""The shape of a table in Feishu: fields found by id, created when missing, never touched else."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_noop as _

from projections.feishu.client import FeishuClient, Json
from projections.sink import Column, SinkError, Step, Table, View

APPS = "/open-apis/bitable/v1/apps"
FIELD_TYPES = {"text": 1, "number": 2, "choice": 3, "time": 5}
PAGE = 100


@dataclass
class Place:
    """Where a board lives; stored with the board, so that names may change without harm."""

    app_token: str = ""
    url: str = ""
    default_table: str = ""
    tables: dict[str, Json] = field(default_factory=dict)  # key -> {table_id, fields, views}

    def table_id(self, table: Table) -> str:
        found = self.tables.get(table.key, {}).get("table_id", "")
        if not found:
            raise SinkError(
                f"the table {table.label} was not set up",
                permanent=True,
                code="not_set_up",
                remedy=_("Run set-up for this board."),
            )
        return str(found)

    def path(self, table: Table, rest: str) -> str:
        return f"{APPS}/{self.app_token}/tables/{self.table_id(table)}/{rest}"


def everything(client: FeishuClient, path: str) -> list[Json]:
    """All pages of a list; a page_token alone does not mean that more follows."""
    items: list[Json] = []
    query: dict[str, Any] = {"page_size": PAGE}
    while True:
        data = client.read("GET", path, **query)
        items += data.get("items") or []
        if not data.get("has_more"):
            return items
        query["page_token"] = data["page_token"]


def field_body(column: Column) -> Json:
    body: Json = {"field_name": column.label, "type": FIELD_TYPES[column.kind]}
    if column.kind == "choice":
        options = [{"name": choice.label, "color": choice.color} for choice in column.choices]
        body["property"] = {"options": options}
    if column.kind == "time":
        body["property"] = {"date_formatter": "yyyy-MM-dd HH:mm"}
    if column.kind == "number":
        body["property"] = {"formatter": "0"}
    return body


def fingerprint(fields: list[Json]) -> str:
    shape = sorted((item["field_id"], item["type"], item["field_name"]) for item in fields)
    return hashlib.sha256(json.dumps(shape, ensure_ascii=False).encode()).hexdigest()[:16]


class TableSetup:
    """Brings one table to its shape: adds what is missing, says what it did or would do."""

    def __init__(self, client: FeishuClient, place: Place, table: Table, *, execute: bool) -> None:
        self._client, self._place, self._table = client, place, table
        self._execute = execute
        self.steps: list[Step] = []

    def run(self) -> list[Step]:
        base = f"{APPS}/{self._place.app_token}"
        known = self._place.tables.setdefault(self._table.key, {"fields": {}, "views": {}})
        found = everything(self._client, f"{base}/tables") if self._place.app_token else []
        self._table_id(known, found, base)
        if known.get("table_id"):
            self._fields(known, base)
            self._views(known, base)
        return self.steps

    def _say(self, action: str, what: str) -> None:
        self.steps.append(Step(action, what))

    def _table_id(self, known: Json, found: list[Json], base: str) -> None:
        label = self._table.label
        ids = {item["table_id"]: item["name"] for item in found}
        if known.get("table_id") in ids:
            return self._say("keep", f"table {ids[known['table_id']]}")
        known.update(table_id="", fields={}, views={})
        # An earlier try may have made it without hearing the answer.
        same_name = next((item for item, name in ids.items() if name == label), "")
        self._say("keep" if same_name else "create", f"table {label}")
        if same_name:
            known["table_id"] = same_name
        elif self._execute:
            body = {
                "name": label,
                "default_view_name": self._table.views[0].label,
                "fields": [field_body(column) for column in self._table.columns],
            }
            answer = self._client.write(
                "POST",
                f"{base}/tables",
                body={"table": body},
                lane=self._place.app_token,
                repeatable=False,
            )
            known["table_id"] = answer["table_id"]

    def _fields(self, known: Json, base: str) -> None:
        path = f"{base}/tables/{known['table_id']}/fields"
        found = everything(self._client, path)
        ids = {item["field_id"]: item["type"] for item in found}
        names = {item["field_name"]: item for item in found}
        for column in self._table.columns:
            kind = FIELD_TYPES[column.kind]
            if ids.get(known["fields"].get(column.key)) == kind:
                continue
            # The same name with another type is somebody else's column, or was made so.
            label = column.label if column.label not in names else f"{column.label} (LoopX)"
            twins = [names[name] for name in (column.label, label) if name in names]
            ours = [twin["field_id"] for twin in twins if twin["type"] == kind]
            if ours:
                known["fields"][column.key] = ours[0]
                continue
            self._say("create", f"column {label}")
            if self._execute:
                body = {**field_body(column), "field_name": label}
                known["fields"][column.key] = self._create_field(path, body, known["table_id"])

    def _create_field(self, path: str, body: Json, lane: str) -> str:
        token = str(uuid.uuid4())
        answer = self._client.write(
            "POST",
            path,
            body=body,
            lane=lane,
            repeatable=False,
            client_token=token,
        )
        return str(answer["field"]["field_id"])

    def _views(self, known: Json, base: str) -> None:
        path = f"{base}/tables/{known['table_id']}/views"
        found = {item["view_name"]: item["view_id"] for item in everything(self._client, path)}
        for view in self._table.views:
            if known["views"].get(view.key) in found.values():
                continue
            if view.label in found:
                known["views"][view.key] = found[view.label]
                self._group(view, known, self._table)
                continue
            self._say("create", f"view {view.label}")
            if self._execute:
                answer = self._client.write(
                    "POST",
                    path,
                    body={"view_name": view.label, "view_type": view.kind},
                    lane=known["table_id"],
                    repeatable=False,
                )
                known["views"][view.key] = answer["view"]["view_id"]
                self._group(view, known, self._table)

    def _group(self, view: View, known: Json, table: Table) -> None:
        """Grouping has no call in bitable v1; refused here, a person picks it once by hand."""
        if not view.group_by or not self._execute:
            return
        path = (
            f"/open-apis/base/v3/bases/{self._place.app_token}/tables/{known['table_id']}"
            f"/views/{known['views'][view.key]}/group"
        )
        body = {"group_config": [{"field": known["fields"][view.group_by], "desc": False}]}
        label = next(column.label for column in table.columns if column.key == view.group_by)
        try:
            self._client.write("PUT", path, body=body, lane=known["table_id"])
            self._say("set", f"view {view.label} grouped by {label}")
        except SinkError as error:
            self._say("by hand", f"group view {view.label} by {label} ({error})")
