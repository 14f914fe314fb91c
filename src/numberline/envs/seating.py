"""What every environment asks before a game: which book, whose seat, who else plays, what an illegal action does.

Whatever comes from outside is looked at here, before anything changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from numberline.book.book import Book
from numberline.bots import Bot, Seats
from numberline.rules.errors import NumberlineError, said, whole_number

Seat = int | Literal["alternate"]
Illegal = Literal["lose", "raise"]
EVERY_SEAT = 0
"""The seat of an agent that plays for everybody."""
SELF = "self"
"""The opponent of an agent that plays for every seat."""
MAX_PLIES = 1_000
"""A longer game is broken off, unless told otherwise."""
MOST_PLIES = 1_000_000
"""Nobody waits for a longer game."""
RENDER_MODES = ("ansi", "rgb_array")
"""How a position can be rendered: as text, or as a picture."""


class MissingExtra(NumberlineError, ImportError):
    """A framework that is not installed; the text is one sentence with the command that installs it."""

    def __init__(self, framework: str, extra: str) -> None:
        super().__init__(f'{framework} is not installed; install it with: pip install "numberline[{extra}]"')


class EnvError(NumberlineError, ValueError):
    """An environment that can't be made as it was asked for, or an action that can't be taken."""


class Rotation:
    """Which seat the agent takes from game to game, with an opponent in every other one; without one it takes all."""

    def __init__(self, book: Book, opponent: str | Bot | None, seat: Seat) -> None:
        seats_taken = seats_of(book, seat)
        agents = seats_taken if opponent is not None else (EVERY_SEAT,)
        self._all = Seats(book, [None if agents == (player,) else opponent for player in book.players])
        bots = list(enumerate(self._all.bots, 1))
        self._each = [(agent, Seats(book, [None if n == agent else bot for n, bot in bots])) for agent in agents]
        for _, seats in self._each:
            seats.rng = self._all.rng
        self.agent, self.seats = self._each[0]
        """The agent's seat in this game, and who plays; nobody sits in the agent's."""
        self.games = 0
        """How many games were begun since the agent was in its first seat."""

    def begin(self, seed: int | None) -> None:
        """Begins a game; with a seed the agent takes its first seat again."""
        self._all.new_game(seed)
        self.games = 0 if seed is not None else self.games
        self.agent, self.seats = self._each[self.games % len(self._each)]
        self.games += 1

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._all.close()


NOT_BEGUN = "no game has begun: call reset first"


class _NoGame:
    """What is in a game's place until the first reset: whoever looks for anything there is told so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who copies it asks for these
            raise AttributeError(name)
        raise EnvError(NOT_BEGUN)


NO_GAME: Any = _NoGame()


# What is taken


def whole(name: str, given: object, least: int = 1, most: int | None = None) -> int:
    """An option that is a whole number, of whatever width.

    >>> whole("tries", 3)
    3
    """
    number = whole_number(given)
    if number is None or number < least or (most is not None and number > most):
        wanted = f"from {least} to {most}" if most is not None else f"from {least} on"
        raise EnvError(f"{name}={said(given)}: expected a whole number {wanted}")
    return number


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


def id_of(name: str) -> str:
    """The id of a book's environment, wherever ids are given.

    >>> id_of("flag-chase")
    'numberline/FlagChase-v0'
    """
    return f"numberline/{name.title().replace('-', '')}-v0"
