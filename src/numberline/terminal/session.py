"""A game at the table: asks for moves, tells what happens, and does what is typed besides a move."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from numberline.match import FORCED_TEXTS, Match
from numberline.rules.errors import MoveError, NumberlineError, shown
from numberline.rules.position import Position
from numberline.speech.narrator import Narrator
from numberline.speech.line import places_in_words
from numberline.speech.prose import rules_in_prose
from numberline.terminal.board import drawn_line
from numberline.terminal.screen import Screen
from numberline.terminal.seats import Seats

if TYPE_CHECKING:
    from rich.text import Text

    from numberline.terminal.teacher import Teacher


class Quit(Exception):
    """Somebody has left the table on purpose."""


class Session:
    """One match, played by people at one keyboard and by programs."""

    def __init__(
        self,
        match: Match,
        screen: Screen,
        changed: Callable[[], None] = lambda: None,
        *,
        seats: Seats | None = None,
        assist: bool = False,
        reviews: bool = False,
    ) -> None:
        self.match = match
        self.screen = screen
        self.narrator = Narrator(match)
        self._changed = changed
        """Called whenever something has happened in the match."""
        self._seats = seats
        self._assist = assist
        """Whether what every move is worth is shown at every turn."""
        self._reviews = reviews
        """Whether the whole game is looked back at when it is over."""
        self._commands: dict[str, Callable[[], None]] = {
            "help": self._help,
            "rules": self._rules,
            "moves": self._moves,
            "hint": lambda: self._teach(self.teacher.hint),
            "why": lambda: self._teach(self.teacher.why),
            "values": self._values,
            "undo": self._undo,
            "resign": self._resign,
            "quit": self._quit,
        }

    @cached_property
    def teacher(self) -> Teacher:
        """Who answers questions; loaded when the first is asked."""
        from numberline.terminal.teacher import Teacher

        return Teacher(self.match)

    def play(self) -> int:
        """Plays the match to its end and says who won; raises `Quit` or `EndOfInput` where it is left before."""
        self._changed()
        self._open()
        while not (outcome := self.match.outcome):
            if self.match.moves[0] in FORCED_TEXTS:
                self._tell(self.match.moves[0])
            else:
                self.screen.say(self.narrator.turn())
                self._one_turn()
        self.screen.say(self.narrator.ending())
        self._look_back()
        return outcome.winner

    def _open(self) -> None:
        """The welcome, or for a match that was left where it stands."""
        if self.match.plies:
            self.screen.say(f"Going on after {len(self.match.plies)} plies.\n")
            self._board()
            return
        self.screen.say(self.narrator.opening())
        if self.narrator.draws or not self.screen.draws:
            self._board()
        self.screen.say(self.narrator.starts())
        if self.screen.draws and not self.narrator.draws:
            self._board()

    def _one_turn(self) -> None:
        """Lets a program move, or asks until a move is played or taken back."""
        if self._seats and self.match.turn not in self._seats.people:
            self._let_move(self._seats)
            return
        if self._assist:
            self._values()
        before = len(self.match.plies)
        while len(self.match.plies) == before:
            typed = self.screen.ask(self.narrator.ask(), [*self.match.moves, *self._commands])
            command = self._commands.get(typed.strip().lower())
            if command:
                command()
            else:
                self._try(typed)

    def _let_move(self, seats: Seats) -> None:
        """Lets the program move whose turn it is; one that breaks the rules of the table gives the game up."""
        from numberline.bots import Forfeit  # loaded where a program sits

        try:
            chosen = seats.choice(self.match) or ""
        except Forfeit as forfeit:
            self.screen.say(f"{sentence(str(forfeit))}\n")
            self._resign()
            return
        self.screen.say(f"{self.narrator.ask()}{chosen}\n")
        self._tell(chosen)

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
        if self.screen.plain:
            self.screen.say(f"\n{places_in_words(self.match)}\n")
        elif self.screen.draws:
            self.screen.draw(drawn_line(self.match.book, self.match.position, self.screen.width or 80))
        else:
            self.screen.say(self.narrator.board())

    def _look_back(self) -> None:
        """After a game: the whole review if it was asked for; else, against a program, where it was won or lost."""
        if self._reviews:
            self.screen.say("\n")
            self._show(lambda: self.teacher.review(self.screen))
            return
        people = self._seats.people if self._seats else ()
        if self._seats and len(people) == 1 and len(self._seats.guests) == 2:
            self._teach(lambda: "\n" + self.teacher.afterwards(people[0]))

    # What can be typed besides a move

    def _help(self) -> None:
        choices = ", ".join(self.match.moves)
        self.screen.say(
            f"Type a move ({choices}), or:\n"
            "  rules   the rules of this game\n"
            "  moves   what you can play now, and where it leads\n"
            "  hint    a nudge; asked again, the move\n"
            "  why     what this position is worth, and why\n"
            "  values  what each move is worth\n"
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

    def _teach(self, lesson: Callable[[], str]) -> None:
        """Says what the teacher knows, or why nothing is known."""
        try:
            self.screen.say(f"{lesson()}\n")
        except NumberlineError as error:
            self.screen.say(f"{sentence(str(error))}\n")

    def _values(self) -> None:
        self._show(self.teacher.values)

    def _show(self, lesson: Callable[[], list[Text]]) -> None:
        """The same for lines with colour."""
        try:
            lines = lesson()
        except NumberlineError as error:
            self.screen.say(f"{sentence(str(error))}\n")
            return
        if self.screen.draws and not self.screen.plain:
            self.screen.draw(lines)
        else:
            self.screen.say("".join(f"{line.plain}\n" for line in lines))

    def _undo(self) -> None:
        """Takes back the last move, and against a program its answer too."""
        taken = self.match.undo()
        while taken and self._seats and self.match.turn not in self._seats.people:
            earlier = self.match.undo()
            if not earlier:
                break
            taken = (*earlier, *taken)
        if not taken:
            self.screen.say("There is nothing to take back.\n")
            return
        self._changed()
        told = [f"{ply.move} by {self.match.names[ply.player - 1]}" for ply in taken if ply.chosen]
        self.screen.say(f"Taken back: {' and '.join(told)}.\n")
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


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def choose(screen: Screen, question: str, options: list[str]) -> str | None:
    """The option that somebody picks by number or by its text; None for quit. Other text is given back as it is."""
    typed = screen.ask(question).strip()
    if typed.lower() in ("quit", "q", "exit"):
        return None
    if typed.isdecimal() and typed.isascii():
        number = int(typed[:9])
        return options[number - 1] if 1 <= number <= len(options) else shown(typed)
    return typed
