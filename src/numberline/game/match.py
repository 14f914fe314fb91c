"""`Match`: a game in progress with validated moves, history, undo and resignation."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from numberline.errors import BookError, IllegalMove, MoveError, string_options
from numberline.game.book import Book
from numberline.game.graph import GraphNode, position_graph
from numberline.game.move_text import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Outcome, Position
from numberline.text import join_and, safe_repr

RESIGN = "resign"


class Ply(NamedTuple):
    """One turn of a match: a chosen move, a forced pass or elimination, or a resignation.

    >>> import numberline as nl
    >>> ply = nl.Match(nl.book("flag-chase")).play("3")
    >>> ply.player, ply.move, ply.after.tokens
    (1, '3', (3, 10))
    """

    player: int
    move: str
    before: Position
    after: Position

    @property
    def chosen(self) -> bool:
        """Whether the player chose this move; `pass` and `out` are forced."""
        return self.move not in FORCED_MOVES


class Match:
    """A game in progress, from the start or from a given position; `play` accepts only legal moves.

    >>> import numberline as nl
    >>> match = nl.Match(nl.book("flag-chase"), names=["Ann", "Ben"])
    >>> for move in ("3", "2", "2"):
    ...     ply = match.play(move)
    >>> match.outcome
    Outcome(winner=1, reason='Player 1 reached 5.')
    >>> match
    <Match flag-chase, Ann and Ben, 3 plies, Ann won>
    """

    def __init__(self, book: Book, first: int = 1, names: Sequence[str] = (), *, start: Position | None = None) -> None:
        if not isinstance(book, Book):
            raise BookError(f"{safe_repr(book)} is not a book; expected one such as nl.book('flag-chase')")
        if start is not None:
            start = book.check_position(start)
        given, players = string_options("names", names, "Ann"), book.rules.players
        if len(given) > players:
            raise BookError(f"{len(given)} names for {players} players; give at most {players}")
        self.book = book
        self.first = start.turn if start else first
        self.names = book.player_names(given)
        self._graph = position_graph(book, GraphNode)
        self._start = self._graph.node(start or book.start(first))
        self._node = self._start
        self._plies: list[Ply] = []

    @property
    def position(self) -> Position:
        """The current position."""
        return self._node.position

    @property
    def turn(self) -> int:
        """The player to move."""
        return self._node.turn

    @property
    def plies(self) -> tuple[Ply, ...]:
        """All turns played so far, except those undone."""
        return tuple(self._plies)

    @property
    def length(self) -> int:
        """The number of plies played."""
        return len(self._plies)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The legal moves: `('pass',)` if the player must pass, `()` if the game is over."""
        return self._node.moves

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the reason, or None if the game is not over."""
        outcome = self._node.outcome
        if outcome and self._plies and self._plies[-1].move == RESIGN:
            return Outcome(outcome.winner, f"{self.names[self._plies[-1].player - 1]} resigned.", "resigned")
        return outcome

    def play(self, typed: str) -> Ply:
        """Play a move and return its ply; an unreadable or illegal move raises `MoveError` and changes nothing."""
        node = self._node
        if typed.__class__ is not Move or typed not in node.successors:
            typed = parse_legal_move(self.book, node.position, typed, node.moves, self.names)
        return self._add(typed, node.after(typed))

    def resign(self) -> Ply:
        """Resign on behalf of the player to move; in a two-player game, the opponent wins."""
        if self._node.outcome:
            raise MoveError("you can't resign: the game is over")
        return self._add(RESIGN, self._graph.node(self.book.resigned(self.position)))

    def replay(self, move: str) -> Ply:
        """Play a recorded move, which can be `resign`."""
        return self.resign() if move == RESIGN else self.play(move)

    def undo(self) -> tuple[Ply, ...]:
        """Undo the last chosen move and any forced turns after it; return the undone plies, if any."""
        last_chosen = next((n for n in reversed(range(len(self._plies))) if self._plies[n].chosen), None)
        if last_chosen is None:
            return ()
        undone = tuple(self._plies[last_chosen:])
        del self._plies[last_chosen:]
        self._node = self._graph.node(undone[0].before)
        return undone

    def copy(self) -> Match:
        """Return an independent match with the same history."""
        twin = copy(self)
        twin._plies = self._plies.copy()  # noqa: SLF001 - same class
        return twin

    def _add(self, move: str, reached: GraphNode) -> Ply:
        ply = Ply(self._node.turn, move, self._node.position, reached.position)
        self._plies.append(ply)
        self._node = reached
        return ply

    def __repr__(self) -> str:
        outcome = self.outcome
        state = f"{self.names[outcome.winner - 1]} won" if outcome else f"{self.names[self.turn - 1]} to move"
        plies = "1 ply" if self.length == 1 else f"{self.length} plies"
        return f"<Match {self.book.variant}, {join_and(self.names)}, {plies}, {state}>"


def parse_legal_move(
    book: Book, position: Position, typed: str, legal: Sequence[Move] | None = None, names: Sequence[str] = ()
) -> Move:
    """Parse a typed move and check that it is legal; if it is not, raise a `MoveError` that lists the legal moves.

    Pass `legal` if the legal moves are already known, to avoid computing them again.
    """
    legal = book.moves(position) if legal is None else legal
    if not legal:
        raise IllegalMove(f"{safe_repr(typed)} is not allowed: the game is over")
    try:
        move = book.read(typed, position, legal)
    except MoveError as error:
        raise type(error)(f"{error}. {legal_moves_sentence(legal)}") from None
    if move not in legal:
        reason = book.why_not(position, move, names)
        raise IllegalMove(f"you can't play {' '.join(typed.split())}: {reason}. {legal_moves_sentence(legal)}")
    return move
