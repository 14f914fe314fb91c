"""Text notation for positions and game records.

A record lists the variant, the first player, the player names, each move, and the result. A record of a game with a
custom book also contains the book. A file can contain several records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NoReturn

from numberline.errors import BookError, BookFileError, NumberlineError, RecordError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.match import Match
from numberline.game.position import Position
from numberline.game.rules import PLAYER_COUNTS
from numberline.text import escape_controls, quote

RECORD_HEADER = "numberline record 1"
BOOK_LINE_PREFIX = "| "


def format_position(position: Position) -> str:
    """Format a position as one line: player to move, tokens, and, if any, the banned stride and eliminated players.

    >>> format_position(Position(2, (3, 0)))
    '2 3,0'
    >>> format_position(Position(1, (6,), last=2, out=4))
    '1 6 last=2 out=3'
    """
    turn, tokens, last, _ = position
    out = ",".join(str(player) for player in range(1, PLAYER_COUNTS[-1] + 1) if position.is_out(player))
    parts = [str(turn), ",".join(map(str, tokens)), f"last={last}" if last else "", f"out={out}" if out else ""]
    return " ".join(part for part in parts if part)


_PLACE = "-?[0-9]{1,10}"
_POSITION = rf"([1-6]) ({_PLACE}(?:,{_PLACE}){{0,17}})(?: last=([0-9]{{1,10}}))?(?: out=([1-6](?:,[1-6]){{0,5}}))?"


def parse_position(text: str) -> Position:
    """Parse the output of `format_position`; raise `RecordError` for any other text.

    >>> parse_position("1 6 last=2 out=3")
    Position(turn=1, tokens=(6,), last=2, out=4)
    """
    if not (found := re.fullmatch(_POSITION, text.strip())):
        expected = "expected the player to move, then the places of the tokens, such as 2 3,0"
        raise RecordError(f"invalid position {quote(text)}: {expected}")
    out = sum(1 << (int(player) - 1) for player in set((found[4] or "").split(",")) if player)
    return Position(int(found[1]), tuple(map(int, found[2].split(","))), int(found[3] or 0), out)


def format_record(match: Match) -> str:
    """Format a match as a game record."""
    outcome = match.outcome
    lines = [RECORD_HEADER, f"variant: {match.book.variant}"]
    if match.book.source is not None:
        book_lines = match.book.source.rstrip("\n").split("\n")
        lines += ["book:", *(BOOK_LINE_PREFIX + line if line else "|" for line in book_lines)]
    lines.append(f"first: {match.first}")
    lines += [f"player {number}: {name}" for number, name in enumerate(match.names, 1)]
    lines += [f"{number}. {ply.move}" for number, ply in enumerate(match.plies, 1)]
    lines.append(f"result: player {outcome.winner} wins ({outcome.reason})" if outcome else "result: unfinished")
    return "\n".join(lines) + "\n"


def parse_records(text: str, source_name: str = "record") -> list[Match]:
    """Parse and replay all records in `text`; raise `RecordError` naming the first invalid line."""
    # Not splitlines(): a custom book may contain other line separators.
    rows = enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    lines = [(number, row if row.startswith(BOOK_LINE_PREFIX) else row.rstrip()) for number, row in rows if row.strip()]
    starts = [n for n, (_, line) in enumerate(lines) if line == RECORD_HEADER]
    if not starts or starts[0] != 0:
        _reject_header(_LineReader(lines or [(1, "")], source_name))
    return [_read(_LineReader(lines[begin:end], source_name)) for begin, end in pairwise([*starts, len(lines)])]


class NewerRecordVersion(RecordError):
    """Error for a record written by a newer version of Numberline."""


class _LineReader:
    """Sequential reader of one record's numbered lines."""

    def __init__(self, lines: list[tuple[int, str]], where: str) -> None:
        self.lines = lines
        self.where = where
        self.at = 0
        """Index of the last line read; line 0 is the header."""

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        number, text = self.lines[self.at if at is None else at]
        raise RecordError(f"{self.where}, line {number}: {problem}; found {quote(text)}")

    def value(self, key: str) -> str:
        """Read the next line, which must be `key: value`, and return its value."""
        for line in self.take_while(""):
            found, colon, value = line.partition(":")
            return value.strip() if colon and found == key else self.fail(f"expected '{key}: …'")
        last = self.lines[-1][0]
        raise RecordError(f"{self.where}, line {last}: the record is truncated; expected '{key}: …' after this line")

    def take_while(self, start: str) -> Iterator[str]:
        while self.at + 1 < len(self.lines) and re.match(start, self.lines[self.at + 1][1]):
            self.at += 1
            yield self.lines[self.at][1]


def _reject_header(reader: _LineReader) -> NoReturn:
    line = reader.lines[0][1]
    if re.fullmatch("numberline record [1-9][0-9]{0,8}", line):
        newer = f"found '{line}', written by a newer version of Numberline"
        raise NewerRecordVersion(f"{reader.where}, line {reader.lines[0][0]}: expected '{RECORD_HEADER}'; {newer}")
    reader.fail(f"expected '{RECORD_HEADER}'")


def _read(reader: _LineReader) -> Match:
    game = _read_book(reader)
    first = reader.value("first")
    if first not in map(str, game.players):
        reader.fail(f"expected a player from 1 to {game.rules.players}")
    match = Match(game, int(first), [_name(reader, player) for player in game.players])
    for line in reader.take_while(r"[0-9]{1,9}\. "):
        _play(match, reader, line)
    _check_result(match, reader)
    for _ in reader.take_while(""):
        reader.fail("expected nothing after the result")
    return match


def _name(reader: _LineReader, player: int) -> str:
    name = reader.value(f"player {player}")
    return name if name and escape_controls(name) == name else reader.fail("expected a name")


def _read_book(reader: _LineReader) -> Book:
    variant = reader.value("variant")
    line = reader.at
    own = list(reader.take_while("book:$"))
    source = "\n".join(row[len(BOOK_LINE_PREFIX) :] for row in reader.take_while(r"\|"))
    try:
        return restore_book(variant, source + "\n" if own else None, source_name=reader.where)
    except BookFileError as error:
        reader.fail(error.problems[0], line + 1)
    except BookError as error:
        reader.fail(str(error), line)


def _play(match: Match, reader: _LineReader, line: str) -> None:
    number, _, move = line.partition(". ")
    if int(number) != match.length + 1:
        reader.fail(f"expected move {match.length + 1}")
    try:
        match.replay(move)
    except NumberlineError as error:
        reader.fail(str(error).rstrip("."))


def _check_result(match: Match, reader: _LineReader) -> None:
    written = re.fullmatch(r"player ([1-6]) wins(?: \(.*\))?|unfinished", reader.value("result"))
    if not written:
        reader.fail("expected 'result: player 1 wins' or 'result: unfinished'")
    winner = match.outcome.winner if match.outcome else 0
    if int(written[1] or 0) != winner:
        reader.fail(f"after these moves, {f'player {winner} wins' if winner else 'no player has won'}")
