"""Loading of books: built-in ones, and those from other installed packages, TOML files or TOML text."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from numberline.errors import BookError, BookFileError
from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.game.book import Book
from numberline.game.book_file import BookFileValidator, parse_toml
from numberline.game.settings import split_variant
from numberline.text import find_similar, join_or, normalize_name, quote, safe_repr

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "numberline.books"
MAX_BOOK_BYTES = 1_000_000
BUILTIN_DIR = Path(__file__).parents[1] / "books"

# File names such as 03-number-line-sprint.toml consist of the position in the list and the name of the book.
_BUILTIN_FILES = {path.stem.partition("-")[2]: path for path in sorted(BUILTIN_DIR.glob("*.toml"))}
NAMES = tuple(_BUILTIN_FILES)


def book(name: str | PathLike[str] | Book) -> Book:
    """Return a book, given its name, a variant such as `line-runner(end=30)`, or the path to a TOML file.

    >>> import numberline as nl
    >>> nl.book("line-runner(steps=1-3, end=30)").variant
    'line-runner(end=30)'
    """
    if isinstance(name, Book):
        return name
    if isinstance(name, PathLike):
        return _read_file(Path(name))
    if not isinstance(name, str):
        raise BookError(f"{safe_repr(name)} is not a book; expected a name such as line-runner, a variant, or a path")
    text, settings = split_variant(name)
    plain = _read_file(Path(text)) if _is_path(text) else _find(text)
    return plain.vary(*settings) if settings else plain


def book_from_toml(text: str, name: str = "custom", *, source_name: str = "") -> Book:
    """Return the book defined by TOML text; error messages start with `source_name` or, if empty, with `name`.

    >>> import numberline as nl
    >>> nl.book_from_toml('''
    ... title = "Short Race"
    ... [rules]
    ... line = [0, 4]
    ... start = 0
    ... goal = 4
    ... moves = "forward"
    ... steps = "1-2"
    ... ''', "short-race")
    <Book short-race>
    """
    return _parse(text, name, source_name or name, source=text.replace("\r\n", "\n").rstrip("\n") + "\n")


def restore_book(variant: str, source: str | None, *, source_name: str = "") -> Book:
    """Return the book for a stored variant without reading user files; `source` is the TOML text of a custom book."""
    name, settings = split_variant(variant)
    if source is not None:
        return book_from_toml(source, name, source_name=source_name or variant).vary(*settings)
    if _is_path(name):
        raise BookError(f"{quote(name)} is not a built-in book; records of custom books must include the book's text")
    return book(variant)


def book_names() -> tuple[str, ...]:
    """Return the names of all installed books: first the built-in ones, then those from other packages."""
    return (*NAMES, *_installed())


def builtin_text(name: str) -> str:
    """Return the TOML text of a built-in book."""
    return _BUILTIN_FILES[name].read_text(encoding="utf-8")


def _is_path(text: str) -> bool:
    return text.lower().endswith(".toml") or "/" in text or "\\" in text


def _read_file(path: Path) -> Book:
    try:
        text = read_text(path, MAX_BOOK_BYTES)
    except OSError as error:
        raise BookFileError(str(path), [f"can't be read: {os_error_reason(error)}"]) from None
    except InvalidTextFile as error:
        raise BookFileError(str(path), [f"{error}; expected a book in TOML"]) from None
    return book_from_toml(text, _name_from_stem(path.stem), source_name=str(path))


def _name_from_stem(stem: str) -> str:
    """Return the book name for a file: its stem without the characters that the variant syntax reserves.

    >>> _name_from_stem("my-game"), _name_from_stem("my-game (1)")
    ('my-game', 'my-game 1')
    """
    return normalize_name(re.sub("[()=]", " ", stem)) or "book"


def _find(typed: str) -> Book:
    name = "-".join(typed.lower().replace("_", " ").replace("-", " ").split())
    if name in NAMES:
        return _builtin(name)
    if name in _installed():
        return _load_entry_point(name)
    starting = [known for known in book_names() if name and known.startswith(name)]
    found = starting or [known for known in book_names() if name in known.split("-")]
    if len(found) == 1:
        return _find(found[0])
    if found:
        raise BookError(f"{quote(typed)} could be {join_or(found)}; type more of the name")
    near = find_similar(name, book_names())
    hint = f"did you mean {near}?" if near else f"expected {', '.join(book_names())}, or a path to a .toml file"
    raise BookError(f"unknown book {quote(typed)}; {hint}")


@cache
def _builtin(name: str) -> Book:
    return _parse(builtin_text(name), name, f"{name}.toml", source=None)


@cache
def _installed() -> dict[str, EntryPoint]:
    """Return the entry point of each book from another package, by name; built-in books can't be overridden."""
    from importlib.metadata import entry_points  # slow to import and rarely needed

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP) if entry.name not in NAMES}


@cache
def _load_entry_point(name: str) -> Book:
    """Load a book from another package; its entry point refers to TOML text or to the path of a TOML file."""
    entry = _installed()[name]
    try:
        found = entry.load()
        if isinstance(found, str) and "\n" not in found:
            found = Path(found)
        text = found if isinstance(found, str) else found.read_text(encoding="utf-8")
    except Exception as error:
        raise BookError(f"the book {name} can't be loaded from {entry.value}: {error}") from error
    return book_from_toml(text, name, source_name=f"{name} ({entry.value})")


def _parse(text: str, name: str, source_name: str, *, source: str | None) -> Book:
    """Return the book defined by TOML text; `source` is the text to store in records, None for a built-in book."""
    try:
        validator = BookFileValidator(parse_toml(text))
    except tomllib.TOMLDecodeError as error:
        raise BookFileError(source_name, [_syntax_problem(error)]) from None
    except RecursionError:
        raise BookFileError(source_name, ["nested too deeply; expected a book in TOML"]) from None
    except ValueError:
        raise BookFileError(source_name, ["a number has too many digits; expected a book in TOML"]) from None
    if validator.problems:
        raise BookFileError(source_name, validator.problems)
    try:
        return Book(validator.template(name, source))
    except BookError as error:
        raise BookFileError(source_name, [str(error)]) from None


def _syntax_problem(error: tomllib.TOMLDecodeError) -> str:
    """Format a TOML syntax error so that it starts with the line number: `line 3: …`."""
    reason, _, place = str(error).rpartition(" (at ")
    line = place.split(",")[0].removesuffix(")") if place.startswith("line") else "the last line"
    return f"{line}: invalid TOML: {reason[:1].lower()}{reason[1:]}" if reason else str(error)
