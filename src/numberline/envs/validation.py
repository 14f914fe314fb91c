"""Validation of options, actions and seeds, and rotation of the agent's seat."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, get_args

from numberline.bots import Bot, Seats
from numberline.errors import NumberlineError, as_int, int_option
from numberline.game import Book
from numberline.game.loader import book as book_of
from numberline.text import safe_repr

BookLike = str | PathLike[str] | Book
AgentSeat = int | Literal["alternate"]
IllegalActionMode = Literal["lose", "raise"]
DEFAULT_MAX_PLIES = 1_000
MAX_PLIES_LIMIT = 1_000_000
RENDER_MODES = ("ansi", "rgb_array")
SELF_PLAY = "self"
"""The value of `opponent` for an agent that plays every seat."""
_EVERY_SEAT = 0


class EnvError(NumberlineError, ValueError):
    """An invalid option, action or seed, or a call in the wrong state, such as a step before the first reset."""


def validate_int(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return the value of an option as an int; raise `EnvError` if it is not of an integer type or is out of range.

    >>> validate_int("tries", 3)
    3
    """
    return int_option(name, value, least, most, EnvError)


def validate_max_plies(value: object, name: str = "max_plies") -> int:
    return validate_int(name, value, most=MAX_PLIES_LIMIT)


def parse_action(value: object) -> int:
    """Return an action of any integer type as an int; raise `EnvError` if it is not an integer.

    >>> parse_action(2)
    2
    """
    if (number := as_int(value)) is None:
        raise EnvError(f"invalid action {safe_repr(value)}: expected an integer")
    return number


def validate_player(book: Book, name: str, value: object, noun: str = "players", alternative: str = "") -> int:
    """Return `value` if it is the number of a player in `book`; the error message contains `noun` and `alternative`."""
    number = as_int(value)
    if number is None or number not in book.players:
        raise EnvError(f"{name}={safe_repr(value)}: {book.title} has {noun} 1 to {book.rules.players}{alternative}")
    return number


def agent_seats(book: Book, seat: AgentSeat) -> tuple[int, ...]:
    """Return the seats that an agent takes in consecutive games.

    >>> import numberline as nl
    >>> agent_seats(nl.book("flag-chase"), "alternate")
    (1, 2)
    """
    if isinstance(seat, str) and seat == "alternate":
        return tuple(book.players)
    return (validate_player(book, "seat", seat, "seats", " (or use 'alternate')"),)


def validate_opponent(value: str | Bot) -> str | Bot:
    if not isinstance(value, str | Bot):
        raise EnvError(f"opponent={safe_repr(value)}: expected the name of a bot, such as 'random', or a Bot")
    return value


def validate_seed(value: object) -> int | None:
    return None if value is None else validate_int("seed", value, least=0)


def validate_reset_options(value: object) -> Mapping[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise EnvError(f"options={safe_repr(value)}: expected a dict")
    return value or {}


def validate_callable(value: Any) -> Any:
    if not callable(value):
        raise EnvError(f"{safe_repr(value)} can't answer prompts; expected a callable")
    return value


class EnvOptions:
    """Options that environments share: book, first player, ply limit, handling of illegal actions, and render mode."""

    def _set_options(
        self,
        book: BookLike,
        first: int,
        max_plies: int,
        illegal: IllegalActionMode = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.book = book_of(book)
        self._first = validate_player(self.book, "first", first)
        self._max_plies = validate_max_plies(max_plies)
        if not isinstance(illegal, str) or illegal not in get_args(IllegalActionMode):
            raise EnvError(f"illegal={safe_repr(illegal)}: expected 'lose' (the game) or 'raise' (an error)")
        if render_mode is not None and (not isinstance(render_mode, str) or render_mode not in RENDER_MODES):
            raise EnvError(f"render_mode={safe_repr(render_mode)}: expected None or one of 'ansi', 'rgb_array'")
        self._raises = illegal == "raise"
        self.render_mode = render_mode


class SeatRotation:
    """Rotation of the agent's seat between games, with the opponent in all other seats.

    If `opponent` is None, the agent plays every seat. The agent's seat has no bot in `seats`.
    """

    def __init__(self, book: Book, opponent: str | Bot | None, seat: AgentSeat) -> None:
        seats = agent_seats(book, seat)
        self._agent_seats = seats if opponent is not None else (_EVERY_SEAT,)
        self.agent_seat = self._agent_seats[0]
        self.seats = Seats(book, [None if self._agent_seats == (player,) else opponent for player in book.players])
        self._bots = self.seats.bots
        self.games = 0
        """The number of games started since the last restart of the rotation."""

    def start_game(self, seed: int | None) -> None:
        """Move on to the next seat; passing a seed restarts the rotation."""
        self.seats.new_game(seed)
        self.games = 0 if seed is not None else self.games
        self.agent_seat = agent = self._agent_seats[self.games % len(self._agent_seats)]
        self.seats.bots = tuple(None if seat == agent else bot for seat, bot in enumerate(self._bots, 1))
        self.games += 1


NOT_RESET_MESSAGE = "no game has started: call reset first"


class _NotReset:
    """Placeholder for the game before the first reset; any attribute access raises `EnvError`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # probed by copy and pickle
            raise AttributeError(name)
        raise EnvError(NOT_RESET_MESSAGE)


NOT_RESET: Any = _NotReset()
