"""Supervisor of worker processes that share a listening socket and are restarted if they die."""

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
from tempfile import TemporaryDirectory
from types import FrameType

from numberline.errors import NumberlineError
from numberline.web.ops.config import ServerConfig, WebError
from numberline.web.store.postgres import is_postgres

MAX_RESTART_DELAY_S = 8.0
STABLE_AFTER_S = 30.0

# Not SIGTERM, which a service manager may send to the workers as well as to the supervisor.
STOP_SIGNAL = signal.SIGTERM if sys.platform == "win32" else signal.SIGUSR1


def serve_with_workers(
    workers: int, config: ServerConfig, listener: socket.socket, on_started: Callable[[], None]
) -> bool:
    """Run worker processes until a signal arrives, and return whether it was SIGINT."""
    if not is_postgres(config.database):
        problem = f"SQLite supports a single process; --workers {workers} requires PostgreSQL"
        raise WebError(f"{problem} (--db postgresql://name:password@host/database)")
    from numberline.web.store.store import Store

    gc.enable()
    with closing(Store(config.database)):  # creates the tables; raises if the database can't be opened
        pass
    with TemporaryDirectory(prefix="numberline-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        try:
            return Supervisor(workers, config, listener).run(on_started)
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


class Supervisor:
    """Manager that starts worker processes, restarts dead ones and forwards signals."""

    def __init__(self, workers: int, config: ServerConfig, listener: socket.socket) -> None:
        self._workers = [_WorkerProcess(config, listener) for _ in range(workers)]
        self._interrupted = False
        self._stopping = False

    def run(self, on_started: Callable[[], None]) -> bool:
        """Start the workers, keep them running until a signal arrives, and return whether it was SIGINT."""
        previous = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for worker in self._workers:
                worker.start()
            if self._wait_for_first():
                on_started()
            while not self._stopping:
                self._restart_dead()
                wait([worker.process.sentinel for worker in self._workers if worker.process.is_alive()], timeout=0.2)
            for worker in self._workers:
                worker.process.join()
        finally:
            for worker in self._workers:
                if worker.process.pid:
                    worker.process.kill()
            for number, handler in previous.items():
                signal.signal(number, handler)
        return self._interrupted

    def _wait_for_first(self) -> bool:
        """Wait until a worker is listening; return False if a signal arrives first."""
        while not self._stopping:
            if any(worker.wait_until_listening() for worker in self._workers):
                return True
            self._restart_dead()
        return False

    def _restart_dead(self) -> None:
        for worker in self._workers:
            worker.restart_if_dead()

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self._stopping = True
        self._interrupted = self._interrupted or number == signal.SIGINT
        for worker in self._workers:
            worker.end()


class _WorkerProcess:
    """Slot for one worker process, which is restarted if it dies."""

    def __init__(self, config: ServerConfig, listener: socket.socket) -> None:
        self._config = config
        self._listener = listener
        self._restart_delay_s = 0.0
        self._ended = False
        self.process = multiprocessing.get_context("spawn").Process()  # a signal may arrive before `start`

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ready, ready = context.Pipe(duplex=False)
        arguments = (self._config, self._listener, ready)
        self.process = context.Process(target=_run_worker, args=arguments, name="numberline worker")
        with _block_signals():
            self.process.start()
        ready.close()
        self._started_at = time.monotonic()
        if self._ended:
            self.end()

    def wait_until_listening(self) -> bool:
        """Wait briefly for the worker, and return whether it reported that it is listening."""
        with suppress(EOFError):
            return self._ready.poll(0.05) and bool(self._ready.recv())
        return False

    def restart_if_dead(self) -> None:
        """Restart a dead process: immediately if it was stable, otherwise after increasing delays."""
        if self.process.is_alive() or self._ended:
            return
        ran_s = time.monotonic() - self._started_at
        if ran_s > STABLE_AFTER_S:
            self._restart_delay_s = 0.0
        if ran_s >= self._restart_delay_s:
            self._restart_delay_s = min(MAX_RESTART_DELAY_S, self._restart_delay_s * 2 or 0.5)
            self._ready.close()
            from prometheus_client.multiprocess import mark_process_dead

            mark_process_dead(self.process.pid)  # type: ignore[no-untyped-call]  # removes its gauges
            self.start()

    def end(self) -> None:
        """Ask the process to stop; a second call makes it exit immediately."""
        self._ended = True
        if self.process.pid and self.process.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, STOP_SIGNAL)


@contextmanager
def _block_signals() -> Iterator[None]:
    """Block SIGINT and SIGTERM in processes started in this context; the supervisor sends `STOP_SIGNAL` instead."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # if it were started in this context, it would unblock the signals
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _run_worker(config: ServerConfig, listener: socket.socket, ready: Pipe) -> None:
    """Serve in a worker process, and report through `ready` once it is listening."""
    if sys.platform != "win32":
        signal.signal(STOP_SIGNAL, _on_stop_signal)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    from numberline.web.ops.logging import configure_logging
    from numberline.web.server import serve

    configure_logging(config.log)

    def on_started() -> None:
        ready.send(True)  # noqa: FBT003 - any object would do
        ready.close()

    code = 0
    try:
        serve(config, listener, on_started)
    except NumberlineError:
        code = 1  # the database is not available; the supervisor will restart this worker
    sys.stderr.flush()
    os._exit(code)  # everything is stored and closed; a normal exit would take longer


def _on_stop_signal(_: int, frame: FrameType | None) -> None:
    """Call the SIGTERM handler, or exit immediately if the server is not running yet."""
    handler = signal.getsignal(signal.SIGTERM)
    if not callable(handler):
        os._exit(0)
    handler(signal.SIGTERM, frame)


def _exit_with_parent() -> None:
    """Shut down gracefully if the parent process dies."""
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os.kill(os.getpid(), STOP_SIGNAL)
