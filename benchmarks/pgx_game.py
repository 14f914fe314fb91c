"""Flag Chase hand-written for Pgx, and its speed on the CPU with given and with sampled actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pgx.core
from pgx._src.struct import dataclass
from pgx.experimental import auto_reset

FLAG, STEPS = 5, jnp.array([1, 2, 3])


@dataclass
class State(pgx.core.State):  # type: ignore[misc]  # pgx has no types
    """The distances of both players to the flag."""

    current_player: Any = jnp.int32(0)
    observation: Any = jnp.zeros(2, jnp.int32)
    rewards: Any = jnp.zeros(2, jnp.float32)
    terminated: Any = jnp.zeros((), jnp.bool_)
    truncated: Any = jnp.zeros((), jnp.bool_)
    legal_action_mask: Any = jnp.ones(3, jnp.bool_)
    _step_count: Any = jnp.int32(0)
    left: Any = jnp.full(2, FLAG)

    @property
    def env_id(self) -> str:
        return "flag_chase"


class FlagChase(pgx.core.Env):  # type: ignore[misc]  # pgx has no types
    """Flag Chase with the default rules of the book."""

    def _init(self, _key: Any) -> State:
        return State()

    def _step(self, state: Any, action: Any, _key: Any) -> Any:
        mover = state.current_player
        left = state.left.at[mover].add(-STEPS[action])
        won = left[mover] == 0
        rewards = jnp.where(won, jnp.where(jnp.arange(2) == mover, 1.0, -1.0), 0.0).astype(jnp.float32)
        return state.replace(
            current_player=1 - mover,
            left=left,
            rewards=rewards,
            terminated=won,
            legal_action_mask=left[1 - mover] >= STEPS,
        )

    def _observe(self, state: Any, _player: Any) -> Any:
        return state.left

    @property
    def id(self) -> str:
        return "flag_chase"

    @property
    def version(self) -> str:
        return "v0"

    @property
    def num_players(self) -> int:
        return 2


def step_rates(batch: int, steps: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return two measurements of steps per second with given actions: one jitted call per step, and one for all."""
    env = FlagChase()
    keys = jax.random.split(jax.random.PRNGKey(1), batch)
    step = jax.vmap(auto_reset(env.step, env.init))
    single = jax.jit(step)
    start = jax.jit(jax.vmap(env.init))(keys)
    actions = jnp.zeros((steps, batch), jnp.int32)  # a step of 1, which is always legal

    def scanned(state: Any) -> Any:
        return jax.lax.scan(lambda state, action: (step(state, action, keys), None), state, actions)[0]

    all_at_once = jax.jit(scanned)

    def one_by_one(state: Any) -> Any:
        for number in range(steps):
            state = single(state, actions[number], keys)
        return state

    return lambda: _rate(one_by_one, start, batch * steps), lambda: _rate(all_at_once, start, batch * steps)


def self_play_rates(batch: int, steps: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return two measurements of random self-play, in steps per second: one jitted call per step, and one for all."""
    env = FlagChase()
    step = jax.vmap(auto_reset(env.step, env.init))
    start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), batch))
    keys = jax.random.split(jax.random.PRNGKey(2), steps)

    def sampled(state: Any, key: Any) -> Any:
        draw, begin = jax.random.split(key)
        likely = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(draw, likely, axis=-1)
        return step(state, action, jax.random.split(begin, batch))

    single = jax.jit(sampled)
    all_at_once = jax.jit(lambda state: jax.lax.scan(lambda at, key: (sampled(at, key), None), state, keys)[0])
    each = list(keys)

    def one_by_one(state: Any) -> Any:
        for key in each:
            state = single(state, key)
        return state

    return lambda: _rate(one_by_one, start, batch * steps), lambda: _rate(all_at_once, start, batch * steps)


def _rate(way: Callable[[Any], Any], start: Any, steps: int) -> float:
    """Return the steps per second, not counting compilation."""
    jax.block_until_ready(way(start))
    began = time.perf_counter()
    jax.block_until_ready(way(start))
    return steps / (time.perf_counter() - began)
