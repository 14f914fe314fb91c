"""Game results, and the results file of a tournament."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from numberline.arena.schedule import FILE_FORMAT_VERSION, Tournament
from numberline.errors import NumberlineError
from numberline.files.safe_write import AppendOnlyFile, FileLocked
from numberline.game import Outcome
from numberline.text import quote

WON, FORFEITED, STOPPED = "won", "forfeit", "limit"
"""Ways in which a game can end: by the rules, by a forfeit, or as a draw at the ply limit."""
MAX_LINE_BYTES = 50_000_000


def game_ending(outcome: Outcome | None, plies: int) -> tuple[int, str, str]:
    """Return the winner, ending and reason for a game without a forfeit; `outcome` is None at the ply limit.

    >>> game_ending(None, 500)
    (0, 'limit', 'The game was stopped after 500 turns.')
    """
    if outcome:
        return outcome.winner, WON, outcome.reason
    return 0, STOPPED, f"The game was stopped after {plies:,} turns."


class ArenaFileError(NumberlineError, ValueError):
    """A results file that can't be read or resumed."""


class InvalidResultLine(ValueError):
    """A line of a results file that is not a valid game result."""


class MoveQuality(NamedTuple):
    """Counts for one seat: turns with a choice, best moves, blunders (moves that cost points), and points lost."""

    choices: int = 0
    best: int = 0
    blunders: int = 0
    regret: int = 0

    def is_possible(self, plies: int) -> bool:
        """Return whether a game of `plies` plies can have these counts; a blunder costs one or two points."""
        fits = self.best + self.blunders <= self.choices <= plies
        return min(self) >= 0 and fits and self.blunders <= self.regret <= 2 * self.blunders


class GameResult(NamedTuple):
    """The result of one game, as stored on one line of a results file."""

    game: int
    variant: str
    seats: tuple[str, ...]
    winner: int
    """The winning seat; 0 for a draw."""
    end: str
    reason: str
    moves: tuple[str, ...]
    tallies: tuple[MoveQuality, ...] | None
    """The move quality of each seat, or None if the variant is too large to solve."""
    faults: tuple[str, ...] = ()
    """The reason why each seat forfeited (an empty string if it did not), or an empty tuple if no seat did."""

    def forfeit_reason(self, seat: int) -> str:
        """Return the reason why a seat forfeited, or an empty string if it did not."""
        return self.faults[seat - 1] if self.faults else ""

    def to_json_line(self) -> str:
        tallies = self.tallies and [tally._asdict() for tally in self.tallies]
        moves, plies = " ".join(self.moves), len(self.moves)
        written = {**self._asdict(), "moves": moves, "tallies": tallies, "plies": plies}
        if not self.faults or len(self.seats) == 2:
            del written["faults"]  # redundant: with two players, `reason` already contains it
        return _dump(written) + "\n"

    @staticmethod
    def from_json_line(line: bytes) -> GameResult:
        """Parse a line of a results file; raise `InvalidResultLine` if it is not a possible result."""
        read = _parse_json(line)
        try:
            tallies = read["tallies"] and tuple(MoveQuality(**tally) for tally in read["tallies"])
            columns = {"seats": tuple(read["seats"]), "moves": tuple(read["moves"].split()), "tallies": tallies}
            faults = tuple(read.get("faults", ()))
            if len(read["seats"]) == 2 and read["end"] == FORFEITED:
                faults = ("", read["reason"]) if read["winner"] == 1 else (read["reason"], "")
            fields = {name: value for name, value in read.items() if name != "plies"}
            result = GameResult(**fields | columns | {"faults": faults})
            is_valid = _dump(read) == result.to_json_line().rstrip("\n") and result._is_possible()
        except (AttributeError, KeyError, TypeError):
            is_valid = False
        if not is_valid:
            raise InvalidResultLine("not a valid game result")
        return result

    def _is_possible(self) -> bool:
        seats, is_draw = len(self.seats), self.winner == 0
        counts = [count for tally in self.tallies or () for count in tally]
        return (
            {type(number) for number in (self.game, self.winner, *counts)} == {int}  # rejects True and False
            and {type(text) for text in (self.end, self.reason, *self.faults)} == {str}
            and self.end in ({STOPPED, *([FORFEITED] if seats > 2 else [])} if is_draw else {WON, FORFEITED})
            and 0 <= self.winner <= seats
            and len(self.faults) in {0, seats}
            and (self.tallies is None or len(self.tallies) == seats)
            and all(tally.is_possible(len(self.moves)) for tally in self.tallies or ())
        )


