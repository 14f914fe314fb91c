"""Truth of every claim, checked against the solution by an independent reading of what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from inspect import isfunction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace as Facts

import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.explain import claims
from numberline.explain.claims import Claim, Explanation
from numberline.explain.explanation import explain_move, explain_position, hint
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import BannedSteps, LosingNumbers, RaceCount, find_losing_pattern
from numberline.explain.phrases import Phrases
from numberline.explain.worksheet import consequences, feedback
from numberline.solver.worth import Worth
from support.mixtures import book_of, mixtures
from support.variants import CHOSEN, reachable

FEW = (
    "reach-the-edge(steps=1,3)",
    "reach-the-edge(steps=2)",
    "reach-the-edge(reverse=true, skip=true)",
    'number-reach(operations="+1 -1 *2 /2")',
    'number-reach(operations="+2 *3", overshoot=refused, stuck=loses)',
    "number-reach(players=3)",
    "number-line-sprint(steps=1,3, repeat=banned)",
    "number-line-sprint(overshoot=loses, steps=2,4, end=15)",
    "flag-chase(skip=true, repeat=banned)",
    "flag-chase(tokens=2, meeting=blocks, end=6)",
    "line-runner(players=3, end=5, overshoot=loses, stuck=loses, meeting=blocks)",
    str(Path(__file__).parents[2] / "docs" / "example-book.toml"),
)
"""Variants with bans, lost turns, endless games, several tokens, more players, and a custom book."""

LESSONS = [name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens=2, end=5" not in name]


@cache
def solved(variant: str) -> nl.Solution:
    return nl.solve(nl.book(variant))


@cache
def explained(variant: str) -> list[tuple[nl.Position, str, Explanation]]:
    """Explain every move of every position."""
    solution = solved(variant)
    return [(at, move, explain_move(solution, at, move)) for at in live(variant) for move in solution.book.moves(at)]


@cache
def live(variant: str) -> tuple[nl.Position, ...]:
    book = nl.book(variant)
    return tuple(position for position in reachable(book) if book.moves(position))


def worth(solution: nl.Solution, position: nl.Position, move: str) -> tuple[str, int | None]:
    """Return the value of a move for the player who makes it, and in how many turns, from public methods only."""
    after = solution.book.after(position, move)
    outcome = solution.book.outcome(after)
    if outcome:
        return ("win" if outcome.winner == position.turn else "loss"), 1
    plies = solution.distance(after)
    if after.out >> (position.turn - 1) & 1:
        return "loss", None if plies is None else plies + 1
    if plies is None:
        return solution.value(after), None
    return ("win" if solution.worth(after).winner == position.turn else "loss"), plies + 1


def kept(solution: nl.Solution, position: nl.Position) -> tuple[str, list[str]]:
    """Return the best value of a move here, and the moves that have it."""
    found = {move: worth(solution, position, move)[0] for move in solution.book.moves(position)}
    top = next(value for value in ("win", "endless", "open", "loss") if value in found.values())
    return top, [move for move, value in found.items() if value == top]


@cache
def turns_alone(book: nl.Book, position: nl.Position, player: int) -> int | None:
    """Return the fewest turns to the goal with no other player moving, by breadth-first search."""
    front = {position._replace(turn=player, last=0)}
    for count in range(1, 60):
        reached = {book.after(at, move) for at in front for move in book.moves(at)}
        ends = [outcome for at in reached if (outcome := book.outcome(at))]
        if any(outcome.winner == player and " reached " in outcome.reason for outcome in ends):
            return count
        front = {at._replace(turn=player, last=0) for at in reached if not at.out >> (player - 1) & 1}
    return None


# Meanings of the claims


def is_worth(solution: nl.Solution, position: nl.Position, said: Worth, move: str) -> bool:
    after = solution.book.after(position, move)
    winner, out = solution.worth(after).winner, bool(after.out >> (position.turn - 1) & 1)
    fields = (said.winner, said.out) == (winner, out and solution.book.rules.players > 2)
    return fields and (said.value, said.plies) == worth(solution, position, move)


def has_won(solution: nl.Solution, claim: Facts) -> bool:
    outcome = solution.book.outcome(claim.position)
    return outcome is not None and outcome.winner == claim.player


def stands(solution: nl.Solution, claim: Facts) -> bool:
    at, said = claim.position, claim.worth
    best, moves = kept(solution, at)
    agrees = said.value == best or (said.value, best) == ("open", "loss")  # three players: each move may lose
    plies = {worth(solution, at, move)[1] for move in moves}
    return agrees and (said.value, said.plies) == (solution.value(at), solution.distance(at)) and said.plies in plies


def no_good_move(solution: nl.Solution, claim: Facts) -> bool:
    return solution.value(claim.position) == "open" and kept(solution, claim.position)[0] == "loss"


def either_side_loses(solution: nl.Solution, claim: Facts) -> bool:
    return {solution.value(claim.position._replace(turn=player)) for player in (1, 2)} == {"loss"}


def lost_by_law(solution: nl.Solution, claim: Facts) -> bool:
    pattern, at = claim.pattern, claim.position
    return pattern.is_lost(at) and solution.value(at) == "loss"


def turns_needed(solution: nl.Solution, claim: Facts) -> bool:
    at, turn = claim.position, claim.position.turn
    counts = claim.mine, claim.theirs
    return counts == tuple(turns_alone(solution.book, at, player) for player in (turn, 3 - turn))


def right_moves(solution: nl.Solution, claim: Facts) -> bool:
    return (claim.value, list(claim.moves)) == kept(solution, claim.position)


def best_moves(solution: nl.Solution, claim: Facts) -> bool:
    return (claim.value, claim.moves) == (kept(solution, claim.position)[0], solution.best(claim.position))


def refuted(solution: nl.Solution, claim: Facts) -> bool:
    losing = all(worth(solution, claim.position, move)[0] == "loss" for move, _ in claim.pairs)
    return bool(claim.pairs) and losing and all_answered(solution, claim)


def all_answered(solution: nl.Solution, claim: Facts) -> bool:
    after = [(solution.book.after(claim.position, move), answer) for move, answer in claim.pairs]
    return all(answer in (solution.best(position) or ("",)) for position, answer in after)


# Hints


def outlook(solution: nl.Solution, claim: Facts) -> bool:
    at_once = claim.value != "win" or solution.distance(claim.position) == 1
    return claim.value == solution.value(claim.position) and at_once


def how_many(solution: nl.Solution, claim: Facts) -> bool:
    value, moves = kept(solution, claim.position)
    equally = len({worth(solution, claim.position, move) for move in moves}) == 1
    return (claim.value, claim.right, claim.equally) == (value, len(moves), equally)


def danger(solution: nl.Solution, claim: Facts) -> bool:
    at, book = claim.position, solution.book
    losing = [move for move in book.moves(at) if worth(solution, at, move)[0] == "loss"]
    out = [move for move in losing if book.after(at, move).out >> (at.turn - 1) & 1]
    right = len(book.moves(at)) - len(losing)
    if kept(solution, at)[0] == "win":
        right = len(kept(solution, at)[1])
    return list(claim.moves) in (losing, out) and claim.right == right and bool(claim.moves)


def others_lose_at_once(solution: nl.Solution, claim: Facts) -> bool:
    at, book = claim.position, solution.book
    value, right = kept(solution, at)
    wrong = [book.after(at, move) for move in book.moves(at) if move not in right]
    return value == "win" and bool(wrong) and {(solution.value(p), solution.distance(p)) for p in wrong} == {("win", 1)}


def longest_fails(solution: nl.Solution, claim: Facts) -> bool:
    at, legal = claim.position, solution.book.moves(claim.position)
    steps = {move: int(re.sub(r"\D", "", move.split(":")[-1]) or move.endswith("back")) for move in legal}
    if solution.book.rules.moves == "operations":
        number = at.tokens[0]
        after = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__}
        steps = {move: abs(after[move[0]](number, step) - number) if step else 0 for move, step in steps.items()}
    longest = [move for move in legal if steps[move] == max(steps.values())]
    return list(claim.moves) == longest and "win" not in {worth(solution, at, move)[0] for move in longest}


def unequal(solution: nl.Solution, claim: Facts) -> bool:
    legal = solution.book.moves(claim.position)
    return solution.value(claim.position) == "loss" and len({worth(solution, claim.position, m) for m in legal}) > 1


def trap(solution: nl.Solution, claim: Facts) -> bool:
    afters = {move: solution.book.after(claim.position, move) for move in solution.book.moves(claim.position)}
    over = {move for move, after in afters.items() if solution.book.outcome(after)}
    found = [
        move
        for move, after in afters.items()
        if move not in over and len(kept(solution, after)[1]) == 1 < len(solution.book.moves(after))
    ]
    best = set(found) & set(solution.best(claim.position))
    return solution.value(claim.position) == "loss" and list(claim.moves) == found and bool(best)


def clue(solution: nl.Solution, claim: Facts) -> bool:
    ahead = solution.value(claim.position) == "win" and solution.distance(claim.position) != 1
    return ahead and (not claim.counts or counted_right(solution, claim.position))


def counted_right(solution: nl.Solution, at: nl.Position) -> bool:
    """Return whether exactly the moves that leave the opponent behind in turns win."""
    book = solution.book
    for move in book.moves(at):
        after = book.after(at, move)
        if book.outcome(after):
            continue
        mine, theirs = (turns_alone(book, after, player) or 10**9 for player in (at.turn, 3 - at.turn))
        if (solution.value(after) == "loss") != (mine < theirs):
            return False
    return True


def cannot_stop(solution: nl.Solution, claim: Facts) -> bool:
    at = claim.position
    before = [player for player in range(1, solution.book.rules.players + 1) if player != at.turn]
    return solution.value(at) == "loss" and solution.worth(at).winner in before


def next_move_wins(solution: nl.Solution, claim: Facts) -> bool:
    at, book = claim.position, solution.book
    afters = [book.after(at, move) for move in book.moves(at)]
    over = [outcome.winner for after in afters if (outcome := book.outcome(after))]
    others = [(solution.value(after), solution.distance(after)) for after in afters if not book.outcome(after)]
    return set(others) == {("win", 1)} and bool(over) == claim.early and set(over) <= {3 - at.turn}


def ranked_by_answers(solution: nl.Solution, claim: Facts) -> bool:
    """Return whether the moves that lose last are ranked by how many of the opponent's answers are right."""
    at, book = claim.position, solution.book
    if solution.value(at) != "loss" or book.rules.players > 2:
        return not claim.easier
    afters = {move: book.after(at, move) for move in (claim.move, *claim.as_good, *claim.easier)}
    if any(book.outcome(after) for after in afters.values()):
        return not claim.easier
    shares = {move: Fraction(len(kept(solution, after)[1]), len(book.moves(after))) for move, after in afters.items()}
    as_good, easier = ({shares[move] for move in moves} for moves in (claim.as_good, claim.easier))
    return as_good <= {shares[claim.move]} and all(share > shares[claim.move] for share in easier)


