"""A game looked back at: what each move was worth, how well everybody played, and where it was decided."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from numberline.analysis.curve import Point, heights
from numberline.analysis.values import AnalysisError, MoveValue, Standing, keeping, standing_of, values
from numberline.match import RESIGN, Match, Ply
from numberline.rules.errors import BookError
from numberline.rules.position import Outcome, Position
from numberline.solver.solution import Forced, Solution


class Mark(Enum):
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
    def bad(self) -> bool:
        """Whether the move gave something away."""
        return self in {Mark.SLIP, Mark.MISSED}


class Reviewed(NamedTuple):
    """One ply of a game, looked back at."""

    number: int
    """Counted from 1, as in the record."""
    player: int
    move: str
    before: Standing
    """What the position was worth to the player before it."""
    after: Standing
    """What it was worth to the same player after it."""
    mark: Mark
    better: tuple[str, ...]
    """What would have been better: the moves that keep the value where it was given away, else the best ones."""
    credit: float | None
    """From 0 to 1, what the move counts for the accuracy; None where there was nothing to get wrong."""


class Accuracy(NamedTuple):
    """How well one player played."""

    player: int
    share: float
    """From 0 to 1; 1 for perfect play and only for that."""
    counted: int
    """How many moves count: those where another move would have been worse or better."""

    @property
    def percent(self) -> int:
        """The share in percent, rounded down so that only perfect play is 100."""
        return int(self.share * 100)


class Review(NamedTuple):
    """A game looked back at."""

    solution: Solution
    names: tuple[str, ...]
    plies: tuple[Reviewed, ...]
    accuracies: tuple[Accuracy, ...]
    series: tuple[Point, ...]
    outcome: Outcome | None

    @property
    def curve(self) -> list[float]:
        """How high the chart of the game is, before the first ply and after each."""
        return heights(self.series)

    @property
    def mistakes(self) -> frozenset[int]:
        """The numbers of the plies that gave something away."""
        return frozenset(ply.number for ply in self.plies if ply.mark.bad)


def review(solution: Solution, match: Match) -> Review:
    """The match, ply by ply, as the solution sees it.

    The accuracy of a player is the mean credit of their moves, those left out where no move would have been better or
    worse than another. A best move has credit 1. One that gives the value away (a win that is no longer one, an endless
    position that is lost) has 0. One that keeps the value but wins later or loses sooner than it must has
    (1 + shorter / longer) / 2, where these are the turns of the two ways, the best and the chosen one.
    """
    if solution.book != match.book:
        raise AnalysisError(f"the solution is of {solution.book.variant}, but the game was {match.book.variant}")
    critic = _Critic(solution)
    plies = tuple(critic.reviewed(number, ply) for number, ply in enumerate(match.plies, 1))
    start = critic.outlook(match.plies[0].before if plies else match.position)
    ends = [Forced(one.after.winner, one.after.plies or 0) if one.after.winner else None for one in plies]
    series = tuple(_point(number, outlook) for number, outlook in enumerate([start, *ends]))
    accuracies = tuple(_accuracy(player, plies) for player in range(1, len(match.names) + 1))
    return Review(solution, match.names, plies, accuracies, series, match.outcome)


class _Critic:
    """Looks at moves, and at each position only once."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._values: dict[Position, tuple[MoveValue, ...]] = {}

    def reviewed(self, number: int, ply: Ply) -> Reviewed:
        """One ply, looked back at."""
        player = ply.player
        before = standing_of(self.solution, self.outlook(ply.before), player)
        if ply.move == RESIGN:
            return self._resigned(number, ply, before)
        legal = self._legal(ply.before)
        chosen = next(value for value in legal if value.move == ply.move)
        after = standing_of(self.solution, self.outlook(ply.after), player)
        mark = _mark(legal, chosen)
        return Reviewed(number, player, ply.move, before, after, mark, _better(legal, mark), _credit(legal, chosen))

    def _resigned(self, number: int, ply: Ply, before: Standing) -> Reviewed:
        after = Standing("loss", *self._after_resigning(ply))
        if before.value == "loss":
            return Reviewed(number, ply.player, ply.move, before, after, Mark.RESIGNED, (), None)
        mark = Mark.MISSED if before.value == "win" else Mark.SLIP
        better = _better(self._legal(ply.before), mark)
        return Reviewed(number, ply.player, ply.move, before, after, mark, better, 0)

    def _after_resigning(self, ply: Ply) -> tuple[int | None, int]:
        winner = self.solution.book.winner(ply.after)
        if winner:
            return 0, winner
        outlook = self.outlook(ply.after)
        return (outlook.plies, outlook.player) if outlook else (None, 0)

    def outlook(self, position: Position) -> Forced | None:
        """What can be forced from a position of the game."""
        try:
            return self.solution.forced(position)
        except BookError:
            raise AnalysisError(
                f"the game went on after somebody had resigned; that is not in the solution of "
                f"{self.solution.book.variant}"
            ) from None

    def _legal(self, position: Position) -> tuple[MoveValue, ...]:
        if position not in self._values:
            self._values[position] = values(self.solution, position)
        return self._values[position]


def _mark(legal: Sequence[MoveValue], chosen: MoveValue) -> Mark:
    if len(legal) == 1:
        return Mark.NO_CHOICE
    kept = keeping(legal)
    if chosen not in kept:
        return Mark.MISSED if kept[0].value == "win" else Mark.SLIP
    if len(kept) == 1:
        return Mark.ONLY_WIN if chosen.value == "win" else Mark.ONLY_SAVE
    return Mark.BEST if chosen.best else Mark.INEXACT


def _better(legal: Sequence[MoveValue], mark: Mark) -> tuple[str, ...]:
    """What would have been better than a move with this mark."""
    if mark.bad:
        return tuple(value.move for value in keeping(legal))
    return tuple(value.move for value in legal if value.best) if mark is Mark.INEXACT else ()


def _credit(legal: Sequence[MoveValue], chosen: MoveValue) -> float | None:
    if all(value.best for value in legal):
        return None
    if chosen.best:
        return 1
    best = next(value for value in legal if value.best)
    if chosen.value != best.value:
        return 0
    shorter, longer = sorted((best.plies or 0, chosen.plies or 0))
    return (1 + shorter / longer) / 2


def _accuracy(player: int, plies: Sequence[Reviewed]) -> Accuracy:
    counted = [ply.credit for ply in plies if ply.player == player and ply.credit is not None]
    return Accuracy(player, sum(counted) / len(counted) if counted else 1.0, len(counted))


def _point(number: int, outlook: Forced | None) -> Point:
    return Point(number, outlook.player, outlook.plies) if outlook else Point(number, 0, None)
