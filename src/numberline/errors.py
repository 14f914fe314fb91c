"""Exceptions and argument validation."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping

from numberline.text import safe_repr

MAX_OPTION_VALUES = 10_000


class NumberlineError(Exception):
    """Base class for all errors that the user can fix; the message says how.

    >>> import numberline as nl
    >>> try:
    ...     nl.book("chess")
    ... except nl.NumberlineError as error:
    ...     print(type(error).__name__)
    BookError
    """


class BookError(NumberlineError, ValueError):
    """An unknown book, or settings that don't form a valid game.

    >>> import numberline as nl
    >>> nl.book("line-runner(end=0)")
    Traceback (most recent call last):
    numberline.errors.BookError: end=0: the line starts at 0; expected 1 or more
    """


class BookFileError(BookError):
    """An invalid book file; `problems` describes up to ten errors in it.

    >>> import numberline as nl
    >>> nl.book_from_toml("[rules", "race")
    Traceback (most recent call last):
    numberline.errors.BookFileError: race: the last line: invalid TOML: expected ']' at the end of a table declaration
    """

    def __init__(self, source_name: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{source_name}: {problem}" for problem in problems))
        self.source_name = source_name
        self.problems = problems


class MoveError(NumberlineError, ValueError):
    """A move that was rejected; the position is unchanged.

    >>> import numberline as nl
    >>> match = nl.Match(nl.book("flag-chase"))
    >>> try:
    ...     match.play("7")
    ... except nl.MoveError:
    ...     print(match.length)
    0
    """


class UnreadableMove(MoveError):
    """Text that can't be parsed as a move.

    >>> import numberline as nl
    >>> nl.Match(nl.book("flag-chase")).play("hop")
    Traceback (most recent call last):
    numberline.errors.UnreadableMove: 'hop' can't be read as a move. You can play 1, 2, or 3.
    """


class IllegalMove(MoveError):
    """A move that is not legal in the current position, or not part of this variant.

    >>> import numberline as nl
    >>> nl.Match(nl.book("flag-chase"), start=nl.Position(1, (4, 10))).play("3")
    Traceback (most recent call last):
    numberline.errors.IllegalMove: you can't play 3: it would take you past the flag. You can play 1.
    """


class RecordError(NumberlineError, ValueError):
    """A damaged game record or an invalid position; for a record, the message includes the line number.

    >>> from numberline.game.notation import parse_records
    >>> parse_records("1. e4", "game.txt")
    Traceback (most recent call last):
    numberline.errors.RecordError: game.txt, line 1: expected 'numberline record 1'; found '1. e4'
    """


class OptionError(NumberlineError, ValueError):
    """An argument of the wrong type or out of range.

    >>> import numberline as nl
    >>> nl.solve("flag-chase", memory=0)
    Traceback (most recent call last):
    numberline.errors.OptionError: memory=0: expected a whole number of at least 1
    """


class MissingExtra(NumberlineError, ImportError):
    """A missing optional dependency; the message includes the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} is not installed; run: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the pip, pipx or uv command that adds `extra` to this installation, even if it is editable."""
    import json
    from contextlib import suppress
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    origin, installer = {}, ""
    with suppress(PackageNotFoundError):
        installed = distribution("numberline")
        origin = json.loads(installed.read_text("direct_url.json") or "{}")
        installer = (installed.read_text("INSTALLER") or "").strip()
    url, vcs = origin.get("url", ""), origin.get("vcs_info", {}).get("vcs")
    package = f"numberline[{extra}]"
    if url.startswith("file:"):
        source = Path(unquote(urlsplit(url).path))
        package = f"{'.' if source == Path.cwd() else source}[{extra}]"
    elif url:
        package += f" @ {f'{vcs}+' if vcs else ''}{url}"
    package = f'"{package}"'
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return f"pipx install --force {package}"
    if "uv" in parts and "tools" in parts:
        return f"uv tool install --force {package}"
    install = "pip install" if sys.prefix == sys.base_prefix else f"{sys.executable} -m pip install"
    if installer == "uv":  # uv creates environments without pip
        install = f"uv pip install --python {sys.executable}"
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"{install} {editable}{package}"


def as_int(given: object) -> int | None:
    """Return `given` as an int if it is an integer of any type other than bool; otherwise return None.

    >>> as_int(3), as_int(3.0), as_int(True)
    (3, None, None)
    """
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # TypeError is handled
    except TypeError:
        return None


def int_option(
    name: str, given: object, minimum: int = 1, maximum: int | None = None, error: type[NumberlineError] = OptionError
) -> int:
    """Return `given` as an int; raise `error` unless it is an integer from `minimum` to `maximum`.

    >>> int_option("tries", 3)
    3
    """
    number = as_int(given)
    if number is None or number < minimum or (maximum is not None and number > maximum):
        wanted = f"from {minimum} to {maximum}" if maximum is not None else f"of at least {minimum}"
        raise error(f"{name}={safe_repr(given)}: expected a whole number {wanted}")
    return number


def string_options(name: str, given: object, example: str) -> list[str]:
    """Return the strings given for an option as a list; a single string becomes a list with one item.

    >>> string_options("goals", "length=10..20", "length=10..20")
    ['length=10..20']
    """
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise OptionError(f"{name}={safe_repr(given)}: expected a list of strings such as {example!r}")
    strings: list[str] = []
    for text in given:
        if not isinstance(text, str):
            raise OptionError(f"{name}: expected strings such as {example!r}, got {safe_repr(text)}")
        if len(strings) == MAX_OPTION_VALUES:
            raise OptionError(f"{name}: expected at most {MAX_OPTION_VALUES:,} strings")
        strings.append(text)
    return strings
