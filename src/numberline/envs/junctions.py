"""The positions of a book as programs walk through them: each is looked at once, when a game first gets there."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.book.refusal import you_can_play
from numberline.envs.observation import Observer
from numberline.match import legal_move
from numberline.rules.moves import OUT, PASS, Move
from numberline.rules.position import Outcome, Position

KEPT = 16
"""The junctions of so many books are kept for all environments to share."""
REMEMBERED = 10_000
"""So many reasons against illegal actions are kept with a book."""


class Junctions:
    """All junctions of one book, as far as games have got. An action is the number of a move in `actions`."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.observer = Observer(book)
        can_be_out = book.rules.stuck == "loses" and book.rules.players > 2
        self.actions: tuple[Move, ...] = (*book.choices, PASS, *([OUT] if can_be_out else []))
        """The move of every action: the book's choices, then what happens to a player who has none."""
        self._all: dict[Position, Junction] = {}
        self.refusal = lru_cache(REMEMBERED)(self._refusal)

    def at(self, position: Position) -> Junction:
        """The junction of a position."""
        junction = self._all.get(position)
        if junction is None:
            junction = self._all[position] = Junction(position, self)
        return junction

    def _refusal(self, position: Position, action: int, actions: int) -> str:
        """Why one of an agent's so many actions is not legal, and what is."""
        legal = you_can_play(self.book.moves(position))
        if action not in range(actions):
            return f"{action} is not an action; the actions are 0 to {actions - 1}. {legal}"
        move = self.actions[action]
        return f"{move} is not allowed here: {self.book.why_not(position, move)}. {legal}"


class Junction:
    """A position and where each move leads from there; what is asked of it is worked out once."""

    def __init__(self, position: Position, junctions: Junctions) -> None:
        self.position = position
        self.turn = position.turn
        self.junctions = junctions

    @cached_property
    def after(self) -> dict[str, Junction]:
        """The junction that each legal move leads to; nothing when the game is over."""
        return {move: self.junctions.at(after) for move, after in self.junctions.book.followers(self.position)}

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """The legal moves."""
        return tuple(self.after)

    @cached_property
    def outcome(self) -> Outcome | None:
        """Who has won and why, or None while the game goes on."""
        return self.junctions.book.outcome(self.position)

    @cached_property
    def every_mask(self) -> NDArray[np.int8]:
        """For each action, 1 where it is legal."""
        return np.array([move in self.after for move in self.junctions.actions], np.int8)

    @cached_property
    def mask(self) -> NDArray[np.int8]:
        """The same for the book's choices only."""
        return self.every_mask[: len(self.junctions.book.choices)]

    @cached_property
    def rows(self) -> tuple[NDArray[Any], ...]:
        """What each player sees, from player 1 on."""
        observer = self.junctions.observer
        return tuple(observer.row(self.position, player) for player in self.junctions.book.players)


class QuickMatch:
    """A match as environments play it: it knows where the game stands, and not how it got there."""

    __slots__ = ("junction", "length", "resigned")

    def __init__(self, start: Junction) -> None:
        self.junction = start
        self.length = 0
        """How many plies were played."""
        self.resigned = False
        """Whether the last ply was a resignation."""

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.junction.position

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves; nothing when the game is over."""
        return self.junction.moves

    def play(self, typed: str) -> None:
        """Plays a move; an unreadable or illegal one raises and changes nothing."""
        junction = self.junction
        reached = junction.after.get(typed)
        if reached is None:
            reached = junction.after[legal_move(junction.junctions.book, junction.position, typed)]
        self.go(reached)

    def resign(self) -> None:
        """Puts the player to move out of the game."""
        junctions = self.junction.junctions
        self.go(junctions.at(junctions.book.resigned(self.position)))
        self.resigned = True

    def go(self, reached: Junction) -> None:
        """Goes on to a junction that a legal move has led to."""
        self.junction = reached
        self.length += 1
        self.resigned = False


@lru_cache(KEPT)
def junctions_of(book: Book) -> Junctions:
    """The junctions of a book, the same for all who ask."""
    return Junctions(book)
