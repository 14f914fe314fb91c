"""Review of a game: a mark for each move, the accuracy of each player, and the turning point."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from numberline.explain.phrases import Phrases
from numberline.explain.queries import AnalysisError, moves_of, recommended_move, value_preserving
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.move_text import letter_tokens
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Outcome
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation, Worth
from numberline.text import join_or, pluralize, spell_ordinal

MIN_MOVES_FOR_PERCENT = 5


class MoveMark(Enum):
    """Verdict on a move: a symbol and a word."""

    ONLY_WIN = ("!!", "the only winning move")
    ONLY_SAVE = ("!", "the only move that doesn't lose")
    BEST = ("", "as good as any")
    INEXACT = ("?!", "not the best")
    """Move that preserves the value, but wins later or loses sooner than necessary."""
    SLIP = ("?", "slip")
    """Move that loses in a position that was neither won nor lost."""
    MISSED = ("??", "missed win")
    """Move that gives away a sure win."""
    NO_CHOICE = ("·", "no choice")
    RESIGNED = ("#", "resigned")
    """Resignation in a losing position; resigning in a better one is a slip or a missed win."""

    def __init__(self, symbol: str, word: str) -> None:
        self.symbol = symbol
        self.word = word

    @property
    def is_mistake(self) -> bool:
        return self in {MoveMark.SLIP, MoveMark.MISSED}


class ReviewedPly(NamedTuple):
    number: int
    """Number of the ply, counted from 1."""
    player: int
    move: str
    before: Worth
    """Value of the position for this player before the ply."""
    after: Worth
    """Value of the position for this player after the ply."""
    mark: MoveMark
    better: tuple[str, ...]
    """Better moves: after a mistake, those that preserve the value; after an inexact move, the best moves."""
    best: str
    """The move recommended instead of a mistake; empty if the ply wasn't a mistake."""
    credit: Fraction | None
    """Contribution to the accuracy, from 0 to 1; None if the move doesn't count."""

    @property
    def comment(self) -> str:
        """Short remark; may be empty."""
        if not self.better:
            return "" if self.mark is MoveMark.BEST else self.mark.word
        better = letter_tokens(join_or(self.better))
        if self.mark.is_mistake:
            return f"{self.mark.word}: {better} {'could have won' if self.before.value == WIN else _KEPT_OPEN}"
        if self.before.value != WIN:
            return f"{better} would have delayed the loss"
        at_once = self.before.plies == 1
        return f"{better} {'would have won at once' if at_once else f'could have won in {self.before.plies} turns'}"


_KEPT_OPEN = "would have kept the game open"


class Accuracy(NamedTuple):
    player: int
    share: Fraction
    """Mean credit, from 0 to 1; 1 only for perfect play."""
    counted: int
    """Number of moves that count towards the accuracy."""

    @property
    def percent(self) -> int:
        """Accuracy in percent, rounded down so that only perfect play reaches 100."""
        return int(self.share * 100)

    @property
    def is_meaningful(self) -> bool:
        """Whether enough moves count for a percentage."""
        return self.counted >= MIN_MOVES_FOR_PERCENT

    @property
    def counted_moves(self) -> str:
        """Phrase for the number of moves that count towards the accuracy."""
        return f"{pluralize(self.counted, 'move')} mattered" if self.counted else "no choice mattered"

    @property
    def phrase(self) -> str:
        """The accuracy in words, as a percentage only if enough moves count."""
        return f"accuracy {self.percent}% ({self.counted_moves})" if self.is_meaningful else self.counted_moves


class Evaluation(NamedTuple):
    """Evaluation of the position after `number` plies."""

    number: int
    winner: int
    """Player with a sure win; 0 if there is none."""
    plies: int | None
    """Number of turns until that win; None if there is none."""


class ChartBar(NamedTuple):
    """Column of a chart: its extent above and below the line, from 0 to 1."""

    up: float
    down: float
    mistake: bool


