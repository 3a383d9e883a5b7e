"""`python -m loopx_web.serve.child MODULE`: runs MODULE and ends with the supervisor.

Standard input is a pipe whose other end only the supervisor holds. When it closes, the supervisor
is gone, however it went, and so must this process: left alone it would keep the port.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading

GRACE_SECONDS = 10.0


def main() -> None:
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    module = sys.argv[1]
    sys.argv[:2] = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    while os.read(0, 64):
        pass
    threading.Timer(GRACE_SECONDS, os._exit, (1,)).start()
    # raise_signal would not wake a main thread that sleeps in a system call.
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
