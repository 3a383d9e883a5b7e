"""What every page shows around its content: theme, language, the switcher, the badge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language

from kanban.queries import clock
from kanban.queries.inbox import GoalName
from kanban.queries.states import goal_names
from kanban.views.clock_words import script_words

THEME_COOKIE = "loopx_theme"
THEMES = ("light", "dark")
HTML_LANGUAGES = {"zh-hans": "zh-Hans"}


@dataclass
class Frame:
    """Read only when a template asks: an error page needs no database."""

    signed_in: bool

    @cached_property
    def goals(self) -> list[GoalName]:
        if not self.signed_in:
            return []
        return goal_names(clock.now())

    @cached_property
    def needs(self) -> int:
        return sum(line.needs for line in self.goals)


def context(request: HttpRequest) -> dict[str, Any]:
    theme = request.COOKIES.get(THEME_COOKIE, "")
    language = get_language() or "en"
    user = getattr(request, "user", None)
    return {
        "theme": theme if theme in THEMES else "",
        "html_lang": HTML_LANGUAGES.get(language, "en"),
        "clock_words": script_words(),
        "frame": Frame(bool(user and user.is_authenticated)),
    }
