"""A program that somebody else wrote, at the other end of two pipes: it gets lines, has a time limit, and never stays.

It runs in a session of its own. Whatever it started goes with it: its process group is killed, and on Linux also every
process that carries its mark in the environment, which children inherit unless they are started with an empty one. A
shell does the same in our place where we are killed ourselves.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from numberline.files import os_error_reason
from numberline.text import quote

MAX_OUTPUT_BYTES = 1 << 20
"""How many bytes a program may print between two lines that it is sent."""
EXIT_GRACE_S = 0.5
"""How many seconds a program has to leave once it was asked to."""
POLL_INTERVAL_S = 0.05
"""How many seconds pass between two looks at whether a silent program is still there."""
ENGINE_ENV_VAR = "NUMBERLINE_ENGINE"
"""The environment variable that tells a program's processes from all others."""
MAX_KILL_SWEEPS = 5
"""How often the marked processes are looked for: killing some may take a moment to show."""
MAX_STDERR_BYTES = 2_000
"""How many bytes of what a program wrote to its standard error are kept."""


class EngineError(Exception):
    """What a program did wrong, to be read after its name."""


class EngineProcess:
    """A running program."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._mark = uuid.uuid4().hex
        self._watchdog = _Watchdog(self._mark)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the person who sat it down here chose the program
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, ENGINE_ENV_VAR: self._mark},
            )
        except BaseException as error:
            self._watchdog.stop()
            if isinstance(error, OSError):
                raise EngineError(f"could not be started: {os_error_reason(error)}") from None
            raise
        self._watchdog.watch(self._process.pid)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)
        self._pending = b""
        self._printed = 0
        self._stderr_tail = b""
        self._closed = False
        _RUNNING.add(self)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, text: str, seconds: float) -> None:
        """Sends some lines; a program that is gone, or that reads nothing for so long, misbehaves."""
        data, deadline = text.encode(), time.monotonic() + seconds
        self._printed = 0
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EngineError(f"read nothing for {seconds:g} seconds") from None
                time.sleep(POLL_INTERVAL_S / 10)
            except OSError:
                raise EngineError(self._how_it_ended()) from None

    def read_line(self, seconds: float, began: float) -> str:
        """The next line that it prints, without spaces around; raises `EngineError` where none comes in time.

        The seconds are counted from when it began, by the monotonic clock.
        """
        deadline = began + seconds
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0:
                raise EngineError(f"gave no answer within {seconds:g} seconds")
            gone = self._process.poll() is not None
            if not self._read(min(left, POLL_INTERVAL_S)) and gone:
                raise EngineError(self._how_it_ended())
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode(errors="replace").strip()

    def unsolicited_output(self) -> str:
        """What it printed without being asked; empty where it waited."""
        self._read(0)
        said, _, _ = self._pending.lstrip().partition(b"\n")
        return said.decode(errors="replace").strip()

    def close(self, *, graceful: bool) -> None:
        """Ends the program and all that it started; politely, it is asked to leave first."""
        if self._closed:
            return
        self._closed = True
        if graceful and self._process.poll() is None:
            with contextlib.suppress(EngineError):
                self.send("quit\n", 0)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_GRACE_S)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        _kill_marked(self._mark)
        self._watchdog.stop()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        _RUNNING.discard(self)

    def _read(self, seconds: float) -> bool:
        """Takes in what it printed; whether there was anything."""
        some = False
        for key, _ in self._selector.select(seconds):
            try:
                data = os.read(key.fd, 1 << 16)
            except OSError:
                data = b""
            if not data:
                self._selector.unregister(key.fd)
            elif key.fd == self._err:
                self._stderr_tail = (self._stderr_tail + data)[-MAX_STDERR_BYTES:]
            else:
                self._pending += data
                self._printed += len(data)
            some = some or bool(data)
        if self._printed > MAX_OUTPUT_BYTES:
            raise EngineError(f"printed more than {MAX_OUTPUT_BYTES:,} bytes")
        if not self._selector.get_map():
            time.sleep(seconds)  # there is nothing left to wait for but the end of the process
        return some

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_GRACE_S)
        with contextlib.suppress(EngineError):
            self._read(0)
        code = self._process.returncode
        if code is None:
            return "closed its input"
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        said = self._stderr_tail.decode(errors="replace").strip().splitlines()
        return f"{how} ({quote(said[-1], 80)})" if said else how


class _Watchdog:
    """A shell that waits for the end of this process and then, however that came, ends the program in its place."""

    SCRIPT = """
        read -r group
        read -r nothing
        kill -KILL -- "-$group"
        for sweep in 1 2 3 4 5; do
            grep -lsF "$0" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
        done
    """
    """It waits for the number of the process group, and for a line that never comes: the pipe ends when we do."""

    def __init__(self, mark: str) -> None:
        self._shell: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):  # without a shell nobody inherits
            self._shell = subprocess.Popen(  # noqa: S603 - the words are ours
                ["/bin/sh", "-c", self.SCRIPT, f"{ENGINE_ENV_VAR}={mark}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
                env={
                    **os.environ,
                    ENGINE_ENV_VAR: "",
                },  # whoever started us, and ends all that is marked, leaves it to its work
            )

    def watch(self, group: int) -> None:
        """Says which process group it is about."""
        if self._shell and self._shell.stdin:
            with contextlib.suppress(OSError):
                self._shell.stdin.write(f"{group}\n".encode())

    def stop(self) -> None:
        """Ends it: there is nothing left to do."""
        if self._shell and self._shell.stdin:
            self._shell.kill()
            self._shell.wait()
            self._shell.stdin.close()


def _kill_marked(mark: str) -> None:
    """Kills every process that carries the mark, wherever it has hidden."""
    for _ in range(MAX_KILL_SWEEPS):
        found = list(_marked(mark))
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


def _marked(mark: str) -> Iterator[int]:
    """The living processes with this mark; none where there is no /proc."""
    sought = f"{ENGINE_ENV_VAR}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if sought in (folder / "environ").read_bytes():
                yield int(folder.name)


_RUNNING: set[EngineProcess] = set()
"""Every program that was not closed yet."""


@atexit.register
def _close_all() -> None:
    for program in list(_RUNNING):
        program.close(graceful=False)
