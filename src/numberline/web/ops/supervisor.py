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

from numberline.errors import NumberlineError
from numberline.web.ops.config import ServerConfig, WebError
from numberline.web.store.postgres import is_postgres

MAX_RESTART_DELAY_S = 8.0
"""Seconds at most before a server that keeps dying is started again."""
STABLE_AFTER_S = 30.0
"""A server that has run for so many seconds is started again at once."""

STOP_SIGNAL = signal.SIGTERM if sys.platform == "win32" else signal.SIGUSR1
"""What tells a process to stop: a signal that nobody else sends to all of them."""


def serve_with_workers(workers: int, setup: ServerConfig, at: socket.socket, started: Callable[[], None]) -> bool:
    """Has so many processes serve until they are told to stop; whether that was by Ctrl-C."""
    if not is_postgres(setup.database):
        raise WebError(
            f"A file is for one process, and --workers {workers} are several; keep the matches in PostgreSQL, with "
            "--db postgresql://name:password@host/database, or leave --workers out"
        )
    from numberline.web.store.store import Store

    gc.enable()
    with closing(Store(setup.database)):  # one makes the tables, and says why where that can't be
        pass
    return Supervisor(workers, setup, at).run(started)


class Supervisor:
    """The processes, and what is told to them."""

    def __init__(self, workers: int, setup: ServerConfig, at: socket.socket) -> None:
        self._setup = setup
        self._at = at
        self._processes = [_WorkerProcess(setup, at) for _ in range(workers)]
        self._interrupted = False
        self._stopping = False

    def run(self, started: Callable[[], None]) -> bool:
        """Keeps them alive until it is told to stop; whether that was by Ctrl-C."""
        before = {number: signal.signal(number, self._told) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for mate in self._processes:
                mate.start()
            if self._first_answers():
                started()
            while not self._stopping:
                for mate in self._processes:
                    mate.restart_if_dead()
                wait([mate.process.sentinel for mate in self._processes if mate.process.is_alive()], timeout=0.2)
            for mate in self._processes:
                mate.process.join()
        finally:
            for mate in self._processes:
                if mate.process.pid:
                    mate.process.kill()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._interrupted

    def _first_answers(self) -> bool:
        """Whether one of them listens, before all is to stop."""
        while not self._stopping:
            if any(mate.wait_until_listening() for mate in self._processes):
                return True
            for mate in self._processes:
                mate.restart_if_dead()
        return False

    def _told(self, number: int, _: FrameType | None) -> None:
        self._stopping = True
        self._interrupted = self._interrupted or number == signal.SIGINT
        for mate in self._processes:
            mate.end()


class _WorkerProcess:
    """One of the processes, and each that takes its place."""

    def __init__(self, setup: ServerConfig, at: socket.socket) -> None:
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
        with _block_signals():
            self.process.start()
        answer.close()
        self._since = time.monotonic()
        if self._ended:
            self.end()

    def wait_until_listening(self) -> bool:
        """Whether it says, in a moment, that it listens."""
        with suppress(EOFError):
            return self._answer.poll(0.05) and bool(self._answer.recv())
        return False

    def restart_if_dead(self) -> None:
        """Starts it again if it is dead: at once if it has run for long, else with a growing pause between."""
        if self.process.is_alive() or self._ended:
            return
        ran = time.monotonic() - self._since
        if ran > STABLE_AFTER_S:
            self._pause = 0.0
        if ran >= self._pause:
            self._pause = min(MAX_RESTART_DELAY_S, self._pause * 2 or 0.5)
            self._answer.close()
            self.start()

    def end(self) -> None:
        """Tells it to stop; told twice, it ends at once."""
        self._ended = True
        if self.process.pid and self.process.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, STOP_SIGNAL)


@contextmanager
def _block_signals() -> Iterator[None]:
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


def _serve(setup: ServerConfig, at: socket.socket, answer: Pipe) -> None:
    """What each process does; a word goes up the pipe when it listens."""
    if sys.platform != "win32":
        signal.signal(STOP_SIGNAL, _leave)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    from numberline.web.ops.logging import configure_logging
    from numberline.web.server import serve

    configure_logging(setup.log)

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


def _exit_with_parent() -> None:
    """Ends this process in good order when the one that has started it is gone."""
    parent = multiprocessing.parent_process()
    if parent:
        wait([parent.sentinel])
        os.kill(os.getpid(), STOP_SIGNAL)
