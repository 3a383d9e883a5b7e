"""The refusals of the kernel: one small hierarchy, each with a stable code."""

from __future__ import annotations

from typing import Any, ClassVar


class LoopxError(Exception):
    """A refusal that the person or program who meets it can act upon.

    `code` is stable and public, `detail` names the fact, `hint` says what to do next, `extra`
    carries fields such as `owner` or `current_version`.
    """

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"

    def __init__(self, code: str, detail: str, hint: str = "", **extra: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.hint = hint
        self.extra = extra

    def problem(self) -> dict[str, Any]:
        """The body of an RFC 9457 problem."""
        return {
            "type": f"urn:loopx:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "hint": self.hint,
            **self.extra,
        }


class Conflict(LoopxError):
    """The present state does not allow it."""

    status = 409
    title = "Refused by the present state"


class NotAllowed(LoopxError):
    """The caller may not do it, whatever the state."""

    status = 403
    title = "Not allowed"


class NotFound(LoopxError):
    """It is not there, or the caller may not see it."""

    status = 404
    title = "Not found"


class Stale(LoopxError):
    """The caller wrote against an older version than the present one."""

    status = 412
    title = "Written against an older version"


class Invalid(LoopxError):
    """The request itself cannot be accepted."""

    status = 422
    title = "Cannot be accepted as it stands"


class Busy(LoopxError):
    """Other writers were ahead for too long; the same request may be sent again."""

    status = 503
    title = "Busy"


# Every code that a rule may raise, with its HTTP status (the contract's table).
CODES: dict[str, int] = {
    **dict.fromkeys(
        """
    already_claimed lease_lost lease_expired other_execution lease_corrupt
    scope_conflict too_many_claims todo_closed not_runnable gate_open gate_changed
    gate_ended already_answered undo_over goal_not_active not_now quota_exhausted
    idempotency_mismatch cycle exists
    """.split(),
        409,
    ),
    **dict.fromkeys("human_required not_member not_owner excluded agent_mismatch".split(), 403),
    "not_found": 404,
    "stale_version": 412,
    **dict.fromkeys(
        """
    vague_question continuation_required evidence_required check_required invalid_ttl
    invalid unknown_field
    """.split(),
        422,
    ),
    "busy": 503,
}


def missing(what: str, ref: str) -> NotFound:
    return NotFound("not_found", f"There is no {what} {ref!r} here.", "Check the name or number.")


def invalid(detail: str, hint: str = "", **extra: Any) -> Invalid:
    return Invalid("invalid", detail, hint, **extra)
