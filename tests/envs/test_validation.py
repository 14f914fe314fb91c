"""Every environment rejects invalid games, actions and options with a message, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numberline.envs import BookEnv, TextEnv, TextPlayer, VectorEnv
from numberline.envs.pettingzoo import BookAEC
from numberline.errors import MissingExtra
from support.hostile_input import NASTY
from support.non_integers import ENDLESS, NO_NUMBERS, refused

NO_COUNTS = (*NO_NUMBERS, None, 0, -1, -ENDLESS)
NO_NAMES = (None, 5, b"random", ["random"], "", NASTY, np.array(["a", "b"]))
NO_PLAYERS = (*NO_COUNTS, 3, ENDLESS)
NO_SEEDS = (*NO_NUMBERS, -1, -ENDLESS)
NO_OPTIONS = (5, "x", NASTY, [("reset_mask", 1)], True, np.ones(2))
ODD: dict[str, tuple[Any, ...]] = {
    "book": (*NO_NAMES, "no-such.toml", "/", Path("/no/such/book.toml"), Path("/"), "flag-chase(end=x)"),
    "seat": NO_PLAYERS,
    "first": (*NO_PLAYERS, "alternate"),
    "max_plies": (*NO_COUNTS, 10**400, ENDLESS),
    "max_turns": (*NO_COUNTS, 10**400, ENDLESS),
    "tries": NO_COUNTS,
    "num_envs": (*NO_COUNTS, 10**15, 10**400, ENDLESS),
    "opponent": (*NO_NAMES, ENDLESS, "exec:", 'exec:"x', "level:99"),
    "illegal": NO_NAMES,
    "render_mode": (*NO_NAMES[1:], "human"),
    "autoreset_mode": NO_NAMES,
    "ask": (None, 5, "x", NASTY),
}
"""Invalid values for each option of an environment."""


@dataclass(frozen=True)
class Kind:
    """An environment and how to step it; action 0 is legal, and a game of Line Runner lasts several steps."""

    env: Any
    usual: dict[str, Any]
    """Valid options of the environment."""
    step: Callable[[Any], Any]
    """Take a legal action and return everything that can be observed."""
    begin: Callable[..., Any] = lambda env, **how: env.reset(**how)
    no_actions: tuple[Any, ...] = (*NO_NUMBERS, None, -1, 9, ENDLESS, -ENDLESS)
    """Empty if any answer is a valid action."""
    no_begins: tuple[dict[str, Any], ...] = tuple({"seed": odd} for odd in NO_SEEDS)

    def made(self, **odd: Any) -> Any:
        return self.env(**self.usual | {"book": "line-runner"} | odd)


def stepped(table: BookAEC) -> Any:
    table.step(0)
    return table.last(), table.rewards


NO_MASKS = ("x", 5, [True], [1, 0], [[True], [True, False]], [False, False], np.ones((2, 2), bool))
NO_LISTS = ([1], [1, "x"], [1, -1], [1, 1.5], [[1], [2, 3]], np.array([0.5, 1]))
WITH_OPTIONS = (*Kind.no_begins, *({"options": odd} for odd in NO_OPTIONS))
KINDS = {
    "BookEnv": Kind(
        BookEnv,
        {"illegal": "raise", "opponent": "greedy"},
        lambda env: (env.step(0), env.action_masks(), env.position),
        no_begins=WITH_OPTIONS,
    ),
    "BookAEC": Kind(BookAEC, {"illegal": "raise"}, stepped, no_begins=WITH_OPTIONS),
    "VectorEnv": Kind(
        VectorEnv,
        {"illegal": "raise", "num_envs": 2},
        lambda envs: (envs.step(np.zeros(2, int)), envs.sample()),
        no_actions=(*Kind.no_actions, 0, [0], [0, 9], [0, -1], [0, 1.5], [[0], [0, 0]], [0, None], [0, ENDLESS]),
        no_begins=(
            *WITH_OPTIONS,
            *({"seed": odd} for odd in NO_LISTS),
            *({"options": {"reset_mask": mask}} for mask in NO_MASKS),
        ),
    ),
    "TextEnv": Kind(TextEnv, {"opponent": "greedy"}, lambda env: env.step("[1]"), no_actions=()),
}
with suppress(MissingExtra):
    KINDS["TextArenaEnv"] = Kind(
        import_module("numberline.envs.textarena").TextArenaEnv,
        {},
        lambda env: (env.step("[1]"), env.get_board_str(), env.get_observation()),
        lambda env, num_players=2, **how: env.reset(num_players, **how),
        no_actions=(),
        no_begins=(*Kind.no_begins, *({"num_players": odd} for odd in (*NO_COUNTS, 3, ENDLESS))),
    )
PLAYER = Kind(TextPlayer, {"ask": str}, str)


@pytest.mark.parametrize("kind", [*KINDS.values(), PLAYER], ids=[*KINDS, "TextPlayer"])
def test_invalid_options_are_rejected(kind: Kind) -> None:
    for option in signature(kind.env).parameters.keys() & ODD.keys():
        for odd in ODD[option]:
            refused(kind.made, **{option: odd})


@pytest.mark.parametrize("width", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array])
def test_options_and_actions_accept_all_integer_types(width: Any) -> None:
    one = width(1)
    env = BookEnv("flag-chase", seat=one, first=one, max_plies=one, opponent="greedy")
    env.reset(seed=one)
    assert env.step(one)[0]["observation"].tolist() == [1, 2, 7]
    envs = VectorEnv(one, "flag-chase", seat=one, first=one, max_plies=one, opponent="greedy")
    envs.reset(seed=one)
    assert envs.step(np.array([one]))[0]["observation"].tolist() == [[1, 2, 7]]
    table = BookAEC("flag-chase", first=one, max_plies=one)
    table.reset(seed=one)
    table.step(one)
    assert table.observe("player_1")["observation"].tolist() == [1, 2, 10]
    text = TextEnv("flag-chase", seat=one, first=one, tries=one, max_plies=one)
    assert text.reset(seed=one) == TextEnv("flag-chase").reset(seed=1)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_calls_before_first_reset_raise_and_change_nothing(kind: Kind) -> None:
    env, twin = kind.made(), kind.made()
    verbs = ("action_masks", "last", "sample", "get_board_str", "get_observation", "render")
    asked = [getattr(env, verb) for verb in verbs if hasattr(env, verb) and not isinstance(env, VectorEnv)]
    for attempt in (lambda: kind.step(env), *asked):
        assert refused(attempt) == "no game has started: call reset first"
    assert repr((kind.begin(env, seed=1), kind.step(env))) == repr((kind.begin(twin, seed=1), kind.step(twin)))


def test_vector_rejects_sample_and_mask_before_first_reset() -> None:
    envs = VectorEnv(2, "flag-chase")
    refused(envs.sample)
    refused(envs.reset, options={"reset_mask": np.array([True, False])})
    assert refused(envs.step, np.zeros(2, int)) == "no game has started: call reset first"


@settings(max_examples=150)
@given(st.data())
def test_rejected_calls_do_not_change_the_game(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(KINDS.values())))
    env, twin = kind.made(), kind.made()
    assert repr(kind.begin(env, seed=3)) == repr(kind.begin(twin, seed=3))
    for _ in range(3):
        for how in data.draw(st.lists(st.sampled_from(kind.no_begins), max_size=3)):
            refused(kind.begin, env, **how)
        if kind.no_actions:
            for action in data.draw(st.lists(st.sampled_from(kind.no_actions), max_size=3)):
                refused(env.step, action)
        assert repr(kind.step(env)) == repr(kind.step(twin))


def test_agent_that_has_left_cannot_act() -> None:
    table = BookAEC("flag-chase")
    table.reset()
    table.step(3)
    assert refused(table.step, 0).endswith("expected the action None for player_1")
    table.step(None)
    table.step(None)
    assert refused(table.step, None).startswith("the game is over and no agents are left")


@pytest.mark.parametrize("agent", ["player_3", "", NASTY, None, 1, ["player_1"]])
def test_unknown_agent_is_rejected(agent: Any) -> None:
    table = BookAEC("flag-chase")
    table.reset()
    for verb in (table.observe, table.observation_space, table.action_space):
        assert refused(verb, agent).endswith("; expected one of player_1, player_2")


def test_responder_must_be_callable() -> None:
    env = TextEnv("flag-chase", opponent="greedy")
    env.reset(seed=1)
    env.step("[1]")
    before = env.match.plies
    refused(env.play, 5)
    assert env.match.plies == before
