"""View of a match: players, plies and outcome; and views as JSON values."""

from __future__ import annotations

from typing import Any, NamedTuple

from numberline.explain.narrator import Narrator
from numberline.explain.rule_words import MOVES_WITHOUT_TOKEN, past_phrase
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome
from numberline.views.board import named_outcome


class PlyView(NamedTuple):
    """A move, a lost turn or a resignation."""

    number: int
    player: int
    move: str
    place: int | None
    """Where the moved token stood; None if none moved."""
    lands: int | None
    position: str
    """The position after it, as text."""
    said: str
    """The book's message about it, on one line."""
    told: str
    """A short message: `Ann just played 2`."""


class MatchView(NamedTuple):
    """Players, plies and outcome of a match, and what the player can do apart from a move."""

    names: tuple[str, ...]
    first: int
    log: tuple[PlyView, ...]
    outcome: Outcome | None
    undo: bool
    """Whether there is a move to undo."""
    resign: bool
    """Whether the player to move can resign."""


def match_view(match: Match) -> MatchView:
    narrator = Narrator(match)
    log = tuple(_ply(narrator, number, ply) for number, ply in enumerate(match.plies, 1))
    chosen = any(ply.chosen for ply in match.plies)
    return MatchView(match.names, match.first, log, match_outcome(match), chosen, match.outcome is None)


def match_outcome(match: Match) -> Outcome | None:
    """Return the outcome with the names of this match, or None during the game."""
    plies = match.plies
    if plies and plies[-1].move == RESIGN:
        return match.outcome
    return named_outcome(match.book, match.outcome, match.names)


def last_ply(match: Match) -> PlyView:
    """Return the view of the last ply alone."""
    return _ply(Narrator(match), match.length, match.plies[-1])


def _ply(narrator: Narrator, number: int, ply: Ply) -> PlyView:
    said = " ".join(narrator.event(ply).split())
    just = "" if ply.move in MOVES_WITHOUT_TOKEN else "just "
    told = f"{narrator.match.names[ply.player - 1]} {just}{past_phrase(ply.move)}"
    view = PlyView(number, ply.player, str(ply.move), None, None, format_position(ply.after), said, told)
    if not isinstance(ply.move, Move) or ply.move.token is None:
        return view
    place, _, lands = narrator.book.move_effect(ply.before, ply.move)
    return view._replace(place=place, lands=lands)


def to_json(view: Any) -> Any:
    """Convert a view, or a part of one, to JSON values.

    >>> to_json((Outcome(1, "Player 1 reached 5."), None))
    [{'winner': 1, 'reason': 'Player 1 reached 5.'}, None]
    """
    if hasattr(view, "_asdict"):
        return {name: to_json(value) for name, value in view._asdict().items()}
    if isinstance(view, dict):
        return {key: to_json(value) for key, value in view.items()}
    return [to_json(value) for value in view] if isinstance(view, tuple) else view
