"""Books as OpenSpiel games."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import numberline as nl
from numberline.envs.observation import ObservationEncoder
from numberline.envs.transition_table import longest_game_plies
from numberline.game.notation import parse_position
from numberline.solver.cache import cached_solution
from support.non_integers import ENDLESS, NO_NUMBERS, refused
from support.variants import EVERY

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is a separate extra")

from numberline.envs import openspiel  # noqa: E402 - it can be imported only where OpenSpiel is

LARGE = (
    "line-runner(tokens=2, end=5)",
    "line-runner(tokens=2, end=4, finish=one, repeat=banned)",
    "line-runner(repeat=banned)",
    "line-runner(meeting=blocks)",
    "number-line-sprint(tokens=2, end=5)",
)
"""OpenSpiel's solver takes longer for these than for all others."""
TWO = [
    pytest.param(variant, marks=[pytest.mark.soak] if variant in LARGE else [])
    for variant in EVERY
    if nl.book(variant).rules.players == 2
]


def short_name(name: str) -> str:
    return f"python_{name.replace('-', '_')}"


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_book_has_a_short_name(name: str) -> None:
    game = pyspiel.load_game(short_name(name))
    assert game.book == nl.book(name)
    assert game.get_type().long_name == nl.book(name).title


@pytest.mark.parametrize("name", nl.NAMES)
def test_openspiel_simulations_pass(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(short_name(name)), num_sims=4, serialize=True, verbose=False)


@pytest.mark.parametrize("variant", EVERY)
def test_openspiel_simulations_pass_for_any_variant(variant: str) -> None:
    game = pyspiel.load_game(openspiel.ANY_BOOK, {"book": variant, "max_plies": 60})
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("variant", EVERY)
def test_games_agree_with_the_engine(variant: str) -> None:
    book, rng = nl.book(variant), np.random.default_rng(5)
    game = pyspiel.load_game(openspiel.ANY_BOOK, {"book": variant, "max_plies": 60})
    observer = ObservationEncoder(book)
    for _ in range(3):
        state, position = game.new_initial_state(), book.start()
        while not state.is_terminal():
            player = state.current_player()
            legal = [state.action_to_string(player, action) for action in state.legal_actions()]
            assert player == position.turn - 1
            assert legal == list(book.moves(position))
            assert parse_position(str(state)) == position
            assert state.observation_tensor(player) == observer.row(position, position.turn).tolist()
            move = str(rng.choice(legal))
            state.apply_action(state.string_to_action(player, move))
            position = book.after(position, move)
        outcome, players = book.outcome(position), book.rules.players
        lost = -1 / (players - 1)
        won = outcome.winner if outcome else 0
        assert state.returns() == [(1 if n == won else lost) if won else 0 for n in range(1, players + 1)]
        assert outcome or state.move_number() == 60


def value_iteration(game: Any) -> dict[str, float]:
    """Return the value of every state for the first player, found through OpenSpiel's interface only."""
    values: dict[str, float] = {}
    successors: dict[str, tuple[Any, list[str]]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if str(state) not in values:
            values[str(state)] = state.returns()[0] if state.is_terminal() else 0.0
            children = [state.child(action) for action in state.legal_actions()]
            if children:
                successors[str(state)] = (max, min)[state.current_player()], list(map(str, children))
            waiting += children
    changed = True
    while changed:
        changed = False
        for name, (best, reached) in successors.items():
            value = best(values[other] for other in reached)
            changed |= value != values[name]
            values[name] = value
    return values


@pytest.mark.parametrize("variant", TWO)
def test_values_agree_with_value_iteration(variant: str) -> None:
    book = nl.book(variant)
    game = pyspiel.load_game(openspiel.ANY_BOOK, {"book": variant, "max_plies": 100_000})
    found = value_iteration(game)
    solution = cached_solution(book)
    assert {text: solution.worth(parse_position(text), 1).points for text in found} == found


def test_variant_survives_openspiel_game_name() -> None:
    game = pyspiel.load_game(openspiel.ANY_BOOK, {"book": "line-runner(steps=1,3, end=30)"})
    again = pyspiel.load_game(str(game))
    assert again.book == game.book == nl.book("line-runner(steps=1,3, end=30)")
    assert pyspiel.load_game("python_numberline(book=number-reach)").book == nl.book("number-reach")


def test_state_can_be_cloned_and_serialized() -> None:
    game = pyspiel.load_game("python_line_runner")
    state = game.new_initial_state()
    state.apply_action(2)
    copied = state.clone()
    copied.apply_action(1)
    assert (str(state), str(copied)) == ("2 3,0", "1 3,2")
    assert str(game.deserialize_state(copied.serialize())) == "1 3,2"
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, copied))
    assert again.history() == copied.history() == [2, 1]


