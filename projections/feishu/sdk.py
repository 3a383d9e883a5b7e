"""lark-oapi's core: tokens, headers, transport. Its generated API modules are not loaded.

A plain `import lark_oapi` executes all 10 000 of them: 2 to 7 s and 140 MB in every worker
(measured, 1.7.5). Our bodies are plain dicts, so nothing of them is used.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

PACKAGE = "lark_oapi"


@dataclass(frozen=True, slots=True)
class Sdk:
    """The names we use of the SDK; it carries no types, so neither can we."""

    request: Any
    config: Any
    option: Any
    method: Any
    tenant: Any
    verify: Any
    send: Any
    tokens: Any
    no_token: type[Exception]
    network_error: type[Exception]
    connect_timeout: type[Exception]


@cache
def load() -> Sdk:
    """Costs 0.2 s the first time; called by the worker only."""
    with _unexecuted_package():
        import requests
        from lark_oapi.core.enum import AccessTokenType, HttpMethod
        from lark_oapi.core.exception import ObtainAccessTokenException
        from lark_oapi.core.http import Transport
        from lark_oapi.core.model import BaseRequest, Config, RequestOption
        from lark_oapi.core.token import TokenManager, verify

    return Sdk(
        request=BaseRequest,
        config=Config,
        option=RequestOption,
        method=HttpMethod,
        tenant=AccessTokenType.TENANT,
        verify=verify,
        send=Transport.execute,
        tokens=TokenManager,
        no_token=ObtainAccessTokenException,
        network_error=requests.exceptions.RequestException,
        connect_timeout=requests.exceptions.ConnectTimeout,
    )


@contextmanager
def _unexecuted_package() -> Iterator[None]:
    """Submodules are found through the package's path although its `__init__` was not run.

    The empty package is taken out again: whoever imports lark_oapi later gets the whole.
    """
    if PACKAGE in sys.modules:
        yield
        return
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[PACKAGE]
