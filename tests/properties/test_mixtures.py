"""Every mixture of rules was read twice: the project and the plain reading must play and solve the same game."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import numberline as nl
from numberline.solver.worth import Worth
from support.mixtures import book_of, mixtures
from support.reference_rules import mixtures as reading
from support.reference_rules.brute_force_solver import Forcing, every_state

SOLVED = 600
"""Variants with more positions than this are played, but not solved."""

Walked = dict[nl.Position, reading.State]

drawn = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def shared_marker(**rules: object) -> str:
    """A custom book in which all players move one marker."""
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in rules.items()]
    return "\n".join(['title = "One marker"', "[rules]", 'tokens = "shared"', *lines, ""])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            shared_marker(line=[0, 3], start=1, goal=[0, 2], moves="both ways", steps="1-2"), id="M3 carried past"
        ),
        pytest.param(
            shared_marker(line=[0, 3], start=0, goal=[1, 3], moves="forward", steps="2,3"), id="M3 hurried past"
        ),
        pytest.param(
            shared_marker(
                line=[2, 5], start=2, goal=[5, 3, 4], players=3, moves="operations", operations="*2", overshoot="loses"
            ),
            id="M3 doubled past",
        ),
        pytest.param(
            shared_marker(
                line=[0, 6], start=0, goal=[6, 2, 6], players=3, moves="forward", steps="1,3", overshoot="loses"
            ),
            id="M4 out of the game",
        ),
        pytest.param(
            shared_marker(line=[1, 20], start=20, goal=1, moves="operations", operations="-1 /2"), id="N2 counting down"
        ),
        pytest.param(
            shared_marker(
                line=[1, 9], start=4, goal=[1, 9], moves="operations", operations="-2 +1 *2", overshoot="counts"
            ),
            id="N2 up and down",
        ),
        pytest.param("line-runner(end=5, reverse=true)", id="L3"),
        pytest.param("line-runner(tokens=2, end=3, reverse=true, repeat=banned)", id="M1"),
        pytest.param("reach-the-edge(end=5, reverse=true)", id="M3"),
        pytest.param("line-runner(end=4, players=3, stuck=loses, overshoot=refused, steps=2,3)", id="M4"),
        pytest.param("flag-chase(end=5, tokens=2, overshoot=counts, meeting=blocks)", id="M7 blocks"),
        pytest.param("flag-chase(end=5, tokens=2, overshoot=counts, meeting=stops)", id="M7 stops"),
        pytest.param("number-reach(target=5, players=3)", id="M8"),
    ],
)
def test_mixture_with_a_ruling_follows_the_reference_rules(text: str) -> None:
    assert_same_game(text)


@settings(drawn, max_examples=100)
@given(mixtures())
def test_any_mixture_is_played_and_solved_as_it_is_read(text: str) -> None:
    assert_same_game(text)


@pytest.mark.soak
@settings(drawn, max_examples=1_000)
@given(mixtures())
def test_a_thousand_mixtures_follow_the_reference_rules(text: str) -> None:
    assert_same_game(text)


@pytest.mark.parametrize(
    ("name", "positions", "winner", "plies"),
    [
        ("reach-the-edge", 71, 1, 11),
        ("number-reach", 35, 2, 14),
        ("number-line-sprint", 141, 1, 5),
        ("flag-chase", 29, 1, 3),
        ("line-runner", 517, 1, 13),
    ],
)
def test_the_reading_finds_what_is_known_of_the_five_books(name: str, positions: int, winner: int, plies: int) -> None:
    rules = nl.book(name).rules
    live = [state for state, following in every_state(rules, [1]).items() if following]
    assert (len(live), *Forcing(rules).forced(reading.start(rules, 1))) == (positions, winner, plies)


def assert_same_game(text: str) -> None:
    book = book_of(text)
    walked = walked_together(book)
    if len(walked) <= SOLVED:
        assert_same_solution(book, walked)


def walked_together(book: nl.Book) -> Walked:
    """Yield every reachable position with its state in the reference rules, after comparing them."""
    rules = book.rules
    waiting = [(book.start(first), reading.start(rules, first)) for first in range(1, rules.players + 1)]
    walked: Walked = {}
    while waiting:
        position, state = waiting.pop()
        if position in walked:
            assert state.won or walked[position] == state, f"{position} is two states, {walked[position]} and {state}"
            continue
        walked[position] = state
        outcome = book.outcome(position)
        won = reading.winner(rules, state)
        assert (outcome.winner if outcome else 0) == won, f"{position} is won by {outcome}; as it is read, by {won}"
        moves, read = book.moves(position), reading.moves(rules, state)
        assert sorted(moves) == sorted(read), f"{position} has the moves {moves}; as it is read, {read}"
        for move in read:
            after, then = book.after(position, move), reading.after(rules, state, move)
            assert on_the_line(book, after) == then[:2], f"{move} at {position} leads to {after}; as it is read, {then}"
            waiting.append((after, then))
    return walked


def on_the_line(book: nl.Book, position: nl.Position) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """Return the player to move and all tokens as the reference rules write them; players who are out have none."""
    if book.rules.shared:
        return position.turn, (position.tokens,)
    players = range(1, book.rules.players + 1)
    out = [player for player in players if position.out >> (player - 1) & 1]
    return position.turn, tuple(() if player in out else book.tokens_of(position, player) for player in players)


def assert_same_solution(book: nl.Book, walked: Walked) -> None:
    solution = nl.solve(book)
    forcing = Forcing(book.rules)
    live = {position: state for position, state in walked.items() if forcing.graph[state]}
    assert set(solution.live) == set(live)
    for position, state in live.items():
        found = solution.value(position), solution.distance(position), set(solution.best(position))
        read = forcing.value(state, state.turn), forcing.forced(state)[1], forcing.best(state)
        assert found == read, f"{position} is worth {found}; as it is read, {read}"
        for player in range(1, book.rules.players + 1):
            assert_same_worth(solution.worth(position, player), forcing, state, player, 0)
        for judged in solution.evaluate_moves(position):
            assert_same_worth(judged.worth, forcing, forcing.graph[state][judged.move], state.turn, 1)


def assert_same_worth(worth: Worth, forcing: Forcing, state: reading.State, player: int, later: int) -> None:
    """Check that both values name the same winner after the same number of plies, counted `later` plies later."""
    winner, plies = forcing.forced(state)
    read = forcing.value(state, player), winner, None if plies is None else plies + later
    assert (worth.value, worth.winner, worth.plies) == read, (
        f"{state} is worth {worth} to {player}; as it is read, {read}"
    )
