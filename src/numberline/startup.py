"""Entry point of the console script and of `python -m numberline`.

Importing numberline as a library does not change any signal handlers.
"""

import atexit
import os
import signal
import sys
from importlib import import_module

SIGINT_EXIT_CODE = 130


def exit_on_sigint() -> None:
    """Set a Ctrl-C handler that exits silently; called before a command starts and after it ends."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(SIGINT_EXIT_CODE))


def main() -> None:
    """Run the command-line interface; exit silently if Ctrl-C is pressed while its modules are being imported."""
    exit_on_sigint()
    codes: list[object] = []
    atexit.register(_skip_teardown, codes)  # registered first, so it runs last
    try:
        import_module("numberline.cli").main()
    except SystemExit as error:
        codes.append(error.code)
        raise


def _skip_teardown(codes: list[object]) -> None:
    """Exit before Python restores its default Ctrl-C handler, which could change the command's exit code."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):  # Python reports a failed flush itself
        return
    if codes and isinstance(codes[0], int):
        os._exit(codes[0])
