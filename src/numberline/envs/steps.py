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

from numberline.book.book import Book
from numberline.bots import Bot, make_bot
from numberline.envs.observation import Observer
from numberline.envs.oracle import OracleColumns
from numberline.envs.replies import Replies, fewest_sides, refuse_thinkers, replies_of
from numberline.solver.columns import Columns, Ints, Truths
from numberline.solver.store import solution_of
from numberline.solver.table import MEMORY, NONE, TooLarge, bytes_a_position, in_words, make_table, most_positions

ILLEGAL, AGAIN = 1, 2
"""What a row may have to say: the action was illegal; another seat is to move once more before the agent is."""
OVER, NOTABLE = -(1 << 30), 1 << 30
"""Added to the plies of a row: a game that is over has less than none whatever came before, one with a remark too many.

So one look at the sums of all games tells whether there is anything to see to.
"""
WIDTHS = (16, 32)
"""Rows of so many bytes are looked up faster than any others."""
WHILE_MADE = 100
"""About how many bytes a row takes while it is made, besides its own."""
AT_ONCE = 300_000
"""A table with no more rows is filled at once."""
MOST_MEASURED = 300_000
"""The same, where it has to be told before anybody plays."""
MOST_LOTS = 5_040
"""There are no more lots than this to draw an action by."""
FEW_ACTIONS = 16
"""The menus of so many actions are told apart by their bits."""
MOST_WALKED = 20_000
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


def table_of(task: StepOptions) -> StepTable:
    """The table of a task; one that would not fit into memory raises `TooLarge`, soon."""
    book, opponent = task.book, task.opponent
    if not task.seats:
        return StepTable(task, Flow(columns_of(book), task.first, task.limit), None)
    bot = make_bot(opponent, book, Random(0)) if isinstance(opponent, str) else opponent
    if most_positions(book) * len(book.choices) * WIDTHS[-1] <= MEMORY:
        refuse_thinkers(bot)
    flow = Flow(columns_of(book), task.first, task.limit)
    columns = flow.columns
    asked = columns.live & flow.choice[:-1] & ((columns.mover != task.seats[0]) | (len(task.seats) > 1))
    _check_size(task, columns, fewest_sides(bot, columns, asked))  # before all of them are asked for
    return StepTable(task, flow, replies_of(bot, columns, asked))


