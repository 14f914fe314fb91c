"""Why a position stands as it does, and why a move is good or bad, in words that the solution vouches for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numberline.analysis import claims
from numberline.analysis.claims import Claim, Explanation, TurnsNeeded, explained
from numberline.analysis.facts import AnalysisError, Choices, best_answers, lost_for_whoever, moves_of
from numberline.analysis.laws import Race
from numberline.analysis.race import turns_alone
from numberline.analysis.secret import law_of
from numberline.analysis.words import Words
from numberline.book.book import Book
from numberline.book.refusal import you_can_play
from numberline.rules.errors import shown
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN, Judged

FEW = 4
"""So many moves can be gone into one by one."""
SOON = 1_500
"""Of a book with more positions than this the general rule takes too long to find while somebody waits."""


def why(solution: Solution, position: Position, names: Sequence[str] = (), you: int = 0) -> Explanation:
    """Who stands better here and why, said to the player to move unless `you` is somebody else.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> print(why(nl.solve(book), nl.Position(1, (0, 7)), names=["Ann", "Bob"]).text)
    Whatever you play, Bob wins with 2.
    """
    words = Words(solution.book, names, you=you or position.turn)
    return explained(words, _Why(solution, position).of_position())


def why_move(solution: Solution, position: Position, move: str, names: Sequence[str] = ()) -> Explanation:
    """What a legal move is worth and why, said to the player to move; raises `AnalysisError` for any other move."""
    words = Words(solution.book, names, you=position.turn)
    return explained(words, _Why(solution, position).of_move(move))


def race_of(solution: Solution, lost: Position) -> Iterator[TurnsNeeded]:
    """The race, where the player to move is behind in it and it is not over with the next move."""
    rules = solution.book.rules
    if rules.shared or rules.repeat == "banned" or solution.distance(lost) == 2:
        return
    mine, theirs = (turns_alone(solution.book, lost, player) for player in (lost.turn, 3 - lost.turn))
    if mine and theirs and mine > theirs:
        yield TurnsNeeded(lost, mine, theirs)


def counting_tells(solution: Solution, position: Position) -> bool:
    """Whether exactly the moves win after which the other, to move then, needs more turns; each as if alone."""
    book, turn = solution.book, position.turn
    if book.rules.players > 2 or book.rules.shared or book.rules.repeat == "banned":
        return False
    return all(
        judged.worth.ends or (judged.value == WIN) == _is_ahead(book, judged.after, turn)
        for judged in solution.judged(position)
    )


def _is_ahead(book: Book, position: Position, player: int) -> bool:
    """Whether a player who has just moved needs fewer turns than the other."""
    mine, theirs = (turns_alone(book, position, who) for who in (player, 3 - player))
    return mine is not None and (theirs is None or mine < theirs)


class _Why(Choices):
    """The claims about one position."""

    # A position

    def of_position(self) -> Iterator[Claim]:
        """What is to be said of the position."""
        if not self.legal:
            yield claims.HasWon(self.position, self.book.winner(self.position))
            return
        worth = self.worth
        if self.legal[0].move in FORCED:
            yield claims.NoChoice(self.position, self.legal[0].move)
            yield claims.Stands(self.position, worth)
        elif worth.value == WIN and worth.plies == 1:
            yield from self.of_move(self.solution.trickiest(self.position)[0].move)
        elif worth.value == LOSS and worth.plies == 2 and self._one_answer_to_all():
            yield from self._refutations()
        elif self.kept[0].value == LOSS != worth.value:
            yield claims.NoGoodMove(self.position)
            yield from self._longest(self.position, self.legal)
        else:
            yield claims.Stands(self.position, worth)
            yield from self._of_value(worth.value)

    def _of_value(self, value: str) -> Iterator[Claim]:
        """Why the position has its value."""
        if value == WIN:
            yield from self._right_moves()
            yield from self._winning(self.solution.trickiest(self.position)[0])
        elif value == LOSS:
            yield from self._reasons(self.position)
            yield from self._refutations()
            yield from self._longest(self.position, self.legal)
        else:
            yield from self._right_moves()
            yield from self._refutations()

    def _right_moves(self) -> Iterator[Claim]:
        """The moves that keep the value, and the quickest of them."""
        value = self.kept[0].value
        yield claims.RightMoves(self.position, value, moves_of(self.kept))
        best = [judged for judged in self.kept if judged.best]
        if len(best) < len(self.kept):
            yield claims.BestMoves(self.position, value, moves_of(best))

    def _refutations(self) -> Iterator[Claim]:
        """How each losing move loses, where they are few."""
        losing = [judged for judged in self.legal if judged.value == LOSS]
        pairs = best_answers(self.solution, losing)
        if self.two and (0 < len(losing) <= FEW or len({answer for _, answer in pairs}) == 1):
            yield claims.Refuted(self.position, pairs)

    def _one_answer_to_all(self) -> bool:
        """Whether whatever is played loses to the same answer."""
        pairs = best_answers(self.solution, self.legal)
        return self.two and len(pairs) > 1 and len({answer for _, answer in pairs}) == 1

    def _longest(self, position: Position, legal: Sequence[Judged]) -> Iterator[Claim]:
        """The moves with which a lost player holds out longest, where it makes a difference."""
        best = [judged for judged in legal if judged.best]
        if len(best) < len(legal):
            yield claims.BestMoves(position, LOSS, moves_of(best))

    # A move

    def of_move(self, move: str) -> Iterator[Claim]:
        """What is to be said of a move."""
        judged = next((judged for judged in self.legal if judged.move == move), None)
        if judged is None:
            allowed = you_can_play(moves_of(self.legal)) if self.legal else "The game is over."
            raise AnalysisError(f"{shown(move)} is not allowed here. {allowed}")
        if judged.move in FORCED:
            yield from self.of_position()
            return
        yield claims.MoveWorth(self.position, move, judged.worth)
        if not judged.worth.ends:
            yield from self._after(judged)
        if len(self.legal) > 1:
            yield from self._right_moves()
        if judged.value == ENDLESS:
            yield from self._refutations()

    def _after(self, judged: Judged) -> Iterator[Claim]:
        """What follows from a move that does not end the game."""
        if judged.value == WIN:
            yield from self._winning(judged)
            return
        if judged.plies != 2:
            yield claims.LeadsTo(self.position, judged.move)
        if self.two and judged.value == LOSS:
            ((_, answer),) = best_answers(self.solution, [judged])
            yield claims.BestAnswer(judged.after, answer)
            yield from self._reasons(self.book.after(judged.after, answer))

    def _winning(self, judged: Judged) -> Iterator[Claim]:
        """Why a move that does not end the game wins it."""
        yield claims.LeadsTo(self.position, judged.move)
        if not self.two:
            return
        yield from self._reasons(judged.after)
        replies = self.solution.judged(judged.after)
        pairs = best_answers(self.solution, replies)
        if len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1:
            yield claims.AnswersToAll(judged.after, pairs)
        yield from self._longest(judged.after, replies)

    # What it has to do with the rest of the game

    def _reasons(self, lost: Position) -> Iterator[Claim]:
        """Why a lost position is lost, as far as one rule tells it."""
        if not self.two or self.book.winner(lost):
            return
        law = law_of(self.solution) if self.solution.size <= SOON else None
        if not (law and law.beside(Words(self.book))) and lost_for_whoever(self.solution, lost):
            yield claims.LostForWhoever(lost)
        race = list(race_of(self.solution, lost))
        yield from race
        if law and not law.exceptions and law.lost(lost) and (race or not isinstance(law, Race)):
            yield claims.LostByLaw(lost, law)
