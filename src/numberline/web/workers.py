"""Several servers on one port: each is a process, all listen at the same socket, and one that dies is started again."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from types import FrameType

from numberline.rules.errors import NumberlineError
from numberline.web.postgres import is_postgres
from numberline.web.setup import Setup, WebError

LONGEST_PAUSE = 8.0
"""Seconds at most before a server that keeps dying is started again."""
STEADY = 30.0
"""A server that has run for so many seconds is started again at once."""

LEAVE = signal.SIGTERM if sys.platform == "win32" else signal.SIGUSR1
"""What tells a process to stop: a signal that nobody else sends to all of them."""


def serve_by(workers: int, setup: Setup, at: socket.socket, started: Callable[[], None]) -> bool:
    """Has so many processes serve until they are told to stop; whether that was by Ctrl-C."""
    if not is_postgres(setup.database):
        raise WebError(
            f"A file is for one process, and --workers {workers} are several; keep the matches in PostgreSQL, with "
            "--db postgresql://name:password@host/database, or leave --workers out"
        )
    from numberline.web.store import Store

    gc.enable()
    with closing(Store(setup.database)):  # one makes the tables, and says why where that can't be
        pass
    return Crew(workers, setup, at).run(started)


class Crew:
    """The processes, and what is told to them."""

    def __init__(self, workers: int, setup: Setup, at: socket.socket) -> None:
        self._setup = setup
        self._at = at
        self._mates = [_Mate(setup, at) for _ in range(workers)]
        self._interrupted = False
        self._stopping = False

    def run(self, started: Callable[[], None]) -> bool:
        """Keeps them alive until it is told to stop; whether that was by Ctrl-C."""
        before = {number: signal.signal(number, self._told) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for mate in self._mates:
                mate.start()
            if self._first_answers():
                started()
            while not self._stopping:
                for mate in self._mates:
                    mate.revive()
                wait([mate.process.sentinel for mate in self._mates if mate.process.is_alive()], timeout=0.2)
            for mate in self._mates:
                mate.process.join()
        finally:
            for mate in self._mates:
                if mate.process.pid:
                    mate.process.kill()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._interrupted

    def _first_answers(self) -> bool:
        """Whether one of them listens, before all is to stop."""
        while not self._stopping:
            if any(mate.listens() for mate in self._mates):
                return True
            for mate in self._mates:
                mate.revive()
        return False

    def _told(self, number: int, _: FrameType | None) -> None:
        self._stopping = True
        self._interrupted = self._interrupted or number == signal.SIGINT
        for mate in self._mates:
            mate.end()


class _Mate:
    """One of the processes, and each that takes its place."""

    def __init__(self, setup: Setup, at: socket.socket) -> None:
        self._setup = setup
        self._at = at
        self._pause = 0.0
        self._ended = False
        self.process = multiprocessing.get_context("spawn").Process()  # it may be told to stop before it is started

    def start(self) -> None:
        """Begins to serve."""
        context = multiprocessing.get_context("spawn")
        self._answer, answer = context.Pipe(duplex=False)
        self.process = context.Process(target=_serve, args=(self._setup, self._at, answer), name="numberline worker")
        with _deaf():
            self.process.start()
        answer.close()
        self._since = time.monotonic()
        if self._ended:
            self.end()

    def listens(self) -> bool:
        """Whether it says, in a moment, that it listens."""
        with suppress(EOFError):
            return self._answer.poll(0.05) and bool(self._answer.recv())
        return False

    def revive(self) -> None:
        """Starts it again if it is dead: at once if it has run for long, else with a growing pause between."""
        if self.process.is_alive() or self._ended:
            return
        ran = time.monotonic() - self._since
        if ran > STEADY:
            self._pause = 0.0
        if ran >= self._pause:
            self._pause = min(LONGEST_PAUSE, self._pause * 2 or 0.5)
            self._answer.close()
            self.start()

    def end(self) -> None:
        """Tells it to stop; told twice, it ends at once."""
        self._ended = True
        if self.process.pid and self.process.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, LEAVE)


@contextmanager
def _deaf() -> Iterator[None]:
    """A process that is started here hears no Ctrl-C and no request to end, which often reach all; it is told."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # it would lift the mask when it is started between
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _serve(setup: Setup, at: socket.socket, answer: Pipe) -> None:
    """What each process does; a word goes up the pipe when it listens."""
    if sys.platform != "win32":
        signal.signal(LEAVE, _leave)
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    from numberline.web.logbook import open_logbook
    from numberline.web.server import serve

    open_logbook(setup.log)

    def started() -> None:
        answer.send(True)  # noqa: FBT003 - it is a word up the pipe
        answer.close()

    code = 0
    try:
        serve(setup, at, started)
    except NumberlineError:
        code = 1  # the database can't be had just now; it is tried again
    for program in multiprocessing.active_children():
        program.join(2)
        program.kill()
    sys.stderr.flush()
    os._exit(code)  # everything is stored and closed, and to tidy the memory up takes longer than all of that


def _leave(_: int, frame: FrameType | None) -> None:
    """Does what a request to end does; before there is a server, nothing is there to be ended in good order."""
    handler = signal.getsignal(signal.SIGTERM)
    if not callable(handler):
        os._exit(0)
    handler(signal.SIGTERM, frame)


def _outlive_nobody() -> None:
    """Ends this process in good order when the one that has started it is gone."""
    parent = multiprocessing.parent_process()
    if parent:
        wait([parent.sentinel])
        os.kill(os.getpid(), LEAVE)
