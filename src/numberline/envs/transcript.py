"""The answers of a language model written down, and given again in the same order without asking it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from numberline.envs.validation import validate_callable
from numberline.errors import NumberlineError
from numberline.files import LOCK_TIMEOUT_S, AppendOnlyFile, InvalidTextFile, os_error_reason, read_text, write_atomic
from numberline.text import quote, safe_repr

Responder = Callable[[str], object]
"""Whoever answers a prompt: a language model, a person, a recording. What is not text counts as unreadable."""
MAX_TRANSCRIPT_BYTES = 1_000_000_000
"""Bytes; nothing longer is read."""
LINE_PREFIX = b'{"prompt": "'
"""How each line of a recording begins."""


class Exchange(NamedTuple):
    """A prompt and what was answered."""

    prompt: str
    answer: str | None
    """None where what came back was not text."""
    failure: str = ""
    """What went wrong, where there was an error instead of an answer."""


class ReplayError(NumberlineError, ValueError):
    """A recording that can't be read or written, or that does not fit what is asked."""


class RecordedFailure(Exception):
    """An error of the model, as it was written down."""


class Recorder:
    """Whoever answers prompts, with everything written down: in `exchanges`, and in a file where one is named.

    Each exchange is a line of JSON, added to the file as it happens. A file that is there already is continued; where
    nothing can be added to it, that is said before anybody is asked.
    """

    def __init__(self, ask: Responder, path: str | PathLike[str] | None = None) -> None:
        self._ask = validate_callable(ask)
        self._path = None if path is None else _path(path)
        self.exchanges: list[Exchange] = []
        if self._path:
            with _replay_errors(self._path), closing(AppendOnlyFile(self._path, LOCK_TIMEOUT_S)) as ledger:
                _truncate_partial_line(ledger)

    def __call__(self, prompt: str) -> object:
        """The answer."""
        try:
            answer = self._ask(prompt)
        except NumberlineError:  # no failure of the model
            raise
        except Exception as error:
            self._add(Exchange(prompt, None, describe_error(error)))
            raise
        self._add(Exchange(prompt, answer if isinstance(answer, str) else None))
        return answer

    def save(self, path: str | PathLike[str]) -> None:
        """Writes all exchanges to a file; one that is there is replaced, as a whole or not at all."""
        with _replay_errors(_path(path)):
            write_atomic(_path(path), b"".join(map(_line, self.exchanges)))

    def _add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        if self._path:
            with _replay_errors(self._path), closing(AppendOnlyFile(self._path, LOCK_TIMEOUT_S)) as ledger:
                ledger.add(_line(exchange))


class Replayer:
    """Gives recorded answers, one after the other; refuses a prompt other than the one that was answered then."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._left = list(exchanges)
        self._given = 0

    def __call__(self, prompt: str) -> str | None:
        """The answer that was given to this prompt; raises `RecordedFailure` where there was an error."""
        if self._given == len(self._left):
            raise ReplayError(f"the recording ends with answer {self._given}, and one more is asked for")
        expected, answer, failed = self._left[self._given]
        self._given += 1
        if prompt != expected:
            raise ReplayError(f"answer {self._given} of the recording was given to another prompt; record it again")
        if failed:
            raise RecordedFailure(failed)
        return answer

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Replayer:
        """The recording in a file that a `Recorder` wrote; a last line that is only half written is left out."""
        path = _path(path)
        with _replay_errors(path):
            *lines, _ = read_text(path, MAX_TRANSCRIPT_BYTES).split("\n")
        return cls([_read(path, number, line) for number, line in enumerate(lines, 1)])


def describe_error(error: Exception) -> str:
    """What went wrong, in a line: `TimeoutError: no answer in 60 s`."""
    if isinstance(error, RecordedFailure):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())


def _line(exchange: Exchange) -> bytes:
    """The exchange as a line of ASCII, which no character of a prompt or an answer can break."""
    written = {key: value for key, value in exchange._asdict().items() if key != "failure" or value}
    return f"{json.dumps(written)}\n".encode("ascii")


def _path(given: str | PathLike[str]) -> Path:
    try:
        return Path(given)
    except TypeError:
        raise ReplayError(f"{safe_repr(given)} is not the name of a file") from None


@contextmanager
def _replay_errors(path: Path) -> Iterator[None]:
    """Says what is wrong with a recording in a sentence."""
    try:
        yield
    except (OSError, InvalidTextFile) as error:
        why = os_error_reason(error) if isinstance(error, OSError) else str(error)
        raise ReplayError(f"{_path_text(path)}: {why}") from None


def _path_text(path: Path) -> str:
    return quote(str(path), width=300)[1:-1]


def _read(path: Path, number: int, line: str) -> Exchange:
    try:
        found = json.loads(line)
        exchange = Exchange(found["prompt"], found["answer"], found.get("failure", ""))
        known = isinstance(exchange.answer, str | None) and all(isinstance(exchange[i], str) for i in (0, 2))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        known = False
    if not known:
        raise ReplayError(f"{_path_text(path)}, line {number}: expected a prompt and an answer as JSON")
    return exchange


def _truncate_partial_line(ledger: AppendOnlyFile) -> None:
    """Takes away what was being written when a program was killed, and nothing that is no exchange."""
    size = whole = 0
    begins = b""
    for part in ledger.lines(1 << 20):
        begins = begins or part[: len(LINE_PREFIX)]
        size += len(part)
        if part.endswith(b"\n"):
            whole, begins = size, b""
    if not LINE_PREFIX.startswith(begins) and begins != LINE_PREFIX:
        raise ReplayError(f"{_path_text(ledger.path)} is no recording: its last line is no exchange; name another file")
    ledger.truncate(whole)
