"""A list to choose from at the table: by number, by first letters or by name, and Enter takes the first."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from numberline.errors import NumberlineError
from numberline.terminal.console import TextConsole
from numberline.terminal.prompt import HELP, QUIT, Quit, ask
from numberline.text import join_or, quote


class MenuItem(NamedTuple):
    """One entry of a list: the word for it, what it is called, and a few words on what it does."""

    word: str
    title: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.title}: {self.text}" if self.text else self.title


class InvalidChoice(NumberlineError):
    """What was typed is on no list; the text says what would do."""


def pick(
    screen: TextConsole, question: str, choices: Sequence[MenuItem], other: Callable[[str], str] | None = None
) -> str:
    """The word of the choice that somebody makes, or what `other` makes of something that is not on the list.

    Raises `Quit` for whoever wants to leave, and `EndOfInput` where nothing is typed.
    """

    def show() -> None:
        screen.say("".join(f"{number}. {choice}\n" for number, choice in enumerate(choices, 1)))

    def read(typed: str) -> str | None:
        if typed.strip().lower() not in {HELP, "?"}:
            return _chosen(typed, choices, other)
        show()
        return None

    show()
    words = [each.word for each in choices]
    chosen = ask(screen, f"{question} (1-{len(choices)}, or quit): ", read, words=words)
    if chosen == QUIT:
        raise Quit
    return chosen


def _chosen(typed: str, choices: Sequence[MenuItem], other: Callable[[str], str] | None) -> str:
    """The word of the choice that was typed; raises `InvalidChoice` where there is none."""
    wanted = " ".join(typed.lower().split())
    if not wanted:
        return choices[0].word
    if wanted.isdecimal() and len(wanted) < 10 and 0 < int(wanted) <= len(choices):
        return choices[int(wanted) - 1].word
    found = _found(wanted, choices)
    if len(found) == 1:
        return found[0].word
    if found:
        raise InvalidChoice(f"{quote(typed)} could be {join_or([each.title for each in found])}; type a little more")
    if other and not wanted.isdecimal():
        return other(typed.strip())
    near = difflib.get_close_matches(wanted, [each.word for each in choices], n=1)
    would = f"did you mean {near[0]}?" if near else f"type a number from 1 to {len(choices)}, or a word such as "
    raise InvalidChoice(f"{quote(typed)} is not on the list; {would}{'' if near else choices[0].word}")


def _found(wanted: str, choices: Sequence[MenuItem]) -> list[MenuItem]:
    """The choices that are called so; else those that begin so; else those with a word that begins so."""
    tests: tuple[Callable[[MenuItem], bool], ...] = (
        lambda choice: wanted in {choice.word, choice.title.lower()},
        lambda choice: choice.word.startswith(wanted) or choice.title.lower().startswith(wanted),
        lambda choice: any(word.startswith(wanted) for word in f"{choice.title} {choice.text}".lower().split()),
    )
    found = ([choice for choice in choices if test(choice)] for test in tests)
    return next(filter(None, found), [])
