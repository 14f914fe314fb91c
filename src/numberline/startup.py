"""Entry point of the console script and of `python -m numberline`.

Importing numberline as a library does not change any signal handlers.
"""

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

SIGINT_EXIT_CODE = 130
STUCK_AFTER_S = 3.0


def exit_on_sigint() -> None:
    """Make Ctrl-C exit silently; called before a command starts and after it ends."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(SIGINT_EXIT_CODE))


@contextmanager
def exit_if_stuck() -> Iterator[None]:
    """Exit a few seconds after a signal if the main thread is still in the same call by then.

    Python handles a signal only when such a call, for example a compiled kernel, has returned.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    previous = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=_exit_if_stuck, args=(read_end, threading.get_ident()), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        os.close(write_end)  # ends the thread


def _exit_if_stuck(read_end: int, main_thread: int) -> None:
    with open(read_end, "rb", buffering=0) as signals:
        while number := signals.read(1):
            call = sys._current_frames()[main_thread]  # noqa: SLF001 - the documented way to look at another thread
            instruction = call.f_lasti
            time.sleep(STUCK_AFTER_S)
            if sys._current_frames()[main_thread] is call and call.f_lasti == instruction:  # noqa: SLF001
                if sys.stderr.isatty():
                    os.write(sys.stderr.fileno(), b"\x1b[?25h\n")  # a progress bar hides the cursor
                os._exit(128 + number[0])
            del call


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
