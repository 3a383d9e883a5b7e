"""Bases, tables, fields, views and permissions."""

from __future__ import annotations

from typing import Any

from tests.standin.errors import ApiError
from tests.standin.routing import Request, route
from tests.standin.world import INDEX_TYPES, Base, Field, Json, Option, Record, Table, View, World

APPS = "/open-apis/bitable/v1/apps"
TABLES = f"{APPS}/:app/tables"
FIELDS = f"{TABLES}/:table/fields"
VIEWS = f"{TABLES}/:table/views"
FORBIDDEN_IN_NAMES = set("/\\?*:[]")
FIELD_TYPES = {1, 2, 3, 4, 5, 7, 11, 13, 15, 1001, 1002, 1003, 1004, 1005}
VIEW_TYPES = {"grid", "kanban", "gallery", "gantt", "form"}
MAX_FIELDS, MAX_VIEWS, MAX_TABLES = 300, 200, 100
DATE_FORMATS = {"yyyy/MM/dd", "yyyy-MM-dd HH:mm", "MM-dd", "MM/dd/yyyy", "dd/MM/yyyy"}
DATE_FORMATS |= {"yyyy/MM/dd HH:mm", "yyyy-MM-dd"}
PROPERTY_ERROR = {1: 1254080, 2: 1254081, 3: 1254082, 4: 1254083, 5: 1254084, 15: 1254087}


@route("POST", APPS, rate=(20, 60.0))
def create_base(request: Request) -> Json:
    name = str(request.body.get("name") or "")
    if len(name) > 255:
        raise ApiError(1254031, status=400)
    world = request.world
    base = Base(world.new_id("bascn"), name, request.app_id)
    table = _default_table(world)
    base.tables[table.id], base.default_table = table, table.id
    world.bases[base.token] = base
    return {
        "app": {
            "app_token": base.token,
            "name": name,
            "default_table_id": table.id,
            "url": f"https://example.feishu.cn/base/{base.token}",
        }
    }


def _default_table(world: World) -> Table:
    """A new base is not empty: one table with four columns and ten blank rows."""
    fields = [
        Field(world.new_id("fld"), name, kind, is_primary=name == "Text")
        for name, kind in (("Text", 1), ("Single option", 3), ("Date", 5), ("Attachment", 17))
    ]
    table = Table(world.new_id("tbl"), "Table", fields, [View(world.new_id("vew"), "Grid", "grid")])
    for _ in range(10):
        now = world.now_ms()
        record = Record(world.new_id("rec"), {}, now, now, "")
        table.records[record.id] = record
    return table


