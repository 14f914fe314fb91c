"""Whatever bytes are typed at a terminal, keys that search what was typed before among them, the game goes on."""

from __future__ import annotations

import sys
from random import Random

import pexpect
import pytest

KEYS = (
    b"\x12",
    b"\x13",
    b"\x1bp",
    b"\x1bn",
    b"\x10",
    b"\x0e",
    b"\t",
    b"\x1b[A",
    b"\x1b[B",
    b"\x1b<",
    b"\x1b>",
    b"\x07",
    b"\x1b.",
)
"""Keys that go through what was typed before, complete, or call a search off."""
BROKEN = (
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\x80",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xfe\xff",
    b"\xc3(",
    b"x" * 300,
)
"""A lot of bytes that are not text."""

FREE = b"\x11\x07\x07\x05\x15" * 2
"""Lets a stopped terminal go on, calls off whatever key was begun, and leaves nothing of the line."""


def typed(rng: Random) -> bytes:
    """A line of such keys and bytes."""
    return b"".join(rng.choice((*KEYS, *BROKEN, b"3", b"undo", b" ")) for _ in range(rng.randrange(1, 9)))


def survives(lines: int, seed: int) -> None:
    """Type many lines, and check now and then that the program still answers."""
    rng = Random(seed)
    terminal = pexpect.spawn(sys.executable, ["-m", "numberline", "play", "line-runner(end=1000)"], timeout=10)
    terminal.expect(b"Enter your move")
    for number in range(1, lines + 1):
        terminal.send(typed(rng) + b"\r")
        if number % 3 == 0:
            terminal.send(b"%bresume-%d\r" % (FREE, number))
            terminal.expect(b"resume-%d.*can't be" % number)
    terminal.send(FREE + b"quit\r")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert (terminal.exitstatus, terminal.signalstatus) == (0, None)


def test_bytes_that_are_no_text_end_no_game() -> None:
    survives(30, seed=1)


def test_arrow_keys_restore_the_edited_line() -> None:
    terminal = pexpect.spawn(sys.executable, ["-m", "numberline", "play", "line-runner(end=1000)"], timeout=10)
    up, down = b"\x1b[A", b"\x1b[B"
    keys = [(b"first", b"first"), (b"second", b"second"), (up + up + b"x" + down + b"x" + up + b"x", b"firstxx")]
    for typing, answered in [*keys, (up + up + up, b"first")]:
        terminal.expect(b"Enter your move")
        terminal.send(typing + b"\r")
        terminal.expect(b"'%b' can't be read" % answered)
    terminal.send(b"quit\r")
    terminal.expect(pexpect.EOF)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_very_many_bytes_that_are_no_text_end_no_game(seed: int) -> None:
    survives(500, seed=10 + seed)
