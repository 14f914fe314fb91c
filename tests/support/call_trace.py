"""Follows what somebody does through the code: prints every file in which a function is called on the way.

It is a program of its own, so that nothing is remembered from one walk to the next: `python tests/walks.py hint`.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import FrameType, SimpleNamespace

import numberline
from numberline.cli import numberline as command_line
from numberline.terminal.console import EndOfInput

SOURCE = f"{Path(numberline.__file__).parent}{os.sep}"
WALKS = {
    "move": (["play", "line-runner"], b"2\n"),
    "hint": (["play", "line-runner"], b"hint\n"),
    "solve": (["solve", "line-runner"], b""),
    "arena": (["arena", "perfect", "random", "--books", "line-runner", "--games", "2"], b""),
}
"""What is called, and what is typed at its first question."""


class Walk(io.BytesIO):
    """What is typed; where something is, the walk goes from reading it to the next question."""

    def __init__(self, typed: bytes) -> None:
        super().__init__(typed)
        self.files: set[str] = set()

    def readline(self, size: int | None = -1, /) -> bytes:
        """The next line."""
        line = super().readline(size)
        sys.setprofile(self.step if line else None)
        return line

    def step(self, frame: FrameType, event: str, _: object) -> None:
        """Notes the file of a function that is called, but for what runs while a module is loaded."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(SOURCE) and path not in self.files and not _is_loading(frame):
            self.files.add(path)


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a module of ours is being loaded: it is then among the callers."""
    while frame and not (frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(SOURCE)):
        frame = frame.f_back
    return frame is not None


def walked(name: str) -> set[str]:
    """The files that are crossed on one of the walks."""
    arguments, typed = WALKS[name]
    walk, out = Walk(typed), sys.stdout
    sys.stdin = SimpleNamespace(buffer=walk, isatty=lambda: False)  # all that is asked of it
    sys.stdout = io.StringIO()
    if not typed:
        sys.setprofile(walk.step)
    with suppress(EndOfInput):
        command_line.main(arguments, standalone_mode=False)
    sys.setprofile(None)
    sys.stdout = out
    return {Path(path).relative_to(SOURCE).as_posix() for path in walk.files}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ.update({f"XDG_{kind}_HOME": home for kind in ("DATA", "CONFIG", "CACHE")})
        print(*sorted(walked(sys.argv[1])), sep="\n")  # noqa: T201 - this is what it is for
