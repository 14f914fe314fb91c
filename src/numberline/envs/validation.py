"""What an environment can be asked for, and what it can be given: looked at here, before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from numberline.bots import Bot
from numberline.errors import NumberlineError, as_int, int_option
from numberline.game.book import Book
from numberline.text import safe_repr

AgentSeat = int | Literal["alternate"]
IllegalActionMode = Literal["lose", "raise"]
DEFAULT_MAX_PLIES = 1_000
"""A longer game is broken off, unless told otherwise."""
MAX_PLIES_LIMIT = 1_000_000
"""Nobody waits for a longer game."""
RENDER_MODES = ("ansi", "rgb_array")
"""How a position can be rendered: as text, or as a picture."""


class EnvError(NumberlineError, ValueError):
    """An environment that can't be made as it was asked for, or an action that can't be taken."""


def validate_int(name: str, given: object, least: int = 1, most: int | None = None) -> int:
    """An option that is a whole number, of whatever width.

    >>> validate_int("tries", 3)
    3
    """
    return int_option(name, given, least, most, EnvError)


def validate_max_plies(given: object, name: str = "max_plies") -> int:
    """The plies after which a game is broken off."""
    return validate_int(name, given, most=MAX_PLIES_LIMIT)


def parse_action(given: object) -> int:
    """The number of an action, of whatever width; raises `EnvError` for what is no whole number.

    >>> parse_action(2)
    2
    """
    number = as_int(given)
    if number is None:
        raise EnvError(f"{safe_repr(given)} is no action: expected a whole number")
    return number


def validate_player(book: Book, name: str, given: object, called: str = "players", others: str = "") -> int:
    """An option that is the number of a player; `others` says what else it could be."""
    number = as_int(given)
    if number is None or number not in book.players:
        raise EnvError(f"{name}={safe_repr(given)}: {book.title} has the {called} 1 to {book.rules.players}{others}")
    return number


def agent_seats(book: Book, seat: AgentSeat) -> tuple[int, ...]:
    """The seats that an agent takes, game after game.

    >>> import numberline as nl
    >>> agent_seats(nl.book("flag-chase"), "alternate")
    (1, 2)
    """
    if isinstance(seat, str) and seat == "alternate":
        return tuple(book.players)
    return (validate_player(book, "seat", seat, "seats", ", or 'alternate'"),)


def validate_opponent(given: str | Bot) -> str | Bot:
    """Who sits in the other seats; a name is not looked up yet."""
    if not isinstance(given, str | Bot):
        raise EnvError(f"opponent={safe_repr(given)}: expected the name of a bot, such as 'random', or a Bot")
    return given


def validate_illegal(given: IllegalActionMode) -> IllegalActionMode:
    """What becomes of an illegal action."""
    if not isinstance(given, str) or given not in get_args(IllegalActionMode):
        raise EnvError(f"illegal={safe_repr(given)}: an illegal action can 'lose' the game or 'raise' an error")
    return given


def validate_render_mode(given: str | None) -> str | None:
    """How positions are rendered."""
    if given is not None and (not isinstance(given, str) or given not in RENDER_MODES):
        raise EnvError(f"render_mode={safe_repr(given)}: expected None or one of {', '.join(map(repr, RENDER_MODES))}")
    return given


def validate_seed(given: object) -> int | None:
    """The number that chance begins with, if any is given."""
    return None if given is None else validate_int("seed", given, least=0)


def validate_reset_options(given: object) -> Mapping[str, Any]:
    """The options of a reset."""
    if given is not None and not isinstance(given, Mapping):
        raise EnvError(f"options={safe_repr(given)}: expected a dict")
    return given or {}


def validate_callable(given: Any) -> Any:
    """Whoever answers prompts."""
    if not callable(given):
        raise EnvError(f"{safe_repr(given)} can't answer prompts: expected something that can be called with one")
    return given
