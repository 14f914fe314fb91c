"""Game results, and the results file of a tournament."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import NoneType
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


class GameResult(NamedTuple):
    """The result of one game."""

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
        """Return why a seat forfeited, or an empty string if it did not."""
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
        """Parse a line of a results file; raise `InvalidResultLine` if it is not a valid result."""
        read = _parse_json(line)
        if not isinstance(read, dict) or not _REQUIRED_FIELDS <= read.keys() <= _FIELD_TYPES.keys():
            raise InvalidResultLine("not a game result")
        for name, value in read.items():
            if type(value) not in _FIELD_TYPES[name]:  # isinstance would accept true as an int
                raise InvalidResultLine(f"{name} can't be {quote(_dump(value))}")
        return _result(read)


def _dump(value: Any) -> str:
    """Return single-line JSON; lone surrogates, which file names can contain, are escaped."""
    return _encode(value).encode(errors="backslashreplace").decode()


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _parse_json(line: bytes) -> Any:
    """Return the value of a line, or None if it is not UTF-8 or JSON, is nested too deeply or has a huge integer."""
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        return None


_FIELD_TYPES = {
    **dict.fromkeys(("game", "winner", "plies"), (int,)),
    **dict.fromkeys(("variant", "end", "reason", "moves"), (str,)),
    **dict.fromkeys(("seats", "faults"), (list,)),
    "tallies": (list, NoneType),
}
_REQUIRED_FIELDS = _FIELD_TYPES.keys() - {"plies", "faults"}


def _result(read: dict[str, Any]) -> GameResult:
    """Return the result with these fields; raise `InvalidResultLine` if they are inconsistent."""
    seats, moves, winner, end = tuple(read["seats"]), tuple(read["moves"].split()), read["winner"], read["end"]
    plies, tallies = read.pop("plies", len(moves)), read["tallies"]
    if not 0 <= winner <= len(seats):
        raise InvalidResultLine(f"winner can't be {quote(str(winner))} with {len(seats)} seats")
    if end not in {WON, FORFEITED, STOPPED}:
        raise InvalidResultLine(f"end can't be {quote(end)}")
    decided = end == WON or (end == FORFEITED and len(seats) == 2)
    if (decided and not winner) or (end == STOPPED and winner):
        raise InvalidResultLine(f"winner can't be {winner} if the end is {end}")
    if plies != len(moves):
        raise InvalidResultLine(f"plies can't be {plies} with {len(moves)} moves")
    if tallies is not None:
        if len(tallies) != len(seats):
            raise InvalidResultLine(f"tallies has {len(tallies)} entries; expected {len(seats)}")
        tallies = tuple(_tally(tally, plies) for tally in tallies)
    converted = {"seats": seats, "moves": moves, "tallies": tallies, "faults": _faults(read, len(seats))}
    return GameResult(**read | converted)


def _tally(read: Any, plies: int) -> MoveQuality:
    """Return a tally; raise `InvalidResultLine` if its counts are not possible in `plies` plies."""
    if isinstance(read, dict) and tuple(read) == MoveQuality._fields and {*map(type, read.values())} == {int}:
        choices, best, blunders, regret = tally = MoveQuality(**read)
        # A blunder costs one or two points.
        if min(tally) >= 0 and best + blunders <= choices <= plies and blunders <= regret <= 2 * blunders:
            return tally
    raise InvalidResultLine(f"a tally can't be {quote(_dump(read), 80)}")


def _faults(read: dict[str, Any], seats: int) -> tuple[str, ...]:
    if seats == 2 and read["end"] == FORFEITED:
        return ("", read["reason"]) if read["winner"] == 1 else (read["reason"], "")
    faults = read.get("faults", [])
    if faults and (len(faults) != seats or any(type(fault) is not str for fault in faults)):
        raise InvalidResultLine(f"faults can't be {quote(_dump(faults))}")
    return tuple(faults)


class ResultFile:
    """The results file of a tournament: a header line, then one line per game, written as soon as the game ends."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament
        try:
            self._file = AppendOnlyFile(path)
        except FileLocked:
            raise ArenaFileError(
                f"{path}: another arena is writing to this file; wait until it ends or choose another file"
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
                        f"{what}; delete this line to replay its game, or choose another file"
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
