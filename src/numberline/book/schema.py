"""What a book file may contain, and in words what is wrong with one that contains something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from numberline.book.draft import Draft
from numberline.book.settings import DEFAULTS, FURTHEST, MOVES, PLACE, RULES
from numberline.book.voice import problems as problems_of_voice
from numberline.rules.answers import PLAYERS

TEXTS = ("title", "about")
TABLES = ("settings", "rules", "voice")
STRUCTURE = ("line", "start", "goal", "moves")
_RESERVED = ("middle", "shared", "either end")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")


class Schema:
    """One book file, looked at: `problems` has a sentence for each thing wrong, `draft` is what it comes to."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.settings, self.rules, self.voice = (self._table(name) for name in TABLES)
        self.words: dict[str, int | str] = {}
        self.answers: dict[str, Any] = {}
        self.problems: list[str] = []
        self._top()
        for name, value in self.settings.items():
            self._setting(name, value)
        for name, value in self.rules.items():
            self._rule(name, value)
        if "rules" in data:
            self._structure()
        if self.rules.get("moves") in MOVES:
            self._strides()
        self._unused()
        self.problems += [f"voice.{key}: {problem}" for key, problem in problems_of_voice(self.voice)]

    def draft(self, name: str, source: str | None) -> Draft:
        """The book's decisions; only for a file without problems."""
        own = {**DEFAULTS, **self.answers, **self.words}
        names = dict.fromkeys([*self.settings, *RULES])
        del names[self._other_strides]
        return Draft(
            name=name,
            title=self.data["title"],
            about=" ".join(self.data.get("about", "").split()),
            voice=self.voice,
            source=source,
            line=_frozen(self.rules["line"]),
            shared=self.rules.get("tokens") == "shared",
            start=_frozen(self.rules["start"]),
            goal=_frozen(self.rules["goal"]),
            moves=self.rules["moves"],
            defaults={name: own[name] for name in names},
            main_settings=tuple(self.settings),
        )

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.data.get(name, {})
        return table if isinstance(table, dict) else {}

    @property
    def _other_strides(self) -> str:
        """What a book with such moves does not have."""
        return "steps" if self.rules["moves"] == "operations" else "operations"

    def _top(self) -> None:
        for key, value in self.data.items():
            if key not in (*TEXTS, *TABLES):
                self._problem(key, f"unknown; expected one of {', '.join([*TEXTS, *TABLES])}")
            elif key in TEXTS and not (isinstance(value, str) and value.strip()):
                self._problem(key, f"expected text in quotes, found {_found(value)}")
            elif key in TABLES and not isinstance(value, dict):
                self._problem(key, f"expected a table, written [{key}], found {_found(value)}")
        for key, wanted in (("title", "the name of the game"), ("rules", "a table, written [rules]")):
            if key not in self.data:
                self._problem(key, f"missing; expected {wanted}")

    def _setting(self, name: str, value: Any) -> None:
        if name in RULES:
            self._answer("settings", name, value)
        elif not _WORD.fullmatch(name) or name in _RESERVED:
            taken = "a word is written in small letters, digits, - and _, and is not middle or shared"
            self._problem(f"settings.{name}", taken)
        else:
            self.words[name] = value if _is_place(value) or value == "middle" else 0
            if self.words[name] != value:
                self._problem(f"settings.{name}", f"expected {PLACE.expects}, found {_found(value)}")

    def _rule(self, name: str, value: Any) -> None:
        if name in STRUCTURE or (name, value) == ("tokens", "shared"):
            return
        if name in RULES:
            self._answer("rules", name, value)
        else:
            self._problem(f"rules.{name}", f"unknown; expected one of {', '.join([*STRUCTURE, *RULES])}")

    def _answer(self, table: str, name: str, value: Any) -> None:
        answer = RULES[name].read(_as_text(value))
        if answer is None:
            extra = ' (in [rules] also "shared")' if name == "tokens" else ""
            self._problem(f"{table}.{name}", f"expected {RULES[name].expects}{extra}, found {_found(value)}")
        elif self.answers.setdefault(name, answer) != answer:
            self._problem(f"{table}.{name}", "answered twice, in [settings] and in [rules]; answer it once")

    def _structure(self) -> None:
        line, moves = self.rules.get("line"), self.rules.get("moves")
        if not (isinstance(line, list) and len(line) == 2 and all(map(self._is_end, line))):
            wanted = 'where the line begins and ends, such as [0, "end"]'
            self._problem("rules.line", f"expected {wanted}, found {_found(line)}")
        for name in ("start", "goal"):
            self._places(name)
        if moves not in MOVES:
            kinds = '", "'.join(MOVES)
            self._problem("rules.moves", f'expected one of "{kinds}", found {_found(moves)}')

    def _places(self, name: str) -> None:
        value = self.rules.get(name)
        refs = value if isinstance(value, list) else [value]
        if name == "goal" and value == "either end":
            return
        if not refs or len(refs) > PLAYERS[-1] or not all(map(self._is_ref, refs)):
            known = ", ".join([*self.words, "middle"])
            also = ', or "either end"' if name == "goal" else ""
            wanted = f"a number, a word ({known}), or a list of each player's {name}{also}"
            self._problem(f"rules.{name}", f"expected {wanted}; found {_found(value)}")
        elif name == "start" and refs is value and self.rules.get("tokens") == "shared":
            self._problem("rules.start", "a shared marker has one start; expected one place")

    def _strides(self) -> None:
        other = self._other_strides
        needed = "operations" if other == "steps" else "steps"
        if needed not in {**self.settings, **self.rules}:
            self._problem(f"rules.{needed}", f"missing; expected {RULES[needed].expects}")
        if other in self.answers:
            self._problem(f"rules.{other}", f'moves are "{self.rules["moves"]}" here; expected {needed} instead')

    def _unused(self) -> None:
        values = [self.rules.get(name) for name in ("line", "start", "goal")]
        used = [ref for value in values for ref in (value if isinstance(value, list) else [value])]
        for word in self.words:
            if word not in used:
                wanted = "a rule's name, or a word used in line, start or goal"
                self._problem(f"settings.{word}", f"no rule uses it; expected {wanted}")

    def _is_end(self, ref: Any) -> bool:
        return _is_place(ref) or (isinstance(ref, str) and self.words.get(ref, "middle") != "middle")

    def _is_ref(self, ref: Any) -> bool:
        return _is_place(ref) or (isinstance(ref, str) and (ref in self.words or ref == "middle"))

    def _problem(self, key: str, sentence: str) -> None:
        self.problems.append(f"{key}: {sentence}")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= FURTHEST


def _as_text(value: Any) -> str:
    """A TOML value as a variant would write it; nothing for what no setting can be."""
    if isinstance(value, list) and all(isinstance(part, int | str) for part in value):
        return ",".join(map(str, value))
    return str(value) if isinstance(value, int | str) else ""


def _found(value: Any) -> str:
    """A TOML value in an error message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
