"""Search for one rule that describes every losing position of a game, and for the reason why it holds.

A rule or a reason is used only if the solution confirms it for every reachable position.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from numberline.explain import claims, queries
from numberline.explain.claims import Claim
from numberline.explain.losing_patterns import (
    MAX_LISTED_NUMBERS,
    BannedSteps,
    LosingNumbers,
    LosingNumbersBySide,
    LosingPattern,
    NoLosingPositions,
    RaceCount,
    turns_to_goal_by_position,
)
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN

MIN_RACE_ACCURACY = 0.9
"""A race count that is right in this share of the positions is reported with the number of its exceptions."""
MIN_RULE_OF_THUMB_SHARE = 2 / 3


@queries.cached_per_solution
def find_losing_pattern(solution: Solution) -> LosingPattern | None:
    """Return the rule that describes the losing positions of a two-player book, or None if no rule does.

    >>> import numberline as nl
    >>> from numberline.explain.phrases import Phrases
    >>> book = nl.book("reach-the-edge")
    >>> pattern = find_losing_pattern(nl.solve(book))
    >>> pattern.full_text(Phrases(book)) if pattern else None
    "If it's your turn and you can't move by 3, you lose. In every other position, you can win."
    """
    positions = queries.all_positions(solution, queries.MAX_ANALYSED_POSITIONS)
    if not positions or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in positions}
    lost = {position for position, value in values.items() if value == LOSS}
    scope: dict[str, Any] = {"speaks_of": len(positions), "all_else_wins": ENDLESS not in values.values()}
    if not lost:
        won = (position for position, value in values.items() if value == WIN)
        return NoLosingPositions(**scope, only_immediate_wins=all(solution.distance(position) == 1 for position in won))
    approximate = None
    for pattern in _candidates(solution.book, positions, lost):
        exceptions = sum(pattern.is_lost(position) != (position in lost) for position in positions)
        if not exceptions:
            return replace(pattern, **scope)
        if isinstance(pattern, RaceCount) and exceptions <= (1 - MIN_RACE_ACCURACY) * len(positions):
            approximate = replace(pattern, speaks_of=len(positions), exceptions=exceptions)
    return approximate


def _candidates(book: Book, positions: Sequence[Position], lost: Collection[Position]) -> Iterator[LosingPattern]:
    """Yield rules that could describe these losing positions, the simplest first."""
    rules = book.rules
    if rules.repeat == "banned":
        yield BannedSteps(strides=tuple(sorted({position.last for position in lost} - {0})))
    if not rules.shared:
        needs = tuple(turns_to_goal_by_position(book, positions, player) for player in (1, 2))
        yield RaceCount(turns_needed=needs, ignores_bans=rules.repeat == "banned")
        return
    numbers = tuple(sorted({position.tokens[0] for position in lost}))
    nearest = numbers[-MAX_LISTED_NUMBERS:] if rules.goals[0][-1] > rules.starts[0] else numbers[:MAX_LISTED_NUMBERS]
    yield LosingNumbers(numbers=numbers, nearest=nearest)
    for by_ban in (False, True):
        places: dict[tuple[int, int], set[int]] = {}
        for position in lost:
            places.setdefault((position.turn, position.last if by_ban else 0), set()).add(position.tokens[0])
        yield LosingNumbersBySide(
            numbers={key: tuple(sorted(found)) for key, found in sorted(places.items())}, by_ban=by_ban
        )


# Reasons


def explain_pattern(solution: Solution, pattern: LosingPattern) -> Iterator[Claim]:
    """Yield why the pattern holds, or an exception to it if it has any."""
    if isinstance(pattern, NoLosingPositions):
        return
    if isinstance(pattern, RaceCount) and pattern.exceptions:
        exceptions = (
            position
            for position in queries.all_positions(solution, queries.MAX_ANALYSED_POSITIONS)
            if pattern.is_lost(position) != (solution.value(position) == LOSS)
        )
        yield Claim(claims.race_exception, pattern, next(exceptions))
        return
    reason: Claim | None = None
    if isinstance(pattern, BannedSteps) and len(pattern.strides) == 1:
        reason = _gains_ground(solution, pattern, pattern.strides[0])
    elif isinstance(pattern, RaceCount):
        reason = _stays_ahead(solution, pattern)
    yield reason or Claim(claims.pattern_invariant, pattern)


def rule_of_thumb(solution: Solution) -> Iterator[Claim]:
    """Yield the habit that is right most often, if it is right often enough."""
    right = {True: 0, False: 0}
    total = 0
    for position in queries.all_positions(solution, queries.MAX_ANALYSED_POSITIONS):
        legal = solution.evaluate_moves(position)
        correct = queries.moves_of(queries.value_preserving(legal))
        lengths = {option.move: queries.move_distance(solution.book, position, option.move) for option in legal}
        if (
            queries.value_preserving(legal)[0].value == LOSS
            or len(correct) == len(legal)
            or len(set(lengths.values())) == 1
        ):
            continue
        total += 1
        for longest, pick in ((True, max), (False, min)):
            right[longest] += all(move in correct for move in lengths if lengths[move] == pick(lengths.values()))
    longest = right[True] >= right[False]
    if total and right[longest] >= MIN_RULE_OF_THUMB_SHARE * total:
        yield Claim(claims.rule_of_thumb, right[longest], total, longest=longest)


def _gains_ground(solution: Solution, pattern: BannedSteps, stride: int) -> Claim | None:
    book = solution.book
    if not book.rules.shared or book.rules.moves == "operations":
        return None
    most = 0
    gains: list[int] = []
    for lost in filter(pattern.is_lost, queries.all_positions(solution, queries.MAX_ANALYSED_POSITIONS)):
        you = 3 - lost.turn
        for move, after in book.successors(lost):
            most = max(most, queries.move_distance(book, lost, move))
            if book.winner(after) == lost.turn:
                return None
            replies = book.successors(after)
            if book.winner(after) or any(book.winner(final) == you for _, final in replies):
                continue
            again = [final for reply, final in replies if final.last == stride and reply.token is not None]
            if not again:
                return None
            gains.append(book.distance_to_goal(you, lost.tokens[0]) - book.distance_to_goal(you, again[0].tokens[0]))
    gain = min(gains, default=0)
    return Claim(claims.gains_ground, stride, most, gain) if gain > 0 and most > 0 else None


def _stays_ahead(solution: Solution, pattern: RaceCount) -> Claim | None:
    if not pattern.all_else_wins or pattern.ignores_bans:
        return None
    blocks = False
    for position in queries.all_positions(solution, queries.MAX_ANALYSED_POSITIONS):
        player, other = position.turn, 3 - position.turn
        mine, theirs, behind = (
            pattern.count(position, player),
            pattern.count(position, other),
            pattern.is_lost(position),
        )
        nearer = False
        for option in solution.evaluate_moves(position):
            if option.worth.ends_game:
                nearer = nearer or option.value == WIN
                continue
            longer = pattern.count(option.after, other) > theirs
            smaller = pattern.count(option.after, player) < mine
            if (behind and longer) or (smaller and not behind and not pattern.is_lost(option.after)):
                return None
            blocks, nearer = blocks or longer, nearer or smaller
        if not behind and not nearer:
            return None
    return Claim(claims.stays_ahead, pattern, blocks=blocks)
