"""What an explanation claims, piece by piece, so that each piece can be held against the solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from numberline.analysis.laws import Law
from numberline.analysis.positions import live_positions, remembered
from numberline.analysis.race import turns_alone
from numberline.analysis.secret import law_of
from numberline.analysis.values import MoveValue, keeping, standing, values
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.solution import Solution


class Kind(Enum):
    """What sort of thing is claimed of a position; the values say it in a sentence."""

    OVER = "the game is over, and `player` has won"
    LOST_TURN = "the player to move has no choice: `move` just happens"
    STANDS = "the position is worth `value` to the player to move, in `plies`; `player` can force it"
    MOVE = "`move` is worth `value` to the player to move, in `plies`; `player` can force it"
    ENDS = "`move` ends the game at once, which is worth `value` to the player to move"
    LEADS = "`move` is legal; what it leads to is told"
    WHOEVER = "the position is lost for either player who has to move in it"
    LAW = "the position is lost for the player to move by the rule `law`, which is right everywhere"
    RACE = "the player to move needs `numbers[0]` turns home, the other `numbers[1]`, each as if the other stood still"
    KEEPS = "exactly `moves` are of the best value that a move has here, which is `value`"
    BEST = "exactly `moves` are best, in value and in time"
    ANSWER = "`move` is a best move here, and the position is worth `value` to the player who makes it"
    ANSWERS = "`pairs` has every move here, each with a best answer to it (none where it ends the game)"
    RULE = "the rule `law` tells the lost positions, with as many exceptions as it says"
    AT_ONCE = "from exactly the places `numbers` `player` always wins at once, if it is `player`'s turn"
    ALWAYS = "`move` wins wherever it is allowed"
    LINE = "best play from the position to the end is `moves`"
    REFUTED = "each of `pairs` is a move that loses here, with a best answer to it (none where it ends the game)"


class Claim(NamedTuple):
    """One thing that is said of one position. Which fields count is told by its kind."""

    kind: Kind
    position: Position
    value: str = ""
    plies: int | None = None
    player: int = 0
    move: str = ""
    moves: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    numbers: tuple[int, ...] = ()
    law: Law | None = None


class Explanation(NamedTuple):
    """A few sentences, and the claims that they are made from."""

    text: str
    claims: tuple[Claim, ...]


def holds(solution: Solution, claim: Claim) -> bool:
    """Whether the solution says so too."""
    return _CHECKS[claim.kind](solution, claim)


def lost_for_whoever(solution: Solution, position: Position) -> bool:
    """Whether both players would be lost if they had to move here; only for positions that the solution numbers."""
    both = [position._replace(turn=player) for player in (1, 2)]
    try:
        for each in both:
            solution.numbering.number(each)
    except KeyError:
        return False
    return all(solution.value(each) == "loss" and not solution.book.engine.winner(each) for each in both)


def best_answers(solution: Solution, moves: Sequence[MoveValue]) -> tuple[tuple[str, str], ...]:
    """Each move with a best answer to it, the same for all where one will do; no answer where the game is over."""
    best = {move.move: _best_moves(solution, move.after) for move in moves}
    asked = [answers for answers in best.values() if answers]
    common = [answer for answer in asked[0] if all(answer in answers for answers in asked)] if asked else []
    return tuple((move, ([*common, *answers] if answers else [""])[0]) for move, answers in best.items())


def _best_moves(solution: Solution, position: Position) -> list[str]:
    return [value.move for value in values(solution, position) if value.best]


def places_won_at_once(solution: Solution, player: int) -> tuple[int, ...]:
    """The places from which this player always wins at once; none where a player has several tokens."""
    rules = solution.book.rules
    if not rules.shared and rules.tokens > 1:
        return ()
    found: dict[int, bool] = {}
    for position in live_positions(solution):
        if position.turn == player:
            (place,) = solution.book.own(position, player)
            found[place] = found.get(place, True) and solution.for_player(position, player) == 1
    return tuple(sorted(place for place, always in found.items() if always))


@remembered
def moves_that_always_win(solution: Solution) -> tuple[str, ...]:
    """The moves that win in every position that can come about in which they are allowed and others are too."""
    wins: dict[str, bool] = {}
    for position in live_positions(solution):
        legal = values(solution, position)
        for value in legal if len(legal) > 1 else ():
            wins[value.move] = wins.get(value.move, True) and value.value == "win"
    return tuple(move for move in solution.book.choices if wins.get(move))


def _over(solution: Solution, claim: Claim) -> bool:
    return claim.player > 0 and solution.book.engine.winner(claim.position) == claim.player


def _lost_turn(solution: Solution, claim: Claim) -> bool:
    return solution.book.moves(claim.position) == (claim.move,) and claim.move in {move.text for move in FORCED}


def _stands(solution: Solution, claim: Claim) -> bool:
    return standing(solution, claim.position) == (claim.value, claim.plies, claim.player)


def _move(solution: Solution, claim: Claim) -> bool:
    return any(
        value.move == claim.move and value.standing == (claim.value, claim.plies, claim.player)
        for value in values(solution, claim.position)
    )


def _ends(solution: Solution, claim: Claim) -> bool:
    return any(
        value.move == claim.move and value.ends and value.value == claim.value
        for value in values(solution, claim.position)
    )


def _leads(solution: Solution, claim: Claim) -> bool:
    return claim.move in solution.book.moves(claim.position)


def _whoever(solution: Solution, claim: Claim) -> bool:
    return lost_for_whoever(solution, claim.position)


def _race(solution: Solution, claim: Claim) -> bool:
    turn = claim.position.turn
    return claim.numbers == tuple(turns_alone(solution.book, claim.position, player) for player in (turn, 3 - turn))


def _law(solution: Solution, claim: Claim) -> bool:
    law = claim.law
    if law is None or law != law_of(solution) or law.exceptions:
        return False
    return law.lost(claim.position) and solution.value(claim.position) == "loss"


def _keeps(solution: Solution, claim: Claim) -> bool:
    kept = keeping(values(solution, claim.position))
    return claim.moves == tuple(value.move for value in kept) and {value.value for value in kept} == {claim.value}


def _best(solution: Solution, claim: Claim) -> bool:
    return claim.moves == tuple(_best_moves(solution, claim.position))


def _answer(solution: Solution, claim: Claim) -> bool:
    return solution.value(claim.position) == claim.value and any(
        value.best and value.move == claim.move for value in values(solution, claim.position)
    )


def _answers(solution: Solution, claim: Claim) -> bool:
    legal = {value.move: value.after for value in values(solution, claim.position)}
    return list(legal) == [move for move, _ in claim.pairs] and all(
        _answered(solution, legal[move], answer) for move, answer in claim.pairs
    )


def _refuted(solution: Solution, claim: Claim) -> bool:
    losing = {value.move: value.after for value in values(solution, claim.position) if value.value == "loss"}
    return all(move in losing and _answered(solution, losing[move], answer) for move, answer in claim.pairs)


def _rule(solution: Solution, claim: Claim) -> bool:
    law, live = claim.law, live_positions(solution)
    if law is None or not live:
        return False
    wrong = sum(law.lost(position) != (solution.value(position) == "loss") for position in live)
    rest = {solution.value(position) for position in live if not law.lost(position)}
    return (law.speaks_of, law.exceptions) == (len(live), wrong) and (not law.all_else_wins or rest <= {"win"})


def _at_once(solution: Solution, claim: Claim) -> bool:
    return bool(claim.numbers) and claim.numbers == places_won_at_once(solution, claim.player)


def _always(solution: Solution, claim: Claim) -> bool:
    return claim.move in moves_that_always_win(solution)


def _line(solution: Solution, claim: Claim) -> bool:
    return claim.moves == solution.line(claim.position)


def _answered(solution: Solution, after: Position, answer: str) -> bool:
    best = _best_moves(solution, after)
    return answer in best if best else not answer


_CHECKS: dict[Kind, Callable[[Solution, Claim], bool]] = {
    Kind.OVER: _over,
    Kind.LOST_TURN: _lost_turn,
    Kind.STANDS: _stands,
    Kind.MOVE: _move,
    Kind.ENDS: _ends,
    Kind.LEADS: _leads,
    Kind.WHOEVER: _whoever,
    Kind.LAW: _law,
    Kind.RACE: _race,
    Kind.KEEPS: _keeps,
    Kind.BEST: _best,
    Kind.ANSWER: _answer,
    Kind.ANSWERS: _answers,
    Kind.RULE: _rule,
    Kind.AT_ONCE: _at_once,
    Kind.ALWAYS: _always,
    Kind.LINE: _line,
    Kind.REFUTED: _refuted,
}
