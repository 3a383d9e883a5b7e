"""`loopx web`: the web process alone, for several machines."""

from __future__ import annotations

import argparse
import dataclasses
import os

from loopx_web.serve import lock, options, prepare, start, state_dir
from loopx_web.serve.address import free_port


def main(argv: list[str]) -> int:
    made = options.parser("web", "Serves the board and the API; run `loopx worker` beside it.")
    options.add_address(made)
    chosen = made.parse_args(argv)
    return start.run("web", lambda: serve(chosen))


def serve(chosen: argparse.Namespace) -> int:
    place = options.place(chosen)
    state_dir.prepare(place.data_dir)
    with lock.DirectoryLock(place.data_dir / lock.SERVER, "server") as held:
        port = free_port(place.address.host, place.address.port)
        place = dataclasses.replace(place, address=dataclasses.replace(place.address, port=port))
        held.show(f"{place.address.url}/")
        os.environ.update(place.environment())
        start.django()
        prepare.migrate()
        print(f"LoopX listens on {place.address.url}/", flush=True)
        from loopx_web import front

        return front.main()
