"""Running the command line as a user does, in a separate process."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from numberline.cli import COMMANDS, main

_PATIENCE = 120
"""Seconds after which a command is taken to hang."""
_STREAMS = ("in", "out", "err")
_READY = multiprocessing.get_context("forkserver")
"""A process that has everything imported and forks for each command, because importing takes longer than running."""
_MODULES = sorted({f"numberline.cli.{module.partition(':')[0]}".removesuffix(".") for module in COMMANDS.values()})
_READY.set_forkserver_preload([*_MODULES, "numberline.lab", "numba", __name__])


@dataclass(frozen=True)
class Ran:
    """Output, errors and exit code of a command."""

    code: int
    out: str
    err: str


def numberline(*arguments: str, typed: str | bytes = "") -> Ran:
    """Runs `numberline` with these arguments and this on its standard input, everything being loaded already."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in _STREAMS]
        streams[0].write_bytes(typed if isinstance(typed, bytes) else typed.encode())
        process = _READY.Process(target=_run, args=(arguments, streams, Path.cwd(), dict(os.environ)))
        process.start()
        process.join(_PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"numberline {' '.join(arguments)}: still at it after {_PATIENCE} s")
        return Ran(process.exitcode, streams[1].read_text(), streams[2].read_text())


def numberline_anew(*arguments: str) -> Ran:
    """The same from the very beginning: for commands that start processes, and where Python starts in another way."""
    command = [sys.executable, "-m", "numberline", *arguments]
    ran = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def _run(arguments: Sequence[str], streams: Sequence[Path], folder: Path, environment: dict[str, str]) -> None:
    """The command, with its streams in files."""
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115 - as it was
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["numberline", *arguments]
    main()
