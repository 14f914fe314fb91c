"""Results files: the same seed gives the same bytes, and no game is lost or replayed after a kill."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import numberline as nl
from faults.test_full_disk import failing, full
from numberline.arena import Entrant, GameResult, Tournament, results, run
from numberline.arena.results import ResultFile
from numberline.bots import Bot
from numberline.files import safe_write
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from support.commands import numberline
from support.tournaments import BotWithoutPolicy, tournament


def arena(*arguments: str, out: Path) -> tuple[str, bytes]:
    """Return the output of the command and the content of its file."""
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


def test_results_file_depends_only_on_the_seed(tmp_path: Path) -> None:
    first = arena(*MIXED, out=tmp_path / "a")
    assert arena(*MIXED, out=tmp_path / "b") == first
    assert arena(*MIXED[:-1], "5", out=tmp_path / "c") != first


def test_interrupted_run_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    whole = tournament("random", "level:3", "mcts:3", games=8)
    expected = list(run(whole, tmp_path / "whole").cells())
    content = (tmp_path / "whole").read_bytes()
    part = tmp_path / "part"
    for size in [0, 1, *random.Random(2).sample(range(len(content)), 25), len(content) - 1, len(content)]:
        part.write_bytes(content[:size])
        assert list(run(whole, part).cells()) == expected
        assert part.read_bytes() == content


OLD = Path(__file__).parents[1] / "data" / "arena" / "arena-1.jsonl"


def test_file_of_earlier_version_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    old, out = OLD.read_bytes(), tmp_path / "games"
    played = tournament("random", "greedy", "mcts:3", books=("number-reach(target=7)",), games=2, seed=5)
    for size in (len(old), len(old) // 2, 0):
        out.write_bytes(old[:size])
        assert run(played, out).games == 6
        assert out.read_bytes() == old


def test_forfeit_of_earlier_version_belongs_to_loser() -> None:
    line = (
        OLD.read_text().splitlines()[1].replace('"won"', '"forfeit"').replace("Player 1 overshot and is out.", "fell")
    )
    result = GameResult.from_json_line(line.encode())
    assert (result.forfeit_reason(1), result.forfeit_reason(2)) == ("fell", "")
    assert result.to_json_line() == line + "\n"


def test_finished_run_plays_nothing_again(tmp_path: Path) -> None:
    asked: list[Position] = []

    class Asked(BotWithoutPolicy):
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


def test_kill_9_loses_nothing_and_replays_nothing(tmp_path: Path) -> None:
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


def test_file_of_another_tournament_is_rejected_unchanged(tmp_path: Path) -> None:
    out = tmp_path / "games"
    run(tournament("random", "greedy"), out)
    before = out.read_bytes()
    ran = numberline("arena", "random", "perfect", "--out", str(out))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "the file belongs to a different tournament" in ran.err
    assert out.read_bytes() == before
    out.write_bytes(b"my diary")
    assert "is not a results file" in numberline("arena", "random", "perfect", "--out", str(out)).err
    assert out.read_bytes() == b"my diary"


def as_line(**fields: object) -> str:
    """Return the line of a tournament's second game, with some fields changed."""
    sound = {
        "game": 1,
        "variant": "flag-chase",
        "seats": ["greedy", "random"],
        "winner": 1,
        "end": "won",
        "reason": "Player 1 reached 5.",
        "moves": "3 2 2",
        "tallies": [
            {"choices": 2, "best": 1, "blunders": 1, "regret": 2},
            {"choices": 1, "best": 1, "blunders": 0, "regret": 0},
        ],
        "plies": 3,
    }
    return json.dumps({**sound, **fields})


def tallied(**fields: object) -> str:
    """Return the same line with another tally for the first seat."""
    first = {"choices": 2, "best": 1, "blunders": 1, "regret": 2, **fields}
    return as_line(tallies=[first, {"choices": 1, "best": 1, "blunders": 0, "regret": 0}])


