"""One play of a book: the only checked door for moves, with undo and resigning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.errors import BookError, IllegalMove, MoveError, string_options
from numberline.game.book import Book
from numberline.game.illegal_reasons import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Outcome, Position
from numberline.text import quote, safe_repr

RESIGN = "resign"
"""How a resignation stands in a record, in the place of a move."""


class Ply(NamedTuple):
    """One thing that happened in a match: a chosen move, a lost turn, or a resignation."""

    player: int
    move: str
    before: Position
    after: Position

    @property
    def chosen(self) -> bool:
        """Whether the player chose it; a lost turn just happens."""
        return self.move not in FORCED_MOVES


class Match:
    """One play of a book, from its beginning or from another position.

    >>> import numberline as nl
    >>> match = nl.Match(nl.book("flag-chase"))
    >>> for move in ("3", "2", "2"):
    ...     ply = match.play(move)
    >>> match.outcome
    Outcome(winner=1, reason='Player 1 reached 5.')
    """

    def __init__(self, book: Book, first: int = 1, names: Sequence[str] = (), *, start: Position | None = None) -> None:
        if not isinstance(book, Book):
            raise BookError(
                f"{safe_repr(book)} is not a book that can be played; expected one such as nl.book('flag-chase')"
            )
        if start is not None and not isinstance(start, Position):
            raise BookError(f"start={safe_repr(start)}: expected a position, such as nl.book('flag-chase').start()")
        called, players = string_options("names", names, "Ann"), book.rules.players
        if len(called) > players:
            raise BookError(f"{len(called)} names for {players} players; give at most {players}")
        self.book = book
        self.first = start.turn if start else first
        self.names = book.player_names(called)
        self._start = start or book.start(first)
        self._plies: list[Ply] = []

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self._plies[-1].after if self._plies else self._start

    @property
    def turn(self) -> int:
        """The player to move."""
        return self.position.turn

    @property
    def plies(self) -> tuple[Ply, ...]:
        """Everything that happened so far, but for what was taken back."""
        return tuple(self._plies)

    @property
    def length(self) -> int:
        """How many plies were played."""
        return len(self._plies)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The legal moves; `('pass',)` where the turn is lost; `()` when the game is over."""
        return self.book.moves(self.position)

    @property
    def outcome(self) -> Outcome | None:
        """Who has won and why, or None while the game goes on."""
        outcome = self.book.outcome(self.position)
        if outcome and self._plies and self._plies[-1].move == RESIGN:
            return Outcome(outcome.winner, f"{self.names[self._plies[-1].player - 1]} resigned.")
        return outcome

    def play(self, typed: str, legal: Sequence[Move] | None = None) -> Ply:
        """Plays a move and says what happened; an unreadable or illegal one raises and changes nothing.

        `legal` are the legal moves here, where they are known already.
        """
        move = parse_legal_move(self.book, self.position, typed, legal)
        return self._add(move, self.book.after(self.position, move))

    def resign(self) -> Ply:
        """Puts the player to move out of the game; with two players the other has won."""
        if self.outcome:
            raise MoveError("nobody can resign: the game is over")
        return self._add(RESIGN, self.book.resigned(self.position))

    def undo(self) -> tuple[Ply, ...]:
        """Takes back the last chosen move and the lost turns after it; what was taken back, nothing at the start."""
        taken: list[Ply] = []
        while self._plies and not (taken and taken[-1].chosen):
            taken.append(self._plies.pop())
        if taken and not taken[-1].chosen:  # only lost turns since the start: there is nothing to take back
            self._plies.extend(reversed(taken))
            return ()
        return tuple(reversed(taken))

    def _add(self, move: str, after: Position) -> Ply:
        ply = Ply(self.turn, move, self.position, after)
        self._plies.append(ply)
        return ply


def parse_legal_move(book: Book, position: Position, typed: str, legal: Sequence[Move] | None = None) -> Move:
    """The legal move that was typed; an unreadable or illegal one raises, and the error says what can be played."""
    legal = book.moves(position) if legal is None else legal
    if not legal:
        raise IllegalMove(f"{safe_repr(typed)} is not allowed: the game is over")
    try:
        move = book.read(typed, position)
    except MoveError as error:
        raise type(error)(f"{error}. {legal_moves_sentence(legal)}") from None
    if move not in legal:
        reason = book.why_not(position, move)
        raise IllegalMove(f"{quote(typed)} is not allowed here: {reason}. {legal_moves_sentence(legal)}")
    return move
