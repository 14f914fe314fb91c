"""Every step of a book worked out beforehand: a row for each position, each action and each side of a throw.

A row has where the game goes on, the reward, whether it is over, and what the agent is then shown. So a step of ten
thousand games is one look-up, beginning anew included: the state after the end leads to the start, whatever is done.
Bots in the other seats are part of it; their chance is a throw of a die with as many sides as make each of their moves
as likely as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.envs.columns import Columns, Ints, Truths
from numberline.solver.solution import MEMORY
from numberline.solver.table import TooLarge, in_words

ILLEGAL, AGAIN = 1, 2
"""What a row may have to say: the action was illegal; another seat is to move once more before the agent is."""
OVER, NOTABLE = -(1 << 30), 1 << 30
"""Added to the plies of a row: a game that is over has less than none whatever came before, one with a remark too many.

So one look at the sums of all games tells whether there is anything to see to.
"""
WIDTHS = (16, 32)
"""Rows of so many bytes are looked up faster than any others."""
WHILE_MADE = 100
"""About how many bytes a row takes while the table is made, besides its own."""
EVERYBODY = 0
"""The seat of an agent that plays for all seats."""


@dataclass(frozen=True, slots=True)
class Dense:
    """The table of a book for one way to sit at it."""

    rows: NDArray[np.uint8]
    """The rows as bytes; `kind` says what they mean."""
    kind: np.dtype[Any]
    sides: int
    begins: Ints
    """For each seat that the agent takes, the first row of the state before the game."""
    remarks: int
    """The largest remark that any row has."""
    to: Ints
    """For each row, the number of the position that is then on the table."""

    @property
    def each(self) -> int:
        """How many rows each seat has."""
        return len(self.rows) // len(self.begins)

    @property
    def block(self) -> int:
        """How many rows each state has."""
        return self.each - int(self.begins[0])

    def is_begin(self, index: Ints) -> Truths:
        """Which of these rows are of a state before the game."""
        before: Truths = index % self.each >= self.each - self.block
        return before

    def state_after(self, index: Ints) -> Ints:
        """The first row of the state of the position that each of these rows leads to."""
        return index // self.each * self.each + self.to[index] * self.block

    def read(self, rows: NDArray[np.uint8]) -> NDArray[Any]:
        """The rows as records."""
        return rows.view(self.kind)[:, 0]


class Steps(NamedTuple):
    """What the steps from each state lead to; the axes are the state, the action and the side of the throw."""

    to: Ints
    plies: Ints
    illegal: Truths


def kind_of(columns: Columns) -> np.dtype[Any]:
    """What the bytes of a row mean, padded to a width that is looked up fast."""
    seen = columns.seen_from(1)
    fields: list[Any] = [
        ("next", np.int64),
        ("reward", np.float32),
        ("plies", np.int32),
        ("observation", seen.dtype, (seen.shape[1],)),
        ("over", np.bool_),
        ("remark", np.int8),
        ("action_mask", np.int8, (columns.choices,)),
    ]
    size = np.dtype(fields).itemsize
    width = next((width for width in WIDTHS if size <= width), -(-size // 8) * 8)
    return np.dtype([*fields, ("padding", np.uint8, (width - size,))])


def make_dense(columns: Columns, seats: tuple[int, ...], first: int, replies: Ints | None) -> Dense:
    """The table for an agent that takes these seats game after game; without replies it plays for everybody."""
    kind = kind_of(columns)
    sides = 1 if replies is None else replies.shape[1]
    each = (len(columns.mover) + 1) * columns.choices * sides
    check_memory(columns.book, len(columns.mover), len(seats) * sides, kind.itemsize)
    rows = np.zeros(len(seats) * each, kind)
    begins = np.array([each * (n + 1) - columns.choices * sides for n in range(len(seats))])
    to = np.empty(len(rows), np.int64)
    for n, seat in enumerate(seats):
        part = slice(n * each, (n + 1) * each)
        steps = _steps(columns, seat, columns.number(columns.book.start(first)), replies)
        _enter(rows[part], columns, seat, steps, n * each, int(begins[(n + 1) % len(seats)]))
        to[part] = steps.to.ravel()
    as_bytes = rows.view(np.uint8).reshape(len(rows), kind.itemsize)
    return Dense(as_bytes, kind, sides, begins, int(rows["remark"].max()), to)


def check_memory(book: Book, positions: int, copies: int = 1, width: int = WIDTHS[-1]) -> None:
    """Raises `TooLarge` where a table with so many copies of every position and action would not fit."""
    needed = copies * positions * len(book.engine.choices) * (width + WHILE_MADE)
    if needed > MEMORY:
        told = f"many games of {book.variant} at once would need {in_words(needed)} of memory"
        raise TooLarge(f"{told}; the limit is {in_words(MEMORY)}")


def _steps(columns: Columns, seat: int, start: int, replies: Ints | None) -> Steps:
    """The steps from every position, and last from the state before the game, where every action leads to the start."""
    here = np.arange(len(columns.mover))[:, np.newaxis]
    after = columns.after[:, : columns.choices]
    acts = columns.choice if seat == EVERYBODY else columns.choice & (columns.mover == seat)
    moves = acts[:, np.newaxis] & columns.legal
    to = np.where(moves, columns.settled[after], here)
    plies = np.where(moves, 1 + columns.passed[after], 0)
    illegal = acts[:, np.newaxis] & ~columns.legal
    begin = np.full((1, columns.choices), columns.settled[start])
    to = np.concatenate([to, begin])
    plies = np.concatenate([plies, np.full_like(begin, columns.passed[start])])
    illegal = np.concatenate([illegal, np.zeros(begin.shape, np.bool_)])
    if replies is None:
        return Steps(to[..., np.newaxis], plies[..., np.newaxis], illegal[..., np.newaxis])
    return _answered(columns, seat, Steps(to, plies, illegal), replies)


def _answered(columns: Columns, seat: int, steps: Steps, replies: Ints) -> Steps:
    """The same steps once whoever is to move in another seat has replied, for each side of the throw."""
    waits = _waits(columns, seat, steps.to) & ~steps.illegal
    to, plies = [], []
    for side in range(replies.shape[1]):
        reached = columns.after[steps.to, replies[steps.to, side]]
        to.append(np.where(waits, columns.settled[reached], steps.to))
        plies.append(steps.plies + np.where(waits, 1 + columns.passed[reached], 0))
    illegal = np.repeat(steps.illegal[..., np.newaxis], replies.shape[1], axis=2)
    return Steps(np.stack(to, axis=2), np.stack(plies, axis=2), illegal)


def _waits(columns: Columns, seat: int, to: Ints) -> Truths:
    """Where somebody else is to choose."""
    if seat == EVERYBODY:
        return np.zeros(to.shape, np.bool_)
    waits: Truths = columns.choice[to] & (columns.mover[to] != seat)
    return waits


def _enter(rows: NDArray[Any], columns: Columns, seat: int, steps: Steps, offset: int, then: int) -> None:
    """Fills in one seat's rows; they begin at `offset`, and a game that is over goes on at the row `then`."""
    block = steps.to.shape[1] * steps.to.shape[2]
    to, illegal = steps.to.ravel(), steps.illegal.ravel()
    live = np.arange(len(to)) < len(to) - block  # all but the last state, which is before the game
    winner = columns.winner[to]
    agent = np.append(columns.mover, 0).repeat(block) if seat == EVERYBODY else seat
    over = live & ((winner != 0) | illegal)
    rows["over"] = over
    rows["reward"] = np.where(over, np.where((winner == agent) & ~illegal, 1, -1), 0)
    rows["remark"] = np.where(illegal, ILLEGAL, np.where(~over & _waits(columns, seat, to), AGAIN, 0))
    rows["plies"] = steps.plies.ravel() + np.where(rows["remark"], NOTABLE, np.where(over, OVER, 0))
    rows["next"] = np.where(over, then, offset + to * block)
    seen = np.stack([columns.seen_from(number) for number in range(1, columns.book.rules.players + 1)])
    rows["observation"] = seen[(columns.mover[to] if seat == EVERYBODY else seat) - 1, to]
    rows["action_mask"] = columns.legal[to] & ~(over | _waits(columns, seat, to))[:, np.newaxis]
