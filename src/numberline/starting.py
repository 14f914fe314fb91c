"""The first moments of the command line: Ctrl-C while it is still being loaded ends it without a word."""

import os
import signal
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def leave_at_once() -> None:
    """From now on Ctrl-C ends the program on the spot: nothing has begun, or everything is done."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


if sys.argv and sys.argv[0].rpartition(os.sep)[2] in {"numberline", "-m"}:
    leave_at_once()
