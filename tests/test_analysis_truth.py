"""Nothing that is explained contradicts the solution: every claim is read again here, on its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import numberline as nl
from numberline.analysis.claims import Claim, Explanation, Kind
from numberline.analysis.explanation import why, why_move
from numberline.analysis.hint import hint
from numberline.analysis.lesson import lesson
from numberline.analysis.values import values
from variants import CHOSEN, reachable

FEW = (
    "reach-the-edge(steps=1,3)",
    "reach-the-edge(steps=2)",
    "reach-the-edge(reverse=true, skip=true)",
    'number-reach(operations="+1 -1 *2 /2")',
    'number-reach(operations="+2 *3", overshoot=refused, stuck=loses)',
    "number-reach(players=3)",
    "number-line-sprint(steps=1,3, repeat=banned)",
    "flag-chase(skip=true, repeat=banned)",
    "flag-chase(tokens=2, meeting=blocks, end=6)",
    "line-runner(players=3, end=5, overshoot=loses, stuck=loses, meeting=blocks)",
    str(Path(__file__).parent.parent / "docs" / "example-book.toml"),
)
"""Variants with bans, lost turns, endless games, several tokens, more players, and an own book."""

LESSONS = [name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens=2, end=5" not in name]


@cache
def solved(variant: str) -> nl.Solution:
    return nl.solve(nl.book(variant))


@cache
def explained(variant: str) -> list[tuple[nl.Position, str, Explanation]]:
    """Every move of every position, explained."""
    solution = solved(variant)
    return [(at, move, why_move(solution, at, move)) for at in live(variant) for move in solution.book.moves(at)]


@cache
def live(variant: str) -> tuple[nl.Position, ...]:
    book = nl.book(variant)
    return tuple(position for position in reachable(book) if book.moves(position))


def worth(solution: nl.Solution, position: nl.Position, move: str) -> tuple[str, int | None]:
    """What a move is worth to the player who makes it, and in how many turns, as the solution's own words have it."""
    after = solution.book.after(position, move)
    outcome = solution.book.outcome(after)
    if outcome:
        return ("win" if outcome.winner == position.turn else "loss"), 1
    plies = solution.distance(after)
    if after.out >> (position.turn - 1) & 1:
        return "loss", None if plies is None else plies + 1
    if plies is None:
        return solution.value(after), None
    return ("win" if solution.for_player(after, position.turn) is not None else "loss"), plies + 1


def kept(solution: nl.Solution, position: nl.Position) -> tuple[str, list[str]]:
    """The best value that a move has here, and the moves that have it."""
    found = {move: worth(solution, position, move)[0] for move in solution.book.moves(position)}
    top = next(value for value in ("win", "endless", "open", "loss") if value in found.values())
    return top, [move for move, value in found.items() if value == top]


@cache
def turns_alone(book: nl.Book, position: nl.Position, player: int) -> int | None:
    """The fewest turns home with nobody else moving, by trying everything once, then twice, and so on."""
    front = {position._replace(turn=player, last=0)}
    for count in range(1, 60):
        reached = {book.after(at, move) for at in front for move in book.moves(at)}
        ends = [outcome for at in reached if (outcome := book.outcome(at))]
        if any(outcome.winner == player and " reached " in outcome.reason for outcome in ends):
            return count
        front = {at._replace(turn=player, last=0) for at in reached if not at.out >> (player - 1) & 1}
    return None


# What each kind of claim means


def over(solution: nl.Solution, claim: Claim) -> bool:
    outcome = solution.book.outcome(claim.position)
    return outcome is not None and outcome.winner == claim.player


def stands(solution: nl.Solution, claim: Claim) -> bool:
    forced = solution.forced(claim.position)
    told = (claim.value, claim.plies) == (solution.value(claim.position), solution.distance(claim.position))
    return told and claim.player == (forced.player if forced else 0)


def move_is_worth(solution: nl.Solution, claim: Claim) -> bool:
    return worth(solution, claim.position, claim.move) == (claim.value, claim.plies)


def move_ends(solution: nl.Solution, claim: Claim) -> bool:
    return worth(solution, claim.position, claim.move) == (claim.value, 1)


def whoever_loses(solution: nl.Solution, claim: Claim) -> bool:
    return {solution.value(claim.position._replace(turn=player)) for player in (1, 2)} == {"loss"}


def lost_by_law(solution: nl.Solution, claim: Claim) -> bool:
    return claim.law is not None and claim.law.exceptions == 0 and solution.value(claim.position) == "loss"


def race(solution: nl.Solution, claim: Claim) -> bool:
    turn = claim.position.turn
    return claim.numbers == tuple(turns_alone(solution.book, claim.position, player) for player in (turn, 3 - turn))


def keeps(solution: nl.Solution, claim: Claim) -> bool:
    return (claim.value, list(claim.moves)) == kept(solution, claim.position)


