"""Who can force what: the exact answer for every position of a book, and what it means move by move."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.game.position import Position
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    NO_SUCCESSOR,
    Column,
    PositionIndex,
    Progress,
    Table,
    build_reachable_table,
    build_table,
    parse_memory,
    rebuild_table,
)
from numberline.solver.retrograde import reached, solve_table
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, MoveEvaluation, Worth

if TYPE_CHECKING:
    from numberline.solver.arrays import SolutionArrays

MAX_LINE_PLIES = 10_000
"""A line of best play is cut off after so many plies."""
MAX_CACHED_EVALUATIONS = 100_000
"""So many positions are remembered with what their moves are worth."""
MAX_SUBGAME_POSITIONS = 300_000
"""So many positions may follow one that can't be reached from the start."""
MAX_CACHED_SUBGAMES = 64
"""The solutions from so many such positions are kept."""


class PositionCounts(NamedTuple):
    """The positions that can be reached in which somebody has to move, by what they are worth to that player."""

    win: int
    loss: int
    endless: int
    """Nobody can force a win; with more than two players this is called open."""
    longest: int
    """The most plies that a forced win takes."""


def solve(book: str | Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Solution:
    """The exact answer for every position of a book, or of the one of a name.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> solution = nl.solve(book)
    >>> solution.value(book.start()), solution.distance(book.start()), solution.best(book.start())
    ('win', 3, ('2', '3'))
    """
    book = book_of(book)
    table = build_table(book, memory=parse_memory(memory), progress=lambda share: progress(share / 2))
    entries = solve_table(table, lambda share: progress(0.5 + share / 2))
    progress(1)
    return Solution(book, table.position_index, entries, table)


class Solution:
    """The answers of one book."""

    def __init__(self, book: Book, numbering: PositionIndex, entries: list[Column], table: Table | None = None) -> None:
        self.book = book
        self.position_index = numbering
        self.entries = entries
        """What can be forced, for each number, as `retrograde.forced` writes it."""
        if table is not None:
            self.table = table
        self._judged: dict[Position, tuple[MoveEvaluation, ...]] = {}
        """The moves that were judged so far, by position."""
        self._subgames: dict[Position, Solution] = {}
        """Solutions from positions that can't be reached in the book, made when such a one is asked for."""

    def __deepcopy__(self, memo: object) -> Solution:
        return self

    # One position

    def worth(self, position: Position, player: int = 0) -> Worth:
        """What a position is worth to a player, by default the one to move.

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
        """Each legal move with its worth to the player to move, in the book's order; nothing when the game is over."""
        known = self._judged.get(position)
        if known is None:
            found = [
                (move, self.worth(after, position.turn).delayed_by(1), after)
                for move, after in self.book.successors(position)
            ]
            best = max((worth for _, worth, _ in found), default=None)
            known = tuple(
                MoveEvaluation(move, worth, *_compare_to_best(worth, best), after)
                for move, worth, after in found
                if best
            )
            if len(self._judged) < MAX_CACHED_EVALUATIONS:
                self._judged[position] = known
        return known

    def hardest_to_answer(self, position: Position) -> tuple[MoveEvaluation, ...]:
        """Of the best moves, those after which the smallest share of the next player's moves is right."""
        best = [judged for judged in self.evaluate_moves(position) if judged.best]
        if len(best) < 2:
            return tuple(best)
        answers = [self.evaluate_moves(judged.after) for judged in best]
        shares = [Fraction(sum(answer.keeps_value for answer in each), len(each) or 1) for each in answers]
        return tuple(judged for judged, share in zip(best, shares, strict=True) if share == min(shares))

    def value(self, position: Position) -> str:
        """What the position is worth to the player to move: `win`, `loss`, or `endless`.

        With more than two players a loss is a win that one other player can force, and what nobody can force is `open`.
        """
        return self.worth(position).value

    def distance(self, position: Position) -> int | None:
        """Plies to the end, the winner hurrying and the loser holding out; None where nobody can force it."""
        return self.worth(position).plies

    def best(self, position: Position) -> tuple[str, ...]:
        """The best moves: the quickest way to win, else one that keeps it endless, else the longest way to lose."""
        return tuple(judged.move for judged in self.evaluate_moves(position) if judged.best)

    def line(self, position: Position | None = None) -> tuple[str, ...]:
        """Best play from here (from the start) to the end, or until a position comes up twice."""
        at = self.book.start() if position is None else position
        seen = {at}
        moves: list[str] = []
        while (best := next((judged for judged in self.evaluate_moves(at) if judged.best), None)) and len(
            moves
        ) < MAX_LINE_PLIES:
            moves.append(best.move)
            at = best.after
            if at in seen:
                break
            seen.add(at)
        return tuple(moves)

    # All positions

    @cached_property
    def table(self) -> Table:
        """Where each move leads; of a solution from a file it is made when it is first asked for."""
        return rebuild_table(self.book, self.position_index)

    def __contains__(self, position: Position) -> bool:
        """Whether a position can be reached, whoever begins."""
        try:
            return bool(self.reachable[self.position_index.number(position)])
        except KeyError:
            return False

    @cached_property
    def live(self) -> tuple[Position, ...]:
        """Every position that can be reached in which somebody has to move, those met first coming first."""
        table, after = self.table, self.table.after
        queue = [self.position_index.number(start) for start in self.book.starts()]
        seen = set(queue)
        for number in queue:  # grows as the loop runs
            for column in after:
                follower = column[number]
                if follower != NO_SUCCESSOR and follower not in seen:
                    seen.add(follower)
                    queue.append(follower)
        return tuple(self.position_index.position(int(number)) for number in queue if not table.winner[number])

    def counts(self) -> PositionCounts:
        """How the positions that can be reached, whoever starts, are divided."""
        entries = self._live_entries()
        wins = sum(1 for entry in entries if entry > 0) if isinstance(entries, list) else int((entries > 0).sum())
        none = sum(1 for entry in entries if entry == 0) if isinstance(entries, list) else int((entries == 0).sum())
        longest = max((abs(int(entry)) - 1 for entry in (min(entries), max(entries)) if entry), default=0)
        return PositionCounts(win=wins, loss=len(entries) - wins - none, endless=none, longest=longest)

    @cached_property
    def columns(self) -> SolutionArrays:
        """All positions side by side, as NumPy arrays, with what every move of them is worth."""
        from numberline.solver.arrays import SolutionArrays

        return SolutionArrays(self.book, self.table, self.entries, self.reachable)

    @cached_property
    def size(self) -> int:
        """How many positions can be reached in which somebody has to move."""
        return sum(self.counts()[:3])

    def _live_entries(self) -> Column:
        """What can be forced from each position that can be reached and is not over."""
        table, marks = self.table, self.reachable
        # At most one player can force anything, so all columns but one are 0 there.
        if isinstance(marks, list):
            live = [n for n in range(table.size) if marks[n] and not table.winner[n]]
            return [sum(column[n] for column in self.entries) for n in live]
        live = (marks == 1) & (table.winner == 0)
        return sum(column[live] for column in self.entries)

    @cached_property
    def reachable(self) -> Column:
        """For each number of the table, 1 where its position can be reached, else 0."""
        return reached(self.table, map(self.position_index.number, self.book.starts()))

    def _forced(self, position: Position) -> tuple[int, int | None]:
        """Who can force a win from here, and in how many plies; 0 and None where nobody can."""
        try:
            number = self.position_index.number(position)
        except KeyError:
            return self._from(position)._forced(position)  # noqa: SLF001 - a solution of the same book
        for player, column in enumerate(self.entries, 1):
            entry = int(column[number])
            if entry:
                others = 3 - position.turn if len(self.entries) == 1 else player
                return position.turn if entry > 0 else others, abs(entry) - 1
        return 0, None

    def _from(self, position: Position) -> Solution:
        if position not in self._subgames:
            if not self.book.is_valid_position(position):
                raise BookError(f"{position} is not a position of {self.book.variant}")
            table = build_reachable_table(self.book, [position], limit=MAX_SUBGAME_POSITIONS)
            if table is None:
                raise BookError(f"{position} can't be reached in {self.book.variant}, and too many positions follow it")
            if len(self._subgames) >= MAX_CACHED_SUBGAMES:
                self._subgames.clear()
            self._subgames[position] = Solution(self.book, table.position_index, solve_table(table), table)
        return self._subgames[position]


def _compare_to_best(worth: Worth, best: Worth) -> tuple[bool, int, int]:
    """Whether a move is best, the points it gives away, and the plies where it gives away no points."""
    if worth.rank == best.rank:
        return True, 0, 0
    regret = best.points - worth.points
    return False, regret, 0 if regret else max(1, abs((best.plies or 0) - (worth.plies or 0)))
