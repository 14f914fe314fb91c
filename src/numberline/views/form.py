"""Views of a variant's rules, and of its settings as form fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args, get_type_hints

from numberline.explain.rule_words import RULE_WORDS, rule_clause
from numberline.explain.rules_text import Section, describe_changes, describe_rules, describe_setting, opening
from numberline.game.book import Book, Setting
from numberline.game.book_file import middle
from numberline.game.rules import Rules
from numberline.game.settings import MAX_NUMBER, RULE_DEFAULTS

MAX_TRIED_CHANGE = 12
"""Largest change tried when testing whether a number can be changed at all."""


class RulesView(NamedTuple):
    variant: str
    title: str
    opening: str
    """Paragraph that introduces the game."""
    sections: tuple[Section, ...]
    changes: str
    """Differences from the book's default rules; empty if there are none."""


def rules_view(book: Book) -> RulesView:
    return RulesView(book.variant, book.title, opening(book), tuple(describe_rules(book)), describe_changes(book))


class OptionView(NamedTuple):
    value: str
    title: str


class FieldView(NamedTuple):
    """Form field for one setting."""

    name: str
    title: str
    kind: str
    """`number`, `place` (a number or one of `choices`), `choice`, `yes-no` or `moves` (a list of moves)."""
    value: str
    """Current value as text; applying it again changes nothing."""
    default: str
    choices: tuple[OptionView, ...]
    low: int | None
    """Smallest valid number, or None if unknown."""
    high: int | None
    help: str
    """Sentence that describes the effect of the setting."""
    example: str
    """Sentence that describes the valid values."""
    changeable: bool
    """Whether the setting has another valid value, given the current values of all other settings."""


def form_view(book: Book) -> tuple[FieldView, ...]:
    """Return a field for each setting, in the book's order."""
    return tuple(_field(book, setting) for setting in book.settings)


def apply_settings(book: Book, settings: Mapping[str, str]) -> Book:
    """Return the book with `settings` applied; raise `BookError` if they are invalid."""
    return book.vary(*(f"{name}={value}" for name, value in settings.items()))


def _field(book: Book, setting: Setting) -> FieldView:
    name, value, default, expects = setting
    low, high = _bounds(book, name)
    title = RULE_WORDS[name].title if name in _RULES else name.replace("-", " ").replace("_", " ").capitalize()
    field = FieldView(
        name=name,
        title=title,
        kind=_kind(book, name),
        value=value,
        default=default,
        choices=tuple(OptionView(choice, title) for choice, title in _choices(book, name).items()),
        low=low,
        high=high,
        help=_sentence(describe_setting(book, name)),
        example=_sentence(expects),
        changeable=False,
    )
    return field._replace(changeable=any(book.accepts(f"{name}={text}") for text in _other_values(book, field)))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _kind(book: Book, name: str) -> str:
    rule = _RULES.get(name)
    if rule is None:
        return "number" if "line" in book.roles_of(name) else "place"
    if name in ("steps", "operations"):
        return "moves"
    return "yes-no" if rule is bool else "number" if get_args(rule)[0] is int else "choice"


def _bounds(book: Book, name: str) -> tuple[int | None, int | None]:
    """Return the smallest and largest valid numbers, each None if it is unknown or depends on another setting."""
    if name in _RULES:
        limits = [part for part in get_args(_RULES[name]) if isinstance(part, range)]
        return (limits[0][0], limits[0][-1]) if limits else (None, None)
    ends = {setting.value for setting in book.settings if "line" in book.roles_of(setting.name)}
    low, high = (None if str(end) in ends else end for end in book.rules.line)
    if "line" not in book.roles_of(name):
        return low, high
    return (-MAX_NUMBER if low is None else low + 1), (MAX_NUMBER if high is None else high - 1)


def _choices(book: Book, name: str) -> dict[str, str]:
    """Return the choices of a field and their titles, or an empty dictionary if the user types in the value."""
    kind = _kind(book, name)
    if kind == "place":
        return {"middle": f"the middle of the line, {middle(*book.rules.line)}"}
    if kind == "yes-no":
        return {"true": "yes", "false": "no"}
    return {value: rule_clause(book, name, value) for value in get_args(_RULES[name])} if kind == "choice" else {}


def _other_values(book: Book, field: FieldView) -> Iterator[str]:
    """Yield values to try: any choices, then either numbers near the current one or common lists of moves."""
    yield from (option.value for option in field.choices)
    if field.kind in ("number", "place"):
        at = middle(*book.rules.line) if field.value == "middle" else int(field.value)
        yield from (str(at + sign * change) for change in range(1, MAX_TRIED_CHANGE + 1) for sign in (1, -1))
    elif field.name == "steps":
        yield from (steps for last in range(1, MAX_TRIED_CHANGE + 1) for steps in (f"1-{last}", str(last)))
    elif field.name == "operations":
        yield from (f"+1 {sign}{amount}" for amount in range(2, MAX_TRIED_CHANGE + 1) for sign in "+*-/")


_HINTS = get_type_hints(Rules, include_extras=True)
_RULES: dict[str, Any] = {name: _HINTS[name] for name in RULE_DEFAULTS}
"""Type of each rule; all other settings are places named by the book."""
