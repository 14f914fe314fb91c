"""Why a position stands as it does, and why a move is good or bad, in words that the solution vouches for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numberline.analysis.claims import Claim, Explanation, Kind, best_answers, lost_for_whoever
from numberline.analysis.laws import Race
from numberline.analysis.race import turns_alone
from numberline.analysis.secret import law_of
from numberline.analysis.telling import explained
from numberline.analysis.values import AnalysisError, MoveValue, keeping, recommended, standing, values
from numberline.analysis.words import Words
from numberline.book.refusal import you_can_play
from numberline.rules.errors import shown
from numberline.rules.position import Position
from numberline.solver.solution import Solution

FEW = 4
"""So many moves can be told one by one."""
SOON = 1_500
"""Of a book with more positions than this the general rule takes too long to find while somebody waits."""


def why(solution: Solution, position: Position, names: Sequence[str] = ()) -> Explanation:
    """Who stands better here and why, told to the player to move.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> print(why(nl.solve(book), nl.Position(1, (0, 7)), names=["Ann", "Bob"]).text)
    Whatever you play, Bob wins with 2.
    """
    words = Words(solution.book, names, you=position.turn)
    return explained(words, _Why(solution, position).claims())


def why_move(solution: Solution, position: Position, move: str, names: Sequence[str] = ()) -> Explanation:
    """What a legal move is worth and why, told to the player to move; raises `AnalysisError` for any other move."""
    words = Words(solution.book, names, you=position.turn)
    return explained(words, _Why(solution, position).claims_of(move))


class _Why:
    """The claims about one position."""

    def __init__(self, solution: Solution, position: Position) -> None:
        self.solution = solution
        self.position = position
        self.book = solution.book
        self.two = solution.book.rules.players == 2
        self.legal = values(solution, position)

    # A position

    def claims(self) -> Iterator[Claim]:
        """What is to be said of the position."""
        if not self.legal:
            yield Claim(Kind.OVER, self.position, player=self.book.engine.winner(self.position))
            return
        worth = standing(self.solution, self.position)
        stands = Claim(Kind.STANDS, self.position, *worth)
        if Words(self.book).no_choice(self.position):
            yield Claim(Kind.LOST_TURN, self.position, move=self.legal[0].move)
            yield stands
        elif worth.value == "win" and worth.plies == 1:
            yield from self.claims_of(recommended(self.solution, self.position).move)
        elif worth.value == "loss" and worth.plies == 2 and self._one_answer_to_all():
            yield from self._refutations()
        else:
            yield stands
            yield from self._of_value(worth.value)

    def _of_value(self, value: str) -> Iterator[Claim]:
        """Why the position has its value."""
        if value == "win":
            yield from self._right_moves()
            yield from self._winning(recommended(self.solution, self.position))
        elif value == "loss":
            yield from self._reasons(self.position)
            yield from self._refutations()
            yield from self._longest(self.position, self.legal)
        else:
            yield from self._right_moves()
            yield from self._refutations()

    def _right_moves(self) -> Iterator[Claim]:
        """The moves that keep the value, and the quickest of them."""
        kept = keeping(self.legal)
        yield Claim(Kind.KEEPS, self.position, kept[0].value, moves=_texts(kept))
        best = [value for value in kept if value.best]
        if len(best) < len(kept):
            yield Claim(Kind.BEST, self.position, kept[0].value, moves=_texts(best))

    def _refutations(self) -> Iterator[Claim]:
        """How each losing move loses, where they are few."""
        losing = [value for value in self.legal if value.value == "loss"]
        pairs = best_answers(self.solution, losing)
        if self.two and (0 < len(losing) <= FEW or len({answer for _, answer in pairs}) == 1):
            yield Claim(Kind.REFUTED, self.position, pairs=pairs)

    def _one_answer_to_all(self) -> bool:
        """Whether whatever is played loses to the same answer."""
        pairs = best_answers(self.solution, self.legal)
        return self.two and len(pairs) > 1 and len({answer for _, answer in pairs}) == 1

    def _longest(self, position: Position, legal: Sequence[MoveValue]) -> Iterator[Claim]:
        """The moves with which a lost player holds out longest, where it makes a difference."""
        best = [value for value in legal if value.best]
        if len(best) < len(legal):
            yield Claim(Kind.BEST, position, "loss", moves=_texts(best))

    # A move

    def claims_of(self, move: str) -> Iterator[Claim]:
        """What is to be said of a move."""
        value = next((value for value in self.legal if value.move == move), None)
        if value is None:
            allowed = you_can_play([value.move for value in self.legal]) if self.legal else "The game is over."
            raise AnalysisError(f"{shown(move)} is not allowed here. {allowed}")
        if Words(self.book).no_choice(self.position):
            yield from self.claims()
            return
        if value.ends:
            yield Claim(Kind.ENDS, self.position, value.value, move=move)
        else:
            yield Claim(Kind.MOVE, self.position, *value.standing, move=move)
            yield from self._after(value)
        if len(self.legal) > 1:
            yield from self._right_moves()
        if value.value == "endless":
            yield from self._refutations()

    def _after(self, value: MoveValue) -> Iterator[Claim]:
        """What follows from a move that does not end the game."""
        if value.value == "win":
            yield from self._winning(value)
            return
        if value.plies != 2:
            yield Claim(Kind.LEADS, self.position, move=value.move)
        if self.two and value.value == "loss":
            ((_, answer),) = best_answers(self.solution, [value])
            yield Claim(Kind.ANSWER, value.after, "win", move=answer)
            yield from self._reasons(self.book.after(value.after, answer))

    def _winning(self, value: MoveValue) -> Iterator[Claim]:
        """Why a move that does not end the game wins it."""
        yield Claim(Kind.LEADS, self.position, move=value.move)
        if not self.two:
            return
        yield from self._reasons(value.after)
        replies = values(self.solution, value.after)
        pairs = best_answers(self.solution, replies)
        if len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1:
            yield Claim(Kind.ANSWERS, value.after, pairs=pairs)
        yield from self._longest(value.after, replies)

    # What it has to do with the rest of the game

    def _reasons(self, lost: Position) -> Iterator[Claim]:
        """Why a lost position is lost, as far as one rule tells it."""
        if not self.two or self.book.engine.winner(lost):
            return
        law = law_of(self.solution) if self.solution.numbering.size <= SOON else None
        if lost_for_whoever(self.solution, lost) and not (law and law.beside(Words(self.book))):
            yield Claim(Kind.WHOEVER, lost)
        race = list(self._race(lost))
        yield from race
        if law and not law.exceptions and law.lost(lost) and (race or not isinstance(law, Race)):
            yield Claim(Kind.LAW, lost, law=law)

    def _race(self, lost: Position) -> Iterator[Claim]:
        """The race, where the one who must move is behind in it and it is not over with the next move."""
        if self.book.rules.shared or self.book.rules.repeat == "banned" or self.solution.distance(lost) == 2:
            return
        mine, theirs = (turns_alone(self.book, lost, player) for player in (lost.turn, 3 - lost.turn))
        if mine and theirs and mine > theirs:
            yield Claim(Kind.RACE, lost, numbers=(mine, theirs))


def _texts(moves: Sequence[MoveValue]) -> tuple[str, ...]:
    return tuple(value.move for value in moves)
