"""Who the worker is towards Feishu; read from the environment, never stored, never printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from loopx_web import env

DEFAULT_URL = "https://open.feishu.cn"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, slots=True)
class Credentials:
    app_id: str
    app_secret: str = field(repr=False)
    base_url: str = DEFAULT_URL
    pause: float = 0.5  # seconds between two writes to one table, as Feishu advises

    @property
    def complete(self) -> bool:
        return bool(self.app_id and self.app_secret)


def read() -> Credentials:
    return Credentials(
        app_id=env.text("LOOPX_FEISHU_APP_ID"),
        app_secret=env.text("LOOPX_FEISHU_APP_SECRET"),
        base_url=checked_url(env.text("LOOPX_FEISHU_BASE_URL") or DEFAULT_URL),
        pause=env.integer("LOOPX_FEISHU_PAUSE_MS", 500, low=0, high=60_000) / 1000,
    )


def checked_url(url: str) -> str:
    """https, or plain http to this machine: anything else would show the secret to the network."""
    parts = urlsplit(url.rstrip("/"))
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not secure or not parts.netloc or "@" in parts.netloc or parts.path or parts.query:
        raise env.BadSetting(
            f"LOOPX_FEISHU_BASE_URL: {url!r} is neither https://host nor http:// on this machine"
        )
    return f"{parts.scheme}://{parts.netloc}"
