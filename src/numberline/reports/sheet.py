"""Printable sheet for a game: rules, board with tokens, worksheet and answers."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline import __version__
from numberline.errors import NumberlineError
from numberline.explain.phrases import Phrases
from numberline.explain.rules_text import describe_changes, describe_rules, opening
from numberline.explain.strip import JUMPS, Strip
from numberline.explain.worksheet import MoveTask, PlaceTask, Worksheet, paintable_strip, secret_rule, worksheets
from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES, OUT
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.reports.html import page, tag
from numberline.reports.sheet_board import (
    COLOURED_CLASS,
    HALF_LINE_WIDTH_MM,
    LINE_WIDTH_MM,
    board_pages,
    draw_cutouts,
    draw_line,
    draw_strip,
    fits_half_line,
    to_paper_notation,
)
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS
from numberline.text import join_and, join_or, spell_number

MAX_PLACES = 400
MAX_EXERCISES = 40
MAX_COPIES = 100
PARTS = ("rules", "board", "worksheet", "answers")
HEADER_MM, TITLE_LINE_CHARS, TITLE_LINE_MM = 40.0, 65, 8.0
"""Height above the board if the title fits on one line; characters per title line; extra height per further line."""
MAX_LISTED_MOVES = 6
MAX_TICK_BOXES = 14
MAX_PLACE_TASKS = 2
"""Maximum number of colouring tasks in two columns; a one-column worksheet has at most one, to fit on a page."""


class Paper(NamedTuple):
    """A paper size in millimetres; in portrait orientation, every size has 180 mm between the side margins."""

    name: str
    width: float
    height: float
    side_margin: float

    @property
    def inner_height(self) -> float:
        """The height between the margins of a portrait page, or the width between those of a landscape page."""
        return self.height - 2 * PAGE_MARGIN_MM

    @property
    def css(self) -> str:
        """The page sizes as CSS, for print and for the screen; the board is on landscape pages."""
        margins, turned = f"{PAGE_MARGIN_MM}mm {self.side_margin}mm", f"{self.side_margin}mm {PAGE_MARGIN_MM}mm"
        return (
            f"@page {{ size: {self.width}mm {self.height}mm; margin: {margins}; }}\n"
            f"@page wide {{ size: {self.height}mm {self.width}mm; margin: {turned}; }}\n"
            f".wide {{ width: {self.inner_height:.1f}mm; }}\n"
            f"@media screen {{ .part {{ width: {self.width}mm; min-height: {self.height}mm; padding: {margins}; }}\n"
            f".wide {{ width: {self.height}mm; min-height: {self.width}mm; padding: {turned}; }} }}\n"
        )


PAGE_MARGIN_MM = 14
PAPERS = {"a4": Paper("A4", 210.0, 297.0, 15.0), "letter": Paper("Letter", 215.9, 279.4, 17.95)}
SHEET_CSS = Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")


class SheetError(NumberlineError, ValueError):
    """A game that can't be printed."""


def check_printable(book: Book) -> None:
    """Raise `SheetError` if the board has too many places to print."""
    low, high = book.rules.line
    places = high - low + 1
    if places > MAX_PLACES:
        limit = f"a printed board has at most {MAX_PLACES}, so make the line shorter"
        raise SheetError(f"{book.variant} has {places:,} places; {limit}")


class Sheet(NamedTuple):
    solution: Solution
    paper: Paper
    seed: int
    worksheets: tuple[Worksheet, ...]
    """Copies of the worksheet, with different tasks."""
    strip: Strip | None
    """Strip for the last exercise of each worksheet; None if the game has no strip to colour."""
    secret: str

    @property
    def book(self) -> Book:
        return self.solution.book


def make_sheet(solution: Solution, paper: str = "a4", seed: int = 1, exercises: int = 8, copies: int = 1) -> Sheet:
    """Create the sheet for a solved game; `seed` selects the exercises."""
    check_printable(solution.book)
    places = MAX_PLACE_TASKS if fits_half_line(solution.book) else 1
    tasks = worksheets(solution, random.Random(seed), copies, exercises, places)
    return Sheet(solution, PAPERS[paper], seed, tuple(tasks), paintable_strip(solution), secret_rule(solution))


