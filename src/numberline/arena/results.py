"""What became of a game, and the file in which all games of a tournament are kept while it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from numberline.arena.schedule import FILE_FORMAT_VERSION, Tournament
from numberline.errors import NumberlineError
from numberline.files import AppendOnlyFile, FileLocked
from numberline.game.position import Outcome
from numberline.text import quote

WON, FORFEITED, STOPPED = "won", "forfeit", "limit"
"""How a game ended: by the rules; by a player's own fault; at the limit of plies, as a draw."""
MAX_LINE_BYTES = 50_000_000
"""Bytes; no game takes more, and no longer line is read."""


def game_ending(outcome: Outcome | None, plies: int) -> tuple[int, str, str]:
    """Who won, how a game ended that nobody forfeited, and why; without an outcome it was stopped after so many plies.

    >>> game_ending(None, 500)
    (0, 'limit', 'The game was stopped after 500 turns.')
    """
    if outcome:
        return outcome.winner, WON, outcome.reason
    return 0, STOPPED, f"The game was stopped after {plies:,} turns."


class ArenaFileError(NumberlineError, ValueError):
    """A file that the games can't be written to; the text says why."""


class InvalidResultLine(ValueError):
    """A line that is no game of ours; the text says what is wrong with it."""


class MoveQuality(NamedTuple):
    """How one seat played."""

    choices: int = 0
    """How often there were at least two moves to choose from."""
    best: int = 0
    """How many of the choices gave away nothing, neither points nor plies."""
    blunders: int = 0
    """How many gave away points."""
    regret: int = 0
    """How many points in all."""


class GameResult(NamedTuple):
    """What became of one game."""

    game: int
    variant: str
    seats: tuple[str, ...]
    winner: int
    """The seat that won, 0 for a draw."""
    end: str
    reason: str
    moves: tuple[str, ...]
    tallies: tuple[MoveQuality, ...] | None
    """How each seat played; None where the variant is too large for that to be known."""
    faults: tuple[str, ...] = ()
    """For each seat why it forfeited, nothing where it did not; nothing at all where nobody did."""

    def forfeit_reason(self, seat: int) -> str:
        """Why a seat forfeited; nothing where it did not."""
        return self.faults[seat - 1] if self.faults else ""

    def to_json_line(self) -> str:
        """The result as a line of JSON."""
        tallies = self.tallies and [tally._asdict() for tally in self.tallies]
        moves, plies = " ".join(self.moves), len(self.moves)
        written = {**self._asdict(), "moves": moves, "tallies": tallies, "plies": plies}
        if not self.faults or len(self.seats) == 2:
            del written["faults"]  # of two players it is the loser's, and the reason of the game
        return _dump(written) + "\n"

    @staticmethod
    def from_json_line(line: bytes | str) -> GameResult:
        """The result that `line` wrote; raises `InvalidResultLine` for anything else."""
        try:
            read = json.loads(line.decode() if isinstance(line, bytes) else line)
            return _result(_fields(read))
        except InvalidResultLine:
            raise
        except (ValueError, RecursionError):  # no text, no JSON, too deep, or a number of thousands of digits
            raise InvalidResultLine(NOT_A_GAME) from None


def _dump(value: Any) -> str:
    """The value as JSON in one line; halves of characters, which file names may hold, are escaped."""
    return _encode(value).encode(errors="backslashreplace").decode()


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


# Reading a line

NOT_A_GAME = "not a game"
_FIELD_TYPES: dict[str, tuple[type, ...]] = {
    "game": (int,),
    "variant": (str,),
    "seats": (list,),
    "winner": (int,),
    "end": (str,),
    "reason": (str,),
    "moves": (str,),
    "tallies": (list, type(None)),
    "plies": (int,),
    "faults": (list,),
}
"""What may stand in a line, and as what."""
_OPTIONAL_FIELDS = {"plies", "faults"}


def _fields(read: Any) -> dict[str, Any]:
    """What was read, everything being there and of the right kind."""
    if not isinstance(read, dict) or not _FIELD_TYPES.keys() - _OPTIONAL_FIELDS <= read.keys() <= _FIELD_TYPES.keys():
        raise InvalidResultLine(NOT_A_GAME)
    for name, value in read.items():
        if type(value) not in _FIELD_TYPES[name]:  # Python would take true for 1
            raise InvalidResultLine(f"{name} can't be {quote(_dump(value))}")
    return read


def _result(read: dict[str, Any]) -> GameResult:
    """The game that these fields tell of, if they make sense together."""
    seats, moves, winner, end = len(read["seats"]), tuple(read["moves"].split()), read["winner"], read["end"]
    if not 0 <= winner <= seats:
        raise InvalidResultLine(f"winner can't be {quote(str(winner))} of {seats} seats")
    if end not in {WON, FORFEITED, STOPPED}:
        raise InvalidResultLine(f"end can't be {quote(end)}")
    decided = end == WON or (end == FORFEITED and seats == 2)
    if (decided and not winner) or (end == STOPPED and winner):
        raise InvalidResultLine(f"winner can't be {winner} where the end is {end}")
    if read.get("plies", len(moves)) != len(moves):
        raise InvalidResultLine(f"plies can't be {read['plies']} with {len(moves)} moves")
    return GameResult(
        read["game"],
        read["variant"],
        tuple(read["seats"]),
        winner,
        end,
        read["reason"],
        moves,
        _tallies(read["tallies"], seats, len(moves)),
        _faults(read, seats),
    )


