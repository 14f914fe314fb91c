"""The positions of a book as programs walk through them: each is looked at once, when a game first gets there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.envs.observation import ObservationEncoder
from numberline.game.book import Book
from numberline.game.match import parse_legal_move
from numberline.game.move_text import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES, OUT, PASS, Move
from numberline.game.position import Outcome, Position
from numberline.text import safe_repr


class PositionGraph:
    """All junctions of one book, as far as games have got. An action is the number of a move in `actions`."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.encoder = ObservationEncoder(book)
        can_be_out = book.rules.stuck == "loses" and book.rules.players > 2
        self.actions: tuple[Move, ...] = (*book.choices, PASS, *([OUT] if can_be_out else []))
        """The move of every action: the book's choices, then what happens to a player who has none."""
        self._all: dict[Position, GraphNode] = {}
        self.refusal = lru_cache(10_000)(self._refusal)

    def __deepcopy__(self, memo: object) -> PositionGraph:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return position_graph, (self.book,)

    def node(self, position: Position) -> GraphNode:
        """The junction of a position, looked at."""
        junction = self.get_or_create(position)
        if not junction.expanded:
            junction.expand()
        return junction

    def get_or_create(self, position: Position) -> GraphNode:
        """The junction of a position, which nobody may have looked at yet."""
        junction = self._all.get(position)
        if junction is None:
            junction = self._all[position] = GraphNode(position, self)
        return junction

    def _refusal(self, position: Position, action: int, actions: int) -> str:
        """Why one of an agent's so many actions is not legal, and what is."""
        moves = self.book.moves(position)
        if not moves:
            return "the game is over"
        legal = legal_moves_sentence(moves)
        if action not in range(actions):
            return f"{safe_repr(action)} is not an action; the actions are 0 to {actions - 1}. {legal}"
        move = self.actions[action]
        return f"{move} is not allowed here: {self.book.why_not(position, move)}. {legal}"


@dataclass(slots=True, eq=False)  # slots, and no properties: a whole step of an environment takes a microsecond
class GraphNode:
    """A position and where each move leads from there."""

    position: Position
    junctions: PositionGraph
    expanded: bool = False
    """Whether all the rest is filled in."""
    after: dict[str, GraphNode] = field(init=False)
    """For each legal move the junction that it leads to, which nobody may have looked at yet."""
    by_action: tuple[GraphNode | None, ...] = field(init=False)
    """The same for each of the book's choices, None where it is not legal."""
    player_with_choice: int = field(init=False)
    """The player who has a choice; 0 where the turn is lost or the game is over."""
    outcome: Outcome | None = field(init=False)
    """Who has won and why, or None while the game goes on."""
    full_mask: NDArray[np.int8] = field(init=False)
    """For each action, 1 where it is legal."""
    mask: NDArray[np.int8] = field(init=False)
    """The same for the book's choices only."""
    rows: tuple[NDArray[Any], ...] = field(init=False)
    """What each player sees, from player 1 on."""
    copy_mask: Callable[[], NDArray[np.int8]] = field(init=False)
    copy_rows: tuple[Callable[[], NDArray[Any]], ...] = field(init=False)
    """The same in arrays of their own."""

    def __deepcopy__(self, memo: object) -> GraphNode:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return graph_node, (self.junctions.book, self.position)

    def expand(self) -> None:
        """Fills in what a game that gets here has to know."""
        junctions, book, position = self.junctions, self.junctions.book, self.position
        self.after = {move: junctions.get_or_create(after) for move, after in book.successors(position)}
        self.by_action = tuple(self.after.get(move) for move in book.choices)
        self.player_with_choice = position.turn if any(move not in FORCED_MOVES for move in self.after) else 0
        self.outcome = book.outcome(position)
        self.full_mask = np.array([move in self.after for move in junctions.actions], np.int8)
        self.mask = self.full_mask[: len(book.choices)]
        self.rows = tuple(junctions.encoder.row(position, player) for player in book.players)
        self.copy_mask, self.copy_rows = self.mask.copy, tuple(row.copy for row in self.rows)
        self.expanded = True


class FastMatch:
    """A match as environments play it: it knows where the game stands, and not how it got there."""

    __slots__ = ("_resigned", "junction", "length")

    def __init__(self, start: GraphNode) -> None:
        self.start_game(start)

    def start_game(self, start: GraphNode) -> None:
        """Begins a game, the one before being forgotten."""
        self.junction = start
        self.length = self._resigned = 0

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.junction.position

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves; nothing when the game is over."""
        return tuple(self.junction.after)

    @property
    def resigned(self) -> bool:
        """Whether the last ply was a resignation."""
        return self._resigned == self.length > 0

    def advance(self, reached: GraphNode) -> None:
        """Goes on to a junction that a legal move has led to."""
        if not reached.expanded:
            reached.expand()
        self.junction = reached
        self.length += 1

    def play(self, typed: str) -> None:
        """Plays a move; an unreadable or illegal one raises and changes nothing."""
        junction = self.junction
        reached = junction.after.get(typed)
        self.advance(reached or junction.after[parse_legal_move(junction.junctions.book, junction.position, typed)])

    def resign(self) -> None:
        """Puts the player to move out of the game."""
        junctions = self.junction.junctions
        self.advance(junctions.node(junctions.book.resigned(self.position)))
        self._resigned = self.length


@lru_cache(16)
def position_graph(book: Book) -> PositionGraph:
    """The junctions of a book, the same for all environments."""
    return PositionGraph(book)


def graph_node(book: Book, position: Position) -> GraphNode:
    """The junction of a position of a book, looked at."""
    return position_graph(book).node(position)
