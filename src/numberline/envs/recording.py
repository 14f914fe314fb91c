"""The answers of a language model written down, and given again in the same order without asking it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from numberline.rules.errors import NumberlineError


class Exchange(NamedTuple):
    """A prompt and what was answered."""

    prompt: str
    answer: str


class ReplayError(NumberlineError, ValueError):
    """A recording that can't be read, or that does not fit what is asked."""


class Recorder:
    """Whoever answers prompts, with everything written down; `save` puts it in a file, one exchange a line."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask
        self.exchanges: list[Exchange] = []

    def __call__(self, prompt: str) -> str:
        """The answer."""
        answer = self._ask(prompt)
        self.exchanges.append(Exchange(prompt, answer))
        return answer

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the exchanges to a file, as JSON lines."""
        lines = [json.dumps(exchange._asdict(), ensure_ascii=False) for exchange in self.exchanges]
        Path(path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


class Replayer:
    """Gives recorded answers, one after the other; refuses a prompt other than the one that was answered then."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._left = list(exchanges)
        self._given = 0

    def __call__(self, prompt: str) -> str:
        """The answer that was given to this prompt."""
        if self._given == len(self._left):
            raise ReplayError(f"the recording ends with answer {self._given}, and one more is asked for")
        expected, answer = self._left[self._given]
        self._given += 1
        if prompt != expected:
            raise ReplayError(f"answer {self._given} of the recording was given to another prompt; record it again")
        return answer

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Replayer:
        """The recording in a file that `Recorder.save` wrote."""
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return cls([_read(path, number, line) for number, line in enumerate(lines, 1)])


def _read(path: str | PathLike[str], number: int, line: str) -> Exchange:
    try:
        found = json.loads(line)
        prompt, answer = found["prompt"], found["answer"]
    except (ValueError, KeyError, TypeError):
        raise ReplayError(f"{path}, line {number}: expected a prompt and an answer as JSON") from None
    return Exchange(str(prompt), str(answer))