def _tallies(read: list[Any] | None, seats: int, plies: int) -> tuple[MoveQuality, ...] | None:
    """How each seat played, as it was written down."""
    if read is None:
        return None
    if len(read) != seats:
        raise InvalidResultLine(f"tallies are of {len(read)} seats, not of {seats}")
    for each in read:
        if (
            not isinstance(each, dict)
            or tuple(each) != MoveQuality._fields
            or any(type(count) is not int for count in each.values())
            or not _is_consistent(MoveQuality(**each), plies)
        ):
            raise InvalidResultLine(f"a tally can't be {quote(_dump(each), 80)}")
    return tuple(MoveQuality(**each) for each in read)


def _is_consistent(tally: MoveQuality, plies: int) -> bool:
    """Whether somebody can have chosen so in so many plies: a blunder gives away a point, or two."""
    choices, best, blunders, regret = tally
    return min(tally) >= 0 and best + blunders <= choices <= plies and blunders <= regret <= 2 * blunders


def _faults(read: dict[str, Any], seats: int) -> tuple[str, ...]:
    """For each seat why it forfeited."""
    if seats == 2 and read["end"] == FORFEITED:
        return ("", read["reason"]) if read["winner"] == 1 else (read["reason"], "")
    faults = read.get("faults", [])
    if faults and (len(faults) != seats or any(type(fault) is not str for fault in faults)):
        raise InvalidResultLine(f"faults can't be {quote(_dump(faults))}")
    return tuple(faults)


class ResultFile:
    """The file of a tournament: a line that says what is played, then a line for each game, written as it ends."""

    def __init__(self, path: Path, tournament: Tournament) -> None:
        self.path = path
        self.tournament = tournament
        try:
            self._ledger = AppendOnlyFile(path)
        except FileLocked:
            raise ArenaFileError(f"{path}: another arena is writing to it; wait for it, or name another file") from None

    def close(self) -> None:
        """Nothing more is written; another arena may."""
        self._ledger.close()

    def add(self, results: Iterable[GameResult]) -> None:
        """Writes games down; once this is done, killing the program loses nothing of them."""
        self._ledger.add("".join(result.to_json_line() for result in results).encode())

    def load(self, take: Callable[[GameResult], bool]) -> None:
        """Hands over the games that were written down before, so that others can be added.

        What takes them says whether a game is a new one. A last line that is only half written is dropped. If anything
        else in the file is not as it was written, that is said, and the file stays as it is.
        """
        header = f"{_dump(self.tournament.header())}\n".encode()
        whole = 0
        for number, line in enumerate(self._ledger.lines(MAX_LINE_BYTES), 1):
            if len(line) == MAX_LINE_BYTES:
                raise ArenaFileError(f"{self.path}, line {number}: too long to be one of an arena; name another file")
            if number == 1:
                self._check_header(line, header)
            if not line.endswith(b"\n"):
                self._ledger.truncate(whole)
                break
            if number > 1:
                self._take_line(number, line, take)
            whole += len(line)
        if not whole:
            self._ledger.add(header)

    def _take_line(self, number: int, line: bytes, take: Callable[[GameResult], bool]) -> None:
        try:
            result = GameResult.from_json_line(line)
            self._check_game(result)
        except InvalidResultLine as error:
            problem = str(error)
        else:
            problem = "" if take(result) else f"game {result.game} is in an earlier line already"
        if problem:
            what = f"{self.path}, line {number}: {problem}"
            raise ArenaFileError(f"{what}; remove this line, and its game is played again; or name another file")

    def _check_game(self, result: GameResult) -> None:
        """Raises where a game is not one of this tournament."""
        played = self.tournament
        if not 0 <= result.game < played.total:
            raise InvalidResultLine(f"there is no game {quote(str(result.game))} in this tournament")
        wanted = played.books[played.pairing(result.game).book].variant, played.names(result.game)
        if (result.variant, result.seats) != wanted:
            raise InvalidResultLine(f"not game {result.game} of this tournament")
        if len(result.moves) > played.plies:
            raise InvalidResultLine(f"more than {played.plies} moves")

    def _check_header(self, line: bytes, header: bytes) -> None:
        """Raises where the first line, or the beginning of one, is not that of this tournament."""
        begun = not line.endswith(b"\n") and header.startswith(line)
        if begun or line.rstrip(b"\r\n") == header.rstrip(b"\n"):
            return
        version = _version(line)
        if version is None:
            raise ArenaFileError(f"{self.path}: it holds something else; name another file")
        if version > FILE_FORMAT_VERSION:
            raise ArenaFileError(
                f"{self.path}: it comes from a newer version of Numberline, which can continue it; name another file"
            )
        raise ArenaFileError(
            f"{self.path}: it holds another tournament; give the same players, books, games, seed and plies as before, "
            "or name another file"
        )


def _version(line: bytes) -> int | None:
    """The version of the file that begins with this line; None where it is no file of an arena."""
    try:
        read = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    version = read.get("numberline arena") if isinstance(read, dict) else None
    return version if type(version) is int else None
