"""Validation of options, actions and seeds before any state changes, and the rotation of the agent's seat."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, get_args

from numberline.bots import Bot, Seats
from numberline.errors import NumberlineError, as_int, int_option
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.text import safe_repr

AgentSeat = int | Literal["alternate"]
IllegalActionMode = Literal["lose", "raise"]
DEFAULT_MAX_PLIES = 1_000
MAX_PLIES_LIMIT = 1_000_000
RENDER_MODES = ("ansi", "rgb_array")
SELF_PLAY = "self"
"""The opponent of an agent that plays every seat."""
_EVERY_SEAT = 0


class EnvError(NumberlineError, ValueError):
    """An invalid option or action of an environment."""


def validate_int(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return an integer option of any integer type.

    >>> validate_int("tries", 3)
    3
    """
    return int_option(name, value, least, most, EnvError)


def validate_max_plies(value: object, name: str = "max_plies") -> int:
    return validate_int(name, value, most=MAX_PLIES_LIMIT)


def parse_action(value: object) -> int:
    """Return the number of an action of any integer type.

    >>> parse_action(2)
    2
    """
    number = as_int(value)
    if number is None:
        raise EnvError(f"invalid action {safe_repr(value)}: expected an integer")
    return number


def validate_player(book: Book, name: str, value: object, noun: str = "players", alternative: str = "") -> int:
    """Return the number of a player; `alternative` ends the error message."""
    number = as_int(value)
    if number is None or number not in book.players:
        raise EnvError(f"{name}={safe_repr(value)}: {book.title} has the {noun} 1 to {book.rules.players}{alternative}")
    return number


def agent_seats(book: Book, seat: AgentSeat) -> tuple[int, ...]:
    """Return the seats that an agent takes, game after game.

    >>> import numberline as nl
    >>> agent_seats(nl.book("flag-chase"), "alternate")
    (1, 2)
    """
    if isinstance(seat, str) and seat == "alternate":
        return tuple(book.players)
    return (validate_player(book, "seat", seat, "seats", ", or 'alternate'"),)


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
        raise EnvError(f"{safe_repr(value)} can't answer prompts: expected a callable")
    return value


class EnvOptions:
    """The options that environments share: book, first player and limit of plies, illegal actions and render mode."""

    def _set_options(
        self,
        book: str | PathLike[str] | Book,
        first: int,
        max_plies: int,
        illegal: IllegalActionMode = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.book = book_of(book)
        self._first = validate_player(self.book, "first", first)
        self._max_plies = validate_max_plies(max_plies)
        if not isinstance(illegal, str) or illegal not in get_args(IllegalActionMode):
            raise EnvError(f"illegal={safe_repr(illegal)}: an illegal action can 'lose' the game or 'raise' an error")
        if render_mode is not None and (not isinstance(render_mode, str) or render_mode not in RENDER_MODES):
            raise EnvError(f"render_mode={safe_repr(render_mode)}: expected None or one of 'ansi', 'rgb_array'")
        self._raises = illegal == "raise"
        self.render_mode = render_mode


class SeatRotation:
    """The agent's seat from game to game, with the opponent in all other seats.

    Without an opponent the agent plays every seat. In the agent's own seat, `seats` has no bot.
    """

    def __init__(self, book: Book, opponent: str | Bot | None, seat: AgentSeat) -> None:
        seats = agent_seats(book, seat)
        agents = seats if opponent is not None else (_EVERY_SEAT,)
        self._all = Seats(book, [None if agents == (player,) else opponent for player in book.players])
        bots = list(enumerate(self._all.bots, 1))
        self._turns = [(agent, Seats(book, [None if n == agent else bot for n, bot in bots])) for agent in agents]
        for _, turn in self._turns:
            turn.rng = self._all.rng
        self.agent_seat, self.seats = self._turns[0]
        self.games = 0
        """The number of games since the agent was in its first seat."""

    def start_game(self, seed: int | None) -> None:
        """Rotate the seats; with a seed the agent takes its first seat again."""
        self._all.new_game(seed)
        self.games = 0 if seed is not None else self.games
        self.agent_seat, self.seats = self._turns[self.games % len(self._turns)]
        self.games += 1

    def close(self) -> None:
        """Stop the opponent's process, if it has one."""
        self._all.close()


NOT_RESET_MESSAGE = "no game has started: call reset first"


class _NotReset:
    """A placeholder for the game until the first reset; any access raises an error that says so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling look for these
            raise AttributeError(name)
        raise EnvError(NOT_RESET_MESSAGE)


NOT_RESET: Any = _NotReset()
