"""External engines: both sides of the protocol, engines that misbehave, and processes that must not stay."""

from __future__ import annotations

import contextlib
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import numberline as nl
from numberline.bots import BotError, Forfeit, external, make_bot
from numberline.bots.external import ExternalBot
from support.commands import numberline
from support.variants import CHOSEN, reachable

EXAMPLE = Path(__file__).parents[2] / "docs" / "example_bot.py"

WORDS = "numberline, isready, toml, book, newgame, position, legal, go"

GREETING = """
import os, sys, time
def say(text): print(text, flush=True)
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "isready":
        say("ready")
    elif word == "legal":
        legal = rest.split()
    elif word == "quit":
        break
    elif word == "go":
"""


def program(folder: Path, on_go: str, whole: str = "") -> str:
    """Return the text of a bot whose engine does this when it is asked for a move."""
    path = folder / "bot.py"
    path.write_text(whole or GREETING + "".join(f"        {line}\n" for line in on_go.splitlines()))
    return f"exec:0.5s:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


@contextlib.contextmanager
def seated(text: str, variant: str = "flag-chase", seed: int = 1) -> Iterator[ExternalBot]:
    bot = make_bot(text, nl.book(variant), random.Random(seed))
    assert isinstance(bot, ExternalBot)
    try:
        yield bot
    finally:
        bot.close()


def living(text: str) -> set[int]:
    """Return the living processes of a bot's engine, including those that it started."""
    script = text.rpartition(" ")[2].encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if script in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


def assert_none_living(text: str) -> None:
    """Wait a moment: a killed process takes some time to end."""
    deadline = time.monotonic() + 10
    while living(text) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert living(text) == set()


def forfeit(text: str) -> str:
    """Return why an engine forfeits its first move; no process of it may be left."""
    with seated(text) as bot, pytest.raises(Forfeit) as error:
        bot.choose(bot.book.start())
    assert_none_living(text)
    return error.value.reason


# The protocol


def test_example_bot_has_twenty_lines_and_plays_a_game() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 20
    with seated(f"exec:{sys.executable} {EXAMPLE}") as bot:
        match = nl.Match(bot.book)
        while not match.outcome:
            match.play(bot.choose(match.position))
    assert [ply.move for ply in match.plies] == ["3", "3", "2"]


def test_example_bot_in_the_docs_is_the_file() -> None:
    assert EXAMPLE.read_text() in (EXAMPLE.parent / "engines.md").read_text()


@pytest.mark.parametrize("variant", ["line-runner(tokens=2, end=5)", "number-reach", "flag-chase(reverse=true)"])
def test_example_bot_plays_any_variant(variant: str) -> None:
    with seated(f"exec:{sys.executable} {EXAMPLE}", variant) as bot:
        for position in reachable(bot.book)[:50]:
            if bot.book.moves(position):
                assert bot.choose(position) in bot.book.moves(position)


def test_own_engine_plays_best_moves_over_the_protocol() -> None:
    with seated(f"exec:{sys.executable} -m numberline engine --bot perfect", "reach-the-edge") as bot:
        solution = nl.solve(bot.book)
        for position in reachable(bot.book):
            if bot.book.moves(position):
                assert bot.choose(position) in solution.best(position)


def test_custom_book_is_sent_to_the_engine() -> None:
    own = nl.book(EXAMPLE.parent / "example-book.toml")
    bot = make_bot(f"exec:{sys.executable} -m numberline engine --bot random", own, random.Random(1))
    assert isinstance(bot, ExternalBot)
    try:
        assert bot.choose(own.start()) in own.moves(own.start())
    finally:
        bot.close()


def test_same_seed_gives_the_same_moves() -> None:
    with seated(f"exec:{sys.executable} -m numberline engine --bot random", "line-runner") as bot:
        games = []
        for seed in (7, 7, 8):
            bot.new_game(seed)
            games.append([bot.choose(bot.book.start()) for _ in range(30)])
    assert games[0] == games[1] != games[2]


def test_engine_replies_line_by_line_and_names_errors() -> None:
    typed = (
        "numberline 1\nbook flag-chase\nisready\ngo 5\nposition 1 2,10\nlegal 1 2 3\ngo 5\nhum\nbook x\nquit\nisready\n"
    )
    ran = numberline("engine", "--bot", "perfect", typed=typed)
    assert ran.out.splitlines() == [
        "id numberline perfect",
        "ready",
        "error go: set a book and a position first",
        "move 3",
        f"error unknown command 'hum'; expected {WORDS} or quit",
        f"error unknown book 'x'; expected {', '.join(nl.NAMES)}, or a path to a .toml file",
    ]
    assert ran.code == 0


