"""Where a game was decided: the last move that changed who could force the win, in words."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.phrases import Phrases
from numberline.explain.review import Accuracy, MoveMark, Review, ReviewedPly
from numberline.game.match import RESIGN
from numberline.game.moves import OUT, PASS
from numberline.solver.worth import ENDLESS, OPEN, WIN
from numberline.text import join_or, pluralize


class TurningPoint(NamedTuple):
    """The last ply that changed who could force the win."""

    ply: ReviewedPly
    winner_before: int
    """Who could force the win before it; 0 for nobody."""
    winner_after: int
    """Who could after it; 0 for nobody."""

    @property
    def better_moves(self) -> tuple[str, ...]:
        """The moves with which it would have been otherwise; none where the player could only choose who wins."""
        return self.ply.better if self.ply.mark.is_mistake else ()


def turning_point(review: Review) -> TurningPoint | None:
    """Where the game was decided; None where the same player could force the win, or nobody could, all along."""
    for ply in reversed(review.plies):
        if ply.before.winner != ply.after.winner:
            return TurningPoint(ply, ply.before.winner, ply.after.winner)
    return None


def turning_sentence(review: Review, you: int = 0) -> str:
    """The turning point in one sentence: where the game was won or lost, and with which move it would not have been.

    `you` is the player who is spoken to, 0 where nobody is.
    """
    words = Phrases(review.solution.book, review.names, you)
    if not review.plies:
        return "No move was played."
    point = turning_point(review)
    return words.sentence(_turned(words, point) if point else _all_along(words, review))


def ply_phrase(ply: ReviewedPly) -> str:
    """What a player did, to be said after the name: `played 3`, `resigned`."""
    return _DEEDS.get(ply.move, f"played {ply.move}")


_DEEDS = {RESIGN: "resigned", PASS: "lost the turn", OUT: "had no move left"}


def comment(ply: ReviewedPly) -> str:
    """A remark on one ply of a review, in a few words; nothing on most."""
    if not ply.better:
        return "" if ply.mark is MoveMark.BEST else ply.mark.word
    would = f"{join_or(ply.better)} would"
    if ply.mark.is_mistake:
        return f"{ply.mark.word}: {would} {_KEPT[ply.before.value]}"
    when = f"in {ply.before.plies} turns" if ply.before.plies != 1 else "at once"
    return f"{would} have won {when}" if ply.before.value == WIN else f"{would} have held out longer"


_KEPT = {WIN: "have won", ENDLESS: "not have lost", OPEN: "have kept the game open"}
"""What a move would have done that keeps a value."""


def counted_moves_phrase(accuracy: Accuracy) -> str:
    """How many moves an accuracy is made from, in words."""
    return f"{pluralize(accuracy.counted, 'move')} counted" if accuracy.counted else "no choice mattered"


def _turned(words: Phrases, point: TurningPoint) -> str:
    ply, who = point.ply, words.who(point.ply.player)
    instead = join_or(point.better_moves) if point.better_moves else ""
    if ply.move == RESIGN:
        can = (
            f"{who} could force a win with {instead}"
            if point.winner_before == ply.player
            else "nobody could force a win"
        )
        what = f"resigned although {can}" if point.winner_before in {0, ply.player} else "resigned"
    elif point.winner_before:
        lost = f"gave {words.who(point.winner_after)} the win" if point.winner_after else "let the win slip away"
        what = f"played {ply.move} and {lost}; with {instead}, {who} would have kept it"
    else:
        prevented = f"; {instead} would have prevented it" if instead else ""
        what = f"played {ply.move} and then {words.subject_verb(point.winner_after, 'could')} force the win{prevented}"
    return f"move {ply.number} turned the game: {who} {what}"


def _all_along(words: Phrases, review: Review) -> str:
    winner = review.series[0].winner
    if not winner:
        return "nobody could force a win at any point of this game"
    if not review.outcome:
        return f"{words.subject_verb(winner, 'could')} force a win all along, and still can"
    return f"{words.subject_verb(winner, 'could')} force the win from the start and never let it go"
