"""What the stand-in holds: bases, tables, fields, views, records and permissions."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tests.standin.errors import ApiError

Json = dict[str, Any]

INDEX_TYPES = {1, 2, 5, 13, 15, 20, 22}


@dataclass
class Option:
    id: str
    name: str
    color: int


@dataclass
class Field:
    id: str
    name: str
    type: int
    property: Json | None = None
    options: list[Option] = field(default_factory=list)
    is_primary: bool = False

    def present(self) -> Json:
        body: Json = {
            "field_id": self.id,
            "field_name": self.name,
            "type": self.type,
            "is_primary": self.is_primary,
            "property": self.property,
        }
        if self.type in {3, 4}:
            body["property"] = {"options": [vars(option) for option in self.options]}
        return body


@dataclass
class View:
    id: str
    name: str
    type: str
    group: list[Json] = field(default_factory=list)
    property: Json | None = None


@dataclass
class Record:
    id: str
    cells: Json  # field id -> stored value
    created: int
    modified: int
    modified_by: str


@dataclass
class Table:
    id: str
    name: str
    fields: list[Field]
    views: list[View]
    records: dict[str, Record] = field(default_factory=dict)
    revision: int = 1
    busy: threading.Lock = field(default_factory=threading.Lock)
    holder: Any = None  # the request that is writing now

    def field_named(self, name: str) -> Field | None:
        return next((item for item in self.fields if item.name == name), None)

    def field_with(self, key: str) -> Field | None:
        return next((item for item in self.fields if key in {item.id, item.name}), None)

    def rows(self) -> list[Json]:
        """The records by field name in their stored form, for assertions."""
        names = {item.id: item.name for item in self.fields}
        return [
            {names[key]: value for key, value in record.cells.items() if key in names}
            for record in self.records.values()
        ]


@dataclass
class Base:
    token: str
    name: str
    owner: str
    tables: dict[str, Table] = field(default_factory=dict)
    default_table: str = ""
    public: Json = field(default_factory=dict)
    members: list[Json] = field(default_factory=list)

    def table_named(self, name: str) -> Table:
        return next(table for table in self.tables.values() if table.name == name)


class World:
    """All state of one stand-in; `lock` is held while a request is applied."""

    def __init__(self, apps: dict[str, str]) -> None:
        self.apps = dict(apps)
        self.bases: dict[str, Base] = {}
        self.tokens: dict[str, tuple[str, float]] = {}
        self.lock = threading.RLock()
        self._numbers = itertools.count(1)

    def new_id(self, prefix: str, width: int = 10) -> str:
        return f"{prefix}{next(self._numbers):0{width}x}"

    def now_ms(self) -> int:
        return int(time.time() * 1000)

    def base(self, token: str, app_id: str) -> Base:
        base = self.bases.get(token)
        if base is None:
            raise ApiError(1254040, f"app_token {token}")
        if base.owner != app_id:
            raise ApiError(91403, "the app is no collaborator of this base", status=403)
        return base

    def table(self, params: dict[str, str], app_id: str) -> Table:
        base = self.base(params["app"], app_id)
        table = base.tables.get(params["table"])
        if table is None:
            raise ApiError(1254041, f"table_id {params['table']}")
        return table

    def only_base(self) -> Base:
        (base,) = self.bases.values()
        return base

    def identity(self, app_id: str) -> str:
        return f"ou_app_{app_id}"
