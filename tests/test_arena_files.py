"""The arena's files: the same seed gives the same bytes, and a kill loses nothing and replays nothing."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import numberline as nl
from arenas import Plain, tournament
from commands import numberline
from numberline.arena import Entrant, Result, Tournament, run
from numberline.arena.results import ResultFile
from numberline.book.book import Book
from numberline.bots import Bot
from numberline.rules.position import Position
from numberline.solver.solution import Solution


def arena(*arguments: str, out: Path) -> tuple[str, bytes]:
    """What the command printed, and the file it wrote."""
    ran = numberline("arena", *arguments, "--out", str(out), "--json")
    assert (ran.code, ran.err) == (0, "")
    return ran.out, out.read_bytes()


MIXED = (
    "perfect",
    "level:3",
    "mcts:5",
    "--books",
    "flag-chase, number-reach(target=9)",
    "--games",
    "10",
    "--seed",
    "4",
)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    first = arena(*MIXED, out=tmp_path / "a")
    assert arena(*MIXED, out=tmp_path / "b") == first
    assert arena(*MIXED[:-1], "5", out=tmp_path / "c") != first


def test_a_run_broken_off_anywhere_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole = tournament("random", "level:3", "mcts:3", games=8)
    expected = list(run(whole, tmp_path / "whole").cells())
    content = (tmp_path / "whole").read_bytes()
    part = tmp_path / "part"
    for size in [0, 1, *random.Random(2).sample(range(len(content)), 25), len(content) - 1, len(content)]:
        part.write_bytes(content[:size])
        assert list(run(whole, part).cells()) == expected
        assert part.read_bytes() == content


OLD = Path(__file__).parent / "ledgers" / "arena-1.jsonl"


def test_a_file_of_an_earlier_version_is_read_and_continued_to_the_same_bytes(tmp_path: Path) -> None:
    old, out = OLD.read_bytes(), tmp_path / "games"
    played = tournament("random", "greedy", "mcts:3", books=("number-reach(target=7)",), games=2, seed=5)
    for size in (len(old), len(old) // 2, 0):
        out.write_bytes(old[:size])
        assert run(played, out).games == 6
        assert out.read_bytes() == old


def test_a_forfeit_of_an_earlier_version_is_the_losers() -> None:
    line = (
        OLD.read_text().splitlines()[1].replace('"won"', '"forfeit"').replace("Player 1 overshot and is out.", "fell")
    )
    result = Result.from_line(line)
    assert (result.fault(1), result.fault(2)) == ("fell", "")
    assert result.line() == line + "\n"


def test_a_finished_run_plays_nothing_again(tmp_path: Path) -> None:
    asked: list[Position] = []

    class Asked(Plain):
        def choose(self, position: Position) -> str:
            asked.append(position)
            return super().choose(position)

    def make(book: Book, rng: random.Random, solution: Solution | None) -> Bot:
        return Asked(Entrant.from_text("random").make(book, rng, solution))

    played = Tournament((Entrant("asked", make), Entrant.from_text("greedy")), (nl.book("flag-chase"),), 10)
    first = run(played, tmp_path / "games")
    count = len(asked)
    assert count > 0
    assert run(played, tmp_path / "games").report() == first.report()
    assert len(asked) == count


def test_kill_9_in_the_middle_loses_nothing_and_replays_nothing(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ("mcts:60", "random", "--books", "line-runner", "--games", "60", "--out", str(out), "--json")
    command = [sys.executable, "-m", "numberline", "arena", *arguments]
    for lines in (5, 20):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not out.exists() or out.read_bytes().count(b"\n") < lines:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        with out.open("ab") as file:
            file.write(b'{"game":59,"varia')
    before = out.read_bytes().rpartition(b"\n")[0]
    ran = numberline("arena", *arguments)
    assert json.loads(ran.out)["played"] == 60
    assert out.read_bytes().startswith(before)
    games = [json.loads(line)["game"] for line in out.read_text().splitlines()[1:]]
    assert sorted(games) == list(range(60))


def test_a_file_of_another_tournament_is_refused_and_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "games"
    run(tournament("random", "greedy"), out)
    before = out.read_bytes()
    ran = numberline("arena", "random", "perfect", "--out", str(out))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "it holds another tournament" in ran.err
    assert out.read_bytes() == before
    out.write_bytes(b"my diary")
    assert "it holds something else" in numberline("arena", "random", "perfect", "--out", str(out)).err
    assert out.read_bytes() == b"my diary"


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    out, played = tmp_path / "games", tournament("random", "greedy")
    run(played, out)
    lines = out.read_text().splitlines(keepends=True)
    for wrong in ("{}\n", "[1]\n", "nonsense\n", lines[1].replace('"game":0', '"game":1'), '"x"\n'):
        out.write_text("".join([*lines[:3], wrong, *lines[4:]]))
        with pytest.raises(nl.NumberlineError, match=r", line 4: not a game of this tournament"):
            run(played, out)


def test_two_arenas_do_not_write_to_one_file(tmp_path: Path) -> None:
    played = tournament("random", "greedy")
    with (
        closing(ResultFile(tmp_path / "games", played)),
        pytest.raises(nl.NumberlineError, match="another arena is writing to it"),
    ):
        run(played, tmp_path / "games")
