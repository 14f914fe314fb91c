"""The first moments of the command line: Ctrl-C while it is still being loaded ends it without a word."""

import os
import signal
import sys

SIGINT_EXIT_CODE = 130
"""The exit code after Ctrl-C."""


def exit_on_sigint() -> None:
    """From now on Ctrl-C ends the program on the spot: nothing has begun, or everything is done."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(SIGINT_EXIT_CODE))


if sys.argv and sys.argv[0].rpartition(os.sep)[2] in {"numberline", "-m"}:
    exit_on_sigint()
