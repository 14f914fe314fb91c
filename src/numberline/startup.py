"""Entry point of the console script and of `python -m numberline`.

Importing numberline as a library does not change any signal handlers.
"""

import os
import signal
from importlib import import_module

SIGINT_EXIT_CODE = 130


def exit_on_sigint() -> None:
    """Make Ctrl-C exit silently; used before and after a command runs."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(SIGINT_EXIT_CODE))


def main() -> None:
    """Run the command line; exit silently if Ctrl-C is pressed while it is still being imported."""
    exit_on_sigint()
    import_module("numberline.cli").main()