def advised(solution: nl.Solution, claim: Facts) -> bool:
    listed = [claim.move, *claim.as_good, *claim.easier]
    return (
        sorted(listed) == sorted(solution.best(claim.position))
        and ranked_by_answers(solution, claim)
        and is_worth(solution, claim.position, claim.worth, claim.move)
        and (
            claim.reason is None
            or (
                claim.reason.facts.position == solution.book.after(claim.position, claim.move)
                and holds(solution, claim.reason)
            )
        )
    )


# Lessons


def secret(solution: nl.Solution, claim: Facts) -> bool:
    pattern = claim.pattern
    there = [at for at in reachable(solution.book) if solution.book.moves(at)]
    wrong = [at for at in there if pattern.is_lost(at) != (solution.value(at) == "loss")]
    rest = {solution.value(at) for at in there if not pattern.is_lost(at)}
    return not wrong and (rest <= {"win"} or not pattern.all_else_wins)


def lost_places(solution: nl.Solution, claim: Facts) -> bool:
    between = range(claim.places[0], claim.places[-1] + 1)
    lost = [n for n in between if {solution.value(nl.Position(player, (n,))) for player in (1, 2)} == {"loss"}]
    return list(claim.places) == lost


def always_wins(solution: nl.Solution, claim: Facts) -> bool:
    there = [at for at in reachable(solution.book) if claim.move in solution.book.moves(at)]
    choices = [at for at in there if len(solution.book.moves(at)) > 1]
    return bool(choices) and all(worth(solution, at, claim.move)[0] == "win" for at in there)


