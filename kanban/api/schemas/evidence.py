"""Evidence."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from kanban.api.schemas.base import Body, Moment, Ref, Refs, Seconds

EvidenceKind = Literal[
    "test", "metric", "diff", "url", "pull_request", "log", "note", "decision", "artifact"
]
Verdict = Literal["supports", "contradicts", "inconclusive"]


class EvidenceIn(Body):
    kind: EvidenceKind
    verdict: Verdict
    summary: str
    ref: Annotated[str, Field(max_length=2_000)] | None = None
    data: dict[str, Any] | None = None
    observed_at: Moment | None = None
    valid_seconds: Seconds | None = None
    supports: Refs | None = None


class Invalidate(Body):
    reason: str
    replaced_by: Ref | None = None


def _new_or_recorded(value: Any) -> str:
    return "recorded" if isinstance(value, str) else "new"


# New evidence, or the number of some that is recorded already.
EvidenceItem = Annotated[
    Annotated[Annotated[str, Field(pattern=r"^E[1-9][0-9]{0,8}$")], Tag("recorded")]
    | Annotated[EvidenceIn, Tag("new")],
    Discriminator(_new_or_recorded),
]
EvidenceItems = Annotated[list[EvidenceItem], Field(max_length=50)]


def evidence_given(items: list[Any] | None) -> list[Any]:
    """The items as the kernel takes them."""
    return [item if isinstance(item, str) else item.given() for item in items or ()]
