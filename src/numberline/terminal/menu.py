"""Menus: selection from a list, and the rematch menu after a series of games."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from numberline.errors import NumberlineError
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import current_level, update_levels
from numberline.terminal.prompt import HELP, QUIT, Quit, ask, report_errors
from numberline.terminal.records import RecordFile, next_free_path
from numberline.terminal.saves import play_with_autosave
from numberline.terminal.series import EASIER, HARDER, SWAP, Series, SeriesOptions, other_level, rematch_options
from numberline.text import join_or, quote

_AGAIN, _REVIEW, _ANOTHER = "again", "review", "another"


class MenuItem(NamedTuple):
    """Menu entry: the word to type, a title and a description."""

    word: str
    title: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.text}" if self.text else self.title


QUIT_ITEM = MenuItem(QUIT, "Quit")


class InvalidChoice(NumberlineError):
    """Answer that matches no menu item, or several."""


def pick(
    screen: TextConsole, question: str, items: Sequence[MenuItem], other: Callable[[str], str] | None = None
) -> str:
    """Return the word of the chosen item, or the result of `other` for an answer that is not in the menu.

    An item can be chosen by its number, its name or the start of its name; Enter chooses the first item. Raise `Quit`
    if the player quits, and `EndOfInput` at the end of the input.
    """

    def show() -> None:
        screen.say("".join(f"{number}. {item}\n" for number, item in enumerate(items, 1)))

    def read(typed: str) -> str | None:
        if typed.strip().lower() not in {HELP, "?"}:
            return _match_item(typed, items, other)
        show()
        return None

    show()
    enter = f"Enter for {items[0].title}, or quit"
    word = ask(screen, f"{question} (1-{len(items)}, {enter}): ", read, words=[item.word for item in items])
    if word == QUIT:
        raise Quit
    return word


def _match_item(typed: str, items: Sequence[MenuItem], other: Callable[[str], str] | None) -> str:
    """Return the word of the item that matches `typed`; raise `InvalidChoice` if none or several match."""
    wanted = " ".join(typed.lower().split())
    if not wanted:
        return items[0].word
    if wanted.isdecimal() and len(wanted) < 10 and 0 < int(wanted) <= len(items):
        return items[int(wanted) - 1].word
    found = _search(wanted, items)
    if len(found) == 1:
        return found[0].word
    if found:
        raise InvalidChoice(f"{quote(typed)} could be {join_or([item.title for item in found])}; type more letters")
    if other and not wanted.isdecimal():
        return other(typed.strip())
    similar = difflib.get_close_matches(wanted, [item.word for item in items], n=1)
    valid = f"type a number from 1 to {len(items)}, or a word such as {items[0].word}"
    expected = f"did you mean {similar[0]}?" if similar else valid
    raise InvalidChoice(f"{quote(typed)} is not on the list; {expected}")


def _search(wanted: str, items: Sequence[MenuItem]) -> list[MenuItem]:
    """Return exact matches; if there are none, items whose name, or else any word, starts with `wanted`."""
    tests: tuple[Callable[[MenuItem], bool], ...] = (
        lambda item: wanted in {item.word, item.title.lower()},
        lambda item: item.word.startswith(wanted) or item.title.lower().startswith(wanted),
        lambda item: any(word.startswith(wanted) for word in f"{item.title} {item.text}".lower().split()),
    )
    found = ([item for item in items if test(item)] for test in tests)
    return next(filter(None, found), [])


# After a series


def play_with_rematches(
    series: Series, screen: TextConsole, record: RecordFile | None = None, path: Path | None = None
) -> bool:
    """Play a series and, at a terminal, offer rematches; return whether the player wants a different game."""
    while play_with_autosave(series, screen, record, path):
        if series.options.adaptive:
            update_levels(series, screen)
        choice = _pick_next(series, screen) if screen.draws else QUIT
        if choice in {QUIT, _ANOTHER}:
            return choice == _ANOTHER
        options = rematch_options(series.options, choice, _adapted_level(series.options))
        if record:
            record = RecordFile(next_free_path(record.path))
            options = replace(options, record=record.path)
            screen.say(f"Recording to {record.path}.\n")
        series, path = Series(options), None
        screen.say("\n")
    return False


def _pick_next(series: Series, screen: TextConsole) -> str:
    """Ask what to do next and return the choice; a review is shown here, then the question is repeated."""
    items = list(_rematch_items(series.options))
    screen.say("\nWhat now?\n")
    while True:
        try:
            choice = pick(screen, "Your choice", items)
        except (Quit, EndOfInput):
            return QUIT
        if choice != _REVIEW:
            return choice
        with report_errors(screen):
            from numberline.terminal.coach import Coach  # imports the solver

            Coach(series.finished[-1]).show_review(screen)
        screen.say("\n")


def _rematch_items(options: SeriesOptions) -> Iterator[MenuItem]:
    level = _adapted_level(options)
    yield MenuItem(_AGAIN, "Again", f"against level {level}" if level else "the same once more")
    if len(options.participants) > 1:
        swapped = rematch_options(options, SWAP, level)
        yield MenuItem(SWAP, "Swap sides", f"{swapped.participants[swapped.first - 1].name} starts")
    if options.book.rules.players == 2:
        yield MenuItem(_REVIEW, "Review", "see how good every move was")
    for word, title in () if level else ((HARDER, "Harder"), (EASIER, "Easier")):
        if other := other_level(options, word):
            yield MenuItem(word, title, f"against level {other}")
    yield MenuItem(_ANOTHER, "Another game")
    yield QUIT_ITEM


def _adapted_level(options: SeriesOptions) -> int:
    return current_level(options.book.name) if options.adaptive else 0
