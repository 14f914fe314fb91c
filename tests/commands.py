"""Running the command line as a user does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


def numberline(*arguments: str, typed: str | bytes = "") -> Ran:
    """Runs `numberline` with these arguments and this on its standard input."""
    ran = subprocess.run(
        [sys.executable, "-m", "numberline", *arguments],
        input=typed if isinstance(typed, bytes) else typed.encode(),
        capture_output=True,
        timeout=60,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
