"""Flags and settings that the server commands share."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from loopx_web import env
from loopx_web.serve import state_dir
from loopx_web.serve.address import Address, check_host
from loopx_web.serve.failure import USAGE, StartFailure

DEFAULT_PORT = 8765


@dataclass(frozen=True, slots=True)
class Place:
    """Where the state is and where the server answers (port 0: any free one)."""

    data_dir: Path
    address: Address

    def environment(self) -> dict[str, str]:
        """What a child process needs to find the same place."""
        return {
            **os.environ,
            "LOOPX_DATA_DIR": str(self.data_dir),
            "LOOPX_HOST": self.address.host,
            "LOOPX_PORT": str(self.address.port),
            "DJANGO_SETTINGS_MODULE": "loopx_web.settings",
        }


def parser(command: str, description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=f"loopx {command}", description=description)
    made.add_argument("--data-dir", metavar="DIR", help="state directory (LOOPX_DATA_DIR)")
    return made


def add_address(made: argparse.ArgumentParser) -> None:
    made.add_argument("--host", help="address to listen on (LOOPX_HOST; default 127.0.0.1)")
    made.add_argument("--port", type=int, help="port, 0 for any (LOOPX_PORT; default 8765)")
    made.add_argument(
        "--allow-remote",
        action="store_true",
        help="listen on an address that other machines reach; needs TLS (LOOPX_ALLOW_REMOTE)",
    )


def place(options: argparse.Namespace) -> Place:
    cert, key = env.text("LOOPX_TLS_CERT"), env.text("LOOPX_TLS_KEY")
    if bool(cert) != bool(key):
        raise StartFailure("LOOPX_TLS_CERT and LOOPX_TLS_KEY go together; one is missing.", USAGE)
    host = options.host or env.text("LOOPX_HOST", "127.0.0.1")
    check_host(
        host,
        allow_remote=options.allow_remote or env.boolean("LOOPX_ALLOW_REMOTE", False),
        guarded=bool(cert or env.words("LOOPX_TRUSTED_PROXIES", [])),
    )
    return Place(state_dir.choose(options.data_dir), Address(host, _port(options.port), bool(cert)))


def _port(option: int | None) -> int:
    if option is None:
        return env.integer("LOOPX_PORT", DEFAULT_PORT, low=1, high=65535)
    if not 0 <= option <= 65535:
        raise StartFailure(f"--port {option} is not between 0 and 65535.", USAGE)
    return option
