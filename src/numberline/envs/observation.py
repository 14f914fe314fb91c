"""What is seen of a position: a row of numbers for a program, a few lines of text, or a picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.explain.text_board import marks_by_place, render_inline, visible_places
from numberline.game.book import Book
from numberline.game.position import Position

Numbers = NDArray[Any]
"""A row of whole numbers, or a column of them."""
CELL_WIDTH_PX, IMAGE_HEIGHT_PX = 28, 44
"""How wide a place is in a picture, and how high the picture is."""
MAX_LINE_CELLS, CONTEXT_CELLS = 40, 4
"""A picture shows this much of a line, or what is near to the tokens, the goals and the ends of a longer one."""
BACKGROUND_RGB, INK_RGB, GOAL_RGB = (250, 248, 242), (40, 40, 40), (255, 226, 140)
PLAYER_RGB = ((208, 60, 50), (40, 96, 190), (34, 140, 80), (200, 130, 20), (130, 70, 160), (20, 140, 150))
"""One for each player; a marker that everybody moves is drawn in ink."""
DIGIT_GLYPHS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122",
    "8": "75757", "9": "75717", "-": "00700",
}  # fmt: skip
"""Each figure in five rows of three dots: a row is a number from 0 to 7, its bits the dots."""


class ObservationEncoder:
    """How players see the positions of a book: from their own seat, own tokens first, then those of the next player.

    A row of numbers is as long in every position. It has the seat; the places of the tokens (of the marker, where it is
    shared); where it can matter, the stride that is banned; with more than two players, who is out.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self.players = book.rules.players
        self._bans = book.rules.repeat == "banned"

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of a row is.

        >>> import numberline as nl
        >>> ObservationEncoder(nl.book("line-runner(repeat=banned)")).names
        ('seat', 'own token', 'token of the player 1 on', 'banned')
        """
        return tuple(self._limits)

    @cached_property
    def bounds(self) -> tuple[Numbers, Numbers]:
        """The smallest and the largest that each number of a row can be."""
        low, high = np.array(list(self._limits.values())).T
        kind = np.int16 if low.min() >= -(1 << 15) and high.max() < 1 << 15 else np.int32
        return low.astype(kind), high.astype(kind)

    @cached_property
    def _limits(self) -> dict[str, tuple[int, int]]:
        """For each number of a row by name, the smallest and the largest that it can be."""
        each, others = self.book.rules.tokens, range(1, self.players)
        of = ["own token", *(f"token of the player {on} on" for on in others)]
        tokens = [f"{name} {n}" if each > 1 else name for name in of for n in range(1, each + 1)]
        limits = {"seat": (1, self.players)}
        places = (
            min(span.start for span in self.book.token_ranges),
            max(span.stop for span in self.book.token_ranges) - 1,
        )
        limits |= dict.fromkeys(["marker"] if self.book.rules.shared else tokens, places)
        if self._bans:
            limits["banned"] = 0, max(move.stride for move in self.book.choices)
        if self.players > 2:
            limits |= dict.fromkeys(["out", *(f"out: the player {on} on" for on in others)], (0, 1))
        return limits

    def row(self, position: Position, seat: int) -> Numbers:
        """What the player in a seat sees of a position."""
        return np.array(self.columns(position, seat), self.bounds[0].dtype)

    def rows(self, positions: Position, seat: int, size: int) -> Numbers:
        """What the player in a seat sees of each of so many positions in columns."""
        columns = self.columns(positions, seat)
        kind = self.bounds[0].dtype
        return np.stack([np.broadcast_to(np.asarray(column, kind), size) for column in columns], axis=1)

    def columns(self, position: Position, seat: int) -> Sequence[Any]:
        """The numbers of the row; columns of them for columns of positions."""
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


def describe_position(book: Book, position: Position) -> str:
    """The position in plain text: the line, whose turn it is, what is banned, who is out."""
    lines = [render_inline(book, marks_by_place(book, position))]
    if not book.winner(position):
        lines.append(f"It is the turn of {book.player_name(position.turn)}.")
    if position.last:
        operations = book.rules.operations
        banned = str(operations[position.last - 1]) if operations else f"a step of {position.last}"
        lines.append(f"Not allowed now: {banned}, which was just chosen.")
    outs = [book.player_name(player) for player in book.players if position.is_out(player)]
    if outs and book.rules.players > 2:
        lines.append(f"Out: {', '.join(outs)}.")
    return "\n".join(lines)


def render_position(book: Book, position: Position, mode: str | None) -> str | NDArray[np.uint8] | None:
    """The position as an environment renders it: text for `ansi`, an image for `rgb_array`, else nothing."""
    if mode == "ansi":
        return describe_position(book, position)
    return render_image(book, position) if mode == "rgb_array" else None


def render_image(book: Book, position: Position) -> NDArray[np.uint8]:
    """The position as an RGB image of the book's size: the numbers, goals tinted, each token in its player's colour."""
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
    for token, place in enumerate(position.tokens):
        player = token // book.rules.tokens
        if book.rules.shared or not position.is_out(player + 1):
            _draw_token(
                image, column[place], token, len(position.tokens), INK_RGB if book.rules.shared else PLAYER_RGB[player]
            )
    return image


@lru_cache(64)
def _extent(book: Book) -> tuple[int, int, int]:
    """The lowest and the highest place that a picture may have to show, and how many places wide all pictures are."""
    low = min(book.rules.line[0], *(places.start for places in book.token_ranges))
    high = max(book.rules.line[1], *(places.stop - 1 for places in book.token_ranges))
    goals = {goal for goals in book.rules.goals for goal in goals}
    within = len(goals) + len(book.token_ranges)  # and the two ends: there is a gap between every two of them
    most = within * (2 * CONTEXT_CELLS + 1) + 2 * (CONTEXT_CELLS + 1) + within + 1
    return low, high, min(high - low + 1, max(most, MAX_LINE_CELLS + 1))


def _draw_number(image: NDArray[np.uint8], number: str, left: int) -> None:
    """Writes a number under its place; dots are doubled where there is room."""
    size = 2 if len(number) <= 3 else 1
    dots = [[int(dot) for figure in number for dot in f"{int(DIGIT_GLYPHS[figure][row]):03b}0"] for row in range(5)]
    inked = np.kron(dots, np.ones((size, size))) > 0
    across = max(0, left + (CELL_WIDTH_PX - inked.shape[1] + size) // 2)
    part = image[IMAGE_HEIGHT_PX - 13 : IMAGE_HEIGHT_PX - 13 + 5 * size, across : across + inked.shape[1]]
    part[inked[:, : part.shape[1]]] = INK_RGB


def _draw_token(image: NDArray[np.uint8], left: int, token: int, tokens: int, colour: tuple[int, int, int]) -> None:
    """Draws a token as a block; those of the others go above and below it, so that none hides another."""
    high = (IMAGE_HEIGHT_PX - 20) // tokens
    top = 2 + token * high
    image[top : top + max(2, high - 2), left + 5 : left + CELL_WIDTH_PX - 5] = colour
