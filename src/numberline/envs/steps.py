"""Every step of a book worked out beforehand: a row for each position, each action and each side of a throw.

A row has where the game goes on, the reward, whether it is over, and what the agent is then shown. So a step of ten
thousand games is one look-up, beginning anew included: the state after the end leads to the start, whatever is done.
Bots in the other seats are part of it; their chance is a throw of a die with as many sides as make each of their moves
as likely as it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numberline.book.book import Book
from numberline.bots import Bot, Odds
from numberline.envs.observation import Observer
from numberline.envs.seating import EnvError
from numberline.solver.columns import Columns, Ints, Truths
from numberline.solver.store import solution_of
from numberline.solver.table import MEMORY, NONE, TooLarge, bytes_a_position, in_words, most_positions

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
MOST_SIDES = 240
"""A throw has no more sides than this; chances that would need more are rounded to them."""


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


class Flow:
    """Where each choice leads once the turns that are lost after it are played: at most `limit` of them.

    There is one row more than there are positions: the state before the game, in which every choice leads to the start.
    """

    def __init__(self, columns: Columns, first: int, limit: int) -> None:
        self.columns = columns
        start = np.full((1, columns.choices), columns.number(columns.book.start(first)))
        self.after: Ints = np.concatenate([columns.after[:, : columns.choices], start])
        self.legal: Truths = self.after != NONE
        self.choice: Truths = self.legal.any(axis=1)
        """Where somebody has a choice."""
        forced = columns.after[:, columns.choices :].max(axis=1, initial=NONE)
        self.settled: Ints = np.where(forced == NONE, np.arange(columns.size), forced)
        """The position that each one leads to while nobody has a choice."""
        self.passed: Ints = (forced != NONE).astype(np.int64)
        """How many plies that takes."""
        for _ in range(limit.bit_length()):  # two turns lost, then four, then eight
            self.passed = np.minimum(self.passed + self.passed[self.settled], limit)
            self.settled = self.settled[self.settled]

    def longest(self, limit: int) -> int | None:
        """The most plies that a game can take; None where that is more than the limit, or the book is large."""
        after, size = self.columns.after, self.columns.size
        plies = np.zeros(size, np.int64)
        for _ in range(min(limit, size) + 1 if size <= 20_000 else 0):  # more than positions: it goes round
            further = np.where(after == NONE, 0, plies[after] + 1).max(axis=1)
            if (further == plies).all():
                return int(plies.max())
            plies = further
        return None


def replies_of(bot: Bot, flow: Flow, seats: tuple[int, ...]) -> Ints:
    """For each position and each side of a throw, the move that the bot plays there; 0 where it is never asked.

    `seats` are the agent's; with a single one, the bot is not asked there.
    """
    columns = flow.columns
    asked = columns.live & flow.choice[:-1] & ((columns.mover != seats[0]) | (len(seats) > 1))
    rows = np.flatnonzero(asked).tolist()
    likely = [bot.odds(columns.position(row)) or _refuse(bot) for row in rows]
    sides = min(math.lcm(*{chance.denominator for odds in likely for chance in odds.values()}), MOST_SIDES)
    replies = np.zeros((columns.size, sides), np.int64)
    order: dict[str, int] = {move: n for n, move in enumerate(columns.moves)}
    for row, odds in zip(rows, likely, strict=True):
        replies[row] = [order[move] for move, share in _shared_out(odds, sides).items() for _ in range(share)]
    return replies


def _refuse(bot: Bot) -> Odds:
    raise EnvError(f"{bot.name} thinks anew on every move; many games at once need random, greedy, a level or perfect")


def _shared_out(odds: Odds, sides: int) -> dict[str, int]:
    """How many sides of a throw each move gets; those left over go to the largest remainders.

    >>> from fractions import Fraction
    >>> _shared_out({"1": Fraction(1, 3), "2": Fraction(2, 3)}, 7)
    {'1': 2, '2': 5}
    """
    shares = {move: int(chance * sides) for move, chance in odds.items()}
    remainders = sorted(odds, key=lambda move: shares[move] - odds[move] * sides)
    for move in remainders[: sides - sum(shares.values())]:
        shares[move] += 1
    return shares


class StepTable:
    """The steps of an agent that takes these seats game after game; without any seats it plays for everybody."""

    def __init__(self, flow: Flow, seats: tuple[int, ...], replies: Ints | None) -> None:
        columns, copies = flow.columns, len(seats) or 1
        self.actions = columns.choices
        self.sides = 1 if replies is None else replies.shape[1]
        self.block = self.actions * self.sides
        """How many rows each state has."""
        self.each = (columns.size + 1) * self.block
        """How many rows each of the agent's seats has."""
        self.kind = _kind(columns)
        if (needed := copies * self.each * (self.kind.itemsize + WHILE_MADE)) > MEMORY:
            raise too_large(columns.book, needed)
        self.begins: Ints = np.arange(1, copies + 1) * self.each - self.block
        """For each of the agent's seats, the first row of the state before the game."""
        self.to = np.empty(copies * self.each, np.int64)
        """For each row, the position that is then on the table."""
        rows = np.zeros(len(self.to), self.kind)
        for turn, seat in enumerate(seats or (None,)):
            self._enter(rows, flow, turn, seat, replies)
        self.remarks = int(rows["remark"].max())
        """The largest remark that any row has."""
        self.rows = rows.view(np.uint8).reshape(len(rows), self.kind.itemsize)
        """The rows as bytes; `kind` says what they mean."""

    def is_begin(self, index: Ints) -> Truths:
        """Which of these rows are of a state before the game."""
        before: Truths = index % self.each >= self.each - self.block
        return before

    def _enter(self, rows: Ints, flow: Flow, turn: int, seat: int | None, replies: Ints | None) -> None:
        """Fills in the rows of one of the agent's seats; after a game they lead to the next of its seats."""
        columns, acts = flow.columns, flow.choice.copy()
        if seat is not None:  # else the agent plays for everybody; before the game it is always to choose
            acts[:-1] &= columns.mover == seat
        waits = flow.choice & ~acts  # some other seat is to choose
        illegal = acts[:, np.newaxis] & ~flow.legal
        moves = acts[:, np.newaxis] & flow.legal  # elsewhere an action leaves everything as it is
        to = np.where(moves, flow.settled[flow.after], np.arange(len(acts))[:, np.newaxis])[..., np.newaxis]
        plies = np.where(moves, 1 + flow.passed[flow.after], 0)[..., np.newaxis]
        plies[-1] -= 1  # the game only begins
        if replies is not None:
            replied = waits[to] & ~illegal[..., np.newaxis]
            reached = flow.after[to, replies[to[..., 0]]]
            to = np.where(replied, flow.settled[reached], to)
            plies = plies + np.where(replied, 1 + flow.passed[reached], 0)
        to, plies, illegal = to.ravel(), plies.ravel(), illegal.repeat(self.sides)
        winner = columns.winner[to]
        over = (winner != 0) | illegal
        over[-self.block :] = False  # what happens before the agent can do anything ends with its first step
        agent = np.append(columns.mover, 0).repeat(self.block) if seat is None else seat
        part = slice(turn * self.each, (turn + 1) * self.each)
        self.to[part], entry = to, rows[part]
        entry["over"] = over
        entry["reward"] = np.where(over, np.where((winner == agent) & ~illegal, 1, -1), 0)
        entry["remark"] = np.where(illegal, ILLEGAL, np.where(~over & waits[to], AGAIN, 0))
        entry["plies"] = plies + np.where(entry["remark"], NOTABLE, np.where(over, OVER, 0))
        entry["next"] = np.where(over, self.begins[(turn + 1) % len(self.begins)], part.start + to * self.block)
        observer = Observer(columns.book)
        seen = np.stack([observer.rows(columns.positions, player, columns.size) for player in columns.book.players])
        entry["observation"] = seen[(columns.mover[to] if seat is None else seat) - 1, to]
        entry["action_mask"] = flow.legal[to] & ~(over | waits[to])[:, np.newaxis]


def _kind(columns: Columns) -> np.dtype[Any]:
    """What the bytes of a row mean, padded to a width that is looked up fast."""
    numbers = Observer(columns.book).bounds[0]
    fields: list[Any] = [
        ("next", np.int64),
        ("reward", np.float32),
        ("plies", np.int32),
        ("observation", numbers.dtype, numbers.shape),
        ("over", np.bool_),
        ("remark", np.int8),
        ("action_mask", np.int8, (columns.choices,)),
    ]
    size = np.dtype(fields).itemsize
    width = next((width for width in WIDTHS if size <= width), -(-size // 8) * 8)
    return np.dtype([*fields, ("padding", np.uint8, (width - size,))])