def who_wins(solution: nl.Solution, claim: Facts) -> bool:
    values = [solution.value(solution.book.start(first)) for first in (1, 2)]
    wins = [{"win": first, "loss": 3 - first, "endless": 0}[value] for first, value in enumerate(values, 1)]
    return list(claim.winners) == wins


def first_moves(solution: nl.Solution, claim: Facts) -> bool:
    starts = {solution.book.start(first) for first in (1, 2)}
    right = all(kept(solution, at) == (claim.value, list(claim.moves)) for at in claim.starts)
    return right and set(claim.starts) <= starts and claim.value != "loss"


def lost_and_others(solution: nl.Solution) -> tuple[list[nl.Position], list[nl.Position]]:
    there = [at for at in reachable(solution.book) if solution.book.moves(at)]
    lost = [at for at in there if solution.value(at) == "loss"]
    return lost, [at for at in there if at not in set(lost)]


def afters(solution: nl.Solution, at: nl.Position) -> list[nl.Position]:
    return [solution.book.after(at, move) for move in solution.book.moves(at)]


def won_by(solution: nl.Solution, at: nl.Position) -> int:
    outcome = solution.book.outcome(at)
    return outcome.winner if outcome else 0


def is_lost(solution: nl.Solution, at: nl.Position) -> bool:
    return not won_by(solution, at) and solution.value(at) == "loss"


