"""Whether a worker runs beside this data directory; `/health` asks by the name in the settings."""

from __future__ import annotations

from django.conf import settings

from loopx_web.serve import lock


def worker() -> str:
    return "absent" if lock.holder(settings.DATA_DIR / lock.WORKER) is None else "ok"
