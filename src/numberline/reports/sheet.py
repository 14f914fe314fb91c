"""A game on paper: a rule sheet, a board with tokens, a worksheet and its answers, as one page that is printed."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline import __version__
from numberline.analysis.words import Words
from numberline.analysis.worksheet import MoveTask, PlaceTask, Worksheet, worksheet
from numberline.book.book import Book
from numberline.notation import write_position
from numberline.reports.markup import page, tag
from numberline.reports.sheet_board import all_tokens, boards, cut_outs, goal_of, layout_of, token
from numberline.reports.sheet_style import PAPERS, STYLE, Paper
from numberline.rules.errors import NumberlineError
from numberline.rules.moves import FORCED, OUT
from numberline.rules.position import Position
from numberline.rules.wording import all_of, any_of, number_word
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS
from numberline.speech.changes import changes_in_prose
from numberline.speech.line import shown_places, standing
from numberline.speech.prose import opening, rules_in_prose

MOST_PLACES = 400
"""A longer line is not printed."""
MOST_EXERCISES = 40
HEAD, TITLE, TITLE_LINE = 43.0, 45, 8.0
"""The millimetres of a page that are above the board; a longer title than so many letters takes a line more."""
WHOLE, NEAR = 48, 3
"""A line with more places is drawn in exercises only near the tokens, the goals and its ends."""
ROOM = 169.0
"""How many millimetres a line in an exercise can have."""
MANY_MOVES = 14
"""More moves than this are not listed to be ticked; the answer is written down."""
FEW_MOVES = 6
"""More moves than this are not listed in a sentence."""
SIGNS = {"*": "\N{MULTIPLICATION SIGN}", "/": "\N{DIVISION SIGN}", "-": "\N{MINUS SIGN}"}
"""Sums as they are written at school."""
CROSSED = "crossed"
WAYS = {"L": "left", "R": "right"}


class SheetError(NumberlineError, ValueError):
    """A game that can't be printed; the text is one sentence that says why."""


def need_printable(book: Book) -> None:
    """Raises where a board would have too many places."""
    places = len(layout_of(book).places)
    if places > MOST_PLACES:
        raise SheetError(
            f"{book.variant} has {places:,} places, and a printed board at most {MOST_PLACES}; make the line shorter"
        )


class Sheet(NamedTuple):
    """All that is printed of one game."""

    solution: Solution
    paper: Paper
    seed: int
    tasks: Worksheet

    @property
    def book(self) -> Book:
        """The game."""
        return self.solution.book


def sheet_of(solution: Solution, paper: str = "a4", seed: int = 1, exercises: int = 8) -> Sheet:
    """The sheet of a solved game; the seed decides which exercises are drawn."""
    need_printable(solution.book)
    return Sheet(solution, PAPERS[paper], seed, worksheet(solution, random.Random(seed), exercises))


def sheet_page(sheet: Sheet) -> str:
    """The sheet as a page for a browser to print."""
    parts = [_rules(sheet), *_boards(sheet), _worksheet(sheet), _answers(sheet)]
    note = tag("p", f"Print this page on {sheet.paper.name} paper, at 100 %.", cls="for-screen")
    return page(sheet.book.full_title, [note, *parts], style=sheet.paper.style + STYLE, scheme="light", foot=False)


def _part(sheet: Sheet, kind: str, *content: Element | None, name: str = "") -> Element:
    head = tag("header", tag("h1", sheet.book.title), tag("span", kind, cls="kind"))
    return tag("article", head, *content, cls="part", id=name or kind.lower())


