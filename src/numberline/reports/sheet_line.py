"""A line on paper, with its tokens above their places, and moves as a child reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from numberline.book.book import Book
from numberline.reports.markup import tag
from numberline.reports.sheet_board import all_tokens, goal_of, token
from numberline.rules.position import Position
from numberline.speech.line import shown_places, standing

WHOLE, NEAR = 48, 3
"""A line with more places is drawn in exercises only near the tokens, the goals and its ends."""
ROOM = 169.0
"""How many millimetres a line in an exercise can have."""
SIGNS = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}"}
"""Sums as they are written at school."""
WAYS = {"L": "left", "R": "right"}
CROSSED = "crossed"


def on_paper(book: Book, text: str) -> str:
    """A text on moves as a child reads it: sums as at school, `right 2` for `R2`, `token 1 by 3` for `1:3`.

    >>> import numberline as nl
    >>> on_paper(nl.book("number-line-sprint"), "Play R2: it takes you to position 11.")
    'Play right 2: it takes you to position 11.'
    """
    rules = book.rules
    if rules.tokens > 1:
        text = re.sub(r"\b(\d):(?=[*/+-]|[LR]\d|back)", rf"{book.noun('token')} \1 ", text)
        text = re.sub(r"\b(\d):(?=\d)", rf"{book.noun('token')} \1 by ", text)
    if rules.moves == "both ways":
        return re.sub(r"\b([LR])(\d+)\b", lambda found: f"{WAYS[found[1]]} {found[2]}", text)
    if rules.moves == "operations":
        return re.sub(r"(?<![\w-])([*/-])(?=\d)", lambda found: SIGNS[found[1]], text)
    return text


def line(
    book: Book, position: Position, marks: Mapping[int, str] | None = None, *, without: int | None = None
) -> Element:
    """The line with the tokens above their places; `marks` are classes of places, and one token can be left out."""
    low, high = book.rules.line
    placed: dict[int, list[Element]] = {}
    if book.rules.shared and without is None:
        placed[position.tokens[0]] = [token(book, 0)]
    for player, number, place in standing(book, position):
        if (player - 1) * book.rules.tokens + number != without:
            placed.setdefault(max(low, min(high, place)), []).append(token(book, player, number))
    near = 0 if marks else max([NEAR, *(step for step in book.rules.steps if step <= 2 * NEAR)])
    shown = shown_places(book, {*placed, *(marks or {})}, longest=WHOLE, near=near)
    wide = _wide(shown, crowd=all_tokens(book) > 2)
    spots = (_spot(book, place, placed.get(place or 0, []), marks) for place in shown)
    return tag("div", *spots, cls="line", style=f"--wide: {wide:.2f}mm")


def _wide(shown: Sequence[int | None], *, crowd: bool) -> float:
    """How wide a place is drawn: so that all fit in a row or fill several alike, and tokens can stand side by side."""
    least = 2.6 + 2.2 * max(2, *(len(str(place)) for place in shown))
    rows = math.ceil(len(shown) * least / ROOM)
    most = 21.0 if crowd else 11.0
    return max(least, min(most, ROOM / math.ceil(len(shown) / rows)))


def _spot(book: Book, place: int | None, tokens: Sequence[Element], marks: Mapping[int, str] | None) -> Element:
    if place is None:
        return tag("span", "…", cls="spot gap")
    goal = goal_of(book, place)
    kinds = ["spot", *(["aim"] if goal else []), *([marks.get(place, "idle")] if marks is not None else [])]
    stack = tag("span", *tokens, cls="stack") if tokens else None
    crossed = CROSSED in (marks or {}).get(place, "")
    cross = tag(
        "svg", tag("path", d="M1 1L19 19M19 1L1 19"), cls="cross", viewBox="0 0 20 20", preserveAspectRatio="none"
    )
    box = tag("b", str(place), cross if crossed else None)
    return tag("span", stack, box, tag("i", goal.lower()), cls=" ".join(kinds))
