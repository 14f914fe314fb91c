"""The OpenSpiel adapter plays every book as the engine does; the real OpenSpiel is tested by `make soak`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import numberline as nl

PLAYOUT = """
import random, sys
from support import fake_pyspiel
pyspiel = fake_pyspiel.install()
import numberline as nl
from numberline.envs import openspiel
from numberline.errors import IllegalMove
name = sys.argv[1]
book, rng = nl.book(name), random.Random(3)
own, any_book = "python_" + name.replace("-", "_"), "python_numberline"
for game in (pyspiel.load_game(own), pyspiel.load_game(any_book, {"book": name})):
    assert game.info.num_players == 2 and game.get_type().utility == "zero sum"
    for _ in range(20):
        state, position = game.new_initial_state(), book.start()
        while not state.is_terminal():
            assert state.current_player() == position.turn - 1
            moves = [state.action_to_string(action) for action in state.legal_actions()]
            assert moves == list(book.moves(position))
            action = rng.choice(state.legal_actions())
            position = book.after(position, state.action_to_string(action))
            state = state.child(action)
        winner = book.outcome(position).winner
        assert state.current_player() == -4
        assert state.returns() == [1.0 if player == winner else -1.0 for player in (1, 2)]
        try:
            state.apply_action(0)
        except IllegalMove:
            pass
        else:
            raise AssertionError("a finished game accepts an action")
print("ok")
"""


@pytest.mark.parametrize("name", nl.NAMES)
def test_adapter_agrees_with_the_engine(name: str) -> None:
    pytest.importorskip("numpy")
    done = subprocess.run(
        [sys.executable, "-c", PLAYOUT, name], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == ("ok\n", "")
