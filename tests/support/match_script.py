"""Short ways to play in a test: moves through the checked door, and what a table prints."""

from __future__ import annotations

from contextlib import redirect_stdout, suppress
from io import StringIO

import numberline as nl
from numberline.terminal.console import EndOfInput, ScriptedConsole
from numberline.terminal.session import Session


def played(book: nl.Book, moves: str, first: int = 1) -> nl.Match:
    """A match in which these moves, written with spaces between, have been played."""
    match = nl.Match(book, first)
    for move in moves.split():
        match.play(move)
    return match


def after(book: nl.Book, moves: str, first: int = 1) -> nl.Position:
    """The position after these moves."""
    return played(book, moves, first).position


def places(book: nl.Book, moves: str, first: int = 1) -> list[tuple[int, ...]]:
    """Where the tokens stand after each of these moves."""
    return [ply.after.tokens for ply in played(book, moves, first).plies]


def winner(book: nl.Book, position: nl.Position) -> int | None:
    """The winner, or None."""
    outcome = book.outcome(position)
    return outcome.winner if outcome else None


def printed(match: nl.Match, typed: str) -> str:
    """Return the terminal output for these moves, separated by spaces."""
    with redirect_stdout(StringIO()) as paper, suppress(EndOfInput):
        Session(match, ScriptedConsole(typed.split())).play()
    return paper.getvalue()
