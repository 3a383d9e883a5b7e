"""Waits until the web process answers."""

from __future__ import annotations

import http.client
import ssl
import time

from loopx_web.serve.address import Address

PAUSE_SECONDS = 0.03


def wait(address: Address, *, limit: float = 3600.0) -> bool:
    """True once a request is answered; False if none is within `limit` seconds.

    The limit is long because a migration may be: a process that fails is noticed otherwise.
    """
    give_up = time.monotonic() + limit
    while time.monotonic() < give_up:
        if answers(address):
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def answers(address: Address) -> bool:
    connection = _connection(address)
    try:
        connection.request("GET", "/api/v1/health")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _connection(address: Address) -> http.client.HTTPConnection:
    host, port = address.reachable_host, address.port
    if not address.tls:
        return http.client.HTTPConnection(host, port, timeout=5)
    # The certificate names the public host; here only the own process is asked.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, port, timeout=5, context=context)
