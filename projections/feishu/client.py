"""Calls to Feishu through lark-oapi, with what the SDK leaves out: retries, resets, fresh tokens.

Plain dict bodies, because the SDK's typed models drop None and then no cell could be cleared.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from projections.feishu.credentials import Credentials
from projections.feishu.errors import CREDENTIALS, Verdict, remedy, verdict
from projections.feishu.sdk import Sdk, load
from projections.sink import SinkError

Json = dict[str, Any]
log = logging.getLogger(__name__)

TIMEOUT = (5.0, 30.0)  # seconds to connect, to wait for an answer
ATTEMPTS = 5
LONGEST_WAIT = 20.0  # a longer one is left to the board's next turn
RESET_HEADER = "x-ogw-ratelimit-reset"


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    status: int
    message: str
    data: Json
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def reset(self) -> float | None:
        raw = self.headers.get(RESET_HEADER, "")
        try:
            return float(raw)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The network failed; `sent` tells whether the request can have arrived."""

    reason: str
    sent: bool


class FeishuClient:
    def __init__(
        self,
        credentials: Credentials,
        *,
        heartbeat: Callable[[], None] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`heartbeat` is called before every request and every wait, to keep a lease alive."""
        if not credentials.complete:
            raise SinkError(
                "the worker has no Feishu credentials",
                permanent=True,
                code="no_credentials",
                remedy=CREDENTIALS,
            )
        self._credentials = credentials
        self._heartbeat, self._sleep = heartbeat, sleep
        self._written: dict[str, float] = {}

    def read(self, method: str, path: str, *, body: Json | None = None, **query: Any) -> Json:
        return self._call(method, path, body, query, repeatable=True)

    def write(
        self,
        method: str,
        path: str,
        *,
        body: Json,
        lane: str,
        repeatable: bool = True,
        **query: Any,
    ) -> Json:
        """A write in `lane` (a table): writes of one lane keep a pause between them.

        Not `repeatable` (creates): an answer that never came raises SinkError(unclear=True).
        """
        pause = self._credentials.pause - (time.monotonic() - self._written.get(lane, -1e9))
        if pause > 0:
            self._sleep(pause)
        try:
            return self._call(method, path, body, query, repeatable=repeatable)
        finally:
            self._written[lane] = time.monotonic()

    def _call(
        self, method: str, path: str, body: Json | None, query: Json, *, repeatable: bool
    ) -> Json:
        fresh_token = False
        for attempt in range(1, ATTEMPTS + 1):
            answer = self._once(method, path, body, query)
            if isinstance(answer, Answer) and answer.code == 0:
                return answer.data
            error, wait = self._judge(answer, attempt, repeatable=repeatable)
            if isinstance(answer, Answer) and verdict(answer.code, answer.status) is Verdict.TOKEN:
                if fresh_token:
                    raise _final(answer)
                fresh_token = True
                self._forget_token()
                continue
            if wait is None or attempt == ATTEMPTS:
                raise error
            self._heartbeat()
            self._sleep(wait)
        raise AssertionError("unreachable")

    def _judge(
        self, answer: Answer | NoAnswer, attempt: int, *, repeatable: bool
    ) -> tuple[SinkError, float | None]:
        """The error this answer amounts to, and how long to wait before another attempt."""
        backoff = _backoff(attempt)
        if isinstance(answer, NoAnswer):
            unclear = answer.sent and not repeatable
            error = SinkError(answer.reason, unclear=unclear, code="no_answer", retry_after=30)
            return error, None if unclear else backoff
        kind = verdict(answer.code, answer.status)
        if kind is Verdict.FINAL:
            return _final(answer), None
        if kind is Verdict.GONE:
            return _final(answer), backoff
        code, detail = str(answer.code), answer.message
        if kind is Verdict.LOOKUP:
            return SinkError(detail, lookup=True, code=code), None
        unclear = kind is Verdict.UNCLEAR and not repeatable
        wait = backoff if answer.reset is None else answer.reset + random.uniform(0.05, 0.3)
        error = SinkError(detail, unclear=unclear, code=code, retry_after=max(wait, 30))
        return error, None if unclear or wait > LONGEST_WAIT else wait

    def _once(self, method: str, path: str, body: Json | None, query: Json) -> Answer | NoAnswer:
        sdk = load()
        request = sdk.request()
        request.http_method = sdk.method[method]
        request.uri = path
        request.token_types = {sdk.tenant}
        request.headers = {"Content-Type": "application/json; charset=utf-8"}
        request.body = body
        for name, value in query.items():
            request.add_query(name, value)
        self._heartbeat()
        try:
            config, option = self._configuration(sdk), sdk.option()
            sdk.verify(config, request, option)
            return _answer(sdk.send(config, request, option))
        except sdk.no_token as error:
            code, words = getattr(error, "code", 0), getattr(error, "msg", "")
            return Answer(code, 400, f"no tenant token: {words}", {})
        except sdk.connect_timeout:
            return NoAnswer("Feishu cannot be reached: connecting took too long", sent=False)
        except sdk.network_error as error:
            return NoAnswer(f"no answer from Feishu ({type(error).__name__})", sent=_sent(error))
        except json.JSONDecodeError:
            # Only the token's answer is parsed by the SDK, so ours was not sent.
            return NoAnswer("Feishu's answer to the token request was no JSON", sent=False)

    def _configuration(self, sdk: Sdk) -> Any:
        config = sdk.config()
        config.app_id = self._credentials.app_id
        config.app_secret = self._credentials.app_secret
        config.domain = self._credentials.base_url
        config.timeout = TIMEOUT
        return config

    def _forget_token(self) -> None:
        """The SDK goes on sending a rejected token until its own clock runs out."""
        load().tokens.cache.set(f"self_tenant_token:{self._credentials.app_id}", "", 0)


def _answer(raw: Any) -> Answer | NoAnswer:
    headers = {str(name).lower(): str(value) for name, value in raw.headers.items()}
    try:
        body = json.loads(raw.content)
        code = int(body["code"])
    except (ValueError, KeyError, TypeError):
        return NoAnswer(f"Feishu answered HTTP {raw.status_code} without JSON", sent=True)
    error = body.get("error")
    detail = str(error.get("message") or "") if isinstance(error, dict) else ""
    message = ": ".join(part for part in (str(body.get("msg") or ""), detail) if part)
    log_id = headers.get("x-tt-logid", "")
    if code != 0:
        message += f" (log_id {log_id})" if log_id else ""
        log.info("Feishu answered %s, log_id %s", code, log_id)
    return Answer(code, raw.status_code, message, body.get("data") or {}, headers)


def _sent(error: Exception) -> bool:
    """Only a refused or failed connection proves that nothing arrived."""
    return "NewConnectionError" not in repr(error) and "NameResolutionError" not in repr(error)


def _backoff(attempt: int) -> float:
    return float(min(0.5 * 2 ** (attempt - 1), 8.0)) * random.uniform(0.8, 1.3)


def _final(answer: Answer) -> SinkError:
    return SinkError(
        answer.message, permanent=True, code=str(answer.code), remedy=remedy(answer.code)
    )
