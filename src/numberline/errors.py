"""Exceptions, and checks of arguments that raise them."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping

from numberline.text import safe_repr


class NumberlineError(Exception):
    """Something that a person can put right; the text is one sentence saying how."""


class BookError(NumberlineError, ValueError):
    """A book, a variant or a setting that makes no game."""


class BookFileError(BookError):
    """A book file that can't be used; `problems` has a sentence for each thing wrong with it."""

    def __init__(self, where: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{where}: {problem}" for problem in problems))
        self.where = where
        self.problems = problems


class MoveError(NumberlineError, ValueError):
    """A move that was not played; the position is unchanged."""


class UnreadableMove(MoveError):
    """Text that is not a move of this book in any position."""


class IllegalMove(MoveError):
    """A move of this book that is not allowed here."""


class RecordError(NumberlineError, ValueError):
    """A game record that can't be trusted; the text names the line."""


class OptionError(NumberlineError, ValueError):
    """An option that is of the wrong kind, or too small or too large; the text says what would do."""


class MissingExtra(NumberlineError, ImportError):
    """An optional dependency that is not installed; the text has the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} is not installed; run: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation (pip, pipx or uv; a clone or a published package)."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution("numberline").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    source = unquote(urlsplit(origin.get("url", "")).path)
    if source and Path(source) == Path.cwd():
        source = "."
    package = f'"{source or "numberline"}[{extra}]"'
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return f"pipx install --force {package}"
    if "uv" in parts and "tools" in parts:
        return f"uv tool install --force {package}"
    pip = "pip" if sys.prefix == sys.base_prefix else f"{Path(sys.executable)} -m pip"
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"{pip} install {editable}{package}"


def as_int(given: object) -> int | None:
    """The whole number that a program was given, of whatever width; None for what is none, a truth among it.

    >>> as_int(3), as_int(3.0), as_int(True)
    (3, None, None)
    """
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # whatever it is
    except TypeError:
        return None


def int_option(
    name: str, given: object, minimum: int = 1, maximum: int | None = None, error: type[NumberlineError] = OptionError
) -> int:
    """An option that is a whole number, of whatever width.

    >>> int_option("tries", 3)
    3
    """
    number = as_int(given)
    if number is None or number < minimum or (maximum is not None and number > maximum):
        wanted = f"from {minimum} to {maximum}" if maximum is not None else f"from {minimum} on"
        raise error(f"{name}={safe_repr(given)}: expected a whole number {wanted}")
    return number


def string_options(name: str, given: object, example: str) -> list[str]:
    """An option that is texts; a single one is a list of itself, and `such` is an example.

    >>> string_options("goals", "length=10..20", "length=10..20")
    ['length=10..20']
    """
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise OptionError(f"{name}={safe_repr(given)}: expected a list of texts such as {example!r}")
    several: list[str] = []
    for text in given:
        if not isinstance(text, str):
            raise OptionError(f"{name}: {safe_repr(text)} is no text; expected texts such as {example!r}")
        if len(several) == MAX_OPTION_VALUES:
            raise OptionError(f"{name}: expected at most {MAX_OPTION_VALUES:,} texts")
        several.append(text)
    return several


MAX_OPTION_VALUES = 10_000
"""Nobody gives more to one option."""
