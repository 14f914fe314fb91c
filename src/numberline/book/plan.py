"""A book as its file states it, with its settings still open, and the rules it comes to once they are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numberline.book import sense
from numberline.book import settings as values
from numberline.book.places import Places, Ref, middle
from numberline.rules.answers import Rules
from numberline.rules.errors import BookError

DEFAULTS: dict[str, Any] = {
    "steps": (),
    "operations": (),
    "overshoot": "refused",
    "meeting": "shares",
    "repeat": "free",
    "stuck": "passes",
    "finish": "all",
    "tokens": 1,
    "players": 2,
    "reverse": False,
    "skip": False,
}
"""What a rule is where a book says nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a book decides, with its settings still open."""

    title: str
    line: tuple[Ref, Ref]
    shared: bool
    start: Ref | tuple[Ref, ...]
    """One place for all players, or one for each."""
    goal: Ref | tuple[Ref, ...]
    """One place for all players, one for each, or `either end`."""
    moves: str
    words: Mapping[str, int | str]
    """The places that a variant may change, by the book's own words, with the book's numbers."""
    rules: Mapping[str, Any]
    """The book's answers to the rules that every book has."""
    first_settings: tuple[str, ...]
    """The settings that the book itself speaks of, in its order; the engine's other rules come after them."""

    @property
    def settings(self) -> tuple[str, ...]:
        """Every name that a variant of this book may set, in order."""
        other = "steps" if self.moves == "operations" else "operations"
        rest = (name for name in values.RULES if name != other and name not in self.first_settings)
        return (*self.first_settings, *rest)

    @property
    def defaults(self) -> dict[str, Any]:
        """The book's own value of every setting."""
        every = {**DEFAULTS, **self.rules, **self.words}
        return {name: every[name] for name in self.settings}

    def kind(self, name: str) -> values.Kind:
        """What values a setting takes."""
        if name in self.line:
            return values.END
        return values.PLACE if name in self.words else values.RULES[name]

    def read(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """The values that a variant's settings mean, without those that are the book's own."""
        chosen = {}
        for name, text in texts.items():
            if name not in self.settings:
                raise BookError(f"{name}: {self.title} has no such setting; it has {', '.join(self.settings)}")
            try:
                chosen[name] = values.read(name, self.kind(name), text)
            except values.NotAValue as error:
                raise BookError(str(error)) from None
        return self._canonical(chosen)

    def _canonical(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """The values that differ from the book's, in its order; a middle counts as the number that it comes to."""
        defaults = self.defaults
        low, high = self._line({**defaults, **chosen})

        def number(name: str, value: Any) -> Any:
            return middle(low, high) if name in self.words and value == "middle" else value

        numbers = {name: number(name, chosen[name]) for name in self.settings if name in chosen}
        return {name: value for name, value in numbers.items() if value != number(name, defaults[name])}

    def _line(self, chosen: Mapping[str, Any]) -> tuple[int, int]:
        low, high = (chosen[ref] if isinstance(ref, str) else ref for ref in self.line)
        return low, high

    def rules_with(self, changes: Mapping[str, Any]) -> Rules:
        """The rules of a variant; refuses, with one sentence, what makes no game."""
        chosen = {**self.defaults, **changes}
        places = self._places(chosen)
        sense.of_places(self, chosen, places)
        rules = self._rules(chosen, places)
        sense.of_numbers(rules)
        sense.of_changes(self, {name: chosen[name] for name in changes if name in values.RULES}, rules)
        return rules

    def sense_of_itself(self) -> None:
        """Refuses a book that states a rule which could never matter in it."""
        stated = {name: value for name, value in self.rules.items() if value != DEFAULTS[name]}
        sense.of_changes(self, stated, self.rules_with({}))

    def _places(self, chosen: Mapping[str, Any]) -> Places:
        low, high = self._line(chosen)
        centre = middle(low, high)

        def place(ref: Ref) -> int:
            value = chosen[ref] if isinstance(ref, str) and ref in self.words else ref
            return centre if value == "middle" else int(value)

        players = chosen["players"]
        starts = self.start if isinstance(self.start, tuple) else (self.start,) * players
        if self.goal == "either end":
            goals = ((low, high),) * players
        else:
            refs = self.goal if isinstance(self.goal, tuple) else (self.goal,) * players
            goals = tuple((place(ref),) for ref in refs)
        return Places(low, high, tuple(map(place, starts)), goals)

    def _rules(self, chosen: Mapping[str, Any], places: Places) -> Rules:
        return Rules(
            line=(places.low, places.high),
            shared=self.shared,
            starts=places.starts,
            goals=places.goals,
            moves=self.moves,  # type: ignore[arg-type]  # the file's schema lets nothing else through
            **{name: chosen.get(name, DEFAULTS[name]) for name in values.RULES},
        )
