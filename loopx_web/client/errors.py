"""What the client raises: one class per kind of refusal, each carrying the server's `code`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LEASE_CODES = frozenset({"lease_lost", "lease_expired", "other_execution", "lease_corrupt"})


class LoopXError(Exception):
    """A call that did not do what was asked.

    `code` is stable; `detail` names the fact, `hint` what to do next; `problem` is the whole
    RFC 9457 body, with fields such as `owner` or `current_version`.
    """

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.problem = dict(problem)
        self.code = str(problem.get("code") or "internal")
        self.status = int(problem.get("status") or 0)
        self.detail = str(problem.get("detail") or problem.get("title") or "")
        self.hint = str(problem.get("hint") or "")
        super().__init__(f"{self.code}: {self.detail}" + (f" {self.hint}" if self.hint else ""))


class Conflict(LoopXError):
    """The present state does not allow it (409, 412)."""


class NotNow(Conflict):
    """`begin` found that the answer is no longer yes; `decision` says what it is instead."""

    @property
    def decision(self) -> dict[str, Any]:
        found = self.problem.get("decision")
        return found if isinstance(found, dict) else {}


class LeaseLost(Conflict):
    """The fence refused a late or foreign write: the work belongs to someone else, or nobody."""


class Invalid(LoopXError):
    """The request itself cannot be accepted (400, 405, 413, 415, 422)."""


class Unauthenticated(LoopXError):
    """No token, or one that is unknown, expired or revoked (401)."""


class NotAllowed(LoopXError):
    """The caller may not do it, whatever the state (403); `human_required` among others."""


class NotFound(LoopXError):
    """It is not there, or the caller may not see it (404)."""


class RateLimited(LoopXError):
    """Too many calls (429), after the retries."""


class Busy(LoopXError):
    """The server asked to come back later (503), after the retries."""


class ServerFault(LoopXError):
    """The server failed (5xx); `problem` holds a reference id for its log."""


class Unreachable(LoopXError):
    """No server answered; whether a write arrived is unknown, repeating it with its key is safe."""

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(
            {
                "code": "unreachable",
                "title": "Cannot reach the server",
                "detail": f"No answer from {server}: {reason}.",
                "hint": "Start it with `loopx serve`, or name another with LOOPX_SERVER.",
            }
        )


def from_problem(status: int, problem: Mapping[str, Any]) -> LoopXError:
    """The exception for an answer of 400 or more."""
    body = {"status": status, **problem}
    code = body.get("code")
    if code == "not_now":
        return NotNow(body)
    if code in LEASE_CODES:
        return LeaseLost(body)
    kinds: dict[int, type[LoopXError]] = {
        401: Unauthenticated,
        403: NotAllowed,
        404: NotFound,
        409: Conflict,
        412: Conflict,
        429: RateLimited,
        503: Busy,
    }
    return kinds.get(status, ServerFault if status >= 500 else Invalid)(body)


def exit_code(error: LoopXError) -> int:
    """1 refused by state, 3 no server, 4 not authorised."""
    if isinstance(error, Unreachable | Busy):
        return 3
    return 4 if isinstance(error, Unauthenticated | NotAllowed) else 1
