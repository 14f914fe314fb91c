"""Bots that don't look ahead: one guesses, one always runs as far as it can."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from numberline.bots.bot import GameOver, Policy, PolicyBot
from numberline.game.moves import Move
from numberline.game.position import Position

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays


class RandomBot(PolicyBot):
    """`random`: any legal move, each as likely as the others."""

    def policy(self, position: Position) -> Policy:
        """The same chance for every legal move."""
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return dict.fromkeys(legal, Fraction(1, len(legal)))

    def weights(self, columns: SolutionArrays) -> IntArray:
        """The same for every legal move."""
        legal: IntArray = columns.legal[:, : columns.choices].astype("i1")
        return legal


class GreedyBot(PolicyBot):
    """`greedy`: always the largest stride that is legal.

    That is the move by which a token gets furthest towards its goal, the nearer one where it has two. Of moves that get
    equally far it is the longer one (a step may be stopped short), then the first in the book's order. Giving up the
    turn counts as a stride of nothing, a step back as less. Where going past the goal loses, a move that does so comes
    after all others.
    """

    def policy(self, position: Position) -> Policy:
        """The one move that goes furthest."""
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return {max(legal, key=lambda move: self._reach(position, move)): Fraction(1)}

    def _reach(self, position: Position, move: Move) -> tuple[bool, int, int]:
        """Whether it is safe, how far the token gets, and how far it would get with nothing in its way."""
        if move.token is None:
            return True, 0, 0
        left, wanted, got = (
            self.book.distance_to_goal(position.turn, place) for place in self.book.move_effect(position, move)
        )
        return not (self.book.rules.overshoot == "loses" and got < 0), left - got, left - wanted
