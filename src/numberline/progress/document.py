"""A player's progress: a document in the same format for the browser and for the terminal, which stores it in a file.

All functions are pure. A JSON document is checked against the type annotations of the classes.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from datetime import date
from itertools import chain
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from numberline.errors import NumberlineError
from numberline.progress.rules import INITIAL_LEVEL, INITIAL_RATING, MAX_LEVEL, MAX_STARS, MIN_LEVEL
from numberline.text import MAX_NAME_CHARS, pluralize, quote

VERSION: Final = 1
MAX_DOCUMENT_BYTES = 64 * 1024
MAX_GAMES, DAILY_PUZZLES = 100, 5
MAX_TEXT_CHARS = 4_000
_STAR_TABLES = ("ladder", "lessons", "wins")
TABLES = (*_STAR_TABLES, "levels", "starts", "opponents")
_MAX_NUMBER = 1_000_000_000
_KIND_NAMES = {int: f"a number from 0 to {_MAX_NUMBER}", bool: "true or false", dict: "an object", tuple: "a list"}


class ProgressError(NumberlineError):
    """Invalid progress document, event or exported text."""


class NewerFormat(NumberlineError):
    """Data written by a newer version of Numberline."""


@dataclass(frozen=True, slots=True)
class PuzzleStats:
    """A player's puzzle results so far."""

    asked: int = 0
    solved: int = 0
    streak: int = 0
    best_streak: int = 0
    rating: int = INITIAL_RATING
    daily_day: date | None = None
    """Day of the last daily puzzles that the player answered."""
    daily: tuple[bool | None, ...] = ()
    """Whether each puzzle of that day was solved; None if it was not answered."""
    stars: int = 0
    """Total number of stars for solved puzzles."""

    def daily_results(self, day: date) -> list[bool | None]:
        """Return whether each daily puzzle of a day was solved; None for those not answered yet."""
        known = self.daily[:DAILY_PUZZLES] if self.daily_day == day else ()
        return [*known, *[None] * (DAILY_PUZZLES - len(known))]

    def share_line(self, day: date) -> str:
        """Return the results of a day as a line to share; empty until all its puzzles are answered.

        >>> day = date(2026, 11, 17)
        >>> PuzzleStats(daily_day=day, daily=(True, True, False, True, True)).share_line(day)
        'Numberline 17 Nov ★★☆★★'
        """
        results = self.daily_results(day)
        signs = "".join("★" if solved else "☆" for solved in results)
        return "" if None in results else f"Numberline {day.day} {day:%b} {signs}"


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game, from the player's side."""

    id: str = ""
    """Identifier; games with the same non-empty identifier are counted only once."""
    variant: str = ""
    title: str = ""
    """Title of the variant."""
    changes: str = ""
    """Sentence about what the variant changes; may be empty."""
    board: str = ""
    """The last position: ends of the line, tokens and goals with their players, such as `0 10|1:5 2:9|0:5`."""
    won: bool | None = None
    """Whether the player won; None if there was no winner."""
    opponent: str = ""
    stars: int = 0
    practice: bool = False
    """Whether the game continued an earlier one or started from a chosen position, and so gives no stars."""
    day: date | None = None
    moment: str = ""
    """Sentence about the deciding moment."""
    record: str = ""
    """Record of the game; empty if it is too long, or if the document is full of newer ones."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress document of one player. The keys of `levels`, `starts` and `opponents` are names of books."""

    name: str = ""
    name_asked: bool = False
    """Whether the player has been asked for a name, even if they gave none."""
    day: date | None = None
    """The last day on which the player did something."""
    day_streak: int = 0
    """Number of consecutive days of activity up to that day."""
    ladder: dict[str, int] = field(default_factory=dict)
    """Most stars earned on each ladder step, such as `flag-chase-3`."""
    lessons: dict[str, int] = field(default_factory=dict)
    """Most stars earned in the lesson on each variant."""
    wins: dict[str, int] = field(default_factory=dict)
    """Most stars earned outside the ladders, by variant and character, such as `flag-chase easy`."""
    levels: dict[str, int] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    """Player who started the last game of each book against the computer."""
    opponents: dict[str, str] = field(default_factory=dict)
    """Bot in the last game of each book; the book played most recently comes last."""
    puzzles: PuzzleStats = PuzzleStats()
    games: tuple[Game, ...] = ()
    """Finished games, oldest first."""

    def level(self, book: str) -> int:
        """Return the level of the adaptive opponent in a book."""
        return min(MAX_LEVEL, max(MIN_LEVEL, self.levels.get(book, INITIAL_LEVEL)))

    @property
    def stars(self) -> int:
        """Total number of the player's stars."""
        return self.puzzles.stars + sum(sum(getattr(self, name).values()) for name in _STAR_TABLES)

    def streak_on(self, today: date) -> int:
        """Return the current streak in days; 0 if the player missed a whole day."""
        return self.day_streak if self.day and (today - self.day).days <= 1 else 0


