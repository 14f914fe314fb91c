"""Positions and game records as text, and back.

A record is plain lines: what was played, who began, the names, the moves, one a line, and the result. The record of a
book of your own carries the book inside. A file may hold several records, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from numberline.book.book import Book
from numberline.book.loader import kept_book
from numberline.match import RESIGN, Match
from numberline.rules.answers import PLAYERS
from numberline.rules.errors import BookError, BookFileError, NumberlineError, RecordError, shown
from numberline.rules.position import Position

HEADER = "numberline record 1"
BOOK_LINE = "| "


def write_position(position: Position) -> str:
    """A position in one line: who is to move, the tokens, and where it matters what is banned and who is out.

    >>> write_position(Position(2, (3, 0)))
    '2 3,0'
    >>> write_position(Position(1, (6,), last=2, out=4))
    '1 6 last=2 out=3'
    """
    turn, tokens, last, _ = position
    gone = ",".join(str(player) for player in range(1, PLAYERS[-1] + 1) if position.is_out(player))
    parts = [str(turn), ",".join(map(str, tokens)), f"last={last}" if last else "", f"out={gone}" if gone else ""]
    return " ".join(part for part in parts if part)


def read_position(text: str) -> Position:
    """The position that `write_position` wrote.

    >>> read_position("1 6 last=2 out=3")
    Position(turn=1, tokens=(6,), last=2, out=4)
    """
    found = re.fullmatch(r"([1-6]) (-?\d+(?:,-?\d+)*)(?: last=(\d+))?(?: out=([1-6](?:,[1-6])*))?", text.strip())
    if not found:
        raise RecordError(f"{shown(text)} is not a position; write it as 2 3,0 (who is to move, then the tokens)")
    out = sum(1 << (int(player) - 1) for player in set((found[4] or "").split(",")) if player)
    return Position(int(found[1]), tuple(map(int, found[2].split(","))), int(found[3] or 0), out)


def write_record(match: Match) -> str:
    """The match as a record."""
    outcome = match.outcome
    lines = [HEADER, f"variant: {match.book.variant}"]
    if match.book.source is not None:
        lines += ["book:", *((BOOK_LINE + line).rstrip() for line in match.book.source.splitlines())]
    lines.append(f"first: {match.first}")
    lines += [f"player {number}: {name}" for number, name in enumerate(match.names, 1)]
    lines += [f"{number}. {ply.move}" for number, ply in enumerate(match.plies, 1)]
    lines.append(f"result: player {outcome.winner} wins ({outcome.reason})" if outcome else "result: unfinished")
    return "\n".join(lines) + "\n"


def read_records(text: str, where: str = "record") -> list[Match]:
    """The matches in a file, each played again move by move; a damaged one is refused with the line that is wrong."""
    lines = [_Line(number, line.rstrip(), where) for number, line in enumerate(text.splitlines(), 1)]
    lines = [line for line in lines if line.text]
    starts = [n for n, line in enumerate(lines) if line.text == HEADER]
    if not starts or starts[0] != 0:
        (lines or [_Line(1, "", where)])[0].refuse(f"expected '{HEADER}'")
    return [_read(lines[begin:end]) for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


class _Line(NamedTuple):
    number: int
    text: str
    where: str

    def refuse(self, problem: str) -> NoReturn:
        raise RecordError(f"{self.where}, line {self.number}: {problem}; found {shown(self.text)}")

    def value(self, key: str) -> str:
        found, colon, value = self.text.partition(":")
        if not colon or found != key:
            self.refuse(f"expected '{key}: …'")
        return value.strip()


class _Reader:
    """The lines of one record, taken one at a time."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.at = 1

    def next(self, expected: str) -> _Line:
        if self.at == len(self.lines):
            last = self.lines[-1]
            raise RecordError(f"{last.where}, line {last.number}: the record breaks off; expected {expected} after it")
        self.at += 1
        return self.lines[self.at - 1]

    def while_like(self, start: str) -> Iterator[_Line]:
        while self.at < len(self.lines) and re.match(start, self.lines[self.at].text):
            yield self.next(start)


def _read(lines: list[_Line]) -> Match:
    reader = _Reader(lines)
    game = _read_book(reader)
    first_line = reader.next("'first: …'")
    first = first_line.value("first")
    if first not in map(str, range(1, game.rules.players + 1)):
        first_line.refuse(f"expected a player from 1 to {game.rules.players}")
    names = [_name(reader, n) for n in range(1, game.rules.players + 1)]
    match = Match(game, int(first), names)
    for line in reader.while_like(r"\d+\. "):
        _play(match, line)
    result = reader.next("'result: …'")
    _check_result(match, result)
    if reader.at < len(lines):
        lines[reader.at].refuse("expected nothing after the result")
    return match


def _name(reader: _Reader, player: int) -> str:
    line = reader.next(f"'player {player}: …'")
    name = line.value(f"player {player}")
    return name if name and name.isprintable() else line.refuse("expected a name")


def _read_book(reader: _Reader) -> Book:
    line = reader.next("'variant: …'")
    variant = line.value("variant")
    own = list(reader.while_like("book:$"))
    source = "\n".join(row.text[len(BOOK_LINE) :] for row in reader.while_like(r"\|"))
    try:
        return kept_book(variant, source + "\n" if own else None, where=line.where)
    except BookFileError as error:
        own[0].refuse(error.problems[0])
    except BookError as error:
        line.refuse(str(error))


def _play(match: Match, line: _Line) -> None:
    number, _, move = line.text.partition(". ")
    if int(number) != len(match.plies) + 1:
        line.refuse(f"expected move {len(match.plies) + 1}")
    try:
        if move == RESIGN:
            match.resign()
        else:
            match.play(move)
    except NumberlineError as error:
        line.refuse(str(error).rstrip("."))


def _check_result(match: Match, line: _Line) -> None:
    written = re.fullmatch(r"player ([1-6]) wins(?: \(.*\))?|unfinished", line.value("result"))
    if not written:
        line.refuse("expected 'result: player 1 wins' or 'result: unfinished'")
    if int(written[1] or 0) != (match.outcome.winner if match.outcome else 0):
        happened = f"player {match.outcome.winner} wins" if match.outcome else "nobody has won"
        line.refuse(f"after these moves {happened}")
