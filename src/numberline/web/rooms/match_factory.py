"""How a match comes about: an order is looked over, and becomes the rows that are stored."""

from __future__ import annotations

import hashlib
import secrets
from random import Random

from numberline.errors import BookError, RecordError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.notation import parse_position
from numberline.game.position import Position
from numberline.game.variant_syntax import split_variant
from numberline.text import MAX_NAME_CHARS, normalize_name, quote
from numberline.web.protocol.commands import ClockSpec, MatchSpec, SeatSpec
from numberline.web.protocol.errors import ApiError
from numberline.web.rooms.match_state import MatchState
from numberline.web.store.store import MatchRow, SeatRow

MAX_ROUNDS = 99
MAX_CLOCK_S = 86_400
MAX_INCREMENT_S = 600


def hash_secret(secret: str) -> str:
    """What is stored of a token or an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_match_id() -> str:
    """A name for a match that nobody can guess."""
    return secrets.token_urlsafe(12)


def load_book(variant: str, source: str | None) -> Book:
    """The book of a variant, or of a text; never of a file of the server's."""
    try:
        name = split_variant(variant)[0]
        if source is None and (name.endswith(".toml") or "/" in name or "\\" in name):
            raise ApiError("no_such_variant", "Files can't be named here. Paste the text of the book instead.")
        return restore_book(variant, source)
    except BookError as error:
        raise ApiError("no_such_variant", str(error)) from None


def new_match_rows(order: MatchSpec, book: Book, token: str, now: float, rng: Random) -> tuple[MatchRow, list[SeatRow]]:
    """The rows of a match that is wanted, its free seats still without invitations; raises `ApiError`."""
    players = book.rules.players
    if len(order.seats) != players:
        raise ApiError("bad_message", f"{book.title} has {players} seats; {len(order.seats)} were given.")
    if not 1 <= order.rounds <= MAX_ROUNDS:
        raise ApiError("bad_message", f"A match has 1 to {MAX_ROUNDS} rounds.")
    if order.assist not in {"off", "after", "on"}:
        raise ApiError("bad_message", "assist is off, after or on.")
    first = rng.choice(book.players) if order.first == "toss" else order.first
    if first not in book.players:
        raise ApiError("bad_message", f"{book.title} is begun by a player from 1 to {players}, or by a toss.")
    if order.start is not None:
        first = parse_start(book, order.start).turn
    settings = {
        "assist": order.assist,
        "clock": _clock(order.clock),
        "tossed": order.first == "toss" and order.start is None,
        "start": order.start,
    }
    seats = [_seat(number, seat, token, now) for number, seat in enumerate(order.seats, 1)]
    row = MatchRow(
        new_match_id(), book.variant, order.source, first, order.rounds, settings, None, now, None, [0] * players
    )
    return row, seats


def rematch_of(table: MatchState, new: str, now: float) -> tuple[MatchRow, list[SeatRow]]:
    """The rows of a match of the same people, programs and rules; who begins goes on in turn."""
    row = table.row
    first = row.first if row.settings.get("start") else (row.first + row.rounds - 1) % table.book.rules.players + 1
    again = row._replace(
        id=new,
        first=first,
        settings={**row.settings, "tossed": False},
        rematch_of=row.id,
        created=now,
        ended=None,
        score=[0] * len(row.score),
    )
    return again, table.seats


def validate_name(name: str) -> str:
    """A person's name as it is shown; raises `ApiError` for one that is too long."""
    name = normalize_name(name)
    if len(name) > MAX_NAME_CHARS:
        raise ApiError("bad_message", f"A name is one line of at most {MAX_NAME_CHARS} letters. Choose a shorter one.")
    return name


def parse_start_position(book: Book, text: str) -> Position:
    """A position that somebody could set up; raises `ApiError` for what is none of this game."""
    try:
        position = parse_position(text)
    except RecordError as error:
        raise ApiError("bad_message", f"{error}.") from None
    fits = len(position.tokens) == len(book.token_ranges) and all(
        map(range.__contains__, book.token_ranges, position.tokens)
    )
    known = position.last in {0, *(move.stride for move in book.choices)}
    seated = position.turn in book.players and position.out < 1 << len(book.players)
    if not (fits and known and seated):
        raise ApiError("bad_message", f"{quote(text)} is not a position of this game.")
    return position


def parse_start(book: Book, text: str) -> Position:
    """The position that a match is to begin with; raises `ApiError` where nobody could play on from it."""
    position = parse_start_position(book, text)
    if position.is_out(position.turn) or not book.moves(position):
        raise ApiError("bad_message", f"Nobody can play on from {quote(text)}. Choose another position of this game.")
    return position


def _clock(order: ClockSpec | None) -> dict[str, int] | None:
    if order is None:
        return None
    if not (1 <= order.seconds <= MAX_CLOCK_S and 0 <= order.increment <= MAX_INCREMENT_S):
        raise ApiError(
            "bad_message",
            f"A clock has 1 to {MAX_CLOCK_S} seconds, and adds 0 to {MAX_INCREMENT_S} after each turn.",
        )
    return order._asdict()


def _seat(number: int, order: SeatSpec | None, token: str, now: float) -> SeatRow:
    if order is None:
        return SeatRow(number, "", None, None, None, None)
    if order.bot is not None:
        from numberline.terminal.series import bot_display_name

        return SeatRow(number, bot_display_name(order.bot), order.bot, None, None, now)
    return SeatRow(number, validate_name(order.name), None, hash_secret(token), None, now)
