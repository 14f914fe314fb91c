"""A hint for the player to move: first a nudge that names no move, then a move and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims
from numberline.explain.claims import Claim, ForcedMove, LostForEitherSide, combine_claims
from numberline.explain.explanation import race_claims, race_count_decides
from numberline.explain.phrases import Phrases
from numberline.explain.queries import (
    AnalysisError,
    PositionAnalysis,
    is_lost_for_either_side,
    move_distance,
    moves_of,
    value_preserving,
)
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation


class Hint(NamedTuple):
    """The answer to a player who asks for help."""

    text: str
    move: str
    """The move that is named; empty in a nudge."""
    claims: tuple[Claim, ...]
    """What the text is made from."""


def hint(solution: Solution, position: Position, level: int = 1, names: Sequence[str] = ()) -> Hint:
    """At level 1 a nudge that names no move, at any higher level a best move and why; said to the player to move.

    >>> import numberline as nl
    >>> book = nl.book("number-reach")
    >>> solution = nl.solve(book)
    >>> position = nl.Position(1, (8,))
    >>> print(hint(solution, position).text)
    Exactly one of your two moves wins. Look for a number from which your opponent cannot win.
    >>> print(hint(solution, position, level=2).text)
    Play *2: it makes 16, and whoever must move from 16 loses.
    """
    words = Phrases(solution.book, names, you=position.turn)
    adviser = _HintBuilder(solution, position)
    if not adviser.legal:
        raise AnalysisError("the game is over: there is nothing left to give a hint on")
    if level <= 1:
        text, claims = combine_claims(words, adviser.nudges())
        return Hint(text, "", claims)
    named = adviser.named()
    return Hint(named.sentence(words), named.move, (named,))


class _HintBuilder(PositionAnalysis):
    """Chooses what to say of one position."""

    # A nudge

    def nudges(self) -> Iterator[Claim]:
        """What to look for."""
        at, worth = self.position, self.worth
        if self.legal[0].move in FORCED_MOVES:
            yield ForcedMove(at, self.legal[0].move)
        elif len(self.legal) == 1:
            yield claims.OnlyMove(at, self.legal[0].move)
        elif worth.value == WIN:
            yield from [claims.PositionOutlook(at, WIN)] if worth.plies == 1 else self._clues()
        elif worth.value == LOSS:
            yield claims.PositionOutlook(at, LOSS)
            yield from self._consolations() if self.two_players else self._out()
        else:
            yield claims.PositionOutlook(at, worth.value)
            yield from self._ways_to_keep()

    def _how_many(self) -> claims.WinningMoveCount:
        equally = all(judged.best for judged in self.correct_moves)
        return claims.WinningMoveCount(self.position, self.correct_moves[0].value, len(self.correct_moves), equally)

    def _clues(self) -> Iterator[Claim]:
        """Something to look at, for a player who can win but not at once."""
        yield self._how_many()
        wrong = [judged for judged in self.legal if not judged.keeps_value]
        if self.two_players and wrong and all(judged.plies == 2 for judged in wrong):
            yield claims.OthersLoseImmediately(self.position)
        else:
            yield claims.StrategyHint(self.position, race_count_decides(self.solution, self.position))
        lengths = {judged.move: move_distance(self.book, self.position, judged.move) for judged in self.legal}
        longest = tuple(move for move, far in lengths.items() if far == max(lengths.values()))
        if wrong and len(self.legal) > 2 and not set(longest) & set(moves_of(self.correct_moves)):
            yield claims.LongestMoveLoses(self.position, longest)
        yield from self._out()

    def _consolations(self) -> Iterator[Claim]:
        """What is left to hope for where all is lost."""
        if not all(judged.best for judged in self.legal):
            yield claims.UnequalDefences(self.position)
        traps = moves_of(judged for judged in self.legal if self._is_trap(judged))
        if self.solution.hardest_to_answer(self.position)[0].move in traps:
            yield claims.Trap(self.position, traps)

    def _is_trap(self, judged: MoveEvaluation) -> bool:
        answers = self.solution.evaluate_moves(judged.after)
        return len(answers) > 1 and len(value_preserving(answers)) == 1

    def _ways_to_keep(self) -> Iterator[Claim]:
        """How many moves let nobody win, and with three players what the others do."""
        if self.correct_moves[0].value != LOSS:
            yield self._how_many()
        if not self.two_players:
            yield from self._danger(judged for judged in self.legal if judged.value == LOSS)

    def _out(self) -> Iterator[Claim]:
        """The moves that put the player out, while the others play on."""
        yield from self._danger(judged for judged in self.legal if judged.worth.out)

    def _danger(self, bad: Iterable[MoveEvaluation]) -> Iterator[Claim]:
        moves = moves_of(bad)
        if moves:
            right = 0 if self.correct_moves[0].value == LOSS else len(self.correct_moves)
            yield claims.LosingMoves(self.position, moves, right)

    # A move

    def named(self) -> claims.Advice | ForcedMove:
        """A best move, and one sentence on why."""
        best = self._natural()
        if best.move in FORCED_MOVES:
            return ForcedMove(self.position, best.move)
        as_good = moves_of(judged for judged in self.legal if judged.best and judged is not best)
        return claims.Advice(self.position, best.move, best.worth, self._reason(best), as_good)

    def _natural(self) -> MoveEvaluation:
        """Of the best moves the one that a person would look at first, in a race the longest.

        Where all is lost, or the marker is everybody's, it is one that leaves the next player the fewest right answers.
        """
        book, tricky = self.solution.book, self.solution.hardest_to_answer(self.position)
        if book.rules.shared or self.worth.value == LOSS:
            return tricky[0]
        best = [judged for judged in self.legal if judged.best]
        return max(best, key=lambda judged: (move_distance(book, self.position, judged.move), judged in tricky))

    def _reason(self, best: MoveEvaluation) -> claims.Reason | None:
        """What makes a winning move win that does not end the game."""
        after = best.after
        if best.value != WIN or best.worth.ends_game:
            return None
        if not self.two_players:
            return claims.Unstoppable(after)
        if not after.last and is_lost_for_either_side(self.solution, after):
            return LostForEitherSide(after)
        if best.plies == 3:
            return claims.WinsNextMove(
                after, any(answer.worth.ends_game for answer in self.solution.evaluate_moves(after))
            )
        return next(race_claims(self.solution, after), claims.Unstoppable(after))
