"""Solutions in memory and in the cache folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import numberline as nl
from numberline.solver import cache as solution_cache
from numberline.solver.cache import cached_solution, is_cached
from support.variants import reachable

BOOKS = ["line-runner(end=80)", "reach-the-edge(end=2000)", "number-reach(players=3, target=900)"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for books of any size; nothing is in memory."""
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    monkeypatch.setattr(solution_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(solution_cache, "MIN_CACHED_POSITIONS", 0)
    return tmp_path / "cache"


def recalled(book: nl.Book, monkeypatch: pytest.MonkeyPatch) -> nl.Solution:
    """Return the solution from the cache folder."""
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    with monkeypatch.context() as patch:
        patch.setattr(solution_cache, "solve", lambda *_args, **_options: pytest.fail("it was solved again"))
        return cached_solution(book)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("variant", BOOKS)
def test_recalled_solution_equals_the_solved_one(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book(variant)
    solution = cached_solution(book)
    again = recalled(book, monkeypatch)
    assert again is not solution
    assert all(again.worth(position) == solution.worth(position) for position in reachable(book))
    assert (again.counts(), again.live) == (solution.counts(), solution.live)


def test_solution_of_a_custom_book_is_recalled(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = '[rules]\nline = [0, 99]\nstart = 0\ngoal = 99\nmoves = "forward"\nsteps = "1-{}"\n'
    files = [tmp_path / "two.toml", tmp_path / "three.toml"]
    for most, file in zip((2, 3), files, strict=True):
        file.write_text(f'title = "Mine"\n{rules.format(most)}')
    books = [nl.book(file) for file in files]
    worths = [cached_solution(book).worth(book.start()) for book in books]
    assert len(list(folder.iterdir())) == 2
    assert [recalled(book, monkeypatch).worth(book.start()) for book in books] == worths


def test_few_reachable_positions_are_not_stored(folder: Path) -> None:
    assert cached_solution(nl.book("flag-chase")).value(nl.book("flag-chase").start()) == "win"
    assert not folder.exists()


def test_solution_is_computed_once_for_all_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    assert cached_solution(nl.book("flag-chase(end=12)")) is cached_solution(nl.book("flag-chase").vary("end=12"))


def test_least_recently_used_solution_is_dropped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    games = [nl.book(f"flag-chase(end={end})") for end in range(10, 11 + solution_cache.MAX_SOLUTIONS_IN_MEMORY)]
    first, second = cached_solution(games[0]), cached_solution(games[1])
    for game in (*games[2:-1], games[0], games[-1]):
        cached_solution(game)
    assert cached_solution(games[0]) is first
    assert cached_solution(games[1]) is not second


def test_large_solution_is_stored_in_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("line-runner(end=80)")
    assert not is_cached(book)
    cached_solution(book)
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    assert is_cached(book)


def test_damaged_file_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("line-runner(end=80)")
    worth = cached_solution(book).worth(book.start())
    (file,) = folder.iterdir()
    content = file.read_bytes()
    file.write_bytes(b"rubbish")
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    assert cached_solution(book).worth(book.start()) == worth
    assert file.read_bytes() == content


def test_unwritable_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    monkeypatch.setattr(solution_cache, "cache_folder", lambda: tmp_path / "file")
    monkeypatch.setattr(solution_cache, "MIN_CACHED_POSITIONS", 0)
    book = nl.book("line-runner(end=80)")
    assert cached_solution(book).value(book.start()) == "win"


WRITE_OFTEN = """
import sys
from pathlib import Path
import numberline as nl
from numberline.solver import cache

solution = nl.solve(nl.book(sys.argv[2]))
for _ in range(20):
    cache._save(solution, Path(sys.argv[1]))
"""


def test_concurrent_writers_leave_one_valid_file(tmp_path: Path) -> None:
    path, book = tmp_path / "solution.npy", "line-runner(end=80)"
    writers = [subprocess.Popen([sys.executable, "-c", WRITE_OFTEN, str(path), book]) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    loaded, expected = solution_cache._load(nl.book(book), path), nl.solve(nl.book(book))
    assert all((mine == other).all() for mine, other in zip(loaded.entries, expected.entries, strict=True))
    assert [file.name for file in tmp_path.iterdir()] == ["solution.npy"]


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import numberline as nl
from numberline.solver.cache import cached_solution
book = nl.book("number-reach(target=3000, operations='+1 *1000000000', overshoot=counts)")
print(cached_solution(book).value(book.start()))
"""


def test_large_book_is_solved_without_numpy() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "win\n"
