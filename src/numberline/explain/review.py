"""A game looked back at: what each move was worth, how well everybody played, and where it was decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from numberline.explain.phrases import Phrases
from numberline.explain.queries import AnalysisError, moves_of, value_preserving
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import OUT, PASS
from numberline.game.position import Outcome
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, MoveEvaluation, Worth
from numberline.text import join_or, pluralize


class MoveMark(Enum):
    """What is thought of a move: a symbol and a word."""

    ONLY_WIN = ("!!", "the only winning move")
    ONLY_SAVE = ("!", "the only move that does not lose")
    BEST = ("", "as good as any")
    INEXACT = ("?!", "not the best")
    """It keeps the value, but wins later or loses sooner than it must."""
    SLIP = ("?", "slip")
    """Nobody could force a win before it, somebody else can after it."""
    MISSED = ("??", "missed win")
    """A win could be forced before it, and cannot after it."""
    NO_CHOICE = ("·", "no choice")
    RESIGNED = ("#", "resigned")
    """Given up where it was lost anyway; giving up anything better is a slip or a missed win."""

    @property
    def symbol(self) -> str:
        """The mark as it is written beside a move; empty for a move like any other."""
        return str(self.value[0])

    @property
    def word(self) -> str:
        """The mark in words."""
        return str(self.value[1])

    @property
    def is_mistake(self) -> bool:
        """Whether the move gave something away."""
        return self in {MoveMark.SLIP, MoveMark.MISSED}


class ReviewedPly(NamedTuple):
    """One ply of a game, looked back at."""

    number: int
    """Counted from 1, as in the record."""
    player: int
    move: str
    before: Worth
    """What the position was worth to the player before it."""
    after: Worth
    """What it was worth to the same player after it."""
    mark: MoveMark
    better: tuple[str, ...]
    """What would have been better: the moves that keep the value where it was given away, else the best ones."""
    credit: Fraction | None
    """From 0 to 1, what the move counts for the accuracy; None where there was nothing to get wrong."""


class Accuracy(NamedTuple):
    """How well one player played."""

    player: int
    share: Fraction
    """From 0 to 1; 1 for perfect play and only for that."""
    counted: int
    """How many moves count: those where another move would have been worse or better."""

    @property
    def percent(self) -> int:
        """The share in percent, rounded down so that only perfect play is 100."""
        return int(self.share * 100)


class Evaluation(NamedTuple):
    """What could be forced at one moment of a game."""

    number: int
    """After how many plies."""
    winner: int
    """Who could force a win then; 0 for nobody."""
    plies: int | None
    """In how many turns."""


class ChartBar(NamedTuple):
    """One column of a chart: how far it goes up and down, from 0 to 1; both where several plies share it."""

    up: float
    down: float
    mistake: bool


class Review(NamedTuple):
    """A game looked back at."""

    solution: Solution
    names: tuple[str, ...]
    plies: tuple[ReviewedPly, ...]
    accuracies: tuple[Accuracy, ...]
    series: tuple[Evaluation, ...]
    outcome: Outcome | None

    @property
    def curve(self) -> list[float]:
        """How high the chart of the game is, before the first ply and after each.

        From -1 to 1 it says how near the end is: above 0 where player 1 can force the win, below for player 2. 1 is the
        end itself; the game's longest way to a forced win is the lowest bar. 0 is where nobody can force one.
        """
        longest = max(point.plies or 0 for point in self.series)
        near = [1 - (point.plies or 0) / (longest + 1) if point.winner else 0.0 for point in self.series]
        return [height if point.winner < 2 else -height for point, height in zip(self.series, near, strict=True)]

    @property
    def mistakes(self) -> frozenset[int]:
        """The numbers of the plies that gave something away."""
        return frozenset(ply.number for ply in self.plies if ply.mark.is_mistake)


def chart_bars(curve: Sequence[float], mistakes: Collection[int], points_per_bar: int) -> list[ChartBar]:
    """The columns, each of so many points: the furthest that it goes to either side."""
    parts = [range(begin, min(begin + points_per_bar, len(curve))) for begin in range(0, len(curve), points_per_bar)]
    return [
        ChartBar(
            max(0.0, *(curve[n] for n in part)),
            max(0.0, *(-curve[n] for n in part)),
            any(n in mistakes for n in part),
        )
        for part in parts
    ]


def review(solution: Solution, match: Match) -> Review:
    """The match, ply by ply, as the solution sees it.

    The accuracy of a player is the mean credit of their moves, those left out where no move would have been better or
    worse than another. A best move has credit 1. One that gives the value away (from a win to anything else, or from
    endless to a loss), or puts its player out without need, has 0. One that keeps the value but wins later or loses
    sooner than it must has (1 + shorter / longer) / 2, where these are the turns of the best way and of the chosen one.
    """
    if solution.book != match.book:
        raise AnalysisError(f"the solution is of {solution.book.variant}, but the game was {match.book.variant}")
    plies = tuple(review_ply(solution, number, ply) for number, ply in enumerate(match.plies, 1))
    start = solution.worth(match.plies[0].before if plies else match.position)
    worths = enumerate([start, *(ply.after for ply in plies)])
    series = tuple(Evaluation(number, worth.winner, worth.plies) for number, worth in worths)
    accuracies = tuple(_accuracy(player, plies) for player in match.book.players)
    return Review(solution, match.names, plies, accuracies, series, match.outcome)


def review_ply(solution: Solution, number: int, ply: Ply) -> ReviewedPly:
    """One ply, looked back at, which is the ply of this number."""
    before, after = solution.worth(ply.before), solution.worth(ply.after, ply.player)
    legal = solution.evaluate_moves(ply.before)
    if ply.move == RESIGN:
        mark = {WIN: MoveMark.MISSED, LOSS: MoveMark.RESIGNED}.get(value_preserving(legal)[0].value, MoveMark.SLIP)
        credit = Fraction(0) if mark.is_mistake else None
    else:
        chosen = next(judged for judged in legal if judged.move == ply.move)
        mark, credit = _mark(legal, chosen), _credit(legal, chosen)
    return ReviewedPly(number, ply.player, ply.move, before, after, mark, _better(legal, mark), credit)


def _mark(legal: Sequence[MoveEvaluation], chosen: MoveEvaluation) -> MoveMark:
    if len(legal) == 1:
        return MoveMark.NO_CHOICE
    kept = value_preserving(legal)
    if not chosen.keeps_value:
        return MoveMark.MISSED if kept[0].value == WIN else MoveMark.SLIP
    if len(kept) == 1:
        return MoveMark.ONLY_WIN if chosen.value == WIN else MoveMark.ONLY_SAVE
    return MoveMark.BEST if chosen.best else MoveMark.INEXACT


def _better(legal: Sequence[MoveEvaluation], mark: MoveMark) -> tuple[str, ...]:
    """What would have been better than a move with this mark."""
    if mark.is_mistake:
        return moves_of(value_preserving(legal))
    return moves_of(judged for judged in legal if judged.best) if mark is MoveMark.INEXACT else ()


def _credit(legal: Sequence[MoveEvaluation], chosen: MoveEvaluation) -> Fraction | None:
    if all(judged.best for judged in legal):
        return None
    if chosen.best:
        return Fraction(1)
    if not chosen.keeps_value or chosen.worth.out:
        return Fraction(0)
    best = next(judged for judged in legal if judged.best)
    shorter, longer = sorted((best.plies or 0, chosen.plies or 0))
    return (1 + Fraction(shorter, longer)) / 2


def _accuracy(player: int, plies: Sequence[ReviewedPly]) -> Accuracy:
    counted = [ply.credit for ply in plies if ply.player == player and ply.credit is not None]
    return Accuracy(player, sum(counted, Fraction(0)) / len(counted) if counted else Fraction(1), len(counted))


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
