"""Damaged files: each kind is reported in one message, and only the damaged part is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import platformdirs
import pytest

import numberline as nl
from numberline.arena import run
from numberline.cli.options import ConfigError, config_path, read_defaults, read_record_file
from numberline.errors import NumberlineError
from numberline.files.safe_write import locked
from numberline.game.notation import format_record
from numberline.lab.grid import parse_axis
from numberline.lab.sweep import run_sweep
from numberline.lab.sweep_store import SweepPlan
from numberline.solver import cache, jit
from numberline.terminal import progress, records, saves
from numberline.terminal.series import Participant, Series, SeriesOptions
from support.progress import answer, game, store
from support.tournaments import tournament

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

GUARD_TIMEOUT_S = 10
OWN_BOOK = 'title = "Mine"\n[rules]\nline = [0, 9]\nstart = 0\ngoal = 9\nmoves = "forward"\nsteps = "1-2"\n'
CACHED = "line-runner(end=30)"


@pytest.fixture(autouse=True)
def nobody_waits_for_ever() -> Iterator[None]:
    """Ends a test that hangs."""

    def hangs(*_: object) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(GUARD_TIMEOUT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


class Ours(NamedTuple):
    """A kind of file: how one comes to be, how it is read, and how one of a later version begins."""

    make: Callable[[Path], Path]
    """A sound one; the folder is for those that lie where the person wants."""
    read: Callable[[Path], object]
    """Reads it; in a list that comes back, texts are what is said, as is what is raised or printed."""
    newer: tuple[str, str] | None = None
    silent: tuple[str, ...] = ()
    """Kinds of damage that do not harm this file."""


def played(*moves: str) -> nl.Match:
    match = nl.Match(nl.book("flag-chase"), names=("Ann", "Bob"))
    for move in moves:
        match.play(move)
    return match


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def left_game(_: Path) -> Path:
    path = saves.saved_games_dir() / "20200101-000000-000000-1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    guests = (Participant("Ann", None), Participant("Bob", None))
    saves._write(Series(SeriesOptions(book=nl.book("flag-chase"), participants=guests), [], played("3", "2")), path)
    return path


def player_progress(_: Path) -> Path:
    store(answer(), game())
    return progress.progress_file()


def cached_solution(_: Path) -> Path:
    answered(Path())
    return cache._cache_path(nl.book(CACHED))


def answered(_: Path) -> None:
    """Asks for a solution, and looks whether it is right."""
    cache._SOLUTIONS.clear()
    book = nl.book(CACHED)
    assert cache.cached_solution(book).worth(book.start()) == nl.solve(book).worth(book.start())


def plan() -> SweepPlan:
    return SweepPlan(nl.book("flag-chase"), [parse_axis("end=4..9")], "solution")


def map_note(folder: Path) -> Path:
    run_sweep(plan(), out=folder / "map", workers=1)
    return folder / "map" / "_map.json"


def map_part(folder: Path) -> Path:
    [part] = map_note(folder).parent.glob("part-*")
    return part


def read_map(path: Path) -> None:
    rows = run_sweep(plan(), out=path.parent, workers=1).rows()
    assert rows == run_sweep(plan(), workers=1).rows()


def ledger(folder: Path) -> Path:
    run(tournament("random", "greedy", games=4), folder / "games.jsonl")
    return folder / "games.jsonl"


def texts(found: object) -> list[str]:
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


OURS = {
    "a record": Ours(
        lambda folder: written(folder / "game.txt", format_record(played("3", "2", "2"))),
        read_record_file,
        ("record 1", "record 2"),
    ),
    "a book": Ours(lambda folder: written(folder / "mine.toml", OWN_BOOK), nl.book),
    "a config": Ours(
        lambda _: written(config_path(), '[play]\nnames = "Ann,Bob"\nrounds = 3\n'),
        lambda _: read_defaults(),
        silent=("emptied",),
    ),
    "a game that was left": Ours(left_game, lambda _: list(saves.saved_games()), ('"format": 1', '"format": 2')),
    "a finished game": Ours(
        lambda _: records.save_finished_game(played("3", "2", "2")),
        lambda _: list(records.finished_games()),
        ("record 1", "record 2"),
    ),
    "the progress": Ours(
        player_progress,
        progress.read_progress,
        ('"version": 1', '"version": 2'),
    ),
    "what a map is of": Ours(map_note, read_map, ('"format": 2', '"format": 3')),
    "a part of a map": Ours(map_part, read_map),
    "the games of an arena": Ours(
        ledger,
        lambda path: run(tournament("random", "greedy", games=4), path),
        ('"numberline arena":1', '"numberline arena":2'),
        silent=("emptied",),
    ),
}


def reads(ours: Ours, path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the message of reading a file, and check that no file stays open."""
    capsys.readouterr()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted
    try:
        said = texts(ours.read(path))
    except (NumberlineError, OSError) as error:
        said = [str(error)]
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - counted
    said += capsys.readouterr().err.splitlines()
    for sentence in "\n".join(said).splitlines():  # of a book, each thing that is wrong has a sentence
        assert str(path.parent) in sentence or path.name in sentence
    return said


