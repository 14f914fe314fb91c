"""What an environment can be asked for, and what it can be given: looked at here, before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from numberline.book.book import Book
from numberline.bots import Bot
from numberline.rules.errors import NumberlineError, said, whole_number, whole_option

Seat = int | Literal["alternate"]
Illegal = Literal["lose", "raise"]
MAX_PLIES = 1_000
"""A longer game is broken off, unless told otherwise."""
MOST_PLIES = 1_000_000
"""Nobody waits for a longer game."""
RENDER_MODES = ("ansi", "rgb_array")
"""How a position can be rendered: as text, or as a picture."""


class EnvError(NumberlineError, ValueError):
    """An environment that can't be made as it was asked for, or an action that can't be taken."""


def whole(name: str, given: object, least: int = 1, most: int | None = None) -> int:
    """An option that is a whole number, of whatever width.

    >>> whole("tries", 3)
    3
    """
    return whole_option(name, given, least, most, EnvError)


def plies_of(given: object, name: str = "max_plies") -> int:
    """The plies after which a game is broken off."""
    return whole(name, given, most=MOST_PLIES)


def action_of(given: object) -> int:
    """The number of an action, of whatever width; raises `EnvError` for what is no whole number.

    >>> action_of(2)
    2
    """
    number = whole_number(given)
    if number is None:
        raise EnvError(f"{said(given)} is no action: expected a whole number")
    return number


def player_of(book: Book, name: str, given: object, called: str = "players", others: str = "") -> int:
    """An option that is the number of a player; `others` says what else it could be."""
    number = whole_number(given)
    if number is None or number not in book.players:
        raise EnvError(f"{name}={said(given)}: {book.title} has the {called} 1 to {book.rules.players}{others}")
    return number


def seats_of(book: Book, seat: Seat) -> tuple[int, ...]:
    """The seats that an agent takes, game after game.

    >>> import numberline as nl
    >>> seats_of(nl.book("flag-chase"), "alternate")
    (1, 2)
    """
    if isinstance(seat, str) and seat == "alternate":
        return tuple(book.players)
    return (player_of(book, "seat", seat, "seats", ", or 'alternate'"),)


def opponent_of(given: str | Bot) -> str | Bot:
    """Who sits in the other seats; a name is not looked up yet."""
    if not isinstance(given, str | Bot):
        raise EnvError(f"opponent={said(given)}: expected the name of a bot, such as 'random', or a Bot")
    return given


def illegal_of(given: Illegal) -> Illegal:
    """What becomes of an illegal action."""
    if not isinstance(given, str) or given not in get_args(Illegal):
        raise EnvError(f"illegal={said(given)}: an illegal action can 'lose' the game or 'raise' an error")
    return given


def render_mode_of(given: str | None) -> str | None:
    """How positions are rendered."""
    if given is not None and (not isinstance(given, str) or given not in RENDER_MODES):
        raise EnvError(f"render_mode={said(given)}: expected None or one of {', '.join(map(repr, RENDER_MODES))}")
    return given


def seed_of(given: object) -> int | None:
    """The number that chance begins with, if any is given."""
    return None if given is None else whole("seed", given, least=0)


def options_of(given: object) -> Mapping[str, Any]:
    """The options of a reset."""
    if given is not None and not isinstance(given, Mapping):
        raise EnvError(f"options={said(given)}: expected a dict")
    return given or {}


def callable_of(given: Any) -> Any:
    """Whoever answers prompts."""
    if not callable(given):
        raise EnvError(f"{said(given)} can't answer prompts: expected something that can be called with one")
    return given
