"""Why a position stands as it does, and why a move is good or bad, in words that the solution vouches for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numberline.explain import claims
from numberline.explain.claims import Claim, Explanation, TurnsNeeded, combine_claims
from numberline.explain.losing_patterns import RaceCount, turns_to_goal
from numberline.explain.pattern_search import find_losing_pattern
from numberline.explain.phrases import Phrases
from numberline.explain.queries import AnalysisError, PositionAnalysis, best_replies, is_lost_for_either_side, moves_of
from numberline.game.book import Book
from numberline.game.illegal_reasons import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN, MoveEvaluation
from numberline.text import quote

MAX_LISTED_MOVES = 4
"""So many moves can be gone into one by one."""
MAX_PATTERN_SEARCH_POSITIONS = 1_500
"""Of a book with more positions than this the general rule takes too long to find while somebody waits."""


def explain_position(solution: Solution, position: Position, names: Sequence[str] = (), you: int = 0) -> Explanation:
    """Who stands better here and why, said to the player to move unless `you` is somebody else.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> print(explain_position(nl.solve(book), nl.Position(1, (0, 7)), names=["Ann", "Bob"]).text)
    Whatever you play, Bob wins with 2.
    """
    words = Phrases(solution.book, names, you=you or position.turn)
    return combine_claims(words, _Explainer(solution, position).of_position())


def explain_move(solution: Solution, position: Position, move: str, names: Sequence[str] = ()) -> Explanation:
    """What a legal move is worth and why, said to the player to move; raises `AnalysisError` for any other move."""
    words = Phrases(solution.book, names, you=position.turn)
    return combine_claims(words, _Explainer(solution, position).of_move(move))


def race_claims(solution: Solution, lost: Position) -> Iterator[TurnsNeeded]:
    """The race, where the player to move is behind in it and it is not over with the next move."""
    rules = solution.book.rules
    if rules.shared or rules.repeat == "banned" or solution.distance(lost) == 2:
        return
    mine, theirs = (turns_to_goal(solution.book, lost, player) for player in (lost.turn, 3 - lost.turn))
    if mine and theirs and mine > theirs:
        yield TurnsNeeded(lost, mine, theirs)


def race_count_decides(solution: Solution, position: Position) -> bool:
    """Whether exactly the moves win after which the other, to move then, needs more turns; each as if alone."""
    book, turn = solution.book, position.turn
    if book.rules.players > 2 or book.rules.shared or book.rules.repeat == "banned":
        return False
    return all(
        judged.worth.ends_game or (judged.value == WIN) == _is_ahead(book, judged.after, turn)
        for judged in solution.evaluate_moves(position)
    )


def _is_ahead(book: Book, position: Position, player: int) -> bool:
    """Whether a player who has just moved needs fewer turns than the other."""
    mine, theirs = (turns_to_goal(book, position, who) for who in (player, 3 - player))
    return mine is not None and (theirs is None or mine < theirs)


class _Explainer(PositionAnalysis):
    """The claims about one position."""

    # A position

    def of_position(self) -> Iterator[Claim]:
        """What is to be said of the position."""
        if not self.legal:
            yield claims.GameOverClaim(self.position, self.book.winner(self.position))
            return
        worth = self.worth
        if self.legal[0].move in FORCED_MOVES:
            yield claims.ForcedMove(self.position, self.legal[0].move)
            yield claims.PositionValueClaim(self.position, worth)
        elif worth.value == WIN and worth.plies == 1:
            yield from self.of_move(self.solution.hardest_to_answer(self.position)[0].move)
        elif worth.value == LOSS and worth.plies == 2 and self._one_answer_to_all():
            yield from self._refutations()
        elif self.correct_moves[0].value == LOSS != worth.value:
            yield claims.AllMovesLose(self.position)
            yield from self._longest(self.position, self.legal)
        else:
            yield claims.PositionValueClaim(self.position, worth)
            yield from self._of_value(worth.value)

    def _of_value(self, value: str) -> Iterator[Claim]:
        """Why the position has its value."""
        if value == WIN:
            yield from self._right_moves()
            yield from self._winning(self.solution.hardest_to_answer(self.position)[0])
        elif value == LOSS:
            yield from self._reasons(self.position)
            yield from self._refutations()
            yield from self._longest(self.position, self.legal)
        else:
            yield from self._right_moves()
            yield from self._refutations()

    def _right_moves(self) -> Iterator[Claim]:
        """The moves that keep the value, and the quickest of them."""
        value = self.correct_moves[0].value
        yield claims.CorrectMoves(self.position, value, moves_of(self.correct_moves))
        best = [judged for judged in self.correct_moves if judged.best]
        if len(best) < len(self.correct_moves):
            yield claims.BestMoves(self.position, value, moves_of(best))

    def _refutations(self) -> Iterator[Claim]:
        """How each losing move loses, where they are few."""
        losing = [judged for judged in self.legal if judged.value == LOSS]
        pairs = best_replies(self.solution, losing)
        if self.two_players and (0 < len(losing) <= MAX_LISTED_MOVES or len({answer for _, answer in pairs}) == 1):
            yield claims.Refutations(self.position, pairs)

    def _one_answer_to_all(self) -> bool:
        """Whether whatever is played loses to the same answer."""
        pairs = best_replies(self.solution, self.legal)
        return self.two_players and len(pairs) > 1 and len({answer for _, answer in pairs}) == 1

    def _longest(self, position: Position, legal: Sequence[MoveEvaluation]) -> Iterator[Claim]:
        """The moves with which a lost player holds out longest, where it makes a difference."""
        best = [judged for judged in legal if judged.best]
        if len(best) < len(legal):
            yield claims.BestMoves(position, LOSS, moves_of(best))

    # A move

    def of_move(self, move: str) -> Iterator[Claim]:
        """What is to be said of a move."""
        judged = next((judged for judged in self.legal if judged.move == move), None)
        if judged is None:
            allowed = legal_moves_sentence(moves_of(self.legal)) if self.legal else "The game is over."
            raise AnalysisError(f"{quote(move)} is not allowed here. {allowed}")
        if judged.move in FORCED_MOVES:
            yield from self.of_position()
            return
        yield claims.MoveValueClaim(self.position, move, judged.worth)
        if not judged.worth.ends_game:
            yield from self._after(judged)
        if len(self.legal) > 1:
            yield from self._right_moves()
        if judged.value == ENDLESS:
            yield from self._refutations()

    def _after(self, judged: MoveEvaluation) -> Iterator[Claim]:
        """What follows from a move that does not end the game."""
        if judged.value == WIN:
            yield from self._winning(judged)
            return
        if judged.plies != 2:
            yield claims.MoveEffectClaim(self.position, judged.move)
        if self.two_players and judged.value == LOSS:
            ((_, answer),) = best_replies(self.solution, [judged])
            yield claims.BestReply(judged.after, answer)
            yield from self._reasons(self.book.after(judged.after, answer))

    def _winning(self, judged: MoveEvaluation) -> Iterator[Claim]:
        """Why a move that does not end the game wins it."""
        yield claims.MoveEffectClaim(self.position, judged.move)
        if not self.two_players:
            return
        yield from self._reasons(judged.after)
        replies = self.solution.evaluate_moves(judged.after)
        pairs = best_replies(self.solution, replies)
        if len(pairs) <= MAX_LISTED_MOVES or len({answer for _, answer in pairs}) == 1:
            yield claims.RepliesToAll(judged.after, pairs)
        yield from self._longest(judged.after, replies)

    # What it has to do with the rest of the game

    def _reasons(self, lost: Position) -> Iterator[Claim]:
        """Why a lost position is lost, as far as one rule tells it."""
        if not self.two_players or self.book.winner(lost):
            return
        law = find_losing_pattern(self.solution) if self.solution.size <= MAX_PATTERN_SEARCH_POSITIONS else None
        if not (law and law.short_reason(Phrases(self.book))) and is_lost_for_either_side(self.solution, lost):
            yield claims.LostForEitherSide(lost)
        race = list(race_claims(self.solution, lost))
        yield from race
        if law and not law.exceptions and law.is_lost(lost) and (race or not isinstance(law, RaceCount)):
            yield claims.LostByPattern(lost, law)