@route("GET", f"{APPS}/:app")
def get_base(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    revision = sum(table.revision for table in base.tables.values())
    body = {"app_token": base.token, "name": base.name, "revision": revision, "is_advanced": False}
    return {"app": body}


@route("GET", TABLES)
def list_tables(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    items = [
        {"table_id": table.id, "revision": table.revision, "name": table.name}
        for table in base.tables.values()
    ]
    return request.page(items, top=100)


@route("POST", TABLES, rate=(10, 1.0))
def create_table(request: Request) -> Json:
    base = request.world.base(request.params["app"], request.app_id)
    body: Json = request.need("table", dict)
    name = str(body.get("name") or "").strip()
    if not name or len(name) > 100 or set(name) & FORBIDDEN_IN_NAMES:
        raise ApiError(1254001, "table.name", status=400)
    if any(table.name == name for table in base.tables.values()):
        raise ApiError(1254013, name)
    if len(base.tables) >= MAX_TABLES:
        raise ApiError(1254100)
    if body.get("default_view_name") and not body.get("fields"):
        raise ApiError(1254001, "default_view_name needs fields", status=400)
    table = Table(request.world.new_id("tbl"), name, [], [])
    wanted: list[Json] = body.get("fields") or [{"field_name": "Text", "type": 1}]
    for position, item in enumerate(wanted):
        _add_field(request.world, table, item, primary=position == 0)
    view_name = str(body.get("default_view_name") or "Grid")
    table.views.append(View(request.world.new_id("vew"), view_name, "grid"))
    base.tables[table.id] = table
    return {
        "table_id": table.id,
        "default_view_id": table.views[0].id,
        "field_id_list": [item.id for item in table.fields],
    }


@route("DELETE", f"{TABLES}/:table", rate=(10, 1.0))
def delete_table(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    base = request.world.bases[request.params["app"]]
    if len(base.tables) == 1:
        raise ApiError(1254002, "the last table cannot be deleted")
    del base.tables[table.id]
    return {}


@route("GET", FIELDS)
def list_fields(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    return request.page([item.present() for item in table.fields], top=100)


@route("POST", FIELDS, writes_table=True, rate=(10, 1.0))
def create_field(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    field = _add_field(request.world, table, request.body, primary=False)
    table.revision += 1
    return {"field": field.present()}


@route("PUT", f"{FIELDS}/:field", writes_table=True, rate=(10, 1.0))
def update_field(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    field = next((item for item in table.fields if item.id == request.params["field"]), None)
    if field is None:
        raise ApiError(1254044, request.params["field"])
    if request.body.get("type") != field.type:
        raise ApiError(1254012, "changing a type is not modelled", status=400)
    _check_property(field.type, request.body)
    field.name = str(request.need("field_name", str)).strip()
    if field.type in {3, 4}:
        _replace_options(request.world, table, field, request.body.get("property") or {})
    else:
        field.property = request.body.get("property")
    table.revision += 1
    return {"field": field.present()}


def _replace_options(world: World, table: Table, field: Field, wanted: Json) -> None:
    """A PUT replaces everything: an option left out is deleted and its cells are emptied."""
    before = {option.id: option for option in field.options}
    by_name = {option.name: option for option in field.options}
    field.options = []
    for item in wanted.get("options", []):
        old = before.get(item.get("id", "")) or by_name.get(item["name"])
        field.options.append(
            Option(old.id if old else world.new_id("opt"), item["name"], item.get("color", 0))
        )
    kept = {option.id: option.name for option in field.options}
    names = {option.name: kept.get(option.id) for option in before.values()}
    for record in table.records.values():
        value = record.cells.get(field.id)
        if isinstance(value, str) and value in names:
            renamed = names[value]
            if renamed is None:
                del record.cells[field.id]
            else:
                record.cells[field.id] = renamed


def _add_field(world: World, table: Table, body: Json, *, primary: bool) -> Field:
    name, kind = str(body.get("field_name") or "").strip(), body.get("type")
    if not name:
        raise ApiError(1254028, status=400)
    if kind not in FIELD_TYPES or (primary and kind not in INDEX_TYPES):
        raise ApiError(1254012, f"type {kind}", status=400)
    if table.field_named(name):
        raise ApiError(1254014, name)
    if len(table.fields) >= MAX_FIELDS:
        raise ApiError(1254105)
    _check_property(kind, body)
    field = Field(world.new_id("fld"), name, kind, body.get("property"), is_primary=primary)
    for item in (body.get("property") or {}).get("options", []) if kind in {3, 4} else []:
        field.options.append(Option(world.new_id("opt"), item["name"], item.get("color", 0)))
    table.fields.append(field)
    return field


def _check_property(kind: int, body: Json) -> None:
    if kind == 15 and "property" in body:
        raise ApiError(1254087, "property must be left out", status=400)
    wanted: Any = body.get("property")
    if wanted is None:
        return
    if not isinstance(wanted, dict):
        raise ApiError(PROPERTY_ERROR.get(kind, 1254080), status=400)
    if kind in {3, 4}:
        names = [str(item.get("name") or "") for item in wanted.get("options", [])]
        if "" in names:
            raise ApiError(1254026, status=400)
        colors = [item.get("color", 0) for item in wanted.get("options", [])]
        if len(set(names)) < len(names) or any(not 0 <= color <= 54 for color in colors):
            raise ApiError(PROPERTY_ERROR[kind], status=400)
    if kind == 5 and wanted.get("date_formatter", "yyyy/MM/dd") not in DATE_FORMATS:
        raise ApiError(1254084, status=400)


@route("GET", VIEWS)
def list_views(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    items = [
        {"view_id": view.id, "view_name": view.name, "view_type": view.type} for view in table.views
    ]
    return request.page(items, top=100)


@route("POST", VIEWS, writes_table=True, rate=(10, 1.0))
def create_view(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    name, kind = str(request.need("view_name", str)).strip(), request.body.get("view_type", "grid")
    if kind not in VIEW_TYPES:
        raise ApiError(1254019, status=400)
    if not name or len(name) > 100 or set(name) & set("[]"):
        raise ApiError(1254022, status=400)
    if any(view.name == name for view in table.views):
        raise ApiError(1254020, name, status=400)
    if len(table.views) >= MAX_VIEWS:
        raise ApiError(1254101)
    view = View(request.world.new_id("vew"), name, kind)
    table.views.append(view)
    table.revision += 1
    return {"view": {"view_id": view.id, "view_name": name, "view_type": kind}}


@route("PUT", "/open-apis/base/v3/bases/:app/tables/:table/views/:view/group", writes_table=True)
def group_view(request: Request) -> Json:
    table = request.world.table(request.params, request.app_id)
    view = next((item for item in table.views if item.id == request.params["view"]), None)
    if view is None:
        raise ApiError(1254042, request.params["view"])
    wanted = request.body.get("group_config")
    if view.type not in {"grid", "kanban", "gantt"} or not isinstance(wanted, list):
        raise ApiError(1254800, status=400)
    if len(wanted) > 3 or any(table.field_with(str(item.get("field"))) is None for item in wanted):
        raise ApiError(1254800, status=400)
    view.group = wanted
    table.revision += 1
    return {"group_config": wanted}
