"""The parts of a board page that change by themselves, each with a tag over what it says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

# What differs from one rendering to the next without saying anything else: clock words, which
# the page's script keeps true by itself, and the tokens of forms.
_FLEETING = re.compile(
    r"(<time [^>]*>)[^<]*"
    r'|name="(?:csrfmiddlewaretoken|key)" value="[^"]*"'
)


@dataclass(frozen=True, slots=True)
class Part:
    id: str
    html: SafeString
    tag: str


def lane_parts(request: HttpRequest, found: Mapping[str, Any]) -> tuple[Part, ...]:
    """The standing sentence, the five lanes, what the bars show, and an open drawer."""
    lanes = [
        _part(request, f"lane-{lane.name}", "_lane.html", {**found, "lane": lane})
        for lane in found["board"].lanes
    ]
    drawer = found.get("drawer")
    opened = [_part(request, "drawer", drawer["template"], found)] if drawer else []
    return (
        _part(request, "standing", "_standing.html", found),
        *lanes,
        _part(request, "switcher", "_switcher.html", found),
        _part(request, "quota-meter", "_quota_meter.html", found),
        _part(request, "inbox-link", "_inbox_link.html", found),
        *opened,
    )


def _part(request: HttpRequest, name: str, template: str, found: Mapping[str, Any]) -> Part:
    html = render_to_string(template, dict(found), request)
    said = _FLEETING.sub(r"\1", html)
    return Part(name, SafeString(html.strip()), hashlib.sha256(said.encode()).hexdigest()[:10])


def ptag_of(parts: tuple[Part, ...]) -> str:
    return ".".join(part.tag for part in parts)


def parts_response(request: HttpRequest, found: Mapping[str, Any]) -> HttpResponse:
    """Only the parts whose tag differs from the one the page sent; 304 when none does."""
    known = request.headers.get("HX-PTag", "").split(".")
    parts: tuple[Part, ...] = found["parts"]
    changed = tuple(
        part for place, part in enumerate(parts) if place >= len(known) or known[place] != part.tag
    )
    if not changed and not found.get("toast"):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = render(request, "_lanes.html", {**found, "parts": changed})
    response["HX-PTag"] = found["ptag"]
    response["Cache-Control"] = "no-store"
    return response
