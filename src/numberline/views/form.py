"""The settings of a book as a form: for each what it is called, what it is now, and what it can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args, get_type_hints

from numberline.explain.rules_text import describe_setting
from numberline.game.book import Book, Setting
from numberline.game.book_file import middle
from numberline.game.rules import Rules
from numberline.game.setting_types import MAX_NUMBER, RULE_DEFAULTS


class OptionView(NamedTuple):
    """One value that can be chosen."""

    value: str
    title: str


class FieldView(NamedTuple):
    """One setting."""

    name: str
    title: str
    kind: str
    """`number`; `place` for a number or one of the choices; `choice`; `yes-no`; `moves` for a list of moves."""
    value: str
    """What it is now; putting it in again changes nothing."""
    default: str
    """What it is in the book."""
    choices: tuple[OptionView, ...]
    low: int | None
    """The least number, where one is known."""
    high: int | None
    help: str
    """What it decides, in a sentence."""
    example: str
    """What can be put in."""
    changeable: bool
    """Whether another value makes a game while all other settings are as they are."""


def form_view(book: Book) -> tuple[FieldView, ...]:
    """Every setting of the book, in its order."""
    return tuple(_field(book, setting) for setting in book.settings)


def apply_settings(book: Book, settings: Mapping[str, str]) -> Book:
    """The book with these settings; raises `BookError` with the sentence for what makes no game."""
    return book.vary(*(f"{name}={value}" for name, value in settings.items()))


def _field(book: Book, setting: Setting) -> FieldView:
    name, value, default, expects = setting
    low, high = _bounds(book, name)
    said = describe_setting(book, name)
    return FieldView(
        name=name,
        title=_TITLES.get(name, name.replace("-", " ").replace("_", " ").capitalize()),
        kind=_kind(book, name),
        value=value,
        default=default,
        choices=tuple(OptionView(choice, title) for choice, title in _choices(book, name).items()),
        low=low,
        high=high,
        help=f"{said[:1].upper()}{said[1:]}.",
        example=f"{expects[:1].upper()}{expects[1:]}.",
        changeable=book.can_vary(name),
    )


def _kind(book: Book, name: str) -> str:
    answer = _ANSWERS.get(name)
    if answer is None:
        return "number" if "line" in book.roles_of(name) else "place"
    if name in ("steps", "operations"):
        return "moves"
    return "yes-no" if answer is bool else "number" if get_args(answer)[0] is int else "choice"


def _bounds(book: Book, name: str) -> tuple[int | None, int | None]:
    """The least and the largest number; an end of the line that can be set too is no bound to anything else."""
    if name in _ANSWERS:
        limits = [part for part in get_args(_ANSWERS[name]) if isinstance(part, range)]
        return (limits[0][0], limits[0][-1]) if limits else (None, None)
    ends = {each.value for each in book.settings if "line" in book.roles_of(each.name)}
    low, high = (None if str(end) in ends else end for end in book.rules.line)
    if "line" not in book.roles_of(name):
        return low, high
    return (-MAX_NUMBER if low is None else low + 1), (MAX_NUMBER if high is None else high - 1)


def _choices(book: Book, name: str) -> dict[str, str]:
    """What can be chosen, and how that is said; nothing where anything can be put in."""
    if _kind(book, name) == "place":
        return {"middle": f"the middle of the line, {middle(*book.rules.line)}"}
    if _kind(book, name) == "yes-no":
        return {"true": "yes", "false": "no"}
    goal = "the goal" if len(set(book.rules.goals)) == 1 else "your goal"
    loses = "you lose the game" if book.rules.players == 2 else "you are out"
    token, place = book.noun("token"), book.noun("place")
    return {
        "overshoot": {
            "refused": f"going past {goal} is not allowed",
            "loses": f"going past {goal} is allowed, but then {loses}",
            "counts": f"going past {goal} counts as reaching it",
        },
        "meeting": {
            "shares": f"any number of {token}s may stand on one {place}",
            "blocks": f"nobody may land on a {token} or pass over it",
            "stops": f"whoever would land on a {token} stops just behind it",
        },
        "repeat": {"free": "everything may be chosen again", "banned": "not what the player before has just chosen"},
        "stuck": {"passes": "you lose the turn", "loses": loses},
        "finish": {"all": f"all your {token}s must reach {goal}", "one": f"one {token} at {goal} is enough"},
    }.get(name, {})


_HINTS = get_type_hints(Rules, include_extras=True)
_ANSWERS: dict[str, Any] = {name: _HINTS[name] for name in RULE_DEFAULTS}
"""What each rule can be; all other settings are words of the book for places."""
_TITLES = {
    "steps": "Steps",
    "operations": "Sums",
    "overshoot": "Past the goal",
    "meeting": "A token in the way",
    "repeat": "Repeating",
    "stuck": "No move left",
    "finish": "Who is home",
    "tokens": "Tokens each",
    "players": "Players",
    "reverse": "Going back",
    "skip": "Skipping",
}
