"""What the Tab key knows in a shell: books, settings, programs that play, and files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from numberline.errors import BookError
from numberline.game.book import Setting
from numberline.game.loader import NAMES, book
from numberline.game.setting_types import RULE_TYPES

Items = list[CompletionItem[str]]

_DETAILS = {
    "level": [f"level:{level}" for level in range(1, 11)],
    "slip": ["slip:25"],
    "sight": ["sight:3"],
    "exec": ["exec:"],
}
"""How bots are written that need something after their names."""


def books(_: click.Context, __: click.Parameter, typed: str) -> Items:
    """The games, or files where none begins like that."""
    return [CompletionItem(typed, type="file"), *_beginning(typed, NAMES)]


def book_list(_: click.Context, __: click.Parameter, typed: str) -> Items:
    """The games for the last place of a list with commas between."""
    before, comma, last = typed.rpartition(",")
    return _beginning(last, ["all", *NAMES], before + comma)


def files(_: click.Context, __: click.Parameter, typed: str) -> Items:
    """Files."""
    return [CompletionItem(typed, type="file")]


def settings(context: click.Context, _: click.Parameter, typed: str) -> Items:
    """What can be set in the book that was named before: each value where there are few, else the book's own."""
    return _beginning(typed, (f"{s.name}={value}" for s in _settings(context) for value in _values(s)))


def swept_settings(context: click.Context, _: click.Parameter, typed: str) -> Items:
    """What can be swept in the book that was named before."""
    return _beginning(typed, (f"{setting.name}=" for setting in _settings(context)))


def bots(_: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """The programs that play; against a person also the one that fits, and in a list of seats the person."""
    from numberline.bots.registry import bot_names  # only whoever presses Tab waits for it

    also = {"vs": ["auto", "none"], "seats": ["me", "auto"]}.get(parameter.name or "", [])
    before, comma, last = typed.rpartition(",") if parameter.name == "seats" else ("", "", typed)
    known = [text for name in bot_names() for text in _DETAILS.get(name, [name])]
    return _beginning(last, [*also, *known], before + comma)


def _settings(context: click.Context) -> list[Setting]:
    """The settings of the book that was named; where an option still lacks its value, its name is left over."""
    name = context.params.get("book") or next(iter(context.args), "")
    try:
        game = book(name)
    except BookError:
        return []
    return [setting for setting in game.settings if game.can_vary(setting.name)]


def _values(setting: Setting) -> tuple[str, ...]:
    return (RULE_TYPES[setting.name].samples if setting.name in RULE_TYPES else ()) or (setting.value,)


def _beginning(typed: str, words: Iterable[str], before: str = "") -> Items:
    return [CompletionItem(before + word) for word in words if word.startswith(typed)]


class _Bash(BashComplete):
    """Bash takes `level:3` for three words, and puts what is completed in the place of the last of them."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value); [[ $value == *[=:] ]] && compopt -o nospace"
    )
    _kept = ""
    """What stands before the last of the words that are really one."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, and that one."""
        at = int(os.environ["COMP_CWORD"])
        apart = [*split_arg_string(os.environ["COMP_WORDS"]), ""][1 : at + 1]
        words: list[str] = []
        glued = False
        for word in apart:
            mark = re.fullmatch("[:=]+", word) is not None
            if words and (glued or mark):
                words[-1] += word
            else:
                words.append(word)
            glued = mark
        *before, typed = words or [""]
        last = "" if glued or not apart else apart[-1]
        self._kept = typed.removesuffix(last) if typed != last else ""
        return before, typed

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The part of a completion that bash puts in."""
        kept = self._kept if item.value.startswith(self._kept) else self._kept.partition("=")[2]
        return f"{item.type},{item.value.removeprefix(kept)}"


def register() -> None:
    """Lets bash complete what has a colon or an equals sign in it."""
    add_completion_class(_Bash)