def sheet_page(sheet: Sheet, only: Collection[str] = PARTS) -> str:
    """Return the sheet as a printable HTML page; if `only` is given, include just those parts."""
    parts = {
        "rules": [_rules(sheet)],
        "board": _boards(sheet),
        "worksheet": [_worksheet(sheet, tasks, number) for number, tasks in enumerate(sheet.worksheets, 1)],
        "answers": [_answers(sheet)],
    }
    note = tag("p", f"Print this page on {sheet.paper.name} paper, at 100%.", cls="for-screen")
    chosen = chain.from_iterable(parts[part] for part in PARTS if part in only)
    return page(sheet.book.full_title, [note, *chosen], SHEET_CSS + sheet.paper.css)


def _part(
    sheet: Sheet, kind: str, *content: Element | None, name: str, cls: str = "part", who: Element | None = None
) -> Element:
    """Return a part that starts on a new page; its header, with `who` in the middle, is repeated on each page."""
    head = tag("div", tag("h1", sheet.book.title), who, tag("span", kind, cls="kind"), cls="head")
    return tag("article", tag("header", head), tag("div", *content, cls="body"), cls=cls, id=name)


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
    """Return the book's introduction, or a generated sentence if a built-in introduction does not fit the variant."""
    text = book.about if book.about and book.source else opening(book)
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
    """Yield figures that show the start and the first two turns of a sample game."""
    words, rng = Phrases(book), random.Random(book.variant)
    at = book.start()
    yield tag("figure", tag("figcaption", "The game starts like this:"), draw_line(book, at))
    for _ in range(2):
        if not (followers := book.successors(at)):
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
    if winner := book.winner(after):
        return f"{text}. {words.names[winner - 1]} wins!"
    banned = f" Now {words.names[after.turn - 1]} {words.banned(after)}." if after.last else ""
    return f"{text}.{banned}"


# The board