def columns_of(book: Book) -> Columns:
    """All positions of a book, if the table of their steps fits into memory; else raises `TooLarge`, soon."""
    a_position = len(book.choices) * (WIDTHS[-1] + WHILE_MADE)
    try:
        # Where not all positions fit, the book is walked, in case that few of them can be reached.
        return solution_of(book, memory=MEMORY // a_position * bytes_a_position(book)).columns
    except TooLarge:
        raise too_large(book, most_positions(book) * a_position) from None


def too_large(book: Book, needed: int) -> TooLarge:
    """The refusal of a table that needs so many bytes."""
    would = f"many games of {book.variant} at once would need {in_words(needed)} of memory"
    return TooLarge(f"{would}; the limit is {in_words(MEMORY)}")


def _check_size(task: StepOptions, columns: Columns, sides: int) -> None:
    """Raises `TooLarge` where the rows for dice with so many sides don't fit into memory."""
    rows = (len(task.seats) or 1) * (columns.size + 1) * columns.choices * sides
    needed = rows * (_kind(columns, oracle=task.oracle).itemsize + (WHILE_MADE if rows <= AT_ONCE else 0))
    if needed > MEMORY:
        raise too_large(task.book, needed)


class Flow:
    """Where each choice leads once the turns that are lost after it are played: at most `limit` of them.

    There is one row more than there are positions: the state before the game, in which every choice leads to the start.
    """

    def __init__(self, columns: Columns, first: int, limit: int) -> None:
        self.columns = columns
        self.start = columns.number(columns.book.start(first))
        begin = np.full((1, columns.choices), self.start, np.int32)
        self.after: Ints = np.concatenate([columns.after[:, : columns.choices], begin])
        self.legal: Truths = self.after != NONE
        self.choice: Truths = self.legal[:, 0].copy()
        """Where somebody has a choice."""
        for column in self.legal.T[1:]:
            self.choice |= column
        self.mover = np.append(columns.mover, np.int8(0))
        self.winner = np.append(columns.winner, np.int8(0))
        self.settled: Ints = np.arange(columns.size, dtype=np.int32)
        """The position that each one leads to while nobody has a choice."""
        self.passed: Ints = np.zeros(columns.size, np.int32)
        """How many plies that takes."""
        if columns.choices < len(columns.moves):
            self._settle(columns.after[:, columns.choices :].max(axis=1), limit)

    def _settle(self, forced: Ints, limit: int) -> None:
        self.settled = np.where(forced == NONE, self.settled, forced)
        self.passed = (forced != NONE).astype(np.int32)
        for _ in range(limit.bit_length()):  # two turns lost, then four, then eight
            further = self.passed[self.settled]
            if not further.any():
                break
            self.passed = np.minimum(self.passed + further, limit)
            self.settled = self.settled[self.settled]

    def longest(self, limit: int) -> int | None:
        """The most plies that a game can take; None where that is more than the limit, or the book is large."""
        if self.columns.size > MOST_WALKED:
            return None
        longest = longest_game(self.columns.after, self.start)
        return longest if longest is not None and longest <= limit else None


def longest_game(after: Ints, start: int) -> int | None:
    """The most plies that can be played from a row of a table; None where they can go round for ever."""
    reached = np.zeros(len(after), np.bool_)
    reached[start] = True
    layer = np.array([start])
    while layer.size:
        following = np.unique(after[layer])
        layer = following[(following != NONE) & ~reached[following]]
        reached[layer] = True
    moves = after[reached]
    ways = np.bincount(moves[moves != NONE], minlength=len(after))  # that lead to each row and were not walked yet
    left, plies, layer = int(reached.sum()), -1, np.array([start])
    while layer.size and not ways[layer].any():
        left, plies = left - len(layer), plies + 1
        following, met = np.unique(after[layer], return_counts=True)
        met, following = met[following != NONE], following[following != NONE]
        ways[following] -= met
        layer = following[ways[following] == 0]
    return plies if left == 0 else None


@lru_cache(64)
def longest_of(book: Book) -> int | None:
    """The most plies that a game of a book can take; None where it can go round for ever, or the book is large."""
    if most_positions(book) > MOST_MEASURED:
        return None
    table = make_table(book)
    after = np.stack([np.asarray(column) for column in table.after], axis=1)
    return longest_game(after, table.numbering.number(book.start()))


class Menus(NamedTuple):
    """What can be chosen, by number: equal choices have the same one."""

    of: Ints
    """The number for each position."""
    every: int
    """The number of the choice among all actions."""
    lots: int
    """How many lots there are to draw from, the same for all numbers."""
    actions: Ints
    """The action of each lot, number after number: each has all its actions equally often."""


def menus_of(legal: Truths) -> Menus:
    """The menus of these rows of legal actions."""
    actions = legal.shape[1]
    if actions <= FEW_ACTIONS:
        key: Ints = np.zeros(len(legal), np.uint8 if actions <= 8 else np.uint16)
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
    lots = min(math.lcm(*np.unique(lengths).tolist()), MOST_LOTS)
    first = np.argsort(~distinct, axis=1, kind="stable")  # the legal ones first
    drawn = np.take_along_axis(first, np.arange(lots) * lengths // lots, axis=1)
    return Menus(of.reshape(-1), len(distinct) - 1, lots, drawn.ravel())


class StepTable:
    """The steps of a task. A state is a position in one of the agent's seats; the last of each seat is before the game.

    Copies share it, and in another process it is made anew.
    """

    def __init__(self, task: StepOptions, flow: Flow, replies: Replies | None) -> None:
        columns, copies = flow.columns, len(task.seats) or 1
        self.task = task
        self.actions = columns.choices
        self.sides = replies.sides if replies else 1
        _check_size(task, columns, self.sides)
        self.block = self.actions * self.sides
        """How many rows each state has."""
        self.states = columns.size + 1
        """How many states each of the agent's seats has."""
        self.each = self.states * self.block
        """How many rows each of the agent's seats has."""
        self.menus = menus_of(columns.legal[:, : self.actions])
        self.kind = _kind(columns, oracle=task.oracle)
        self.remarks = 0
        """The largest remark that any row has so far."""
        self.begins: Ints = np.arange(1, copies + 1) * self.each - self.block
        """For each of the agent's seats, the first row of the state before the game."""
        self.longest = flow.longest(task.limit)
        """The most plies that a game can take; None where that is more than the limit, or not known."""
        self._flow, self._replies = flow, replies
        self._observer = Observer(task.book)
        self._oracle = OracleColumns(columns, self.actions) if task.oracle else None
        self.rows = np.zeros((copies * self.each, self.kind.itemsize), np.uint8)
        """The rows as bytes; `kind` says what they mean. Memory that nobody has written to takes up none."""
        self.known = np.zeros(copies * self.states, np.bool_)
        """Which states have their rows."""
        self.whole = len(self.rows) <= AT_ONCE
        """Whether all of them have."""
        if self.whole:
            self.fill(np.arange(len(self.known)))

    def __deepcopy__(self, memo: object) -> StepTable:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return table_of, (self.task,)

    def look_up(self, index: Ints) -> NDArray[np.uint8]:
        """A copy of these rows."""
        if not self.whole:
            states = index // self.block
            known = self.known[states]
            if not known.all():
                self.fill(np.unique(states[~known]))
        return self.rows.take(index, axis=0, mode="clip")  # no row is out of range, and "clip" need not ask

    def is_begin(self, index: Ints) -> Truths:
        """Which of these rows are of a state before the game."""
        before: Truths = index % self.each >= self.each - self.block
        return before

    def state_after(self, index: Ints) -> Ints:
        """For each of these rows, the first row of the state that is then on the table."""
        seats, rest = np.divmod(index, self.each)
        states, rest = np.divmod(rest, self.block)
        actions, sides = np.divmod(rest, self.sides)
        to = np.empty(len(index), np.int64)
        for seat in range(len(self.begins)):
            here = seats == seat
            reached, *_ = self._reached(seat, states[here])
            to[here] = reached[np.arange(len(reached)), actions[here], sides[here] if reached.shape[2] > 1 else 0]
        after: Ints = seats * self.each + to * self.block
        return after

    def fill(self, states: Ints) -> None:
        """Works out the rows of these states."""
        for seat in range(len(self.begins)):
            here = states[(states >= seat * self.states) & (states < (seat + 1) * self.states)]
            rows = (here[:, np.newaxis] * self.block + np.arange(self.block)).ravel()
            if here.size:
                entries = self._entries(seat, here - seat * self.states)
                self.remarks = max(self.remarks, int(entries["remark"].max()))
                self.rows[rows] = entries.view(np.uint8).reshape(len(rows), self.kind.itemsize)
        self.known[states] = True

    def _acts(self, turn: int, rows: Ints) -> Truths:
        """Where the agent has a choice; before the game it always has."""
        seats, flow = self.task.seats, self._flow
        if not seats:
            return flow.choice[rows]
        mine: Truths = flow.choice[rows] & ((flow.mover[rows] == seats[turn]) | (rows == self.states - 1))
        return mine

    def _waits(self, turn: int, rows: Ints) -> Truths:
        """Where some other seat is to choose."""
        return self._flow.choice[rows] & ~self._acts(turn, rows)

    def _reached(self, turn: int, here: Ints) -> tuple[Ints, Ints, Truths]:
        """By state, action and side: the position that is then on the table, the plies, and what was illegal."""
        flow, replies = self._flow, self._replies
        acts = self._acts(turn, here)[:, np.newaxis]
        legal, reached = flow.legal[here], flow.after[here]
        illegal, moves = acts & ~legal, acts & legal  # elsewhere an action leaves everything as it is
        to = np.where(moves, flow.settled[reached], here[:, np.newaxis])[..., np.newaxis]
        plies = np.where(moves, 1 + flow.passed[reached], 0)[..., np.newaxis]
        plies[here == self.states - 1] -= 1  # the game only begins
        illegal = illegal[..., np.newaxis]
        if replies is not None:
            replied = self._waits(turn, to) & ~illegal
            answers = replies.faces[replies.die[np.minimum(to[..., 0], self.states - 2)]]
            reached = flow.after[to, answers]
            to = np.where(replied, flow.settled[reached], to)
            plies = plies + np.where(replied, 1 + flow.passed[reached], 0)
        return to, plies, illegal

    def _entries(self, turn: int, here: Ints) -> NDArray[Any]:
        """The rows of these states of one of the agent's seats; after a game they lead to the next of its seats."""
        flow, seats = self._flow, self.task.seats
        reached, plies, illegal = self._reached(turn, here)
        shape = (len(here), self.actions, self.sides)
        to, plies, illegal = (np.broadcast_to(part, shape).ravel() for part in (reached, plies, illegal))
        origin = here.repeat(self.block)
        winner, waits = flow.winner[to], self._waits(turn, to)
        over = ((winner != 0) | illegal) & (origin < self.states - 1)
        # What happens before the agent can do anything ends with its first step.
        agent: Any = seats[turn] if seats else flow.mover[origin]
        entry = np.zeros(len(to), self.kind)
        entry["over"] = over
        entry["reward"] = np.where(over, np.where((winner == agent) & ~illegal, 1, -1), 0)
        entry["remark"] = np.where(illegal, ILLEGAL, np.where(~over & waits, AGAIN, 0))
        entry["plies"] = plies + np.where(entry["remark"], NOTABLE, np.where(over, OVER, 0))
        goes_on = turn * self.each + to.astype(np.int64) * self.block
        entry["next"] = np.where(over, self.begins[(turn + 1) % len(self.begins)], goes_on)
        viewer: Any = seats[turn] if seats else flow.mover[to]
        entry["observation"] = self._seen(to, viewer)
        asked = self._acts(turn, to) & ~over
        entry["action_mask"] = np.where(asked[:, np.newaxis], flow.legal[to], True)  # noqa: FBT003 - where any will do
        menu = np.where(asked, self.menus.of[np.minimum(to, self.states - 2)], self.menus.every)
        entry["menu"] = menu * self.menus.lots
        if self._oracle:
            self._oracle.enter(entry, to, viewer, asked, illegal)
            actions = np.broadcast_to(np.arange(self.actions)[:, np.newaxis], shape).ravel()
            self._oracle.enter_lost(entry, origin, actions, self._acts(turn, origin) & (origin < self.states - 1))
        return entry

    def _seen(self, rows: Ints, viewer: int | Ints) -> NDArray[Any]:
        """What the viewers see of these positions."""
        distinct, each = np.unique(rows, return_inverse=True)
        columns = self._flow.columns
        positions = columns.positions_at(distinct)
        if isinstance(viewer, int):
            return self._observer.rows(positions, viewer, len(distinct))[each]
        every = [self._observer.rows(positions, player, len(distinct)) for player in self.task.book.players]
        seen: NDArray[Any] = np.stack(every)[viewer - 1, each]
        return seen


def _kind(columns: Columns, *, oracle: bool) -> np.dtype[Any]:
    """What the bytes of a row mean, padded to a width that is looked up fast."""
    numbers = Observer(columns.book).bounds[0]
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
    width = next((width for width in WIDTHS if size <= width), -(-size // 8) * 8)
    return np.dtype([*fields, ("padding", np.uint8, (width - size,))])