class Review(NamedTuple):
    solution: Solution
    names: tuple[str, ...]
    plies: tuple[ReviewedPly, ...]
    accuracies: tuple[Accuracy, ...]
    series: tuple[Evaluation, ...]
    outcome: Outcome | None

    @property
    def curve(self) -> list[float]:
        """Heights of the chart before the first ply and after each ply, from -1 to 1.

        Heights are positive if player 1 has a sure win, negative if player 2 does, and 0 if neither does. A finished
        game has height 1 or -1; the more turns a win takes, the closer its height is to 0.
        """
        longest = max(point.plies or 0 for point in self.series)
        heights = [1 - (point.plies or 0) / (longest + 1) if point.winner else 0.0 for point in self.series]
        return [height if point.winner < 2 else -height for point, height in zip(self.series, heights, strict=True)]

    @property
    def mistakes(self) -> frozenset[int]:
        return frozenset(ply.number for ply in self.plies if ply.mark.is_mistake)

    @property
    def turning_point(self) -> ReviewedPly | None:
        """The last ply that changed who had a sure win; None if that never changed."""
        return next((ply for ply in reversed(self.plies) if ply.before.winner != ply.after.winner), None)

    def chosen_plies(self, player: int) -> list[ReviewedPly]:
        """Return the plies that a player chose, which excludes lost turns."""
        return [ply for ply in self.plies if ply.player == player and ply.move not in FORCED_MOVES]

    def turning_sentence(self, you: int = 0) -> str:
        """Return a sentence about the moment that decided the game, such as a player's third move.

        It addresses player `you` (0 for no player). If that player won, it is only about their own moves.
        """
        words, point = Phrases(self.solution.book, self.names, you), self.turning_point
        if not self.plies:
            return "There are no moves yet."
        if point is None:
            return words.sentence(_no_turning_clause(words, self))
        won = self.outcome and self.outcome.winner == you
        return words.sentence(_winning_clause(words, self, point) if won else _mistake_clause(words, self, point))


def chart_bars(curve: Sequence[float], mistakes: Collection[int], points_per_bar: int) -> list[ChartBar]:
    """Combine every `points_per_bar` points into one bar that spans their extremes."""
    bars = []
    for begin in range(0, len(curve), points_per_bar):
        heights = curve[begin : begin + points_per_bar]
        mistake = any(begin <= number < begin + points_per_bar for number in mistakes)
        bars.append(ChartBar(max(0.0, *heights), max(0.0, *(-height for height in heights)), mistake))
    return bars


def review(solution: Solution, match: Match) -> Review:
    """Review a match ply by ply.

    A player's accuracy is the mean credit of their moves, excluding turns on which all moves were equally good. A best
    move gets credit 1. A move that gives the value away (turns a win into anything else, or endless play into a loss)
    or needlessly eliminates its player gets 0. A move that preserves the value but wins later or loses sooner than
    necessary gets (1 + shorter / longer) / 2, which compares the numbers of turns with the best and the chosen move.
    """
    if solution.book != match.book:
        raise AnalysisError(f"the solution is for {solution.book.variant}, but the game was {match.book.variant}")
    plies = tuple(review_ply(solution, number, ply) for number, ply in enumerate(match.plies, 1))
    start = solution.worth(match.plies[0].before if plies else match.position)
    worths = enumerate([start, *(ply.after for ply in plies)])
    series = tuple(Evaluation(number, worth.winner, worth.plies) for number, worth in worths)
    accuracies = tuple(_accuracy(player, plies) for player in match.book.players)
    return Review(solution, match.names, plies, accuracies, series, match.outcome)


def review_ply(solution: Solution, number: int, ply: Ply) -> ReviewedPly:
    before, after = solution.worth(ply.before), solution.worth(ply.after, ply.player)
    legal = solution.evaluate_moves(ply.before)
    if ply.move == RESIGN:
        mark = {WIN: MoveMark.MISSED, LOSS: MoveMark.RESIGNED}.get(value_preserving(legal)[0].value, MoveMark.SLIP)
        credit = Fraction(0) if mark.is_mistake else None
    else:
        chosen = next(option for option in legal if option.move == ply.move)
        mark, credit = _mark(legal, chosen), _credit(legal, chosen)
    best = recommended_move(solution, ply.before).move if mark.is_mistake else ""
    return ReviewedPly(number, ply.player, ply.move, before, after, mark, _better(legal, mark), best, credit)


