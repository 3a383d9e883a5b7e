"""The live hub: the event stream and `wait`, beside Django and without rules of its own."""

from __future__ import annotations

from loopx_web.live.hub import Hub

__all__ = ["Hub"]