def every_trap(solution: nl.Solution, _claim: Facts) -> bool:
    """Return whether every move in a losing position loses at once or has a reply that wins or traps again."""
    return all(
        won_by(solution, after) == 3 - at.turn
        or any(won_by(solution, final) == after.turn or is_lost(solution, final) for final in afters(solution, after))
        for at in lost_and_others(solution)[0]
        for after in afters(solution, at)
    )


def no_way_out(solution: nl.Solution, claim: Facts) -> bool:
    lost, others = lost_and_others(solution)
    if {at for at in [*lost, *others] if claim.pattern.is_lost(at)} != set(lost):
        return False
    out = all(
        won_by(solution, after) == 3 - at.turn or solution.value(after) == "win"
        for at in lost
        for after in afters(solution, at)
    )
    if not claim.pattern.all_else_wins:
        return out and all(solution.value(at) != "loss" for at in others)
    back = all(
        any(won_by(solution, after) == at.turn or is_lost(solution, after) for after in afters(solution, at))
        for at in others
    )
    return out and back


def gains_ground(solution: nl.Solution, claim: Facts) -> bool:
    """Check the effect of repeating the stride in every losing position."""
    book, gained, gone = solution.book, [], []

    def left(player: int, at: nl.Position) -> int:
        return int(min(abs(goal - at.tokens[0]) for goal in book.rules.goals[player - 1]))

    for at in lost_and_others(solution)[0]:
        you = 3 - at.turn
        for after in afters(solution, at):
            gone.append(abs(after.tokens[0] - at.tokens[0]))
            if won_by(solution, after) == at.turn:
                return False
            finals = afters(solution, after)
            if won_by(solution, after) or you in {won_by(solution, final) for final in finals}:
                continue
            again = [final for final in finals if final.last == claim.stride]
            if not again or not all(is_lost(solution, final) for final in again):
                return False
            gained += [left(you, at) - left(you, final) for final in again]
    return (claim.gain, claim.most) == (min(gained), max(gone)) and claim.gain > 0 and max(gone) < claim.stride


