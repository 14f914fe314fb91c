"""What is kept of a match: what was agreed on, who sits where, and everything that has happened."""

from __future__ import annotations

from typing import Any, NamedTuple


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
