"""Quota in words: the bar, the headline, the figures."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kanban.queries.quota_page import Meter, QuotaPage
from kanban.views.clock_words import moment
from kanban.views.why_words import reason_words


def quota_words(meter: Meter) -> str:
    """The text beside the bar."""
    if meter.paused:
        return _("paused")
    if meter.lack:
        return _("used up")
    # xgettext:no-python-format
    return _("{n} % used").format(n=meter.percent)


def quota_headline(page: QuotaPage) -> str:
    meter = page.meter
    if meter.paused:
        return _("Paused: no turn begins until the share is raised.")
    if meter.lack:
        what = reason_words(meter.lack)
        if not meter.recovers_at:
            return what
        again = format_html(
            _("There is room again {point}."), point=moment(meter.recovers_at, "point")
        )
        return format_html("{} {}", what, again)
    free = meter.allowed - meter.spent - meter.held
    left = ngettext("{n} slot is left.", "{n} slots are left.", free).format(n=free)
    # xgettext:no-python-format
    return _("{n} % is used.").format(n=meter.percent) + " " + left


def slots_words(page: QuotaPage) -> str:
    meter = page.meter
    return _("{spent} of {allowed} spent, {held} held for turns under way").format(
        spent=meter.spent, allowed=meter.allowed, held=meter.held
    )


def window_words(page: QuotaPage) -> str:
    policy = page.policy
    hours = ngettext("the last {n} hour", "the last {n} hours", policy.window_hours)
    return _("Counts {window}; one slot stands for {minutes} min.").format(
        window=hours.format(n=policy.window_hours), minutes=policy.slot_minutes
    )


def money(micros: int) -> str:
    return f"${micros / 1_000_000:.2f}"


def thousands(value: int) -> str:
    return f"{value:,}"


def stats(page: QuotaPage) -> list[dict[str, str]]:
    """The figures under the bar: each with what it is measured against."""
    policy = page.policy
    cost = money(page.cost_micros)
    if policy.cost_budget_micros is not None:
        cost = _("{used} of {budget}").format(used=cost, budget=money(policy.cost_budget_micros))
    tokens = f"{page.tokens:,}"
    if policy.token_budget is not None:
        tokens = _("{used} of {budget}").format(used=tokens, budget=f"{policy.token_budget:,}")
    return [
        {"label": _("Slots"), "value": f"{page.meter.spent} / {page.meter.allowed}"},
        {"label": _("Money"), "value": cost},
        {"label": _("Tokens"), "value": tokens},
        {
            "label": _("Given back"),
            "value": str(page.released),
            "note": _("turns that ended without progress and cost nothing"),
        },
    ]
