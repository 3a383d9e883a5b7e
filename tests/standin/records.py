"""Records: batches that happen whole or not at all, searches that answer in the read form."""

from __future__ import annotations

from typing import Any

from tests.standin import values
from tests.standin.errors import ApiError
from tests.standin.filters import matches
from tests.standin.routing import Request, route
from tests.standin.world import Field, Json, Record, Table

RECORDS = "/open-apis/bitable/v1/apps/:app/tables/:table/records"
MAX_WRITE, MAX_DELETE, MAX_GET, MAX_PAGE, MAX_ROWS = 1000, 500, 100, 500, 20_000
WRITE_RATE = (50, 1.0)


@route(
    "POST",
    f"{RECORDS}/batch_create",
    writes_table=True,
    creates_records=True,
    rate=WRITE_RATE,
)
def batch_create(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    wanted = _batch(request, MAX_WRITE)
    if len(table.records) + len(wanted) > MAX_ROWS:
        raise ApiError(1254103)
    checked = [_cells(request, table, item) for item in wanted]
    answer = []
    for item, cells in zip(wanted, checked, strict=True):
        now = request.world.now_ms()
        identity = request.world.identity(request.app_id)
        record = Record(request.world.new_id("rec"), {}, now, now, identity)
        _apply(request, record, cells)
        table.records[record.id] = record
        answer.append({"record_id": record.id, "id": record.id, "fields": item["fields"]})
    table.revision += 1
    return {"records": answer}


@route("POST", f"{RECORDS}/batch_update", writes_table=True, rate=WRITE_RATE)
def batch_update(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    wanted = _batch(request, MAX_WRITE)
    found = [_record(table, item.get("record_id")) for item in wanted]
    checked = [_cells(request, table, item) for item in wanted]
    for record, cells in zip(found, checked, strict=True):
        _apply(request, record, cells)
        record.modified = request.world.now_ms()
        record.modified_by = request.world.identity(request.app_id)
    table.revision += 1
    answer = [
        {"record_id": record.id, "id": record.id, "fields": item["fields"]}
        for record, item in zip(found, wanted, strict=True)
    ]
    return {"records": answer}


@route("POST", f"{RECORDS}/batch_delete", writes_table=True, rate=WRITE_RATE)
def batch_delete(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    wanted: list[str] = request.need("records", list)
    if not wanted:
        raise ApiError(1254007, "records")
    if len(wanted) > MAX_DELETE:
        raise ApiError(1254104)
    for record_id in wanted:
        _record(table, record_id)
    for record_id in set(wanted):
        del table.records[record_id]
    table.revision += 1
    return {"records": [{"deleted": True, "record_id": record_id} for record_id in wanted]}


@route("POST", f"{RECORDS}/batch_get")
def batch_get(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    wanted: list[str] = request.need("record_ids", list)
    if len(wanted) > MAX_GET:
        raise ApiError(1254104, status=400)
    found = [table.records[item] for item in wanted if item in table.records]
    automatic = bool(request.body.get("automatic_fields"))
    return {
        "records": [_present(table, record, automatic, None) for record in found],
        "absent_record_ids": [item for item in wanted if item not in table.records],
    }


@route("POST", f"{RECORDS}/search")
def search(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    request.page_size(top=MAX_PAGE)
    names: list[str] | None = request.body.get("field_names")
    for name in names or []:
        if table.field_named(name) is None:
            raise ApiError(1254024, name)
    condition = request.body.get("filter")
    rows = [record for record in table.records.values() if matches(table, record, condition)]
    automatic = bool(request.body.get("automatic_fields"))
    return request.page([_present(table, row, automatic, names) for row in rows], top=MAX_PAGE)


def _batch(request: Request, top: int) -> list[Json]:
    wanted: list[Json] = request.need("records", list)
    if not wanted:
        raise ApiError(1254007, "records")
    if len(wanted) > top:
        raise ApiError(1254104, f"{len(wanted)} records")
    if any(not isinstance(item.get("fields"), dict) for item in wanted):
        raise ApiError(1254001, "fields", status=400)
    return wanted


def _record(table: Table, record_id: Any) -> Record:
    record = table.records.get(str(record_id))
    if record is None:
        raise ApiError(1254043, str(record_id))
    return record


def _cells(request: Request, table: Table, item: Json) -> list[tuple[Field, Any]]:
    """The cells of one record, all checked before anything of the batch is applied."""
    cells = []
    for name, value in item["fields"].items():
        field = table.field_named(name)
        if field is None:
            raise ApiError(1254045, f"fields.{name}")
        values.check(field, value)
        if values.is_seconds(field, value):
            request.journal.blame("seconds", f"fields.{name} = {value}")
        cells.append((field, value))
    return cells


def _apply(request: Request, record: Record, cells: list[tuple[Field, Any]]) -> None:
    for field, value in cells:
        stored = values.store(request.world, field, value)
        if stored is None:
            record.cells.pop(field.id, None)
        else:
            record.cells[field.id] = stored


def _present(table: Table, record: Record, automatic: bool, names: list[str] | None) -> Json:
    """The read form: text in segments, empty cells absent."""
    fields = {
        item.name: values.read(item, record.cells[item.id])
        for item in table.fields
        if item.id in record.cells and (names is None or item.name in names)
    }
    body: Json = {"record_id": record.id, "fields": fields}
    if automatic:
        body["created_time"] = record.created
        body["last_modified_time"] = record.modified
        body["last_modified_by"] = {"id": record.modified_by}
    return body
