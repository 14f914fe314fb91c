"""Where the players type and read: a terminal, or a pipe that prints a plain transcript."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from numberline.text import escape_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MIN_COLUMNS = 20
MAX_LINE_BYTES = 100_000
"""More than anybody types; the rest of such a line is thrown away unread."""
DRAW_BATCH_LINES = 100
"""So many lines with colour are sent to the terminal at once: a long game has thousands."""
PROGRESS_DELAY_S = 1.0
"""Seconds before a bar is shown for work that takes long."""


class EscapingWriter(io.TextIOWrapper):
    """An output on which everything is seen and nothing obeyed, whatever it came from; colours go to `styled`."""

    def write(self, text: str) -> int:
        """Writes the text, every character of it to be seen."""
        return super().write(escape_controls(text))

    @property
    def unescaped(self) -> TextIO:
        """The same output for what is drawn here: what is sent there must have been made visible before."""
        return _UnescapedWriter(self)  # type: ignore[return-value] # all that a console asks of a file


class _UnescapedWriter:
    def __init__(self, stream: EscapingWriter) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def escape_output_streams() -> None:
    """From now on, whatever a program prints is seen and not obeyed, and what can't be shown stops nobody."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            line_buffering, encoding = stream.line_buffering, stream.encoding
            shown = EscapingWriter(stream.detach(), encoding, errors="replace", line_buffering=line_buffering)
            setattr(sys, name, shown)
            setattr(sys, f"__{name}__", shown)  # where the size of the window is asked for


def console(*, stderr: bool = False, **options: Any) -> Console:
    """What draws with colour, where the terminal has it."""
    from rich.console import Console  # loaded only where something is drawn

    stream = sys.stderr if stderr else sys.stdout
    file = stream.unescaped if isinstance(stream, EscapingWriter) else stream
    return Console(file=file, highlight=False, markup=False, **options)


class EndOfInput(Exception):
    """Nothing more will be typed; the text, if there is any, says what became of the game."""


class TextConsole:
    """One keyboard and one screen.

    What counts as a pipe is the input: from a pipe the moves are echoed, so that what is printed reads as a transcript.
    """

    def __init__(self, *, plain: bool = False) -> None:
        self.plain = plain
        """Whether everything is told in sentences, for somebody who listens."""
        self.interactive = sys.stdin is not None and sys.stdin.isatty()
        self.on_terminal = sys.stdout.isatty()
        self.shows_help = self.interactive
        """Whether it is said what can be typed, to somebody who sits before it."""
        self.names: dict[str, str] = {}
        """The players' names, and the colour in which each is written where the line is drawn."""
        self._after_blank = True
        """Whether what is printed next comes after a blank line (or first); another one would be too many."""

    @property
    def draws(self) -> bool:
        """Whether the line is drawn large, for somebody who sits before it."""
        return self.interactive and self.on_terminal

    @property
    def width(self) -> int | None:
        """The columns of the terminal; None where nothing wraps."""
        return terminal_width()

    def say(self, text: str) -> None:
        """Prints text as it stands, folded to the terminal's width."""
        if self._after_blank:
            text = text.lstrip("\n")
        if text:
            self._after_blank = text.endswith("\n\n")
            self._write(wrap_text(text, self.width))

    def _write(self, text: str) -> None:
        """Prints text, on a terminal with the players' names in their colours."""
        if self.draws and not self.plain and any(name in text for name in self.names):
            from rich.text import Text  # loaded only where something is drawn

            coloured = Text(escape_controls(text))
            for name, colour in self.names.items():
                coloured.highlight_regex(rf"(?<!\w){re.escape(name)}(?!\w)", colour)
            console(width=self.width).print(coloured, end="", soft_wrap=True)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()

    def draw(self, lines: list[Text]) -> None:
        """Prints lines with colour, where the terminal has it."""
        drawing = console(width=self.width)
        for line in lines[1 if self._after_blank and not lines[0] else 0 :]:
            line.plain = escape_controls(line.plain)
            widest = max(map(len, line.plain.splitlines()), default=0)
            drawing.print(line, soft_wrap=not self.width or widest <= self.width)
        self._after_blank = False

    def show(self, lines: list[Text]) -> None:
        """Prints lines with their colour on a terminal, without it anywhere else."""
        if self.on_terminal and not self.plain:
            whole = type(lines[0])("\n")
            self.draw(
                [
                    whole.join(lines[begin : begin + DRAW_BATCH_LINES])
                    for begin in range(0, len(lines), DRAW_BATCH_LINES)
                ]
            )
        else:
            self.say("".join(f"{line.plain}\n" for line in lines))

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """The line that is typed after the prompt; raises `EndOfInput` where there is none.

        On a terminal the arrow keys bring back what was typed before, and Tab completes to one of the words.
        """
        if self.interactive:
            _complete(words)
        self._after_blank = False
        *above, last = wrap_text(prompt, self.width).split("\n")
        sys.stdout.write("".join(line + "\n" for line in above))
        sys.stdout.flush()
        return self._typed(last) if self.interactive else self._piped(last)

    def _typed(self, prompt: str) -> str:
        try:
            line = input(escape_controls(prompt))
        except EOFError:
            self.say("\n")
            raise EndOfInput from None
        except UnicodeDecodeError:
            return "\ufffd"
        if line.strip() and line.isprintable():
            _input_history.append(line)
        return line

    def _piped(self, prompt: str) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        raw = rest = read_stdin_line(MAX_LINE_BYTES)
        if not raw:
            sys.stdout.write("\n")
            raise EndOfInput
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = read_stdin_line(MAX_LINE_BYTES)
        typed = raw.decode(errors="replace").rstrip("\r\n")
        sys.stdout.write(_printable(typed) + "\n")
        sys.stdout.flush()
        return typed


