"""The main paths of the board in a real browser, against a real server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests import waiting
from tests.browser.conftest import Signed
from tests.serving import ServerProcess, loopx

pytestmark = pytest.mark.browser
PATHS = ("", "gates/{gpus}", "todos/{sample}", "todos/new", "why", "quota", "timeline")


def test_answering_on_the_board_and_taking_it_back(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(signed.board)
    question = page.locator(f"#card-{refs['gpus']}")
    question.get_by_role("button", name="Rent, at most $60").click()
    expect(question).to_contain_text("You answered: Rent, at most $60.")
    expect(page.locator("#standing")).to_contain_text("1 question and 1 task need you")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(question.get_by_role("button", name="Rent, at most $60")).to_be_visible()
    expect(page.locator("#standing")).to_contain_text("2 questions and 1 task need you")


def test_answering_from_the_inbox_takes_two_clicks(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    asked = page.locator(f"[id$='-{refs['gpus']}'].card")
    if asked.locator(".gate-fold").count():
        asked.locator("summary").click()
    asked.get_by_role("button", name="Stay with the 20 % sample").click()
    expect(page.locator(f"[id$='-{refs['gpus']}'].card")).to_contain_text("You answered")
    expect(page.locator("#inbox-link")).to_contain_text("2")


def test_sending_an_answer_frees_the_cards(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(f"{signed.board}gates/{refs['gpus']}")
    page.get_by_role("radio", name="Stay with the 20 % sample").check()
    page.locator("#answer").get_by_role("button", name="Answer", exact=True).click()
    page.locator("#drawer").get_by_role("button", name="Send now").click()
    expect(page.locator("#drawer")).to_contain_text("An answer never changes")
    expect(page.locator("#lane-ready")).to_contain_text("Train the reranker on all the data")


def test_a_move_by_menu(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(signed.board)
    page.locator(f"#card-{refs['sample']} .card-title a").click()
    drawer = page.locator("#drawer")
    expect(drawer).to_be_visible()
    assert page.url.endswith(f"/todos/{refs['sample']}")
    drawer.locator("summary", has_text="Move to…").click()
    drawer.get_by_role("button", name=re.compile("^Ready")).click()
    expect(page.locator("#lane-ready")).to_contain_text("Train the reranker on the 20 % sample")
    expect(page.locator("#toasts")).to_contain_text("Moved to Ready")
    expect(drawer.locator("#actions")).not_to_have_attribute("open", "")


def test_a_refused_move_says_why(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(f"{signed.board}todos/{refs['full']}")
    page.locator("#drawer summary", has_text="Move to…").click()
    page.locator("#drawer").get_by_role("button", name=re.compile("^Ready")).click()
    expect(page.locator("#toasts")).to_contain_text("waits for the answer about the GPUs")
    expect(page.locator("#lane-waiting")).to_contain_text("Train the reranker on all the data")


def test_a_move_that_asks_first(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(f"{signed.board}todos/{refs['passages']}")
    page.locator("#drawer summary", has_text="Move to…").click()
    page.locator("#drawer").get_by_role("link", name=re.compile("^Done")).click()
    page.get_by_label("Why is it done?").fill("Measured by hand.")
    page.get_by_role("button", name="Mark as done").click()
    expect(page.locator("#lane-done")).to_contain_text("Score only the top 200 passages")


def test_the_drawer_keeps_focus_address_and_back(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    page.goto(signed.board)
    title = page.locator(f"#card-{refs['sample']} .card-title a")
    title.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".drawer-body")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).to_have_count(0)
    expect(title).to_be_focused()
    assert page.url == signed.board
    page.go_back()
    expect(page.locator("#drawer")).to_contain_text("Train the reranker on the 20 % sample")
    page.reload()
    expect(page.locator("#drawer")).to_contain_text("Train the reranker on the 20 % sample")


def test_what_an_agent_does_shows_by_itself(
    signed: Signed, served: ServerProcess, refs: dict[str, str]
) -> None:
    page = signed.page()
    page.goto(signed.board)
    expect(page.locator("#live-pill")).to_have_attribute("data-state", "live")
    page.locator(f"#fold-{refs['sets']} summary").click()
    focused = page.locator(f"#card-{refs['collect']} .card-title a")
    focused.focus()
    added = loopx(
        "todo",
        "add",
        "Added at the terminal",
        "--goal",
        refs["slug"],
        "--as-owner",
        data_dir=served.data_dir,
        extra={"LOOPX_SERVER": served.url},
    )
    assert added.returncode == 0, added.stderr
    expect(page.locator("#lane-ready")).to_contain_text("Added at the terminal", timeout=3000)
    expect(focused).to_be_focused()
    expect(page.locator(f"#fold-{refs['sets']}")).to_have_attribute("open", "")


def test_two_tabs_share_one_stream(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    streams: list[str] = []
    page.context.on(
        "request", lambda request: streams.append(request.url) if "stream" in request.url else None
    )
    page.goto(signed.board)
    second = page.context.new_page()
    second.goto(signed.board)
    expect(second.locator("#live-pill")).to_have_attribute("data-state", "live")
    question = page.locator(f"#card-{refs['gpus']}")
    question.get_by_role("button", name="Rent, at most $60").click()
    expect(second.locator(f"#card-{refs['gpus']}")).to_contain_text("You answered", timeout=3000)
    # One for the inbox the sign-in led to, one for the board; none for the second tab.
    assert len(streams) <= 2


def test_a_lost_server_is_said_and_found_again(signed: Signed, served: ServerProcess) -> None:
    page = signed.page()
    page.goto(signed.board)
    expect(page.locator("#live-pill")).to_have_attribute("data-state", "live")
    served.stop()
    expect(page.locator("#live-pill")).to_have_attribute("data-state", "offline", timeout=20000)
    expect(page.locator("#live-pill")).to_contain_text("Offline since")
    signed.complaints.clear()


def test_a_phone_scrolls_only_down(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page(viewport={"width": 360, "height": 740}, has_touch=True)
    wide: dict[str, int] = {}
    for path in PATHS:
        page.goto(signed.board + path.format(**refs))
        wide[path] = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert [path for path, pixels in wide.items() if pixels > 0] == []


def test_a_phone_shows_one_lane(signed: Signed) -> None:
    page = signed.page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(signed.board)
    expect(page.locator("#lane-needs_you")).to_be_visible()
    expect(page.locator("#lane-done")).not_to_be_visible()
    page.locator("#switcher").get_by_text("Done").click()
    expect(page.locator("#lane-done")).to_be_visible()
    expect(page.locator("#lane-needs_you")).not_to_be_visible()


def test_without_script_a_question_can_be_answered(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page(java_script_enabled=False)
    page.goto(signed.board)
    expect(page.locator("#lane-working")).to_contain_text("codex-2 is working")
    question = page.locator(f"#card-{refs['gpus']}")
    question.get_by_role("button", name="Stay with the 20 % sample").click()
    expect(page.locator("#drawer")).to_contain_text("Your answer, not sent yet")
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator("#drawer")).to_contain_text("Your answer")
    expect(page.locator("#answer")).to_be_visible()


def test_language_and_theme_are_chosen_in_the_menu(signed: Signed) -> None:
    page = signed.page(color_scheme="light")
    page.goto(signed.board)
    assert page.locator("html").get_attribute("lang") == "en"
    page.locator("#me summary").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    waiting.until(
        lambda: any(cookie.get("name") == "loopx_theme" for cookie in page.context.cookies()),
        "the theme is kept",
    )
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator("#me summary").click()
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("#lane-needs_you")).to_contain_text("等你处理")
    expect(page.locator(".card-next").first).not_to_contain_text("Waits")


def test_no_page_breaks_the_content_policy(signed: Signed, refs: dict[str, str]) -> None:
    page = signed.page()
    for path in PATHS:
        response = page.goto(signed.board + path.format(**refs))
        assert response and "default-src 'none'" in response.headers["content-security-policy"]
        expect(page.locator("#live-pill")).to_be_visible()
    page.goto(f"{signed.server.url}/goals/new")
    expect(page.locator("#main")).to_be_visible()
