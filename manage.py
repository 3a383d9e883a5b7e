#!/usr/bin/env python3
"""Django's command line; `loopx` is the product's own."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loopx_web.settings")
    from django.core.management import execute_from_command_line

    from loopx_web.env import BadSetting

    try:
        execute_from_command_line(sys.argv)
    except BadSetting as error:
        sys.exit(f"manage.py: {error}")


if __name__ == "__main__":
    main()