@pytest.mark.parametrize(
    "line",
    [
        "position 9",
        "position 1 2",
        "position 1 99,-99",
        "toml {",
        "toml 3",
        "numberline 2",
        "go x",
        "\udcff",
        "book",
        "",
    ],
)
def test_engine_survives_any_line(line: str) -> None:
    typed = f"book flag-chase\n{line}\ngo 5\nisready\nquit\n".encode(errors="surrogateescape")
    ran = numberline("engine", typed=typed)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("ready\n")


def test_engine_rejects_an_unknown_bot() -> None:
    ran = numberline("engine", "--bot", "banana")
    assert ran.code == 2
    assert "unknown bot 'banana'" in ran.err


# Names


@pytest.mark.parametrize("text", ["exec", "exec:", "exec: ", "exec:0s:true", "exec:9999s:true"])
def test_exec_without_a_command_is_rejected(text: str) -> None:
    with pytest.raises(BotError, match=r"^unknown bot '[^\n]*'; expected exec:COMMAND$"):
        make_bot(text, nl.book("flag-chase"), random.Random(1))


def test_missing_program_is_rejected_before_the_game() -> None:
    with pytest.raises(BotError, match=r"program 'no-such-program' not found$"):
        make_bot("exec:no-such-program --fast", nl.book("flag-chase"), random.Random(1))


def test_time_limit_is_five_seconds_by_default() -> None:
    with seated("exec:cat") as slow, seated("exec:0.25s:cat") as quick:
        assert (slow.seconds, quick.seconds) == (5, 0.25)
        assert (slow.name, quick.name) == ("exec:cat", "exec:0.25s:cat")


# Engines that misbehave


@pytest.mark.parametrize(
    ("on_go", "reason"),
    [
        ("pass", "did not answer within 0.5 seconds"),
        ("time.sleep(5); say('move 1')", "did not answer within 0.5 seconds"),
        ("say('move 9')", "played '9', which is not allowed here"),
        ("say('move banana')", "answered 'banana', which is not a move"),
        ("say('move')", "answered '', which is not a move"),
        ("say('hello')", "printed 'hello' where 'move' was expected"),
        ("sys.stdout.buffer.write(bytes(range(128, 256)) + b'\\n'); sys.stdout.flush()", "where 'move' was expected"),
        ("say('error out of ideas')", "reported an error: 'out of ideas'"),
        ("sys.exit(3)", "exited with code 3"),
        ("1 / 0", "exited with code 1 ('ZeroDivisionError: division by zero')"),
        ("os.kill(os.getpid(), 11)", "was killed by signal 11"),
        ("while True: print('x' * 1000)", "where 'move' was expected"),
        ("while True: print('x' * 1000, end='')", "printed more than 1,048,576 bytes"),
        ("while True: say('info thinking'); time.sleep(0.01)", "did not answer within 0.5 seconds"),
        ("while True: print('info ' + 'x' * 1000)", "printed more than 1,048,576 bytes"),
        ("while True: print('x' * 1000, file=sys.stderr)", "did not answer within 0.5 seconds"),
        ("sys.stdin.close(); os.close(1); time.sleep(60)", "did not answer within 0.5 seconds"),
    ],
)
def test_misbehaving_engine_forfeits_with_a_reason(tmp_path: Path, on_go: str, reason: str) -> None:
    assert forfeit(program(tmp_path, on_go)).endswith(reason)


@pytest.mark.parametrize("whole", ["import time; time.sleep(60)", "print('welcome')", "raise SystemExit(4)", "x = ="])
def test_engine_that_never_gets_ready_is_not_restarted(
    tmp_path: Path, whole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "MIN_STARTUP_SECONDS", 0.3)
    text = program(tmp_path, "", whole)
    assert forfeit(text).startswith("did not start: it ")
    with seated(text) as bot:
        for _ in range(2):
            with pytest.raises(Forfeit):
                bot.choose(bot.book.start())
            bot.new_game(1)
        began = time.monotonic()
        with pytest.raises(Forfeit):
            bot.choose(bot.book.start())
        assert time.monotonic() - began < 0.1


