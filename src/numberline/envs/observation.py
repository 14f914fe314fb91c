"""Observations of a position: integer rows, action masks, text and images, and the oracle's exact values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from numberline.explain.text_board import marks_by_place, render_inline, visible_places
from numberline.game import Book, Position
from numberline.game.graph import MAX_NODES_PER_GRAPH, GraphNode, PositionGraph
from numberline.game.move_text import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES, OUT, PASS, Move
from numberline.solver.arrays import NOT_FORCED
from numberline.solver.cache import cached_solution
from numberline.text import safe_repr

IntRow = NDArray[Any]
CELL_WIDTH_PX, IMAGE_HEIGHT_PX = 28, 44
MAX_LINE_CELLS, CONTEXT_CELLS = 40, 4
"""Maximum length of a line shown in full, and number of cells shown around tokens, goals and ends of a longer line."""
BACKGROUND_RGB, INK_RGB, GOAL_RGB = (250, 248, 242), (40, 40, 40), (255, 226, 140)
PLAYER_RGB = ((208, 60, 50), (40, 96, 190), (34, 140, 80), (200, 130, 20), (130, 70, 160), (20, 140, 150))
DIGIT_GLYPHS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122",
    "8": "75757", "9": "75717", "-": "00700",
}  # fmt: skip
"""Glyphs of 3x5 pixels: each octal digit encodes the three pixels of one row."""
LOSS_VALUE = -1
OracleInfo = dict[str, Any]


class ObservationEncoder:
    """Encoder that turns positions into integer rows, as seen from one seat.

    All rows of a book have the same columns: the seat; the place of each token (own tokens first, then each following
    player's), or of the shared marker; the banned step, if the rules ban repeats; and, with more than two players, a
    flag for each player, which is 1 if that player is out.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self.players = book.rules.players
        self._bans = book.rules.repeat == "banned"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; `player +1` is the next player in turn order.

        >>> import numberline as nl
        >>> ObservationEncoder(nl.book("line-runner(repeat=banned)")).names
        ('seat', 'own token', 'player +1 token', 'banned')
        """
        return tuple(self._limits)

    @cached_property
    def bounds(self) -> tuple[IntRow, IntRow]:
        """The minimum and the maximum of each column."""
        low, high = np.array(list(self._limits.values())).T
        dtype = np.int16 if low.min() >= -(1 << 15) and high.max() < 1 << 15 else np.int32
        return low.astype(dtype), high.astype(dtype)

    @cached_property
    def _limits(self) -> dict[str, tuple[int, int]]:
        count, others = self.book.rules.tokens, range(1, self.players)
        names = ["own token", *(f"player +{on} token" for on in others)]
        tokens = [f"{name} {n}" if count > 1 else name for name in names for n in range(1, count + 1)]
        limits = {"seat": (1, self.players)}
        spans = self.book.token_ranges
        places = min(span.start for span in spans), max(span.stop for span in spans) - 1
        limits |= dict.fromkeys(["marker"] if self.book.rules.shared else tokens, places)
        if self._bans:
            limits["banned"] = 0, max(move.stride for move in self.book.choices)
        if self.players > 2:
            limits |= dict.fromkeys(["own out", *(f"player +{on} out" for on in others)], (0, 1))
        return limits

    def row(self, position: Position, seat: int) -> IntRow:
        """Return the observation of one position, as seen from `seat`."""
        return np.array(self.columns(position, seat), self.bounds[0].dtype)

    def rows(self, positions: Position, seat: int, size: int) -> IntRow:
        """Return the observations of `size` positions, one per row; the fields of `positions` are arrays or scalars."""
        columns = self.columns(positions, seat)
        dtype = self.bounds[0].dtype
        return np.stack([np.broadcast_to(np.asarray(column, dtype), size) for column in columns], axis=1)

    def columns(self, position: Position, seat: int) -> Sequence[Any]:
        """Return the values of the columns: scalars for a single position, arrays for a batch of positions."""
        order = [(seat - 1 + on) % self.players + 1 for on in range(self.players)]
        numbers: list[Any] = [seat]
        if self.book.rules.shared:
            numbers += position.tokens
        else:
            numbers += [place for player in order for place in self.book.tokens_of(position, player)]
        if self._bans:
            numbers.append(position.last)
        if self.players > 2:
            numbers += [position.is_out(player) for player in order]
        return numbers


_encoder = lru_cache(64)(ObservationEncoder)


@lru_cache(64)
def all_actions(book: Book) -> tuple[Move, ...]:
    """Return the moves in the order of the actions: the book's choices, then the forced moves."""
    can_be_out = book.rules.stuck == "loses" and book.rules.players > 2
    return (*book.choices, PASS, *([OUT] if can_be_out else []))


class ActionNode(GraphNode):
    """A node of the position graph with precomputed action masks and observations."""

    __slots__ = ("all_mask", "children", "copy_mask", "copy_rows", "mask", "player_with_choice", "rows")

    def __init__(self, graph: PositionGraph[Any], position: Position) -> None:
        super().__init__(graph, position)
        book, encoder = graph.book, _encoder(graph.book)
        self.player_with_choice = position.turn if any(move not in FORCED_MOVES for move in self.moves) else 0
        """The player to move if there is a choice to make, otherwise 0."""
        self.all_mask = np.array([move in self.successors for move in all_actions(book)], np.int8)
        self.mask = self.all_mask[: len(book.choices)]
        self.rows: tuple[IntRow, ...] = tuple(encoder.row(position, player) for player in book.players)
        self.children: dict[str, ActionNode] = {}
        """Cache of visited successors that saves calls to `after`; it stops growing when the graph's cache is full."""
        # Bound methods save an attribute lookup, which matters because a whole step takes about a microsecond.
        self.copy_mask: Callable[[], NDArray[np.int8]] = self.mask.copy
        self.copy_rows: tuple[Callable[[], IntRow], ...] = tuple(row.copy for row in self.rows)

    def after(self, move: str) -> ActionNode:
        node = super().after(move)
        if self.graph.node.cache_info().currsize < MAX_NODES_PER_GRAPH:
            self.children[move] = node
        return node


@lru_cache(10_000)
def why_illegal(book: Book, position: Position, action: int, actions: int) -> str:
    """Return a message that says why `action` is illegal and what is legal; `actions` is the number of actions."""
    if not (moves := book.moves(position)):
        return "the game is over"
    legal = legal_moves_sentence(moves)
    if action not in range(actions):
        return f"{safe_repr(action)} is not a valid action; expected 0 to {actions - 1}. {legal}"
    move = all_actions(book)[action]
    return f"{move} is not allowed here: {book.why_not(position, move)}. {legal}"


def describe_position(book: Book, position: Position) -> str:
    """Return the position as plain text: the line, the player to move, the banned move and the players who are out."""
    lines = [render_inline(book, marks_by_place(book, position))]
    if not book.winner(position):
        lines.append(f"It is {book.player_name(position.turn)}'s turn.")
    if position.last:
        operations = book.rules.operations
        banned = str(operations[position.last - 1]) if operations else f"a step of {position.last}"
        lines.append(f"Not allowed now: {banned}, which was just chosen.")
    outs = [book.player_name(player) for player in book.players if position.is_out(player)]
    if outs and book.rules.players > 2:
        lines.append(f"Out: {', '.join(outs)}.")
    return "\n".join(lines)


def render_position(book: Book, position: Position, mode: str | None) -> str | NDArray[np.uint8] | None:
    """Return text if `mode` is `ansi`, an image if it is `rgb_array`, and None otherwise."""
    if mode == "ansi":
        return describe_position(book, position)
    return render_image(book, position) if mode == "rgb_array" else None


def render_image(book: Book, position: Position) -> NDArray[np.uint8]:
    """Return an RGB image of the position; all images of a book have the same size."""
    low, high, width = _extent(book)
    whole = (low, high) if high - low <= MAX_LINE_CELLS else position.tokens
    places = visible_places(book, whole, max_length=MAX_LINE_CELLS, context=CONTEXT_CELLS)
    image = np.empty((IMAGE_HEIGHT_PX, CELL_WIDTH_PX * width, 3), np.uint8)
    image[:] = BACKGROUND_RGB
    column = {place: n * CELL_WIDTH_PX for n, place in enumerate(places) if place is not None}
    for goal in {goal for goals in book.rules.goals for goal in goals}:
        image[:, column[goal] : column[goal] + CELL_WIDTH_PX] = GOAL_RGB
    image[IMAGE_HEIGHT_PX - 16] = INK_RGB
    for place, left in column.items():
        _draw_number(image, str(place), left)
    height = (IMAGE_HEIGHT_PX - 20) // len(position.tokens)  # each token has its own band, so none hides another
    for token, place in enumerate(position.tokens):
        player = token // book.rules.tokens
        if book.rules.shared or not position.is_out(player + 1):
            top, left = 2 + token * height, column[place]
            block = image[top : top + max(2, height - 2), left + 5 : left + CELL_WIDTH_PX - 5]
            block[:] = INK_RGB if book.rules.shared else PLAYER_RGB[player]
    return image


@lru_cache(64)
def _extent(book: Book) -> tuple[int, int, int]:
    """Return the first and last places that an image of the book can show, and the width of the image in cells."""
    low = min(book.rules.line[0], *(places.start for places in book.token_ranges))
    high = max(book.rules.line[1], *(places.stop - 1 for places in book.token_ranges))
    goals = {goal for goals in book.rules.goals for goal in goals}
    inner = len(goals) + len(book.token_ranges)
    # The context around each token and goal and at both ends, plus one cell for each gap.
    most = inner * (2 * CONTEXT_CELLS + 1) + 2 * (CONTEXT_CELLS + 1) + inner + 1
    return low, high, min(high - low + 1, max(most, MAX_LINE_CELLS + 1))


def _draw_number(image: NDArray[np.uint8], number: str, left: int) -> None:
    """Draw a number below its place, at double size if it fits."""
    size = 2 if len(number) <= 3 else 1
    pixels = [[int(bit) for digit in number for bit in f"{int(DIGIT_GLYPHS[digit][row]):03b}0"] for row in range(5)]
    inked = np.kron(pixels, np.ones((size, size))) > 0
    across = max(0, left + (CELL_WIDTH_PX - inked.shape[1] + size) // 2)
    part = image[IMAGE_HEIGHT_PX - 13 : IMAGE_HEIGHT_PX - 13 + 5 * size, across : across + inked.shape[1]]
    part[inked[:, : part.shape[1]]] = INK_RGB


class Oracle:
    """Source of the exact values that environments add to `info`."""

    no_move_info: ClassVar[OracleInfo] = {"regret": 0, "delay": 0}
    """The regret and delay if no move was played."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._choices = book.choices
        self._solution = cached_solution(book)

    def __reduce__(self) -> tuple[Any, ...]:
        return Oracle, (self._book,)

    def position_info(self, position: Position, seat: int, *, lost: bool = False) -> OracleInfo:
        """Return the value for `seat`, the distance and the best actions; set `lost` after an illegal action."""
        if lost:
            return {"value": LOSS_VALUE, "distance": 0, "best_actions": np.zeros(len(self._choices), np.int8)}
        worth = self._solution.worth(position, seat)
        best = self._solution.best(position) if position.turn == seat else ()
        return {
            "value": worth.points,
            "distance": NOT_FORCED if worth.plies is None else worth.plies,
            "best_actions": np.array([move in best for move in self._choices], np.int8),
        }

    def move_info(self, position: Position, move: str) -> OracleInfo:
        """Return the regret and delay of a move; an illegal move counts as a loss."""
        for evaluated in self._solution.evaluate_moves(position):
            if evaluated.move == move:
                return {"regret": evaluated.regret, "delay": evaluated.delay}
        return {"regret": self._solution.worth(position).points - LOSS_VALUE, "delay": 0}
