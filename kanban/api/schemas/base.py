"""What every request body has in common: strict types, and no field that is not known."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator


class Body(BaseModel):
    """`given()` is what the caller sent; null means the same as leaving the field out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self, *without: str) -> dict[str, Any]:
        return self.model_dump(
            exclude_unset=True, exclude_none=True, by_alias=True, exclude={*without}
        )


class Change(Body):
    """A PATCH: null clears a field that may be empty, and is refused for every other."""

    clearable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _refuse_null(self) -> Change:
        nulls = [name for name in self.model_fields_set if getattr(self, name) is None]
        if wrong := sorted({*nulls} - self.clearable):
            raise ValueError(f"{', '.join(wrong)} cannot be null")
        return self

    def given(self, *without: str) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True, exclude={*without})


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or len(value) < 20 or value[10] not in "Tt ":
        raise ValueError("is an RFC 3339 time such as 2026-01-31T09:00:00Z")
    try:
        moment = datetime.fromisoformat(value)
        aware = moment.tzinfo is not None
        utc = moment.astimezone(UTC) if aware else moment
    except (ValueError, OverflowError):
        raise ValueError("is an RFC 3339 time such as 2026-01-31T09:00:00Z") from None
    if not aware:
        raise ValueError("has no time zone; append Z for UTC")
    return utc


def _date(value: Any) -> Any:
    if isinstance(value, str) and len(value) == 10:
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise ValueError("is a date such as 2026-01-31")


def _number(value: Any) -> Any:
    """Whole figures may stand where fractions are possible."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


Moment = Annotated[datetime, BeforeValidator(_moment)]
Day = Annotated[date, BeforeValidator(_date)]
Number = Annotated[float, BeforeValidator(_number)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Big = Annotated[int, Field(ge=0, le=2**53)]
# The kernel says which leases it gives; this only keeps out what no span of time can hold.
LeaseSeconds = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Seconds = Annotated[int, Field(ge=0, le=10 * 366 * 86400)]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Slug = Annotated[str, Field(min_length=1, max_length=100)]
Ref = Annotated[str, Field(pattern=r"^[TGEAQ][1-9][0-9]{0,8}$")]
Refs = Annotated[list[Ref], Field(max_length=200)]
Words = Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=200)]
ExecutionKey = Annotated[str, Field(min_length=1, max_length=200)]
Epoch = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Fenced(Body):
    """What an owner sends with an operator: which of its processes, under which claim."""

    execution_key: ExecutionKey = ""
    epoch: Epoch | None = None


class Nothing(Body):
    """Where the address says it all: an empty body, or none."""


class Reason(Body):
    reason: str | None = None