def _on_paper(book: Book, text: str) -> str:
    """A text on moves as a child reads it: sums as at school, `right 2` for `R2`, `token 1 by 3` for `1:3`.

    >>> import numberline as nl
    >>> _on_paper(nl.book("number-line-sprint"), "Play R2: it takes you to position 11.")
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


# The rules


def _rules(sheet: Sheet) -> Element:
    book = sheet.book
    sections = rules_in_prose(book)
    goal = next(section.text for section in sections if section.heading == "The goal")
    changed = changes_in_prose(book)
    rules = (
        tag("section", tag("h2", heading), tag("p", _on_paper(book, text)), cls="rule")
        for heading, text in sections
        if heading != "The goal"
    )
    return _part(
        sheet,
        "The rules",
        tag("p", _opening(book), cls="opening"),
        tag("p", tag("b", "A variant. "), _on_paper(book, changed), cls="hint") if changed else None,
        tag("section", tag("h2", "How to win"), tag("p", _on_paper(book, goal)), cls="win"),
        tag("p", tag("b", "You need "), _needed(book), cls="hint"),
        *rules,
        tag("div", tag("h2", "An example"), *_example(book), cls="example"),
        name="rules",
    )


def _opening(book: Book) -> str:
    """What the game is: in the book's own words where they are true, else in a sentence that tells no rule twice."""
    text = opening(book)
    return text if text == book.about else f"{text.partition('. ')[0].removesuffix('.')}."


def _needed(book: Book) -> str:
    """What has to be on the table."""
    players = f"{number_word(book.rules.players)} players, the board"
    what = _token(book)
    if book.rules.shared:
        return f"{players}, and one {what}: cut it out, or take a coin or a button."
    each = f"{number_word(book.rules.tokens)} {what}{'s' if book.rules.tokens > 1 else ''} for each player"
    return f"{players}, and {each}: cut them out, or take coins and buttons."


def _token(book: Book) -> str:
    """What stands on the board: a number that is reached is shown by a marker."""
    return "marker" if book.rules.shared and book.rules.moves == "operations" else book.noun("token")


def _example(book: Book) -> Iterator[Element]:
    """The first two turns of a game, drawn and told."""
    words, rng = Words(book), random.Random(book.variant)
    at = book.start()
    yield tag("figure", tag("figcaption", "The game begins like this:"), _line(book, at))
    for _ in range(2):
        followers = book.followers(at)
        if not followers:
            return
        quiet = [(move, after) for move, after in followers if not book.winner(after) and not after.is_out(at.turn)]
        move, after = rng.choice(quiet or followers)
        told = _on_paper(book, _told(words, at, move, after))
        yield tag("figure", tag("figcaption", told), _line(book, after))
        at = after


def _told(words: Words, at: Position, move: str, after: Position) -> str:
    """One turn in words."""
    book, name = words.book, words.names[at.turn - 1]
    if move in FORCED:
        return f"{name} has no move and {'is out' if move == OUT else 'loses the turn'}."
    legal = book.moves(at)
    may = f"{name} may play {any_of([_on_paper(book, each) for each in legal])}"
    if len(legal) > FEW_MOVES:
        may = f"{name} may play one of {len(legal)} moves"
    text = f"{may}, and plays {_on_paper(book, move)}: it {words.effect(at, move)}"
    winner = book.winner(after)
    if winner:
        return f"{text}. {words.names[winner - 1]} wins!"
    banned = f" Now {words.names[after.turn - 1]} {words.banned(after)}." if after.last else ""
    return f"{text}.{banned}"


# The board


