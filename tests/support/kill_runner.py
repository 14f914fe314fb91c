"""Kills a writer at random moments, again and again, and looks at what it leaves.

It is a program of its own, since it forks: `python killed.py WRITER TIMES FOLDER`. What is wrong is a traceback.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numberline as nl
from numberline.arena import Tournament, run
from numberline.cli import numberline as command
from numberline.cli.options import read_record_file
from numberline.files.safe_read import TEMP_PREFIX
from numberline.game.notation import format_record
from numberline.lab.grid import parse_axis
from numberline.lab.sweep import run_sweep
from numberline.lab.sweep_store import SweepPlan
from numberline.solver import cache as solution_cache
from numberline.terminal import progress, records, saves
from numberline.terminal.console import TextConsole
from numberline.terminal.records import RecordFile
from numberline.terminal.series import Participant, Series, SeriesOptions
from support.progress import answer as correct_answer
from support.progress import store
from support.tournaments import tournament


class Writer(NamedTuple):
    """Something that writes, and how one sees that what is there is whole."""

    write: Callable[[Path], object]
    look: Callable[[Path], object]


class Table(TextConsole):
    """A terminal without output that saves its games."""

    interactive = True

    def say(self, text: str) -> None:
        """Nothing."""


@cache
def sitting(plies: int) -> Series:
    """A game that was left after some plies."""
    book = nl.book("line-runner")
    match = nl.Match(book, names=("Ann", "Bob"))
    for _ in range(plies):
        match.play("1")
    guests = (Participant("Ann", None), Participant("Bob", None))
    return Series(SeriesOptions(book=book, participants=guests), [], match)


@cache
def finished() -> nl.Match:
    match = nl.Match(nl.book("flag-chase"), names=("Ann", "Bob"))
    for move in ("3", "2", "2"):
        match.play(move)
    return match


@cache
def record_file(path: Path) -> RecordFile:
    return RecordFile(path)


def write_games(folder: Path) -> None:
    file = record_file(folder / "game.txt")
    for plies in (3, 12):
        file.write(sitting(plies))


def keep_game(_: Path) -> None:
    keeper = saves._Autosave(sitting(5), Table(), None, None)
    with keeper.file_lock:
        keeper.update()
        keeper.update()
        if random.random() < 0.5:
            keeper.delete()


def look_at_saves(_: Path) -> None:
    said = [each for each in saves.saved_games() if isinstance(each, str)]
    assert all("Removed empty file" in each for each in said), said
    for path in saves.saved_games_dir().glob("*.json"):
        path.unlink()


def look_at_finished(_: Path) -> None:
    said = [each for each in records.finished_games() if isinstance(each, str)]
    assert all("Removed empty file" in each for each in said), said


def answer(_: Path) -> None:
    assert store(correct_answer()), "it could not be kept"


def look_at_score(_: Path) -> None:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        progress.load_progress()
    assert not said.getvalue(), said.getvalue()


def plan() -> SweepPlan:
    return SweepPlan(nl.book("flag-chase"), [parse_axis("end=4..9")], "solution")


@cache
def map_rows() -> list[dict[str, object]]:
    return run_sweep(plan(), workers=1).rows()


def write_map(folder: Path) -> None:
    run_sweep(plan(), out=folder / f"map-{time.monotonic_ns()}", workers=1)


def look_at_maps(folder: Path) -> None:
    for made in folder.glob("map-*"):
        assert run_sweep(plan(), out=made, workers=1).rows() == map_rows()
        assert not list(made.glob(f"{TEMP_PREFIX}*"))
        shutil.rmtree(made)


@cache
def games() -> Tournament:
    return tournament("random", "mcts:2", games=20)


@cache
def ledger() -> bytes:
    """The result file of an arena that was never interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        run(games(), Path(folder) / "games")
        return (Path(folder) / "games").read_bytes()


def look_at_games(folder: Path) -> None:
    for path in folder.glob("games-*"):
        run(games(), path)
        assert path.read_bytes() == ledger()
        path.unlink()


def commanded(line: str) -> Callable[[Path], object]:
    """A command, FILE being in the folder."""

    def write(folder: Path) -> None:
        words = [str(folder / word[1:]) if word.startswith("@") else word for word in line.split()]
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            command.main(words, standalone_mode=False)

    return write


def ends(name: str, end: bytes) -> Callable[[Path], object]:
    def look(folder: Path) -> None:
        assert (folder / name).read_bytes().rstrip().endswith(end)

    return look


def export_rows(folder: Path) -> None:
    for end in (6, 9):
        commanded(f"export flag-chase(end={end}) --out @rows.parquet")(folder)


def look_at_rows(folder: Path) -> None:
    from pyarrow import parquet

    rows, card = parquet.read_table(folder / "rows.parquet").num_rows, folder / "rows.parquet.md"
    assert rows > 10
    assert not card.exists() or f"contains {rows} positions" in card.read_text()


def reviewed(folder: Path) -> None:
    game = folder / "finished.txt"
    if not game.exists():
        game.write_text(format_record(finished()))
    commanded("review @finished.txt --html @review.html")(folder)


SOLVED = nl.book("line-runner(end=30)")


@cache
def solution() -> nl.Solution:
    return nl.solve(SOLVED)


def write_solution(folder: Path) -> None:
    solution_cache._save(solution(), folder / "solution.npy")


def read_solution(folder: Path) -> None:
    loaded = solution_cache._load(SOLVED, folder / "solution.npy")
    assert loaded.worth(SOLVED.start()) == solution().worth(SOLVED.start())


WRITERS = {
    "record": Writer(write_games, lambda folder: read_record_file(folder / "game.txt")),
    "save": Writer(keep_game, look_at_saves),
    "finished": Writer(lambda _: records.save_finished_game(finished()), look_at_finished),
    "puzzles": Writer(answer, look_at_score),
    "export": Writer(export_rows, look_at_rows),
    "arena": Writer(lambda folder: run(games(), folder / f"games-{time.monotonic_ns()}"), look_at_games),
    "map": Writer(write_map, look_at_maps),
    "solve": Writer(write_solution, read_solution),
    "plot": Writer(commanded("solve flag-chase --plot @picture.svg"), ends("picture.svg", b"</svg>")),
    "html": Writer(reviewed, ends("review.html", b"</html>")),
}


def killed(writer: Writer, folder: Path, seconds: float) -> None:
    """Let a process write until it is killed after a delay."""
    child = os.fork()
    if not child:
        while True:
            writer.write(folder)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, "it ended before it was killed"


def main(name: str, times: int, folder: Path) -> None:
    """Kill a writer `times` times; each time the file is complete and the next run removes leftovers."""
    writer, rng = WRITERS[name], random.Random(name)
    for _ in range(2):
        begun = time.monotonic()
        writer.write(folder)
        took = time.monotonic() - begun
    for _ in range(times):
        killed(writer, folder, rng.uniform(0, 3 * took))
        writer.look(folder)
        writer.write(folder)
        writer.look(folder)
        left = [path for path in Path(os.environ["XDG_DATA_HOME"]).parent.rglob(f"{TEMP_PREFIX}*") if path.is_file()]
        left += list(folder.rglob(f"{TEMP_PREFIX}*"))
        assert not left, left
    sys.stdout.write(f"{times}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
