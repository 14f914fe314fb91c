"""Where books come from: the five of this package, and TOML files of your own."""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import cache
from os import PathLike
from pathlib import Path

from numberline.errors import BookError, BookFileError
from numberline.files import InvalidTextFile, os_error_reason, read_text
from numberline.game.book import Book
from numberline.game.book_file import BookFileValidator
from numberline.game.safe_toml import parse_toml
from numberline.game.variant_syntax import split_variant
from numberline.text import normalize_name, quote, safe_repr

BUILTIN_DIR = Path(__file__).parent.parent / "books"
NAMES = ("reach-the-edge", "number-reach", "number-line-sprint", "flag-chase", "line-runner")
"""The five games, in the order in which they are listed."""
MAX_BOOK_BYTES = 1_000_000
"""Bytes; no book is longer, and nothing longer is read."""


def book(name: str | PathLike[str] | Book) -> Book:
    """The book of that name, variant or file; a book is its own.

    >>> book("line-runner(steps=1-3, end=30)").variant
    'line-runner(end=30)'
    """
    if isinstance(name, Book):
        return name
    if isinstance(name, PathLike):
        return read_book_file(Path(name))
    if not isinstance(name, str):
        raise BookError(f"{safe_repr(name)} is not a book; expected a name such as {NAMES[-1]}, a variant, or a path")
    text, settings = split_variant(name)
    plain = read_book_file(Path(text)) if _is_path(text) else _builtin(_builtin_name(text))
    return plain.vary(*settings) if settings else plain


def _is_path(text: str) -> bool:
    return text.endswith(".toml") or "/" in text or "\\" in text


def read_book_file(path: Path) -> Book:
    """The book in a file of your own."""
    try:
        text = read_text(path, MAX_BOOK_BYTES)
    except OSError as error:
        raise BookFileError(str(path), [f"can't be read: {os_error_reason(error)}"]) from None
    except InvalidTextFile as error:
        raise BookFileError(str(path), [f"{error}; expected a book in TOML"]) from None
    return book_from_text(text, name_from_stem(path.stem), source_name=str(path))


def name_from_stem(stem: str) -> str:
    """What a book is called whose file is called so: the same, but for what a variant is written with.

    >>> name_from_stem("my-game"), name_from_stem("my-game (1)")
    ('my-game', 'my-game 1')
    """
    return normalize_name(re.sub("[()=]", " ", stem)) or "book"


def restore_book(variant: str, source: str | None, *, source_name: str = "") -> Book:
    """The variant that was written down somewhere, with the text of its book where that is not one of this package's.

    `where` is what the errors in that text begin with, unless it is the variant itself. No file is read for it.
    """
    name, settings = split_variant(variant)
    if source is None and _is_path(name):
        raise BookError(f"{quote(name)} is none of the five books; a book of your own is written down with its text")
    if source is None:
        return book(variant)
    return book_from_text(source, name, source_name=source_name or variant).vary(*settings)


def book_from_text(text: str, name: str, *, source_name: str, custom: bool = True) -> Book:
    """The book that a TOML text makes; `where` is what its errors begin with."""
    try:
        data = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise BookFileError(source_name, [_syntax_problem(error)]) from None
    except RecursionError:
        raise BookFileError(source_name, ["nested too deeply; expected a book in TOML"]) from None
    except ValueError:
        raise BookFileError(source_name, ["a number in it has too many digits; expected a book in TOML"]) from None
    schema = BookFileValidator(data)
    if schema.problems:
        raise BookFileError(source_name, schema.problems)
    try:
        return Book(schema.draft(name, source=_with_plain_ends(text) if custom else None))
    except BookError as error:
        raise BookFileError(source_name, [str(error)]) from None


def _with_plain_ends(text: str) -> str:
    """The text with each line ended as a record will end it, so that a book that was written down is the same book."""
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


def _syntax_problem(error: tomllib.TOMLDecodeError) -> str:
    """A syntax error with its line first: `line 3: …`."""
    reason, _, place = str(error).rpartition(" (at ")
    line = place.split(",")[0].removesuffix(")") if place.startswith("line") else "the last line"
    return f"{line}: not TOML: {reason[:1].lower()}{reason[1:]}" if reason else str(error)


def _builtin_name(typed: str) -> str:
    name = "-".join(typed.lower().replace("_", " ").replace("-", " ").split())
    if name in NAMES:
        return name
    near = difflib.get_close_matches(name, NAMES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the books are {', '.join(NAMES)}, or a path to a .toml file"
    raise BookError(f"there is no book {quote(typed)}; {hint}")


@cache
def _builtin(name: str) -> Book:
    text = (BUILTIN_DIR / f"{name}.toml").read_text(encoding="utf-8")
    return book_from_text(text, name, source_name=f"{name}.toml", custom=False)
