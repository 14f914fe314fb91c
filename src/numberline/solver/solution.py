"""The solution of a book: the exact value of every position and move."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from numberline.errors import BookError, int_option
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.game.position import Position
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    NO_SUCCESSOR,
    Column,
    MixedRadixIndex,
    PositionIndex,
    Progress,
    Table,
    build_full_table,
    build_reachable_table,
    build_sparse_table,
)
from numberline.solver.retrograde import reached, solve_table
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, MoveEvaluation, Worth
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.solver.arrays import SolutionArrays

MAX_LINE_PLIES = 10_000
MAX_CACHED_EVALUATIONS = 100_000
MAX_SUBGAME_POSITIONS = 300_000
MAX_CACHED_SUBGAMES = 64


class PositionCounts(NamedTuple):
    """Number of reachable unfinished positions, by their value for the player to move."""

    win: int
    loss: int
    endless: int
    """Number of positions in which no player can force a win; with more than two players, their value is `open`."""
    longest: int
    """Number of plies in the longest forced win."""


def solve(book: str | Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Solution:
    """Solve a book, given as a `Book`, a name such as `"flag-chase(end=12)"` or a path to a TOML file.

    Raise `TooManyPositions` if solving would need more than `memory` bytes. `progress` is called with the completed
    fraction, from 0 to 1.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> solution = nl.solve(book)
    >>> solution.value(book.start()), solution.distance(book.start()), solution.best(book.start())
    ('win', 3, ('2', '3'))
    """
    book = book_of(book)
    progress(0)
    table = build_sparse_table(book, memory=int_option("memory", memory))
    if table:
        index: PositionIndex = table.position_index
        entries = solve_table(table, progress)
    else:
        from numberline.solver.dense import solve_dense  # imports NumPy

        index = MixedRadixIndex(book)
        entries = solve_dense(book, index, progress)
    progress(1)
    return Solution(book, index, entries, table)


class Solution:
    """Exact values of all positions of a book.

    >>> import numberline as nl
    >>> nl.solve("flag-chase")
    <Solution of flag-chase: Player 1 wins in 3 turns>
    """

    def __init__(
        self, book: Book, position_index: PositionIndex, entries: list[Column], table: Table | None = None
    ) -> None:
        self.book = book
        self.position_index = position_index
        self.entries = entries
        """Forced results by index, as returned by `retrograde.solve_table`."""
        if table is not None:
            self.table = table
        self._evaluations: dict[Position, tuple[MoveEvaluation, ...]] = {}
        self._subgames: dict[Position, Solution] = {}
        """Solutions of games that start from a position outside the index."""

    def __repr__(self) -> str:
        worth = self.worth(self.book.start())
        wins = f"{self.book.player_name(worth.winner)} wins in {pluralize(worth.plies or 0, 'turn')}"
        return f"<Solution of {self.book.variant}: {wins if worth.winner else worth.value}>"

    def __deepcopy__(self, memo: object) -> Solution:
        return self

    # One position

    def worth(self, position: Position, player: int = 0) -> Worth:
        """Return the value of a position for a player, by default the player to move.

        >>> import numberline as nl
        >>> book = nl.book("flag-chase")
        >>> nl.solve(book).worth(book.start()), nl.solve(book).worth(book.start(), player=2)
        (Worth('win', 3, winner=1), Worth('loss', 3, winner=1))
        """
        player = player or position.turn
        winner, plies = self._forced(position)
        if self.book.rules.players > 2 and position.is_out(player):
            return Worth(LOSS, plies, winner, out=True)
        if not winner:
            return Worth(ENDLESS if self.book.rules.players == 2 else OPEN)
        return Worth(WIN if winner == player else LOSS, plies, winner)

    def evaluate_moves(self, position: Position) -> tuple[MoveEvaluation, ...]:
        """Return all legal moves in the book's order, evaluated for the player to move; empty if the game is over."""
        known = self._evaluations.get(position)
        if known is None:
            moves = [
                (move, self.worth(after, position.turn).delayed_by(1), after)
                for move, after in self.book.successors(position)
            ]
            best = max((worth for _, worth, _ in moves), default=None)
            known = tuple(
                MoveEvaluation(move, worth, *_compare_to_best(worth, best), after)
                for move, worth, after in moves
                if best
            )
            if len(self._evaluations) < MAX_CACHED_EVALUATIONS:
                self._evaluations[position] = known
        return known

    def hardest_to_answer(self, position: Position) -> tuple[MoveEvaluation, ...]:
        """Return those of the best moves after which the smallest fraction of the opponent's replies is correct."""
        best = [evaluation for evaluation in self.evaluate_moves(position) if evaluation.best]
        if len(best) < 2:
            return tuple(best)
        replies = [self.evaluate_moves(evaluation.after) for evaluation in best]
        shares = [Fraction(sum(reply.keeps_value for reply in moves), len(moves) or 1) for moves in replies]
        return tuple(evaluation for evaluation, share in zip(best, shares, strict=True) if share == min(shares))

    def value(self, position: Position) -> str:
        """Return the value for the player to move: `win`, `loss` or `endless`.

        With more than two players, `loss` means that another player can force a win or that the player to move is out,
        and `open` means that no player can force a win.
        """
        return self.worth(position).value

    def distance(self, position: Position) -> int | None:
        """Return the number of plies until the game ends with best play; None if no player can force a win."""
        return self.worth(position).plies

    def best(self, position: Position) -> tuple[str, ...]:
        """Return the best moves: the fastest wins, else moves that keep the game endless, else the slowest losses."""
        return tuple(evaluation.move for evaluation in self.evaluate_moves(position) if evaluation.best)

    def line(self, position: Position | None = None) -> tuple[str, ...]:
        """Return a line of best play from `position` (default: the start) until the game ends or a position repeats."""
        current = self.book.start() if position is None else position
        seen: set[Position] = set()
        moves: list[str] = []
        while current not in seen and len(moves) < MAX_LINE_PLIES:
            seen.add(current)
            best = next((evaluation for evaluation in self.evaluate_moves(current) if evaluation.best), None)
            if best is None:
                break
            moves.append(best.move)
            current = best.after
        return tuple(moves)

    # All positions

    @cached_property
    def table(self) -> Table:
        """Successors of all positions; a dense table is built on first use."""
        assert isinstance(self.position_index, MixedRadixIndex)  # noqa: S101 - others come with a table
        return build_full_table(self.book, self.position_index)

    def __contains__(self, position: Position) -> bool:
        """Return whether `position` is reachable from at least one starting position."""
        try:
            return bool(self.reachable[self.position_index.number(position)])
        except KeyError:
            return False

    @cached_property
    def live(self) -> tuple[Position, ...]:
        """Reachable unfinished positions in breadth-first order."""
        table, after = self.table, self.table.after
        queue = [self.position_index.number(start) for start in self.book.starts()]
        seen = set(queue)
        for number in queue:  # the queue grows during the loop
            for column in after:
                successor = column[number]
                if successor != NO_SUCCESSOR and successor not in seen:
                    seen.add(successor)
                    queue.append(successor)
        return tuple(self.position_index.position(int(number)) for number in queue if not table.winner[number])

    def counts(self) -> PositionCounts:
        """Count the unfinished positions that are reachable from at least one starting position, by value."""
        entries = self._live_entries()
        wins = sum(1 for entry in entries if entry > 0) if isinstance(entries, list) else int((entries > 0).sum())
        none = sum(1 for entry in entries if entry == 0) if isinstance(entries, list) else int((entries == 0).sum())
        longest = max((abs(int(entry)) - 1 for entry in (min(entries), max(entries)) if entry), default=0)
        return PositionCounts(win=wins, loss=len(entries) - wins - none, endless=none, longest=longest)

    @cached_property
    def arrays(self) -> SolutionArrays:
        """The solution as NumPy arrays, including the values of all moves."""
        from numberline.solver.arrays import SolutionArrays

        return SolutionArrays(self.book, self.table, self.entries, self.reachable)

    @cached_property
    def size(self) -> int:
        """Number of reachable unfinished positions."""
        return sum(self.counts()[:3])

    def _live_entries(self) -> Column:
        table, marks = self.table, self.reachable
        # At most one player can force a win, so each position has at most one entry that is not 0.
        if isinstance(marks, list):
            live = [n for n in range(table.size) if marks[n] and not table.winner[n]]
            return [sum(column[n] for column in self.entries) for n in live]
        live = (marks == 1) & (table.winner == 0)
        return sum(column[live] for column in self.entries)

    @cached_property
    def reachable(self) -> Column:
        """Column with 1 for each index whose position is reachable and 0 for all others."""
        return reached(self.table, map(self.position_index.number, self.book.starts()))

    def _forced(self, position: Position) -> tuple[int, int | None]:
        """Return the player who can force a win and the plies it takes, or `(0, None)` if no player can."""
        try:
            number = self.position_index.number(position)
        except KeyError:
            return self._subgame(position)._forced(position)  # noqa: SLF001 - another `Solution`
        for player, column in enumerate(self.entries, 1):
            entry = int(column[number])
            if entry:
                opponent = 3 - position.turn if len(self.entries) == 1 else player
                return position.turn if entry > 0 else opponent, abs(entry) - 1
        return 0, None

    def _subgame(self, position: Position) -> Solution:
        if position not in self._subgames:
            if not self.book.is_valid_position(position):
                raise BookError(f"{position} is not a position of {self.book.variant}")
            table = build_reachable_table(self.book, [position], limit=MAX_SUBGAME_POSITIONS)
            if table is None:
                raise BookError(
                    f"{position} is not reachable in {self.book.variant} and leads to too many positions to solve"
                )
            if len(self._subgames) >= MAX_CACHED_SUBGAMES:
                self._subgames.clear()
            self._subgames[position] = Solution(self.book, table.position_index, solve_table(table), table)
        return self._subgames[position]


def _compare_to_best(worth: Worth, best: Worth) -> tuple[bool, int, int]:
    """Return the fields `best`, `regret` and `delay` of a `MoveEvaluation`."""
    if worth.rank == best.rank:
        return True, 0, 0
    regret = best.points - worth.points
    return False, regret, 0 if regret else max(1, abs((best.plies or 0) - (worth.plies or 0)))
