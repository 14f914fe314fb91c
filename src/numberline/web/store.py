"""Everything that has happened at the tables: matches, who sits where, and each event, kept in one database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numberline.rules.errors import NumberlineError


class StoreError(NumberlineError):
    """Something that could not be kept or read; the text says what, and what to do."""


class Event(NamedTuple):
    """One thing that has happened in a match: a move, an offer, a joined seat."""

    match: str
    seq: int
    """Its number in the match, from 1."""
    seat: int
    what: str
    request: str
    """The asker's own name for it, never empty; the server's own events have `server-` and their number."""
    spent_ms: int
    at: float
    """Seconds since 1970."""


class SeatRow(NamedTuple):
    """A seat of a match: who sits there, or how somebody may sit down."""

    seat: int
    name: str
    bot: str | None
    token_hash: str | None
    invite_hash: str | None
    claimed: float | None


class MatchRow(NamedTuple):
    """What was agreed on when a match was made, and how it ended."""

    id: str
    variant: str
    source: str | None
    """The text of a book of one's own."""
    first: int
    rounds: int
    settings: dict[str, Any]
    """assist, clock, tossed, start."""
    rematch_of: str | None
    created: float
    ended: float | None
    score: list[int]


class Store:
    """The database at an address (`sqlite:///…`) or path; one process has it at a time."""

    def __init__(self, url: str) -> None:
        raise NotImplementedError

    def create(self, match: MatchRow, seats: Sequence[SeatRow]) -> None:
        """A new match is kept, with its seats."""
        raise NotImplementedError

    def find(self, match: str) -> tuple[MatchRow, list[SeatRow], list[Event]] | None:
        """A match with its seats and events in order; None where there is none of that name."""
        raise NotImplementedError

    def events_since(self, match: str, seq: int) -> list[Event]:
        """The events of a match after the one with this number."""
        raise NotImplementedError

    def append(self, events: Sequence[Event]) -> set[tuple[str, int]]:
        """The (match, seq) of those that are stored now; others had their number or request before. Durable on return."""
        raise NotImplementedError

    def claim(self, match: str, invite_hash: str, name: str, token_hash: str, event: Event) -> int | None:
        """The seat that the invite gives, with the event that tells of it; None where no such seat is free."""
        raise NotImplementedError

    def end(self, match: str, at: float, score: Sequence[int]) -> None:
        """The match is over, with this score."""
        raise NotImplementedError

    def delete(self, match: str) -> None:
        """Nothing of the match is left: no name, no token, no event."""
        raise NotImplementedError

    def forget_before(self, at: float) -> int:
        """How many matches were deleted, all that had ended before that time."""
        raise NotImplementedError

    def live_matches(self) -> list[str]:
        """The names of the matches that have not ended."""
        raise NotImplementedError

    def close(self) -> None:
        """The file is free for another process."""
        raise NotImplementedError