DAMAGED = {
    "nothing": "",
    "no JSON": "nonsense",
    "another kind of JSON": "[1]",
    "no field": "{}",
    "a field too many": as_line(more=1),
    "a field twice": as_line()[:-1] + ',"winner":256}',
    "NUL": as_line() + "\0",
    "NUL in a text": as_line().replace("reached", "rea\0ched"),
    "a mark of another encoding": "\ufeff" + as_line(),
    "deep": "[" * 100_000,
    "deep in a field": as_line(tallies=5).replace(": 5", ": " + "[" * 100_000),
    "digits": as_line().replace('"winner": 1', '"winner": ' + "9" * 5000),
    **{f"winner {value!r}": as_line(winner=value) for value in (256, 255, 3, -1, True, 1.0, "1", None, 10**4000)},
    "won without a winner": as_line(winner=0),
    "forfeit without a winner": as_line(winner=0, end="forfeit"),
    "a draw that was won": as_line(end="limit"),
    "another end": as_line(end="lost"),
    "end is not text": as_line(end=["won"]),
    **{f"reason {value!r}": as_line(reason=value) for value in (None, 5, ["x"])},
    **{f"moves {value!r}": as_line(moves=value) for value in (None, 5, ["3", "2", "2"])},
    "a move is missing": as_line(moves="3 2"),
    "one tally": as_line(tallies=[[]]),
    "tallies are not dicts": as_line(tallies=[1, 2]),
    "tallies that are a number": as_line(tallies=2),
    **{f"tally of {value!r}": tallied(regret=value) for value in (-1, 0, 3, 10**30, 2.0, True, None, "2")},
    "more choices than moves": tallied(choices=4),
    "more good choices than choices": tallied(best=2),
    "a tally with more": tallied(more=1),
    "faults are not strings": as_line(faults=[1, 2]),
    "a game that is not a number": as_line(game=True),
}
"""Lines that no run can have written."""

WRONG_GAME = {
    "more moves than may be": (as_line(moves=" ".join("1" * 61), plies=61), "more than 60 moves"),
    "a game that is not there": (as_line(game=20), "this tournament has no game '20'"),
    "a game below all": (as_line(game=-1), "this tournament has no game '-1'"),
    "a game of others": (as_line(seats=["random", "greedy"]), "does not match game 1 of this tournament"),
    "a game of another book": (as_line(variant="line-runner"), "does not match game 1 of this tournament"),
    "a game twice": (as_line(game=2, seats=["random", "greedy"]), "game 2 is already on an earlier line"),
}
"""Lines of a game that does not belong here, and the reported problem."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Lines of a complete results file."""
    out = tmp_path_factory.mktemp("arena") / "games"
    run(tournament("random", "greedy"), out)
    return out.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [*((line, "not a valid game result") for line in DAMAGED.values()), *WRONG_GAME.values()],
    ids=[*DAMAGED, *WRONG_GAME],
)
def test_damaged_line_is_reported_and_file_unchanged(
    line: str, problem: str, sound: list[bytes], tmp_path: Path
) -> None:
    out = tmp_path / "games"
    out.write_bytes(b"".join([*sound[:4], line.encode() + b"\n", *sound[5:], b'{"half']))
    before = out.read_bytes()
    advice = "; delete this line to have its game played again, or choose another file$"
    with pytest.raises(nl.NumberlineError, match=rf"^{out}, line 5: {problem}.*{advice}") as said:
        run(tournament("random", "greedy"), out)
    assert len(str(said.value)) < 400
    assert out.read_bytes() == before


def test_invalid_utf8_is_reported(sound: list[bytes], tmp_path: Path) -> None:
    out = tmp_path / "games"
    out.write_bytes(b"".join([*sound[:4], as_line().encode().replace(b"reached", b"\xff\xed\xa0\x80") + b"\n"]))
    with pytest.raises(nl.NumberlineError, match="line 5: not a valid game result; "):
        run(tournament("random", "greedy"), out)


def test_game_of_removed_line_is_played_again(sound: list[bytes], tmp_path: Path) -> None:
    out, played = tmp_path / "games", tournament("random", "greedy")
    out.write_bytes(b"".join(sound[:4] + sound[5:]))
    assert run(played, out).games == played.total
    assert sorted(out.read_bytes().splitlines(keepends=True)) == sorted(sound)


