"""Every step of a book as a row of a table: one for each position, each action and each side of a throw.

A row has where the game goes on, the reward, whether it is over, and what the agent is then shown. So a step of ten
thousand games is one look-up, beginning anew included: the state after the end leads to the start, whatever is done.
Bots in the other seats are part of it; their chance is a throw of a die with as many sides as make each of their moves
as likely as it is. The table of a small book is filled at once, that of a large one where games get to.
"""

from __future__ import annotations

import math
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, make_bot
from numberline.envs.observation import ObservationEncoder
from numberline.envs.oracle import VectorOracle
from numberline.envs.reply_table import ReplyTable, make_reply_table, min_die_sides, require_known_policy
from numberline.game.book import Book
from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays
from numberline.solver.cache import cached_solution
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    NO_SUCCESSOR,
    TooManyPositions,
    build_table,
    bytes_per_position,
    format_bytes,
    max_positions,
)

REMARK_ILLEGAL, REMARK_OPPONENT_AGAIN = 1, 2
"""What a row may have to say: the action was illegal; another seat is to move once more before the agent is."""
OVER_OFFSET, REMARK_OFFSET = -(1 << 30), 1 << 30
"""Added to the plies of a row: a game that is over has less than none whatever came before, one with a remark too many.

So one look at the sums of all games tells whether there is anything to see to.
"""
ROW_WIDTHS_BYTES = (16, 32)
"""Rows of so many bytes are looked up faster than any others."""
BUILD_BYTES_PER_ROW = 100
"""About how many bytes a row takes while it is made, besides its own."""
MAX_EAGER_ROWS = 300_000
"""A table with no more rows is filled at once."""
MAX_MEASURED_POSITIONS = 300_000
"""The same, where it has to be told before anybody plays."""
MAX_SAMPLER_SLOTS = 5_040
"""There are no more lots than this to draw an action by."""
MAX_BITMASK_ACTIONS = 16
"""The menus of so many actions are told apart by their bits."""
MAX_WALKED_POSITIONS = 20_000
"""How long the games of a book with more positions can get is not worked out."""


class StepOptions(NamedTuple):
    """Which steps are wanted: everything that a table is made from."""

    book: Book
    opponent: str | Bot
    """A bot in every other seat; "self" where the agent plays for everybody."""
    seats: tuple[int, ...]
    """The seats that the agent takes game after game; without any it plays for everybody."""
    first: int
    limit: int
    oracle: bool


def make_transition_table(task: StepOptions) -> TransitionTable:
    """The table of a task; one that would not fit into memory raises `TooManyPositions`, soon."""
    book, opponent = task.book, task.opponent
    if not task.seats:
        return TransitionTable(task, Transitions(load_solution_arrays(book), task.first, task.limit), None)
    bot = make_bot(opponent, book, Random(0)) if isinstance(opponent, str) else opponent
    if max_positions(book) * len(book.choices) * ROW_WIDTHS_BYTES[-1] <= DEFAULT_MEMORY_BYTES:
        require_known_policy(bot)
    flow = Transitions(load_solution_arrays(book), task.first, task.limit)
    columns = flow.columns
    asked = columns.live & flow.has_choice[:-1] & ((columns.mover != task.seats[0]) | (len(task.seats) > 1))
    _check_size(task, columns, min_die_sides(bot, columns, asked))  # before all of them are asked for
    return TransitionTable(task, flow, make_reply_table(bot, columns, asked))


