"""Shell completion for books, settings, bots and files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TypeAlias

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from numberline.errors import BookError
from numberline.game.book import Setting
from numberline.game.loader import NAMES, book
from numberline.game.settings import RULE_TYPES

Items: TypeAlias = "list[CompletionItem[str]]"  # quoted: the class is not generic in older versions of click

_BOTS_WITH_VALUES = {
    "level": [f"level:{level}" for level in range(1, 11)],
    "slip": ["slip:25"],
    "sight": ["sight:3"],
    "exec": ["exec:"],
}


def books(_: click.Context, __: click.Parameter, typed: str) -> Items:
    """Complete book names and file paths."""
    return [CompletionItem(typed, type="file"), *_starting_with(typed, NAMES)]


def book_list(_: click.Context, __: click.Parameter, typed: str) -> Items:
    """Complete the last book in a comma-separated list."""
    before, comma, last = typed.rpartition(",")
    return _starting_with(last, ["all", *NAMES], before + comma)


def files(_: click.Context, __: click.Parameter, typed: str) -> Items:
    return [CompletionItem(typed, type="file")]


def settings(context: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete `NAME=VALUE` for the chosen book's settings, using sample values or, failing that, the current value."""
    return _starting_with(typed, (f"{s.name}={value}" for s in _settings(context) for value in _values(s)))


def swept_settings(context: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete the names of the chosen book's settings."""
    return _starting_with(typed, (f"{setting.name}=" for setting in _settings(context)))


def bots(_: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Complete bot names; `--vs` also accepts `none`, and `--seats` a comma-separated list that can include `me`."""
    from numberline.bots.bot import bot_names  # not needed to run a command

    extra = {"vs": ["none"], "seats": ["me"]}.get(parameter.name or "", [])
    before, comma, last = typed.rpartition(",") if parameter.name == "seats" else ("", "", typed)
    known = [text for name in bot_names() for text in _BOTS_WITH_VALUES.get(name, [name])]
    return _starting_with(last, [*extra, *known], before + comma)


def _settings(context: click.Context) -> list[Setting]:
    # If the option being completed has no value yet, click leaves the book in `args`.
    name = context.params.get("book") or next(iter(context.args), "")
    try:
        game = book(name)
    except BookError:
        return []
    return [setting for setting in game.settings if game.can_vary(setting.name)]


def _values(setting: Setting) -> tuple[str, ...]:
    return (RULE_TYPES[setting.name].samples if setting.name in RULE_TYPES else ()) or (setting.value,)


def _starting_with(typed: str, words: Iterable[str], before: str = "") -> Items:
    return [CompletionItem(before + word) for word in words if word.startswith(typed)]


class _Bash(BashComplete):
    """Bash completion for words containing `:` or `=`.

    Bash splits `level:3` into three words and replaces only the last of them with the completion.
    """

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value); [[ $value == *[=:] ]] && compopt -o nospace"
    )
    _prefix = ""
    """The part of the current word that bash does not replace."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the preceding words and the current word, with words that bash split at `:` and `=` rejoined."""
        index = int(os.environ["COMP_CWORD"])
        pieces = [*split_arg_string(os.environ["COMP_WORDS"]), ""][1 : index + 1]
        words: list[str] = []
        joins = False
        for piece in pieces:
            is_mark = re.fullmatch("[:=]+", piece) is not None
            if words and (joins or is_mark):
                words[-1] += piece
            else:
                words.append(piece)
            joins = is_mark
        *before, typed = words or [""]
        last = "" if joins or not pieces else pieces[-1]
        self._prefix = typed.removesuffix(last) if typed != last else ""
        return before, typed

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return the part of a completion that bash inserts."""
        prefix = self._prefix if item.value.startswith(self._prefix) else self._prefix.partition("=")[2]
        return f"{item.type},{item.value.removeprefix(prefix)}"


def register() -> None:
    """Register the bash completion for words that contain a colon or an equals sign."""
    add_completion_class(_Bash)
