"""Printable page of a game: rules, board with tokens, worksheet and answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline import __version__
from numberline.errors import NumberlineError
from numberline.explain.phrases import Phrases
from numberline.explain.rules_text import describe_changes, describe_rules, opening
from numberline.explain.worksheet import Worksheet, worksheet
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES, OUT
from numberline.game.position import Position
from numberline.reports.html import page, tag
from numberline.reports.sheet_board import board_layout, board_pages, draw_cutouts, draw_line, to_paper_notation
from numberline.reports.sheet_tasks import find_section, mark_section, move_answers, place_answer
from numberline.solver.solution import Solution
from numberline.text import join_or, spell_number

MAX_PLACES = 400
MAX_EXERCISES = 40
HEADER_MM, TITLE_LINE_CHARS, TITLE_LINE_MM = 43.0, 45, 8.0
"""Height above the board; each further line of a long title adds to it."""
MAX_LISTED_MOVES = 6


class Paper(NamedTuple):
    """A paper size in millimetres; between the side margins both sizes are 180 wide."""

    name: str
    width: float
    height: float
    side_margin: float

    @property
    def inner_height(self) -> float:
        return self.height - 2 * PAGE_MARGIN_MM

    @property
    def css(self) -> str:
        """The page size for the printer and for the screen."""
        margins = f"{PAGE_MARGIN_MM}mm {self.side_margin}mm"
        return (
            f"@page {{ size: {self.width}mm {self.height}mm; margin: {margins}; }}\n"
            f"@media screen {{ .part {{ width: {self.width}mm; min-height: {self.height}mm; padding: {margins}; }} }}\n"
        )


PAGE_MARGIN_MM = 14
PAPERS = {"a4": Paper("A4", 210.0, 297.0, 15.0), "letter": Paper("Letter", 215.9, 279.4, 17.95)}
SHEET_CSS = Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")


class SheetError(NumberlineError, ValueError):
    """A game that can't be printed."""


def check_printable(book: Book) -> None:
    """Raise if the board would have too many places."""
    places = len(board_layout(book).places)
    if places > MAX_PLACES:
        limit = f"a printed board has at most {MAX_PLACES}, so make the line shorter"
        raise SheetError(f"{book.variant} has {places:,} places; {limit}")


class Sheet(NamedTuple):
    solution: Solution
    paper: Paper
    seed: int
    tasks: Worksheet

    @property
    def book(self) -> Book:
        return self.solution.book


def make_sheet(solution: Solution, paper: str = "a4", seed: int = 1, exercises: int = 8) -> Sheet:
    """Return the sheet of a solved game; the seed selects the exercises."""
    check_printable(solution.book)
    return Sheet(solution, PAPERS[paper], seed, worksheet(solution, random.Random(seed), exercises))


def sheet_page(sheet: Sheet) -> str:
    """Return the sheet as an HTML page to print."""
    parts = [_rules(sheet), *_boards(sheet), _worksheet(sheet), _answers(sheet)]
    note = tag("p", f"Print this page on {sheet.paper.name} paper, at 100 %.", cls="for-screen")
    return page(sheet.book.full_title, [note, *parts], style=sheet.paper.css + SHEET_CSS, scheme="light", foot=False)


def _part(sheet: Sheet, kind: str, *content: Element | None, name: str = "") -> Element:
    head = tag("header", tag("h1", sheet.book.title), tag("span", kind, cls="kind"))
    return tag("article", head, *content, cls="part", id=name or kind.lower())


# The rules


def _rules(sheet: Sheet) -> Element:
    book = sheet.book
    sections = describe_rules(book)
    goal = next(section.text for section in sections if section.heading == "The goal")
    changed = describe_changes(book)
    rules = (
        tag("section", tag("h2", heading), tag("p", to_paper_notation(book, text)), cls="rule")
        for heading, text in sections
        if heading != "The goal"
    )
    return _part(
        sheet,
        "The rules",
        tag("p", _opening(book), cls="opening"),
        tag("p", tag("b", "A variant. "), to_paper_notation(book, changed), cls="hint") if changed else None,
        tag("section", tag("h2", "How to win"), tag("p", to_paper_notation(book, goal)), cls="win"),
        tag("p", tag("b", "You need "), _needed(book), cls="hint"),
        *rules,
        tag("div", tag("h2", "An example"), *_example(book), cls="example"),
        name="rules",
    )


def _opening(book: Book) -> str:
    """Return the book's introduction, or its first sentence if the variant makes the rest untrue."""
    text = opening(book)
    return text if text == book.about else f"{text.partition('. ')[0].removesuffix('.')}."


def _needed(book: Book) -> str:
    players = f"{spell_number(book.rules.players)} players, the board"
    what = _token(book)
    if book.rules.shared:
        return f"{players}, and one {what}: cut it out, or take a coin or a button."
    each = f"{spell_number(book.rules.tokens)} {what}{'s' if book.rules.tokens > 1 else ''} for each player"
    return f"{players}, and {each}: cut them out, or take coins and buttons."


