"""Work has bounds: whatever size is asked for, the answer or a refusal that says the size comes at once."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pexpect
import pytest

import numberline as nl
from numberline import cli
from numberline.bots import BotError, make_bot
from numberline.cli.options import parse_size
from numberline.solver import index
from numberline.solver.explore import explore
from numberline.solver.index import TooManyPositions

LONG = "line-runner(end=1000000000)"
WIDE = "line-runner(end=1000000000, players=6, tokens=3, steps=1-100)"
DIGITS = "9" * 400
ON_A_LINE = ("check", "rules", "solve", "measure", "print", "learn", "puzzle", "play")
ENDED = ("reach-the-edge", "number-line-sprint", "flag-chase", "line-runner")
ABSURD: tuple[list[str], ...] = (
    *(["check", variant] for variant in (LONG, WIDE)),
    *(["check", f"number-line-sprint({text})"] for text in ("steps=1-1000000000", f"end={DIGITS}")),
    ["check", "number-reach(target=1000000000, operations=+1000000000 *1000000000)"],
    ["rules", WIDE],
    ["solve", WIDE],
    *(["solve", "line-runner", "--memory", size] for size in ("1e400", "-5", "NaN", "inf", DIGITS, f"{DIGITS}TB", "0")),
    ["solve", "line-runner(end=60000)", "--memory", "1TB"],
    ["solve", "number-reach(target=1000000000)", "--memory", "999999TB"],
    ["solve", "line-runner", "--first", DIGITS],
    ["measure", LONG],
    ["measure", "line-runner", "--players", f"sight:{DIGITS}"],
    ["map", "line-runner", "end=1..1000000000"],
    ["map", "line-runner", "end=1..1000000000", "steps=1-3;1-4", "--memory", "1TB"],
    ["map", "line-runner", f"end=1..{DIGITS}"],
    ["map", "line-runner", "end=6..9", "--workers", DIGITS],
    ["find", "line-runner", "--goal", "length=10..20", "--change", "end=1..1000000000"],
    ["find", "line-runner", "--goal", f"length=1e400..{DIGITS}"],
    ["find", "line-runner", "--goal", "length=10..20", "--top", DIGITS],
    ["print", LONG],
    ["print", "line-runner", "--exercises", DIGITS],
    ["learn", LONG],
    ["puzzle", LONG],
    ["puzzle", "--json", "--count", DIGITS],
    ["puzzle", "--seed", DIGITS],
    ["play", LONG],
    *(["play", LONG, "--vs", bot] for bot in ("mcts:1000000", "perfect", f"mcts:{DIGITS}")),
    ["play", WIDE, "--vs", "mcts", "--first", "2"],
    ["play", "line-runner", "--rounds", DIGITS],
    ["play", "line-runner", "--seed", DIGITS],
    ["engine", "--bot", f"sight:{DIGITS}"],
    ["review", DIGITS],
    ["replay", DIGITS],
    ["resume", DIGITS],
    ["web", "--port", DIGITS],
    ["web", "--workers", DIGITS],
    *(["arena", "random", "greedy", "--games", games] for games in ("99999998", DIGITS, "9" * 4000)),
    *(["export", "flag-chase", "--games", games] for games in ("9223372036854775807", "100000001", "9" * 4000)),
    ["export", "flag-chase", "--games", "1", "--seed", DIGITS],
    ["export", LONG],
    ["export", WIDE, "--games", "1"],
    *(["export", "flag-chase", "--games", "1", "--bot", bot] for bot in (f"mcts:{DIGITS}", f"sight:{DIGITS}")),
    ["export", "line-runner", "--memory", "1"],
)
"""Command lines that ask for too much."""
ALSO: tuple[list[str], ...] = (
    *([command, f"{name}(end=1000000000)"] for command in ON_A_LINE for name in ENDED),
    *([command, WIDE] for command in ON_A_LINE),
    ["solve", LONG, "--at", "1 " * 60_000],
    ["play", LONG, "--plain"],
    ["play", WIDE, "--assist"],
    *(["play", LONG, "--vs", bot] for bot in ("level:3", "sight:1000", "slip:50")),
)
"""More of them, for the soak."""
ELSEWHERE = {"books", "config", "games", "help", "ladder", "mcp", "progress"}
"""Commands that take no size."""
GUARD = 10
"""Seconds of processor time after which something is taken to hang."""


@contextmanager
def guarded() -> Iterator[None]:
    """Ends what hangs."""

    def hangs(*_: object) -> None:
        raise AssertionError(f"still at it after {GUARD} s")

    before = signal.signal(signal.SIGPROF, hangs)
    signal.setitimer(signal.ITIMER_PROF, GUARD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _short(line: list[str]) -> str:
    return " ".join(line)[:60]


@pytest.fixture
def _at_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder to write to and a few lines to read; signals are afterwards as they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hint\nmoves\nquit\n")))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_at_the_table")
@pytest.mark.parametrize("line", [*ABSURD, *(pytest.param(line, marks=pytest.mark.soak) for line in ALSO)], ids=_short)
def test_request_for_too_much_is_rejected_at_once(
    line: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["numberline", *line])
    with guarded():
        code = cli.run()
    said = capsys.readouterr()
    assert code in {cli.EXIT_OK, cli.EXIT_FAILURE, cli.EXIT_USAGE}
    assert "internal error" not in said.err
    problems = [line for line in said.err.splitlines() if not line.endswith("%")]  # a slow machine reports progress
    assert len(problems) == (code != cli.EXIT_OK)
    assert len(said.err) < 1_000


def test_every_command_is_asked_for_too_much() -> None:
    assert {line[0] for line in ABSURD} | ELSEWHERE == set(cli.COMMANDS)


def test_a_refusal_says_how_large_a_game_is() -> None:
    with pytest.raises(TooManyPositions, match=r"has more than 10\^162 positions and would need more than 10\^154 TiB"):
        nl.solve(nl.book(WIDE))


def test_few_positions_are_explored_if_there_are_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    explored: list[nl.Position] = []
    expand = nl.Book.successors

    def successors(book: nl.Book, position: nl.Position) -> object:
        explored.append(position)
        return expand(book, position)

    monkeypatch.setattr(nl.Book, "successors", successors)
    operations = " ".join([*(f"+{number}" for number in range(1, 51)), *(f"*{number}" for number in range(2, 52))])
    with pytest.raises(TooManyPositions):
        nl.solve(nl.book(f"number-reach(target=1000000, operations={operations}, players=6)"))
    assert len(explored) <= index.MAX_EXPLORED_SUCCESSORS // 100


def test_no_more_memory_is_asked_for_than_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "installed_memory", lambda: 1 << 30)
    with pytest.raises(TooManyPositions, match=r"would need 1\.\d GiB of memory; this machine has 1\.0 GiB$"):
        nl.solve(nl.book("line-runner(end=4000)"), memory=1 << 40)


def test_too_many_positions_are_rejected_with_any_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "installed_memory", lambda: 1 << 62)
    with pytest.raises(
        TooManyPositions,
        match=r"has 7,200,720,018 positions; with this number of moves, the limit is 536,870,911 positions$",
    ):
        nl.solve(nl.book("line-runner(end=60000)"), memory=1 << 62)


@pytest.mark.parametrize(("written", "size"), [("500MB", 500 << 20), ("1.5 GiB", 3 << 29), ("8", 8), ("1tb", 1 << 40)])
def test_a_size_is_read_as_people_write_it(written: str, size: int) -> None:
    assert parse_size(written) == size


def test_a_search_counts_moves_too() -> None:
    assert explore(nl.book(WIDE), limit=1_000).positions < 100


def test_bot_that_would_think_for_hours_is_rejected() -> None:
    with pytest.raises(BotError, match=r"would examine 1,501,000,000 moves per turn; expected at most mcts:66622"):
        make_bot("mcts:1000000", nl.book(LONG), Random(1))


def test_a_thinking_bot_says_how_far_it_is() -> None:
    shares: list[float] = []
    bot = make_bot("mcts:20", nl.book("line-runner"), Random(1))
    bot.progress = shares.append
    bot.choose(bot.book.start())
    assert shares == sorted(shares)
    assert len(shares) == 20


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (["play", LONG, "--seats", "mcts:60000,mcts:60000"], "is thinking"),
        (["solve", "line-runner(end=6000)"], "Solving"),
        (["check", WIDE], "Exploring"),
        (["export", "flag-chase", "--games", "9999999", "--out", "/dev/null"], "Writing 9,999,999 games of flag-chase"),
    ],
    ids=["a bot", "solve", "check", "export"],
)
def test_long_work_shows_progress_and_answers_ctrl_c(line: list[str], shown: str) -> None:
    terminal = pexpect.spawn(sys.executable, ["-m", "numberline", *line], encoding="utf-8", timeout=60)
    terminal.expect(shown)
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert "Traceback" not in str(terminal.before)
