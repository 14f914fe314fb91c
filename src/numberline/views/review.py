"""Views of a reviewed game (marks, accuracy, turning point) and of the values of a position and its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.explain.phrases import Phrases, describe_worth
from numberline.explain.queries import AnalysisError, require_two_players
from numberline.explain.review import Evaluation, ReviewedPly, review, review_ply
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position
from numberline.solver.solution import Solution
from numberline.solver.worth import Worth
from numberline.text import pluralize
from numberline.views.board import BookView, book_view, placeholders
from numberline.views.match import PlyView, match_view

TOO_LARGE_MESSAGE = "This game is too large for a review of its moves."


class MarkView(NamedTuple):
    """Verdict on one ply."""

    symbol: str
    word: str
    comment: str
    """Short remark; may be empty."""
    better: tuple[str, ...]
    """Moves that would have been better; empty if there are none."""


class AccuracyView(NamedTuple):
    player: int
    percent: int
    """Accuracy in percent, rounded down so that only perfect play reaches 100."""
    said: str


class ReviewView(NamedTuple):
    """Reviewed game; its sentences contain placeholders for the players' names."""

    book: BookView
    own_book: bool
    """Whether the book is a custom book, which the variant alone doesn't identify."""
    source: str | None
    """Source text of a custom book."""
    names: tuple[str, ...]
    first: int
    start: str
    """Position before the first ply, as text."""
    log: tuple[PlyView, ...]
    outcome: Outcome | None
    result: str
    """Sentence that says who won and after how many turns."""
    marks: tuple[MarkView, ...] = ()
    """One mark per ply; empty if there is no review."""
    series: tuple[Evaluation, ...] = ()
    """Values before the first ply and after each ply; empty if there is no review."""
    curve: tuple[float, ...] = ()
    """Heights of the chart, from -1 to 1; see `Review.curve`."""
    accuracies: tuple[AccuracyView, ...] = ()
    turning: str = ""
    """A sentence about the turning point."""
    turning_at: int = 0
    """Number of the ply that was the turning point; 0 if there was none."""
    sentence: str = TOO_LARGE_MESSAGE
    """Reason why there is no review; empty if there is one."""


def review_view(match: Match, solution: Solution | None) -> ReviewView:
    """Return the view of a game; it has no review if `solution` is None or there are more than two players."""
    played = _with_placeholders(match)
    plies = match_view(played)
    view = ReviewView(
        book=book_view(match.book),
        own_book=match.book.source is not None,
        source=match.book.source,
        names=match.names,
        first=match.first,
        start=format_position(played.plies[0].before if played.plies else played.position),
        log=plies.log,
        outcome=plies.outcome,
        result=_result(played),
    )
    try:
        require_two_players(match.book, "reviews")
    except AnalysisError as error:
        return view._replace(sentence=f"There is no review of this game: {error}.")
    if solution is None:
        return view
    reviewed = review(solution, played)
    point = reviewed.turning_point
    said = ((accuracy, f"{reviewed.names[accuracy.player - 1]}: {accuracy.phrase}") for accuracy in reviewed.accuracies)
    return view._replace(
        marks=tuple(map(_mark, reviewed.plies)),
        series=reviewed.series,
        curve=tuple(reviewed.curve),
        accuracies=tuple(AccuracyView(each.player, each.percent, text) for each, text in said if reviewed.plies),
        turning=reviewed.turning_sentence(),
        turning_at=point.number if point else 0,
        sentence="",
    )


def mark_view(solution: Solution, number: int, ply: Ply) -> MarkView:
    """Return the mark for one ply of a game in progress."""
    return _mark(review_ply(solution, number, ply))


def evaluate_position(solution: Solution, number: int, position: Position) -> Evaluation:
    """Return the value of the position after `number` plies."""
    worth = solution.worth(position)
    return Evaluation(number, worth.winner, worth.plies)


def turning_point_template(solution: Solution, match: Match) -> tuple[str, int]:
    """Return a sentence about the turning point, with placeholders for names, and its ply number (0 if none)."""
    reviewed = review(solution, match)._replace(names=placeholders(match.book))
    point = reviewed.turning_point
    return reviewed.turning_sentence(), point.number if point else 0


def _with_placeholders(match: Match) -> Match:
    """Replay the game with placeholders for the names."""
    start = match.plies[0].before if match.plies else match.position
    replay = Match(match.book, names=placeholders(match.book), start=start)
    for ply in match.plies:
        if ply.move == RESIGN:
            replay.resign()
        else:
            replay.play(ply.move)
    return replay


def _mark(ply: ReviewedPly) -> MarkView:
    return MarkView(ply.mark.symbol, ply.mark.word, ply.comment, tuple(map(str, ply.better)))


def _result(match: Match) -> str:
    after = pluralize(match.length, "turn")
    outcome = match.outcome
    return f"{match.names[outcome.winner - 1]} won after {after}." if outcome else f"Unfinished after {after}."


# Values of a position


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
    """Value of the position; None when the game is over."""
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
