"""Opens the sink that a board names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from projections.models import Board
from projections.sink import Sink

Opener = Callable[[Board, Callable[[], None]], Sink]


def open_sink(board: Board, heartbeat: Callable[[], None]) -> Sink:
    """`heartbeat` keeps the caller's lease alive while calls take their time."""
    return OPENERS[board.sink](board, heartbeat)


def _feishu(board: Board, heartbeat: Callable[[], None]) -> Sink:
    from projections.feishu import credentials
    from projections.feishu.board import FeishuSink
    from projections.feishu.client import FeishuClient
    from projections.feishu.schema import Place

    def remember(place: Place) -> None:
        board.place = asdict(place)
        Board.objects.filter(pk=board.pk).update(place=board.place)

    return FeishuSink(
        FeishuClient(credentials.read(), heartbeat=heartbeat),
        Place(**board.place),
        title=board.title,
        link_sharing=board.link_sharing,
        viewers=list(board.viewers),
        remember=remember,
    )


OPENERS: dict[str, Opener] = {"feishu": _feishu}
