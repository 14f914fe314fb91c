"""What a table shows: the book, the position, who plays and what was played; what it is all worth only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from numberline.explain.narrator import Narrator
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import OUT, PASS, SKIP, Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome
from numberline.views.board import BookView, PositionView, book_view, named_outcome, position_view

if TYPE_CHECKING:
    from numberline.solver.solution import Solution
    from numberline.views.values import ValuesView


class PlyView(NamedTuple):
    """Something that has happened: a move, a lost turn or a resignation."""

    number: int
    player: int
    move: str
    place: int | None
    """Where the token stood that was moved; None where none was."""
    lands: int | None
    """Where it ended."""
    position: str
    """The position after it, as text."""
    said: str
    """What the book says of it, in one line."""
    told: str
    """Who did what, in a few words: `Ann just played 2`."""


class MatchView(NamedTuple):
    """Who plays, what was played, and what can be done besides a move."""

    names: tuple[str, ...]
    first: int
    log: tuple[PlyView, ...]
    outcome: Outcome | None
    undo: bool
    """Whether there is a move to take back."""
    resign: bool
    """Whether the player to move can still give up."""


class TableView(NamedTuple):
    """All that a screen draws of one moment of a match."""

    book: BookView
    position: PositionView
    match: MatchView
    values: ValuesView | None
    """None where they are to stay hidden."""


def table_view(match: Match, solution: Solution | None = None) -> TableView:
    """What is shown of a match; with a solution also what everything is worth."""
    values = None
    if solution is not None:
        from numberline.views.values import values_view  # nobody who only plays waits for it

        values = values_view(solution, match.position, match.names)
    shown = position_view(match.book, match.position, match.names)
    return TableView(book_view(match.book), shown, match_view(match), values)


def match_view(match: Match) -> MatchView:
    """What is shown of who plays and what was played."""
    narrator = Narrator(match)
    log = tuple(_ply(narrator, number, ply) for number, ply in enumerate(match.plies, 1))
    chosen = any(ply.chosen for ply in match.plies)
    return MatchView(match.names, match.first, log, match_outcome(match), chosen, match.outcome is None)


def match_outcome(match: Match) -> Outcome | None:
    """Who has won and why, by the names of this match; None while the game goes on."""
    plies = match.plies
    if plies and plies[-1].move == RESIGN:
        return match.outcome
    return named_outcome(match.book, match.outcome, match.names)


def last_ply(match: Match) -> PlyView:
    """What is shown of what has just happened, without a look at all that happened before."""
    return _ply(Narrator(match), match.length, match.plies[-1])


def _ply(narrator: Narrator, number: int, ply: Ply) -> PlyView:
    said = " ".join(narrator.event(ply).split())
    told = f"{narrator.match.names[ply.player - 1]} {_deed(ply.move)}"
    shown = PlyView(number, ply.player, str(ply.move), None, None, format_position(ply.after), said, told)
    if not isinstance(ply.move, Move) or ply.move.token is None:
        return shown
    place, _, lands = narrator.book.move_effect(ply.before, ply.move)
    return shown._replace(place=place, lands=lands)


def _deed(move: str) -> str:
    """What was done, to be said after the name."""
    return _DEEDS.get(str(move), "just went back" if move.endswith("back") else f"just played {move}")


_DEEDS = {
    RESIGN: "resigned",
    str(SKIP): "skipped the turn",
    str(PASS): "lost the turn",
    str(OUT): "had no move left and is out",
}


def to_json(view: Any) -> Any:
    """A view, or a part of one, as what JSON has: dicts, lists, texts and numbers.

    >>> to_json((Outcome(1, "Player 1 reached 5."), None))
    [{'winner': 1, 'reason': 'Player 1 reached 5.'}, None]
    """
    if hasattr(view, "_asdict"):
        return {name: to_json(value) for name, value in view._asdict().items()}
    if isinstance(view, dict):
        return {key: to_json(value) for key, value in view.items()}
    return [to_json(value) for value in view] if isinstance(view, tuple) else view