def _mark(legal: Sequence[MoveEvaluation], chosen: MoveEvaluation) -> MoveMark:
    if len(legal) == 1:
        return MoveMark.NO_CHOICE
    correct = value_preserving(legal)
    if not chosen.keeps_value:
        return MoveMark.MISSED if correct[0].value == WIN else MoveMark.SLIP
    if len(correct) == 1:
        return MoveMark.ONLY_WIN if chosen.value == WIN else MoveMark.ONLY_SAVE
    return MoveMark.BEST if chosen.best else MoveMark.INEXACT


def _better(legal: Sequence[MoveEvaluation], mark: MoveMark) -> tuple[str, ...]:
    if mark.is_mistake:
        return moves_of(value_preserving(legal))
    return moves_of(option for option in legal if option.best) if mark is MoveMark.INEXACT else ()


def _credit(legal: Sequence[MoveEvaluation], chosen: MoveEvaluation) -> Fraction | None:
    if all(option.best for option in legal):
        return None
    if chosen.best:
        return Fraction(1)
    if not chosen.keeps_value or chosen.worth.out:
        return Fraction(0)
    best = next(option for option in legal if option.best)
    shorter, longer = sorted((best.plies or 0, chosen.plies or 0))
    return (1 + Fraction(shorter, longer)) / 2


def _accuracy(player: int, plies: Sequence[ReviewedPly]) -> Accuracy:
    counted = [ply.credit for ply in plies if ply.player == player and ply.credit is not None]
    return Accuracy(player, sum(counted, Fraction(0)) / len(counted) if counted else Fraction(1), len(counted))


def _winning_clause(words: Phrases, review: Review, point: ReviewedPly) -> str:
    for count, ply in enumerate(review.chosen_plies(words.you), 1):
        if ply.number > point.number:
            which, move = f"your {spell_ordinal(count)} move", letter_tokens(ply.move)
            only = f"on {which}, you found the only winning move: {move}"
            return only if ply.mark is MoveMark.ONLY_WIN else f"from {which} on, the win was yours"
    return "you stayed in the game until your chance came"


_MOVE_NOUNS: dict[str, str] = {"skip": "skipping", "back": "going back"}


def _mistake_clause(words: Phrases, review: Review, point: ReviewedPly) -> str:
    who, whose, had = words.who(point.player), words.whose(point.player), point.before.winner
    moment = f"on {whose} {spell_ordinal(review.chosen_plies(point.player).index(point) + 1)} move"
    better, move = (_MOVE_NOUNS.get(move, letter_tokens(move)) for move in (point.best, point.move))
    if point.move == RESIGN:
        still = f", but {better} {'could still have won' if had else _KEPT_OPEN}"
        return f"{moment}, {who} gave up{still * bool(better)}"
    if not better:
        return f"{moment}, {move} gave {words.who(point.after.winner)} a sure win"
    kept = "would have won at once" if point.before.plies == 1 else "could have won" if had else _KEPT_OPEN
    lost = " instead of losing" * (point.after.plies == 0)
    return f"{moment}, {better} was better than {move}: it {kept}{lost}"


def _no_turning_clause(words: Phrases, review: Review) -> str:
    winner = review.series[0].winner
    if not winner:
        return f"{words.no_sure_win(past=True)} at any point in this game"
    if not review.outcome:
        return f"{words.who(winner)} had a sure win all along, and still {words.verb(winner, 'have')} one"
    kept = " and kept it to the end" * (review.plies[-1].move != RESIGN)
    return f"{words.who(winner)} had a sure win from the start{kept}"