def _dump(value: Any) -> str:
    """Return single-line JSON; lone surrogates, which file names can contain, are escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace").decode()


def _parse_json(line: bytes) -> Any:
    """Return the value of a JSON line, or None if it is invalid, is nested too deeply or contains a huge integer."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None


class ResultFile:
    """The results file of a tournament: a header line, then one line per finished game, appended as results arrive."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament
        try:
            self._file = AppendOnlyFile(path)
        except FileLocked:
            raise ArenaFileError(
                f"{path}: another process is writing to this file; wait until it ends or choose another file"
            ) from None

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.close()

    def add(self, results: Iterable[GameResult]) -> None:
        """Append results; once this returns, they are safe even if the process is killed."""
        self._file.add("".join(result.to_json_line() for result in results).encode())

    def load(self, take: Callable[[GameResult], bool]) -> None:
        """Pass every result in the file to `take`, which returns whether the result is new.

        An incomplete last line is dropped. Any other invalid line raises `ArenaFileError`, leaving the file unchanged.
        """
        header = f"{_dump(self.tournament.header())}\n".encode()
        whole = 0
        for number, line in enumerate(self._file.lines(MAX_LINE_BYTES), 1):
            if len(line) == MAX_LINE_BYTES:
                raise ArenaFileError(f"{self.path}, line {number}: too long for a result; choose another file")
            if number == 1:
                self._check_header(line, header)
            if not line.endswith(b"\n"):
                self._file.truncate(whole)
                break
            if number > 1:
                try:
                    self._check_game(GameResult.from_json_line(line), take)
                except InvalidResultLine as error:
                    what = f"{self.path}, line {number}: {error}"
                    raise ArenaFileError(
                        f"{what}; delete this line to have its game played again, or choose another file"
                    ) from None
            whole += len(line)
        if not whole:
            self._file.add(header)

    def _check_game(self, result: GameResult, take: Callable[[GameResult], bool]) -> None:
        """Pass a result to `take`; raise `InvalidResultLine` unless it is a new game of this tournament."""
        played = self.tournament
        if not 0 <= result.game < played.total:
            raise InvalidResultLine(f"this tournament has no game {quote(str(result.game))}")
        wanted = played.books[played.pairing(result.game).book].variant, played.names(result.game)
        if (result.variant, result.seats) != wanted:
            raise InvalidResultLine(f"does not match game {result.game} of this tournament")
        if len(result.moves) > played.plies:
            raise InvalidResultLine(f"more than {played.plies} moves")
        if not take(result):
            raise InvalidResultLine(f"game {result.game} is already on an earlier line")

    def _check_header(self, line: bytes, header: bytes) -> None:
        """Raise `ArenaFileError` unless the first line is this tournament's header, whether complete or cut short."""
        incomplete = not line.endswith(b"\n") and header.startswith(line)
        if incomplete or line.rstrip(b"\r\n") == header.rstrip(b"\n"):
            return
        read = _parse_json(line)
        version = read.get("numberline arena") if isinstance(read, dict) else None
        if type(version) is not int:
            raise ArenaFileError(f"{self.path} is not a results file; choose another file")
        if version > FILE_FORMAT_VERSION:
            raise ArenaFileError(
                f"{self.path}: written by a newer version of Numberline; upgrade, or choose another file"
            )
        raise ArenaFileError(
            f"{self.path}: the file belongs to a different tournament; use the same players, books, games, seed and "
            "plies, or choose another file"
        )