def _boards(sheet: Sheet) -> Iterator[Element]:
    book, paper = sheet.book, sheet.paper
    header = HEADER_MM + TITLE_LINE_MM * (len(book.title) // TITLE_LINE_CHARS)
    height = paper.width - 2 * paper.side_margin - header
    pieces = board_pages(book, paper.inner_height - 2, height)
    for number, piece in enumerate(pieces, 1):
        kind = "The board" if len(pieces) == 1 else f"The board, page {number} of {len(pieces)}"
        first = tag("p", _on_the_board(book, piece), cls="hint") if number == 1 else None
        last = tag("div", *_extras(book), cls="extras") if number == len(pieces) else None
        yield _part(sheet, kind, first, piece, last, name=f"board-{number}", cls="part wide")


def _on_the_board(book: Book, piece: Element) -> str:
    """Return the instructions for setting up and reading the board."""
    glue = "Cut out the strips and glue them into one long line. " if piece.find("*[@class='glue']") is not None else ""
    sides = " Right is towards the higher numbers, left towards the lower ones." * (book.rules.moves == "both ways")
    noun = _token(book)
    what = f"the {noun}" if book.rules.shared else f"your {noun}" if book.rules.tokens == 1 else f"all your {noun}s"
    crowd = f" If the {noun}s don't all fit there, put the others next to it." if _crowded(book) else ""
    return f"{glue}Put {what} on START.{crowd} The flag marks the GOAL.{sides}"


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


def _worksheet(sheet: Sheet, tasks: Worksheet, number: int) -> Element:
    book, many = sheet.book, len(sheet.worksheets) > 1
    return _part(
        sheet,
        f"Worksheet {number}" if many else "Worksheet",
        *_find_section(sheet.solution, tasks.moves),
        *_colour_section(book, tasks.places, len(tasks.moves) + 1),
        _strip_task(sheet, tasks, solved=False),
        name=f"worksheet-{number}" if many else "worksheet",
        cls="part worksheet",
        who=tag("div", tag("span", "Name:"), tag("span", "Date:"), cls="who"),
    )


def _answers(sheet: Sheet) -> Element:
    book, first = sheet.book, sheet.worksheets[0]
    again = f"Numberline {__version__} made it with seed {sheet.seed}; another seed gives other exercises."
    if len(sheet.worksheets) > 1:
        answers = [_short_answers(book, tasks, number) for number, tasks in enumerate(sheet.worksheets, 1)]
    else:
        answers = [_move_answers(book, first.moves)] if first.moves else []
        answers += (_place_answer(book, task, number) for number, task in enumerate(first.places, len(first.moves) + 1))
    secret = tag("p", to_paper_notation(book, sheet.secret))
    return _part(
        sheet,
        "Answers",
        tag("p", f"Answers to the worksheet on {book.variant}. {again}", cls="hint"),
        *answers,
        _strip_task(sheet, first, solved=True),
        None if answers or sheet.strip else tag("p", "There is nothing to answer."),
        tag("section", tag("h2", "The secret of the game"), secret, cls="card") if sheet.secret else None,
        name="answers",
    )


def _short_answers(book: Book, tasks: Worksheet, number: int) -> Element:
    """Return the answers to one of several worksheets, without explanations."""
    answers = [*(_move_answer(book, task) for task in tasks.moves), *map(_which_places, tasks.places)]
    listed = (tag("li", tag("span", str(task), cls="number"), text) for task, text in enumerate(answers, 1))
    choices = tag("ul", *listed, cls="choices")
    return tag("section", tag("h2", f"Worksheet {number}"), choices, cls="key", data_copy=number)


# Exercises and their answers


def _find_section(solution: Solution, tasks: Sequence[MoveTask]) -> Iterator[Element]:
    """Yield the "find the winning move" exercises, or a sentence that says why there are none."""
    book = solution.book
    yield tag("h2", "Find the winning move")
    if not tasks:
        lost = book.rules.players == 2 and all(solution.value(start) == LOSS for start in book.starts())
        why = "The player who starts always loses." if lost else "No player can always win."
        yield tag("p", f"{why} So there is no winning move to find.")
        return
    sums = " You can see which number the game has reached." if book.rules.moves == "operations" else ""
    others = "the others play" if book.rules.players > 2 else "the other player does"
    yield tag(
        "p",
        f"After a winning move you can always win, no matter what {others}.{sums} "
        "Tick every winning move. If there is none, tick “no move wins”.",
    )
    yield _in_columns(book, [_find_task(book, task, number) for number, task in enumerate(tasks, 1)])


def _in_columns(book: Book, tasks: Sequence[Element]) -> Element:
    return tag("div", *tasks, cls="columns" * fits_half_line(book))


def _task_line(
    book: Book, position: Position, marks: Mapping[int, str] | None = None, slot: int | None = None
) -> Element:
    """Draw the line of a task in a worksheet."""
    width = HALF_LINE_WIDTH_MM if fits_half_line(book) else LINE_WIDTH_MM
    return draw_line(book, position, marks, without=slot, width=width)


def _find_task(book: Book, task: MoveTask, number: int) -> Element:
    position = task.position
    moves = [to_paper_notation(book, move) for move in book.moves(position)]
    boxes = (tag("li", tag("span", cls="box"), move) for move in moves)
    answer = tag("ul", *boxes, tag("li", tag("span", cls="box"), "no move wins", cls="none"), cls="choices")
    if len(moves) > MAX_TICK_BOXES:
        answer = tag("p", f"Allowed: {', '.join(moves)}. Write down the winning moves: ", tag("span", cls="blank"))
    content = tag("div", tag("div", tag("p", _turn(book, position)), answer, cls="turn"), _task_line(book, position))
    return _task(number, content, data_task=number, data_position=format_position(position))


def _task(number: int, content: Element, cls: str = "task", **data: object) -> Element:
    return tag("section", tag("span", str(number), cls="number"), content, cls=cls, **data)


def _turn(book: Book, position: Position) -> str:
    """Return sentences that say whose turn it is, which move is banned, and who is out."""
    words = Phrases(book)
    name = words.names[position.turn - 1]
    ban = f" {name} {words.banned(position)}." if position.last else ""
    gone = [words.names[player - 1] for player in book.players if position.is_out(player)]
    out = f" {join_and(gone)} {'is' if len(gone) == 1 else 'are'} out." if gone else ""
    return to_paper_notation(book, f"It's {name}'s turn.{ban}{out}")


def _colour_section(book: Book, tasks: Sequence[PlaceTask], first_number: int) -> Iterator[Element]:
    """Yield the "colour the places" exercises, if any."""
    if not tasks:
        return
    what = "On a trap, you lose if the other player plays well."
    if tasks[0].value != LOSS:
        what = "From a winning place, you can always win, no matter what the others play."
    kind = _place_kind(tasks[0])
    rest = f"Colour every {kind}. Look only at the thick boxes: all of them can be {kind}s, or none."
    yield tag("div", tag("h2", f"Colour the {kind}s"), tag("p", f"{what} {rest}"), cls="first")
    yield _in_columns(book, [_colour_task(book, task, number) for number, task in enumerate(tasks, first_number)])


def _place_kind(task: PlaceTask) -> str:
    return "trap" if task.value == LOSS else "winning place"


def _colour_task(book: Book, task: PlaceTask, number: int) -> Element:
    drawn = _task_line(book, task.position, dict.fromkeys(task.places, "asked"), task.slot)
    content = tag("div", tag("p", _imagined(book, task)), drawn)
    return _task(number, content, data_task=number, data_position=format_position(task.position), data_slot=task.slot)


def _strip_task(sheet: Sheet, tasks: Worksheet, *, solved: bool) -> Element | None:
    """Return the exercise about the whole game, or its answer if `solved`; None if the game has no strip."""
    if not (strip := sheet.strip):
        return None
    title, text = "Colour all the traps", "Colour every box in which you lose if the other player plays well."
    if strip.cells[0].mark == JUMPS:
        title, text = "Count the jumps", "Write in each box how many jumps you need if you are alone on the line."
    note = to_paper_notation(sheet.book, f"{strip.legend}." if solved else text)
    content = tag("div", tag("p", f"{note} ", tag("b", f"{strip.caption}:")), draw_strip(strip, solved=solved))
    task = _task(len(tasks.moves) + len(tasks.places) + 1, content, data_strip="answer" if solved else "task")
    return tag("div", tag("h2", title), task, cls="first")


def _imagined(book: Book, task: PlaceTask) -> str:
    """Return the introduction to a "colour the places" exercise."""
    words, turn = Phrases(book), task.position.turn
    number = f" {task.slot % book.rules.tokens + 1}" if book.rules.tokens > 1 else ""
    what = f"{'the' if book.rules.shared else words.whose(turn)} {words.token}{number}"
    where = "could be any of these numbers" if words.is_number else f"could stand on any of these {words.noun}s"
    return f"{_turn(book, task.position)} {what[:1].upper()}{what[1:]} {where}."


def _move_answers(book: Book, tasks: Sequence[MoveTask]) -> Element:
    """Return a table of the winning moves in each exercise, with explanations."""
    rows = []
    for number, task in enumerate(tasks, 1):
        cells = (
            tag("td", tag("span", str(number), cls="number")),
            tag("td", _move_answer(book, task), cls="answer"),
            tag("td", to_paper_notation(book, task.reason)),
        )
        rows.append(tag("tr", *cells, data_answer=number, data_right=" ".join(task.right)))
    return tag("table", tag("tbody", *rows), cls="rows")


def _move_answer(book: Book, task: MoveTask) -> str:
    right = [to_paper_notation(book, move) for move in task.right]
    all_win = len(right) == len(book.moves(task.position)) > 1
    return "all of them" if all_win else join_and(right) if right else "no move wins"


def _place_answer(book: Book, task: PlaceTask, number: int) -> Element:
    """Return a list of the places to colour, and the line with these places coloured."""
    marks = {place: f"asked {COLOURED_CLASS}" if place in task.marked else "asked" for place in task.places}
    drawn = draw_line(book, task.position, marks, without=task.slot)
    content = tag("div", tag("p", tag("b", f"{_place_kind(task).capitalize()}s: {_which_places(task)}.")), drawn)
    return _task(number, content, "task key", data_answer=number, data_marked=" ".join(map(str, task.marked)))


def _which_places(task: PlaceTask) -> str:
    count = len(task.marked)
    return "none of them" if not count else "all of them" if count == len(task.places) else join_and(task.marked)
