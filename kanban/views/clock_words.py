"""Spans and moments in words; the page's script keeps the same words true while it is open."""

from __future__ import annotations

import json
from datetime import datetime

from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from kanban.queries import clock


def duration(seconds: float) -> str:
    """Such as "2 h 10 min": the form that js/clock.js writes as well."""
    whole = max(0, round(seconds))
    if whole < 60:
        return _("{n} s").format(n=whole)
    minutes = whole // 60
    if minutes < 60:
        return _("{n} min").format(n=minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 24:
        spoken = _("{n} h").format(n=hours)
        return f"{spoken} {_('{n} min').format(n=rest)}" if rest else spoken
    days = hours // 24
    return _("{n} day").format(n=days) if days == 1 else _("{n} days").format(n=days)


def script_words() -> str:
    """The unit words for js/clock.js, as JSON."""
    patterns = {
        "seconds": _("{n} s"),
        "minutes": _("{n} min"),
        "hours": _("{n} h"),
        "day": _("{n} day"),
        "days": _("{n} days"),
    }
    return json.dumps({name: text.replace("{n}", "%s") for name, text in patterns.items()})


def moment(at: datetime | None, form: str) -> SafeString | str:
    """A <time> element; `form` is age, left, clock, point or day (js/clock.js knows the same)."""
    if at is None:
        return "–"
    return format_html(
        '<time datetime="{}" data-as="{}">{}</time>', at.isoformat(), form, _written(at, form)
    )


def _written(at: datetime, form: str) -> str:
    now = clock.now()
    if form == "age":
        return duration((now - at).total_seconds())
    if form == "left":
        return duration((at - now).total_seconds())
    spoken = formats.date_format(at, "H:i")
    if form == "clock":
        return spoken
    day = formats.date_format(at, "MONTH_DAY_FORMAT")
    if form == "day":
        return day
    return f"{spoken} UTC" if at.date() == now.date() else f"{day} {spoken} UTC"
