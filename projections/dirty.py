"""What must be written: the rows as they should be against what was last written, by digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from projections.models import Row
from projections.render import Rendered


@dataclass(frozen=True, slots=True)
class Plan:
    add: list[Rendered] = field(default_factory=list)
    change: list[tuple[Row, Rendered]] = field(default_factory=list)
    remove: list[Row] = field(default_factory=list)
    unchanged: int = 0

    @property
    def empty(self) -> bool:
        return not (self.add or self.change or self.remove)


def plan(desired: Mapping[str, Rendered], known: Iterable[Row]) -> Plan:
    """A row whose last write was never confirmed has no digest and so counts as changed."""
    rows = {row.key: row for row in known}
    found = Plan(
        add=[item for key, item in desired.items() if key not in rows],
        change=[
            (rows[key], item)
            for key, item in desired.items()
            if key in rows and rows[key].digest != item.digest
        ],
        remove=[row for key, row in rows.items() if key not in desired],
    )
    return Plan(
        found.add, found.change, found.remove, len(desired) - len(found.add) - len(found.change)
    )
