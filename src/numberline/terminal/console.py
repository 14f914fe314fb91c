"""Input and output for players: on a terminal or, as a plain transcript, through pipes."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from numberline.game.move_text import letter_tokens
from numberline.text import escape_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_MIN_COLUMNS = 20
MAX_LINE_BYTES = 100_000
"""Maximum length of an input line; the rest of a longer line is discarded."""
_DRAW_BATCH_LINES = 100
"""Number of lines printed at once, because printing thousands of coloured lines one by one is slow."""
_PROGRESS_DELAY_S = 1.0
_PAUSE_S = 0.5

_ASCII_GLYPHS = {**dict(zip("─┄┼│┃●○◆⚑▲▼█▄▀·░▒▓★☆", "-.+||ox#*^v#.'.:*%*.", strict=True)), "…": "..."}
_ASCII_FALLBACK = "numberline-ascii"


def _replace_glyphs(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that can't be encoded; registered as a `codecs` error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_ASCII_GLYPHS.get(glyph, "?") for glyph in error.object[error.start : error.end]), error.end


codecs.register_error(_ASCII_FALLBACK, _replace_glyphs)


class EscapingWriter(io.TextIOWrapper):
    """Text stream that escapes control characters, so that printed text can't control the terminal."""

    def write(self, text: str) -> int:
        return super().write(escape_controls(text))


