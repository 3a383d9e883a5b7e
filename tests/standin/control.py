"""The stand-in's own addresses under /_standin/, for tests that run it as a program."""

from __future__ import annotations

import json
from typing import Any

from tests.standin.faults import Fault
from tests.standin.serving import Service
from tests.standin.world import Base, Json, Table

_ordered: dict[int, Fault] = {}


def control(service: Service, method: str, path: str, query: dict[str, str], text: str) -> Json:
    match method, path.removeprefix("/_standin/"):
        case "GET", "bases":
            return {"bases": [_base(base) for base in service.world.bases.values()]}
        case "GET", "journal":
            return _journal(service)
        case "DELETE", "journal":
            service.journal.clear()
            return {}
        case "POST", "faults":
            return _order(service, json.loads(text))
        case "GET", "faults":
            return {"faults": [_fault(number, fault) for number, fault in _ordered.items()]}
        case "POST", "release":
            _ordered[int(query["fault"])].release()
            return {}
    return {"error": f"no such order: {method} {path}"}


def _order(service: Service, body: Json) -> Json:
    kind, match = str(body.pop("kind")), str(body.pop("match", ""))
    fault = service.faults.add(kind, match, **body)
    _ordered[len(_ordered) + 1] = fault
    return {"fault": len(_ordered)}


def _fault(number: int, fault: Fault) -> Json:
    return {
        "fault": number,
        "kind": fault.kind,
        "struck": fault.struck,
        "reached": fault.reached.is_set(),
    }


def _journal(service: Service) -> Json:
    calls = [
        {"method": c.method, "path": c.path, "name": c.name, "status": c.status, "code": c.code}
        for c in service.journal.calls
    ]
    return {"calls": calls, "misbehaviour": service.journal.misbehaviour}


def _base(base: Base) -> Json:
    tables: list[Any] = [_table(table) for table in base.tables.values()]
    return {
        "app_token": base.token,
        "name": base.name,
        "tables": tables,
        "public": base.public,
        "members": base.members,
    }


def _table(table: Table) -> Json:
    return {
        "table_id": table.id,
        "name": table.name,
        "fields": [item.present() for item in table.fields],
        "views": [vars(view) for view in table.views],
        "rows": table.rows(),
    }
