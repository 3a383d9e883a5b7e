"""The Feishu sink: one base per board, its tables written in batches and read back by key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from django.utils.translation import gettext_noop as _

from projections.feishu import access
from projections.feishu.client import FeishuClient, Json
from projections.feishu.rows import from_feishu, plain_text, to_feishu
from projections.feishu.schema import APPS, FIELD_TYPES, Place, TableSetup, everything
from projections.sink import Cells, Finding, SinkError, Step, Stored, Table

PAGE = 500
LARGEST_BATCH, SMALLEST_BATCH = 500, 50
TOO_MANY_RECORDS = "1254104"
FEW_KEYS = 50  # a search takes at most 50 conditions; beyond it a full read is cheaper


class FeishuSink:
    def __init__(
        self,
        client: FeishuClient,
        place: Place,
        *,
        title: str,
        link_sharing: str,
        viewers: list[str],
        remember: Callable[[Place], None],
    ) -> None:
        self._client, self._place = client, place
        self._title, self._link_sharing, self._viewers = title, link_sharing, viewers
        self._remember = remember
        self.batch = LARGEST_BATCH
        self._names: dict[str, dict[str, str]] = {}

    def prepare(self, tables: Sequence[Table], *, execute: bool) -> list[Step]:
        steps = self._base(execute=execute)
        for table in tables:
            steps += TableSetup(self._client, self._place, table, execute=execute).run()
            if execute:
                self._remember(self._place)
        if execute:
            steps += self._drop_default_table()
            steps += access.restrict(self._client, self._place, self._link_sharing)
            steps += access.admit(self._client, self._place, self._viewers)
        else:
            steps.append(Step("set", "sharing: view only inside the tenant"))
        return steps

    def _base(self, *, execute: bool) -> list[Step]:
        if self._place.app_token:
            self._client.read("GET", f"{APPS}/{self._place.app_token}")
            return [Step("keep", f"base {self._title}")]
        if execute:
            answer = self._client.write(
                "POST", APPS, body={"name": self._title}, lane="", repeatable=False
            )["app"]
            self._place.app_token = answer["app_token"]
            self._place.url = answer.get("url", "")
            self._place.default_table = answer.get("default_table_id", "")
            self._remember(self._place)
        return [Step("create", f"base {self._title}")]

    def _drop_default_table(self) -> list[Step]:
        """A new base comes with a table of blank rows; only that one, and only while blank."""
        table_id = self._place.default_table
        if not table_id:
            return []
        path = f"{APPS}/{self._place.app_token}/tables/{table_id}"
        steps = []
        try:
            found = self._client.read("POST", f"{path}/records/search", body={}, page_size=PAGE)
            if not any(item.get("fields") for item in found.get("items") or []):
                self._client.write("DELETE", path, body={}, lane=table_id)
                steps = [Step("remove", "the blank table every new base comes with")]
        except SinkError as error:
            if error.code != "1254041":
                raise
        self._place.default_table = ""
        self._remember(self._place)
        return steps

    def schema(self, table: Table) -> list[str]:
        found = everything(self._client, self._place.path(table, "fields"))
        by_id = {item["field_id"]: item for item in found}
        mapped: dict[str, str] = self._place.tables[table.key]["fields"]
        names: dict[str, str] = {}
        for column in table.columns:
            item = by_id.get(mapped.get(column.key, ""))
            # A column whose type somebody changed would refuse our cells.
            if item and item["type"] == FIELD_TYPES[column.kind]:
                names[column.key] = item["field_name"]
        self._names[table.key] = names
        return [column.key for column in table.columns if column.key not in self._names[table.key]]

    def names(self, table: Table) -> dict[str, str]:
        if table.key not in self._names:
            self.schema(table)
        if table.key_column.key not in self._names[table.key]:
            raise SinkError(
                f"the column {table.key_column.label} of {table.label} is gone",
                permanent=True,
                code="key_column_gone",
                remedy=_("Run set-up again: it adds the column, and rows are written anew."),
            )
        return self._names[table.key]

    def insert(self, table: Table, rows: Sequence[Cells], token: str) -> list[str]:
        names = self.names(table)
        body = {"records": [{"fields": to_feishu(table, names, row, clear=False)} for row in rows]}
        answer = self._write(table, "batch_create", body, repeatable=False, client_token=token)
        return [str(item["record_id"]) for item in answer["records"]]

    def update(self, table: Table, rows: Sequence[tuple[str, Cells]]) -> None:
        names = self.names(table)
        records = [
            {"record_id": record_id, "fields": to_feishu(table, names, cells, clear=True)}
            for record_id, cells in rows
        ]
        self._write(table, "batch_update", {"records": records})

    def delete(self, table: Table, record_ids: Sequence[str]) -> None:
        self._write(table, "batch_delete", {"records": list(record_ids)})

    def _write(
        self, table: Table, verb: str, body: Json, *, repeatable: bool = True, **query: str
    ) -> Json:
        try:
            return self._client.write(
                "POST",
                self._place.path(table, f"records/{verb}"),
                body=body,
                lane=self._place.table_id(table),
                repeatable=repeatable,
                **query,
            )
        except SinkError as error:
            # The documented limits contradict each other; the tenant's own answer counts.
            if error.code == TOO_MANY_RECORDS:
                self.batch = max(SMALLEST_BATCH, self.batch // 2)
            raise

    def find(self, table: Table, keys: Sequence[str]) -> list[Stored]:
        wanted = set(keys)
        if len(wanted) > FEW_KEYS:
            return [row for row in self.read(table) if row.key in wanted]
        name = self.names(table)[table.key_column.key]
        conditions = [{"field_name": name, "operator": "is", "value": [key]} for key in wanted]
        found = self._search(table, {"conjunction": "or", "conditions": conditions})
        return [row for row in found if row.key in wanted]

    def read(self, table: Table) -> Iterator[Stored]:
        return (row for row in self._search(table, None) if row.key)

    def _search(self, table: Table, condition: Json | None) -> Iterator[Stored]:
        names = self.names(table)
        path = self._place.path(table, "records/search")
        body: Json = {"field_names": list(names.values())}
        if condition:
            body["filter"] = condition
        query: dict[str, str | int] = {"page_size": PAGE}
        while True:
            data = self._client.read("POST", path, body=body, **query)
            for item in data.get("items") or []:
                fields = item.get("fields") or {}
                key = plain_text(fields.get(names[table.key_column.key], ""))
                yield Stored(item["record_id"], key, from_feishu(table, names, fields))
            if not data.get("has_more"):
                return
            query["page_token"] = data["page_token"]

    def doctor(self, tables: Sequence[Table]) -> list[Finding]:
        findings = []
        for table in tables:
            try:
                missing = self.schema(table)
            except SinkError as error:
                findings.append(Finding(f"table {table.label}", False, str(error), error.remedy))
                continue
            labels = [column.label for column in table.columns if column.key in missing]
            detail = f"missing: {', '.join(labels)}" if labels else "every column is there"
            remedy = _("Run set-up again: it adds what is missing.") if labels else ""
            findings.append(Finding(f"table {table.label}", not labels, detail, remedy))
        return [*findings, access.check(self._client, self._place, self._link_sharing)]
