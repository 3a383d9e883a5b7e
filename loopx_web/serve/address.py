"""Where the server listens: which hosts are allowed, whether the port is free, who holds it."""

from __future__ import annotations

import errno
import http.client
import ipaddress
import json
import os
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loopx_web.serve.failure import USAGE, StartFailure


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    tls: bool = False

    @property
    def reachable_host(self) -> str:
        """The host to put in a link: a wildcard is no place to go to."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)

    @property
    def url(self) -> str:
        host = self.reachable_host
        place = f"[{host}]" if ":" in host else host
        return f"{'https' if self.tls else 'http'}://{place}:{self.port}"


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, *, allow_remote: bool, guarded: bool) -> None:
    """Another address than loopback needs a decision, and TLS (`guarded`) on the way."""
    if is_loopback(host):
        return
    if not allow_remote:
        raise StartFailure(
            f"{host} can be reached from other machines, and LoopX serves this machine only unless "
            "you say so. Leave out --host, or add --allow-remote (docs/operations.md).",
            USAGE,
        )
    if not guarded:
        raise StartFailure(
            f"--allow-remote on {host} would send passwords and tokens in the clear. Set "
            "LOOPX_TLS_CERT and LOOPX_TLS_KEY, or name the proxy that ends TLS in "
            "LOOPX_TRUSTED_PROXIES.",
            USAGE,
        )


def free_port(host: str, port: int, patience: float = 0.0) -> int:
    """The port, once it can be bound (0 picks one); `patience` seconds for one being given up."""
    give_up = time.monotonic() + patience
    while True:
        try:
            return _bind(host, port)
        except PermissionError:
            raise StartFailure(
                f"Port {port} needs rights that this user does not have. Choose one above 1023 "
                "with --port."
            ) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < give_up:
                time.sleep(0.05)
                continue
            raise _refusal(host, port, error) from error


def _bind(host: str, port: int) -> int:
    family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            # As the server itself does: connections that are only winding down do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(place)
        # Two sockets may share an address as long as neither listens.
        probe.listen(1)
        return int(probe.getsockname()[1])


def _refusal(host: str, port: int, error: OSError) -> StartFailure:
    if error.errno != errno.EADDRINUSE:
        return StartFailure(f"Cannot listen on {host}:{port}: {error.strerror or error}.", USAGE)
    who = holder_of(Address(host, port))
    return StartFailure(
        f"Port {port} on {host} is taken by {who}. "
        f"Stop that, or choose another port: loopx serve --port {port + 1}"
    )


def holder_of(address: Address) -> str:
    """Names who listens there, as well as this user can see it."""
    process = _listening_process(address.port)
    suffix = f" ({process})" if process else ""
    version = loopx_version(address)
    if version:
        return f"LoopX {version}, already running at {address.url}/{suffix}"
    return f"another program{suffix}"


def loopx_version(address: Address) -> str | None:
    connection = http.client.HTTPConnection(address.reachable_host, address.port, timeout=1)
    try:
        connection.request("GET", "/api/v1/version", headers={"Accept": "application/json"})
        body = json.loads(connection.getresponse().read(4096))
        return str(body["version"]) if body.get("api") == "v1" else None
    except (OSError, ValueError, KeyError, AttributeError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _listening_process(port: int) -> str | None:
    """`PID and command` of the listener, from /proc where there is one."""
    wanted = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    if not wanted:
        return None
    for entry in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(entry) in wanted:
                command = Path("/proc", entry.parts[2], "cmdline").read_bytes()
                words = command.replace(b"\0", b" ").decode(errors="replace").strip()
                return f"process {entry.parts[2]}: {words[:80]}"
        except OSError:
            continue
    return None


def _listening_inodes(port: int) -> Iterator[str]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            # 0A is LISTEN; the local address is HEXIP:HEXPORT.
            if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                yield fields[9]
