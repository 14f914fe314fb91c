"""What somebody wants of the table in a browser, once it is read from the wire."""

from __future__ import annotations

from typing import Literal, NamedTuple

Assist = Literal["off", "after", "on"]
"""Whether the worth of moves is shown: never, once the game is over, or always."""


class ClockSpec(NamedTuple):
    """How much time each player has, and what is added after each of their turns, in seconds."""

    seconds: int
    increment: int = 0


class SeatSpec(NamedTuple):
    """Who sits in a seat: a person who is with whoever makes the match, or a program."""

    name: str = ""
    bot: str | None = None


class MatchSpec(NamedTuple):
    """A match that is wanted; a seat that is None gets an invitation."""

    variant: str
    seats: tuple[SeatSpec | None, ...]
    source: str | None = None
    first: int | Literal["toss"] = 1
    rounds: int = 1
    clock: ClockSpec | None = None
    assist: Assist = "on"
    start: str | None = None
    """The position that every round begins with, as text; the book's own where there is none."""


class CreatedMatch(NamedTuple):
    """A match that was made."""

    match: str
    seat: int
    """The first seat of whoever made it; 0 where there is none."""
    invites: dict[int, str]
    """What gives each free seat away."""


class ClientMessage(NamedTuple):
    """Something that a player asks for at the table."""

    kind: Literal["move", "offer", "accept", "decline", "withdraw", "resign", "next", "ask"]
    request: str
    seq: int
    move: str = ""
    what: str = ""
    """What is offered or asked for: `takeback` or `rematch`; `hint`, `move` or `why`."""
