"""Draw the terminal picture in the README from a real game, exported by Rich; run by `make picture`."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

WIDTH = 80
PROMPT = r"Enter your move[^:]*: "
GAME = ["play", "line-runner(end=12)", "--vs", "medium", "--names", "Ann", "--seed", "4"]
KEYS = ("2", "hint", "hint", "3")


def record_game() -> str:
    """Play the game in a pseudo-terminal and return its output, including colours."""
    shown = io.StringIO()
    with tempfile.TemporaryDirectory() as home:
        terminal = pexpect.spawn(
            sys.executable,
            ["-m", "numberline", *GAME],
            dimensions=(60, WIDTH),
            encoding="utf-8",
            timeout=20,
            env={**os.environ, "TERM": "xterm-256color", "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home},
        )
        terminal.logfile_read = shown
        for key in KEYS:
            terminal.expect(PROMPT)
            terminal.sendline(key)
        terminal.expect(PROMPT)
        terminal.close(force=True)
    return shown.getvalue().replace("\r", "")


def main() -> None:
    """Write the picture to the file named on the command line."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(record_game()))
    picture = console.export_svg(title=f'numberline play "{GAME[1]}" --vs medium --names Ann')
    # Remove the web fonts, which would be fetched from a CDN; any local monospace font will do.
    Path(sys.argv[1]).write_text(re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
