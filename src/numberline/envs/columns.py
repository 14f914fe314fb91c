"""All positions of a book side by side, and where each move leads once the turns that are lost after it are played."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.bots import Bot
from numberline.bots.odds import Odds, odds
from numberline.envs.seating import EnvError
from numberline.envs.views import View
from numberline.rules.position import Position
from numberline.solver.retrograde import reached
from numberline.solver.solution import MEMORY
from numberline.solver.table import NONE, Box, make_table

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
MOST_SIDES = 240
"""A throw has no more sides than this; chances that would need more are rounded to them."""
WORTH_BOUNDING = 20_000
"""In larger books nobody works out how long a game can last."""


class Columns:
    """The positions of a book as columns, numbered as in its table."""

    def __init__(self, book: Book, limit: int) -> None:
        table = make_table(book, memory=MEMORY)
        self.book = book
        self.table = table
        self.choices = len(book.engine.choices)
        self.mover = np.asarray(table.mover, np.int64)
        self.winner = np.asarray(table.winner, np.int64)
        self.after = np.stack([np.asarray(column, np.int64) for column in table.after], axis=1)
        """Where each move leads, those included that nobody chooses."""
        self.legal: Truths = self.after[:, : self.choices] != NONE
        self.choice: Truths = self.legal.any(axis=1)
        """Where somebody has a choice."""
        self.settled, self.passed = self._settle(limit)

    def _settle(self, limit: int) -> tuple[Ints, Ints]:
        """Where each position leads while nobody has a choice, and after how many plies: at most the limit.

        Both are doubled in each round: two turns lost, then four, then eight.
        """
        forced = self.after[:, self.choices :].max(axis=1, initial=NONE)
        leads = np.where(forced == NONE, np.arange(len(forced)), forced)
        plies = (forced != NONE).astype(np.int64)
        for _ in range(limit.bit_length()):
            plies = np.minimum(plies + plies[leads], limit)
            leads = leads[leads]
        return leads, plies

    def longest(self, limit: int) -> int | None:
        """The most plies that a game can take; None where that is more than the limit, or was not worked out."""
        if len(self.mover) > WORTH_BOUNDING:
            return None
        plies = np.zeros(len(self.mover), np.int64)
        for _ in range(min(limit, len(plies)) + 1):  # longer than there are positions: it goes round
            further = np.where(self.after == NONE, 0, plies[self.after] + 1).max(axis=1)
            if (further == plies).all():
                return int(plies.max())
            plies = further
        return None

    @cached_property
    def positions(self) -> Position:
        """All positions as columns; whose turn it is stands in `mover`."""
        numbering = self.table.numbering
        if isinstance(numbering, Box):
            here = np.arange(numbering.size)
            digits = [here // weight % radix for weight, radix in zip(numbering.weights, numbering.radix, strict=True)]
            tokens = tuple(places.start + digit for places, digit in zip(numbering.ranges, digits[3:], strict=True))
            return Position(1, tokens, np.array(numbering.lasts)[digits[2]], digits[1])
        every = [numbering.position(number) for number in range(numbering.size)]
        tokens = tuple(np.array(column) for column in zip(*(position.tokens for position in every), strict=True))
        lasts, outs = (np.array([position[n] for position in every]) for n in (2, 3))
        return Position(1, tokens, lasts, outs)

    def seen_from(self, seat: int) -> NDArray[Any]:
        """What a seat sees of each position."""
        view = View(self.book)
        kind, size = view.bounds[0].dtype, len(self.mover)
        columns = view.columns(self.positions, seat)
        return np.stack([np.broadcast_to(np.asarray(column, kind), size) for column in columns], axis=1)

    def reachable(self) -> Ints:
        """The numbers of the positions that can come about, whoever begins."""
        book = self.book
        starts = [self.number(book.start(first)) for first in range(1, book.rules.players + 1)]
        return np.flatnonzero(np.asarray(reached(self.table, starts)))

    def number(self, position: Position) -> int:
        """The number of a position."""
        return self.table.numbering.number(position)


def replies_of(bot: Bot, columns: Columns) -> Ints:
    """For each position and each side of a throw, the move that the bot plays there; 0 where it has no choice."""
    book, numbering = columns.book, columns.table.numbering
    likely: dict[int, Odds] = {}
    for number in (number for number in columns.reachable().tolist() if columns.choice[number]):
        known = odds(bot, book, numbering.position(number))
        if known is None:
            raise EnvError(
                f"{bot.name} thinks anew on every move; many games at once need random, greedy, a level or perfect"
            )
        likely[number] = known
    sides = math.lcm(*{chance.denominator for known in likely.values() for chance in known.values()})
    sides = min(sides, MOST_SIDES)
    replies = np.zeros((len(columns.mover), sides), np.int64)
    order = {text: n for n, text in enumerate(book.choices)}
    for number, known in likely.items():
        replies[number] = [order[move] for move, share in _shared_out(known, sides).items() for _ in range(share)]
    return replies


def _shared_out(likely: Odds, sides: int) -> dict[str, int]:
    """How many sides of a throw each move gets; those left over go to the largest remainders.

    >>> from fractions import Fraction
    >>> _shared_out({"1": Fraction(1, 3), "2": Fraction(2, 3)}, 7)
    {'1': 2, '2': 5}
    """
    shares = {move: int(chance * sides) for move, chance in likely.items()}
    remainders = sorted(likely, key=lambda move: shares[move] - likely[move] * sides)
    for move in remainders[: sides - sum(shares.values())]:
        shares[move] += 1
    return shares
