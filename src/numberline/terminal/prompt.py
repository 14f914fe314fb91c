"""Prompts that repeat a question until the answer is valid, and run commands such as `help`."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from numberline.errors import NumberlineError, UnreadableMove
from numberline.explain.narrator import Narrator
from numberline.game.match import Match
from numberline.terminal.board import render_board
from numberline.terminal.console import TextConsole
from numberline.text import join_or, quote
from numberline.views.board import PositionView, book_view, position_view

if TYPE_CHECKING:
    from rich.text import Text

    from numberline.explain.strip import Strip
    from numberline.terminal.coach import Coach

Answer = TypeVar("Answer")

QUIT, HELP, BACK, BOARD = "quit", "help", "back", "board"
_QUIT_WORDS = (QUIT, "q", "exit")
_HELP_WORDS = ("?", "h")
_MIN_COMMAND_SIMILARITY = 0.7
_DEFAULT_COLUMNS = 80
_LONG_COMMAND_S = 1.0
_MAX_LINES_BELOW_BOARD = 5
"""After a command that prints more lines than this, the board is shown again."""


class Quit(SystemExit):
    """Raised when the player types `quit`; at a question that belongs to no menu or run, it ends the program."""


class Command(NamedTuple):
    """Command that can be typed instead of an answer."""

    help: str
    action: Callable[[], Any]
    """Called when the command is typed; a result other than None is returned as the answer."""


def ask(
    screen: TextConsole,
    question: str,
    read: Callable[[str], Answer | None],
    commands: Mapping[str, Command] | None = None,
    words: Sequence[str] = (),
    *,
    back_quits: bool = True,
) -> Answer:
    """Repeat a question until `read` or a command returns an answer; return the answer.

    Errors are printed as sentences. Raise `Quit` if the player types `quit` (or `back`, unless it is a move or a
    command), and `EndOfInput` at the end of the input. Tab completes `words` and the commands.
    """
    commands = commands or {}
    while True:
        typed = screen.ask(question, [*words, *commands, QUIT])
        word = typed.strip().lower()
        word = HELP if word in _HELP_WORDS and HELP in commands else word
        if word in _QUIT_WORDS or (word == BACK and back_quits and BACK not in commands):
            raise Quit
        answer: Answer | None = None
        lines_before = screen.lines_said
        with report_errors(screen):
            answer = _run(screen, commands[word]) if word in commands else _read(typed, read, [*commands, QUIT])
        if answer is not None:
            return answer
        if screen.draws and BOARD in commands and screen.lines_said - lines_before > _MAX_LINES_BELOW_BOARD:
            commands[BOARD].action()


def _run(screen: TextConsole, command: Command) -> Any:
    """Run a command, and discard keys typed during a long one; Ctrl-C cancels the command but doesn't end the game."""
    started = time.monotonic()
    try:
        return command.action()
    except KeyboardInterrupt:
        screen.say("\nStopped.\n")
        return None
    finally:
        if screen.draws and time.monotonic() - started > _LONG_COMMAND_S:
            screen.discard_typed()


def _read(typed: str, read: Callable[[str], Answer | None], commands: Sequence[str]) -> Answer | None:
    """Parse an answer; if it is unreadable but resembles a command, suggest that command in the error."""
    try:
        return read(typed)
    except UnreadableMove:
        similar = difflib.get_close_matches(typed.strip().lower()[:20], commands, n=1, cutoff=_MIN_COMMAND_SIMILARITY)
        if not similar:
            raise
        raise UnreadableMove(f"{quote(typed)} can't be read as a move; did you mean {similar[0]}?") from None


@contextmanager
def report_errors(screen: TextConsole) -> Iterator[None]:
    """Print any `NumberlineError` as a sentence instead of propagating it."""
    try:
        yield
    except NumberlineError as error:
        screen.say(f"{as_sentence(str(error))}\n")


def match_word(words: Sequence[str], typed: str, others: Iterable[str] = (), default: str = HELP) -> str:
    """Return the word that starts with the first word typed; if there is none, raise an error that lists all words."""
    wanted = (typed.lower().split() or [default])[0]
    if found := [word for word in words if word.startswith(wanted)]:
        return found[0]
    raise NumberlineError(f"type {join_or([*words, *others])}")


def as_sentence(text: str) -> str:
    """Return the text with an initial capital and closing punctuation."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", '"')) else ".")


class MatchPrompt:
    """Prompt for a match: shows the board and handles the commands that can be typed instead of a move."""

    def __init__(self, match: Match, screen: TextConsole, bots: Collection[int] = ()) -> None:
        self.match = match
        self.screen = screen
        self.narrator = Narrator(match, bots)
        self.expected = ""
        """Description of a valid answer, printed by `help`; if empty, a valid answer is a move."""
        screen.letters = match.book.rules.tokens > 1
        self.commands: dict[str, Command] = {
            HELP: Command("", self.help),
            BOARD: Command("the board again (or press Enter)", self._board_again),
        }

    @property
    def view(self) -> PositionView:
        return position_view(self.match.book, self.match.position, self.match.names)

    @cached_property
    def coach(self) -> Coach:
        from numberline.terminal.coach import Coach  # imports the solver

        return Coach(self.match)

    def ask(self, question: str, play: Callable[[str], Answer]) -> Answer:
        """Ask for a move and return the result of playing it, or the result of a command."""
        has_back = any(move.endswith(BACK) for move in self.match.book.choices)
        read = partial(self._play, play=play)
        return ask(self.screen, question, read, self.commands, self.match.moves, back_quits=not has_back)

    def _play(self, typed: str, play: Callable[[str], Answer]) -> Answer | None:
        if typed.strip():
            return play(typed)
        if self.screen.draws:
            self.board()
        else:
            self.screen.say("Type a move, or help.\n")
        return None

    def _board_again(self) -> None:
        """Show the board, or describe the position in sentences if the book doesn't draw a board."""
        if self.screen.draws or self.screen.plain or self.narrator.draws:
            self.board()
        else:
            self.screen.say(f"{self.view.said}\n")

    def board(self, caption: str = "") -> None:
        """Show the board as a drawing, in the rule book's format or in sentences, with the caption just above it."""
        if caption:
            self.screen.say(f"{caption}\n")
        if self.screen.plain:
            self.screen.say(f"{'' if caption else chr(10)}{self.view.said}\n")
        elif self.screen.draws:
            self.screen.draw(self.board_lines()[1 if caption else 0 :])
        else:
            self.screen.say(self.narrator.board())

    def board_lines(self, strip: Strip | None = None, margin: int = 0) -> list[Text]:
        width = (self.screen.width or _DEFAULT_COLUMNS) - margin
        return render_board(book_view(self.match.book, with_goal=False), self.view, width, self.match.names, strip)

    def help(self) -> None:
        helps = {**{word: command.help for word, command in self.commands.items()}, QUIT: "stop playing"}
        listed = "".join(f"  {word:<7} {text}\n" for word, text in helps.items() if text)
        expected = self.expected or f"a move ({', '.join(self.match.moves)})"
        self.screen.say(f"Type {expected}, or:\n{listed}")

    def rules(self, you: int = 0) -> None:
        """Print the rules; at a terminal, use the players' names and address player `you` directly."""
        from numberline.explain.rules_text import describe_rules  # not needed for the first prompt

        names, you = (self.match.names, you) if self.screen.draws else ((), 0)
        for section in describe_rules(self.match.book, names, you):
            self.screen.say(f"{section.heading}: {section.text}\n")

    def hint(self) -> None:
        self.screen.say(f"{self.coach.hint()}\n")