def test_engine_that_answers_twice_forfeits_the_next_move(tmp_path: Path) -> None:
    with seated(program(tmp_path, "say('move 1\\nmove 1')")) as bot:
        assert bot.choose(bot.book.start()) == "1"
        time.sleep(0.1)
        with pytest.raises(Forfeit, match="printed 'move 1' without being asked"):
            bot.choose(bot.book.start())


def test_engine_is_restarted_after_a_forfeit(tmp_path: Path) -> None:
    flag = tmp_path / "crashed"
    once = f"import pathlib\np = pathlib.Path({str(flag)!r})\nif not p.exists(): p.touch(); sys.exit(1)\nsay('move 2')"
    with seated(program(tmp_path, once)) as bot:
        with pytest.raises(Forfeit):
            bot.choose(bot.book.start())
        bot.new_game(2)
        assert bot.choose(bot.book.start()) == "2"


FORKS = """
for _ in range(3):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
say('move 1')
"""


def test_children_of_an_engine_are_killed_with_it(tmp_path: Path) -> None:
    text = program(tmp_path, FORKS.strip())
    with seated(text) as bot:
        assert bot.choose(bot.book.start()) == "1"
        time.sleep(0.2)
        assert len(living(text)) == 4
    assert_none_living(text)


def test_engine_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    with seated(program(tmp_path, "say('move 1')")) as bot:
        thread = threading.Thread(target=bot.choose, args=[bot.book.start()])
        thread.start()
        thread.join()
        process = bot.process
        assert process
        time.sleep(0.2)
        assert bot.choose(bot.book.start()) == "1"
        assert bot.process is process


PLAYS = """
import random, sys, time, numberline as nl
from numberline.bots import make_bot
book = nl.book("flag-chase")
bot = make_bot(sys.stdin.readline().strip(), book, random.Random(1))
print(bot.choose(book.start()), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a process with its parent")
def test_engine_is_killed_when_its_parent_is_killed(tmp_path: Path) -> None:
    text = program(tmp_path, "say('move 1')\nwhile True: time.sleep(60)")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PLAYS], stdin=pipe, stdout=pipe, text=True) as parent:
        assert parent.stdin
        assert parent.stdout
        parent.stdin.write(f"{text}\n")
        parent.stdin.flush()
        assert parent.stdout.readline() == "1\n"
        assert len(living(text)) == 1
        parent.send_signal(signal.SIGKILL)
    assert_none_living(text)


def test_crashed_engine_with_living_children_forfeits_at_once(tmp_path: Path) -> None:
    assert forfeit(program(tmp_path, "if os.fork(): os._exit(5)\ntime.sleep(60)")) == "exited with code 5"


def test_no_engine_is_left_after_an_exit_without_close(tmp_path: Path) -> None:
    text = program(tmp_path, "say('move 1'); time.sleep(60)")
    code = (
        "import random, numberline as nl; from numberline.bots import make_bot\n"
        f"book = nl.book('flag-chase'); print(make_bot({text!r}, book, random.Random(1)).choose(book.start()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert ran.stdout == "1\n"
    assert_none_living(text)


def test_lost_turn_needs_no_engine(tmp_path: Path) -> None:
    with seated(program(tmp_path, "sys.exit(1)"), "reach-the-edge(steps=2)") as bot:
        assert bot.choose(bot.book.after(bot.book.start(), "2")) == "pass"
        assert bot.process is None


@pytest.mark.soak
@pytest.mark.parametrize("variant", CHOSEN)
def test_own_engine_answers_everywhere_in_every_variant(variant: str) -> None:
    with seated(f"exec:{sys.executable} -m numberline engine --bot perfect", variant) as bot:
        solution = nl.solve(bot.book)
        for position in reachable(bot.book)[:2000]:
            if bot.book.moves(position):
                lost = solution.value(position) == "loss"  # then it looks for the fewest good replies
                assert bot.choose(position) in (bot.book.moves(position) if lost else solution.best(position))


def test_failed_engines_leave_no_open_files(tmp_path: Path) -> None:
    text = program(tmp_path, "sys.exit(1)")
    with seated(text) as bot:
        with pytest.raises(Forfeit):
            bot.choose(bot.book.start())
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            with pytest.raises(Forfeit):
                bot.choose(bot.book.start())
        assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("command", ["cat a\0b", "2s:cat\0", "\0"])
def test_command_with_a_nul_is_rejected(command: str) -> None:
    with pytest.raises(BotError, match="contains a NUL character"):
        make_bot(f"exec:{command}", nl.book("flag-chase"), random.Random(1))
