"""What every sink is: a place that can be prepared, written by rows and read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

Value = str | int | float | datetime | None
Cells = Mapping[str, Value]  # column key -> value
ColumnKind = Literal["text", "choice", "number", "time"]


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    color: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    label: str
    kind: ColumnKind = "text"
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    key: str
    label: str
    kind: Literal["grid", "kanban"] = "grid"
    group_by: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be kept; its first column holds the stable key of a row."""

    key: str
    label: str
    columns: tuple[Column, ...]
    views: tuple[View, ...] = ()

    @property
    def key_column(self) -> Column:
        return self.columns[0]


@dataclass(frozen=True, slots=True)
class Stored:
    """A row as it stands in the sink, its cells brought back to our form."""

    record_id: str
    key: str
    cells: Cells


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that set-up did, or would do."""

    action: str  # create, set, keep, remove
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing `doctor` looked at; `remedy` says what a person does about it."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass
class SinkError(Exception):
    """A call that failed.

    permanent: nothing changes until a person does something. unclear: the write may have been
    applied, so look before sending again. lookup: our picture of the sink is out of date.
    """

    detail: str
    permanent: bool = False
    unclear: bool = False
    lookup: bool = False
    code: str = ""
    remedy: str = ""
    retry_after: float | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.code else self.detail


class Sink(Protocol):
    """One writer at a time holds a sink; every method may raise SinkError."""

    batch: int

    def prepare(self, tables: Sequence[Table], *, execute: bool) -> list[Step]:
        """Creates what is missing (or says what it would create); never deletes, never renames."""

    def schema(self, table: Table) -> list[str]:
        """Reads the columns; returns the keys of those that are gone."""

    def insert(self, table: Table, rows: Sequence[Cells], token: str) -> list[str]:
        """Adds rows, all or none; `token` makes a repeat of the same call harmless."""

    def update(self, table: Table, rows: Sequence[tuple[str, Cells]]) -> None:
        """Overwrites our cells of the rows named by record id."""

    def delete(self, table: Table, record_ids: Sequence[str]) -> None: ...

    def find(self, table: Table, keys: Sequence[str]) -> list[Stored]:
        """The rows that carry one of these keys, oldest first, doubles included."""

    def read(self, table: Table) -> Iterator[Stored]:
        """Every row that carries a key of ours."""

    def doctor(self, tables: Sequence[Table]) -> list[Finding]: ...
