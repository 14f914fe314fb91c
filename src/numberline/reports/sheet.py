"""Printable sheet for a game: rules, board with tokens, worksheet and answers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline import __version__
from numberline.errors import NumberlineError
from numberline.explain.phrases import Phrases
from numberline.explain.rules_text import describe_changes, describe_rules, opening
from numberline.explain.worksheet import MoveTask, PlaceTask, Worksheet, worksheet
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES, OUT
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.reports.html import page, tag
from numberline.reports.sheet_board import (
    CROSSED_CLASS,
    board_layout,
    board_pages,
    draw_cutouts,
    draw_line,
    to_paper_notation,
)
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS
from numberline.text import join_and, join_or, spell_number

MAX_PLACES = 400
MAX_EXERCISES = 40
HEADER_MM, TITLE_LINE_CHARS, TITLE_LINE_MM = 43.0, 45, 8.0
"""Height above the board if the title fits on one line; each additional line adds `TITLE_LINE_MM`."""
MAX_LISTED_MOVES = 6
MAX_TICK_BOXES = 14


class Paper(NamedTuple):
    """A paper size in millimetres; both sizes have 180 mm between the side margins."""

    name: str
    width: float
    height: float
    side_margin: float

    @property
    def inner_height(self) -> float:
        return self.height - 2 * PAGE_MARGIN_MM

    @property
    def css(self) -> str:
        """The page size as CSS, for print and for the screen."""
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
    """Raise `SheetError` if the board has too many places to print."""
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
    """Create the sheet for a solved game; `seed` selects the exercises."""
    check_printable(solution.book)
    return Sheet(solution, PAPERS[paper], seed, worksheet(solution, random.Random(seed), exercises))


def sheet_page(sheet: Sheet) -> str:
    """Return the sheet as a printable HTML page."""
    parts = [_rules(sheet), *_boards(sheet), _worksheet(sheet), _answers(sheet)]
    note = tag("p", f"Print this page on {sheet.paper.name} paper, at 100 %.", cls="for-screen")
    return page(sheet.book.full_title, [note, *parts], sheet.paper.css + SHEET_CSS)


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
    """Return the book's introduction or, if it does not fit the variant, one sentence generated from the rules."""
    text = opening(book)
    return text if text == book.about else f"{text.partition('. ')[0].removesuffix('.')}."


def _needed(book: Book) -> str:
    players = f"{spell_number(book.rules.players)} players, the board"
    what = _token(book)
    if book.rules.shared:
        return f"{players}, and one {what}: cut it out, or use a coin or a button."
    each = f"{spell_number(book.rules.tokens)} {what}{'s' if book.rules.tokens > 1 else ''} for each player"
    return f"{players}, and {each}: cut them out, or use coins and buttons."


def _token(book: Book) -> str:
    """Return the noun for a token."""
    return "marker" if book.rules.shared and book.rules.moves == "operations" else book.noun("token")


def _example(book: Book) -> Iterator[Element]:
    """Yield figures of the start and of the first two turns of a sample game."""
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
    """Return the instructions for setting up and reading the board."""
    rows = " At the end of a row, go down and turn around, like a snake." if board_layout(book).rows > 1 else ""
    sides = " Right is towards the higher numbers, left towards the lower ones." * (book.rules.moves == "both ways")
    noun = _token(book)
    what = f"the {noun}" if book.rules.shared else f"your {noun}" if book.rules.tokens == 1 else f"all your {noun}s"
    crowd = " If they don't all fit, put the others next to it." if _crowded(book) else ""
    return f"Put {what} on START.{crowd} The flag is the GOAL.{rows}{sides}"


def _crowded(book: Book) -> bool:
    """Return whether more tokens start on one place than fit on it."""
    starts = [] if book.rules.shared else [start for start in book.rules.starts for _ in range(book.rules.tokens)]
    return max(map(starts.count, starts), default=0) > 2


def _extras(book: Book) -> Iterator[Element]:
    """Yield the tokens to cut out and, if repeats are banned, a strip on which to mark the last move."""
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
        *_find_section(book, tasks.moves),
        *_mark_section(book, tasks.places, len(tasks.moves)),
    )


def _answers(sheet: Sheet) -> Element:
    book, tasks = sheet.book, sheet.tasks
    secret = tag("p", to_paper_notation(book, tasks.secret))
    again = f"Numberline {__version__} made it with seed {sheet.seed}; another seed gives other exercises."
    return _part(
        sheet,
        "Answers",
        tag("p", f"Answers to the worksheet on {book.variant}. {again}", cls="hint"),
        _move_answers(book, tasks.moves) if tasks.moves else None,
        *(_place_answer(book, task, number) for number, task in enumerate(tasks.places, len(tasks.moves) + 1)),
        None if tasks.moves or tasks.places else tag("p", "There is nothing to answer."),
        tag("section", tag("h2", "The secret of the game"), secret, cls="card") if tasks.secret else None,
    )


# Exercises and their answers


