"""Hints for the player to move: level 1 names no move, level 2 gives a best move and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims, queries
from numberline.explain.claims import Claim, combine_claims
from numberline.explain.explanation import race_claims, race_count_decides
from numberline.explain.phrases import Phrases
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation


class Hint(NamedTuple):
    text: str
    move: str
    """Recommended move; empty at level 1."""
    claims: tuple[Claim, ...]


def hint(solution: Solution, position: Position, level: int = 1, names: Sequence[str] = ()) -> Hint:
    """Return a hint that names no move (level 1), or a best move and the reason (any higher level).

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
        text, nudges = combine_claims(words, builder.nudges())
        return Hint(text, "", nudges)
    advice = builder.advice()
    return Hint(advice.sentence(words), advice.facts.move, (advice,))


class _HintBuilder(queries.PositionAnalysis):
    """Selection of the claims for a hint."""

    # Level 1

    def nudges(self) -> Iterator[Claim]:
        at, worth = self.position, self.worth
        if self.legal[0].move in FORCED_MOVES:
            yield Claim(claims.forced_move, at, self.legal[0].move)
        elif len(self.legal) == 1:
            yield Claim(claims.only_move, at, self.legal[0].move)
        elif worth.value == WIN:
            yield from [Claim(claims.position_outlook, at, WIN)] if worth.plies == 1 else self._clues()
        elif worth.value == LOSS:
            yield Claim(claims.position_outlook, at, LOSS)
            yield from self._consolations() if self.two_players else self._out()
        else:
            yield Claim(claims.position_outlook, at, worth.value)
            yield from self._ways_to_keep()

    def _how_many(self) -> Claim:
        correct = self.correct_moves
        equally = all(option.best for option in correct)
        return Claim(claims.winning_move_count, self.position, correct[0].value, len(correct), equally=equally)

    def _clues(self) -> Iterator[Claim]:
        """Yield claims that help a player who can win, but not at once."""
        yield self._how_many()
        wrong = [option for option in self.legal if not option.keeps_value]
        if self.two_players and wrong and all(option.plies == 2 for option in wrong):
            yield Claim(claims.others_lose_immediately, self.position)
        else:
            yield Claim(claims.strategy_hint, self.position, counts=race_count_decides(self.solution, self.position))
        lengths = {option.move: queries.move_distance(self.book, self.position, option.move) for option in self.legal}
        longest = tuple(move for move, length in lengths.items() if length == max(lengths.values()))
        if wrong and len(self.legal) > 2 and not set(longest) & set(queries.moves_of(self.correct_moves)):
            yield Claim(claims.longest_move_loses, self.position, longest)
        yield from self._out()

    def _consolations(self) -> Iterator[Claim]:
        """Yield claims about ways for a losing player to delay the loss or set a trap."""
        if not all(option.best for option in self.legal):
            yield Claim(claims.unequal_defences, self.position)
        traps = queries.moves_of(option for option in self.legal if self._is_trap(option))
        if self.solution.hardest_to_answer(self.position)[0].move in traps:
            yield Claim(claims.trap, self.position, traps)

    def _is_trap(self, option: MoveEvaluation) -> bool:
        answers = self.solution.evaluate_moves(option.after)
        return len(answers) > 1 and len(queries.value_preserving(answers)) == 1

    def _ways_to_keep(self) -> Iterator[Claim]:
        """Yield claims about the number of moves that keep the game open and, with over two players, that lose."""
        if self.correct_moves[0].value != LOSS:
            yield self._how_many()
        if not self.two_players:
            yield from self._danger(option for option in self.legal if option.value == LOSS)

    def _out(self) -> Iterator[Claim]:
        """Yield a claim about the moves that eliminate the player while the game continues."""
        yield from self._danger(option for option in self.legal if option.worth.out)

    def _danger(self, bad: Iterable[MoveEvaluation]) -> Iterator[Claim]:
        moves = queries.moves_of(bad)
        if moves:
            right = 0 if self.correct_moves[0].value == LOSS else len(self.correct_moves)
            yield Claim(claims.losing_moves, self.position, moves, right)

    # Level 2

    def advice(self) -> Claim:
        best = self._natural()
        if best.move in FORCED_MOVES:
            return Claim(claims.forced_move, self.position, best.move)
        as_good = queries.moves_of(option for option in self.legal if option.best and option is not best)
        return Claim(claims.advice, self.position, best.move, best.worth, self._reason(best), as_good)

    def _natural(self) -> MoveEvaluation:
        """Return the best move that a person would consider first: in a race, the longest one.

        If the player is losing or the marker is shared, return the best move that is hardest to answer.
        """
        book, hardest = self.solution.book, self.solution.hardest_to_answer(self.position)
        if book.rules.shared or self.worth.value == LOSS:
            return hardest[0]
        best = [option for option in self.legal if option.best]
        lengths = {option: queries.move_distance(book, self.position, option.move) for option in best}
        return max(best, key=lambda option: (lengths[option], option in hardest))

    def _reason(self, best: MoveEvaluation) -> Claim | None:
        """Return the reason why a move wins without ending the game; None for any other move."""
        after = best.after
        if best.value != WIN or best.worth.ends_game:
            return None
        if not self.two_players:
            return Claim(claims.unstoppable, after)
        if not after.last and queries.is_lost_for_either_side(self.solution, after):
            return Claim(claims.lost_for_either_side, after)
        if best.plies == 3:
            early = any(answer.worth.ends_game for answer in self.solution.evaluate_moves(after))
            return Claim(claims.wins_next_move, after, early=early)
        return next(race_claims(self.solution, after), Claim(claims.unstoppable, after))
