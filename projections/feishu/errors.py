"""What Feishu's codes mean for us: send again, once more, look first, or call a person."""

from __future__ import annotations

from enum import Enum
from typing import Final

from django.utils.translation import gettext_noop as _


class Verdict(Enum):
    TOKEN = "token"  # fetch a new tenant token, then once more
    RETRY = "retry"  # not applied: wait and send again
    UNCLEAR = "unclear"  # a server-side hiccup: perhaps applied
    LOOKUP = "lookup"  # our picture is out of date
    GONE = "gone"  # right after creation it may pass; later it is final
    FINAL = "final"  # a person must do something


VERDICTS: Final[dict[int, Verdict]] = {
    99991663: Verdict.TOKEN,
    99991664: Verdict.TOKEN,
    99991400: Verdict.RETRY,
    1254036: Verdict.RETRY,
    1254112: Verdict.RETRY,
    1254290: Verdict.RETRY,
    1254291: Verdict.RETRY,
    1254301: Verdict.RETRY,
    1254607: Verdict.RETRY,
    1066001: Verdict.RETRY,
    1066002: Verdict.RETRY,
    1254002: Verdict.UNCLEAR,
    1254608: Verdict.UNCLEAR,
    1255001: Verdict.UNCLEAR,
    1255002: Verdict.UNCLEAR,
    1255003: Verdict.UNCLEAR,
    1255004: Verdict.UNCLEAR,
    1255005: Verdict.UNCLEAR,
    1255040: Verdict.UNCLEAR,
    1254040: Verdict.GONE,
    1254041: Verdict.GONE,
    1254042: Verdict.GONE,
    1254044: Verdict.GONE,
    1254013: Verdict.LOOKUP,
    1254014: Verdict.LOOKUP,
    1254020: Verdict.LOOKUP,
    1254043: Verdict.LOOKUP,
    1254045: Verdict.LOOKUP,
    1254104: Verdict.LOOKUP,
    1255006: Verdict.LOOKUP,
}

CREDENTIALS: Final = _(
    "Check LOOPX_FEISHU_APP_ID and LOOPX_FEISHU_APP_SECRET (or …_FILE) of the worker, "
    "then restart it."
)
GONE: Final = _(
    "The base or table was deleted, or the app lost it. Restore it from Feishu's recycle bin, "
    "or run set-up for a new board."
)
PERMISSION: Final = _(
    "Give the app full access to the base again (Share, add the app, full access), then sync."
)
SCOPE: Final = _(
    "Add the missing permission to the app in the developer console, publish a version, then sync."
)
FULL: Final = _("The table is full. Archive finished goals or start a new board for new goals.")

REMEDIES: Final[dict[int, str]] = {
    10003: CREDENTIALS,
    10014: CREDENTIALS,
    99991662: _("The app is switched off: enable it in the developer console, then sync."),
    99991663: CREDENTIALS,
    99991672: SCOPE,
    99991673: SCOPE,
    99991676: SCOPE,
    91402: GONE,
    91403: PERMISSION,
    1063002: PERMISSION,
    1254040: GONE,
    1254041: GONE,
    1254302: PERMISSION,
    1254304: PERMISSION,
    1254306: _("The tenant's plan does not allow this; ask its administrator."),
    1254100: _("The base holds the highest number of tables; remove one that nobody needs."),
    1254103: FULL,
    1254105: _("The table holds the highest number of columns; remove one that nobody needs."),
}
UNKNOWN_REMEDY: Final = _(
    "Feishu refused the request for good. Look its code up, correct the cause, then sync."
)


def verdict(code: int, status: int) -> Verdict:
    """Codes we do not know are final, except where the HTTP status tells of a passing trouble."""
    if code in VERDICTS:
        return VERDICTS[code]
    if status == 429:
        return Verdict.RETRY
    return Verdict.UNCLEAR if status >= 500 else Verdict.FINAL


def remedy(code: int) -> str:
    return REMEDIES.get(code, UNKNOWN_REMEDY)