class _UnescapedWriter:
    """Writer that bypasses a stream's escaping, so that colour codes work; callers must escape their own text."""

    def __init__(self, stream: EscapingWriter) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._stream, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def escape_output_streams() -> None:
    """Make stdout and stderr escape control characters and replace characters that can't be encoded.

    Glyphs used in drawings are replaced with ASCII characters, and all others with question marks.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            encoding, line_buffering = stream.encoding, stream.line_buffering
            writer = EscapingWriter(stream.detach(), encoding, _ASCII_FALLBACK, line_buffering=line_buffering)
            setattr(sys, name, writer)
            setattr(sys, f"__{name}__", writer)  # used by shutil to determine the terminal size


def console(*, stderr: bool = False, **options: Any) -> Console:
    """Return a `rich` console that writes to stdout or stderr."""
    from rich.console import Console  # slow to import

    stream = sys.stderr if stderr else sys.stdout
    file: Any = _UnescapedWriter(stream) if isinstance(stream, EscapingWriter) else stream
    return Console(file=file, highlight=False, markup=False, **options)


class EndOfInput(Exception):
    """Raised at the end of the input; the message, if any, says what happened to the game."""


class TextConsole:
    """Console that reads from stdin and writes to stdout.

    Moves read from a pipe are echoed, so that the output is a complete transcript.
    """

    def __init__(self, *, plain: bool = False, fast: bool = False) -> None:
        self.plain = plain
        """Whether to describe everything in sentences, for screen readers."""
        self.fast = fast
        """Whether bots move without the usual pause."""
        self.lines_said = 0
        self.interactive = sys.stdin is not None and sys.stdin.isatty()
        self.on_terminal = sys.stdout.isatty()
        self.shows_help = self.interactive
        self.names: dict[str, str] = {}
        """Colour of each player's name."""
        self.letters = False
        """Whether moves refer to tokens by letter, which is needed if each player has several tokens."""
        self._after_blank = True
        """Whether the last printed line is blank; used to avoid consecutive blank lines."""

    @property
    def draws(self) -> bool:
        """Whether to draw the board in colour instead of printing a transcript."""
        return self.interactive and self.on_terminal

    @property
    def width(self) -> int | None:
        """Width of the terminal in columns, or None if stdout is not a terminal."""
        return terminal_width()

    def say(self, text: str) -> None:
        """Print text, wrapped to the width of the terminal."""
        text = self._labelled(text.lstrip("\n") if self._after_blank else text)
        if text:
            self._after_blank = text.endswith("\n\n")
            wrapped = wrap_text(text, self.width)
            self.lines_said += wrapped.count("\n")
            self._write(wrapped)

    def _labelled(self, text: str) -> str:
        return letter_tokens(text) if self.letters else text

    def clear(self) -> None:
        """On a terminal, clear the screen, except in plain mode."""
        if self.draws and not self.plain:
            console().clear()
            self._after_blank = True

    def pause(self) -> None:
        """On a terminal, wait a moment, so that the player sees their own move before a bot replies."""
        if self.draws and not self.fast:
            time.sleep(_PAUSE_S)

    def discard_typed(self) -> None:
        """On a terminal, discard keys typed during a pause, so that they don't answer the next question."""
        if sys.platform != "win32":
            import termios  # not available on Windows

            termios.tcflush(sys.stdin, termios.TCIFLUSH)

    def _write(self, text: str) -> None:
        if self.draws and not self.plain and any(name in text for name in self.names):
            from rich.text import Text  # slow to import

            colored = Text(escape_controls(text))
            for name, color in self.names.items():
                colored.highlight_regex(rf"(?<!\w){re.escape(name)}(?!\w)", color)
            console(width=self.width).print(colored, end="", soft_wrap=True)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()

    def draw(self, lines: list[Text]) -> None:
        """Print styled lines in colour."""
        output = console(width=self.width)
        for line in lines[1 if self._after_blank and not lines[0] else 0 :]:
            line.plain = escape_controls(self._labelled(line.plain))
            widest = max(map(len, line.plain.splitlines()), default=0)
            output.print(line, soft_wrap=not self.width or widest <= self.width)
        self._after_blank = False

    def show(self, lines: list[Text]) -> None:
        """Print styled lines; use colour only on a terminal, and never in plain mode."""
        if self.on_terminal and not self.plain:
            self.lines_said += len(lines)
            newline = type(lines[0])("\n")
            starts = range(0, len(lines), _DRAW_BATCH_LINES)
            self.draw([newline.join(lines[start : start + _DRAW_BATCH_LINES]) for start in starts])
        else:
            self.say("".join(f"{line.plain}\n" for line in lines))

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Show a prompt and return the line entered; raise `EndOfInput` at the end of the input.

        On a terminal, the arrow keys recall earlier lines and Tab completes `words`.
        """
        if self.interactive:
            _configure_readline(words)
        self._after_blank = False
        *above, last = wrap_text(self._labelled(prompt), self.width).split("\n")
        sys.stdout.write("".join(line + "\n" for line in above))
        sys.stdout.flush()
        return self._read_typed(last) if self.interactive else self._read_piped(last)

    def _read_typed(self, prompt: str) -> str:
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

    def _read_piped(self, prompt: str) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        raw = rest = read_stdin_line(MAX_LINE_BYTES)
        if not raw:
            sys.stdout.write("\n")
            raise EndOfInput
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = read_stdin_line(MAX_LINE_BYTES)
        typed = raw.decode(errors="replace").rstrip("\r\n")
        sys.stdout.write("".join(glyph if glyph.isprintable() else "\ufffd" for glyph in typed) + "\n")
        sys.stdout.flush()
        return typed


def read_stdin_line(max_bytes: int) -> bytes:
    """Return the next line of stdin, up to `max_bytes`; empty at the end of the input."""
    try:
        return sys.stdin.buffer.readline(max_bytes) or b""  # None from a non-blocking pipe without data
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard input") from None


class ScriptedConsole(TextConsole):
    """Console that plays back recorded moves."""

    def __init__(self, moves: list[str]) -> None:
        super().__init__()
        self.shows_help = False
        self._moves = iter(moves)

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Return the next recorded move; raise `EndOfInput` after the last one."""
        move = next(self._moves, None)
        if move is None:
            raise EndOfInput
        self.say(f"{prompt}{move}\n")
        return move


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the terminal width in columns, or None if `stream` (stdout by default) is not a terminal."""
    if not (stream or sys.stdout).isatty():
        return None
    fallback = os.get_terminal_size(stream.fileno()) if stream else (80, 24)
    return max(_MIN_COLUMNS, shutil.get_terminal_size(fallback).columns)


def wrap_text(text: str, width: int | None, indent: str = "") -> str:
    """Return the text wrapped at spaces to `width` columns; None means unlimited.

    A command after `; run:` stays in one piece, so that it can be copied.

    >>> wrap_text("Move by 1 or 2.", 11, "  ").split(chr(10))
    ['  Move by 1', '  or 2.']
    >>> wrap_text("X is not installed; run: pip install x", 12).split(chr(10))
    ['X is not', 'installed;', 'run:', 'pip install x']
    """
    return "\n".join(_wrap_line(line, width, indent) for line in text.split("\n"))


def _wrap_line(line: str, width: int | None, indent: str) -> str:
    if not line or width is None or len(indent) + len(line) <= width:
        return line and indent + line
    end = " " if line.endswith(" ") else ""  # keep the space at the end of a prompt
    wrapper = textwrap.TextWrapper(
        width, indent, indent, replace_whitespace=False, break_on_hyphens=False, break_long_words=False
    )
    text, run, command = line.partition("; run: ")
    return wrapper.fill(text + run.rstrip()) + (f"\n{command}" if run else end)


@contextmanager
def progress_bar(label: str, last_label: str = "") -> Iterator[Callable[[float], None]]:
    """Yield a callback that takes the completed fraction (0 to 1); on a terminal, show a bar after one second of work.

    `last_label` names the work that remains once the fraction has reached 1.
    """
    bar: Any = None

    def start() -> None:
        nonlocal bar
        from rich.markup import escape
        from rich.progress import Progress

        bar = Progress(console=console(stderr=True), transient=True)
        bar.add_task(escape(escape_controls(label)), total=1.0)
        bar.start()

    def report(share: float) -> None:
        if bar:
            bar.update(0, completed=share)
            if last_label and share >= 1:
                bar.update(0, description=last_label, total=None)

    timer = threading.Timer(_PROGRESS_DELAY_S, start)
    if sys.stderr.isatty():
        timer.start()
    try:
        yield report
    finally:
        if timer.ident:
            timer.cancel()
            timer.join()
        if bar:
            bar.stop()


_input_history: deque[str] = deque(maxlen=100)


def _configure_readline(words: Sequence[str]) -> None:
    """Set up Tab completion of `words` and the input history, if readline is available.

    The history is rebuilt for each prompt, because readline crashes (double free) after an earlier line is edited.
    """
    try:
        import readline
    except ImportError:
        return

    def completer(typed: str, number: int) -> str | None:
        matches = [word for word in words if word.lower().startswith(typed.lower())]
        return matches[number] if number < len(matches) else None

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
"""Keys for searching the history, disabled because readline crashes on invalid UTF-8 in a search."""
_BLOCKING_KEYS = (r"\e[200~", r"\e-", *(rf"\e{digit}" for digit in range(10)))
"""Keys disabled because they make readline wait for input and ignore signals, even if the terminal is closed."""
_DISABLED_KEYS = (*_SEARCH_KEYS, *_BLOCKING_KEYS)
