"""However Numberline is ended, it leaves in good order: no traceback, and nothing that it started stays behind."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from numberline.terminal.console import MAX_LINE_BYTES, TextConsole
from terminal.test_board import at_a_terminal

STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = os.fork()
if child:
    print("ready", flush=True)
open(f"{sys.argv[1]}/{os.getpid()}.pid", "x").close()
while True:
    time.sleep(1)
"""
"""An engine that ends only if it is killed, and its child."""


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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the child processes")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_engine_and_its_children_end_with_the_program(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    bot = shlex.join([sys.executable, str(tmp_path / "stubborn.py"), str(tmp_path)])
    command = ["-m", "numberline", "play", "flag-chase", "--vs", f"exec:60s:{bot}", "--first", "2"]
    with subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as ours:
        assert waited_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
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


INTERRUPT_DURING_IMPORT = """
import os, runpy, signal, sys

class Interrupter:
    def find_spec(self, name, *_):
        if name == "numberline.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
"""


@pytest.mark.parametrize(
    "start",
    ["runpy.run_module('numberline', run_name='__main__')", "from numberline.startup import main; main()"],
    ids=["python -m", "console script"],
)
def test_ctrl_c_during_import_ends_the_program_silently(start: str) -> None:
    ran = subprocess.run([sys.executable, "-c", INTERRUPT_DURING_IMPORT + start], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (130, b"")


INTERRUPT_DURING_TEARDOWN = """
import os, signal, sys

class Last:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGINT):
        kill(pid, number)

last = Last()
sys.argv = ["numberline", "books"]
from numberline.startup import main
main()
"""


def test_ctrl_c_after_the_last_line_does_not_change_the_exit_code() -> None:
    ran = subprocess.run([sys.executable, "-c", INTERRUPT_DURING_TEARDOWN], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"line-runner" in ran.stdout


INTERRUPT_DURING_EXEC = """
import click, os, signal
from numberline import cli, startup

@click.command()
def command():
    exec("os.kill(os.getpid(), signal.SIGINT)\\nfor _ in range(1000): pass", {"os": os, "signal": signal})

cli.COMMANDS["books"] = "books:interrupted"
from numberline.cli import books
books.interrupted = command
startup.main()
"""


def test_ctrl_c_inside_exec_has_the_usual_exit_code(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPT_DURING_EXEC)
    command = [sys.executable, "-m", "interrupted", "books"]
    ran = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert (ran.returncode, ran.stderr.strip()) == (130, b"")


def test_console_script_is_the_function_that_handles_ctrl_c() -> None:
    (script,) = entry_points(group="console_scripts", name="numberline")
    assert script.value == "numberline.startup:main"


@pytest.mark.parametrize("program", ["-m", "-c", "numberline", "/usr/bin/numberline"])
def test_importing_the_package_leaves_ctrl_c_alone(program: str) -> None:
    code = (
        f"import signal, sys; sys.argv = [{program!r}]; import numberline, numberline.cli; numberline.solve;"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert ran.stdout == "True\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["books", "play flag-chase", "solve flag-chase", "puzzle"])
def test_closed_stream_is_not_an_internal_error(closed: str, command: str) -> None:
    script = f"{shlex.quote(sys.executable)} -m numberline {command} {closed}"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert b"internal error" not in ran.stderr
    assert b"Traceback" not in ran.stderr
    assert ran.returncode in {0, 1, 3}


def test_an_input_that_can_not_be_read_is_called_so() -> None:
    script = f"{shlex.quote(sys.executable)} -m numberline engine 0>/dev/null"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"Error: standard input: bad file descriptor\n")


def test_line_after_an_overlong_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 2 * MAX_LINE_BYTES + b"x\nquit\n")))
    screen = TextConsole()
    assert [len(screen.ask("? ")), screen.ask("? ")] == [MAX_LINE_BYTES, "quit"]


def test_closed_engine_leaves_no_open_files() -> None:
    from numberline.bots.external import EngineProcess

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted
    for _ in range(5):
        EngineProcess([sys.executable, "-c", "input()"]).close(graceful=False)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - counted


@pytest.mark.parametrize("keys", ["\x1b9", "\x1b-", "\x1b[200~1"], ids=["number", "minus", "paste"])
def test_terminal_closed_during_a_key_ends_the_game(keys: str) -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect(r"\(1, 2, or 3\): ")
        terminal.send(keys)
        terminal.expect(r".")  # it was read
        terminal.close(force=False)  # hangs up
        assert not terminal.isalive()
