"""Hints for the player to move: at level 1 without a move, at level 2 with a best move and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims, queries
from numberline.explain.claims import Claim, ForcedMove, LostForEitherSide, combine_claims
from numberline.explain.explanation import race_claims, race_count_decides
from numberline.explain.phrases import Phrases
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation


class Hint(NamedTuple):
    text: str
    move: str
    """The recommended move; empty at level 1."""
    claims: tuple[Claim, ...]


def hint(solution: Solution, position: Position, level: int = 1, names: Sequence[str] = ()) -> Hint:
    """Return a hint that names no move (level 1), or a best move and why (any higher level).

    >>> import numberline as nl
    >>> book = nl.book("number-reach")
    >>> solution = nl.solve(book)
    >>> position = nl.Position(1, (8,))
    >>> print(hint(solution, position).text)
    Exactly one of your two moves wins. Look for a number from which your opponent can't win.
    >>> print(hint(solution, position, level=2).text)
    Play *2: it makes 16, and the player who must move from 16 loses.
    """
    words = Phrases(solution.book, names, you=position.turn)
    builder = _HintBuilder(solution, position)
    if not builder.legal:
        raise queries.AnalysisError("the game is over: there are no hints to give")
    if level <= 1:
        text, claims = combine_claims(words, builder.nudges())
        return Hint(text, "", claims)
    advice = builder.advice()
    return Hint(advice.sentence(words), advice.move, (advice,))


class _HintBuilder(queries.PositionAnalysis):
    """Chooses the claims of a hint."""

    # Level 1

    def nudges(self) -> Iterator[Claim]:
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
        equally = all(option.best for option in self.correct_moves)
        return claims.WinningMoveCount(self.position, self.correct_moves[0].value, len(self.correct_moves), equally)

    def _clues(self) -> Iterator[Claim]:
        """Yield clues for a player who can win, but not at once."""
        yield self._how_many()
        wrong = [option for option in self.legal if not option.keeps_value]
        if self.two_players and wrong and all(option.plies == 2 for option in wrong):
            yield claims.OthersLoseImmediately(self.position)
        else:
            yield claims.StrategyHint(self.position, race_count_decides(self.solution, self.position))
        lengths = {option.move: queries.move_distance(self.book, self.position, option.move) for option in self.legal}
        longest = tuple(move for move, length in lengths.items() if length == max(lengths.values()))
        if wrong and len(self.legal) > 2 and not set(longest) & set(queries.moves_of(self.correct_moves)):
            yield claims.LongestMoveLoses(self.position, longest)
        yield from self._out()

    def _consolations(self) -> Iterator[Claim]:
        """Yield what a losing player can still hope for."""
        if not all(option.best for option in self.legal):
            yield claims.UnequalDefences(self.position)
        traps = queries.moves_of(option for option in self.legal if self._is_trap(option))
        if self.solution.hardest_to_answer(self.position)[0].move in traps:
            yield claims.Trap(self.position, traps)

    def _is_trap(self, option: MoveEvaluation) -> bool:
        answers = self.solution.evaluate_moves(option.after)
        return len(answers) > 1 and len(queries.value_preserving(answers)) == 1

    def _ways_to_keep(self) -> Iterator[Claim]:
        """Yield the number of moves that keep the game open and, with three players, of those that lose."""
        if self.correct_moves[0].value != LOSS:
            yield self._how_many()
        if not self.two_players:
            yield from self._danger(option for option in self.legal if option.value == LOSS)

    def _out(self) -> Iterator[Claim]:
        """Yield the moves that put the player out while the others play on."""
        yield from self._danger(option for option in self.legal if option.worth.out)

    def _danger(self, bad: Iterable[MoveEvaluation]) -> Iterator[Claim]:
        moves = queries.moves_of(bad)
        if moves:
            right = 0 if self.correct_moves[0].value == LOSS else len(self.correct_moves)
            yield claims.LosingMoves(self.position, moves, right)

    # Level 2

    def advice(self) -> claims.Advice | ForcedMove:
        best = self._natural()
        if best.move in FORCED_MOVES:
            return ForcedMove(self.position, best.move)
        as_good = queries.moves_of(option for option in self.legal if option.best and option is not best)
        return claims.Advice(self.position, best.move, best.worth, self._reason(best), as_good)

    def _natural(self) -> MoveEvaluation:
        """Return the best move that a person would look at first: in a race, the longest one.

        If the player loses or the marker is shared, return one that leaves the next player the fewest right replies.
        """
        book, hardest = self.solution.book, self.solution.hardest_to_answer(self.position)
        if book.rules.shared or self.worth.value == LOSS:
            return hardest[0]
        best = [option for option in self.legal if option.best]
        return max(
            best, key=lambda option: (queries.move_distance(book, self.position, option.move), option in hardest)
        )

    def _reason(self, best: MoveEvaluation) -> claims.WinReason | None:
        """Return why a move wins that doesn't end the game."""
        after = best.after
        if best.value != WIN or best.worth.ends_game:
            return None
        if not self.two_players:
            return claims.Unstoppable(after)
        if not after.last and queries.is_lost_for_either_side(self.solution, after):
            return LostForEitherSide(after)
        if best.plies == 3:
            return claims.WinsNextMove(
                after, any(answer.worth.ends_game for answer in self.solution.evaluate_moves(after))
            )
        return next(race_claims(self.solution, after), claims.Unstoppable(after))
