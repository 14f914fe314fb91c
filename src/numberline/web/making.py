"""How a match comes about: an order is looked over, and becomes the rows that are stored."""

from __future__ import annotations

import hashlib
import secrets
from random import Random

from numberline.book.book import Book
from numberline.book.loader import kept_book
from numberline.book.variants import split_variant
from numberline.notation import read_position
from numberline.rules.errors import LONGEST_NAME, BookError, RecordError, plain_name, shown
from numberline.rules.position import Position
from numberline.web.orders import ClockOrder, MatchOrder, SeatOrder
from numberline.web.refusals import Refusal
from numberline.web.store import MatchRow, SeatRow
from numberline.web.table import LiveTable

MOST_ROUNDS = 99
LONGEST_CLOCK = 86_400
LONGEST_INCREMENT = 600


def hashed(secret: str) -> str:
    """What is stored of a token or an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_id() -> str:
    """A name for a match that nobody can guess."""
    return secrets.token_urlsafe(12)


def book_of(variant: str, source: str | None) -> Book:
    """The book of a variant, or of a text; never of a file of the server's."""
    try:
        name = split_variant(variant)[0]
        if source is None and (name.endswith(".toml") or "/" in name or "\\" in name):
            raise Refusal("no_such_variant", "Files can't be named here. Paste the text of the book instead.")
        return kept_book(variant, source)
    except BookError as error:
        raise Refusal("no_such_variant", str(error)) from None


def rows_of(order: MatchOrder, book: Book, token: str, now: float, rng: Random) -> tuple[MatchRow, list[SeatRow]]:
    """The rows of a match that is wanted, its free seats still without invitations; raises `Refusal`."""
    players = book.rules.players
    if len(order.seats) != players:
        raise Refusal("bad_message", f"{book.title} has {players} seats; {len(order.seats)} were given.")
    if not 1 <= order.rounds <= MOST_ROUNDS:
        raise Refusal("bad_message", f"A match has 1 to {MOST_ROUNDS} rounds.")
    if order.assist not in {"off", "after", "on"}:
        raise Refusal("bad_message", "assist is off, after or on.")
    first = rng.choice(book.players) if order.first == "toss" else order.first
    if first not in book.players:
        raise Refusal("bad_message", f"{book.title} is begun by a player from 1 to {players}, or by a toss.")
    if order.start is not None:
        first = start_of(book, order.start).turn
    settings = {
        "assist": order.assist,
        "clock": _clock(order.clock),
        "tossed": order.first == "toss" and order.start is None,
        "start": order.start,
    }
    seats = [_seat(number, seat, token, now) for number, seat in enumerate(order.seats, 1)]
    row = MatchRow(new_id(), book.variant, order.source, first, order.rounds, settings, None, now, None, [0] * players)
    return row, seats


def rematch_of(table: LiveTable, new: str, now: float) -> tuple[MatchRow, list[SeatRow]]:
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


def checked_name(name: str) -> str:
    """A person's name as it is shown; raises `Refusal` for one that is too long."""
    name = plain_name(name)
    if len(name) > LONGEST_NAME:
        raise Refusal("bad_message", f"A name is one line of at most {LONGEST_NAME} letters. Choose a shorter one.")
    return name


def position_of(book: Book, text: str) -> Position:
    """A position that somebody could set up; raises `Refusal` for what is none of this game."""
    try:
        position = read_position(text)
    except RecordError as error:
        raise Refusal("bad_message", f"{error}.") from None
    fits = len(position.tokens) == len(book.ranges) and all(map(range.__contains__, book.ranges, position.tokens))
    known = position.last in {0, *(move.stride for move in book.choices)}
    seated = position.turn in book.players and position.out < 1 << len(book.players)
    if not (fits and known and seated):
        raise Refusal("bad_message", f"{shown(text)} is not a position of this game.")
    return position


def start_of(book: Book, text: str) -> Position:
    """The position that a match is to begin with; raises `Refusal` where nobody could play on from it."""
    position = position_of(book, text)
    if position.is_out(position.turn) or not book.moves(position):
        raise Refusal("bad_message", f"Nobody can play on from {shown(text)}. Choose another position of this game.")
    return position


def _clock(order: ClockOrder | None) -> dict[str, int] | None:
    if order is None:
        return None
    if not (1 <= order.seconds <= LONGEST_CLOCK and 0 <= order.increment <= LONGEST_INCREMENT):
        raise Refusal(
            "bad_message",
            f"A clock has 1 to {LONGEST_CLOCK} seconds, and adds 0 to {LONGEST_INCREMENT} after each turn.",
        )
    return order._asdict()


def _seat(number: int, order: SeatOrder | None, token: str, now: float) -> SeatRow:
    if order is None:
        return SeatRow(number, "", None, None, None, None)
    if order.bot is not None:
        from numberline.terminal.sitting import bot_title

        return SeatRow(number, bot_title(order.bot), order.bot, None, None, now)
    return SeatRow(number, checked_name(order.name), None, hashed(token), None, now)
