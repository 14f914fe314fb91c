"""Preview image that messaging apps show for a link, with the title, goal and board of a variant."""

from __future__ import annotations

import io
import unicodedata
from functools import lru_cache
from textwrap import wrap

from PIL import Image, ImageDraw, ImageFont

from numberline.explain.rules_text import describe_goal
from numberline.explain.text_board import visible_places
from numberline.game.book import Book
from numberline.palette import PALETTE, PLAYER_COLORS
from numberline.views.board import position_view

# The picture is drawn at twice its size of 1200 x 630 and then reduced, which smooths the edges of its shapes.
_SCALE, _WIDTH, _HEIGHT = 2, 2400, 1260
_MARGIN, _LINE_Y, _LINE_HEIGHT, _MAX_CELL = 140, 880, 184, 176
_MAX_WHOLE_LINE_LENGTH, _MAX_PLACES = 24, 28
_SITE_TEXT = "Five games on a number line. Play the computer, a friend, or someone next to you."


@lru_cache(64)
def render_preview(book: Book, *, titled: bool = True) -> bytes:
    """Return a PNG image of a variant's board, with its title and goal or, if not `titled`, a text about the site."""
    image = Image.new("RGB", (_WIDTH, _HEIGHT), PALETTE["paper"].light)
    draw = ImageDraw.Draw(image)
    title, text = "Numberline", _SITE_TEXT
    if titled:
        title, text = book.title, describe_goal(book, [book.player_name(player) for player in book.players])
        _draw_text(draw, (_WIDTH - _MARGIN, 1156), "Numberline", 60, "soft", "rm")
    _draw_text(draw, (_MARGIN, 172), title[:34], 144 if len(title) < 28 else 108, "ink", "lm")
    for row, line in enumerate(wrap(text, 62)[:3]):
        _draw_text(draw, (_MARGIN, 324 + 92 * row), line, 72, "soft", "lm")
    _draw_board(draw, book)
    file = io.BytesIO()
    image.reduce(_SCALE).save(file, "PNG")
    return file.getvalue()


def _draw_text(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: float, color: str, anchor: str
) -> None:
    """Draw a line of text in Pillow's default font, without accents and other non-ASCII characters."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    draw.text(at, plain, PALETTE[color].light, ImageFont.load_default(size), anchor)


def _draw_board(draw: ImageDraw.ImageDraw, book: Book) -> None:
    view = position_view(book, book.start())
    on_line = [token.place for token in view.tokens]
    places = visible_places(book, on_line, max_length=_MAX_WHOLE_LINE_LENGTH, context=1)[:_MAX_PLACES]
    cell = min(_MAX_CELL, (_WIDTH - 2 * _MARGIN) / len(places))
    left, ink = (_WIDTH - cell * len(places)) / 2, PALETTE["ink"].light
    x_by_place = {place: left + cell * (n + 0.5) for n, place in enumerate(places)}
    draw.rounded_rectangle(
        (left, _LINE_Y, _WIDTH - left, _LINE_Y + _LINE_HEIGHT), radius=24, fill=PALETTE["strip"].light
    )
    for n, place in enumerate(places):
        x, number = left + cell * (n + 0.5), "..." if place is None else str(place)
        draw.rectangle((x - 2, _LINE_Y, x + 2, _LINE_Y + 44), fill=ink)
        _draw_text(draw, (x, _LINE_Y + 112), number, min(72, 1.5 * cell / (len(number) + 0.5)), "ink", "mm")
    for choice in view.legal:
        if choice.place in x_by_place and choice.lands in x_by_place:
            ends = sorted((x_by_place[choice.place], x_by_place[choice.lands]))
            rise = min(260, 0.8 * cell + 0.2 * (ends[1] - ends[0]))
            color = PALETTE[PLAYER_COLORS[view.turn - 1]].light
            draw.arc((ends[0], _LINE_Y - rise, ends[1], _LINE_Y + rise), 180, 360, color, 10)
    radius = min(56, 0.44 * cell)
    for n, token in enumerate(view.tokens):
        if token.place in x_by_place:
            y = _LINE_Y - radius * (1 + min(1.4, 5 / len(on_line)) * on_line[:n].count(token.place))
            color = PALETTE[PLAYER_COLORS[token.player - 1]].light if token.player else ink
            draw.circle((x_by_place[token.place], y), radius, color, PALETTE["card"].light, 6)
    for place in {place for goals in book.rules.goals for place in goals} & x_by_place.keys():
        x, top, size = x_by_place[place], _LINE_Y - cell, 0.5 * cell
        draw.rectangle((x - 4, top, x + 4, _LINE_Y), fill=ink)
        draw.polygon([(x, top), (x + size, top + 0.3 * size), (x, top + 0.6 * size)], PALETTE["loss"].light)