def load_solution_arrays(book: Book) -> SolutionArrays:
    """All positions of a book, if the table of their steps fits into memory; else raises `TooManyPositions`, soon."""
    a_position = len(book.choices) * (ROW_WIDTHS_BYTES[-1] + BUILD_BYTES_PER_ROW)
    try:
        # Where not all positions fit, the book is walked, in case that few of them can be reached.
        return cached_solution(book, memory=DEFAULT_MEMORY_BYTES // a_position * bytes_per_position(book)).arrays
    except TooManyPositions:
        raise table_too_large(book, max_positions(book) * a_position) from None


def table_too_large(book: Book, needed: int) -> TooManyPositions:
    """The refusal of a table that needs so many bytes."""
    would = f"many games of {book.variant} at once would need {format_bytes(needed)} of memory"
    return TooManyPositions(f"{would}; the limit is {format_bytes(DEFAULT_MEMORY_BYTES)}")


def _check_size(task: StepOptions, columns: SolutionArrays, sides: int) -> None:
    """Raises `TooManyPositions` where the rows for dice with so many sides don't fit into memory."""
    rows = (len(task.seats) or 1) * (columns.size + 1) * columns.choices * sides
    needed = rows * (
        _row_dtype(columns, oracle=task.oracle).itemsize + (BUILD_BYTES_PER_ROW if rows <= MAX_EAGER_ROWS else 0)
    )
    if needed > DEFAULT_MEMORY_BYTES:
        raise table_too_large(task.book, needed)


class Transitions:
    """Where each choice leads once the turns that are lost after it are played: at most `limit` of them.

    There is one row more than there are positions: the state before the game, in which every choice leads to the start.
    """

    def __init__(self, columns: SolutionArrays, first: int, limit: int) -> None:
        self.columns = columns
        self.start = columns.number(columns.book.start(first))
        begin = np.full((1, columns.choices), self.start, np.int32)
        self.after: IntArray = np.concatenate([columns.after[:, : columns.choices], begin])
        self.legal: BoolArray = self.after != NO_SUCCESSOR
        self.has_choice: BoolArray = self.legal[:, 0].copy()
        """Where somebody has a choice."""
        for column in self.legal.T[1:]:
            self.has_choice |= column
        self.mover = np.append(columns.mover, np.int8(0))
        self.winner = np.append(columns.winner, np.int8(0))
        self.after_forced: IntArray = np.arange(columns.size, dtype=np.int32)
        """The position that each one leads to while nobody has a choice."""
        self.forced_plies: IntArray = np.zeros(columns.size, np.int32)
        """How many plies that takes."""
        if columns.choices < len(columns.moves):
            self._settle(columns.after[:, columns.choices :].max(axis=1), limit)

    def _settle(self, forced: IntArray, limit: int) -> None:
        self.after_forced = np.where(forced == NO_SUCCESSOR, self.after_forced, forced)
        self.forced_plies = (forced != NO_SUCCESSOR).astype(np.int32)
        for _ in range(limit.bit_length()):  # two turns lost, then four, then eight
            further = self.forced_plies[self.after_forced]
            if not further.any():
                break
            self.forced_plies = np.minimum(self.forced_plies + further, limit)
            self.after_forced = self.after_forced[self.after_forced]

    def max_game_plies(self, limit: int) -> int | None:
        """The most plies that a game can take; None where that is more than the limit, or the book is large."""
        if self.columns.size > MAX_WALKED_POSITIONS:
            return None
        longest = longest_path_plies(self.columns.after, self.start)
        return longest if longest is not None and longest <= limit else None


def longest_path_plies(after: IntArray, start: int) -> int | None:
    """The most plies that can be played from a row of a table; None where they can go round for ever."""
    reached = np.zeros(len(after), np.bool_)
    reached[start] = True
    layer = np.array([start])
    while layer.size:
        following = np.unique(after[layer])
        layer = following[(following != NO_SUCCESSOR) & ~reached[following]]
        reached[layer] = True
    moves = after[reached]
    ways = np.bincount(
        moves[moves != NO_SUCCESSOR], minlength=len(after)
    )  # that lead to each row and were not walked yet
    left, plies, layer = int(reached.sum()), -1, np.array([start])
    while layer.size and not ways[layer].any():
        left, plies = left - len(layer), plies + 1
        following, met = np.unique(after[layer], return_counts=True)
        met, following = met[following != NO_SUCCESSOR], following[following != NO_SUCCESSOR]
        ways[following] -= met
        layer = following[ways[following] == 0]
    return plies if left == 0 else None


@lru_cache(64)
def longest_game_plies(book: Book) -> int | None:
    """The most plies that a game of a book can take; None where it can go round for ever, or the book is large."""
    if max_positions(book) > MAX_MEASURED_POSITIONS:
        return None
    table = build_table(book)
    after = np.stack([np.asarray(column) for column in table.after], axis=1)
    return longest_path_plies(after, table.position_index.number(book.start()))


class LegalActionSampler(NamedTuple):
    """What can be chosen, by number: equal choices have the same one."""

    set_index: IntArray
    """The number for each position."""
    any_action_set: int
    """The number of the choice among all actions."""
    slots_per_set: int
    """How many lots there are to draw from, the same for all numbers."""
    actions: IntArray
    """The action of each lot, number after number: each has all its actions equally often."""


def make_action_sampler(legal: BoolArray) -> LegalActionSampler:
    """The menus of these rows of legal actions."""
    actions = legal.shape[1]
    if actions <= MAX_BITMASK_ACTIONS:
        key: IntArray = np.zeros(len(legal), np.uint8 if actions <= 8 else np.uint16)
        for column in legal.T:
            key <<= 1
            key |= column
        known = np.flatnonzero(np.bincount(key, minlength=1 << actions))
        number = np.zeros(1 << actions, np.uint32)
        number[known] = np.arange(len(known))
        of = number[key]
        distinct = (known[:, np.newaxis] >> np.arange(actions)[::-1]) & 1 == 1
    else:
        distinct, of = np.unique(legal, axis=0, return_inverse=True)
    distinct = np.concatenate([distinct, np.ones((1, actions), np.bool_)])
    lengths = np.maximum(1, distinct.sum(axis=1, keepdims=True))
    lots = min(math.lcm(*np.unique(lengths).tolist()), MAX_SAMPLER_SLOTS)
    first = np.argsort(~distinct, axis=1, kind="stable")  # the legal ones first
    drawn = np.take_along_axis(first, np.arange(lots) * lengths // lots, axis=1)
    return LegalActionSampler(of.reshape(-1), len(distinct) - 1, lots, drawn.ravel())


class TransitionTable:
    """The steps of a task. A state is a position in one of the agent's seats; the last of each seat is before the game.

    Copies share it, and in another process it is made anew.
    """

    def __init__(self, task: StepOptions, flow: Transitions, replies: ReplyTable | None) -> None:
        columns, copies = flow.columns, len(task.seats) or 1
        self.options = task
        self.actions = columns.choices
        self.sides = replies.sides if replies else 1
        _check_size(task, columns, self.sides)
        self.rows_per_state = self.actions * self.sides
        """How many rows each state has."""
        self.states = columns.size + 1
        """How many states each of the agent's seats has."""
        self.rows_per_seat = self.states * self.rows_per_state
        """How many rows each of the agent's seats has."""
        self.sampler = make_action_sampler(columns.legal[:, : self.actions])
        self.kind = _row_dtype(columns, oracle=task.oracle)
        self.max_remark = 0
        """The largest remark that any row has so far."""
        self.start_rows: IntArray = np.arange(1, copies + 1) * self.rows_per_seat - self.rows_per_state
        """For each of the agent's seats, the first row of the state before the game."""
        self.max_game_plies = flow.max_game_plies(task.limit)
        """The most plies that a game can take; None where that is more than the limit, or not known."""
        self._transitions, self._replies = flow, replies
        self._encoder = ObservationEncoder(task.book)
        self._oracle = VectorOracle(columns, self.actions) if task.oracle else None
        self.rows = np.zeros((copies * self.rows_per_seat, self.kind.itemsize), np.uint8)
        """The rows as bytes; `kind` says what they mean. Memory that nobody has written to takes up none."""
        self.filled = np.zeros(copies * self.states, np.bool_)
        """Which states have their rows."""
        self.complete = len(self.rows) <= MAX_EAGER_ROWS
        """Whether all of them have."""
        if self.complete:
            self.fill(np.arange(len(self.filled)))

    def __deepcopy__(self, memo: object) -> TransitionTable:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return make_transition_table, (self.options,)

    def look_up(self, index: IntArray) -> NDArray[np.uint8]:
        """A copy of these rows."""
        if not self.complete:
            states = index // self.rows_per_state
            known = self.filled[states]
            if not known.all():
                self.fill(np.unique(states[~known]))
        return self.rows.take(index, axis=0, mode="clip")  # no row is out of range, and "clip" need not ask

    def is_start_row(self, index: IntArray) -> BoolArray:
        """Which of these rows are of a state before the game."""
        before: BoolArray = index % self.rows_per_seat >= self.rows_per_seat - self.rows_per_state
        return before

    def state_after(self, index: IntArray) -> IntArray:
        """For each of these rows, the first row of the state that is then on the table."""
        seats, rest = np.divmod(index, self.rows_per_seat)
        states, rest = np.divmod(rest, self.rows_per_state)
        actions, sides = np.divmod(rest, self.sides)
        to = np.empty(len(index), np.int64)
        for seat in range(len(self.start_rows)):
            here = seats == seat
            reached, *_ = self._reached(seat, states[here])
            to[here] = reached[np.arange(len(reached)), actions[here], sides[here] if reached.shape[2] > 1 else 0]
        after: IntArray = seats * self.rows_per_seat + to * self.rows_per_state
        return after

    def fill(self, states: IntArray) -> None:
        """Works out the rows of these states."""
        for seat in range(len(self.start_rows)):
            here = states[(states >= seat * self.states) & (states < (seat + 1) * self.states)]
            rows = (here[:, np.newaxis] * self.rows_per_state + np.arange(self.rows_per_state)).ravel()
            if here.size:
                entries = self._entries(seat, here - seat * self.states)
                self.max_remark = max(self.max_remark, int(entries["remark"].max()))
                self.rows[rows] = entries.view(np.uint8).reshape(len(rows), self.kind.itemsize)
        self.filled[states] = True

    def _acts(self, turn: int, rows: IntArray) -> BoolArray:
        """Where the agent has a choice; before the game it always has."""
        seats, flow = self.options.seats, self._transitions
        if not seats:
            return flow.has_choice[rows]
        mine: BoolArray = flow.has_choice[rows] & ((flow.mover[rows] == seats[turn]) | (rows == self.states - 1))
        return mine

    def _waits(self, turn: int, rows: IntArray) -> BoolArray:
        """Where some other seat is to choose."""
        return self._transitions.has_choice[rows] & ~self._acts(turn, rows)

    def _reached(self, turn: int, here: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """By state, action and side: the position that is then on the table, the plies, and what was illegal."""
        flow, replies = self._transitions, self._replies
        acts = self._acts(turn, here)[:, np.newaxis]
        legal, reached = flow.legal[here], flow.after[here]
        illegal, moves = acts & ~legal, acts & legal  # elsewhere an action leaves everything as it is
        to = np.where(moves, flow.after_forced[reached], here[:, np.newaxis])[..., np.newaxis]
        plies = np.where(moves, 1 + flow.forced_plies[reached], 0)[..., np.newaxis]
        plies[here == self.states - 1] -= 1  # the game only begins
        illegal = illegal[..., np.newaxis]
        if replies is not None:
            replied = self._waits(turn, to) & ~illegal
            answers = replies.faces[replies.die[np.minimum(to[..., 0], self.states - 2)]]
            reached = flow.after[to, answers]
            to = np.where(replied, flow.after_forced[reached], to)
            plies = plies + np.where(replied, 1 + flow.forced_plies[reached], 0)
        return to, plies, illegal

    def _entries(self, turn: int, here: IntArray) -> NDArray[Any]:
        """The rows of these states of one of the agent's seats; after a game they lead to the next of its seats."""
        flow, seats = self._transitions, self.options.seats
        reached, plies, illegal = self._reached(turn, here)
        shape = (len(here), self.actions, self.sides)
        to, plies, illegal = (np.broadcast_to(part, shape).ravel() for part in (reached, plies, illegal))
        origin = here.repeat(self.rows_per_state)
        winner, waits = flow.winner[to], self._waits(turn, to)
        over = ((winner != 0) | illegal) & (origin < self.states - 1)
        # What happens before the agent can do anything ends with its first step.
        agent: Any = seats[turn] if seats else flow.mover[origin]
        entry = np.zeros(len(to), self.kind)
        entry["over"] = over
        entry["reward"] = np.where(over, np.where((winner == agent) & ~illegal, 1, -1), 0)
        entry["remark"] = np.where(illegal, REMARK_ILLEGAL, np.where(~over & waits, REMARK_OPPONENT_AGAIN, 0))
        entry["plies"] = plies + np.where(entry["remark"], REMARK_OFFSET, np.where(over, OVER_OFFSET, 0))
        goes_on = turn * self.rows_per_seat + to.astype(np.int64) * self.rows_per_state
        entry["next"] = np.where(over, self.start_rows[(turn + 1) % len(self.start_rows)], goes_on)
        viewer: Any = seats[turn] if seats else flow.mover[to]
        entry["observation"] = self._observe(to, viewer)
        asked = self._acts(turn, to) & ~over
        entry["action_mask"] = np.where(asked[:, np.newaxis], flow.legal[to], True)  # noqa: FBT003 - where any will do
        menu = np.where(asked, self.sampler.set_index[np.minimum(to, self.states - 2)], self.sampler.any_action_set)
        entry["menu"] = menu * self.sampler.slots_per_set
        if self._oracle:
            self._oracle.write_values(entry, to, viewer, asked, illegal)
            actions = np.broadcast_to(np.arange(self.actions)[:, np.newaxis], shape).ravel()
            self._oracle.write_regret(entry, origin, actions, self._acts(turn, origin) & (origin < self.states - 1))
        return entry

    def _observe(self, rows: IntArray, viewer: int | IntArray) -> NDArray[Any]:
        """What the viewers see of these positions."""
        distinct, each = np.unique(rows, return_inverse=True)
        columns = self._transitions.columns
        positions = columns.positions_at(distinct)
        if isinstance(viewer, int):
            return self._encoder.rows(positions, viewer, len(distinct))[each]
        every = [self._encoder.rows(positions, player, len(distinct)) for player in self.options.book.players]
        seen: NDArray[Any] = np.stack(every)[viewer - 1, each]
        return seen


def _row_dtype(columns: SolutionArrays, *, oracle: bool) -> np.dtype[Any]:
    """What the bytes of a row mean, padded to a width that is looked up fast."""
    numbers = ObservationEncoder(columns.book).bounds[0]
    actions = columns.choices
    truth = [("distance", np.int32), ("delay", np.int32)]
    truth_in_bytes = [("value", np.int8), ("regret", np.int8), ("best_actions", np.int8, (actions,))]
    fields: list[Any] = [
        ("next", np.int64),
        ("reward", np.float32),
        ("plies", np.int32),
        ("menu", np.uint32),
        *(truth if oracle else []),
        ("observation", numbers.dtype, numbers.shape),
        ("over", np.bool_),
        ("remark", np.int8),
        ("action_mask", np.int8, (actions,)),
        *(truth_in_bytes if oracle else []),
    ]
    size = np.dtype(fields).itemsize
    width = next((width for width in ROW_WIDTHS_BYTES if size <= width), -(-size // 8) * 8)
    return np.dtype([*fields, ("padding", np.uint8, (width - size,))])
