"""Exercises of a printed sheet, and their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from numberline.explain.phrases import Phrases
from numberline.explain.worksheet import MoveTask, PlaceTask
from numberline.game.book import Book
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.reports.html import tag
from numberline.reports.sheet_board import CROSSED_CLASS, draw_line, to_paper_notation
from numberline.solver.worth import LOSS
from numberline.text import join_and

MAX_TICK_BOXES = 14


def find_section(book: Book, tasks: Sequence[MoveTask]) -> Iterator[Element]:
    """Yield the exercise "find the winning move"; a sentence if there is nothing to find."""
    yield tag("h2", "Find the winning move")
    if not tasks:
        yield tag("p", f"You can never be sure to win {book.title}, so there is no winning move to find.")
        return
    several = "whatever the others play" if book.rules.players > 2 else "however well your opponent plays"
    sums = " You see the number that has been reached." if book.rules.moves == "operations" else ""
    yield tag(
        "p",
        f"A winning move is one after which you can be sure to win, {several}.{sums} "
        "Tick every winning move. If there is none, tick “no move wins”.",
    )
    yield from (_find_task(book, task, number) for number, task in enumerate(tasks, 1))


def _find_task(book: Book, task: MoveTask, number: int) -> Element:
    position = task.position
    moves = [to_paper_notation(book, move) for move in task.moves]
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
    """Return whose turn it is, and which step is banned."""
    words = Phrases(book)
    name = words.names[position.turn - 1]
    ban = f", who {words.banned(position)}" if position.last else ""
    gone = [words.names[player - 1] for player in book.players if position.is_out(player)]
    out = f" {join_and(gone)} {'is' if len(gone) == 1 else 'are'} out." if gone else ""
    return to_paper_notation(book, f"It is the turn of {name}{ban}.{out}")


def mark_section(book: Book, tasks: Sequence[PlaceTask], before: int) -> Iterator[Element]:
    """Yield the exercise "mark the places"; nothing if the game has no such places."""
    if not tasks:
        return
    lost = tasks[0].value == LOSS
    title = tag("h2", "Mark the lost places" if lost else "Mark the winning places")
    sure = "whatever the others play" if book.rules.players > 2 else "however well the opponent plays"
    what = (
        "On a lost place the player to move loses, if the opponent plays well. Cross out every lost place."
        if lost
        else f"On a winning place the player to move can be sure to win, {sure}. Cross out every winning place."
    )
    intro = tag("p", f"{what} Look only at the places with a thick frame. It can be all of them, or none.")
    first, *more = (_mark_task(book, task, number) for number, task in enumerate(tasks, before + 1))
    yield tag("div", title, intro, first, cls="first")
    yield from more


def _mark_task(book: Book, task: PlaceTask, number: int) -> Element:
    drawn = draw_line(book, task.position, dict.fromkeys(task.places, "asked"), without=task.slot)
    content = tag("div", tag("p", _imagined(book, task)), drawn)
    return _task(number, content, data_task=number, data_position=format_position(task.position), data_slot=task.slot)


def _imagined(book: Book, task: PlaceTask) -> str:
    """Return the sentence that introduces the places."""
    words, turn = Phrases(book), task.position.turn
    number = task.slot % book.rules.tokens
    if book.rules.shared:
        what = f"the {words.token}"
    elif book.rules.tokens == 1:
        what = f"{words.whose(turn)} {words.token}"
    else:
        what = f"{words.whose(turn)} {words.token} {number + 1}"
    where = "could be any of these" if words.is_number else "could stand on any of these"
    return f"{_turn(book, task.position)} {what[:1].upper()}{what[1:]} {where}."


# The answers


def move_answers(book: Book, tasks: Sequence[MoveTask]) -> Element:
    """Return each exercise with its winning moves and the reason."""
    rows = []
    for number, task in enumerate(tasks, 1):
        right = [to_paper_notation(book, move) for move in task.right]
        answer = "all of them" if len(right) == len(task.moves) > 1 else join_and(right) if right else "no move wins"
        cells = (
            tag("td", tag("span", str(number), cls="number")),
            tag("td", answer, cls="answer"),
            tag("td", to_paper_notation(book, task.reason)),
        )
        rows.append(tag("tr", *cells, data_answer=number, data_right=" ".join(task.right)))
    return tag("table", tag("tbody", *rows), cls="rows")


def place_answer(book: Book, task: PlaceTask, number: int) -> Element:
    """Return the line with the places crossed out, and a list of them."""
    kind = "lost" if task.value == LOSS else "winning"
    count = len(task.marked)
    which = "none of them" if not count else "all of them" if count == len(task.places) else join_and(task.marked)
    marks = {place: f"asked {CROSSED_CLASS}" if place in task.marked else "asked" for place in task.places}
    drawn = draw_line(book, task.position, marks, without=task.slot)
    content = tag("div", tag("p", tag("b", f"{kind.capitalize()}: {which}.")), drawn)
    return _task(number, content, "task key", data_answer=number, data_marked=" ".join(map(str, task.marked)))
