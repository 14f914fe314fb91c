"""What a screen shows of a game that is looked back at: marks, the history of values, and where it was decided."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.queries import AnalysisError, require_two_players
from numberline.explain.review import (
    Accuracy,
    Evaluation,
    Review,
    ReviewedPly,
    comment,
    counted_moves_phrase,
    review,
    review_ply,
    turning_point,
    turning_sentence,
)
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position
from numberline.solver.solution import Solution
from numberline.text import pluralize
from numberline.views.board import BookView, book_view, placeholders
from numberline.views.match import PlyView, match_view

TOO_LARGE_MESSAGE = "This game has too many positions to say what each move was worth."


class MarkView(NamedTuple):
    """What is thought of one ply."""

    symbol: str
    word: str
    comment: str
    """A remark in a few words; nothing on most."""
    better: tuple[str, ...]
    """The moves that would have been better."""


class AccuracyView(NamedTuple):
    """How well one player played."""

    player: int
    percent: int
    """100 only for perfect play."""
    said: str


class ReviewView(NamedTuple):
    """A game looked back at; its sentences have placeholders for the names."""

    book: BookView
    own_book: bool
    """Whether the book is of somebody's own, so that the variant alone does not name it."""
    source: str | None
    """The text of such a book."""
    names: tuple[str, ...]
    """What the players are really called."""
    first: int
    start: str
    """The position before the first ply, as text."""
    log: tuple[PlyView, ...]
    outcome: Outcome | None
    result: str
    """Who won, and after how many turns."""
    marks: tuple[MarkView, ...]
    """One for each ply; none where the game can't be judged."""
    series: tuple[Evaluation, ...]
    """What could be forced before the first ply and after each; nothing where the game can't be judged."""
    accuracies: tuple[AccuracyView, ...]
    turning: str
    """Where the game was decided, in a sentence."""
    turning_at: int
    """The number of the ply that decided it; 0 where none did."""
    sentence: str
    """Why the game can't be judged; nothing where it is."""


def review_view(match: Match, solution: Solution | None) -> ReviewView:
    """What is shown of a game looked back at; without a solution, or with more than two players, it is not judged."""
    played = _with_placeholders(match)
    shown = match_view(played)
    view = ReviewView(
        book=book_view(match.book),
        own_book=match.book.source is not None,
        source=match.book.source,
        names=match.names,
        first=match.first,
        start=format_position(played.plies[0].before if played.plies else played.position),
        log=shown.log,
        outcome=shown.outcome,
        result=_result(played),
        marks=(),
        series=(),
        accuracies=(),
        turning="",
        turning_at=0,
        sentence=TOO_LARGE_MESSAGE,
    )
    try:
        require_two_players(match.book, "reviews")
    except AnalysisError as error:
        return view._replace(sentence=f"This game can't be judged: {error}.")
    return view if solution is None else _judged(view, review(solution, played))


def mark_view(solution: Solution, number: int, ply: Ply) -> MarkView:
    """The mark of one ply of a game that is still going on; the ply is the one of this number."""
    return _mark(review_ply(solution, number, ply))


def evaluate_position(solution: Solution, number: int, position: Position) -> Evaluation:
    """What can be forced in the position after so many plies: the next point in the history of values."""
    worth = solution.worth(position)
    return Evaluation(number, worth.winner, worth.plies)


def turning_sentence_template(solution: Solution, match: Match) -> str:
    """Where a game of two players was decided, in a sentence with placeholders."""
    return turning_sentence(review(solution, match)._replace(names=placeholders(match.book)))


def _with_placeholders(match: Match) -> Match:
    """The same game, played again by nobody in particular."""
    start = match.plies[0].before if match.plies else match.position
    again = Match(match.book, names=placeholders(match.book), start=start)
    for ply in match.plies:
        if ply.move == RESIGN:
            again.resign()
        else:
            again.play(ply.move)
    return again


def _judged(view: ReviewView, seen: Review) -> ReviewView:
    point = turning_point(seen)
    return view._replace(
        marks=tuple(map(_mark, seen.plies)),
        series=seen.series,
        accuracies=tuple(_accuracy(seen, accuracy) for accuracy in seen.accuracies if seen.plies),
        turning=turning_sentence(seen),
        turning_at=point.ply.number if point else 0,
        sentence="",
    )


def _mark(ply: ReviewedPly) -> MarkView:
    return MarkView(ply.mark.symbol, ply.mark.word, comment(ply), tuple(map(str, ply.better)))


def _accuracy(seen: Review, accuracy: Accuracy) -> AccuracyView:
    moves = counted_moves_phrase(accuracy)
    share = f"accuracy {accuracy.percent} % ({moves})" if accuracy.counted else moves
    return AccuracyView(accuracy.player, accuracy.percent, f"{seen.names[accuracy.player - 1]}: {share}")


def _result(match: Match) -> str:
    """Who won, and after how many turns."""
    after = pluralize(match.length, "turn")
    outcome = match.outcome
    return f"{match.names[outcome.winner - 1]} won after {after}." if outcome else f"Unfinished after {after}."
