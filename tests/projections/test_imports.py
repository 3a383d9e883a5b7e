"""The SDK costs seconds and 140 MB: only the worker pays, and only when it speaks to Feishu."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHECK = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
{work}
heavy = sorted(name for name in sys.modules if name.split(".")[0] in ("lark_oapi", "requests"))
assert not heavy, heavy[:5]
"""
WEB = """
import django
django.setup()
from django.urls import get_resolver
get_resolver().url_patterns
import loopx_web.urls, projections.tasks, projections.sync, projections.requests, projections.views
import projections.feishu.board, projections.feishu.client, projections.admin
"""
CLIENT = "import loopx_web.client.main"
LATER = """
import sys
from projections.feishu.sdk import load
sdk = load()
loaded = [name for name in sys.modules if name.startswith("lark_oapi.")]
assert len(loaded) < 100, len(loaded)
assert "lark_oapi" not in sys.modules
import lark_oapi
assert lark_oapi.Client.builder() and lark_oapi.BaseRequest is sdk.request
"""


def run(work: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHECK.format(work=work)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_web_and_worker_start_do_not_import_the_sdk() -> None:
    found = run(WEB)
    assert found.returncode == 0, found.stderr


def test_client_does_not_import_the_sdk() -> None:
    found = run(CLIENT)
    assert found.returncode == 0, found.stderr


@pytest.mark.slow
def test_the_core_alone_is_loaded_and_the_whole_can_still_be() -> None:
    found = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
