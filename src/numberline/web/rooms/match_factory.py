"""Validate a create request and build its database rows."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from numberline.bots.bot import bot_display_name
from numberline.errors import BookError, RecordError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.notation import parse_position
from numberline.game.position import Position
from numberline.game.variant_syntax import split_variant
from numberline.text import MAX_NAME_CHARS, normalize_name, quote
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import BotSeat, CreateMatchRequest, PersonSeat
from numberline.web.rooms.match_state import MatchState
from numberline.web.store.store import MatchRow, SeatRow


def hash_secret(secret: str) -> str:
    """Return what the database stores of a token or an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_match_id() -> str:
    return secrets.token_urlsafe(12)


def load_book(variant: str, source: str | None, offered_books: Mapping[str, str] = MappingProxyType({})) -> Book:
    """Return the book of a variant or of a TOML text; never read a file of the server.

    `offered_books` are the TOML texts of custom books by name.
    """
    try:
        name = split_variant(variant)[0]
        if source is None:
            source = offered_books.get(name)
        if source is None and (name.endswith(".toml") or "/" in name or "\\" in name):
            raise ApiError("no_such_variant", "A file name is not accepted here. Paste the text of the book instead.")
        return restore_book(variant, source)
    except BookError as error:
        raise ApiError("no_such_variant", str(error)) from None


def new_match_rows(
    request: CreateMatchRequest, book: Book, token: str, now: float, rng: Random
) -> tuple[MatchRow, list[SeatRow]]:
    """Return the rows of a new match, its free seats still without invitations; raise `ApiError`."""
    players = book.rules.players
    if len(request.seats) != players:
        raise ApiError("bad_message", f"{book.title} has {players} seats, but the request has {len(request.seats)}.")
    first = rng.choice(book.players) if request.first == "toss" else request.first
    if first not in book.players:
        raise ApiError("bad_message", f"first: expected a player from 1 to {players}, or toss.")
    if request.start is not None:
        first = parse_start(book, request.start).turn
    settings = {
        "assist": request.assist,
        "clock": request.clock.model_dump() if request.clock else None,
        "tossed": request.first == "toss" and request.start is None,
        "start": request.start,
    }
    seats = [_seat_row(number, seat, token, now) for number, seat in enumerate(request.seats, 1)]
    row = MatchRow(
        new_match_id(), book.variant, book.source, first, request.rounds, settings, None, now, None, [0] * players
    )
    return row, seats


def _seat_row(number: int, seat: PersonSeat | BotSeat | None, token: str, now: float) -> SeatRow:
    if seat is None:
        return SeatRow(number, "", None, None, None, None)
    if isinstance(seat, BotSeat):
        return SeatRow(number, bot_display_name(seat.bot), seat.bot, None, None, now)
    return SeatRow(number, validate_name(seat.name), None, hash_secret(token), None, now)


def rematch_rows(state: MatchState, new_id: str, now: float) -> tuple[MatchRow, list[SeatRow]]:
    """Return the rows of a match with the same players and rules, started by the next player in turn."""
    row = state.row
    first = row.first if row.settings.get("start") else (row.first + row.rounds - 1) % state.book.rules.players + 1
    rematch = row._replace(
        id=new_id,
        first=first,
        settings={**row.settings, "tossed": False},
        rematch_of=row.id,
        created=now,
        ended=None,
        score=[0] * len(row.score),
    )
    return rematch, state.seats


def validate_name(name: str) -> str:
    """Return a player's name in normal form; raise `ApiError` if it is too long."""
    name = normalize_name(name)
    if len(name) > MAX_NAME_CHARS:
        raise ApiError("bad_message", f"A name has up to {MAX_NAME_CHARS} letters. Choose a shorter one.")
    return name


def parse_start_position(book: Book, text: str) -> Position:
    """Return a position that could be set up in this game; raise `ApiError`."""
    try:
        position = parse_position(text)
    except RecordError as error:
        raise ApiError("bad_message", f"{error}.") from None
    on_the_line = len(position.tokens) == len(book.token_ranges) and all(
        map(range.__contains__, book.token_ranges, position.tokens)
    )
    known_step = position.last in {0, *(move.stride for move in book.choices)}
    known_players = position.turn in book.players and position.out < 1 << len(book.players)
    if not (on_the_line and known_step and known_players):
        raise ApiError("bad_message", f"{quote(text)} is not a position of this game.")
    return position


def parse_start(book: Book, text: str) -> Position:
    """Return the position a match starts from; raise `ApiError` if no one can move there."""
    position = parse_start_position(book, text)
    if position.is_out(position.turn) or not book.moves(position):
        raise ApiError("bad_message", f"The game is over at {quote(text)}. Choose another position.")
    return position
