"""View of a match (players, plies and outcome), and conversion of views to JSON values."""

from __future__ import annotations

from typing import Any, NamedTuple

from numberline.explain.narrator import Narrator
from numberline.explain.phrases import Phrases
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome
from numberline.views.board import named_outcome


class PlyView(NamedTuple):
    """Move, lost turn or resignation."""

    number: int
    player: int
    move: str
    place: int | None
    """Place of the token before the move; None if no token moved."""
    wanted: int | None
    """Place where the token would have landed if nothing had been in the way."""
    lands: int | None
    position: str
    """Position after the ply, as text."""
    said: str
    """The book's message about the ply, on one line."""
    told: str
    """Short message in the past tense, such as `Ann just played 2`, with the reason for a stopped move or lost turn."""


class MatchView(NamedTuple):
    """Players, plies and outcome of a match, and whether a player can undo or resign."""

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
    """Return the outcome with the players' names, or None if the match is not over."""
    plies = match.plies
    if plies and plies[-1].move == RESIGN:
        return match.outcome
    return named_outcome(match.book, match.outcome, match.names)


def last_ply(match: Match) -> PlyView:
    return _ply(Narrator(match), match.length, match.plies[-1])


def _ply(narrator: Narrator, number: int, ply: Ply) -> PlyView:
    said = " ".join(narrator.event(ply).split())
    told = Phrases(narrator.book, narrator.match.names).describe_ply(ply, past=True)
    place = wanted = lands = None
    if isinstance(ply.move, Move) and ply.move.token is not None:
        place, wanted, lands = narrator.book.move_effect(ply.before, ply.move)
    return PlyView(number, ply.player, str(ply.move), place, wanted, lands, format_position(ply.after), said, told)


def to_json(view: Any) -> Any:
    """Convert a view, or part of one, to JSON values.

    >>> to_json((Outcome(1, "Player 1 reached 5."), None))
    [{'winner': 1, 'reason': 'Player 1 reached 5.'}, None]
    """
    if isinstance(view, tuple):
        return to_json(view._asdict()) if hasattr(view, "_asdict") else [to_json(value) for value in view]
    return {key: to_json(value) for key, value in view.items()} if isinstance(view, dict) else view