# JSON


def decode(content: object) -> Progress:
    """Decode a JSON document; raise `ProgressError` if it is invalid, and `NewerFormat` if its version is too new."""
    document = dict(decode_value(dict, content, "progress"))
    if decode_value(int, document.pop("version", None), "progress.version") > VERSION:
        raise NewerFormat("this progress was saved by a newer version of Numberline")
    progress: Progress = decode_value(Progress, document, "progress")
    tables = [getattr(progress, name).values() for name in _STAR_TABLES]
    if max(chain([0], *tables, (game.stars for game in progress.games))) > MAX_STARS:
        raise ProgressError(f"progress: expected at most {MAX_STARS} stars")
    if not all(MIN_LEVEL <= level <= MAX_LEVEL for level in progress.levels.values()):
        raise ProgressError(f"progress.levels: expected levels from {MIN_LEVEL} to {MAX_LEVEL}")
    if len(progress.name) > MAX_NAME_CHARS:
        raise ProgressError(f"progress.name: expected at most {MAX_NAME_CHARS} characters")
    return progress


def encode(progress: Progress) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps({"version": VERSION, **asdict(progress)}, default=str))
    return document


def decode_value(kind: Any, value: Any, where: str) -> Any:
    """Convert a JSON value to a type: a dataclass, dict, tuple, union with None, date, int, bool or str."""
    base, arguments = get_origin(kind) or kind, get_args(kind)
    if base is UnionType:
        return None if value is None else decode_value(arguments[0], value, where)
    if is_dataclass(kind) and isinstance(kind, type):
        kinds = get_type_hints(kind)
        for name in decode_value(dict, value, where).keys() - kinds.keys():
            raise ProgressError(f"{where}: unknown field {quote(name)}")
        return kind(**{name: decode_value(kinds[name], each, f"{where}.{name}") for name, each in value.items()})
    if not _is_valid(base, value):
        text = "a date such as 2026-01-31" if base is date else f"valid text of at most {MAX_TEXT_CHARS:,} characters"
        raise ProgressError(f"{where}: expected {_KIND_NAMES.get(base, text)}")
    if base is dict and arguments:
        return {decode_value(str, key, where): decode_value(arguments[1], each, where) for key, each in value.items()}
    if base is tuple:
        return tuple(decode_value(arguments[0], each, f"{where}.{number}") for number, each in enumerate(value))
    return date.fromisoformat(value) if base is date else value


def _is_valid(kind: type, value: Any) -> bool:
    if kind is date:
        try:
            return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
        except ValueError:
            return False
    if kind is str:  # without lone surrogates, which can't be encoded
        return type(value) is str and len(value) <= MAX_TEXT_CHARS and value == value.encode(errors="replace").decode()
    if kind is int:
        return type(value) is int and 0 <= value <= _MAX_NUMBER
    return isinstance(value, list if kind is tuple else kind)


# Changes that have no event


