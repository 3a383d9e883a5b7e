"""The web process under `loopx serve`: migrates, tells the supervisor a sign-in path, serves.

In one process, because loading Django twice would make the start a second longer.
"""

from __future__ import annotations

import sys

from loopx_web.serve import start


def main() -> int:
    return start.run("serve", _serve)


def _serve() -> int:
    start.django()
    from loopx_web import front
    from loopx_web.serve.prepare import migrate, sign_in_path

    migrate()
    print(sign_in_path(), flush=True)
    return front.main()


if __name__ == "__main__":
    sys.exit(main())
