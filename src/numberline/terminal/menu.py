"""Menus: selection from a list, and the rematch menu after a series of games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from numberline.characters import against
from numberline.errors import NumberlineError
from numberline.progress.ladder import next_step, stored_steps
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import load_progress
from numberline.terminal.prompt import HELP, QUIT, Quit, ask, report_errors
from numberline.terminal.records import RecordFile, next_free_path
from numberline.terminal.saves import play_with_autosave, returns_to_menu
from numberline.terminal.series import EASIER, HARDER, SWAP, Series, SeriesOptions
from numberline.text import find_similar, join_or, quote

if TYPE_CHECKING:
    from numberline.views.game_over import RetryView

_AGAIN, _NEXT, _RETRY, _REVIEW, _ANOTHER, _MORE = "again", "next", "retry", "review", "another", "more"


class MenuItem(NamedTuple):
    """Menu entry: the word to type, a title, a description and an alternative name."""

    word: str
    title: str
    text: str = ""
    alias: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.text}" if self.text else self.title


QUIT_ITEM = MenuItem(QUIT, "Quit")
_MAX_LISTED_WORDS = 16
_PAGE_ITEMS = 7
"""Maximum number of items on a page of a long list; each item takes up to three lines."""


class InvalidChoice(NumberlineError):
    """Error for an answer that can't be accepted, such as one that matches no menu item or several."""


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


def pick_from_pages(screen: TextConsole, question: str, list_items: Callable[[], list[MenuItem]]) -> Iterator[str]:
    """Yield the words of items that the player chooses from a long list, one at a time.

    The list is shown in pages that fit on a screen, and is read again before every choice.
    """
    start = 0
    while items := list_items():
        start = start if start < len(items) else 0
        more = MenuItem(_MORE, "More", "the next page" if items[start + _PAGE_ITEMS :] else "back to the first page")
        word = pick(screen, question, [*items[start : start + _PAGE_ITEMS], *[more] * (len(items) > _PAGE_ITEMS)])
        if word != _MORE:
            yield word
        else:
            start += _PAGE_ITEMS


def _match_item(typed: str, items: Sequence[MenuItem], other: Callable[[str], str] | None) -> str:
    """Return the word of the item that matches `typed`, or `other(typed)` for a variant or a path.

    Raise `InvalidChoice` if no item or more than one matches.
    """
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
    if other and set(typed) & set("(./\\"):  # a variant or a file
        return other(typed.strip())
    similar = find_similar(wanted, [item.word for item in items])
    names = join_or([item.title for item in items])
    valid = f", or {names}" if len(names.split()) <= _MAX_LISTED_WORDS else f" from 1 to {len(items)}"
    expected = f"Did you mean {similar}?" if similar else f"Type a number{valid}."
    raise InvalidChoice(f"{quote(typed)} is not on the list. {expected}")


def _search(wanted: str, items: Sequence[MenuItem]) -> list[MenuItem]:
    """Return the items that match `wanted` best.

    Exact matches of a name are best, then names that start with `wanted`, then titles with a word that does.
    """
    tests: tuple[Callable[[MenuItem], bool], ...] = (
        lambda item: wanted in {item.word, item.title.lower()},
        lambda item: any(name.lower().startswith(wanted) for name in (item.word, item.title, item.alias)),
        lambda item: any(word.startswith(wanted) for word in item.title.lower().split()),
    )
    return next(filter(None, ([item for item in items if test(item)] for test in tests)), [])


# After a series


def play_with_rematches(
    series: Series, screen: TextConsole, record: RecordFile | None = None, path: Path | None = None
) -> bool:
    """Play a series and, at a terminal, offer rematches; return whether the player wants a different game."""
    while play_with_autosave(series, screen, record, path):
        choice = _pick_next(series, screen) if screen.draws else QUIT
        if isinstance(choice, str):
            return choice == _ANOTHER
        series, path = choice, None
        if record:
            record = RecordFile(next_free_path(record.path))
            series.options = replace(series.options, record=record.path)
            screen.say(f"Recording to {record.path}.\n")
        step = stored_steps().get(series.options.step) if series.options.step and not series.retry else None
        screen.say(f"\n{step.heading}\n{step.introduction}\n\n" if step else "\n")
    return False


def _pick_next(series: Series, screen: TextConsole) -> Series | str:
    """Ask what to do next, and ask again after a review; return the next series, or the word of any other choice."""
    offers = dict(_rematches(series))
    quits = [] if returns_to_menu(screen) else [QUIT_ITEM]  # a game started from the menu returns there in any case
    items = [*offers, MenuItem(_ANOTHER, "Menu", "another game"), *quits]
    rematches = {item.word: options for item, options in offers.items()}
    screen.say("\nWhat now?\n")
    while True:
        try:
            choice = pick(screen, "Your choice", items)
        except (Quit, EndOfInput):
            return QUIT
        retry = series.ending.retry if series.ending and choice == _RETRY else None
        if choice == _REVIEW:
            with report_errors(screen):
                retry = pick_from_review(series, screen)
        if retry:
            return series.retry_from(retry)
        if choice != _REVIEW:
            options = rematches.get(choice)
            return Series(options) if options else choice
        screen.say("\n")


def pick_from_review(series: Series, screen: TextConsole) -> RetryView | None:
    """Show a review of the last game, move by move; return the point from which the player wants to play, or None."""
    from numberline.terminal.coach import Coach  # imports the solver
    from numberline.terminal.review import step_through

    with suppress(Quit, EndOfInput):
        match, you = series.finished[-1], series.options.you(len(series.finished) - 1)
        return step_through(match, screen, you, Coach(match).review())
    return None


def _rematches(series: Series) -> Iterator[tuple[MenuItem, SeriesOptions | None]]:
    """Yield the menu items after a series: rematches with the options of the new series, other items with None."""
    options, rules, progress = series.options, series.options.book.rules, load_progress()
    bot = f"auto:{progress.level(options.book.name)}" if options.adaptive else ""
    what = f"match of {options.games} games" if options.games > 1 else "game"
    again, swapped = (options.rematch(word, bot) for word in (_AGAIN, SWAP))
    if options.step and progress.ladder.get(options.step) and (step := next_step(options.step)):
        number = step.id.rpartition("-")[2]
        yield MenuItem(_NEXT, "Next step", f"step {number}, '{step.short_title}'"), options.for_step(step)
    yield MenuItem(_AGAIN, "Again", _starts(again) if options.takes_turns else f"the same {what} once more"), again
    if series.ending and series.ending.retry:
        yield MenuItem(_RETRY, "Try that move again", "from before your mistake"), None
    sides_differ = len(set(rules.goals)) > 1 or len(set(rules.starts)) > 1
    if len(options.participants) > 1 and not options.step and (sides_differ or not options.takes_turns):
        other_side = "you play from the other side"
        yield MenuItem(SWAP, "Swap sides", other_side if options.takes_turns else _starts(swapped)), swapped
    if rules.players == 2:
        yield MenuItem(_REVIEW, "Review", "one move at a time"), None
    for word, title in () if bot else ((HARDER, "Harder"), (EASIER, "Easier")):
        if options.other_bot(word):
            other = options.rematch(word)
            name = next(each.name for each in other.participants if each.bot)
            yield MenuItem(word, title, against(name)), other


def _starts(options: SeriesOptions) -> str:
    starter = options.participants[options.first - 1].name
    return "you start" if options.you() == options.first else f"{starter} starts"