def stays_ahead(solution: nl.Solution, claim: Facts) -> bool:
    """Check that a player who isn't behind can pass a gate or, without gates, count down, and that every way to wins.

    If the claim says that players are apart, no move may make the other player's way longer.
    """
    book, gates, longer = solution.book, claim.pattern.gates, False

    def count(at: nl.Position, player: int) -> int:
        return turns_alone(book, at, player) or 1_000_000

    def nearer(at: nl.Position, after: nl.Position) -> bool:
        if not gates:
            return count(after, at.turn) < count(at, at.turn)
        near, far = (book.distance_to_goal(at.turn, int(book.tokens_of(each, at.turn)[0])) for each in (after, at))
        return any(near <= gate < far for gate in gates)

    for at in (at for group in lost_and_others(solution) for at in group):
        me, other = at.turn, 3 - at.turn
        if (count(at, me) > count(at, other)) != (solution.value(at) == "loss"):
            return False
        going = [after for after in afters(solution, at) if not won_by(solution, after)]
        if any(count(at, me) - count(after, me) > 1 for after in going):
            return False
        longer = longer or any(count(after, other) > count(at, other) for after in going)
        good = [after for after in going if nearer(at, after)]
        wins = any(won_by(solution, after) == me for after in afters(solution, at))
        if solution.value(at) != "loss" and not (wins or good):
            return False
        if solution.value(at) != "loss" and not all(is_lost(solution, after) for after in good):
            return False
    return not (claim.apart and longer)


def sets_trap(solution: nl.Solution, claim: Facts) -> bool:
    return is_lost(solution, solution.book.after(claim.position, claim.move))


def trapped_again(solution: nl.Solution, claim: Facts) -> bool:
    return is_lost(solution, claim.position) and all(
        won_by(solution, after) == after.turn
        or any(won_by(solution, final) == after.turn or is_lost(solution, final) for final in afters(solution, after))
        for after in afters(solution, claim.position)
    )


def jumps_to_go(solution: nl.Solution, claim: Facts) -> bool:
    """Check the jumps from the player's place, with the other token wherever it is least in the way."""
    book, player, least = solution.book, claim.position.turn, dict[int, int]()
    for at in reachable(book):
        (place,) = book.tokens_of(at, player)
        if book.moves(at):
            least[int(place)] = min(least.get(int(place), 1_000), turns_alone(book, at, player) or 1_000)
    own = int(book.tokens_of(claim.position, player)[0])
    away = {place: book.distance_to_goal(player, place) for place in least}
    more = all(least[place] > claim.jumps for place in least if away[place] > away[own])
    return least[own] == claim.jumps and (more or not claim.gate)


def together(solution: nl.Solution, claim: Facts) -> bool:
    """Check that each move from a trap has an answer that covers the total with it and wins or sets a trap."""
    total, made = claim.pattern.together, set()
    for at in lost_and_others(solution)[0]:
        for move in solution.book.moves(at):
            after = solution.book.after(at, move)
            if won_by(solution, after):
                continue
            finals = {answer: solution.book.after(after, answer) for answer in solution.book.moves(after)}
            good = [
                answer
                for answer, final in finals.items()
                if won_by(solution, final) == after.turn or is_lost(solution, final)
                if sum(map(abs, map(int.__sub__, final.tokens, at.tokens))) == total
            ]
            if not good:
                return False
            made |= {(move, answer) for answer in good}
    return claim.pattern.example in made


