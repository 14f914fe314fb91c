"""Every mixture of rules was read twice: the project and the plain reading of the rulings must play the same game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import numberline as nl
from mixtures import book_of, mixtures
from readings import mixtures as reading

SOLVED = 600
"""Variants with more positions than this are compared without being solved."""

pairs = dict[nl.Position, reading.State]


def both_walked(book: nl.Book) -> pairs:
    """Every position that can be reached, whoever starts, and what the reading makes of it, when all moves agree."""
    rules = book.rules
    waiting = [(book.start(first), reading.start(rules, first)) for first in range(1, rules.players + 1)]
    seen: pairs = {}
    while waiting:
        position, state = waiting.pop()
        if position in seen:
            assert winner_of(book, position) or seen[position] == state, f"{position} is {seen[position]} and {state}"
            continue
        seen[position] = state
        moves = book.moves(position)
        assert winner_of(book, position) == reading.winner(rules, state), f"who has won at {position}: {winner_of(book, position)} and {reading.winner(rules, state)}"
        assert sorted(moves) == sorted(reading.moves(rules, state)), f"the moves at {position}: {moves} and {reading.moves(rules, state)}"
        for move in moves:
            follower, following = book.after(position, move), reading.after(rules, state, move)
            assert seen_by(rules, follower) == told_by(rules, following), f"{move} at {position} leads to {follower}"
            waiting.append((follower, following))
    return seen


def winner_of(book: nl.Book, position: nl.Position) -> int:
    outcome = book.outcome(position)
    return 0 if outcome is None else outcome.winner


def seen_by(rules: Any, position: nl.Position) -> tuple[object, ...]:
    out = {player for player in range(1, rules.players + 1) if position.out >> player - 1 & 1}
    each = [position.tokens[n * rules.tokens : (n + 1) * rules.tokens] for n in range(1 if rules.shared else rules.players)]
    return position.turn, out, [tokens for n, tokens in enumerate(each, 1) if rules.shared or n not in out]


def told_by(rules: Any, state: reading.State) -> tuple[object, ...]:
    return state.turn, set(state.out), [tokens for n, tokens in enumerate(state.tokens, 1) if rules.shared or n not in state.out]


def assert_same_solution(book: nl.Book, walked: pairs) -> None:
    ours = nl.solve(book)
    graph = {state: follow for first in range(1, book.rules.players + 1) for state, follow in reading.every_state(book.rules, first).items()}
    theirs = reading.Solution(book.rules, graph)
    for position, state in walked.items():
        if not book.moves(position):
            continue
        found = ours.value(position), ours.distance(position), set(ours.best(position))
        read = theirs.value(state), theirs.forced(state)[1], theirs.best(state)
        assert found == read, f"the worth of {position}: {found} and {read}"


def compare(text: str) -> None:
    book = book_of(text)
    walked = both_walked(book)
    if len(walked) <= SOLVED:
        assert_same_solution(book, walked)


@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(mixtures())
def test_the_project_and_the_reading_play_and_solve_the_same_game(text: str) -> None:
    compare(text)


@pytest.mark.soak
@settings(max_examples=1_000, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(mixtures())
def test_the_project_and_the_reading_agree_on_a_thousand_more(text: str) -> None:
    compare(text)