def answers(solution: nl.Solution, claim: Claim) -> bool:
    moves = [move for move, _ in claim.pairs]
    return tuple(moves) == solution.book.moves(claim.position) and all_answered(solution, claim)


def refuted(solution: nl.Solution, claim: Claim) -> bool:
    losing = all(worth(solution, claim.position, move)[0] == "loss" for move, _ in claim.pairs)
    return losing and all_answered(solution, claim)


def all_answered(solution: nl.Solution, claim: Claim) -> bool:
    after = [(solution.book.after(claim.position, move), answer) for move, answer in claim.pairs]
    return all(answer in (solution.best(position) or ("",)) for position, answer in after)


def rule(solution: nl.Solution, claim: Claim) -> bool:
    law = claim.law
    if law is None:
        return False
    there = [at for at in reachable(solution.book) if solution.book.moves(at)]
    wrong = [at for at in there if law.lost(at) != (solution.value(at) == "loss")]
    rest = {solution.value(at) for at in there if not law.lost(at)}
    return len(wrong) == law.exceptions and len(there) == law.speaks_of and (rest <= {"win"} or not law.all_else_wins)


def at_once(solution: nl.Solution, claim: Claim) -> bool:
    book = solution.book
    there = [at for at in reachable(book) if at.turn == claim.player and book.moves(at)]
    near = [at for at in there if book.own(at, claim.player)[0] in claim.numbers]
    return bool(near) and all(solution.value(at) == "win" and solution.distance(at) == 1 for at in near)


def always_wins(solution: nl.Solution, claim: Claim) -> bool:
    there = [at for at in reachable(solution.book) if claim.move in solution.book.moves(at)]
    choices = [at for at in there if len(solution.book.moves(at)) > 1]
    return bool(choices) and all(worth(solution, at, claim.move)[0] == "win" for at in choices)


MEANINGS: dict[Kind, Callable[[nl.Solution, Claim], bool]] = {
    Kind.OVER: over,
    Kind.LOST_TURN: lambda solution, claim: solution.book.moves(claim.position) == (claim.move,),
    Kind.STANDS: stands,
    Kind.MOVE: move_is_worth,
    Kind.ENDS: move_ends,
    Kind.LEADS: lambda solution, claim: claim.move in solution.book.moves(claim.position),
    Kind.WHOEVER: whoever_loses,
    Kind.LAW: lost_by_law,
    Kind.RACE: race,
    Kind.KEEPS: keeps,
    Kind.BEST: lambda solution, claim: claim.moves == solution.best(claim.position),
    Kind.ANSWER: lambda solution, claim: claim.move in solution.best(claim.position),
    Kind.ANSWERS: answers,
    Kind.REFUTED: refuted,
    Kind.RULE: rule,
    Kind.AT_ONCE: at_once,
    Kind.ALWAYS: always_wins,
    Kind.LINE: lambda solution, claim: claim.moves == solution.line(claim.position),
}


def false_claims(solution: nl.Solution, claims: tuple[Claim, ...]) -> list[Claim]:
    return [claim for claim in claims if not MEANINGS[claim.kind](solution, claim)]


def test_every_kind_of_claim_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Kind)


# The laws


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_an_explanation_of_a_position_claims_nothing_false(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        explanation = why(solution, position)
        assert explanation.text
        assert false_claims(solution, explanation.claims) == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_an_explanation_of_a_move_claims_nothing_false(variant: str) -> None:
    solution = solved(variant)
    for _, _, explanation in explained(variant):
        assert false_claims(solution, explanation.claims) == []


SAYS = {
    "win": r"^With (\S+) you (can force a win|win at once)",
    "loss": r"^With (\S+) you (lose|let |are out)",
    "endless": r"^After (\S+) nobody can force a win\.",
    "open": r"^After (\S+) nobody alone can force a win\.",
}


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_the_first_sentence_on_a_move_says_what_the_move_is_worth(variant: str) -> None:
    solution = solved(variant)
    for position, move, explanation in explained(variant):
        if move in {"pass", "out"}:
            continue
        value, plies = worth(solution, position, move)
        first = explanation.text.split(". ")[0] + "."
        said = re.match(SAYS[value], first)
        assert said, explanation.text
        assert said[1] == move
        number = re.search(r"in at most ([\d,]+) turns", first)
        assert number is None or int(number[1].replace(",", "")) == plies


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_a_hint_claims_nothing_false(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        for level in (1, 2):
            assert false_claims(solution, hint(solution, position, level).claims) == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *LESSONS])
def test_a_lesson_claims_nothing_false(variant: str) -> None:
    solution = solved(variant)
    for step in lesson(solution).steps:
        assert false_claims(solution, step.claims) == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_the_best_moves_are_those_of_the_solution(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        found = values(solution, position)
        assert tuple(value.move for value in found if value.best) == solution.best(position)
        assert {value.move: (value.value, value.plies) for value in found} == {
            move: worth(solution, position, move) for move in solution.book.moves(position)
        }
