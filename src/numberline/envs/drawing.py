"""A position for the eye: a few lines of text, or a picture of the line with the tokens on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.speech.line import inline, marks, shown_places

CELL, TALL = 28, 44
"""How wide a place is in a picture, and how high the picture is."""
LONGEST, NEAR = 40, 4
"""A picture shows this much of a line, or what is near to the tokens, the goals and the ends of a longer one."""
PAPER, INK, GOAL = (250, 248, 242), (40, 40, 40), (255, 226, 140)
COLOURS = ((208, 60, 50), (40, 96, 190), (34, 140, 80), (200, 130, 20), (130, 70, 160), (20, 140, 150))
"""One for each player; a marker that everybody moves is drawn in ink."""
GLYPHS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122",
    "8": "75757", "9": "75717", "-": "00700",
}  # fmt: skip
"""Each figure in five rows of three dots: a row is a number from 0 to 7, its bits the dots."""


def in_words(book: Book, position: Position) -> str:
    """The position in plain text: the line, whose turn it is, what is banned, who is out."""
    told = [inline(book, marks(book, position))]
    if book.outcome(position) is None:
        told.append(f"It is the turn of {book.player_name(position.turn)}.")
    if position.last:
        kind = book.rules.operations
        banned = str(kind[position.last - 1]) if kind else f"a step of {position.last}"
        told.append(f"Not allowed now: {banned}, which was just chosen.")
    outs = [book.player_name(player) for player in range(1, book.rules.players + 1) if is_out(position.out, player)]
    if outs and book.rules.players > 2:
        told.append(f"Out: {', '.join(outs)}.")
    return "\n".join(told)


def picture(book: Book, position: Position) -> NDArray[np.uint8]:
    """The position as an RGB image: the numbers, the goals tinted, each token in its player's colour."""
    places = shown_places(book, position.tokens, longest=LONGEST, near=NEAR)
    image = np.empty((TALL, CELL * len(places), 3), np.uint8)
    image[:] = PAPER
    column = {place: n * CELL for n, place in enumerate(places) if place is not None}
    for goal in {goal for goals in book.rules.goals for goal in goals}:
        image[:, column[goal] : column[goal] + CELL] = GOAL
    image[TALL - 16] = INK
    for place, left in column.items():
        _write(image, str(place), left)
    for token, place in enumerate(position.tokens):
        player = token // book.rules.tokens
        if book.rules.shared or not is_out(position.out, player + 1):
            _put(image, column[place], token, len(position.tokens), INK if book.rules.shared else COLOURS[player])
    return image


def _write(image: NDArray[np.uint8], number: str, left: int) -> None:
    """Writes a number under its place; dots are doubled where there is room."""
    size = 2 if len(number) <= 3 else 1
    across = left + (CELL - 4 * size * len(number) + size) // 2
    for figure in number:
        for row, bits in enumerate(GLYPHS[figure]):
            for dot in range(3):
                if int(bits) >> (2 - dot) & 1 and across + dot * size < image.shape[1]:
                    top = TALL - 13 + row * size
                    image[top : top + size, across + dot * size : across + (dot + 1) * size] = INK
        across += 4 * size


def _put(image: NDArray[np.uint8], left: int, token: int, tokens: int, colour: tuple[int, int, int]) -> None:
    """Draws a token as a block; those of the others go above and below it, so that none hides another."""
    high = (TALL - 20) // tokens
    top = 2 + token * high
    image[top : top + max(2, high - 2), left + 5 : left + CELL - 5] = colour
