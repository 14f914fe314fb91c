"""The positions of a book as programs walk through them: each is looked at once, when a game first comes there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.book.refusal import why_not, you_can_play
from numberline.envs.views import View
from numberline.rules.moves import FORCED, OUT, PASS
from numberline.rules.position import Outcome, Position

KEPT = 16
"""The spots of so many books are kept for all environments to share."""
REMEMBERED = 10_000
"""So many reasons against illegal actions are kept with a book."""


class Spot:
    """A position, with what can be done there. An action is the number of a move in `Spots.actions`."""

    __slots__ = ("after", "every_mask", "forced", "legal", "mask", "outcome", "position", "rows", "turn", "winner")

    after: list[Spot | None]
    """For each action the spot that it leads to, None where it is not legal."""
    legal: list[int]
    """The legal actions; none when the game is over."""
    forced: bool
    """Whether there is no choice: the turn is lost, or the player is out."""
    mask: NDArray[np.int8]
    """For each of the book's choices, 1 where it is legal."""
    every_mask: NDArray[np.int8]
    """The same for every action, those that nobody chooses included."""
    rows: list[NDArray[Any]]
    """What each player sees; `rows[0]` is nobody's."""
    outcome: Outcome | None
    winner: int
    """Who has won; 0 while nobody has; -1 as long as the spot was not looked at."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.turn = position.turn
        self.winner = -1


class Spots:
    """The spots of one book, as far as games have come there."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.view = View(book)
        choices = book.choices
        can_be_out = book.rules.stuck == "loses" and book.rules.players > 2
        self.actions = (*choices, PASS.text, *([OUT.text] if can_be_out else []))
        """The text of every action: the book's choices, then what happens to a player who has none."""
        self.choices = len(choices)
        """How many of the actions can be chosen."""
        self.number = {text: number for number, text in enumerate(self.actions)}
        self._all: dict[Position, Spot] = {}
        self.refusal = lru_cache(REMEMBERED)(self._refusal)

    def at(self, position: Position) -> Spot:
        """The spot of a position, looked at."""
        spot = self._spot(position)
        if spot.winner < 0:
            self.look(spot)
        return spot

    def look(self, spot: Spot) -> None:
        """Fills in what a spot that a game has come to lacks."""
        engine, position = self.book.engine, spot.position
        spot.outcome = self.book.outcome(position)
        spot.winner = spot.outcome.winner if spot.outcome else 0
        followers = [] if spot.winner else engine.followers(position)
        spot.after = [None] * len(self.actions)
        for move, reached in followers:
            spot.after[self.number[move.text]] = self._spot(reached)
        spot.legal = [number for number, reached in enumerate(spot.after) if reached]
        spot.forced = bool(followers) and followers[0][0] in FORCED
        spot.every_mask = np.array([reached is not None for reached in spot.after], np.int8)
        spot.mask = spot.every_mask[: self.choices].copy()
        spot.rows = [self.view.row(position, max(1, seat)) for seat in range(self.book.rules.players + 1)]

    def _refusal(self, position: Position, action: int, actions: int) -> str:
        """Why one of an agent's so many actions is not legal, and what is."""
        legal = you_can_play(self.book.moves(position))
        if action not in range(actions):
            return f"{action} is no action; the actions are 0 to {actions - 1}. {legal}"
        move = self.book.read(self.actions[action], position)
        return f"{move.text} is not allowed here: {why_not(self.book.engine, position, move)}. {legal}"

    def _spot(self, position: Position) -> Spot:
        spot = self._all.get(position)
        if spot is None:
            spot = self._all[position] = Spot(position)
        return spot


@lru_cache(KEPT)
def spots_of(book: Book) -> Spots:
    """The spots of a book, the same for all who ask."""
    return Spots(book)