def band_reason(solution: nl.Solution, claim: Facts) -> bool:
    """Check that on the band, the moves always or never win at once or set a trap, and where its traps are."""
    lost, others = lost_and_others(solution)
    helps = set()
    for at in (at for at in [*lost, *others] if at.tokens[0] in claim.numbers):
        for move in claim.moves:
            after = solution.book.after(at, move) if move in solution.book.moves(at) else None
            helps.add(after is not None and (won_by(solution, after) == at.turn or is_lost(solution, after)))
    traps = sorted({at.tokens[0] for at in lost} & set(claim.numbers))
    gaps = {second - first for first, second in pairwise(traps)}
    return (helps, gaps) == ({False}, {claim.step}) if claim.step else (helps, traps) == ({True}, [])


def no_rule(solution: nl.Solution, claim: Facts) -> bool:
    pattern = find_losing_pattern(solution)
    return (not pattern or not pattern.full_text(Phrases(solution.book))) and claim.too_large == (
        solution.size > 40_000
    )


def nothing_to_choose(solution: nl.Solution, _claim: Facts) -> bool:
    lost, others = lost_and_others(solution)
    return all(len(kept(solution, at)[1]) == len(solution.book.moves(at)) for at in [*lost, *others])


MEANINGS: dict[object, Callable[[nl.Solution, Facts], bool]] = {
    claims.game_over: has_won,
    claims.forced_move: lambda solution, claim: (
        claim.move in {"pass", "out"} and solution.book.moves(claim.position) == (claim.move,)
    ),
    claims.position_value: stands,
    claims.all_moves_lose: no_good_move,
    claims.correct_moves: right_moves,
    claims.best_moves: best_moves,
    claims.lost_for_either_side: either_side_loses,
    claims.lost_by_pattern: lost_by_law,
    claims.turns_needed: turns_needed,
    claims.move_value: lambda solution, claim: is_worth(solution, claim.position, claim.worth, claim.move),
    claims.move_effect: lambda solution, claim: claim.move in solution.book.moves(claim.position),
    claims.refutations: refuted,
    claims.position_outlook: outlook,
    claims.only_move: lambda solution, claim: solution.book.moves(claim.position) == (claim.move,),
    claims.winning_move_count: how_many,
    claims.losing_moves: danger,
    claims.others_lose_immediately: others_lose_at_once,
    claims.longest_move_loses: longest_fails,
    claims.unequal_defences: unequal,
    claims.trap: trap,
    claims.strategy_hint: clue,
    claims.unstoppable: cannot_stop,
    claims.wins_next_move: next_move_wins,
    claims.advice: advised,
    claims.pattern_statement: secret,
    claims.losing_places: lost_places,
    claims.no_pattern_found: no_rule,
    claims.no_decisions: nothing_to_choose,
    claims.traps_explained: every_trap,
    claims.gains_ground: gains_ground,
    claims.stays_ahead: stays_ahead,
    claims.pattern_invariant: no_way_out,
    claims.always_wins: always_wins,
    claims.sets_trap: sets_trap,
    claims.trapped_again: trapped_again,
    claims.jumps_to_go: jumps_to_go,
    claims.together: together,
    claims.band_reason: band_reason,
    claims.game_value: who_wins,
    claims.opening_moves: first_moves,
}


def holds(solution: nl.Solution, claim: Claim) -> bool:
    return MEANINGS[claim.kind](solution, claim.facts)


def false_claims(solution: nl.Solution, made: tuple[Claim, ...]) -> list[Claim]:
    return [claim for claim in made if not holds(solution, claim)]


def test_every_kind_of_claim_has_a_meaning() -> None:
    public = {value for name, value in vars(claims).items() if isfunction(value) and not name.startswith("_")}
    kinds = {value for value in public if value.__module__ == claims.__name__}
    assert set(MEANINGS) == kinds - {claims.combine_claims}


