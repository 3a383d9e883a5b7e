"""What the web process itself refuses, before any rule of the kernel is asked."""

from __future__ import annotations

import json

TITLES = {
    400: "Not a request this server understands",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "The request took too long to arrive",
    413: "Too large",
    421: "Not the host you are looking for",
    422: "Cannot be accepted as it stands",
    500: "Internal error",
    503: "Busy",
}


class Refused(Exception):
    """Carries an RFC 9457 problem; `headers` go with the answer (Allow, Retry-After)."""

    def __init__(self, status: int, code: str, detail: str, hint: str = "", **headers: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def body(self) -> bytes:
        problem = {
            "type": f"urn:loopx:problem:{self.code}",
            "title": TITLES[self.status],
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "hint": self.hint,
        }
        return json.dumps(problem, ensure_ascii=False).encode()


def too_large(limit: int) -> Refused:
    return Refused(
        413,
        "too_large",
        f"The body is larger than {limit} bytes; nothing was changed.",
        "Send less at once: split the list, or store the data elsewhere and send a reference.",
    )


def too_slow(seconds: float) -> Refused:
    return Refused(
        408,
        "request_timeout",
        f"The body did not arrive within {seconds:g} seconds; nothing was changed.",
        "Send the request again, with the same Idempotency-Key if it has one.",
    )


def bad_request(detail: str) -> Refused:
    return Refused(400, "bad_request", detail, "Nothing was changed. Correct the request.")


def foreign_host(host: str) -> Refused:
    return Refused(
        421,
        "host_not_allowed",
        f"This server does not answer to the name {host!r}.",
        "If the name is yours, the owner adds it to LOOPX_ALLOWED_HOSTS and restarts the server.",
    )


def foreign_origin(origin: str) -> Refused:
    return Refused(
        403,
        "cross_origin",
        f"A page of another origin ({origin}) sent this request; nothing was changed.",
        "Open the board itself and repeat the action there; programs send a Bearer token.",
    )


def method_not_allowed(allowed: str) -> Refused:
    return Refused(
        405, "method_not_allowed", f"Only {allowed} is possible here.", "", allow=allowed
    )


def busy(detail: str) -> Refused:
    return Refused(
        503,
        "busy",
        detail,
        "Nothing was changed. Send the same again in a second.",
        retry_after="1",
    )


def broken(reference: str) -> Refused:
    return Refused(
        500,
        "internal",
        f"Something failed inside the server (reference {reference}).",
        "Look for the reference in the server's log; repeat the request with the same key.",
    )
