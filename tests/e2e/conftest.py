"""What end-to-end runs share: the installed wheel, and the example's programs as processes."""

from __future__ import annotations

from tests.packaging.test_wheel import installed, wheel

__all__ = ["installed", "wheel"]
