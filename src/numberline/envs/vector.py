"""Gymnasium vector environment: thousands of games of a book, stepped with a single lookup in a transition table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot
from numberline.envs import transition_table, validation
from numberline.envs.gymnasium import AutoresetMode, Info, Observation, VectorBase, batch_space, spaces_of
from numberline.envs.validation import AgentSeat, BookLike, EnvError, EnvOptions, IllegalActionMode
from numberline.errors import IllegalMove
from numberline.solver.arrays import BoolArray, IntArray
from numberline.solver.index import DEFAULT_MEMORY_BYTES
from numberline.text import safe_repr

Plies = NDArray[np.int32]
VectorStepResult = tuple[Observation, NDArray[np.float32], BoolArray, BoolArray, Info]
Seeds = int | Sequence[int | None] | None
ORACLE_KEYS = ("value", "distance", "best_actions", "regret", "delay")
MIN_DRAWN_SLOTS = 1 << 14
BYTES_PER_GAME = 200
MAX_ENVS = DEFAULT_MEMORY_BYTES // BYTES_PER_GAME


class VectorEnv(EnvOptions, VectorBase[Observation, IntArray, NDArray[Any]]):
    """A batch of games of a book or variant.

    `opponent` is a bot, as in `BookEnv`, or "self": the agent then plays every seat, observations are from the
    perspective of the player to move, and rewards from that of the player who just moved. `autoreset_mode` decides when
    a finished game is reset: in the next step (whose action is ignored), in the same step, or only when `reset` is
    called. Every step returns new arrays.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012 - as in Gymnasium

    def __init__(
        self,
        num_envs: int = 1,
        book: BookLike = "flag-chase",
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        oracle: bool = False,
        max_plies: int = validation.DEFAULT_MAX_PLIES,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._set_options(book, first, max_plies, illegal)
        self.num_envs = num_envs = validation.validate_int("num_envs", num_envs, most=MAX_ENVS)
        self.autoreset_mode = _parse_mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = spaces_of(self.book, len(self.book.choices))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._oracle_keys = ORACLE_KEYS if oracle else ()
        seats = validation.agent_seats(self.book, seat)
        seats = () if validation.validate_opponent(opponent) == validation.SELF_PLAY else seats
        options = transition_table.StepOptions(self.book, opponent, seats, self._first, self._max_plies, oracle)
        self._table = transition_table.make_transition_table(options)
        self._was_reset = False
        self._start_rows = self._table.start_rows[np.arange(num_envs) % len(self._table.start_rows)]
        """For each game, the first row of its start state."""
        self._next = self._start_rows.copy()
        """For each game, the first row of its current state."""
        self._rows, self._next_rows = self._start_rows.copy(), self._start_rows.copy()
        """The row that the last step looked up for each game, and a buffer for the rows of the next step."""
        self._plies = np.zeros(num_envs, np.int32)
        self._spare_plies = np.empty(num_envs, np.int32)
        self._counts_plies = self._table.can_reach_limit
        self._ended = np.zeros(num_envs, np.bool_)
        """Mask of the games that have ended and need a call to `reset`; used only if autoreset is disabled."""
        self._drawn_slots = np.empty(0, np.uint32)
        sampler = self._table.sampler
        self._first_slots = np.full(num_envs, sampler.any_action_set * sampler.slots_per_set, np.uint32)
        """For each game, the sampler's first slot for the game's set of legal actions."""

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start all games and return the first observations; with `seat="alternate"`, seats alternate across the batch.

        All games share one random generator, even if `seed` is a list with one seed per game. With
        `options={"reset_mask": mask}`, only the games for which the boolean array `mask` is True are reset.
        """
        mask = validation.validate_reset_options(options).get("reset_mask")
        games = None if mask is None else self._masked_games(mask)
        self._seed(seed)
        self._was_reset = True
        if games is None:
            np.copyto(self._next_rows, self._start_rows)
            self._plies[:] = 0
            self._ended[:] = False
            found, _, illegal = self._look_up()
            return self._observations(found, illegal)
        found = self._table.look_up(self._rows)
        found["next"] = self._next
        self._next = found["next"]
        # A game that has ended is already in its next start state.
        unfinished = games[~self._table.is_start_row(self._next[games])]
        self._next[unfinished] = self._next_start_rows(unfinished)
        self._restart(found, games)
        self._ended[games] = False
        return self._observations(found, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: IntArray) -> VectorStepResult:
        """Take one action in every game; return observations, rewards, terminations, truncations and infos."""
        np.add(self._next, self._action_offsets(actions), out=self._next_rows)
        found, truncated, illegal = self._look_up()
        rewards, over = found["reward"], found["over"]
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            ended = over | truncated
            if self.autoreset_mode is AutoresetMode.DISABLED:
                self._ended = ended
            elif ended.any():
                return self._reset_in_step(found, truncated, illegal)
        observations, infos = self._observations(found, illegal)
        return observations, rewards, over, truncated, infos

    def sample(self) -> IntArray:
        """Return a random legal action for each game; for a game that has ended, any action can be returned.

        Sampling is uniform up to rounding: the probabilities of two legal actions differ by at most 1 in 4,000.
        """
        if not self._was_reset:
            raise EnvError(validation.NOT_RESET_MESSAGE)
        if len(self._drawn_slots) < self.num_envs:
            self._draw_slots(max(1, MIN_DRAWN_SLOTS // self.num_envs) * self.num_envs)
        slots, self._drawn_slots = self._drawn_slots[: self.num_envs], self._drawn_slots[self.num_envs :]
        slots += self._first_slots
        return self._table.sampler.actions.take(slots, mode="clip")  # all are in range

    def _look_up(self) -> tuple[NDArray[Any], BoolArray, BoolArray]:
        """Look up the next rows; return them with two masks: the truncated games and the illegal actions."""
        table, at = self._table, self._next_rows
        if table.outcomes > 1:
            at += self._draw_outcomes(self.num_envs)
        found = table.look_up(at)
        plies: Plies = found["plies"]
        if self._counts_plies:
            plies = np.maximum(np.add(self._plies, plies, out=self._spare_plies), 0, out=self._spare_plies)
        notable = plies.max() >= self._max_plies if self._counts_plies or table.max_remark else False
        if notable:
            truncated, illegal = self._handle_remarks(found, plies)
        else:
            truncated, illegal = np.zeros((2, self.num_envs), np.bool_)
        self._rows, self._next_rows = at, self._rows
        self._next = found["next"]
        if self._counts_plies:
            self._plies, self._spare_plies = plies, self._plies
            if notable:  # like games that have ended, truncated ones are reset by the next step
                self._plies[truncated] = 0
                self._next[truncated] = self._next_start_rows(np.flatnonzero(truncated))
        return found, truncated, illegal

    def _handle_remarks(self, found: NDArray[Any], plies: Plies) -> tuple[BoolArray, BoolArray]:
        """Handle illegal actions and further opponent moves; return masks of truncated games and illegal actions."""
        remarks, at = found["remark"], self._next_rows
        illegal: BoolArray = remarks == transition_table.REMARK_ILLEGAL
        if illegal.any():
            if self._raises:
                game = int(np.argmax(illegal))
                move = self.book.choices[int(at[game]) // self._table.outcomes % self._table.actions]
                raise IllegalMove(f"game {game}: {move} is not legal; see action_mask")
            plies[illegal] = 0
        starting = self._table.is_start_row(at)
        self._play_opponents(found, plies, at, np.flatnonzero(remarks == transition_table.REMARK_OPPONENT_AGAIN))
        # A game is never truncated before the agent's first step.
        truncated: BoolArray = (plies >= self._max_plies) & ~starting
        return truncated, illegal

    def _play_opponents(self, found: NDArray[Any], plies: Plies, at: IntArray, games: IntArray) -> None:
        """Play more opponent moves in `games` until the agent has a choice, the game ends or the limit is reached."""
        if not games.size:
            return
        table, waiting = self._table, games
        move_info = found[["regret", "delay"]][games].copy() if self._oracle_keys else None
        starting = games[table.is_start_row(at[games])]
        limits = self._plies + self._max_plies + 1  # counted from the agent's last move
        limits[starting] -= 1
        while waiting.size:
            plies[waiting] -= transition_table.REMARK_OFFSET
            waiting = waiting[plies[waiting] < limits[waiting]]
            at[waiting] = found["next"][waiting] + self._draw_outcomes(len(waiting))
            before = plies[waiting]
            _as_bytes(found)[waiting] = _as_bytes(table.look_up(at[waiting]))
            plies[waiting] = np.maximum(before + found["plies"][waiting], 0)
            waiting = waiting[found["remark"][waiting] == transition_table.REMARK_OPPONENT_AGAIN]
        ended = starting[found["over"][starting]]
        found["over"][ended], found["reward"][ended] = False, 0
        found["next"][ended] = table.state_after(at[ended])
        if move_info is not None:
            found["regret"][games], found["delay"][games] = move_info["regret"], move_info["delay"]

    def _restart(self, found: NDArray[Any], games: IntArray) -> None:
        """Start new games in place of `games`, which must be in a start state, and overwrite their rows in `found`."""
        table, at = self._table, self._rows
        at[games] = self._next[games] + self._draw_outcomes(len(games))
        self._plies[games] = 0
        _as_bytes(found)[games] = _as_bytes(table.look_up(at[games]))
        plies = self._plies.copy()
        plies[games] = np.maximum(found["plies"][games], 0)
        self._play_opponents(found, plies, at, games[found["remark"][games] == transition_table.REMARK_OPPONENT_AGAIN])
        self._plies[games] = plies[games]

    def _reset_in_step(self, found: NDArray[Any], truncated: BoolArray, illegal: BoolArray) -> VectorStepResult:
        """Reset the games that ended in this step; their last observations and infos go into `infos`."""
        rewards, over = found["reward"].copy(), found["over"].copy()
        ended = over | truncated
        games = np.flatnonzero(ended)
        last, last_infos = self._observations(found.copy(), illegal)
        self._restart(found, games)
        observations, infos = self._observations(found, np.zeros(self.num_envs, np.bool_))
        final = np.full(self.num_envs, None, object)
        parts = [last[key][games] for key in last]
        final[games] = [dict(zip(last, part, strict=True)) for part in zip(*parts, strict=True)]
        infos |= {"final_obs": final, "_final_obs": ended, "_final_info": ended}
        infos["final_info"] = last_infos | {f"_{key}": ended for key in last_infos}
        return observations, rewards, over, truncated, infos

    def _next_start_rows(self, games: IntArray) -> IntArray:
        """Return the start rows of the next games, with the agent in its next seat."""
        starts = self._table.start_rows
        rows: IntArray = starts[(self._rows[games] // self._table.rows_per_seat + 1) % len(starts)]
        return rows

    def _seed(self, seed: Seeds) -> None:
        if isinstance(seed, np.ndarray):
            seed = seed.tolist()
        if not isinstance(seed, Sequence) or isinstance(seed, str | bytes):
            super().reset(seed=validation.validate_seed(seed))
        elif len(seed) != self.num_envs:
            raise EnvError(f"got {len(seed)} seeds for {self.num_envs} games; expected one per game")
        else:
            seeds = [validation.validate_seed(one) for one in seed]
            if any(one is not None for one in seeds):
                entropy = [number for one in seeds for number in ((0, 0) if one is None else (1, one))]
                self.np_random = np.random.default_rng(entropy)
        if seed is not None:
            self._drawn_slots = self._drawn_slots[:0]

    def _masked_games(self, mask: Any) -> IntArray:
        mask = _as_array(mask)
        if mask is None or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise EnvError(f"reset_mask: expected a boolean array of shape ({self.num_envs},) with at least one True")
        if not self._was_reset and not mask.all():
            raise EnvError(validation.NOT_RESET_MESSAGE)
        return np.flatnonzero(mask)

    def _action_offsets(self, actions: IntArray) -> IntArray:
        """Validate the actions; for each, return the offset of its rows from the first row of the game's state."""
        if not self._was_reset:
            raise EnvError(validation.NOT_RESET_MESSAGE)
        table, given = self._table, actions
        actions = actions if isinstance(actions, np.ndarray) else _as_array(actions)
        if actions is None or actions.dtype.kind not in "iu":
            raise EnvError(f"actions={safe_repr(given)}: expected integers")
        if actions.shape != (self.num_envs,):
            raise EnvError(f"actions have shape {actions.shape}; expected ({self.num_envs},), one per game")
        actions = actions.astype(np.int64, copy=False)
        if actions.view(np.uint64).max() >= table.actions:  # as unsigned integers, negative numbers are very large
            raise EnvError(f"invalid action in {safe_repr(given)}; expected 0 to {table.actions - 1}")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise EnvError(f'game {np.argmax(self._ended)} has ended: call reset(options={{"reset_mask": …}}) first')
        return actions if table.outcomes == 1 else actions * table.outcomes

    def _draw_slots(self, number: int) -> None:
        words = self.np_random.integers(1 << 64, size=number // 4 + 1, dtype=np.uint64)  # four 16-bit draws per word
        self._drawn_slots = np.multiply(words.view(np.uint16), self._table.sampler.slots_per_set, dtype=np.uint32)
        self._drawn_slots >>= np.uint32(16)

    def _draw_outcomes(self, number: int) -> NDArray[Any]:
        if self._table.outcomes == 1:
            return np.zeros(number, np.uint8)
        return self.np_random.integers(self._table.outcomes, size=number, dtype=np.uint8)

    def _observations(self, found: NDArray[Any], illegal: BoolArray) -> tuple[Observation, Info]:
        mask = found["action_mask"]
        self._first_slots = found["menu"]
        infos: Info = {"action_mask": mask, "illegal": illegal}
        for key in self._oracle_keys:
            infos[key] = found[key]
        return {"observation": found["observation"], "action_mask": mask}, infos


def _parse_mode(value: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(value)
    except ValueError:
        known = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise EnvError(f"autoreset_mode={safe_repr(value)}: expected one of {known}") from None


def _as_bytes(rows: NDArray[Any]) -> NDArray[np.uint8]:
    # NumPy copies bytes faster than structured rows.
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)


def _as_array(value: Any) -> NDArray[Any] | None:
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError):  # such as ragged lists
        return None
