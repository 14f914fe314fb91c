"""Thousands of games of a book at once, stepped by one look-up in a table: a vector environment for Gymnasium."""

from __future__ import annotations

from os import PathLike
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.bots import Bot, make_bot
from numberline.envs.gymnasium import AutoresetMode, Info, Observation, VectorBase, batch_space, spaces_of
from numberline.envs.oracle import OracleColumns
from numberline.envs.seating import MAX_PLIES, EnvError, Illegal, Seat, as_book, seats_of
from numberline.envs.steps import AGAIN, ILLEGAL, NOTABLE, Flow, StepTable, columns_of, replies_of
from numberline.rules.errors import IllegalMove
from numberline.solver.columns import Ints

Plies = NDArray[np.int32]
Stepped = tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info]


class VectorEnv(VectorBase[Observation, Ints, NDArray[Any]]):
    """So many games of a book, or of any variant of it.

    `opponent` is a bot, as in `BookEnv`, or "self": then the agent plays for every seat, is shown what the player to
    move sees, and is rewarded as the player who has just moved. A game that is over begins anew with the next step,
    whatever its action is. Every step returns new arrays.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        num_envs: int = 1,
        book: str | PathLike[str] | Book = "flag-chase",
        *,
        opponent: str | Bot = "random",
        seat: Seat = 1,
        first: int = 1,
        illegal: Illegal = "lose",
        oracle: bool = False,
        max_plies: int = MAX_PLIES,
    ) -> None:
        self.book = as_book(book, max_plies, illegal)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = spaces_of(self.book, len(self.book.choices))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._limit = min(max_plies, NOTABLE // 2)
        columns = columns_of(self.book)
        flow = Flow(columns, first, self._limit)
        seats: tuple[int, ...] = ()
        replies = None
        if opponent != "self":
            seats = seats_of(self.book, seat)
            bot = make_bot(opponent, self.book, Random(0)) if isinstance(opponent, str) else opponent
            replies = replies_of(bot, flow, seats)
        self._table = StepTable(flow, seats, replies)
        self._oracle = OracleColumns(columns, seats) if oracle else None
        self._raises = illegal == "raise"
        self._begin = self._table.begins[np.arange(num_envs) % len(self._table.begins)]
        """The row of every game's state before it begins."""
        self._next = self._begin
        self._at = np.empty(num_envs, np.int64)
        """Where the rows of a step are noted, the same memory every time."""
        self._plies = np.zeros(num_envs, np.int32)
        self._spare = np.empty(num_envs, np.int32)
        self._counts = flow.longest(self._limit) is None
        """Whether a game can be broken off, so that its plies must be counted."""
        self._watches = self._counts or self._table.remarks > 0
        """Whether there can be anything to see to after a step."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """What the agent is shown on the first turn of every game; the seats are taken in turns, game by game."""
        super().reset(seed=seed)
        np.copyto(self._at, self._begin)
        self._plies[:] = 0
        found, _, infos = self._look_up()
        return self._shown(found, infos)

    def step(self, actions: Ints) -> Stepped:
        """What the agent is shown next in every game, the rewards, and which games are over or were broken off."""
        at, table = self._at, self._table
        actions = np.asarray(actions, np.int64)
        if actions.shape != (self.num_envs,):
            raise EnvError(f"actions of the shape {actions.shape}; expected one for each of {self.num_envs} games")
        if actions.view(np.uint64).max() >= table.actions:  # a negative one is very large there
            raise EnvError(f"the actions are 0 to {table.actions - 1}, and one of those given is not among them")
        np.add(self._next, actions if table.sides == 1 else actions * table.sides, out=at)
        given = (
            self._oracle.of_actions(at % table.each // table.block, at // table.each, actions) if self._oracle else {}
        )
        found, broken, infos = self._look_up()
        observations, infos = self._shown(found, infos | given)
        return observations, found["reward"], found["over"], broken, infos

    def _look_up(self) -> tuple[NDArray[Any], NDArray[np.bool_], Info]:
        """The rows that were aimed at, which games are broken off, and what there is to say."""
        table = self._table
        if table.sides > 1:
            self._at += self._throw(self.num_envs)
        rows = table.rows.take(self._at, axis=0, mode="clip")  # no row is out of range, and "clip" need not ask
        found = rows.view(table.kind)[:, 0]
        broken, infos = np.zeros(self.num_envs, np.bool_), Info()
        plies: Plies = found["plies"]
        if self._counts:
            plies = np.maximum(np.add(self._plies, plies, out=self._spare), 0, out=self._spare)
        notable = plies.max() >= self._limit if self._watches else False
        if notable:
            broken, infos = self._see_to(rows, found, plies)
        self._next = found["next"]
        if self._counts:
            self._plies, self._spare = plies, self._plies
            if notable:  # a game that is broken off begins anew with the next step, like one that is over
                self._plies[broken] = 0
                self._next[broken] = table.begins[(self._next[broken] // table.each + 1) % len(table.begins)]
        return found, broken, infos

    def _see_to(self, rows: NDArray[np.uint8], found: NDArray[Any], plies: Plies) -> tuple[NDArray[np.bool_], Info]:
        """Refuses illegal actions and goes on where the agent's turn was lost; which games are then broken off."""
        remarks, infos = found["remark"], Info()
        if (illegal := remarks == ILLEGAL).any():
            if self._raises:
                game = int(np.argmax(illegal))
                text = self.book.choices[int(self._at[game]) // self._table.sides % self._table.actions]
                raise IllegalMove(f"game {game}: {text} is not allowed there; action_mask says what is")
            infos["illegal"] = illegal
            plies[illegal] = 0
        aimed = self._at.copy()
        late = np.flatnonzero(remarks == AGAIN)
        if late.size:
            self._go_on(rows, found, plies, late)
        broken: NDArray[np.bool_] = plies >= self._limit
        if broken.any():  # whatever happens before the agent can do anything, a game ends with its first step
            broken &= ~self._table.is_begin(aimed)
        return broken, infos

    def _go_on(self, rows: NDArray[np.uint8], found: NDArray[Any], plies: Plies, late: Ints) -> None:
        """Plays on where other seats are to move once more, until the agents have a choice or nobody ever will."""
        table = self._table
        begun = late[table.is_begin(self._at[late])]
        far = self._plies + self._limit + 1  # so many plies after the agent's own move
        far[begun] -= 1
        while late.size:
            plies[late] -= NOTABLE
            late = late[plies[late] < far[late]]
            self._at[late] = found["next"][late] + self._throw(len(late))
            before = plies[late]
            rows[late] = table.rows[self._at[late]]
            plies[late] = np.maximum(before + found["plies"][late], 0)
            late = late[found["remark"][late] == AGAIN]
        ended = begun[found["over"][begun]]
        found["over"][ended], found["reward"][ended] = False, 0
        at = self._at[ended]
        found["next"][ended] = at // table.each * table.each + table.to[at] * table.block

    def _throw(self, dice: int) -> NDArray[Any]:
        return self.np_random.integers(self._table.sides, size=dice, dtype=np.uint8)

    def _shown(self, found: NDArray[Any], infos: Info) -> tuple[Observation, Info]:
        mask = found["action_mask"]
        infos["action_mask"] = mask
        if self._oracle:
            at, table = self._at, self._table
            infos |= self._oracle.about(table.to[at], at // table.each, mask, found["remark"] == ILLEGAL)
        return {"observation": found["observation"], "action_mask": mask}, infos
