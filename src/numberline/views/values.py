"""View of the values of a position and its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.explain.phrases import Phrases, describe_worth
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth


class WorthView(NamedTuple):
    """Value for the player to move, with the letter, shape and colour that represent it."""

    value: str
    letter: str
    shape: str
    colour: str
    turns: int | None
    """Number of turns until the game ends; None if no player has a sure win."""
    winner: int
    """Player with a sure win; 0 if there is none."""
    said: str
    """The value in words."""


class MoveWorthView(NamedTuple):
    move: str
    worth: WorthView
    best: bool


class ValuesView(NamedTuple):
    position: str
    """The position as text."""
    worth: WorthView | None
    """None when the game is over."""
    moves: tuple[MoveWorthView, ...]


def values_view(solution: Solution, position: Position, names: Sequence[str] = ()) -> ValuesView:
    """Return the values of a position and its moves, worded for the player to move."""
    words = Phrases(solution.book, names[: solution.book.rules.players], you=position.turn)
    options = solution.evaluate_moves(position)
    return ValuesView(
        position=format_position(position),
        worth=_worth(solution.worth(position), words) if options else None,
        moves=tuple(MoveWorthView(str(option.move), _worth(option.worth, words), option.best) for option in options),
    )


def _worth(worth: Worth, words: Phrases) -> WorthView:
    said = describe_worth(worth, words)
    return WorthView(worth.value, worth.letter, worth.shape, worth.colour, worth.plies, worth.winner, said)
