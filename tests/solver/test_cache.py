"""Solutions in files: what was saved is read again, and what is damaged is refused or worked out anew."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import numberline as nl
from numberline.solver import cache as solution_cache
from numberline.solver.cache import SolutionFileError, cached_solution, load, save
from support.variants import reachable

BOOKS = ["flag-chase", "line-runner(end=80)", "number-reach(players=3)"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, in which even small books are kept; nothing is in memory."""
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    monkeypatch.setattr(solution_cache, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(solution_cache, "MIN_CACHED_POSITIONS", 0)
    return tmp_path / "cache"


@pytest.mark.parametrize("variant", BOOKS)
def test_a_saved_solution_says_the_same_of_every_position(variant: str, tmp_path: Path) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    save(solution, tmp_path / "solution.npz")
    again = load(tmp_path / "solution.npz")
    assert again.book == book
    assert all(again.worth(position) == solution.worth(position) for position in reachable(book))


def test_the_solution_of_an_own_book_carries_the_book(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "Mine"\n[rules]\nline = [0, 9]\nstart = 0\ngoal = 9\nmoves = "forward"\nsteps = "1-2"\n')
    book = nl.book(file)
    save(nl.solve(book), tmp_path / "solution.npz")
    file.unlink()
    assert load(tmp_path / "solution.npz").book == book


@pytest.mark.parametrize("size", [0, 10, 1000])
def test_a_file_that_is_cut_off_is_refused(size: int, tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    save(nl.solve(nl.book("flag-chase")), file)
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(SolutionFileError, match="is not a solution, or it is damaged; solve the variant again"):
        load(file)


def test_a_file_with_something_changed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    save(nl.solve(nl.book("flag-chase")), file)
    with np.load(file) as content:
        parts = dict(content)
    parts["column0"][3] += 1
    np.savez(file, **parts)
    with pytest.raises(SolutionFileError, match="is damaged: its checksum is wrong; solve the variant again"):
        load(file)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    np.savez(file, numbers=np.arange(3))
    with pytest.raises(SolutionFileError, match="is not a solution, or it is damaged"):
        load(file)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    text = json.dumps({"format": 99})
    np.savez(file, about=np.array(text), checksum=np.array(solution_cache._checksum(text, [])))
    with pytest.raises(SolutionFileError, match="has format 99, expected 2; solve the variant again"):
        load(file)


def test_a_file_for_another_number_of_positions_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    text = json.dumps({"format": 2, "variant": "flag-chase", "source": None, "numbering": "walk"})
    columns = [np.zeros(3, np.int32)]
    np.savez(file, about=np.array(text), checksum=np.array(solution_cache._checksum(text, columns)), column0=columns[0])
    with pytest.raises(SolutionFileError, match="it does not have as many positions as flag-chase"):
        load(file)


def test_a_file_with_a_book_that_is_no_more_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    text = json.dumps({"format": 2, "variant": "chess", "source": None, "numbering": "walk"})
    np.savez(file, about=np.array(text), checksum=np.array(solution_cache._checksum(text, [])))
    with pytest.raises(SolutionFileError, match="the book in it can't be used: there is no book 'chess'"):
        load(file)


def test_a_solution_is_worked_out_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    assert cached_solution(nl.book("flag-chase(end=12)")) is cached_solution(nl.book("flag-chase").vary("end=12"))


def test_of_many_solutions_the_one_that_nobody_asked_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    games = [nl.book(f"flag-chase(end={end})") for end in range(10, 11 + solution_cache.MAX_SOLUTIONS_IN_MEMORY)]
    first, second = cached_solution(games[0]), cached_solution(games[1])
    for game in (*games[2:-1], games[0], games[-1]):
        cached_solution(game)
    assert cached_solution(games[0]) is first
    assert cached_solution(games[1]) is not second


def test_a_large_variant_is_solved_once_and_then_recalled(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("line-runner(end=80)")
    first = cached_solution(book)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    monkeypatch.setattr(solution_cache, "solve", lambda *_args, **_options: pytest.fail("it was solved again"))
    assert cached_solution(book).worth(book.start()) == first.worth(book.start())


def test_what_was_recalled_counts_its_positions_as_what_was_solved(tmp_path: Path) -> None:
    for variant in BOOKS:
        solution = nl.solve(nl.book(variant))
        save(solution, tmp_path / "solution.npz")
        again = load(tmp_path / "solution.npz")
        assert (again.counts(), again.live) == (solution.counts(), solution.live)


def test_a_damaged_cache_is_worked_out_again_and_mended(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("line-runner(end=80)")
    right = cached_solution(book).worth(book.start())
    (file,) = cache.iterdir()
    file.write_bytes(b"rubbish")
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    assert cached_solution(book).worth(book.start()) == right
    assert load(file).book == book


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(solution_cache, "_KEPT", {})
    monkeypatch.setattr(solution_cache, "cache_folder", lambda: tmp_path / "file")
    monkeypatch.setattr(solution_cache, "MIN_CACHED_POSITIONS", 0)
    assert cached_solution(nl.book("flag-chase")).value(nl.book("flag-chase").start()) == "win"


WRITE_OFTEN = """
import sys
from pathlib import Path
import numberline as nl
from numberline.solver.cache import save

solution = nl.solve(nl.book(sys.argv[2]))
for _ in range(20):
    save(solution, Path(sys.argv[1]))
"""


def test_two_programs_that_write_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "solution.npz"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE_OFTEN, str(path), name]) for name in ("flag-chase", "line-runner")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert load(path).book.name in {"flag-chase", "line-runner"}
    assert [file.name for file in tmp_path.iterdir()] == ["solution.npz"]


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import numberline as nl
from numberline.solver.cache import cached_solution
book = nl.book("number-reach(target=3000, operations='+1 *1000000000', overshoot=counts)")
print(cached_solution(book).value(book.start()))
"""


def test_a_large_book_is_solved_without_numpy_too() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "win\n"
