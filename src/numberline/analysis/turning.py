"""Where a game was decided: the last move that changed who could force the win, in words."""

from __future__ import annotations

from typing import NamedTuple

from numberline.analysis.review import Accuracy, Mark, Review, Reviewed
from numberline.analysis.words import Words
from numberline.match import RESIGN
from numberline.rules.moves import OUT, PASS
from numberline.rules.wording import any_of, counted
from numberline.solver.worth import ENDLESS, OPEN, WIN


class TurningPoint(NamedTuple):
    """The last ply that changed who could force the win."""

    ply: Reviewed
    had: int
    """Who could force the win before it; 0 for nobody."""
    has: int
    """Who could after it; 0 for nobody."""

    @property
    def instead(self) -> tuple[str, ...]:
        """The moves with which it would have been otherwise; none where the player could only choose who wins."""
        return self.ply.better if self.ply.mark.bad else ()


def turning_point(review: Review) -> TurningPoint | None:
    """Where the game was decided; None where the same player could force the win, or nobody could, all along."""
    for ply in reversed(review.plies):
        if ply.before.winner != ply.after.winner:
            return TurningPoint(ply, ply.before.winner, ply.after.winner)
    return None


def one_sentence(review: Review, you: int = 0) -> str:
    """The turning point in one sentence: where the game was won or lost, and with which move it would not have been.

    `you` is the player who is spoken to, 0 where nobody is.
    """
    words = Words(review.solution.book, review.names, you)
    if not review.plies:
        return "No move was played."
    point = turning_point(review)
    return words.sentence(_turned(words, point) if point else _all_along(words, review))


def deed(ply: Reviewed) -> str:
    """What a player did, to be said after the name: `played 3`, `resigned`."""
    return _DEEDS.get(ply.move, f"played {ply.move}")


_DEEDS = {RESIGN: "resigned", PASS: "lost the turn", OUT: "had no move left"}


def comment(ply: Reviewed) -> str:
    """A remark on one ply of a review, in a few words; nothing on most."""
    if not ply.better:
        return "" if ply.mark is Mark.BEST else ply.mark.word
    would = f"{any_of(ply.better)} would"
    if ply.mark.bad:
        return f"{ply.mark.word}: {would} {_KEPT[ply.before.value]}"
    when = f"in {ply.before.plies} turns" if ply.before.plies != 1 else "at once"
    return f"{would} have won {when}" if ply.before.value == WIN else f"{would} have held out longer"


_KEPT = {WIN: "have won", ENDLESS: "not have lost", OPEN: "have kept the game open"}
"""What a move would have done that keeps a value."""


def moves_counted(accuracy: Accuracy) -> str:
    """How many moves an accuracy is made from, in words."""
    return f"{counted(accuracy.counted, 'move')} counted" if accuracy.counted else "no choice mattered"


def _turned(words: Words, point: TurningPoint) -> str:
    ply, who = point.ply, words.who(point.ply.player)
    instead = any_of(point.instead) if point.instead else ""
    if ply.move == RESIGN:
        can = f"{who} could force a win with {instead}" if point.had == ply.player else "nobody could force a win"
        what = f"resigned although {can}" if point.had in {0, ply.player} else "resigned"
    elif point.had:
        lost = f"gave {words.who(point.has)} the win" if point.has else "let the win slip away"
        what = f"played {ply.move} and {lost}; with {instead}, {who} would have kept it"
    else:
        prevented = f"; {instead} would have prevented it" if instead else ""
        what = f"played {ply.move} and then {words.does(point.has, 'could')} force the win{prevented}"
    return f"move {ply.number} turned the game: {who} {what}"


def _all_along(words: Words, review: Review) -> str:
    winner = review.series[0].winner
    if not winner:
        return "nobody could force a win at any point of this game"
    if not review.outcome:
        return f"{words.does(winner, 'could')} force a win all along, and still can"
    return f"{words.does(winner, 'could')} force the win from the start and never let it go"