def _boards(sheet: Sheet) -> Iterator[Element]:
    book = sheet.book
    pieces = boards(book, sheet.paper.inside - HEAD - TITLE_LINE * (len(book.title) // TITLE))
    for number, piece in enumerate(pieces, 1):
        kind = "The board" if len(pieces) == 1 else f"The board, page {number} of {len(pieces)}"
        first = tag("p", _on_the_board(book), cls="hint") if number == 1 else None
        last = _extras(book) if number == len(pieces) else ()
        yield _part(sheet, kind, first, piece, *last, name=f"board-{number}")


def _on_the_board(book: Book) -> str:
    """How the tokens are put on the board."""
    rows = " At the end of a row go down and on the other way, like a snake." if layout_of(book).rows > 1 else ""
    sides = " Right is towards the higher numbers, left towards the lower ones." * (book.rules.moves == "both ways")
    noun = _token(book)
    what = f"the {noun}" if book.rules.shared else f"your {noun}" if book.rules.tokens == 1 else f"all your {noun}s"
    crowd = " If there is no room for all, let them wait beside it." if _crowded(book) else ""
    return f"Put {what} on START.{crowd} The flag is the GOAL.{rows}{sides}"


def _crowded(book: Book) -> bool:
    """Whether more tokens begin on one place than have room there."""
    starts = [] if book.rules.shared else [start for start in book.rules.starts for _ in range(book.rules.tokens)]
    return max(map(starts.count, starts), default=0) > 2


def _extras(book: Book) -> Iterator[Element]:
    """What is cut out, and where the last step is remembered."""
    what = f"{_token(book)}{'' if book.rules.shared else 's'}"
    yield tag("section", tag("h2", f"Cut out the {what} along the dashed lines"), cut_outs(book), cls="cutting")
    if book.rules.repeat == "banned":
        strides = sorted({move.stride for move in book.choices if move.stride})
        said = "After your move put a coin on what you have just played. The next player may not play it."
        yield tag(
            "section",
            tag("h2", "What was just played?"),
            tag("p", said),
            tag("div", *(tag("span", _on_paper(book, book.stride(stride))) for stride in strides), cls="last"),
        )


# A line in an exercise


def _line(
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


# The worksheet


def _worksheet(sheet: Sheet) -> Element:
    book, tasks = sheet.book, sheet.tasks
    return _part(
        sheet,
        "Worksheet",
        tag("div", tag("span", "Name:"), tag("span", "Date:"), cls="who"),
        *_find(book, tasks.moves),
        *_mark(book, tasks.places, len(tasks.moves)),
    )


def _find(book: Book, tasks: Sequence[MoveTask]) -> Iterator[Element]:
    yield tag("h2", "Find the winning move")
    if not tasks:
        yield tag("p", f"Nobody can ever be sure to win {book.title}, so there is no winning move to find.")
        return
    several = "whatever the others play" if book.rules.players > 2 else "however well the other one plays"
    sums = " You see the number that has been reached." if book.rules.moves == "operations" else ""
    yield tag(
        "p",
        f"A winning move is one after which you can be sure to win, {several}.{sums} "
        "Tick every winning move. If there is none, tick “no move wins”.",
    )
    yield from (_find_task(book, task, number) for number, task in enumerate(tasks, 1))


def _find_task(book: Book, task: MoveTask, number: int) -> Element:
    position = task.position
    boxes = (tag("li", tag("span", cls="box"), _on_paper(book, move)) for move in task.moves)
    none = tag("li", tag("span", cls="box"), "no move wins", cls="none")
    answer = tag("ul", *boxes, none, cls="choices")
    if len(task.moves) > MANY_MOVES:
        answer = tag("p", "Your answer: ", tag("span", cls="blank"))
    asked = tag("div", tag("p", _turn(book, position)), _line(book, position), answer)
    return tag(
        "section",
        tag("span", str(number), cls="number"),
        asked,
        cls="task",
        data_task=number,
        data_position=write_position(position),
    )


def _turn(book: Book, position: Position) -> str:
    """Whose turn it is, and what may not be done."""
    words = Words(book)
    name = words.names[position.turn - 1]
    ban = f", who {words.banned(position)}" if position.last else ""
    gone = [words.names[player - 1] for player in book.players if position.is_out(player)]
    out = f" {all_of(gone)} {'is' if len(gone) == 1 else 'are'} out." if gone else ""
    return _on_paper(book, f"It is the turn of {name}{ban}.{out}")


def _mark(book: Book, tasks: Sequence[PlaceTask], before: int) -> Iterator[Element]:
    if not tasks:
        return
    lost = tasks[0].value == LOSS
    title = tag("h2", "Mark the lost places" if lost else "Mark the winning places")
    sure = "whatever the others play" if book.rules.players > 2 else "however well the other one plays"
    what = (
        "On a lost place the player to move loses, if the other one plays well. Cross out every lost place."
        if lost
        else f"On a winning place the player to move can be sure to win, {sure}. Cross out every winning place."
    )
    said = tag("p", f"{what} Look only at the places with a thick frame. It can be all of them, or none.")
    first, *more = (_mark_task(book, task, number) for number, task in enumerate(tasks, before + 1))
    yield tag("div", title, said, first, cls="first")
    yield from more


def _mark_task(book: Book, task: PlaceTask, number: int) -> Element:
    drawn = _line(book, task.position, dict.fromkeys(task.places, "asked"), without=task.slot)
    return tag(
        "section",
        tag("span", str(number), cls="number"),
        tag("div", tag("p", _imagined(book, task)), drawn),
        cls="task",
        data_task=number,
        data_position=write_position(task.position),
        data_slot=task.slot,
    )


def _imagined(book: Book, task: PlaceTask) -> str:
    """What is to be imagined on one place after the other."""
    words, turn = Words(book), task.position.turn
    number = task.slot % book.rules.tokens
    if book.rules.shared:
        what = f"the {words.token}"
    elif book.rules.tokens == 1:
        what = f"{words.whose(turn)} {words.token}"
    else:
        what = f"{words.whose(turn)} {words.token} {number + 1}"
    where = "could be any of these" if words.a_number else "could stand on any of these"
    return f"{_turn(book, task.position)} {what[:1].upper()}{what[1:]} {where}."


# The answers


def _answers(sheet: Sheet) -> Element:
    book, tasks = sheet.book, sheet.tasks
    secret = tag("section", tag("h2", "The secret of the game"), tag("p", _on_paper(book, tasks.secret)), cls="card")
    again = f"Numberline {__version__} drew it with the seed {sheet.seed}; another seed draws other exercises."
    return _part(
        sheet,
        "Answers",
        tag("p", f"For whoever corrects the worksheet on {book.variant}. {again}", cls="hint"),
        _move_answers(book, tasks.moves) if tasks.moves else None,
        *(_place_answer(book, task, number) for number, task in enumerate(tasks.places, len(tasks.moves) + 1)),
        None if tasks.moves or tasks.places else tag("p", "There is nothing to answer."),
        secret if tasks.secret else None,
    )


def _move_answers(book: Book, tasks: Sequence[MoveTask]) -> Element:
    rows = []
    for number, task in enumerate(tasks, 1):
        right = [_on_paper(book, move) for move in task.right]
        said = "all of them" if len(right) == len(task.moves) > 1 else all_of(right) if right else "no move wins"
        rows.append(
            tag(
                "tr",
                tag("td", tag("span", str(number), cls="number")),
                tag("td", said, cls="answer"),
                tag("td", _on_paper(book, task.reason)),
                data_answer=number,
                data_right=" ".join(task.right),
            )
        )
    return tag("table", tag("tbody", *rows), cls="rows")


def _place_answer(book: Book, task: PlaceTask, number: int) -> Element:
    kind = "lost" if task.value == LOSS else "winning"
    count = len(task.marked)
    which = "none of them" if not count else "all of them" if count == len(task.places) else all_of(task.marked)
    marks = {place: f"asked {CROSSED}" if place in task.marked else "asked" for place in task.places}
    return tag(
        "section",
        tag("span", str(number), cls="number"),
        tag(
            "div",
            tag("p", tag("b", f"{kind.capitalize()}: {which}.")),
            _line(book, task.position, marks, without=task.slot),
        ),
        cls="task key",
        data_answer=number,
        data_marked=" ".join(map(str, task.marked)),
    )
