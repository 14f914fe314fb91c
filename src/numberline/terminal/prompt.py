"""The one way to ask at the table: the same question again and again, until what is typed is an answer."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from numberline.errors import NumberlineError, UnreadableMove
from numberline.explain.narrator import Narrator
from numberline.game.match import Match
from numberline.terminal.board import render_board
from numberline.terminal.console import TextConsole
from numberline.text import quote
from numberline.views.board import PositionView, book_view, position_view

if TYPE_CHECKING:
    from numberline.terminal.coach import Coach

Answer = TypeVar("Answer")

QUIT, HELP = "quit", "help"
QUIT_WORDS = (QUIT, "q", "exit")
HELP_WORDS = ("?", "h")
"""Other words for help."""
MIN_COMMAND_SIMILARITY = 0.7
"""How like a command (1 for the same) something must be for us to ask whether it was meant."""
DEFAULT_COLUMNS = 80


class Quit(Exception):
    """Somebody has left the table on purpose."""


class Command(NamedTuple):
    """A word that can be typed besides an answer."""

    help: str
    action: Callable[[], Any]
    """Called when the word is typed; if it gives anything back, that is the answer."""


def ask(
    screen: TextConsole,
    question: str,
    read: Callable[[str], Answer | None],
    commands: Mapping[str, Command] | None = None,
    words: Sequence[str] = (),
) -> Answer:
    """What `read` makes of what is typed, or what a command gives back; for None the question is asked again.

    What goes wrong is told in a sentence, and the question asked again. Raises `Quit` for whoever wants to leave, and
    `EndOfInput` where nothing more is typed. Tab completes to the words and the commands.
    """
    commands = commands or {}
    while True:
        typed = screen.ask(question, [*words, *commands, QUIT])
        word = typed.strip().lower()
        word = HELP if word in HELP_WORDS and HELP in commands else word
        if word in QUIT_WORDS:
            raise Quit
        answer: Answer | None = None
        with report_errors(screen):
            answer = commands[word].action() if word in commands else _read(typed, read, [*commands, QUIT])
        if answer is not None:
            return answer


def _read(typed: str, read: Callable[[str], Answer | None], commands: Sequence[str]) -> Answer | None:
    """What is read from what was typed; where it is nearly a command, the error asks whether that was meant."""
    try:
        return read(typed)
    except UnreadableMove:
        near = (
            difflib.get_close_matches(typed.strip().lower(), commands, n=1, cutoff=MIN_COMMAND_SIMILARITY)
            if len(typed) < 20
            else []
        )
        if not near:
            raise
        raise UnreadableMove(f"{quote(typed)} can't be read as a move; did you mean {near[0]}?") from None


@contextmanager
def report_errors(screen: TextConsole) -> Iterator[None]:
    """What goes wrong in here is told in a sentence, and the game goes on."""
    try:
        yield
    except NumberlineError as error:
        screen.say(f"{as_sentence(str(error))}\n")


def as_sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


class MatchPrompt:
    """A match on a screen: how it is shown, and what can be typed besides a move."""

    def __init__(self, match: Match, screen: TextConsole, programs: Collection[int] = ()) -> None:
        self.match = match
        self.screen = screen
        self.narrator = Narrator(match, programs)
        self.commands: dict[str, Command] = {HELP: Command("what can be typed", self.help)}

    @property
    def view(self) -> PositionView:
        """What is shown of the position."""
        return position_view(self.match.book, self.match.position, self.match.names)

    @cached_property
    def coach(self) -> Coach:
        """Who answers questions; loaded when the first is asked."""
        from numberline.terminal.coach import Coach

        return Coach(self.match)

    def ask(self, question: str, play: Callable[[str], Answer]) -> Answer:
        """What becomes of the move that is typed, or what a command gives back."""
        return ask(self.screen, question, lambda typed: self._tried(typed, play), self.commands, self.match.moves)

    def _tried(self, typed: str, play: Callable[[str], Answer]) -> Answer | None:
        if typed.strip():
            return play(typed)
        self.screen.say("Type a move, or help.\n")
        return None

    def board(self) -> None:
        """Shows where everything stands: drawn, in the book's own way, or in sentences."""
        if self.screen.plain:
            self.screen.say(f"\n{self.view.said}\n")
        elif self.screen.draws:
            width = self.screen.width or DEFAULT_COLUMNS
            self.screen.draw(
                render_board(book_view(self.match.book, with_goal=False), self.view, width, self.match.names)
            )
        else:
            self.screen.say(self.narrator.board())

    def help(self) -> None:
        """Tells what can be typed."""
        helps = {**{word: command.help for word, command in self.commands.items()}, QUIT: "leave the table"}
        listed = "".join(f"  {word:<7} {text}\n" for word, text in helps.items() if word != HELP)
        self.screen.say(f"Type a move ({', '.join(self.match.moves)}), or:\n{listed}")

    def rules(self) -> None:
        """Tells the rules."""
        from numberline.explain.rules_text import describe_rules  # needed only here

        for section in describe_rules(self.match.book):
            self.screen.say(f"{section.heading}: {section.text}\n")

    def hint(self) -> None:
        """Tells a nudge, or when asked again the move."""
        self.screen.say(f"{self.coach.hint()}\n")
