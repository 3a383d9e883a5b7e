"""`loopx serve`: everything on one machine, in one process tree."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import webbrowser

from loopx_web.env import BadSetting
from loopx_web.serve import lock, options, readiness, state_dir
from loopx_web.serve.address import free_port
from loopx_web.serve.failure import USAGE, StartFailure
from loopx_web.serve.options import Place
from loopx_web.serve.supervisor import Part, Supervisor

WEB = Part("web", "loopx_web.serve.web_child", vital=True)
WORKER = Part("worker", "loopx_web.serve.worker")
# A killed server's web process notices and lets go of the port within this time.
HAND_OVER_SECONDS = 5.0


def main(argv: list[str]) -> int:
    try:
        return run(parse(argv))
    except (StartFailure, BadSetting) as error:
        say(str(error))
        return error.code if isinstance(error, StartFailure) else USAGE
    except KeyboardInterrupt:
        return 0


def parse(argv: list[str]) -> argparse.Namespace:
    made = options.parser("serve", "Starts the board, the API and the worker on this machine.")
    options.add_address(made)
    made.add_argument("--no-browser", action="store_true", help="do not open the browser")
    made.add_argument("--no-worker", action="store_true", help="no background work (for tests)")
    return made.parse_args(argv)


def run(chosen: argparse.Namespace) -> int:
    place = options.place(chosen)
    state_dir.prepare(place.data_dir)
    with lock.DirectoryLock(place.data_dir / lock.SERVER, "server") as held:
        address = place.address
        port = free_port(address.host, address.port, HAND_OVER_SECONDS if held.left_behind else 0)
        place = dataclasses.replace(place, address=dataclasses.replace(address, port=port))
        held.show(f"{place.address.url}/")
        return supervise(place, chosen)


def supervise(place: Place, chosen: argparse.Namespace) -> int:
    url = place.address.url
    links: list[str] = []

    def show_link(path: str) -> None:
        links.append(url + path)
        print(f"Sign in: {url}{path}", flush=True)

    def announce() -> None:
        print(f"LoopX is ready: {url}/", flush=True)
        if links and not chosen.no_browser and can_show_a_browser():
            webbrowser.open(links[0])

    return Supervisor(
        [WEB] if chosen.no_worker else [WEB, WORKER],
        environment=place.environment(),
        wait_until_ready=lambda: readiness.wait(place.address),
        on_line=show_link,
        on_ready=announce,
        say=say,
    ).run()


def can_show_a_browser() -> bool:
    """A person sits at a terminal, and there is a screen to show a browser on."""
    if not sys.stdout.isatty():
        return False
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in {"darwin", "win32"} or any(os.environ.get(name) for name in screens)


def say(message: str) -> None:
    print(f"loopx serve: {message}", file=sys.stderr, flush=True)
