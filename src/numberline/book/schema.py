"""What a book file may contain, and in words what is wrong with one that contains something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from numberline.book import settings as values
from numberline.book import voice
from numberline.book.plan import Plan

TOP = ("title", "about", "settings", "rules", "voice")
STRUCTURE = ("line", "start", "goal", "moves")
MOVES = ("forward", "both ways", "operations")
_RESERVED = ("middle", "shared", "either end")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")


class Schema:
    """One book file, looked at: `problems` has a (key, sentence) for each thing wrong, `plan()` what it comes to."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.settings = self._table("settings")
        self.rules = self._table("rules")
        self.voice = self._table("voice")
        self.words: dict[str, int | str] = {}
        self.answers: dict[str, Any] = {}
        self.problems = [
            *self._top(),
            *self._answers("settings", self.settings),
            *self._answers("rules", self.rules),
            *self._structure(),
            *self._strides(),
            *self._unused(),
            *((f"voice.{key}", problem) for key, problem in voice.problems(self.voice)),
        ]

    def plan(self) -> Plan:
        """The book's decisions; only for a file without problems."""
        start, goal = self.rules["start"], self.rules["goal"]
        return Plan(
            title=self.data["title"],
            line=tuple(self.rules["line"]),
            shared=self.rules.get("tokens") == "shared",
            start=tuple(start) if isinstance(start, list) else start,
            goal=tuple(goal) if isinstance(goal, list) else goal,
            moves=self.rules["moves"],
            words=self.words,
            rules=self.answers,
            first_settings=tuple(self.settings),
        )

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.data.get(name, {})
        return table if isinstance(table, dict) else {}

    def _top(self) -> Iterator[tuple[str, str]]:
        for key, value in self.data.items():
            if key not in TOP:
                yield key, f"unknown; expected one of {', '.join(TOP)}"
            elif key in ("title", "about") and not (isinstance(value, str) and value.strip()):
                yield key, f"expected text in quotes, found {_found(value)}"
            elif key in TOP[2:] and not isinstance(value, dict):
                yield key, f"expected a table, written [{key}], found {_found(value)}"
        for key in ("title", "rules"):
            if key not in self.data:
                yield (
                    key,
                    f"missing; expected {'the name of the game' if key == 'title' else 'a table, written [rules]'}",
                )

    def _answers(self, table: str, entries: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Reads the words and the answers of one table."""
        for name, value in entries.items():
            path = f"{table}.{name}"
            if table == "rules" and (name in STRUCTURE or (name, value) == ("tokens", "shared")):
                continue
            if name in values.RULES:
                yield from self._answer(path, name, value)
            elif table == "rules":
                yield path, f"unknown; expected one of {', '.join([*STRUCTURE, *values.RULES])}"
            elif not _WORD.fullmatch(name) or name in _RESERVED:
                yield path, "a word is written in small letters, digits, - and _, and is not middle or shared"
            else:
                yield from self._word(path, name, value)

    def _answer(self, path: str, name: str, value: Any) -> Iterator[tuple[str, str]]:
        try:
            answer = values.RULES[name].read(_as_text(value))
        except values.NotAValue:
            extra = ' (in [rules] also "shared")' if name == "tokens" else ""
            yield path, f"expected {values.RULES[name].expects}{extra}, found {_found(value)}"
            return
        if name in self.answers and self.answers[name] != answer:
            yield path, "answered twice, in [settings] and in [rules]; answer it once"
        self.answers[name] = answer

    def _word(self, path: str, name: str, value: Any) -> Iterator[tuple[str, str]]:
        if value == "middle" or _is_place(value):
            self.words[name] = value
        else:
            self.words[name] = 0
            yield path, f"expected {values.PLACE.expects}, found {_found(value)}"

    def _structure(self) -> Iterator[tuple[str, str]]:
        if "rules" not in self.data:
            return
        line = self.rules.get("line")
        if not (isinstance(line, list) and len(line) == 2 and all(self._is_end(ref) for ref in line)):
            yield "rules.line", f'expected where the line begins and ends, such as [0, "end"], found {_found(line)}'
        for name, each in (("start", "each player's start"), ("goal", "each player's goal")):
            yield from self._place_rule(name, each)
        if self.rules.get("moves") not in MOVES:
            wanted = '", "'.join(MOVES)
            yield "rules.moves", f'expected one of "{wanted}", found {_found(self.rules.get("moves"))}'

    def _place_rule(self, name: str, each: str) -> Iterator[tuple[str, str]]:
        value = self.rules.get(name)
        if name == "goal" and value == "either end":
            return
        refs = value if isinstance(value, list) else [value]
        if not refs or not all(self._is_ref(ref) for ref in refs) or not len(refs) <= 6:
            also = ', or "either end"' if name == "goal" else ""
            known = ", ".join([*self.words, "middle"])
            yield (
                f"rules.{name}",
                f"expected a number, a word ({known}), or a list of {each}{also}; found {_found(value)}",
            )
        elif name == "start" and isinstance(value, list) and self.rules.get("tokens") == "shared":
            yield "rules.start", "a shared marker has one start; expected one place"

    def _strides(self) -> Iterator[tuple[str, str]]:
        moves = self.rules.get("moves")
        if moves not in MOVES:
            return
        needed, other = ("operations", "steps") if moves == "operations" else ("steps", "operations")
        if needed not in self.answers and needed not in {**self.settings, **self.rules}:
            yield f"rules.{needed}", f"missing; expected {values.RULES[needed].expects}"
        if other in self.answers:
            yield f"rules.{other}", f'moves are "{moves}" here; expected {needed} instead'

    def _unused(self) -> Iterator[tuple[str, str]]:
        used: list[Any] = []
        for name in ("line", "start", "goal"):
            value = self.rules.get(name)
            used += value if isinstance(value, list) else [value]
        for word in self.words:
            if word not in used:
                yield (
                    f"settings.{word}",
                    "no rule uses it; expected a rule's name, or a word used in line, start or goal",
                )

    def _is_end(self, ref: Any) -> bool:
        return _is_place(ref) or (isinstance(ref, str) and self.words.get(ref, "middle") != "middle")

    def _is_ref(self, ref: Any) -> bool:
        return _is_place(ref) or (isinstance(ref, str) and (ref in self.words or ref == "middle"))


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= values.FURTHEST


def _as_text(value: Any) -> str:
    """A TOML value as a variant would write it; nothing for what no setting can be."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and value and all(isinstance(part, int | str) for part in value):
        return ",".join(map(str, value))
    return str(value).strip() if isinstance(value, int | str) else ""


def _found(value: Any) -> str:
    """A TOML value in an error message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
