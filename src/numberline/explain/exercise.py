"""Positions to practise on: where something can go wrong, from the plain ones to the deep ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims
from numberline.explain.claims import Claim, combine_claims
from numberline.explain.explanation import MAX_LISTED_MOVES, explain_move
from numberline.explain.hint import Hint, hint
from numberline.explain.hint_claims import WinsNextMove
from numberline.explain.lesson_claims import LostAfter
from numberline.explain.phrases import Phrases
from numberline.explain.queries import MAX_ANALYSED_POSITIONS, all_positions, best_replies, moves_of, value_preserving
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

MAX_SAMPLED_POSITIONS = 100
"""So many positions of best play, and so many at each distance from the end, stand for all where those are too many."""
MAX_SAMPLED_DISTANCE_PLIES = 9
"""So far from the end they are looked for."""


class SecondPersonPhrases(Phrases):
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


def practice_positions(solution: Solution) -> list[Position]:
    """The positions that are not lost but can be thrown away, those with one right move first, then by depth.

    Of a book with too many positions, only some of them.
    """
    found = []
    for number, position in enumerate(all_positions(solution, MAX_ANALYSED_POSITIONS) or sample_positions(solution)):
        legal = solution.evaluate_moves(position)
        kept = value_preserving(legal)
        if kept[0].value != LOSS and len(kept) < len(legal):
            found.append((len(kept) > 1, _depth(legal), number, position))
    return [position for *_, position in sorted(found)]


def sample_positions(solution: Solution) -> list[Position]:
    """The first positions of best play, whoever begins, and others that are near to the end."""
    met: dict[Position, None] = {}
    for first, start in enumerate(solution.book.starts(), 1):
        at = start
        while at not in met and len(met) < first * MAX_SAMPLED_POSITIONS and (legal := solution.evaluate_moves(at)):
            met[at] = None
            at = next(judged.after for judged in legal if judged.best)
    return [*met, *(at for at in _near_the_end(solution) if at not in met)]


def _near_the_end(solution: Solution) -> Iterator[Position]:
    """For each of the last turns some positions that can be thrown away and some that are lost."""
    columns = solution.arrays
    thrown, lost = columns.regret.any(axis=1), columns.leader == 3 - columns.mover
    for plies in range(1, MAX_SAMPLED_DISTANCE_PLIES + 1):
        for wanted in (thrown, lost):
            rows = (columns.live & wanted & (columns.plies == plies)).nonzero()[0]
            yield from (columns.position(int(row)) for row in rows[:: len(rows) // MAX_SAMPLED_POSITIONS + 1])


def exercise(solution: Solution, position: Position, names: Sequence[str] = (), question: str = "") -> Exercise:
    """The exercise that a position makes; the question is what to play, unless another is given."""
    words = SecondPersonPhrases(solution.book, names, you=position.turn)
    legal = solution.evaluate_moves(position)
    at_once = tuple(judged for judged in legal if judged.worth.ends_game and judged.value == WIN)
    asked = "Which move wins at once?" if at_once else question or "What do you play?"
    name = words.names[position.turn - 1]
    named = hint(solution, position, 2, names)
    right = moves_of(at_once or value_preserving(legal))
    return Exercise(
        position,
        f"You are {name}, and it is your turn. {words.situation_sentence(position)} {asked}",
        tuple(sorted(right, key=lambda move: move != named.move)),
        combine_claims(words, _answer(solution, position, named)).text,
    )


def _answer(solution: Solution, position: Position, named: Hint) -> Iterator[Claim]:
    """What to play and why, and what comes after it where that can be said shortly."""
    yield from named.claims
    after = solution.book.after(position, named.move)
    next_wins = any(isinstance(getattr(claim, "reason", None), WinsNextMove) for claim in named.claims)
    if solution.value(position) == WIN and not next_wins:
        pairs = best_replies(solution, solution.evaluate_moves(after))
        if pairs and (len(pairs) <= MAX_LISTED_MOVES or len({answer for _, answer in pairs}) == 1):
            yield claims.RepliesToAll(after, pairs)


def reply(solution: Solution, asked: Exercise, move: str, names: Sequence[str] = ()) -> str:
    """What is said to somebody who has answered with a move: whether it is right, and what it leads to."""
    judged = next(each for each in solution.evaluate_moves(asked.position) if each.move == move)
    said = combine_claims(
        SecondPersonPhrases(solution.book, names, you=asked.position.turn),
        consequences(solution, asked.position, judged),
    )
    if move in asked.right:
        return f"Right! {said.text}"
    return (
        "That wins too, but there is a move that wins at once." if judged.keeps_value else f"Not this one. {said.text}"
    )


def consequences(solution: Solution, position: Position, judged: MoveEvaluation) -> Iterator[Claim]:
    """What a move leads to, with nothing of other moves and nothing of a rule that is still to be found."""
    left_out = [claims.CorrectMoves, claims.BestMoves, claims.LostByPattern]
    later = not judged.worth.ends_game and (judged.plies or 0) > 2
    if later:
        left_out.append(claims.MoveValueClaim)  # in how many turns it is over is no help to a learner
    said = explain_move(solution, position, judged.move).claims
    yield from (claim for claim in said if not isinstance(claim, tuple(left_out)))
    if later and judged.value == LOSS:
        answer = next(claim.move for claim in said if isinstance(claim, claims.BestReply))
        yield LostAfter(solution.book.after(judged.after, answer))


def _depth(legal: Sequence[MoveEvaluation]) -> int:
    """How far one has to look ahead: to the win, or to the latest of the losses to be avoided."""
    return value_preserving(legal)[0].plies or max(judged.plies or 0 for judged in legal)
