"""`exec:COMMAND`: a program of your own at the table. It is asked for a move, line by line, and plays by the clock.

The lines that go to and fro are in docs/engines.md. A program that is silent, slow, gone, or says anything but a legal
move forfeits the game: `Forfeit` says why.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from random import Random
from typing import Any

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver
from numberline.bots.engine_process import EngineError, EngineProcess
from numberline.errors import IllegalMove, MoveError
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.text import quote

PROTOCOL_VERSION = 1
"""The version of the protocol."""
DEFAULT_MOVE_SECONDS = 5.0
"""How long a program may think about a move, unless another limit is given."""
MIN_STARTUP_SECONDS = 10.0
"""How long a program has to start up, if its time for a move is not longer."""
MAX_MOVE_SECONDS = 3600.0
INFO_KEYWORDS = ("info", "id")
"""Lines that begin with these are for people to read; the answer is still to come."""


def make_external_bot(
    detail: str, book: Book, rng: Random, seconds: float = DEFAULT_MOVE_SECONDS
) -> ExternalBot | None:
    """The bot that is written `exec:COMMAND` or, with another time limit, `exec:2s:COMMAND`; None for no command."""
    timed = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)s:(.*)", detail, re.DOTALL)
    seconds, command = (float(timed[1]), timed[2]) if timed else (seconds, detail)
    argv = _words(command)
    if not argv or not 0 < seconds <= MAX_MOVE_SECONDS:
        return None
    if not shutil.which(argv[0]):
        raise BotError(f"{quote('exec:' + detail, 80)} can't play: there is no program {quote(argv[0])} to run")
    return ExternalBot(f"exec:{detail}", argv, book, rng, seconds)


def _words(command: str) -> list[str]:
    """The words of a command, as a shell would take them; raises `BotError` for a quote that is left open."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return list(reader)
    except ValueError:
        mark: str = reader.state  # type: ignore[attr-defined] # what it was reading when the text ended
    wrong = "nothing comes after its last \\" if mark == "\\" else f"its quote {mark} is opened and never closed"
    raise BotError(f"{quote('exec:' + command, 80)} can't play: {wrong}")


class ExternalBot(Bot):
    """A player that is somebody else's program. It is started with its first move, and again after it has failed."""

    def __init__(
        self, name: str, argv: Sequence[str], book: Book, rng: Random, seconds: float = DEFAULT_MOVE_SECONDS
    ) -> None:
        super().__init__(name, book, rng)
        self.argv = list(argv)
        self.seconds = seconds
        self.program: EngineProcess | None = None
        """The running program, None while there is none."""
        self._seed = rng.getrandbits(32)
        self._knows_game = False
        self._startup_failure: Forfeit | None = None
        """Why it never got as far as a game; then it is not tried again."""

    def new_game(self, seed: int) -> None:
        """Another game begins: the program hears of it, with a number that all its chance should come from."""
        self._seed = seed
        self._knows_game = False

    def choose(self, position: Position) -> str:
        """The move that the program answers with; raises `Forfeit` where it is not legal, or does not come in time."""
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        if legal[0] in FORCED_MOVES:
            return legal[0]
        if self._startup_failure:
            raise self._startup_failure
        try:
            return self._legal(self._answer(position, legal), position, legal)
        except EngineError as wrong:
            self._end(graceful=False)
            raise Forfeit(self.name, str(wrong)) from None

    def close(self) -> None:
        """Ends the program; it is started again if it is asked again."""
        self._end(graceful=True)

    def __getstate__(self) -> dict[str, Any]:
        # A copy starts a program of its own.
        return self.__dict__ | {"program": None, "_knows_game": False}

    def __del__(self) -> None:
        if program := self.__dict__.get("program"):
            program.close(graceful=False)

    def _answer(self, position: Position, legal: Sequence[str]) -> str:
        program = self._ensure_started()
        said = program.unsolicited_output()
        if said and not _is_info(said):
            raise EngineError(f"printed {quote(said)} before it was asked")
        lines = [] if self._knows_game else [f"newgame {self._seed}"]
        self._knows_game = True
        lines += [f"position {format_position(position)}", f"legal {' '.join(legal)}", f"go {self.seconds * 1000:.0f}"]
        program.send("".join(f"{line}\n" for line in lines), self.seconds)
        return self._read_reply(program, "move", self.seconds)

    def _legal(self, answer: str, position: Position, legal: Sequence[str]) -> str:
        try:
            move: str = self.book.read(answer, position)
        except IllegalMove:
            move = answer  # a move that only another variant has
        except MoveError:
            raise EngineError(f"answered {quote(answer)}, which is not a move") from None
        if move not in legal:
            raise EngineError(f"played {quote(answer)}, which is not allowed here")
        return move

    def _ensure_started(self) -> EngineProcess:
        if self.program is None:
            try:
                self.program = EngineProcess(self.argv)
                self._greet(self.program)
            except EngineError as wrong:
                self._end(graceful=False)
                self._startup_failure = Forfeit(self.name, f"did not start: it {wrong}")
                raise self._startup_failure from None
        return self.program

    def _greet(self, program: EngineProcess) -> None:
        limit = max(MIN_STARTUP_SECONDS, self.seconds)
        source = [f"toml {json.dumps(self.book.source)}"] if self.book.source is not None else []
        lines = [f"numberline {PROTOCOL_VERSION}", *source, f"book {self.book.variant}", "isready"]
        program.send("".join(f"{line}\n" for line in lines), limit)
        self._read_reply(program, "ready", limit)
        self._knows_game = False

    def _read_reply(self, program: EngineProcess, word: str, seconds: float) -> str:
        """What comes after the word that is waited for."""
        began = time.monotonic()
        while True:
            line = program.read_line(seconds, began)
            if not line or _is_info(line):
                continue
            said, _, rest = line.partition(" ")
            if said == "error":
                raise EngineError(f"reported an error: {quote(rest, 80)}")
            if said != word:
                raise EngineError(f"printed {quote(line)} where '{word}' was expected")
            return rest.strip()

    def _end(self, *, graceful: bool) -> None:
        program, self.program = self.program, None
        if program:
            program.close(graceful=graceful)


def _is_info(line: str) -> bool:
    return line.partition(" ")[0] in INFO_KEYWORDS
