"""However Numberline is ended, it leaves in good order: no traceback, and nothing that it started stays behind."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numberline.terminal.console import MAX_LINE_BYTES, TextConsole
from terminal.test_board import at_a_terminal

STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = os.fork()
hidden = child == 0 and os.fork()
if child == 0 and hidden == 0:
    os.setsid()
if child:
    print("ready", flush=True)
open(f"{sys.argv[1]}/{os.getpid()}.pid", "x").close()
while True:
    time.sleep(1)
"""
"""A program that leaves only when it must, its child, and a child of that with a session of its own."""


def waited_for(condition: object, seconds: float = 10) -> bool:
    """Whether a condition comes true before we give up."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if callable(condition) and condition():
            return True
        time.sleep(0.02)
    return False


def is_there(pid: int) -> bool:
    """Whether a process lives."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes somebody has started")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_all_that_a_program_at_the_table_has_started_ends_with_us(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    bot = shlex.join([sys.executable, str(tmp_path / "stubborn.py"), str(tmp_path)])
    command = ["-m", "numberline", "play", "flag-chase", "--vs", f"exec:60s:{bot}", "--first", "2"]
    with subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as ours:
        assert waited_for(lambda: len(list(tmp_path.glob("*.pid"))) == 3)
        started = Path(f"/proc/{ours.pid}/task/{ours.pid}/children").read_text().split()
        ours.send_signal(how)
    left = {*started, *(path.stem for path in tmp_path.glob("*.pid"))}
    assert waited_for(lambda: not any(is_there(int(pid)) for pid in left))


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_without_a_traceback(how: signal.Signals, code: int) -> None:
    command, pipe = [sys.executable, "-m", "numberline", "play", "flag-chase"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as ours:
        assert ours.stdout
        assert ours.stdout.read(1)
        ours.send_signal(how)
        _, errors = ours.communicate(timeout=10)
    assert (ours.returncode, errors.strip()) == (code, b"")


def test_ctrl_c_while_the_program_is_being_loaded_ends_it_without_a_word() -> None:
    interrupts = (
        "import os, signal, sys; sys.argv = ['numberline']; import numberline; os.kill(os.getpid(), signal.SIGINT)"
    )
    ran = subprocess.run([sys.executable, "-c", interrupts], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (130, b"")


def test_a_library_that_is_imported_leaves_ctrl_c_alone() -> None:
    asks = "import signal, numberline; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    ran = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=False, text=True)
    assert ran.stdout == "True\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["books", "play flag-chase", "solve flag-chase", "puzzle"])
def test_a_closed_stream_is_no_mistake_of_ours(closed: str, command: str) -> None:
    script = f"{shlex.quote(sys.executable)} -m numberline {command} {closed}"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert b"internal error" not in ran.stderr
    assert b"Traceback" not in ran.stderr
    assert ran.returncode in {0, 1, 3}


def test_an_input_that_can_not_be_read_is_called_so() -> None:
    script = f"{shlex.quote(sys.executable)} -m numberline engine 0>/dev/null"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"Error: standard input: bad file descriptor\n")


def test_after_a_line_that_is_far_too_long_the_next_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 2 * MAX_LINE_BYTES + b"x\nquit\n")))
    screen = TextConsole()
    assert [len(screen.ask("? ")), screen.ask("? ")] == [MAX_LINE_BYTES, "quit"]


def test_nothing_is_open_when_a_program_was_closed() -> None:
    from numberline.bots.engine_process import EngineProcess

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted
    for _ in range(5):
        EngineProcess([sys.executable, "-c", "input()"]).close(graceful=False)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - counted


@pytest.mark.parametrize("keys", ["\x1b9", "\x1b-", "\x1b[200~1"], ids=["number", "minus", "paste"])
def test_a_terminal_that_goes_away_in_the_middle_of_a_key_ends_the_game(keys: str) -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect(r"\(1, 2, or 3\): ")
        terminal.send(keys)
        terminal.expect(r".")  # it was read
        terminal.close(force=False)  # which hangs up, and complains where nobody minds
        assert not terminal.isalive()