def changed(content: bytes, how: str, rng: random.Random) -> bytes:
    """The content of a file after something happened to it."""
    at = rng.randrange(len(content))
    deep = b"[" * 100_000
    digits = b"9" * 5_000
    return {
        "emptied": b"",
        "cut": content[:at],
        "flipped": content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :],
        "random": rng.randbytes(len(content)),
        "random in the middle": content[:at] + rng.randbytes(8) + content[at + 8 :],
        "nothing in the middle": content[:at] + bytes(8) + content[at + 8 :],
        "deep": deep,
        "deep in the middle": content[:at] + deep + content[at:],
        "digits": digits,
        "digits in the middle": content[:at] + digits + content[at:],
        "twice": content + content,
    }[how]


CONTENTS = (
    "emptied",
    "cut",
    "flipped",
    "random",
    "random in the middle",
    "nothing in the middle",
    "deep",
    "deep in the middle",
    "digits",
    "digits in the middle",
    "twice",
)
HOPELESS = ("emptied", "random", "deep", "digits")
"""After this, nothing can be made of a file."""


def assert_damage_is_said(ours: Ours, how: str, times: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(how)
    for number in range(times):
        place = folder / str(number)
        place.mkdir()
        path = ours.make(place)
        path.write_bytes(changed(path.read_bytes(), how, rng))
        said = reads(ours, path, capsys)
        assert len(said) <= 1
        assert said or how not in HOPELESS or how in ours.silent
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("how", CONTENTS)
@pytest.mark.parametrize("ours", OURS.values(), ids=OURS)
def test_damaged_content_gives_one_message(
    ours: Ours, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_damage_is_said(ours, how, 3, tmp_path, capsys)


@pytest.mark.soak
@pytest.mark.parametrize("how", CONTENTS)
@pytest.mark.parametrize("ours", OURS.values(), ids=OURS)
def test_content_damaged_anywhere_gives_one_message(
    ours: Ours, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    signal.alarm(0)
    assert_damage_is_said(ours, how, 500, tmp_path, capsys)


PLACES: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to what can't be read": lambda path: path.symlink_to("/proc/self/mem"),
    "a link to itself": lambda path: path.symlink_to(path),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("ours", OURS.values(), ids=OURS)
def test_special_file_is_reported_and_left_alone(
    ours: Ours, place: Callable[[Path], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = ours.make(tmp_path)
    path.unlink()
    place(path)
    before = path.lstat()
    assert len(reads(ours, path, capsys)) == 1
    assert os.path.samestat(path.lstat(), before)


@pytest.mark.parametrize("ours", [ours for ours in OURS.values() if ours.newer], ids=lambda ours: str(ours.newer))
def test_file_of_a_later_version_is_reported_and_left_alone(
    ours: Ours, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ours.newer
    path = ours.make(tmp_path)
    assert ours.newer[0] in path.read_text()
    path.write_text(path.read_text().replace(*ours.newer))
    before = path.read_bytes()
    [said] = reads(ours, path, capsys)
    assert "newer version of Numberline" in said
    assert path.read_bytes() == before


@pytest.fixture
def small_books_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_SOLUTIONS", {})
    monkeypatch.setattr(cache, "MIN_CACHED_POSITIONS", 0)


@pytest.mark.usefixtures("small_books_are_cached")
@pytest.mark.parametrize("how", CONTENTS)
def test_damaged_cached_solution_is_recomputed_and_replaced(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cached_solution(tmp_path)
    sound = path.read_bytes()
    path.write_bytes(changed(sound, how, random.Random(how)))
    assert reads(Ours(cached_solution, answered), path, capsys) == []
    assert path.read_bytes() == sound


@pytest.mark.usefixtures("small_books_are_cached")
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_solution_is_recomputed_if_it_can_not_be_cached(
    place: Callable[[Path], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cached_solution(tmp_path)
    path.unlink()
    place(path)
    assert reads(Ours(cached_solution, answered), path, capsys) == []


@pytest.mark.parametrize("place", [PLACES["a pipe"], *list(PLACES.values())[2:]], ids=[*PLACES][1:])
def test_invalid_compiled_kernel_is_removed_before_use(
    place: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "_cache_folder", lambda: tmp_path / "compiled")
    folder = jit._checked_folder()
    assert folder
    place(folder / "loop.nbi")
    assert jit._checked_folder() == folder
    assert list(folder.iterdir()) == []


def test_pipe_in_place_of_a_database_does_not_block(tmp_path: Path) -> None:
    schema = pytest.importorskip("numberline.web.store.tables")
    os.mkfifo(tmp_path / "tables.db")
    with pytest.raises(schema.StoreError, match=r"cannot read .*tables.db \(is not a file\); "):
        schema.FileLock(tmp_path / "tables.db")


def test_database_that_links_to_itself_gives_one_message(tmp_path: Path) -> None:
    schema = pytest.importorskip("numberline.web.store.tables")
    (tmp_path / "tables.db").symlink_to(tmp_path / "tables.db")
    with pytest.raises(schema.StoreError, match=r"cannot read .*tables.db \(too many levels of symbolic links\); "):
        schema.FileLock(schema.sqlite_path(str(tmp_path / "tables.db")))


def test_one_damaged_finished_game_costs_no_other() -> None:
    good, bad = records.save_finished_game(played("3", "2", "2")), records.save_finished_game(played("3", "2", "2"))
    bad.write_bytes(b"\xff")
    aside = bad.with_suffix(".damaged")
    said, game = records.finished_games()
    assert said == f"{bad.name} is damaged and was renamed to {aside}."
    assert isinstance(game, records.FinishedGame)
    assert game.path == good
    assert aside.read_bytes() == b"\xff"


def test_save_with_a_wrong_type_affects_no_other_save(tmp_path: Path) -> None:
    good = left_game(tmp_path)
    content = json.loads(good.read_text())
    for number, (key, value) in enumerate(product(content, (0, 5, True, 1.5, [], [5], {"a": 1}, "x", None)), 2):
        good.with_name(f"20200101-000000-000000-{number}.json").write_text(json.dumps({**content, key: value}))
    assert good in [game.path for game in saves.saved_games() if isinstance(game, saves.SavedGame)]


def test_path_of_a_new_save_is_reserved() -> None:
    path = written(saves.saved_games_dir() / "20200101-000000-000000-1.json", "")
    with locked(path):
        assert list(saves.saved_games()) == []
        assert path.exists()
    assert list(saves.saved_games()) == [f"Removed empty file {path}."]
    assert not path.exists()


RECORD = format_record(played("3", "2", "2"))
HOSTILE_RECORDS = {
    "a variant that is a path": ("variant: flag-chase", "variant: /dev/zero"),
    "a variant that is a path to a book": ("variant: flag-chase", "variant: ../mine.toml"),
    "a variant with a path and settings": ("variant: flag-chase", "variant: ./flag-chase(end=9)"),
    "NUL in the variant": ("variant: flag-chase", "variant: flag\0chase"),
    "NUL in a path": ("variant: flag-chase", "variant: a\0b.toml"),
    "digits in a setting": ("variant: flag-chase", f"variant: flag-chase(end={'9' * 5000})"),
    "digits in a list": ("variant: flag-chase", f"variant: flag-chase(steps=1,{'9' * 5000})"),
    "a billion settings": ("variant: flag-chase", f"variant: flag-chase({'end=9,' * 10_000})"),
    "digits for a player": ("first: 1", f"first: {'9' * 5000}"),
    "digits of another script": ("first: 1", "first: \u0661"),
    "NUL in a name": ("player 1: Ann", "player 1: A\0nn"),
    "digits for a turn": ("1. 3", f"{'9' * 5000}. 3"),
    "digits for a move": ("1. 3", f"1. {'9' * 5000}"),
    "NUL in a move": ("1. 3", "1. \0"),
    "digits for a winner": ("player 1 wins", f"player {'9' * 5000} wins"),
    "a deep book": ("first: 1", f"book:\n| x = {'[' * 100_000}\nfirst: 1"),
    "a deep book in braces": ("first: 1", f"book:\n| x = {'{a=' * 50_000}\nfirst: 1"),
    "a book with digits": ("first: 1", f"book:\n| x = {'9' * 5000}\nfirst: 1"),
    "a book of NUL": ("first: 1", "book:\n| \0\nfirst: 1"),
    "a book of dots": ("first: 1", f"book:\n| {'a.' * 20_000}a = 1\nfirst: 1"),
}


@pytest.mark.parametrize(("old", "new"), HOSTILE_RECORDS.values(), ids=HOSTILE_RECORDS)
def test_record_with_excessive_sizes_is_rejected_with_one_message(old: str, new: str, tmp_path: Path) -> None:
    written(tmp_path / "mine.toml", OWN_BOOK)
    assert old in RECORD
    path = written(tmp_path / "game" / "game.txt", RECORD.replace(old, new))
    with pytest.raises(nl.RecordError) as caught:
        read_record_file(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 100_000, "x = " + "{a=" * 50_000, "x = " + "9" * 5000, "\0", "a." * 20_000 + "a = 1"]
)
def test_excessive_defaults_are_rejected_with_one_message(text: str) -> None:
    path = written(platformdirs.user_config_path("numberline") / "config.toml", text)
    with pytest.raises(ConfigError) as caught:
        read_defaults()
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value).splitlines()) == 1


def test_invalid_manifest_of_a_map_is_rejected_with_one_message(tmp_path: Path) -> None:
    path = map_note(tmp_path)
    for name, value in (("settings", 5), ("book", ["x"]), ("settings", None), ("format", "1")):
        path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))
        with pytest.raises(NumberlineError, match=r"contains a different map.*; choose another directory$"):
            read_map(path)


def test_leftovers_of_a_killed_process_do_not_block_a_map(tmp_path: Path) -> None:
    folder = tmp_path / "map"
    folder.mkdir()
    (folder / ".numberline.0123456789abcdef").write_text("half")
    read_map(folder / "_map.json")
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_a_pipe_stays_a_pipe_when_it_is_recorded_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(nl.RecordError, match="is not a regular file; choose another file"):
        records.RecordFile(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
