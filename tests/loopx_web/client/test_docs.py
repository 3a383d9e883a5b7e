"""docs/cli.md names every command and every flag."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loopx_web.client import flags
from loopx_web.client.commands import overview
from loopx_web.client.main import COMMANDS, HOT, main

CLI_PAGE = Path(__file__).parents[3] / "docs" / "cli.md"
SERVER_COMMANDS = {"serve", "worker", "web", "sign-in", "verify", "demo"}


def documented() -> str:
    return CLI_PAGE.read_text(encoding="utf-8")


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    try:
        main([*words, "--help"])
    except SystemExit as ended:
        assert not ended.code
    return capsys.readouterr().out


def verbs(text: str) -> list[str]:
    listed = text.partition("VERB\n")[2].partition("\n\n")[0]
    return re.findall(r"^    ([a-z-]+)", listed, re.M)


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - SERVER_COMMANDS))
def test_each_command_and_flag_is_on_the_page(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = documented()
    assert re.search(rf"`(loopx )?{command}\b|\b{command}[`,]", page)
    text = help_of(capsys, command)
    pages = [text, *(help_of(capsys, command, verb) for verb in verbs(text))]
    for verb in verbs(text):
        assert re.search(rf"\b{verb}\b", page), f"{command} {verb}"
    missing = set(re.findall(r"--[a-z][a-z-]+", "".join(pages))) - {"--help"}
    assert {flag for flag in missing if flag not in page} == set()


def test_each_hot_flag_is_explained_and_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = documented()
    for words, verb in HOT.items():
        text = help_of(capsys, *words)
        for flag in flags.FLAGS[verb]:
            assert flag in text, f"{' '.join(words)} {flag}"
            assert flag in page, flag


def test_the_overview_lists_every_command() -> None:
    for command in COMMANDS.keys() | {words[0] for words in HOT}:
        assert re.search(rf"\b{command}\b", overview.OVERVIEW), command
