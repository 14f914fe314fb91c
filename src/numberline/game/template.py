"""A book as its file states it, with its settings still open, and the rules it comes to once they are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from numberline.errors import BookError
from numberline.game.rules import Rules
from numberline.game.setting_types import LINE_END_TYPE, PLACE_TYPE, RULE_TYPES, SettingType
from numberline.text import did_you_mean, quote, safe_repr

PlaceRef: TypeAlias = int | str
"""A place as a book names it: a number, one of its own words, `middle`, or `either end` for a goal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookTemplate:
    """What a book decides, with its settings still open."""

    name: str
    title: str
    about: str
    voice: Mapping[str, str]
    source: str | None
    """The text of the file, where the book is not one of this package's."""
    line: tuple[PlaceRef, PlaceRef]
    shared: bool
    start: PlaceRef | tuple[PlaceRef, ...]
    goal: PlaceRef | tuple[PlaceRef, ...]
    """One place for all players, or one for each."""
    moves: str
    defaults: Mapping[str, Any]
    """The book's own value of everything that a variant may set, in its order: its words for places, and the rules."""
    main_settings: tuple[str, ...]
    """The settings that the book itself speaks of."""

    def setting_type(self, name: str) -> SettingType:
        """What values a setting takes."""
        if name in self.line:
            return LINE_END_TYPE
        return RULE_TYPES.get(name, PLACE_TYPE)

    def changes(self, texts: Mapping[str, str], before: Mapping[str, Any]) -> dict[str, Any]:
        """The values that differ from the book's once these settings are made on top of what was changed before.

        They are in the book's order, and a middle counts as the number that it comes to.
        """
        chosen = {**self.defaults, **before, **{name: self._read(name, text) for name, text in texts.items()}}
        low, high = self._line(chosen)

        def number(value: Any) -> Any:
            return middle(low, high) if value == "middle" else value

        return {name: number(value) for name, value in chosen.items() if number(value) != number(self.defaults[name])}

    def require_setting(self, name: str) -> None:
        """Raises where the book has no such setting."""
        if isinstance(name, str) and name in self.defaults:
            return
        typed = quote(name)[1:-1] if isinstance(name, str) else safe_repr(name)
        meant = did_you_mean(typed, self.defaults)
        raise BookError(f"{typed}: {self.title} has no such setting; it has {', '.join(self.defaults)}{meant}")

    def _read(self, name: str, text: str) -> Any:
        self.require_setting(name)
        value = self.setting_type(name).read(text)
        if value is None:
            raise BookError(f"{name}={quote(text)[1:-1]}: expected {self.setting_type(name).expects}")
        return value

    def rules(self, chosen: Mapping[str, Any]) -> Rules:
        """The rules once every setting is chosen, whether or not they make a game."""
        low, high = self._line(chosen)
        players = chosen["players"]

        def place(ref: PlaceRef) -> int:
            value = chosen.get(str(ref), ref)
            return middle(low, high) if value == "middle" else int(value)

        return Rules(
            line=(low, high),
            shared=self.shared,
            starts=tuple(map(place, per_player(self.start, players))),
            goals=tuple(
                (low, high) if ref == "either end" else (place(ref),) for ref in per_player(self.goal, players)
            ),
            moves=self.moves,  # type: ignore[arg-type]  # the file's schema lets nothing else through
            **{name: value for name, value in chosen.items() if name in RULE_TYPES},
        )

    def _line(self, chosen: Mapping[str, Any]) -> tuple[int, int]:
        low, high = (chosen.get(str(ref), ref) for ref in self.line)
        return low, high


def per_player(refs: PlaceRef | tuple[PlaceRef, ...], players: int) -> tuple[PlaceRef, ...]:
    """A place for each player, where a book names one for each or one for all."""
    return refs if isinstance(refs, tuple) else (refs,) * players


def middle(low: int, high: int) -> int:
    """The middle of a line, rounded up.

    >>> middle(0, 15)
    8
    """
    return (low + high + 1) // 2
