"""What a screen shows of the truth: the worth of a position and of each move; made only where it may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.explain.phrases import Phrases, describe_worth
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth


class WorthView(NamedTuple):
    """What something is worth to the player to move: by letter, shape and colour, which all say the same."""

    value: str
    letter: str
    shape: str
    colour: str
    turns: int | None
    """In how many turns at most it is over; None where nobody can force that."""
    winner: int
    """Who can force a win; 0 for nobody."""
    said: str
    """The same in words."""


class MoveWorthView(NamedTuple):
    """One legal move and what it is worth."""

    move: str
    worth: WorthView
    best: bool


class ValuesView(NamedTuple):
    """The worth of one position."""

    position: str
    """As text."""
    worth: WorthView | None
    """None when the game is over."""
    moves: tuple[MoveWorthView, ...]


def values_view(solution: Solution, position: Position, names: Sequence[str] = ()) -> ValuesView:
    """What a position and its moves are worth; the players are called by these names, and whoever moves is `you`."""
    words = Phrases(solution.book, names[: solution.book.rules.players], you=position.turn)
    judged = solution.evaluate_moves(position)
    return ValuesView(
        position=format_position(position),
        worth=_worth(solution.worth(position), words) if judged else None,
        moves=tuple(MoveWorthView(str(each.move), _worth(each.worth, words), each.best) for each in judged),
    )


def _worth(worth: Worth, words: Phrases) -> WorthView:
    said = describe_worth(worth, words)
    return WorthView(worth.value, worth.letter, worth.shape, worth.colour, worth.plies, worth.winner, said)