def _find_section(book: Book, tasks: Sequence[MoveTask]) -> Iterator[Element]:
    """Yield the "find the winning move" exercises, or a sentence if there are none."""
    yield tag("h2", "Find the winning move")
    if not tasks:
        yield tag("p", f"You can never be sure to win {book.title}, so there is no winning move to find.")
        return
    several = "whatever the others play" if book.rules.players > 2 else "however well your opponent plays"
    sums = " You can see which number the game has reached." if book.rules.moves == "operations" else ""
    yield tag(
        "p",
        f"A winning move is one after which you can be sure to win, {several}.{sums} "
        "Tick every winning move. If there is none, tick “no move wins”.",
    )
    yield from (_find_task(book, task, number) for number, task in enumerate(tasks, 1))


def _find_task(book: Book, task: MoveTask, number: int) -> Element:
    position = task.position
    moves = [to_paper_notation(book, move) for move in book.moves(position)]
    boxes = (tag("li", tag("span", cls="box"), move) for move in moves)
    none = tag("li", tag("span", cls="box"), "no move wins", cls="none")
    answer = tag("ul", *boxes, none, cls="choices")
    if len(moves) > MAX_TICK_BOXES:
        answer = tag("p", f"Allowed: {', '.join(moves)}. Write down the winning moves: ", tag("span", cls="blank"))
    content = tag("div", tag("p", _turn(book, position)), draw_line(book, position), answer)
    return _task(number, content, data_task=number, data_position=format_position(position))


def _task(number: int, content: Element, cls: str = "task", **data: object) -> Element:
    return tag("section", tag("span", str(number), cls="number"), content, cls=cls, **data)


def _turn(book: Book, position: Position) -> str:
    """Return a sentence that says whose turn it is, which move is banned, and who is out."""
    words = Phrases(book)
    name = words.names[position.turn - 1]
    ban = f", who {words.banned(position)}" if position.last else ""
    gone = [words.names[player - 1] for player in book.players if position.is_out(player)]
    out = f" {join_and(gone)} {'is' if len(gone) == 1 else 'are'} out." if gone else ""
    return to_paper_notation(book, f"It is the turn of {name}{ban}.{out}")


def _mark_section(book: Book, tasks: Sequence[PlaceTask], before: int) -> Iterator[Element]:
    """Yield the "mark the places" exercises, if any."""
    if not tasks:
        return
    sure = "whatever the others play" if book.rules.players > 2 else "however well the opponent plays"
    kind, result = _place_kind(tasks[0]), f"can be sure to win, {sure}"
    if tasks[0].value == LOSS:
        result = "loses if the opponent plays well"
    what = f"On a {kind} place, the player whose turn it is {result}. Cross out every {kind} place."
    intro = tag("p", f"{what} Look only at the places with a thick frame. It can be all of them, or none.")
    first, *more = (_mark_task(book, task, number) for number, task in enumerate(tasks, before + 1))
    yield tag("div", tag("h2", f"Mark the {kind} places"), intro, first, cls="first")
    yield from more


def _place_kind(task: PlaceTask) -> str:
    return "losing" if task.value == LOSS else "winning"


def _mark_task(book: Book, task: PlaceTask, number: int) -> Element:
    drawn = draw_line(book, task.position, dict.fromkeys(task.places, "asked"), without=task.slot)
    content = tag("div", tag("p", _imagined(book, task)), drawn)
    return _task(number, content, data_task=number, data_position=format_position(task.position), data_slot=task.slot)


def _imagined(book: Book, task: PlaceTask) -> str:
    """Return the introduction to a "mark the places" exercise."""
    words, turn = Phrases(book), task.position.turn
    number = f" {task.slot % book.rules.tokens + 1}" if book.rules.tokens > 1 else ""
    what = f"{'the' if book.rules.shared else words.whose(turn)} {words.token}{number}"
    where = "could be any of these" if words.is_number else "could stand on any of these"
    return f"{_turn(book, task.position)} {what[:1].upper()}{what[1:]} {where}."


def _move_answers(book: Book, tasks: Sequence[MoveTask]) -> Element:
    """Return a table of the winning moves in each exercise, with the reasons."""
    rows = []
    for number, task in enumerate(tasks, 1):
        right = [to_paper_notation(book, move) for move in task.right]
        all_win = len(right) == len(book.moves(task.position)) > 1
        answer = "all of them" if all_win else join_and(right) if right else "no move wins"
        cells = (
            tag("td", tag("span", str(number), cls="number")),
            tag("td", answer, cls="answer"),
            tag("td", to_paper_notation(book, task.reason)),
        )
        rows.append(tag("tr", *cells, data_answer=number, data_right=" ".join(task.right)))
    return tag("table", tag("tbody", *rows), cls="rows")


def _place_answer(book: Book, task: PlaceTask, number: int) -> Element:
    """Return a list of the places to cross out, and the line with these places crossed out."""
    count = len(task.marked)
    which = "none of them" if not count else "all of them" if count == len(task.places) else join_and(task.marked)
    marks = {place: f"asked {CROSSED_CLASS}" if place in task.marked else "asked" for place in task.places}
    drawn = draw_line(book, task.position, marks, without=task.slot)
    content = tag("div", tag("p", tag("b", f"{_place_kind(task).capitalize()}: {which}.")), drawn)
    return _task(number, content, "task key", data_answer=number, data_marked=" ".join(map(str, task.marked)))