def test_false_claims_are_detected() -> None:
    book = nl.book("reach-the-edge")
    start, after = book.start(), book.after(book.start(), "3")
    wins_next = Claim(claims.wins_next_move, after, early=False)
    false = (
        Claim(claims.game_over, nl.Position(1, (0,), 1), 2),
        Claim(claims.forced_move, start, "pass"),
        Claim(claims.position_value, start, Worth("loss", 11, 2)),
        Claim(claims.position_value, start, Worth("win", 13, 1)),
        Claim(claims.all_moves_lose, start),
        Claim(claims.correct_moves, start, "win", ("2", "3")),
        Claim(claims.best_moves, start, "win", ("1",)),
        Claim(claims.lost_for_either_side, start),
        Claim(claims.lost_by_pattern, start, BannedSteps(strides=(3,))),
        Claim(claims.turns_needed, start, 1, 1),
        Claim(claims.move_value, start, "2", Worth("win", 11, 1)),
        Claim(claims.move_value, start, "3", Worth("win", 1, 1)),
        Claim(claims.move_effect, start, "4"),
        Claim(claims.refutations, start, (("3", "2"),)),
        Claim(claims.position_outlook, start, "win"),
        Claim(claims.only_move, start, "3"),
        Claim(claims.winning_move_count, start, "win", 2, equally=True),
        Claim(claims.losing_moves, start, ("1",), 1),
        Claim(claims.others_lose_immediately, start),
        Claim(claims.longest_move_loses, start, ("3",)),
        Claim(claims.unequal_defences, start),
        Claim(claims.trap, start, ("3",)),
        Claim(claims.strategy_hint, after, counts=False),
        Claim(claims.strategy_hint, start, counts=True),
        Claim(claims.unstoppable, start),
        wins_next,
        Claim(claims.advice, start, "2", Worth("loss", 14, 2), None, as_good=(), easier=()),
        Claim(claims.advice, start, "3", Worth("win", 11, 1), None, as_good=("1",), easier=()),
        Claim(claims.advice, start, "3", Worth("win", 11, 1), None, as_good=(), easier=("2",)),
        Claim(claims.advice, start, "3", Worth("win", 11, 1), wins_next, as_good=(), easier=()),
        Claim(claims.pattern_statement, BannedSteps(all_else_wins=True, strides=(2,))),
        Claim(claims.losing_places, (5, 6)),
        Claim(claims.no_pattern_found, too_large=False),
        Claim(claims.no_decisions),
        Claim(claims.gains_ground, 3, 2, 2),
        Claim(claims.gains_ground, 2, 1, 1),
        Claim(claims.pattern_invariant, BannedSteps(all_else_wins=True, strides=(2,))),
        Claim(claims.stays_ahead, RaceCount(book=book), apart=False),
        Claim(claims.always_wins, "2"),
        Claim(claims.sets_trap, start, "2"),
        Claim(claims.trapped_again, start),
        Claim(claims.jumps_to_go, start, 4, gate=False),
        Claim(claims.together, LosingNumbers(book=book, together=3, example=("1", "2"))),
        Claim(claims.band_reason, ("3",), (3, 4, 5), 2),
        Claim(claims.game_value, (1, 1)),
        Claim(claims.opening_moves, (start,), "win", ("2",)),
    )
    # TrapsExplained follows from the definition of a trap: it is true of every game.
    assert {claim.kind for claim in false} == set(MEANINGS) - {claims.traps_explained}
    assert [claim for claim in false if holds(nl.solve(book), claim)] == []