def trim(progress: Progress) -> Progress:
    """Drop the oldest records, then the oldest games and entries of the longest table, until the document fits."""
    progress = replace(progress, games=progress.games[-MAX_GAMES:])
    while len(json.dumps(encode(progress))) > MAX_DOCUMENT_BYTES:
        if recorded := [number for number, game in enumerate(progress.games) if game.record]:
            games = list(progress.games)
            games[recorded[0]] = replace(games[recorded[0]], record="")
            progress = replace(progress, games=tuple(games))
            continue
        name = "games" if progress.games else max(TABLES, key=lambda table: len(json.dumps(getattr(progress, table))))
        old: Any = getattr(progress, name)
        rest: Any = old[1:] if name == "games" else dict([*old.items()][1:])
        progress = replace(progress, **{name: rest})
    return progress


def merge(progress: Progress, other: Progress) -> Progress:
    """Combine the progress of two devices: the most stars, all games, and the rest from the device used last.

    The puzzle results come from the device with more puzzles. If both have a name, the one in `progress` is kept.
    """
    older, newer = sorted((progress, other), key=lambda each: (each.day or date.min, each.day_streak))
    tables = {name: getattr(older, name) | getattr(newer, name) for name in TABLES}
    for name in _STAR_TABLES:
        most = {key: max(getattr(older, name).get(key, 0), value) for key, value in tables[name].items()}
        tables[name] = most
    games = {(game.id or game): game for game in (*older.games, *newer.games)}
    return trim(
        replace(
            newer,
            **tables,
            name=progress.name or other.name,
            name_asked=older.name_asked or newer.name_asked,
            puzzles=max(older.puzzles, newer.puzzles, key=lambda stats: stats.asked),
            games=tuple(sorted(games.values(), key=lambda game: game.day or date.min)),
        )
    )


def greeting(progress: Progress, today: date) -> str:
    """Return the greeting at the top of a menu; empty for a player who hasn't done anything yet.

    >>> ada = Progress(name="Ada", ladder={"flag-chase-1": 3}, day=date(2026, 1, 31), day_streak=2)
    >>> greeting(ada, date(2026, 2, 1))
    "Hello, Ada! You have 3 stars. You've played 2 days in a row."
    """
    stars, streak = progress.stars, progress.streak_on(today)
    hello = f"Hello, {progress.name}!" if progress.name else "Hello again!" if progress.day else ""
    stars_sentence = f" You have {pluralize(stars, 'star')}." if stars else ""
    return hello + stars_sentence + (f" You've played {streak} days in a row." if streak > 1 else "")


# Export of a document as a string that can be copied to another device

EXPORT_PREFIX = "numberline1-"
"""Prefix of exported progress; it includes the version of the export format."""
MAX_EXPORT_CHARS = 100_000


def export_text(progress: Progress) -> str:
    document = json.dumps(encode(progress), separators=(",", ":"))
    return EXPORT_PREFIX + base64.urlsafe_b64encode(zlib.compress(document.encode(), 9)).decode().rstrip("=")


def import_text(text: str) -> Progress:
    """Return the progress in an exported string; raise `ProgressError` or `NewerFormat` if it can't be read.

    Spaces and line breaks are ignored. The checksum of the compressed data reveals a damaged or incomplete string.
    """
    packed = "".join(text.split())
    if not packed.startswith(EXPORT_PREFIX):
        raise ProgressError(f"this is not exported progress: it must start with {EXPORT_PREFIX}")
    try:
        return decode(json.loads(_unpack(packed.removeprefix(EXPORT_PREFIX))))
    except (ValueError, zlib.error, RecursionError):
        raise ProgressError("this progress text is damaged or incomplete; copy all of it again") from None


def _unpack(packed: str) -> bytes:
    """Decompress exported data; raise `ValueError` if it is incomplete or larger than a document can be."""
    unpacker = zlib.decompressobj()
    data = base64.b64decode(packed[:MAX_EXPORT_CHARS] + "=" * (-len(packed) % 4), altchars="-_", validate=True)
    document = unpacker.decompress(data, MAX_DOCUMENT_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError(len(document))
    return document
