"""What a player sees of a position, as a row of whole numbers that is as long in every position of a book."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.solver.table import Box

Numbers = NDArray[Any]
"""A row of whole numbers, or a column of them."""


class View:
    """How the positions of one book are seen: from one's own seat, own tokens first, the others' in the order of play.

    The row has one's seat; the places of the tokens (of the marker, where it is shared); where it can matter, the
    stride that is banned; with more than two players, who is out.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self.players = book.rules.players
        self._bans = book.rules.repeat == "banned"
        self._outs = self.players > 2

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each number of a row is.

        >>> import numberline as nl
        >>> View(nl.book("line-runner(repeat=banned)")).names
        ('seat', 'own token', 'token of the player 1 on', 'banned')
        """
        each = self.book.rules.tokens
        of = ["own token", *(f"token of the player {on} on" for on in range(1, self.players))]
        tokens = [f"{name} {n}" if each > 1 else name for name in of for n in range(1, each + 1)]
        outs = ["out", *(f"out: the player {on} on" for on in range(1, self.players))]
        places = ["marker"] if self.book.rules.shared else tokens
        return ("seat", *places, *(["banned"] if self._bans else []), *(outs if self._outs else []))

    @cached_property
    def bounds(self) -> tuple[Numbers, Numbers]:
        """The smallest and the largest that each number of a row can be."""
        box = Box(self.book.rules)
        low, high = min(places.start for places in box.ranges), max(places.stop - 1 for places in box.ranges)
        outs = self.players if self._outs else 0
        tokens = len(box.ranges)
        kind = np.int16 if low >= -(1 << 15) and max(high, *box.lasts, self.players) < 1 << 15 else np.int32
        bans = [max(box.lasts)] if self._bans else []
        lows = [1, *[low] * tokens, *[0] * len(bans), *[0] * outs]
        highs = [self.players, *[high] * tokens, *bans, *[1] * outs]
        return np.array(lows, kind), np.array(highs, kind)

    def row(self, position: Position, seat: int) -> Numbers:
        """What the player in a seat sees of a position."""
        return np.array(self.columns(position, seat), self.bounds[0].dtype)

    def columns(self, position: Position, seat: int) -> Sequence[Any]:
        """The numbers of the row; columns of them for columns of positions."""
        numbers: list[Any] = [seat]
        if self.book.rules.shared:
            numbers += position.tokens
        else:
            for on in range(self.players):
                numbers += self.book.own(position, (seat - 1 + on) % self.players + 1)
        if self._bans:
            numbers.append(position.last)
        if self._outs:
            numbers += [(position.out >> (seat - 1 + on) % self.players) & 1 for on in range(self.players)]
        return numbers
