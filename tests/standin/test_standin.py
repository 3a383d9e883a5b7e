"""The stand-in itself: strict where Feishu is documented, misbehaving on order."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.standin.feishu import StandIn

Json = dict[str, Any]


class Caller:
    """A bare HTTP caller, so that the stand-in is judged without our client."""

    def __init__(self, standin: StandIn) -> None:
        self.standin = standin
        body = {"app_id": standin.app_id, "app_secret": standin.app_secret}
        path = "/open-apis/auth/v3/tenant_access_token/internal"
        self.token = self("POST", path, body, token="")["tenant_access_token"]
        app = self("POST", "/open-apis/bitable/v1/apps", {"name": "Trial"})["data"]["app"]
        self.base = f"/open-apis/bitable/v1/apps/{app['app_token']}"
        self.table = f"{self.base}/tables/{app['default_table_id']}"

    def __call__(
        self, method: str, path: str, body: Json | None = None, *, token: str | None = None
    ) -> Json:
        request = urllib.request.Request(
            self.standin.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token if token is None else token}"},
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return dict(json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            return {"http": error.code, **json.loads(error.read())}

    def create(self, *fields: Json, token: str | None = "new") -> Json:
        query = f"?client_token={uuid.uuid4() if token == 'new' else token}" if token else ""
        body = {"records": [{"fields": item} for item in fields]}
        return self("POST", f"{self.table}/records/batch_create{query}", body)

    def search(self, body: Json | None = None) -> list[Json]:
        answer = self("POST", f"{self.table}/records/search?page_size=500", body or {})
        return [item for item in answer["data"]["items"] if item["fields"]]


@pytest.fixture
def standin() -> Iterator[StandIn]:
    with StandIn() as server:
        yield server


@pytest.fixture
def call(standin: StandIn) -> Caller:
    return Caller(standin)


def test_text_is_echoed_plain_and_read_back_in_segments(call: Caller) -> None:
    written = call.create({"Text": "see https://a.example/x now"})
    assert written["data"]["records"][0]["fields"]["Text"] == "see https://a.example/x now"
    (row,) = call.search()
    assert [part["type"] for part in row["fields"]["Text"]] == ["text", "url", "text"]


def test_empty_cells_are_absent_and_null_clears(call: Caller) -> None:
    record_id = call.create({"Text": "a", "Date": 1_700_000_000_000})["data"]["records"][0]["id"]
    body = {"records": [{"record_id": record_id, "fields": {"Date": None}}]}
    call("POST", f"{call.table}/records/batch_update", body)
    assert set(call.search()[0]["fields"]) == {"Text"}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Text": 3}, 1254060),
        ({"Single option": ["a"]}, 1254062),
        ({"Date": "2026-01-01"}, 1254064),
        ({"Nobody": "x"}, 1254045),
        ({"Text": "x" * 100_001}, 1254130),
    ],
)
def test_wrong_values_are_refused_with_http_200(call: Caller, fields: Json, code: int) -> None:
    answer = call.create({"Text": "good"}, fields)
    assert (answer["code"], answer.get("http")) == (code, None)
    assert call.search() == [], "a batch happens whole or not at all"


def test_an_unknown_option_creates_one(call: Caller) -> None:
    call.create({"Single option": "Brand new"})
    fields = call("GET", f"{call.table}/fields")["data"]["items"]
    options = next(item for item in fields if item["field_name"] == "Single option")
    assert [option["name"] for option in options["property"]["options"]] == ["Brand new"]


def test_limits(call: Caller) -> None:
    assert call.create(*({"Text": "x"} for _ in range(1001)))["code"] == 1254104
    assert call("POST", f"{call.table}/records/search?page_size=501", {})["code"] == 99992402
    ids = [f"rec{n}" for n in range(501)]
    assert call("POST", f"{call.table}/records/batch_delete", {"records": ids})["code"] == 1254104


def test_a_url_column_takes_no_property(call: Caller) -> None:
    body: Json = {"field_name": "Link", "type": 15, "property": {}}
    assert call("POST", f"{call.table}/fields", body)["code"] == 1254087
    del body["property"]
    assert call("POST", f"{call.table}/fields", body)["code"] == 0


def test_client_token_replays_conflicts_and_must_be_uuid4(call: Caller) -> None:
    token = str(uuid.uuid4())
    first = call.create({"Text": "a"}, token=token)
    assert call.create({"Text": "a"}, token=token) == first
    assert call.create({"Text": "b"}, token=token)["code"] == 1255006
    assert call.create({"Text": "c"}, token=str(uuid.uuid1()))["code"] == 1254037
    assert len(call.search()) == 1


def test_a_create_without_client_token_is_noted(standin: StandIn, call: Caller) -> None:
    call.create({"Text": "a"}, token=None)
    assert [kind for kind, _ in standin.journal.misbehaviour] == ["create_without_client_token"]


def test_seconds_instead_of_milliseconds_are_noted(standin: StandIn, call: Caller) -> None:
    call.create({"Date": 1_700_000_000})
    assert [kind for kind, _ in standin.journal.misbehaviour] == ["seconds"]


def test_one_writer_per_table(standin: StandIn, call: Caller) -> None:
    held = standin.fault("hold_before", "batch_create")
    first = threading.Thread(target=call.create, args=({"Text": "slow"},))
    first.start()
    assert held.reached.wait(10)
    assert call.create({"Text": "second"})["code"] == 1254291
    held.release()
    first.join(10)
    assert [kind for kind, _ in standin.journal.misbehaviour] == ["concurrent_write"]
    assert len(call.search()) == 1


def test_token_in_flight_is_told_apart_from_a_finished_one(standin: StandIn, call: Caller) -> None:
    token = str(uuid.uuid4())
    held = standin.fault("hold_before", "batch_create")
    first = threading.Thread(target=call.create, args=({"Text": "a"},), kwargs={"token": token})
    first.start()
    assert held.reached.wait(10)
    assert call.create({"Text": "a"}, token=token)["code"] == 1254608
    held.release()
    first.join(10)
    assert call.create({"Text": "a"}, token=token)["code"] == 0
    assert len(call.search()) == 1


def test_throttle_carries_the_reset_and_an_early_retry_is_noted(
    standin: StandIn, call: Caller
) -> None:
    standin.fault("throttle", "batch_create", reset=30)
    answer = call.create({"Text": "a"})
    assert (answer["http"], answer["code"]) == (429, 99991400)
    call.create({"Text": "a"})
    assert [kind for kind, _ in standin.journal.misbehaviour] == ["retry_before_reset"]


def test_expired_token_and_foreign_base(standin: StandIn, call: Caller) -> None:
    standin.fault("token_expired", "GET")
    assert call("GET", f"{call.base}/tables")["code"] == 99991663
    assert call("GET", f"{call.base}/tables", token="")["code"] in {99991661, 99991671}


def test_permissions_are_checked(call: Caller) -> None:
    path = call.base.replace("/bitable/v1/apps/", "/drive/v2/permissions/") + "/public?type=bitable"
    assert call("PATCH", path, {"link_share_entity": "anyone_readable"})["code"] == 1063001
    assert call("PATCH", path, {"link_share_entity": "tenant_readable"})["code"] == 0


def test_as_a_program_it_shows_tables_and_takes_orders(standin: StandIn, call: Caller) -> None:
    call.create({"Text": "a"})
    (base,) = call("GET", "/_standin/bases")["bases"]
    assert [row for row in base["tables"][0]["rows"] if row] == [{"Text": "a"}]
    order = call("POST", "/_standin/faults", {"kind": "conflict", "match": "batch_create"})
    assert call.create({"Text": "b"})["code"] == 1254291
    (fault,) = [
        f for f in call("GET", "/_standin/faults")["faults"] if f["fault"] == order["fault"]
    ]
    assert fault["struck"] == 1
    assert call("GET", "/_standin/journal")["calls"][-1]["code"] == 1254291
    call("DELETE", "/_standin/journal")
    assert call("GET", "/_standin/journal") == {"calls": [], "misbehaviour": []}


def test_documented_rates_on_request() -> None:
    with StandIn(rates=True) as server:
        caller = Caller(server)
        codes = [caller("GET", f"{caller.base}/tables").get("code") for _ in range(25)]
        assert codes.count(99991400) >= 1
