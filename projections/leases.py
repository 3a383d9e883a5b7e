"""One writer per board, across workers and machines: a lease in the database, with an epoch."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from loopx_web import env
from projections.models import Board

# Longer than one call to a sink can take (it is renewed before each): once it has ended, nobody
# waits any more for an answer on the dead holder's behalf.
SECONDS = 90


def lease_seconds() -> int:
    return env.integer("LOOPX_PROJECTION_LEASE_SECONDS", SECONDS, low=1, high=3600)


class LeaseLost(Exception):
    """Another worker took the board over; whatever we hold is no longer ours to write."""


@dataclass
class Lease:
    board_id: int
    holder: str
    epoch: int
    clock: Callable[[], datetime]

    def renew(self) -> None:
        """Called before each write; raises LeaseLost when the board is no longer ours."""
        until = self.clock() + timedelta(seconds=lease_seconds())
        if not self._mine().update(lease_until=until):
            raise LeaseLost(f"board {self.board_id}")

    def release(self) -> None:
        self._mine().update(lease_holder="", lease_until=None)

    def _mine(self) -> QuerySet[Board]:
        return Board.objects.filter(
            pk=self.board_id, lease_holder=self.holder, lease_epoch=self.epoch
        )


def acquire(board_id: int, clock: Callable[[], datetime]) -> Lease | None:
    """The lease, or None while another holder's is live. The row count decides."""
    now = clock()
    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    free = Q(lease_holder="") | Q(lease_until__lte=now)
    taken = Board.objects.filter(free, pk=board_id).update(
        lease_holder=holder,
        lease_epoch=F("lease_epoch") + 1,
        lease_until=now + timedelta(seconds=lease_seconds()),
    )
    if not taken:
        return None
    epoch = Board.objects.values_list("lease_epoch", flat=True).get(pk=board_id)
    return Lease(board_id, holder, epoch, clock)
