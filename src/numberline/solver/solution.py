"""Who can force what: the exact answer for every position of a book, and what it means move by move."""

from __future__ import annotations

from typing import NamedTuple

from numberline.book.book import Book
from numberline.rules.errors import BookError
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.solver.retrograde import forced, reached
from numberline.solver.table import Box, Column, Numbering, Progress, Walk, fill, make_table, walk

MEMORY = 4 << 30
"""How many bytes solving may take, unless told otherwise."""
LONGEST_LINE = 10_000
"""A line of best play is cut off after so many plies."""


class Forced(NamedTuple):
    """Who can force a win from a position, and in how many plies, hurrying while the others hold out."""

    player: int
    plies: int


class Counts(NamedTuple):
    """The positions that can come about in which somebody has to move, by what they are worth to that player."""

    win: int
    loss: int
    endless: int
    """Nobody can force a win; with more than two players this is called open."""
    longest: int
    """The most plies that a forced win takes."""


def solve(book: Book, *, memory: int = MEMORY, progress: Progress = lambda _: None) -> Solution:
    """The exact answer for every position of a book.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> solution = nl.solve(book)
    >>> solution.value(book.start()), solution.distance(book.start()), solution.best(book.start())
    ('win', 3, ('2', '3'))
    """
    table = make_table(book, memory=memory, progress=lambda share: progress(share / 2))
    columns = forced(table, lambda share: progress(0.5 + share / 2))
    progress(1)
    return Solution(book, table.numbering, columns)


class Solution:
    """The answers of one book."""

    def __init__(self, book: Book, numbering: Numbering, columns: list[Column]) -> None:
        self.book = book
        self.numbering = numbering
        self.columns = columns
        self._beside: dict[Position, Solution] = {}
        """Solutions from positions that can't come about in the book, made when such a one is asked for."""

    def forced(self, position: Position) -> Forced | None:
        """Who can force a win from here, and in how many plies; None where nobody can."""
        try:
            number = self.numbering.number(position)
        except KeyError:
            return self._from(position).forced(position)
        for player, column in enumerate(self.columns, 1):
            entry = int(column[number])
            if entry:
                others = 3 - position.turn if len(self.columns) == 1 else player
                return Forced(position.turn if entry > 0 else others, abs(entry) - 1)
        return None

    def value(self, position: Position) -> str:
        """What the position is worth to the player to move: `win`, `loss`, or `endless`.

        With more than two players a loss is a win that one other player can force, and what nobody can force is `open`.
        """
        outlook = self.forced(position)
        if outlook is None:
            return "endless" if self.book.rules.players == 2 else "open"
        return "win" if outlook.player == position.turn else "loss"

    def distance(self, position: Position) -> int | None:
        """Plies to the end, the winner hurrying and the loser holding out; None where nobody can force it."""
        outlook = self.forced(position)
        return outlook.plies if outlook else None

    def for_player(self, position: Position, player: int) -> int | None:
        """In how many plies this player can force a win against all others; None where they can't."""
        outlook = self.forced(position)
        return outlook.plies if outlook and outlook.player == player else None

    def worth(self, position: Position) -> dict[str, Forced | None]:
        """What can be forced after each legal move, in the book's order."""
        return {move: self.forced(self.book.after(position, move)) for move in self.book.moves(position)}

    def best(self, position: Position) -> tuple[str, ...]:
        """The best moves: the quickest way to win, else one that keeps it endless, else the longest way to lose."""
        ranks = {move: self._rank(self.book.after(position, move), position.turn) for move in self.book.moves(position)}
        return tuple(move for move, rank in ranks.items() if rank == max(ranks.values()))

    def _rank(self, after: Position, player: int) -> tuple[int, int]:
        """How good a position is for the player who has just brought it about, to be compared."""
        outlook = self.forced(after)
        if is_out(after.out, player):
            return (-1, 0)
        if outlook is None:
            return (1, 0)
        return (2, -outlook.plies) if outlook.player == player else (0, outlook.plies)

    def line(self, position: Position | None = None) -> tuple[str, ...]:
        """Best play from here (from the start) to the end, or until a position comes again."""
        at = self.book.start() if position is None else position
        seen = {at}
        moves: list[str] = []
        while (best := self.best(at)) and len(moves) < LONGEST_LINE:
            moves.append(best[0])
            at = self.book.after(at, best[0])
            if at in seen:
                break
            seen.add(at)
        return tuple(moves)

    def counts(self) -> Counts:
        """How the positions that can come about, whoever starts, are divided."""
        entries = self._live_entries()
        wins = sum(1 for entry in entries if entry > 0) if isinstance(entries, list) else int((entries > 0).sum())
        none = sum(1 for entry in entries if entry == 0) if isinstance(entries, list) else int((entries == 0).sum())
        longest = max((abs(int(entry)) - 1 for entry in (min(entries), max(entries)) if entry), default=0)
        return Counts(win=wins, loss=len(entries) - wins - none, endless=none, longest=longest)

    def _live_entries(self) -> Column:
        """What can be forced from each position that can come about and is not over."""
        table = fill(self.book, self.numbering) if isinstance(self.numbering, Box) else walk(self.book)
        starts = (self.book.start(first) for first in range(1, self.book.rules.players + 1))
        marks = reached(table, map(table.numbering.number, starts))
        # At most one player can force anything, so all columns but one are 0 there.
        if isinstance(marks, list):
            live = [n for n in range(table.size) if marks[n] and not table.winner[n]]
            return [sum(column[n] for column in self.columns) for n in live]
        live = (marks == 1) & (table.winner == 0)
        return sum(column[live] for column in self.columns)

    def _from(self, position: Position) -> Solution:
        if not isinstance(self.numbering, Walk):
            raise BookError(f"{position} is no position of {self.book.variant}")
        if position not in self._beside:
            table = walk(self.book, [position])
            self._beside[position] = Solution(self.book, table.numbering, forced(table))
        return self._beside[position]
