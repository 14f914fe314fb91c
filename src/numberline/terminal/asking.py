"""One position asked at the prompt: the line is drawn, a question is put, and a legal move answers it."""

from __future__ import annotations

from collections.abc import Callable

from numberline.analysis.hint import hint
from numberline.book.book import Book
from numberline.match import Match
from numberline.rules.errors import MoveError
from numberline.rules.position import Position
from numberline.rules.wording import any_of
from numberline.solver.solution import Solution
from numberline.speech.narrator import Narrator
from numberline.speech.line import places_in_words
from numberline.speech.prose import rules_in_prose
from numberline.terminal.board import drawn_line
from numberline.terminal.screen import Screen
from numberline.terminal.session import Quit

LEAVING = ("quit", "q", "exit")
PASSING_ON = ("skip", "next")


class Middle(Match):
    """A match that begins in the middle of a game."""

    def __init__(self, book: Book, position: Position) -> None:
        super().__init__(book, position.turn)
        self._start = position


class Asking:
    """One position and what somebody answers to it."""

    def __init__(self, screen: Screen, solution: Solution, position: Position) -> None:
        self.screen = screen
        self.solution = solution
        self.match = Middle(solution.book, position)
        self.told = False
        """Whether a hint has named the move."""
        self._hinted = False
        self._words: dict[str, Callable[[], None]] = {"help": self._help, "hint": self._hint, "rules": self._rules}

    def answer(self, question: str) -> str | None:
        """The legal move that is answered, None for skipped; raises `Quit`, or `EndOfInput` where nothing comes."""
        self.show(question)
        prompt = f"Your move (or hint, {self._passing}, quit): "
        while True:
            typed = self.screen.ask(prompt, [*self.match.moves, *self._words, self._passing, "quit"])
            word = typed.strip().lower()
            if word in LEAVING:
                raise Quit
            if word in PASSING_ON and word not in self.match.moves:
                return None
            if word in self._words:
                self._words[word]()
            elif move := self._move(typed):
                return move

    def show(self, question: str) -> None:
        """Draws the line and puts the question, without asking for an answer."""
        self._board()
        self.screen.say(f"{question}\n")

    @property
    def _passing(self) -> str:
        """The word for going on; in some variants `skip` is a move."""
        return "next" if "skip" in self.match.moves else "skip"

    def _move(self, typed: str) -> str:
        """The move that was typed; what is none is explained, and nothing comes back."""
        if not typed.strip():
            self.screen.say("Type a move, or help.\n")
            return ""
        try:
            move = self.match.play(typed).move
        except MoveError as error:
            self.screen.say(f"{error}\n")
            return ""
        self.match.undo()
        return move

    def _board(self) -> None:
        if self.screen.plain:
            self.screen.say(f"{places_in_words(self.match)}\n")
        elif self.screen.draws:
            self.screen.draw(drawn_line(self.match.book, self.match.position, self.screen.width or 80))
            self.screen.say("\n")
        else:
            self.screen.say(Narrator(self.match).board())

    def _hint(self) -> None:
        """A nudge; asked again, the move and why."""
        self.told = self._hinted
        found = hint(self.solution, self.match.position, 2 if self._hinted else 1)
        more = "" if self._hinted else " (Ask again for the move.)"
        self._hinted = True
        self.screen.say(f"{found.text}{more}\n")

    def _rules(self) -> None:
        for section in rules_in_prose(self.match.book):
            self.screen.say(f"{section.heading}: {section.text}\n")

    def _help(self) -> None:
        self.screen.say(
            f"Type a move ({any_of(self.match.moves)}), or:\n"
            "  hint    a nudge; asked again, the move\n"
            "  rules   the rules of this game\n"
            f"  {self._passing}    go on without an answer\n"
            "  quit    leave\n"
        )
