"""The secret of a game: one rule that tells every position in which the player to move is lost.

A rule is kept only if the solution says the same of every position that can be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from numberline.explain import claims
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
from numberline.explain.queries import (
    MAX_ANALYSED_POSITIONS,
    all_positions,
    cached_per_solution,
    move_distance,
    moves_of,
    value_preserving,
)
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN

MIN_RACE_ACCURACY = 0.9
"""A race that is right in this share of the positions is still worth saying, with the exceptions counted."""


@cached_per_solution
def find_losing_pattern(solution: Solution) -> LosingPattern | None:
    """The rule that tells the lost positions of a two-player book; None where none was found that is right.

    >>> import numberline as nl
    >>> from numberline.explain.phrases import Phrases
    >>> book = nl.book("reach-the-edge")
    >>> law = find_losing_pattern(nl.solve(book))
    >>> law.full_text(Phrases(book)) if law else None
    'If it is your turn and you may not move by 3, you are lost; everywhere else whoever is to move wins.'
    """
    live = all_positions(solution, MAX_ANALYSED_POSITIONS)
    if not live or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in live}
    lost = {position for position, value in values.items() if value == LOSS}
    scope: dict[str, Any] = {"speaks_of": len(live), "all_else_wins": ENDLESS not in values.values()}
    if not lost:
        won = (position for position, value in values.items() if value == WIN)
        return NoLosingPositions(**scope, only_immediate_wins=all(solution.distance(position) == 1 for position in won))
    nearly = None
    for law in _laws(solution.book, live, lost):
        exceptions = sum(law.is_lost(position) != (position in lost) for position in live)
        if not exceptions:
            return replace(law, **scope)
        if isinstance(law, RaceCount) and exceptions <= (1 - MIN_RACE_ACCURACY) * len(live):
            nearly = replace(law, speaks_of=len(live), exceptions=exceptions)
    return nearly


def _laws(book: Book, live: Sequence[Position], lost: Collection[Position]) -> Iterator[LosingPattern]:
    """The rules that may tell these lost positions, the plainest first."""
    rules = book.rules
    if rules.repeat == "banned":
        yield BannedSteps(strides=tuple(sorted({position.last for position in lost} - {0})))
    if not rules.shared:
        needs = tuple(turns_to_goal_by_position(book, live, player) for player in (1, 2))
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


MIN_RULE_OF_THUMB_SHARE = 2 / 3
"""A habit is worth learning if it is right in at least this share of the positions."""


def explain_pattern(solution: Solution, law: LosingPattern) -> Iterator[Claim]:
    """Why the law holds; an exception instead where it has some."""
    if isinstance(law, NoLosingPositions):
        return
    if isinstance(law, RaceCount) and law.exceptions:
        wrong = (
            at
            for at in all_positions(solution, MAX_ANALYSED_POSITIONS)
            if law.is_lost(at) != (solution.value(at) == LOSS)
        )
        yield claims.RaceException(law, next(wrong))
        return
    found: Claim | None = None
    if isinstance(law, BannedSteps) and len(law.strides) == 1:
        found = _gains(solution, law, law.strides[0])
    elif isinstance(law, RaceCount):
        found = _stays_ahead(solution, law)
    yield found or claims.PatternInvariant(law)


def rule_of_thumb(solution: Solution) -> Iterator[claims.RuleOfThumb]:
    """The habit that is right most often, where it is right often enough."""
    tries = {True: 0, False: 0}
    of = 0
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        legal = solution.evaluate_moves(position)
        kept = moves_of(value_preserving(legal))
        far = {judged.move: move_distance(solution.book, position, judged.move) for judged in legal}
        if value_preserving(legal)[0].value == LOSS or len(kept) == len(legal) or len(set(far.values())) == 1:
            continue
        of += 1
        for longest, pick in ((True, max), (False, min)):
            tries[longest] += all(move in kept for move in far if far[move] == pick(far.values()))
    longest = tries[True] >= tries[False]
    if of and tries[longest] >= MIN_RULE_OF_THUMB_SHARE * of:
        yield claims.RuleOfThumb(longest, tries[longest], of)


def _gains(solution: Solution, law: BannedSteps, stride: int) -> claims.GainsGround | None:
    """What is gained by playing the stride again and again; None where that is not why it works."""
    book = solution.book
    if not book.rules.shared or book.rules.moves == "operations":
        return None
    most = 0
    found: list[int] = []
    for lost in filter(law.is_lost, all_positions(solution, MAX_ANALYSED_POSITIONS)):
        you = 3 - lost.turn
        for move, after in book.successors(lost):
            most = max(most, move_distance(book, lost, move))
            if book.winner(after) == lost.turn:
                return None
            answers = book.successors(after)
            if book.winner(after) or any(book.winner(final) == you for _, final in answers):
                continue
            again = [final for answer, final in answers if final.last == stride and answer.token is not None]
            if not again:
                return None
            found.append(book.distance_to_goal(you, lost.tokens[0]) - book.distance_to_goal(you, again[0].tokens[0]))
    gain = min(found, default=0)
    return claims.GainsGround(stride, most, gain) if gain > 0 and most > 0 else None


def _stays_ahead(solution: Solution, law: RaceCount) -> claims.StaysAhead | None:
    """Why counting works; None where it works for another reason."""
    if not law.all_else_wins or law.ignores_bans:
        return None
    blocks = False
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        me, other = position.turn, 3 - position.turn
        mine, theirs, behind = law.count(position, me), law.count(position, other), law.is_lost(position)
        nearer = False
        for judged in solution.evaluate_moves(position):
            if judged.worth.ends_game:
                nearer = nearer or judged.value == WIN
                continue
            longer = law.count(judged.after, other) > theirs
            smaller = law.count(judged.after, me) < mine
            if (behind and longer) or (smaller and not behind and not law.is_lost(judged.after)):
                return None
            blocks, nearer = blocks or longer, nearer or smaller
        if not behind and not nearer:
            return None
    return claims.StaysAhead(law, blocks)