@pytest.mark.parametrize(
    ("variant", "longest"),
    [("flag-chase", 9), ("number-line-sprint", 1000), ("line-runner(end=9)", 17)],
)
def test_max_game_length_is_exact_for_finite_games(variant: str, longest: int) -> None:
    assert pyspiel.load_game(openspiel.ANY_BOOK, {"book": variant}).max_game_length() == longest


@pytest.mark.parametrize("variant", [text for text in EVERY if not nl.book(text).rules.players > 2])
def test_longest_game_plies_is_exact(variant: str) -> None:
    book = nl.book(variant)
    longest: dict[nl.Position, float] = {}

    def plies(position: nl.Position) -> float:
        if position not in longest:
            longest[position] = math.inf  # met again before it is known: the game goes round
            longest[position] = max((plies(after) + 1 for _, after in book.successors(position)), default=0)
        return longest[position]

    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        expected = plies(book.start())
    finally:
        sys.setrecursionlimit(usual)
    assert longest_game_plies(book) == (None if expected == math.inf else expected)


def test_game_and_state_can_be_pickled_and_copied() -> None:
    game = pyspiel.load_game(openspiel.ANY_BOOK, {"book": "line-runner(steps=1,3)", "max_plies": 50})
    state = game.new_initial_state()
    state.apply_action(1)
    again = pickle.loads(pickle.dumps(game))  # noqa: S301 - our own
    assert (again.book, again.max_plies) == (game.book, 50)
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):  # noqa: S301 - our own
        assert (str(twin), twin.history(), str(twin.get_game())) == (str(state), [1], str(game))
    assert copy.deepcopy(game) is game


def test_game_unpickles_in_a_fresh_process() -> None:
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer).book.variant)"
    sent = pickle.dumps(pyspiel.load_game("python_flag_chase"))
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert done.stdout.split() == [b"flag-chase"]


def test_state_has_an_observation_string() -> None:
    state = pyspiel.load_game("python_flag_chase").new_initial_state()
    assert state.observation_string(0) == "0(P1) 1 2 3 4 5 6 7 8 9 10(P2)\nIt is Player 1's turn."


def test_illegal_action_is_rejected_with_reason() -> None:
    state = pyspiel.load_game("python_flag_chase").new_initial_state()
    with pytest.raises(nl.IllegalMove, match="pass is not allowed here"):
        state._apply_action(3)


def test_unknown_book_is_rejected() -> None:
    with pytest.raises(nl.BookError, match="no-such-book"):
        pyspiel.load_game(openspiel.ANY_BOOK, {"book": "no-such-book"})


@pytest.mark.parametrize("action", [*NO_NUMBERS, None, -1, 99, ENDLESS], ids=range(len(NO_NUMBERS) + 4))
def test_invalid_action_is_rejected_and_changes_nothing(action: object) -> None:
    state = pyspiel.load_game("python_flag_chase").new_initial_state()
    for verb in (state.apply_action, state.apply_action_with_legality_check, state.child):
        refused(verb, action)
    assert (str(state), state.history(), state.legal_actions()) == ("1 0,10", [], [0, 1, 2])
    refused(state.action_to_string, action)
    refused(state.action_to_string, 0, action)


@pytest.mark.parametrize("action", [2, np.int8(2), np.uint64(2), np.array(2)])
def test_actions_accept_all_integer_types(action: object) -> None:
    state = pyspiel.load_game("python_flag_chase").new_initial_state()
    state.apply_action(action)
    assert str(state) == "2 3,10"


@pytest.mark.parametrize(
    ("game", "actions", "said"),
    [
        ("python_flag_chase", [2, 2, 1], "the game is over"),
        ("python_flag_chase(max_plies=3)", [2, 2, 1], "the game is over"),
        ("python_flag_chase(max_plies=2)", [0, 0], "no action is possible: the game was truncated at ply 2"),
    ],
)
def test_action_after_the_end_is_rejected(game: str, actions: list[int], said: str) -> None:
    state = openspiel.load_state(openspiel.load_game(game), actions)
    before = str(state)
    assert refused(state.apply_action, 0) == refused(state.child, 0) == said
    assert str(state) == before


@pytest.mark.parametrize("history", [5, None, "12", ["1"], [9], [2, 2, 1, 0], [1.0]])
def test_invalid_history_is_rejected(history: Any) -> None:
    refused(openspiel.load_state, openspiel.load_game("python_flag_chase"), history)


@pytest.mark.parametrize("plies", [0, -1, 1_000_001])
def test_invalid_max_plies_is_rejected(plies: int) -> None:
    for game in ("python_flag_chase", openspiel.ANY_BOOK):
        assert refused(pyspiel.load_game, f"{game}(max_plies={plies})").startswith(f"max_plies={plies}: expected")
