"""`exec:COMMAND`: an external engine that plays over its standard input and output (protocol: docs/engines.md).

An engine runs in its own process group, which is killed when the bot is closed. On Linux, the kernel kills the engine
process if our process ends without closing the bot. An engine forfeits the game if it exits, doesn't answer in time, or
answers with anything but a legal move.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import IO, TYPE_CHECKING, Any, ClassVar

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver
from numberline.errors import IllegalMove, MoveError
from numberline.files.safe_read import os_error_reason
from numberline.game import FORCED_MOVES, Book, Position, format_position
from numberline.text import quote

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

PROTOCOL_VERSION = 1
DEFAULT_MOVE_SECONDS = 5.0
MIN_STARTUP_SECONDS = 10.0
MAX_MOVE_SECONDS = 3600.0
INFO_KEYWORDS = ("info", "id", "")  # informational and empty lines may precede the answer

MAX_OUTPUT_BYTES = 1 << 20  # output allowed between two requests to the engine
MAX_STDERR_BYTES = 2_000
EXIT_GRACE_S = 0.5
POLL_INTERVAL_S = 0.05
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def make_external_bot(
    detail: str, book: Book, rng: Random, seconds: float = DEFAULT_MOVE_SECONDS
) -> ExternalBot | None:
    """Create a bot from `COMMAND` or, with a time limit, `2s:COMMAND`; return None if `detail` is invalid."""
    timed = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)s:(.*)", detail, re.DOTALL)
    seconds, command = (float(timed[1]), timed[2]) if timed else (seconds, detail)
    argv = _split_command(command)
    if not argv or not 0 < seconds <= MAX_MOVE_SECONDS:
        return None
    if not shutil.which(argv[0]):
        raise BotError(f"{quote('exec:' + detail, 80)} can't play: program {quote(argv[0])} not found")
    return ExternalBot(f"exec:{detail}", argv, book, rng, seconds)


def _split_command(command: str) -> list[str]:
    """Split a command as a shell would; raise `BotError` for a NUL, an unclosed quote or a trailing backslash."""
    if "\0" in command:
        raise BotError(f"{quote('exec:' + command, 80)} contains a NUL character, which is not allowed in a command")
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        state: str = lexer.state  # type: ignore[attr-defined] # the unclosed quote or the trailing backslash
    problem = "it ends with a backslash" if state == "\\" else f"the quote {state} is never closed"
    raise BotError(f"{quote('exec:' + command, 80)} can't play: {problem}")


class ExternalBot(Bot):
    """A bot that starts an engine process for its first move, and restarts the engine if it fails during play."""

    usage: ClassVar[str] = "exec:COMMAND"

    def __init__(self, name: str, argv: Sequence[str], book: Book, rng: Random, seconds: float) -> None:
        super().__init__(name, book, rng)
        self.argv = list(argv)
        self.seconds = seconds
        self.process: EngineProcess | None = None
        self._seed = rng.getrandbits(32)
        self._knows_game = False
        self._startup_failure: Forfeit | None = None
        """Set if the engine failed to start, in which case it is not started again."""

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:  # noqa: ARG003
        return make_external_bot(detail or "", book, rng)

    def new_game(self, seed: int) -> None:
        self._seed = seed
        self._knows_game = False

    def choose(self, position: Position) -> str:
        """Return the engine's move; raise `Forfeit` if the move is illegal or doesn't arrive in time."""
        if not (legal := self.book.moves(position)):
            raise GameOver
        if legal[0] in FORCED_MOVES:
            return legal[0]
        if self._startup_failure:
            raise self._startup_failure
        try:
            return self._parse_move(self._ask(position, legal), position, legal)
        except EngineError as error:
            self.close(graceful=False)
            raise Forfeit(self.name, str(error)) from None

    def close(self, *, graceful: bool = True) -> None:
        """Stop the engine; it is restarted if another move is needed."""
        process, self.process = self.process, None
        if process:
            process.close(graceful=graceful)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"process": None}  # a copy starts its own process

    def _ask(self, position: Position, legal: Sequence[str]) -> str:
        process = self._ensure_started()
        output = process.unsolicited_output()
        if not _is_info(output):
            raise EngineError(f"printed {quote(output)} without being asked")
        lines = [] if self._knows_game else [f"newgame {self._seed}"]
        self._knows_game = True
        lines += [f"position {format_position(position)}", f"legal {' '.join(legal)}", f"go {self.seconds * 1000:.0f}"]
        return process.ask(lines, "move", self.seconds)

    def _parse_move(self, answer: str, position: Position, legal: Sequence[str]) -> str:
        try:
            move: str = self.book.read(answer, position)
        except IllegalMove:
            move = answer  # a move that exists only in other variants
        except MoveError:
            raise EngineError(f"answered {quote(answer)}, which is not a move") from None
        if move not in legal:
            raise EngineError(f"played {quote(answer)}, which is not allowed here")
        return move

    def _ensure_started(self) -> EngineProcess:
        if self.process is None:
            source = [f"toml {json.dumps(self.book.source)}"] if self.book.source is not None else []
            lines = [f"numberline {PROTOCOL_VERSION}", *source, f"book {self.book.variant}", "isready"]
            self._knows_game = False
            try:
                self.process = EngineProcess(self.argv)
                self.process.ask(lines, "ready", max(MIN_STARTUP_SECONDS, self.seconds))
            except EngineError as error:
                self.close(graceful=False)
                self._startup_failure = Forfeit(self.name, f"did not start: it {error}")
                raise self._startup_failure from None
        return self.process


def _is_info(line: str) -> bool:
    return line.partition(" ")[0] in INFO_KEYWORDS


# Engine processes


class EngineError(Exception):
    """Failure of an engine; the message completes a sentence that begins with "it"."""


class EngineProcess:
    """A running engine process with limits on its response time and output."""

    def __init__(self, argv: Sequence[str]) -> None:
        # Linux sends the signal set in `_start` when the *thread* that started the process ends, and callers may be
        # short-lived threads. The executor's thread lives as long as this object.
        self._starter = ThreadPoolExecutor(1, "engine")
        try:
            self._process = self._starter.submit(_start, argv).result()
        except OSError as error:
            raise EngineError(f"could not be started: {os_error_reason(error)}") from None
        self._in, self._out, self._err = (pipe.fileno() for pipe in _pipes(self._process))
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)
        self._pending = b""
        self._printed_bytes = 0
        self._stderr_tail = b""
        # Also called when this object is garbage-collected, or when the program exits.
        self._kill = weakref.finalize(self, _kill, self._process, self._selector)

    def ask(self, lines: Sequence[str], keyword: str, seconds: float) -> str:
        """Send `lines`; return the text after `keyword` in the reply, or raise `EngineError` for any other reply."""
        self.send("".join(f"{line}\n" for line in lines), seconds)
        deadline = time.monotonic() + seconds
        while _is_info(line := self._read_line(seconds, deadline)):
            continue
        word, _, rest = line.partition(" ")
        if word == "error":
            raise EngineError(f"reported an error: {quote(rest, 80)}")
        if word != keyword:
            raise EngineError(f"printed {quote(line)} where '{keyword}' was expected")
        return rest.strip()

    def send(self, text: str, seconds: float) -> None:
        """Send `text` to the engine; raise `EngineError` if it has exited or doesn't read the text within `seconds`."""
        data, deadline = text.encode(), time.monotonic() + seconds
        self._printed_bytes = 0
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EngineError(f"did not read its input for {seconds:g} seconds") from None
                time.sleep(POLL_INTERVAL_S / 10)
            except OSError:
                reason = self._exit_reason()
                if b"\n" in self._pending:
                    return  # what it printed before it exited says more
                raise EngineError(reason) from None

    def _read_line(self, seconds: float, deadline: float) -> str:
        """Return the next line; raise `EngineError` if none arrives by `deadline` (the message mentions `seconds`)."""
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0:
                raise EngineError(f"did not answer within {seconds:g} seconds")
            has_exited = self._process.poll() is not None
            if not self._read(min(left, POLL_INTERVAL_S)) and has_exited:
                raise EngineError(self._exit_reason())
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode(errors="replace").strip()

    def unsolicited_output(self) -> str:
        """Return the first line that the engine printed without being asked; empty if there is none."""
        self._read(0)
        line, _, _ = self._pending.lstrip().partition(b"\n")
        return line.decode(errors="replace").strip()

    def close(self, *, graceful: bool) -> None:
        """Kill the engine and its process group; if `graceful`, send `quit` first."""
        if graceful and self._process.poll() is None:
            with contextlib.suppress(EngineError):
                self.send("quit\n", 0)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_GRACE_S)
        self._kill()

    def _read(self, seconds: float) -> bool:
        """Read available output into the buffers, waiting up to `seconds`; return whether there was any."""
        any_output = False
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
                self._printed_bytes += len(data)
            any_output = any_output or bool(data)
        if self._printed_bytes > MAX_OUTPUT_BYTES:
            raise EngineError(f"printed more than {MAX_OUTPUT_BYTES:,} bytes")
        if not self._selector.get_map():
            time.sleep(seconds)  # both pipes are closed, so just wait for the process to exit
        return any_output

    def _exit_reason(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_GRACE_S)
        with contextlib.suppress(EngineError):
            self._read(0)
        code = self._process.returncode
        if code is None:
            return "closed its input"
        reason = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        stderr_lines = self._stderr_tail.decode(errors="replace").strip().splitlines()
        return f"{reason} ({quote(stderr_lines[-1], 80)})" if stderr_lines else reason


def _start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start an engine that, on Linux, is killed when the calling thread ends."""
    parent, pipe = os.getpid(), subprocess.PIPE

    def die_with_parent() -> None:
        if _LIBC:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # the parent ended before the call
                os._exit(1)

    return subprocess.Popen(  # noqa: S603 - the user chose the program
        argv,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - only makes system calls that take no locks
    )


def _pipes(process: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]


def _kill(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    """Kill an engine and its process group, and close its pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    selector.close()
    for pipe in _pipes(process):
        with contextlib.suppress(OSError):
            pipe.close()
