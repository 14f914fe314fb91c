"""Positions to practise on: where something can go wrong, from the plain ones to the deep ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numberline.analysis import claims
from numberline.analysis.advice import NextMoveWins
from numberline.analysis.claims import Claim, explained
from numberline.analysis.explanation import FEW, why_move
from numberline.analysis.facts import all_positions, best_answers, keeping, moves_of
from numberline.analysis.hint import Hint, hint
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, Judged

FOLLOWED = 100
"""So many positions of best play, and so many at each distance from the end, stand for all where those are too many."""
LAST_TURNS = 9
"""So far from the end they are looked for."""


class ToYou(Words):
    """How things are called to somebody who learns: `you` and `your opponent`."""

    def who(self, player: int) -> str:
        """The player as the one who does something."""
        return "you" if player == self.you else "your opponent"

    def whose(self, player: int) -> str:
        """What stands before something that is the player's."""
        return "your" if player == self.you else "your opponent's"


class Exercise(NamedTuple):
    """A position to find the right move in."""

    position: Position
    question: str
    right: tuple[str, ...]
    """Every move that is right."""
    answer: str
    """Why the first of them is."""


def to_practise(solution: Solution) -> list[Position]:
    """The positions that are not lost but can be thrown away, those with one right move first, then by depth.

    Of a book with too many positions, only some of them.
    """
    found = []
    for number, position in enumerate(all_positions(solution) or some_positions(solution)):
        legal = solution.judged(position)
        kept = keeping(legal)
        if kept[0].value != LOSS and len(kept) < len(legal):
            found.append((len(kept) > 1, _depth(legal), number, position))
    return [position for *_, position in sorted(found)]


def some_positions(solution: Solution) -> list[Position]:
    """The first positions of best play, whoever begins, and others that are near to the end."""
    met: dict[Position, None] = {}
    for first, start in enumerate(solution.book.starts(), 1):
        at = start
        while at not in met and len(met) < first * FOLLOWED and (legal := solution.judged(at)):
            met[at] = None
            at = next(judged.after for judged in legal if judged.best)
    return [*met, *(at for at in _near_the_end(solution) if at not in met)]


def _near_the_end(solution: Solution) -> Iterator[Position]:
    """For each of the last turns some positions that can be thrown away and some that are lost."""
    columns = solution.columns
    thrown, lost = columns.regret.any(axis=1), columns.leader == 3 - columns.mover
    for plies in range(1, LAST_TURNS + 1):
        for wanted in (thrown, lost):
            rows = (columns.live & wanted & (columns.plies == plies)).nonzero()[0]
            yield from (columns.position(int(row)) for row in rows[:: len(rows) // FOLLOWED + 1])


def exercise(solution: Solution, position: Position, names: Sequence[str] = (), question: str = "") -> Exercise:
    """The exercise that a position makes; the question is what to play, unless another is given."""
    words = ToYou(solution.book, names, you=position.turn)
    legal = solution.judged(position)
    at_once = tuple(judged for judged in legal if judged.worth.ends and judged.value == WIN)
    asked = "Which move wins at once?" if at_once else question or "What do you play?"
    name = words.names[position.turn - 1]
    named = hint(solution, position, 2, names)
    right = moves_of(at_once or keeping(legal))
    return Exercise(
        position,
        f"You are {name}, and it is your turn. {words.situation(position)} {asked}",
        tuple(sorted(right, key=lambda move: move != named.move)),
        explained(words, _answer(solution, position, named)).text,
    )


def _answer(solution: Solution, position: Position, named: Hint) -> Iterator[Claim]:
    """What to play and why, and what comes after it where that can be said shortly."""
    yield from named.claims
    after = solution.book.after(position, named.move)
    next_wins = any(isinstance(getattr(claim, "reason", None), NextMoveWins) for claim in named.claims)
    if solution.value(position) == WIN and not next_wins:
        pairs = best_answers(solution, solution.judged(after))
        if pairs and (len(pairs) <= FEW or len({answer for _, answer in pairs}) == 1):
            yield claims.AnswersToAll(after, pairs)


def reply(solution: Solution, position: Position, move: str, names: Sequence[str] = ()) -> str:
    """What is said to somebody who has answered with a move: what it leads to."""
    right = any(judged.move == move and judged.keeps for judged in solution.judged(position))
    said = [claim for claim in why_move(solution, position, move, names).claims if _belongs(claim, right=right)]
    return explained(ToYou(solution.book, names, you=position.turn), said).text


def _belongs(claim: Claim, *, right: bool) -> bool:
    """Whether a claim is for somebody who has just answered: nothing of other moves, nothing of a rule to be found."""
    if isinstance(claim, claims.MoveWorth):
        return not right or claim.worth.ends or claim.worth.value != WIN
    return not isinstance(claim, claims.RightMoves | claims.BestMoves | claims.LostByLaw)


def _depth(legal: Sequence[Judged]) -> int:
    """How far one has to look ahead: to the win, or to the latest of the losses to be avoided."""
    return keeping(legal)[0].plies or max(judged.plies or 0 for judged in legal)
