"""A line on paper, with its tokens above their places, and moves as a child reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from numberline.explain.text_board import iter_tokens, visible_places
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.reports.html import tag
from numberline.reports.sheet_board import draw_token, goal_label, token_count

MAX_WHOLE_LINE_PLACES, CONTEXT_PLACES = 48, 3
"""A line with more places is drawn in exercises only near the tokens, the goals and its ends."""
LINE_WIDTH_MM = 169.0
"""How many millimetres a line in an exercise can have."""
SCHOOL_SIGNS = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}"}
"""Sums as they are written at school."""
DIRECTION_WORDS = {"L": "left", "R": "right"}
CROSSED_CLASS = "crossed"


def to_paper_notation(book: Book, text: str) -> str:
    """A text on moves as a child reads it: sums as at school, `right 2` for `R2`, `token 1 by 3` for `1:3`.

    >>> import numberline as nl
    >>> to_paper_notation(nl.book("number-line-sprint"), "Play R2: it takes you to position 11.")
    'Play right 2: it takes you to position 11.'
    """
    rules = book.rules
    if rules.tokens > 1:
        text = re.sub(r"\b(\d):(?=[*/+-]|[LR]\d|back)", rf"{book.noun('token')} \1 ", text)
        text = re.sub(r"\b(\d):(?=\d)", rf"{book.noun('token')} \1 by ", text)
    if rules.moves == "both ways":
        return re.sub(r"\b([LR])(\d+)\b", lambda found: f"{DIRECTION_WORDS[found[1]]} {found[2]}", text)
    if rules.moves == "operations":
        return re.sub(r"(?<![\w-])([*/-])(?=\d)", lambda found: SCHOOL_SIGNS[found[1]], text)
    return text


def draw_line(
    book: Book, position: Position, marks: Mapping[int, str] | None = None, *, without: int | None = None
) -> Element:
    """The line with the tokens above their places; `marks` are classes of places, and one token can be left out."""
    low, high = book.rules.line
    placed: dict[int, list[Element]] = {}
    if book.rules.shared and without is None:
        placed[position.tokens[0]] = [draw_token(book, 0)]
    for player, number, place in iter_tokens(book, position):
        if (player - 1) * book.rules.tokens + number != without:
            placed.setdefault(max(low, min(high, place)), []).append(draw_token(book, player, number))
    near = 0 if marks else max([CONTEXT_PLACES, *(step for step in book.rules.steps if step <= 2 * CONTEXT_PLACES)])
    shown = visible_places(book, {*placed, *(marks or {})}, max_length=MAX_WHOLE_LINE_PLACES, context=near)
    wide = _wide(shown, crowd=token_count(book) > 2)
    spots = (_spot(book, place, placed.get(place or 0, []), marks) for place in shown)
    return tag("div", *spots, cls="line", style=f"--wide: {wide:.2f}mm")


def _wide(shown: Sequence[int | None], *, crowd: bool) -> float:
    """How wide a place is drawn: so that all fit in a row or fill several alike, and tokens can stand side by side."""
    least = 2.6 + 2.2 * max(2, *(len(str(place)) for place in shown))
    rows = math.ceil(len(shown) * least / LINE_WIDTH_MM)
    most = 21.0 if crowd else 11.0
    return max(least, min(most, LINE_WIDTH_MM / math.ceil(len(shown) / rows)))


def _spot(book: Book, place: int | None, tokens: Sequence[Element], marks: Mapping[int, str] | None) -> Element:
    if place is None:
        return tag("span", "…", cls="spot gap")
    goal = goal_label(book, place)
    kinds = ["spot", *(["aim"] if goal else []), *([marks.get(place, "idle")] if marks is not None else [])]
    stack = tag("span", *tokens, cls="stack") if tokens else None
    crossed = CROSSED_CLASS in (marks or {}).get(place, "")
    cross = tag(
        "svg", tag("path", d="M1 1L19 19M19 1L1 19"), cls="cross", viewBox="0 0 20 20", preserveAspectRatio="none"
    )
    box = tag("b", str(place), cross if crossed else None)
    return tag("span", stack, box, tag("i", goal.lower()), cls=" ".join(kinds))