def read_stdin_line(max_bytes: int) -> bytes:
    """The next line of the standard input, or so many bytes of it; nothing at its end."""
    try:
        return sys.stdin.buffer.readline(max_bytes) or b""  # None where nothing has come yet and nobody waits
    except OSError as error:
        raise OSError(error.errno, error.strerror, "the standard input") from None


class ScriptedConsole(TextConsole):
    """A screen on which the moves of a record are typed again; with `waits`, each one when Enter is pressed."""

    def __init__(self, moves: list[str], *, waits: bool) -> None:
        super().__init__()
        self.shows_help = False
        self._moves = iter(moves)
        self._waits = waits and self.interactive

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """The next move of the record; raises `EndOfInput` where it ends."""
        move = next(self._moves, None)
        if move is None:
            raise EndOfInput
        if self._waits:
            super().ask(prompt + move)
        else:
            self.say(f"{prompt}{move}\n")
        return move


def terminal_width(stream: TextIO | None = None) -> int | None:
    """The columns of the terminal; None where the output (or this stream) goes elsewhere, and nothing wraps."""
    if not (stream or sys.stdout).isatty():
        return None
    usual = os.get_terminal_size(stream.fileno()) if stream else (80, 24)
    return max(MIN_COLUMNS, shutil.get_terminal_size(usual).columns)


def wrap_text(text: str, width: int | None, indent: str = "") -> str:
    """The text in lines no longer than the width, broken between words; None stands for any width.

    >>> wrap_text("Move by 1 or 2.", 11, "  ").split(chr(10))
    ['  Move by 1', '  or 2.']
    """
    return "\n".join(_fold(line, width, indent) for line in text.split("\n"))


def _fold(line: str, width: int | None, indent: str) -> str:
    if not line or width is None or len(indent) + len(line) <= width:
        return line and indent + line
    end = " " if line.endswith(" ") else ""  # a prompt ends with a space to type after
    wrapper = textwrap.TextWrapper(
        width, indent, indent, replace_whitespace=False, break_on_hyphens=False, break_long_words=False
    )
    return wrapper.fill(line) + end


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """A function to be called with the share of the work that is done; where somebody watches, a bar shows it."""
    began = time.monotonic()
    shown: list[tuple[Any, Any]] = []

    def report(share: float) -> None:
        if not sys.stderr.isatty() or (not shown and time.monotonic() - began < PROGRESS_DELAY_S):
            return
        if not shown:
            from rich.markup import escape
            from rich.progress import Progress

            progress = Progress(console=console(stderr=True), transient=True)
            progress.start()
            shown.append((progress, progress.add_task(escape(escape_controls(label)), total=1.0)))
        progress, task = shown[0]
        progress.update(task, completed=share)

    try:
        yield report
    finally:
        for progress, _ in shown:
            progress.stop()


def can_encode(text: str) -> bool:
    """Whether what is printed can hold these characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


_input_history: deque[str] = deque(maxlen=100)
"""What the arrow keys bring back."""


def _complete(words: Sequence[str]) -> None:
    """Lets Tab complete to these words, and the arrow keys bring back what was typed before, where the terminal can.

    That is told anew each time: readline frees twice what was changed in an older line and left there, and crashes.
    """
    try:
        import readline
    except ImportError:
        return

    def completer(start: str, number: int) -> str | None:
        found = [word for word in words if word.lower().startswith(start.lower())]
        return found[number] if number < len(found) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    readline.set_auto_history(False)
    readline.clear_history()
    for line in _input_history:
        readline.add_history(line)
    for key in _DISABLED_KEYS:
        readline.parse_and_bind(f'"{key}": redraw-current-line')


_SEARCH_KEYS = (r"\C-r", r"\C-s", r"\ep", r"\en")
"""Bytes that are no text, typed into a search, crash readline."""
_BLOCKING_KEYS = (r"\e[200~", r"\e-", *(rf"\e{digit}" for digit in range(10)))
"""After these readline waits for more and hears no signal, not even when the terminal is gone: it would never end."""
_DISABLED_KEYS = (*_SEARCH_KEYS, *_BLOCKING_KEYS)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
