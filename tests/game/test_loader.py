"""Sources of books: the files of the package, TOML text, and entry points of other packages."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import numberline as nl
from numberline.game import loader
from support.variants import RULE_BOOKS

BOOKS = Path(loader.__file__).parent.parent / "books"
RACE = """
title = "Short Race"
[rules]
line = [0, 4]
start = 0
goal = 4
moves = "forward"
steps = "1-2"
"""


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Pretend that other packages offer these objects as books."""
    offered: dict[str, Any] = {}

    class FakeEntryPoint(EntryPoint):
        def load(self) -> Any:
            if isinstance(offered[self.name], Exception):
                raise offered[self.name]
            return offered[self.name]

    def find(group: str) -> list[EntryPoint]:
        assert group == "numberline.books"
        return [FakeEntryPoint(name, f"package:{name}", group) for name in offered]

    monkeypatch.setattr("importlib.metadata.entry_points", find)
    for cached in (loader._installed, loader._load_entry_point):
        cached.cache_clear()
    yield offered
    for cached in (loader._installed, loader._load_entry_point):
        cached.cache_clear()


def test_built_in_names_come_from_the_files_in_their_order() -> None:
    assert nl.NAMES[:5] == RULE_BOOKS
    assert [file.stem for file in sorted(BOOKS.glob("*.toml"))] == [
        f"{n:02}-{name}" for n, name in enumerate(nl.NAMES, 1)
    ]


def test_every_file_of_a_built_in_book_has_a_number() -> None:
    assert [file.name for file in BOOKS.glob("*.toml") if not re.fullmatch(r"\d\d-[a-z-]+\.toml", file.name)] == []


def test_new_file_is_a_new_book(tmp_path: Path) -> None:
    code = (
        "import shutil, sys; from pathlib import Path; import importlib.util\n"
        "package = Path(importlib.util.find_spec('numberline').origin).parent\n"
        "shutil.copytree(package, sys.argv[1] + '/numberline', ignore=shutil.ignore_patterns('web', 'static'))\n"
        "Path(sys.argv[1], 'numberline/books/99-short-race.toml').write_text(sys.argv[2])\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import numberline as nl\n"
        "print(nl.__file__.startswith(sys.argv[1]), nl.NAMES[-1], nl.book('short race'))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), RACE], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "True short-race <Book short-race>\n"


def test_book_from_toml_plays_and_carries_its_text() -> None:
    book = nl.book_from_toml(RACE, "short-race")
    assert (book.name, book.source, book.moves(book.start())) == ("short-race", RACE, ("1", "2"))
    assert loader.restore_book(book.vary("steps=1").variant, book.source) == book.vary("steps=1")


def test_errors_in_toml_text_start_with_the_source_name() -> None:
    with pytest.raises(nl.BookFileError, match=r"^here: title: missing"):
        nl.book_from_toml(RACE.replace('title = "Short Race"', ""), source_name="here")


@pytest.mark.parametrize("kind", ["text", "path", "path as text"])
def test_book_of_another_package_is_found_by_name(kind: str, entry_points: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "race.toml"
    file.write_text(RACE)
    entry_points["short-race"] = {"text": RACE, "path": file, "path as text": str(file)}[kind]
    book = nl.book("Short Race")
    assert (book.name, book.source) == ("short-race", RACE)
    assert nl.book("short-race(steps=1)").moves(book.start()) == ("1",)
    assert loader.book_names() == (*nl.NAMES, "short-race")


def test_book_of_another_package_can_not_replace_a_built_in_one(entry_points: dict[str, Any]) -> None:
    entry_points["flag-chase"] = RACE
    assert nl.book("flag-chase").title == "Flag Chase"
    assert loader.book_names() == nl.NAMES


@pytest.mark.parametrize(
    ("offered", "message"),
    [
        (ImportError("no module"), "the book short-race can't be loaded from package:short-race: no module"),
        (5, "the book short-race can't be loaded from package:short-race: "),
        (RACE.replace("goal = 4", ""), r"short-race \(package:short-race\): rules.goal: expected"),
    ],
    ids=["import fails", "not a text", "invalid book"],
)
def test_broken_book_of_another_package_is_named(offered: Any, message: str, entry_points: dict[str, Any]) -> None:
    entry_points["short-race"] = offered
    with pytest.raises(nl.BookError, match=message):
        nl.book("short-race")


def test_unknown_name_suggests_books_of_other_packages(entry_points: dict[str, Any]) -> None:
    entry_points["short-race"] = RACE
    with pytest.raises(nl.BookError, match=r"unknown book 'short-rase'; did you mean short-race\?"):
        nl.book("short-rase")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("sprint", "number-line-sprint"), ("flag", "flag-chase"), ("line", "line-runner"), ("Reach", "reach-the-edge")],
)
def test_start_or_a_word_of_a_name_is_enough(typed: str, name: str) -> None:
    assert nl.book(typed).name == name
    assert nl.book(f"{typed}(repeat=banned)").name == name


def test_name_that_fits_several_books_is_rejected() -> None:
    with pytest.raises(nl.BookError, match="'number' could be number-reach or number-line-sprint; type more"):
        nl.book("number")
