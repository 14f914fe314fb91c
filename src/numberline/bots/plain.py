"""Opponents that don't look ahead: one guesses, one always runs as far as it can."""

from __future__ import annotations

from random import Random

from numberline.book.book import Book
from numberline.bots.bot import GameOver
from numberline.rules.moves import Move
from numberline.rules.position import Position


class Guesser:
    """`random`: any legal move, each as likely as the others."""

    name = "random"

    def __init__(self, book: Book, rng: Random) -> None:
        self.book = book
        self.rng = rng

    def choose(self, position: Position) -> str:
        """Some legal move."""
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return self.rng.choice(legal)


class Runner:
    """`greedy`: always the largest stride that is legal.

    That is the move by which a token gets furthest towards its goal, the nearer one where it has two. Of moves that get
    equally far it is the longer one (a step may be stopped short), then the first in the book's order. Giving up the
    turn counts as a stride of nothing, a step back as less. Where going past the goal loses, a move that does so comes
    after all others.
    """

    name = "greedy"

    def __init__(self, book: Book) -> None:
        self.engine = book.engine

    def choose(self, position: Position) -> str:
        """The legal move that goes furthest."""
        legal = self.engine.moves(position)
        if not legal:
            raise GameOver
        return max(legal, key=lambda move: self._reach(position, move)).text

    def _reach(self, position: Position, move: Move) -> tuple[bool, int, int]:
        """Whether it is safe, how far the token gets, and how far it would get with nothing in its way."""
        if move.token is None:
            return True, 0, 0
        stretch = self.engine.stretches[position.turn]
        place = position.tokens[move.slot[position.turn]]
        landing = self.engine.landing(position, move)
        safe = not (self.engine.rules.overshoot == "loses" and stretch.past(landing))
        left, got, wanted = (
            min(at - stretch.left_goal, stretch.right_goal - at)
            for at in (place, landing, move.wanted(place, position.turn))
        )
        return safe, left - got, left - wanted
