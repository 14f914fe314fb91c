"""A book as data: every position that can be reached, or games that were played, with the exact worth of every move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.arena.schedule import check_game_count
from numberline.bots import Seats, play_bot_turns
from numberline.envs.observation import ObservationEncoder
from numberline.envs.prompts import write_prompt
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.solver.arrays import NOT_FORCED, MoveValueArrays, SolutionArrays
from numberline.solver.cache import cached_solution
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN
from numberline.text import escape_controls

MAX_GAME_PLIES = 500
"""A sampled game is stopped after so many plies."""
CHUNK_ROWS = 1 << 16
"""How many rows are made at a time."""
ILLEGAL_REGRET = -1
"""In `regret`, where an action is not legal."""

IntArray = NDArray[Any]
Row = dict[str, Any]
"""What is known of one position, by column."""


@dataclass(frozen=True, slots=True)
class ColumnData:
    """One column of some rows, as an array; with two axes each row has a list, all of them as long."""

    values: NDArray[Any]
    categories: Sequence[str] = ()
    """Where there are any, the values are their numbers."""
    list_lengths: IntArray | None = None
    """Where each row has a list that may be longer or shorter, how long it is."""
    nullable: bool = False
    """Whether -1 stands for nothing."""

    def to_list(self) -> list[Any]:
        """The cell of each row, as Python has it."""
        flat: list[Any] = self.values.tolist()
        if self.categories:
            flat = [self.categories[number] for number in flat]
        elif self.nullable:
            flat = [None if value == NOT_FORCED else value for value in flat]
        if self.list_lengths is None:
            return flat
        ends = self.list_lengths.cumsum().tolist()
        return [flat[end - count : end] for end, count in zip(ends, self.list_lengths.tolist(), strict=True)]


Frame = dict[str, ColumnData]
"""Some rows, column by column."""


def iter_rows(frames: Iterable[Frame]) -> Iterator[Row]:
    """The same, row by row."""
    for frame in frames:
        for cells in zip(*(column.to_list() for column in frame.values()), strict=True):
            yield dict(zip(frame, cells, strict=True))


class SolvedDataset:
    """A solved book, and the rows that can be made of it; on request with columns of numbers, and with prompts."""

    def __init__(
        self,
        book: Book,
        *,
        memory: int = DEFAULT_MEMORY_BYTES,
        progress: Progress = lambda _: None,
        numbers: bool = False,
        prompts: bool = False,
    ) -> None:
        self.book = book
        self.solution = cached_solution(book, memory=memory, progress=progress)
        self.numbers = numbers
        self.prompts = prompts

    def positions(self) -> Iterator[Row]:
        """A row for each position that can be reached, whoever begins, and in which somebody has to move."""
        return iter_rows(self.position_frames())

    def position_frames(self, progress: Progress = lambda _: None) -> Iterator[Frame]:
        """The same in columns, some thousand rows at a time."""
        at: Any = self._columns.positions  # its fields are columns
        live = np.flatnonzero(self._columns.live)
        live = live[np.lexsort([column[live] for column in (*reversed(at.tokens), at.last, at.out, at.turn)])]
        for begin in range(0, len(live), CHUNK_ROWS):
            progress(begin / len(live))
            yield self._frame(live[begin : begin + CHUNK_ROWS])

    def games(self, count: int, bot: str, seed: int, plies: int = MAX_GAME_PLIES) -> Iterator[Row]:
        """A row for each ply of so many games of a bot with itself; each game's chance comes from the seed."""
        return iter_rows(self.game_frames(count, bot, seed, plies))

    def game_frames(
        self, count: int, bot: str, seed: int, plies: int = MAX_GAME_PLIES, progress: Progress = lambda _: None
    ) -> Iterator[Frame]:
        """The same in columns, some thousand rows at a time."""
        check_game_count(count)
        words = (*self._columns.moves,)
        played = self._played(count, bot, seed, plies, progress)
        while some := list(islice(played, CHUNK_ROWS)):
            game, ply, at, move, winner = (np.array(column) for column in zip(*some, strict=True))
            first = {"game": ColumnData(game.astype(np.int32)), "ply": ColumnData(ply.astype(np.int32))}
            yield {
                **first,
                **self._frame(at),
                "played": ColumnData(move, words),
                "winner": ColumnData(winner.astype(np.int8)),
            }

    def _played(
        self, count: int, bot: str, seed: int, plies: int, progress: Progress
    ) -> Iterator[tuple[int, int, int, int, int]]:
        """Of each ply: the game, the ply, the row of the position, the number of the move, and who won in the end."""
        number, moves = self._columns.number, {str(move): place for place, move in enumerate(self._columns.moves)}
        seats = Seats(self.book, [bot] * self.book.rules.players, solution=self.solution)
        try:
            for game in range(count):
                progress(game / count)
                seats.new_game(f"{seed}/{game}")
                match = Match(self.book)
                if forfeit := play_bot_turns(match, seats, limit=plies):
                    raise forfeit
                winner = match.outcome.winner if match.outcome else 0
                for ply, made in enumerate(match.plies, 1):
                    yield game, ply, number(made.before), moves[made.move], winner
        finally:
            seats.close()

    # Columns

    @property
    def _columns(self) -> SolutionArrays:
        return self.solution.arrays

    @cached_property
    def _seen(self) -> IntArray:
        """For each player and position, what that player sees."""
        observer, columns = ObservationEncoder(self.book), self._columns
        return np.stack([observer.rows(columns.positions, player, columns.size) for player in self.book.players])

    def _frame(self, at: IntArray) -> Frame:
        """All that is known of the positions in these rows of the table."""
        columns, judged = self._columns, self._columns.move_values_at(at)
        mover, legal, best = columns.mover[at], columns.legal[at], judged.best
        move = np.nonzero(legal)[1]
        plies = judged.plies[legal]
        counts = legal.sum(axis=1)
        values = (LOSS, ENDLESS if self.book.rules.players == 2 else OPEN, WIN)
        words = (*columns.moves,)
        points = columns.points(mover, at)
        frame = {
            "variant": ColumnData(np.zeros(len(at), np.int8), (escape_controls(self.book.variant),)),
            "position": ColumnData(self._written(at)),
            "turn": ColumnData(mover),
            "moves": ColumnData(move, words, counts),
            "value": ColumnData(points + 1, values),
            "distance": ColumnData(columns.plies[at], nullable=True),
            "best": ColumnData(np.nonzero(best)[1], words, best.sum(axis=1)),
            "move_values": ColumnData(judged.points[legal] + 1, values, counts),
            "move_distances": ColumnData(
                np.where(plies == NOT_FORCED, NOT_FORCED, plies + 1), list_lengths=counts, nullable=True
            ),
        }
        if self.numbers:
            frame |= self._numbers(at, points, judged)
        if self.prompts:
            frame["prompt"] = ColumnData(np.array([self._prompt(int(number)) for number in at], object))
        return frame

    def _numbers(self, at: IntArray, points: IntArray, judged: MoveValueArrays) -> Frame:
        """What programs that learn take as it is: as the environments show it, a number for each action."""
        columns, choices = self._columns, self._columns.choices
        legal = columns.legal[at, :choices]
        return {
            "observation": ColumnData(self._seen[columns.mover[at] - 1, at]),
            "action_mask": ColumnData(legal.astype(np.int8)),
            "best_actions": ColumnData(judged.best[:, :choices].astype(np.int8)),
            "points": ColumnData(points),
            "regret": ColumnData(np.where(legal, judged.regret[:, :choices], np.int8(ILLEGAL_REGRET))),
        }

    def _prompt(self, number: int) -> str | None:
        """What a language model is told, without the moves before; None where there is nothing to choose."""
        position, columns = self._columns.position(number), self._columns
        if not columns.legal[number, : columns.choices].any():
            return None
        return write_prompt(self.book, position, None, "", rules=True, legal=True)

    def _written(self, at: IntArray) -> NDArray[np.str_]:
        """The positions in these rows, as `format_position` writes each."""
        every: Any = self._columns.positions  # its fields are columns
        tokens, last, out = [column[at] for column in every.tokens], every.last[at], every.out[at]
        text = _spelled(every.turn[at], range(1, self.book.rules.players + 1), " ")
        for token, (place, places) in enumerate(zip(tokens, self.book.token_ranges, strict=True), 1):
            text = np.char.add(text, _spelled(place, places, "," if token < len(tokens) else ""))
        if not (last.any() or out.any()):
            return text
        masks = 1 << self.book.rules.players
        both, which = np.unique(last * masks + out, return_inverse=True)
        ends = [format_position(Position(1, (0,), *divmod(number, masks)))[3:] for number in both.tolist()]
        return np.char.add(text, np.array(ends)[which])


def _spelled(numbers: IntArray, possible: range, end: str) -> NDArray[np.str_]:
    """Each number as text, with an end after it."""
    texts: NDArray[np.str_] = np.array([f"{number}{end}" for number in possible])[numbers - possible.start]
    return texts
