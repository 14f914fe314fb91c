"""A game at the table: asks for moves, tells what happens, and does what is typed besides a move."""

from __future__ import annotations

from collections.abc import Callable

from numberline.match import FORCED_TEXTS, Match
from numberline.rules.errors import MoveError, shown
from numberline.rules.position import Position
from numberline.speech.narrator import Narrator
from numberline.speech.prose import rules_in_prose
from numberline.terminal.board import drawn_line
from numberline.terminal.screen import Screen


class Quit(Exception):
    """Somebody has left the table on purpose."""


class Session:
    """One match, played by people at one keyboard."""

    def __init__(self, match: Match, screen: Screen, changed: Callable[[], None] = lambda: None) -> None:
        self.match = match
        self.screen = screen
        self.narrator = Narrator(match)
        self._changed = changed
        """Called whenever something has happened in the match."""
        self._commands: dict[str, Callable[[], None]] = {
            "help": self._help,
            "rules": self._rules,
            "moves": self._moves,
            "undo": self._undo,
            "resign": self._resign,
            "quit": self._quit,
        }

    def play(self) -> int:
        """Plays the match to its end and says who won; raises `Quit` or `EndOfInput` where it is left before."""
        self._changed()
        self.screen.say(self.narrator.opening())
        if self.narrator.draws or not self.screen.draws:
            self._board()
        self.screen.say(self.narrator.starts())
        if self.screen.draws and not self.narrator.draws:
            self._board()
        while not (outcome := self.match.outcome):
            if self.match.moves[0] in FORCED_TEXTS:
                self._tell(self.match.moves[0])
            else:
                self.screen.say(self.narrator.turn())
                self._one_turn()
        self.screen.say(self.narrator.ending())
        return outcome.winner

    def _one_turn(self) -> None:
        """Asks until a move is played or taken back."""
        before = len(self.match.plies)
        while len(self.match.plies) == before:
            typed = self.screen.ask(self.narrator.ask())
            command = self._commands.get(typed.strip().lower())
            if command:
                command()
            else:
                self._try(typed)

    def _try(self, typed: str) -> None:
        if not typed.strip():
            self.screen.say("Type a move, or help.\n")
            return
        try:
            self._tell(typed)
        except MoveError as error:
            self.screen.say(f"{error}\n")

    def _tell(self, typed: str) -> None:
        """Plays a move and says what became of it."""
        ply = self.match.play(typed)
        self._changed()
        self.screen.say(self.narrator.told(ply))
        if not self.match.outcome and ply.before.tokens != ply.after.tokens:
            self._board()

    def _board(self) -> None:
        if self.screen.draws:
            self.screen.draw(drawn_line(self.match.book, self.match.position, self.screen.width or 80))
        else:
            self.screen.say(self.narrator.board())

    # What can be typed besides a move

    def _help(self) -> None:
        choices = ", ".join(self.match.moves)
        self.screen.say(
            f"Type a move ({choices}), or:\n"
            "  rules   the rules of this game\n"
            "  moves   what you can play now, and where it leads\n"
            "  undo    take back the last move\n"
            "  resign  give the game up\n"
            "  quit    leave the table\n"
        )

    def _rules(self) -> None:
        for section in rules_in_prose(self.match.book):
            self.screen.say(f"{section.heading}: {section.text}\n")

    def _moves(self) -> None:
        for move in self.match.moves:
            self.screen.say(f"  {move.ljust(6)} {self._leads_to(move)}\n")

    def _leads_to(self, move: str) -> str:
        """Where a legal move takes the player, in a few words."""
        book, position = self.match.book, self.match.position
        after = book.after(position, move)
        outcome = book.outcome(after)
        if outcome:
            return "wins" if outcome.winner == position.turn else "loses"
        return _change(position, after) or "changes nothing"

    def _undo(self) -> None:
        taken = self.match.undo()
        if not taken:
            self.screen.say("There is nothing to take back.\n")
            return
        self._changed()
        name = self.match.names[taken[0].player - 1]
        self.screen.say(f"Taken back: {taken[0].move} by {name}.\n")
        self._board()

    def _resign(self) -> None:
        ply = self.match.resign()
        self._changed()
        self.screen.say(self.narrator.told(ply))

    def _quit(self) -> None:
        raise Quit


def _change(before: Position, after: Position) -> str:
    moved = [(old, new) for old, new in zip(before.tokens, after.tokens, strict=True) if old != new]
    return ", ".join(f"from {old} to {new}" for old, new in moved)


def choose(screen: Screen, question: str, options: list[str]) -> str | None:
    """The option that somebody picks by number or by its text; None for quit. Other text is given back as it is."""
    typed = screen.ask(question).strip()
    if typed.lower() in ("quit", "q", "exit"):
        return None
    if typed.isdecimal() and typed.isascii():
        number = int(typed[:9])
        return options[number - 1] if 1 <= number <= len(options) else shown(typed)
    return typed