def _token(book: Book) -> str:
    """Return the noun for a token."""
    return "marker" if book.rules.shared and book.rules.moves == "operations" else book.noun("token")


def _example(book: Book) -> Iterator[Element]:
    """Yield the first two turns of a sample game."""
    words, rng = Phrases(book), random.Random(book.variant)
    at = book.start()
    yield tag("figure", tag("figcaption", "The game starts like this:"), draw_line(book, at))
    for _ in range(2):
        followers = book.successors(at)
        if not followers:
            return
        quiet = [(move, after) for move, after in followers if not book.winner(after) and not after.is_out(at.turn)]
        move, after = rng.choice(quiet or followers)
        caption = to_paper_notation(book, _turn_text(words, at, move, after))
        yield tag("figure", tag("figcaption", caption), draw_line(book, after))
        at = after


def _turn_text(words: Phrases, at: Position, move: str, after: Position) -> str:
    book, name = words.book, words.names[at.turn - 1]
    if move in FORCED_MOVES:
        return f"{name} has no move and {'is out' if move == OUT else 'loses the turn'}."
    legal = book.moves(at)
    options = f"{name} can play {join_or([to_paper_notation(book, option) for option in legal])}"
    if len(legal) > MAX_LISTED_MOVES:
        options = f"{name} can play one of {len(legal)} moves"
    text = f"{options}, and plays {to_paper_notation(book, move)}: it {words.effect_phrase(at, move)}"
    winner = book.winner(after)
    if winner:
        return f"{text}. {words.names[winner - 1]} wins!"
    banned = f" Now {words.names[after.turn - 1]} {words.banned(after)}." if after.last else ""
    return f"{text}.{banned}"


# The board


def _boards(sheet: Sheet) -> Iterator[Element]:
    book = sheet.book
    header = HEADER_MM + TITLE_LINE_MM * (len(book.title) // TITLE_LINE_CHARS)
    pieces = board_pages(book, sheet.paper.inner_height - header)
    for number, piece in enumerate(pieces, 1):
        kind = "The board" if len(pieces) == 1 else f"The board, page {number} of {len(pieces)}"
        first = tag("p", _on_the_board(book), cls="hint") if number == 1 else None
        last = _extras(book) if number == len(pieces) else ()
        yield _part(sheet, kind, first, piece, *last, name=f"board-{number}")


def _on_the_board(book: Book) -> str:
    """Return how to set up the board."""
    rows = " At the end of a row go down and on the other way, like a snake." if board_layout(book).rows > 1 else ""
    sides = " Right is towards the higher numbers, left towards the lower ones." * (book.rules.moves == "both ways")
    noun = _token(book)
    what = f"the {noun}" if book.rules.shared else f"your {noun}" if book.rules.tokens == 1 else f"all your {noun}s"
    crowd = " If there is no room for all, put the others beside it." if _crowded(book) else ""
    return f"Put {what} on START.{crowd} The flag is the GOAL.{rows}{sides}"


def _crowded(book: Book) -> bool:
    """Return whether more tokens start on one place than fit there."""
    starts = [] if book.rules.shared else [start for start in book.rules.starts for _ in range(book.rules.tokens)]
    return max(map(starts.count, starts), default=0) > 2


def _extras(book: Book) -> Iterator[Element]:
    """Yield the tokens to cut out, and a strip that remembers the last step."""
    what = f"{_token(book)}{'' if book.rules.shared else 's'}"
    yield tag("section", tag("h2", f"Cut out the {what} along the dashed lines"), draw_cutouts(book), cls="cutting")
    if book.rules.repeat == "banned":
        strides = sorted({move.stride for move in book.choices if move.stride})
        note = "After your move, put a coin on what you just played. The next player can't play it."
        yield tag(
            "section",
            tag("h2", "What was just played?"),
            tag("p", note),
            tag("div", *(tag("span", to_paper_notation(book, book.stride(stride))) for stride in strides), cls="last"),
        )


# The worksheet and the answers


def _worksheet(sheet: Sheet) -> Element:
    book, tasks = sheet.book, sheet.tasks
    return _part(
        sheet,
        "Worksheet",
        tag("div", tag("span", "Name:"), tag("span", "Date:"), cls="who"),
        *find_section(book, tasks.moves),
        *mark_section(book, tasks.places, len(tasks.moves)),
    )


def _answers(sheet: Sheet) -> Element:
    book, tasks = sheet.book, sheet.tasks
    secret = tag("p", to_paper_notation(book, tasks.secret))
    again = f"Numberline {__version__} drew it with seed {sheet.seed}; another seed gives other exercises."
    return _part(
        sheet,
        "Answers",
        tag("p", f"Answers to the worksheet on {book.variant}. {again}", cls="hint"),
        move_answers(book, tasks.moves) if tasks.moves else None,
        *(place_answer(book, task, number) for number, task in enumerate(tasks.places, len(tasks.moves) + 1)),
        None if tasks.moves or tasks.places else tag("p", "There is nothing to answer."),
        tag("section", tag("h2", "The secret of the game"), secret, cls="card") if tasks.secret else None,
    )