def test_endless_line_is_not_read_completely(
    sound: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MAX_LINE_BYTES", 1000)
    out = tmp_path / "games"
    for end in (b"", b"\n"):
        out.write_bytes(b"".join([*sound[:4], b"x" * 1000 + end]))
        with pytest.raises(nl.NumberlineError, match="line 5: too long for a result; choose another file"):
            run(tournament("random", "greedy"), out)
        assert len(out.read_bytes()) == len(b"".join(sound[:4])) + 1000 + len(end)


def test_lines_with_crlf_are_read(sound: list[bytes], tmp_path: Path) -> None:
    out, played = tmp_path / "games", tournament("random", "greedy")
    out.write_bytes(b"".join(sound).replace(b"\n", b"\r\n"))
    before = out.read_bytes()
    assert run(played, out).games == played.total
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (b"\n", " is not a results file; choose another file"),
        (b"[" * 100_000 + b"\n", " is not a results file; choose another file"),
        (b"\xef\xbb\xbf{}\n", " is not a results file; choose another file"),
        (b'{"numberline arena":true}\n', " is not a results file; choose another file"),
        (b'{"numberline arena":1}\n', ": the file belongs to a different tournament; .*, or choose another file"),
        (
            b'{"numberline arena":2}\n',
            ": written by a newer version of Numberline; upgrade, or choose another file",
        ),
    ],
)
def test_unknown_header_is_reported_and_file_unchanged(header: bytes, problem: str, tmp_path: Path) -> None:
    out = tmp_path / "games"
    out.write_bytes(header)
    with pytest.raises(nl.NumberlineError, match=rf"^{out}{problem}$"):
        run(tournament("random", "greedy"), out)
    assert out.read_bytes() == header


def test_names_with_lone_surrogates_round_trip(tmp_path: Path) -> None:
    out, strange = tmp_path / "games", Entrant("b\udcff", Entrant.from_text("random").make)
    played = Tournament((strange, Entrant.from_text("greedy")), (nl.book("flag-chase"),), 2)
    first = run(played, out).report()
    before = out.read_bytes()
    assert run(played, out).report() == first
    assert out.read_bytes() == before


def test_very_long_reason_is_shortened(tmp_path: Path) -> None:
    out, played = tmp_path / "games", tournament("random", "greedy", games=2)
    run(played, out)
    lines = out.read_text().splitlines()[:2]
    out.write_text("\n".join([*lines, as_line(end="forfeit", reason="x" * 1_000)]) + "\n")
    [row] = [row for row in run(played, out).players() if row["player"] == "random"]
    assert row["reasons"] == {"x" * 500 + "…": 1}


def test_disk_error_is_reported_and_run_can_resume(
    sound: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "games"
    monkeypatch.setattr(safe_write, "FSYNC_INTERVAL_S", 0.0)
    for _ in range(2):
        with failing(), pytest.raises(OSError, match="Input/output error") as said:
            run(tournament("random", "greedy"), out)
        assert said.value.filename == str(out)
    run(tournament("random", "greedy"), out)
    assert out.read_bytes() == b"".join(sound)


@pytest.mark.parametrize("room", [0, 8, 200, 500, 1000])
def test_full_disk_is_reported_and_run_can_resume(room: int, tmp_path: Path) -> None:
    out = tmp_path / "games"
    played = Tournament(tuple(map(Entrant.from_text, ("random", "greedy"))), (nl.book("flag-chase"),), 20)
    with full(room), pytest.raises(OSError, match="File too large") as said:
        run(played, out)
    assert said.value.filename == str(out)
    assert not out.exists() or out.read_bytes().endswith(b"\n")
    assert run(played, out).games == 20


def test_results_are_synced_to_disk_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: sizes.append(os.fstat(handle).st_size))
    run(tournament("random", "greedy"), tmp_path / "games")
    assert sizes[-1] == (tmp_path / "games").stat().st_size


def test_results_file_has_one_writer(tmp_path: Path) -> None:
    played = tournament("random", "greedy")
    with (
        closing(ResultFile(tmp_path / "games", played)),
        pytest.raises(nl.NumberlineError, match="another process is writing to this file"),
    ):
        run(played, tmp_path / "games")
