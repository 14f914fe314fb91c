"""Who sits where in an environment: the agent's seat from game to game, bots in the others, nobody before the first."""

from __future__ import annotations

from typing import Any

from numberline.bots import Bot, Seats
from numberline.envs.validation import AgentSeat, EnvError, agent_seats
from numberline.game.book import Book

EVERY_SEAT = 0
"""The seat of an agent that plays for everybody."""
SELF_PLAY = "self"
"""The opponent of an agent that plays for every seat."""


class SeatRotation:
    """Which seat the agent takes from game to game, with an opponent in every other one; without one it takes all."""

    def __init__(self, book: Book, opponent: str | Bot | None, seat: AgentSeat) -> None:
        seats_taken = agent_seats(book, seat)
        agents = seats_taken if opponent is not None else (EVERY_SEAT,)
        self._all = Seats(book, [None if agents == (player,) else opponent for player in book.players])
        bots = list(enumerate(self._all.bots, 1))
        self._each = [(agent, Seats(book, [None if n == agent else bot for n, bot in bots])) for agent in agents]
        for _, seats in self._each:
            seats.rng = self._all.rng
        self.agent_seat, self.seats = self._each[0]
        """The agent's seat in this game, and who plays; nobody sits in the agent's."""
        self.games = 0
        """How many games were begun since the agent was in its first seat."""

    def start_game(self, seed: int | None) -> None:
        """Begins a game; with a seed the agent takes its first seat again."""
        self._all.new_game(seed)
        self.games = 0 if seed is not None else self.games
        self.agent_seat, self.seats = self._each[self.games % len(self._each)]
        self.games += 1

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._all.close()


NOT_RESET_MESSAGE = "no game has begun: call reset first"


class _NotReset:
    """What is in a game's place until the first reset: whoever looks for anything there is told so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who copies it asks for these
            raise AttributeError(name)
        raise EnvError(NOT_RESET_MESSAGE)


NOT_RESET: Any = _NotReset()


def env_id(name: str) -> str:
    """The id of a book's environment, wherever ids are given.

    >>> env_id("flag-chase")
    'numberline/FlagChase-v0'
    """
    return f"numberline/{name.title().replace('-', '')}-v0"
