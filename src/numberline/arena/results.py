"""What became of a game, and the file in which all games of a tournament are kept while it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from numberline.arena.schedule import Tournament
from numberline.files import failure
from numberline.rules.errors import NumberlineError
from numberline.rules.position import Outcome

WON, FORFEITED, STOPPED = "won", "forfeit", "limit"
"""How a game ended: by the rules; by a player's own fault; at the limit of plies, as a draw."""


def ending(outcome: Outcome | None, plies: int) -> tuple[int, str, str]:
    """Who won, how a game ended that nobody forfeited, and why; without an outcome it was stopped after so many plies.

    >>> ending(None, 500)
    (0, 'limit', 'The game was stopped after 500 turns.')
    """
    if outcome:
        return outcome.winner, WON, outcome.reason
    return 0, STOPPED, f"The game was stopped after {plies:,} turns."


class ArenaFileError(NumberlineError, ValueError):
    """A file that the games can't be written to; the text says why."""


class Tally(NamedTuple):
    """How one seat played."""

    choices: int = 0
    """How often there were at least two moves to choose from."""
    best: int = 0
    """How many of the choices gave away nothing, neither points nor plies."""
    blunders: int = 0
    """How many gave away points."""
    regret: int = 0
    """How many points in all."""


class Result(NamedTuple):
    """What became of one game."""

    game: int
    variant: str
    seats: tuple[str, ...]
    winner: int
    """The seat that won, 0 for a draw."""
    end: str
    reason: str
    moves: tuple[str, ...]
    tallies: tuple[Tally, ...] | None
    """How each seat played; None where the variant is too large for that to be known."""
    faults: tuple[str, ...] = ()
    """For each seat why it forfeited, nothing where it did not; nothing at all where nobody did."""

    def fault(self, seat: int) -> str:
        """Why a seat forfeited; nothing where it did not."""
        return self.faults[seat - 1] if self.faults else ""

    def line(self) -> str:
        """The result as a line of JSON."""
        tallies = self.tallies and [tally._asdict() for tally in self.tallies]
        moves, plies = " ".join(self.moves), len(self.moves)
        written = {**self._asdict(), "moves": moves, "tallies": tallies, "plies": plies}
        if not self.faults or len(self.seats) == 2:
            del written["faults"]  # of two players it is the loser's, and the reason of the game
        return _dump(written) + "\n"

    @staticmethod
    def from_line(line: bytes | str) -> Result:
        """The result that `line` wrote; raises ValueError, KeyError or TypeError for anything else."""
        read: dict[str, Any] = json.loads(line)
        read.pop("plies", None)  # as many as there are moves
        read["seats"] = tuple(read["seats"])
        read["moves"] = tuple(read["moves"].split())
        read["tallies"] = read["tallies"] and tuple(Tally(**tally) for tally in read["tallies"])
        if len(read["seats"]) == 2 and read["end"] == FORFEITED:
            read["faults"] = ("", read["reason"]) if read["winner"] == 1 else (read["reason"], "")
        else:
            read["faults"] = tuple(read.get("faults", ()))
        return Result(**read)


_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class ResultFile:
    """The file of a tournament: a line that says what is played, then a line for each game, written as it ends.

    A file that is there already is continued. If its last line is only half written, it is dropped.
    """

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament
        self._file: IO[bytes] = path.open("a+b")
        try:
            _lock(self._file)
            self._begin()
        except BlockingIOError:
            self._file.close()
            raise ArenaFileError(f"{path}: another arena is writing to it; wait for it, or name another file") from None
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Nothing more is written; another arena may."""
        self._file.close()

    def add(self, results: Iterable[Result]) -> None:
        """Writes games down; once this is done, killing the program loses nothing of them."""
        try:
            self._file.write("".join(result.line() for result in results).encode())
            self._file.flush()
        except OSError as error:
            raise ArenaFileError(f"{self.path}: {failure(error)}") from None

    def results(self) -> Iterator[Result]:
        """The games that were written down before."""
        self._file.seek(0)
        self._file.readline()
        for number, line in enumerate(self._file, 2):
            try:
                result = Result.from_line(line)
                known = 0 <= result.game < self.tournament.total and 0 <= result.winner <= len(result.seats)
            except (ValueError, KeyError, TypeError, AttributeError):
                known = False
            if not known or result.seats != self.tournament.names(result.game):
                raise ArenaFileError(f"{self.path}, line {number}: not a game of this tournament; name another file")
            yield result

    def _begin(self) -> None:
        """Cuts off what is half written, and makes sure that the file belongs to this tournament."""
        self._file.seek(0)
        whole = sum(len(line) for line in self._file if line.endswith(b"\n"))
        header = f"{_dump(self.tournament.header())}\n".encode()
        self._file.seek(0)
        begun = self._file.read(len(header))
        if whole and begun != header:
            raise ArenaFileError(
                f"{self.path}: it holds another tournament, or none; give the same players, books, games, seed and "
                "plies as before, or name another file"
            )
        if not header.startswith(begun):
            raise ArenaFileError(f"{self.path}: it holds something else; name another file")
        self._file.truncate(whole)
        if not whole:
            self._file.write(header)
            self._file.flush()


def _lock(file: IO[bytes]) -> None:
    """Keeps other arenas from writing to the file; raises BlockingIOError where one already does."""
    try:
        import fcntl
    except ImportError:  # on Windows: two arenas on one file are up to whoever starts them
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