# Explanations, hints and lessons


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_explanations_of_positions_are_true(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        explanation = explain_position(solution, position)
        assert explanation.text
        assert false_claims(solution, explanation.claims) == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_explanations_of_moves_are_true(variant: str) -> None:
    solution = solved(variant)
    for _, _, explanation in explained(variant):
        assert false_claims(solution, explanation.claims) == []


FIRST_SENTENCES = {
    "win": r"^With (\S+), you (have a sure win|win at once)",
    "loss": r"^With (\S+), you (lose|let |are out)",
    "endless": r"^After (\S+), neither player has a sure win\.",
    "open": r"^After (\S+), no player alone has a sure win\.",
}


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_explanation_of_a_move_starts_with_its_value(variant: str) -> None:
    solution = solved(variant)
    for position, move, explanation in explained(variant):
        if move in {"pass", "out"}:
            continue
        value, plies = worth(solution, position, move)
        first = explanation.text.split(". ")[0] + "."
        match = re.match(FIRST_SENTENCES[value], first)
        assert match, explanation.text
        assert match[1] == move
        number = re.search(r"within ([\d,]+) turns", first)
        assert number is None or int(number[1].replace(",", "")) == plies


@pytest.mark.parametrize("variant", sorted({*nl.NAMES, *FEW, *CHOSEN}))
def test_hints_are_true(variant: str) -> None:
    positions = live(variant)
    assert_hints_are_true(variant, positions[:: 1 + len(positions) // 300])


@pytest.mark.soak
@pytest.mark.parametrize("variant", sorted({*nl.NAMES, *FEW, *CHOSEN}))
def test_all_hints_are_true(variant: str) -> None:
    assert_hints_are_true(variant, live(variant))


def assert_hints_are_true(variant: str, positions: Sequence[nl.Position]) -> None:
    solution = solved(variant)
    for position in positions:
        for level in (1, 2):
            given = hint(solution, position, level)
            assert given.text
            assert false_claims(solution, given.claims) == []


@settings(max_examples=40)
@given(mixtures(largest=300))
def test_hints_of_any_mixture_are_true_and_agree(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    for position in [at for at in reachable(book) if book.moves(at)][::3]:
        clue, move = (hint(solution, position, level) for level in (1, 2))
        assert false_claims(solution, (*clue.claims, *move.claims)) == []
        for trap in (claim.facts.moves for claim in clue.claims if claim.kind is claims.trap):
            (advice,) = move.claims
            assert advice.facts.move in trap
            assert set(advice.facts.as_good) <= set(trap)


@pytest.mark.parametrize("variant", [name for name in CHOSEN if nl.book(name).rules.players > 2])
def test_hint_warns_of_moves_that_put_you_out(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        afters = [solution.book.after(position, move) for move in solution.book.moves(position)]
        out = any(after.out >> (position.turn - 1) & 1 and not solution.book.outcome(after) for after in afters)
        at_once = solution.value(position) == "win" and solution.distance(position) == 1
        if out and not at_once:
            assert re.search(r"\bout\b", hint(solution, position).text)


@pytest.mark.parametrize("variant", [*nl.NAMES, *LESSONS, FEW[-1]])
def test_lessons_are_true(variant: str) -> None:
    solution = solved(variant)
    for step in lesson(solution).steps:
        assert false_claims(solution, step.claims) == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *LESSONS, FEW[-1]])
def test_feedback_on_exercises_is_true(variant: str) -> None:
    solution = solved(variant)
    for asked in (step.exercise for step in lesson(solution).steps if step.exercise):
        for option in solution.evaluate_moves(asked.position):
            assert false_claims(solution, tuple(consequences(solution, asked.position, option))) == []
            text = feedback(solution, asked, option.move)
            assert text.startswith("Right! ") == (option.move in asked.right)
            assert re.fullmatch(r"(Right!|Not this one\.|That wins too,) .+\.", text)


@pytest.mark.parametrize("variant", [*nl.NAMES, *FEW])
def test_move_evaluations_match_the_positions_after_them(variant: str) -> None:
    solution = solved(variant)
    for position in live(variant):
        found = solution.evaluate_moves(position)
        assert tuple(option.move for option in found if option.best) == solution.best(position)
        assert [option.move for option in found if option.keeps_value] == kept(solution, position)[1]
        assert {option.move: (option.value, option.plies) for option in found} == {
            move: worth(solution, position, move) for move in solution.book.moves(position)
        }
