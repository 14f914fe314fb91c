"""Thousands of games of a book at once, stepped by one look-up in a table: a vector environment for Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot
from numberline.envs.gymnasium import AutoresetMode, Info, Observation, VectorBase, batch_space, spaces_of
from numberline.envs.transition_table import (
    REMARK_ILLEGAL,
    REMARK_OFFSET,
    REMARK_OPPONENT_AGAIN,
    StepOptions,
    make_transition_table,
)
from numberline.envs.validation import (
    DEFAULT_MAX_PLIES,
    NOT_RESET_MESSAGE,
    SELF_PLAY,
    AgentSeat,
    EnvError,
    IllegalActionMode,
    agent_seats,
    validate_illegal,
    validate_int,
    validate_max_plies,
    validate_opponent,
    validate_player,
    validate_reset_options,
    validate_seed,
)
from numberline.errors import IllegalMove
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.solver.arrays import BoolArray, IntArray
from numberline.solver.index import DEFAULT_MEMORY_BYTES
from numberline.text import safe_repr

Plies = NDArray[np.int32]
VectorStepResult = tuple[Observation, NDArray[np.float32], BoolArray, BoolArray, Info]
Seeds = int | Sequence[int | None] | None
ORACLE_KEYS = ("value", "distance", "best_actions", "regret", "delay")
"""What the oracle adds to the infos."""
MIN_DRAWN_LOTS = 1 << 14
"""About so many lots are drawn at a time, at the least."""
MAX_ENVS = DEFAULT_MEMORY_BYTES // 200
"""More games at once would not fit into memory: each takes about so many bytes."""


class VectorEnv(VectorBase[Observation, IntArray, NDArray[Any]]):
    """So many games of a book, or of any variant of it.

    `opponent` is a bot, as in `BookEnv`, or "self": then the agent plays for every seat, is shown what the player to
    move sees, and is rewarded as the player who has just moved. `autoreset_mode` says when a game that is over begins
    anew: with the next step, whatever its action is, within the same step, or when it is reset. Every step returns new
    arrays.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        num_envs: int = 1,
        book: str | PathLike[str] | Book = "flag-chase",
        *,
        opponent: str | Bot = "random",
        seat: AgentSeat = 1,
        first: int = 1,
        illegal: IllegalActionMode = "lose",
        oracle: bool = False,
        max_plies: int = DEFAULT_MAX_PLIES,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.book = book_of(book)
        self._limit = validate_max_plies(max_plies)
        self._raises = validate_illegal(illegal) == "raise"
        self.num_envs = num_envs = validate_int("num_envs", num_envs, most=MAX_ENVS)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = spaces_of(self.book, len(self.book.choices))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truth = ORACLE_KEYS if oracle else ()
        seats = agent_seats(self.book, seat)
        self._table = make_transition_table(
            StepOptions(
                self.book,
                validate_opponent(opponent),
                () if opponent == SELF_PLAY else seats,
                validate_player(self.book, "first", first),
                self._limit,
                oracle,
            )
        )
        self._begun = False
        """Whether there was a reset."""
        self._begin = self._table.start_rows[np.arange(num_envs) % len(self._table.start_rows)]
        """The row of every game's state before it begins."""
        self._next = self._begin.copy()
        """The first row of every game's state."""
        self._at, self._aim = self._begin.copy(), self._begin.copy()
        """The rows of the last step, and memory for those of the next one."""
        self._plies = np.zeros(num_envs, np.int32)
        self._spare = np.empty(num_envs, np.int32)
        self._counts = self._table.max_game_plies is None
        """Whether a game can be broken off, so that its plies must be counted."""
        self._ended = np.zeros(num_envs, np.bool_)
        """Which games are over and wait for a reset; that is so only where no step does it."""
        self._lots = np.empty(0, np.uint32)
        """Lots that were drawn and not used yet."""
        self._menus = np.full(
            num_envs, self._table.sampler.any_action_set * self._table.sampler.slots_per_set, np.uint32
        )
        """What can be chosen in each game: where its lots begin."""

    # What an agent calls

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """What the agent is shown on the first turn of every game; the seats are taken in turns, game by game.

        A list of seeds, one for each game, makes the chance of all games together come out the same again. With
        `options={"reset_mask": …}`, an array of truths, only those games begin anew.
        """
        mask = validate_reset_options(options).get("reset_mask")
        games = None if mask is None else self._masked(mask)
        self._seed(seed)
        self._begun = True
        if games is None:
            np.copyto(self._aim, self._begin)
            self._plies[:] = 0
            self._ended[:] = False
            found, _, illegal = self._look_up()
            return self._shown(found, illegal)
        rows = self._table.look_up(self._at)
        found = self._found(rows)
        found["next"] = self._next
        self._next = found["next"]
        on = ~self._table.is_start_row(self._next[games])  # of a game that is over, it is the next one's seat already
        going_on = games[on]
        self._next[going_on] = self._next_begin(going_on)
        self._begin_anew(rows, found, games)
        self._ended[games] = False
        return self._shown(found, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: IntArray) -> VectorStepResult:
        """What the agent is shown next in every game, the rewards, and which games are over or were broken off."""
        np.add(self._next, self._checked(actions), out=self._aim)
        found, broken, illegal = self._look_up()
        rewards, over = found["reward"], found["over"]
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            ended = over | broken
            if self.autoreset_mode is AutoresetMode.DISABLED:
                self._ended = ended
            elif ended.any():
                return self._begun_anew(found, rewards.copy(), over.copy(), broken, illegal)
        observations, infos = self._shown(found, illegal)
        return observations, rewards, over, broken, infos

    def sample(self) -> IntArray:
        """A legal action for each game, each as likely as the others but for one in 60,000; any where it is over."""
        if not self._begun:
            raise EnvError(NOT_RESET_MESSAGE)
        if len(self._lots) < self.num_envs:
            self._draw_lots(max(1, MIN_DRAWN_LOTS // self.num_envs) * self.num_envs)
        lots, self._lots = self._lots[: self.num_envs], self._lots[self.num_envs :]
        lots += self._menus
        actions: IntArray = self._table.sampler.actions.take(lots, mode="clip")  # none is out of range
        return actions

    # One look-up for all games

    def _look_up(self) -> tuple[NDArray[Any], BoolArray, BoolArray]:
        """The rows that are aimed at, which games are broken off, and in which of them an action was illegal."""
        table, at = self._table, self._aim
        if table.sides > 1:
            at += self._throw(self.num_envs)
        rows = table.look_up(at)
        found = self._found(rows)
        plies: Plies = found["plies"]
        if self._counts:
            plies = np.maximum(np.add(self._plies, plies, out=self._spare), 0, out=self._spare)
        notable = plies.max() >= self._limit if self._counts or table.max_remark else False
        if notable:
            broken, illegal = self._see_to(rows, found, plies)
        else:
            broken, illegal = np.zeros((2, self.num_envs), np.bool_)
        self._at, self._aim = at, self._at
        self._next = found["next"]
        if self._counts:
            self._plies, self._spare = plies, self._plies
            if notable:  # a game that is broken off begins anew with the next step, like one that is over
                self._plies[broken] = 0
                self._next[broken] = self._next_begin(np.flatnonzero(broken))
        return found, broken, illegal

    def _see_to(self, rows: NDArray[np.uint8], found: NDArray[Any], plies: Plies) -> tuple[BoolArray, BoolArray]:
        """Refuses illegal actions and goes on where the agent's turn was lost; what is then broken off, or illegal."""
        remarks, at = found["remark"], self._aim
        illegal: BoolArray = remarks == REMARK_ILLEGAL
        if illegal.any():
            if self._raises:
                game = int(np.argmax(illegal))
                text = self.book.choices[int(at[game]) // self._table.sides % self._table.actions]
                raise IllegalMove(f"game {game}: {text} is not allowed there; action_mask says what is")
            plies[illegal] = 0
        begins = self._table.is_start_row(at)
        self._go_on(rows, found, plies, at, np.flatnonzero(remarks == REMARK_OPPONENT_AGAIN))
        # Whatever happens before the agent can do anything, a game ends with its first step.
        broken: BoolArray = (plies >= self._limit) & ~begins
        return broken, illegal

    def _go_on(self, rows: NDArray[np.uint8], found: NDArray[Any], plies: Plies, at: IntArray, late: IntArray) -> None:
        """Plays on where other seats are to move once more, until the agents have a choice or nobody ever will."""
        if not late.size:
            return
        table, given = self._table, found[["regret", "delay"]][late].copy() if self._truth else None
        everybody, begun = late, late[table.is_start_row(at[late])]
        far = self._plies + self._limit + 1  # so many plies after the agent's own move
        far[begun] -= 1
        while late.size:
            plies[late] -= REMARK_OFFSET
            late = late[plies[late] < far[late]]
            at[late] = found["next"][late] + self._throw(len(late))
            before = plies[late]
            rows[late] = table.look_up(at[late])
            plies[late] = np.maximum(before + found["plies"][late], 0)
            late = late[found["remark"][late] == REMARK_OPPONENT_AGAIN]
        ended = begun[found["over"][begun]]
        found["over"][ended], found["reward"][ended] = False, 0
        found["next"][ended] = table.state_after(at[ended])
        if given is not None:
            found["regret"][everybody], found["delay"][everybody] = given["regret"], given["delay"]

    # Beginning anew

    def _begin_anew(self, rows: NDArray[np.uint8], found: NDArray[Any], games: IntArray) -> None:
        """Begins these games, whose next rows are those before the game, and writes what is then shown to the rows."""
        table, at = self._table, self._at
        at[games] = self._next[games] + self._throw(len(games))
        self._plies[games] = 0
        rows[games] = table.look_up(at[games])
        plies = self._plies.copy()
        plies[games] = np.maximum(found["plies"][games], 0)
        self._go_on(rows, found, plies, at, games[found["remark"][games] == REMARK_OPPONENT_AGAIN])
        self._plies[games] = plies[games]

    def _begun_anew(
        self, found: NDArray[Any], rewards: NDArray[np.float32], over: BoolArray, broken: BoolArray, illegal: BoolArray
    ) -> VectorStepResult:
        """What a step returns that has ended games and begun them anew, with how they ended in the infos."""
        ended = over | broken
        games = np.flatnonzero(ended)
        last, told = self._shown(found.copy(), illegal)
        self._begin_anew(found.view(np.uint8).reshape(self.num_envs, -1), found, games)
        observations, infos = self._shown(found, np.zeros(self.num_envs, np.bool_))
        final = np.full(self.num_envs, None, object)
        shown = [last[key][games] for key in last]
        final[games] = [dict(zip(last, each, strict=True)) for each in zip(*shown, strict=True)]
        infos |= {"final_obs": final, "_final_obs": ended, "_final_info": ended}
        infos["final_info"] = told | {f"_{key}": ended for key in told}
        return observations, rewards, over, broken, infos

    def _next_begin(self, games: IntArray) -> IntArray:
        """The rows before the next game of these, which were in some seat before."""
        begins = self._table.start_rows
        rows: IntArray = begins[(self._at[games] // self._table.rows_per_seat + 1) % len(begins)]
        return rows

    # What comes in and what goes out

    def _seed(self, seed: Seeds) -> None:
        if isinstance(seed, np.ndarray):
            seed = seed.tolist()
        if not isinstance(seed, Sequence) or isinstance(seed, str | bytes):
            super().reset(seed=validate_seed(seed))
        elif len(seed) != self.num_envs:
            raise EnvError(f"{len(seed)} seeds; expected one for each of {self.num_envs} games")
        else:
            each = [validate_seed(one) for one in seed]
            if any(one is not None for one in each):
                known = [number for one in each for number in ((0, 0) if one is None else (1, one))]
                self.np_random = np.random.default_rng(known)
        if seed is not None:
            self._lots = self._lots[:0]

    def _masked(self, mask: Any) -> IntArray:
        """The games of a `reset_mask`."""
        mask = _array(mask)
        if mask is None or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise EnvError(f"reset_mask: expected {self.num_envs} truths, at least one of them True")
        if not self._begun and not mask.all():
            raise EnvError(NOT_RESET_MESSAGE)
        return np.flatnonzero(mask)

    def _checked(self, actions: IntArray) -> IntArray:
        """The actions times the sides of a throw, which is where their rows begin."""
        if not self._begun:
            raise EnvError(NOT_RESET_MESSAGE)
        table, given = self._table, actions
        actions = actions if isinstance(actions, np.ndarray) else _array(actions)
        if actions is None or actions.dtype.kind not in "iu":
            raise EnvError(f"actions={safe_repr(given)}: expected whole numbers")
        if actions.shape != (self.num_envs,):
            raise EnvError(f"actions of the shape {actions.shape}; expected one for each of {self.num_envs} games")
        actions = actions.astype(np.int64, copy=False)
        if actions.view(np.uint64).max() >= table.actions:  # a negative one is very large there
            raise EnvError(f"the actions are 0 to {table.actions - 1}, and one of those given is not among them")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise EnvError(f"game {np.argmax(self._ended)} is over; begin it anew by reset with a reset_mask")
        return actions if table.sides == 1 else actions * table.sides

    def _draw_lots(self, number: int) -> None:
        words = self.np_random.integers(1 << 64, size=number // 4 + 1, dtype=np.uint64)  # four draws in each
        self._lots = np.multiply(words.view(np.uint16), self._table.sampler.slots_per_set, dtype=np.uint32)
        self._lots >>= np.uint32(16)

    def _throw(self, dice: int) -> NDArray[Any]:
        if self._table.sides == 1:
            return np.zeros(dice, np.uint8)
        return self.np_random.integers(self._table.sides, size=dice, dtype=np.uint8)

    def _found(self, rows: NDArray[np.uint8]) -> NDArray[Any]:
        """The rows by the names of what is in them."""
        found: NDArray[Any] = rows.view(self._table.kind)[:, 0]
        return found

    def _shown(self, found: NDArray[Any], illegal: BoolArray) -> tuple[Observation, Info]:
        mask = found["action_mask"]
        self._menus = found["menu"]
        infos: Info = {"action_mask": mask, "illegal": illegal}
        for key in self._truth:
            infos[key] = found[key]
        return {"observation": found["observation"], "action_mask": mask}, infos


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        known = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise EnvError(f"autoreset_mode={safe_repr(given)}: expected one of {known}") from None


def _array(given: Any) -> NDArray[Any] | None:
    """What was given as an array, if it can be one."""
    try:
        return np.asarray(given)
    except (ValueError, TypeError, OverflowError):  # lists of several lengths, for one
        return None
