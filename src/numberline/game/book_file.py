"""What a book file may contain, and in words what is wrong with one that contains something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from numberline.game.messages import message_problems as problems_of_voice
from numberline.game.rules import PLAYER_COUNTS
from numberline.game.setting_types import MAX_NUMBER, MOVE_KINDS, PLACE_TYPE, RULE_DEFAULTS, RULE_TYPES
from numberline.game.template import BookTemplate
from numberline.text import did_you_mean, pluralize

TEXT_KEYS = ("title", "about")
TABLE_KEYS = ("settings", "rules", "voice")
STRUCTURE_KEYS = ("line", "start", "goal", "moves")
_RESERVED = ("middle", "shared", "either end")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")


class BookFileValidator:
    """One book file, looked at: `problems` has a sentence for each thing wrong, `draft` is what it comes to."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.settings, self.rules, self.voice = (self._table(name) for name in TABLE_KEYS)
        self.place_names: dict[str, int | str] = {}
        self.answers: dict[str, Any] = {}
        self.problems: list[str] = []
        self._top()
        for name, value in self.settings.items():
            self._setting(name, value)
        for name, value in self.rules.items():
            if name in RULE_TYPES and (name, value) != ("tokens", "shared"):
                self._answer("rules", name, value)
            elif name not in STRUCTURE_KEYS and name not in RULE_TYPES:
                self._unknown(f"rules.{name}", name, [*STRUCTURE_KEYS, *RULE_TYPES])
        if "rules" in data:
            self._structure()
        if self.rules.get("moves") in MOVE_KINDS:
            self._strides(self.rules["moves"])
        self.problems += [f"voice.{key}: {problem}" for key, problem in problems_of_voice(self.voice)]

    def draft(self, name: str, source: str | None) -> BookTemplate:
        """The book's decisions; only for a file without problems."""
        stated = (self.rules[name] for name in STRUCTURE_KEYS)
        line, start, goal, _ = (tuple(value) if isinstance(value, list) else value for value in stated)
        own = {**RULE_DEFAULTS, **self.answers, **self.place_names}
        return BookTemplate(
            name=name,
            title=self.data["title"],
            about=" ".join(self.data.get("about", "").split()),
            voice=self.voice,
            source=source,
            line=line,
            shared=self.rules.get("tokens") == "shared",
            start=start,
            goal=goal,
            moves=self.rules["moves"],
            # A book has steps or operations; those that it does not have can't be set.
            defaults={name: own[name] for name in [*self.settings, *RULE_TYPES] if own[name] != ()},
            main_settings=tuple(self.settings),
        )

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.data.get(name, {})
        return table if isinstance(table, dict) else {}

    def _top(self) -> None:
        for key, value in self.data.items():
            if key in TEXT_KEYS:
                self._expect(key, value, "text in quotes", fits=isinstance(value, str) and bool(value.strip()))
            elif key in TABLE_KEYS:
                self._expect(key, value, f"a table, written [{key}]", fits=isinstance(value, dict))
            else:
                self._unknown(key, key, [*TEXT_KEYS, *TABLE_KEYS])
        for key, wanted in (("title", "the name of the game"), ("rules", "a table, written [rules]")):
            if key not in self.data:
                self._problem(key, f"missing; expected {wanted}")

    def _setting(self, name: str, value: Any) -> None:
        if name in RULE_TYPES:
            self._answer("settings", name, value)
        elif not _WORD.fullmatch(name) or name in _RESERVED:
            spelling = "a word is written in small letters, digits, - and _, and is not middle or shared"
            self._problem(f"settings.{name}", spelling)
        else:
            fits = _is_place(value) or value == "middle"
            self.place_names[name] = value if fits else 0
            self._expect(f"settings.{name}", value, PLACE_TYPE.expects, fits=fits)

    def _answer(self, table: str, name: str, value: Any) -> None:
        answer = RULE_TYPES[name].read(_as_text(value))
        also = ' (in [rules] also "shared")' if name == "tokens" else ""
        self._expect(f"{table}.{name}", value, RULE_TYPES[name].expects + also, fits=answer is not None)
        if answer is not None and self.answers.setdefault(name, answer) != answer:
            self._problem(f"{table}.{name}", "answered twice, in [settings] and in [rules]; answer it once")

    def _structure(self) -> None:
        line, start, goal, moves = (self.rules.get(name) for name in STRUCTURE_KEYS)
        ends = isinstance(line, list) and len(line) == 2 and all(map(self._is_end, line))
        self._expect("rules.line", line, 'where the line begins and ends, such as [0, "end"]', fits=ends)
        words, kinds = ", ".join([*self.place_names, "middle"]), '", "'.join(MOVE_KINDS)
        place = f"a number, a word ({words}), or a list of each player's"
        if not self._are_places(start):
            self._problem("rules.start", f"expected {place} start; found {_found(start)}")
        elif isinstance(start, list) and self.rules.get("tokens") == "shared":
            self._problem("rules.start", "a shared marker has one start; expected one place")
        if not self._are_places(goal) and goal != "either end":
            self._problem("rules.goal", f'expected {place} goal, or "either end"; found {_found(goal)}')
        self._pair_up(start, goal)
        self._expect("rules.moves", moves, f'one of "{kinds}"', fits=moves in MOVE_KINDS)
        used = [ref for value in (line, start, goal) for ref in _as_list(value)]
        for word in self.place_names:
            if word not in used:
                wanted = "a rule's name, or a word used in line, start or goal"
                self._problem(f"settings.{word}", f"no rule uses it; expected {wanted}{did_you_mean(word, RULE_TYPES)}")

    def _pair_up(self, start: Any, goal: Any) -> None:
        """Where starts and goals are listed, there are as many of the one as of the other; else one is blamed."""
        listed = {"start": start, "goal": goal}
        if all(isinstance(places, list) for places in listed.values()) and len(start) != len(goal):
            players = self.answers.get("players", RULE_DEFAULTS["players"])
            rule, other = ("start", "goal") if len(goal) == players else ("goal", "start")
            many, wanted = len(listed[rule]), pluralize(len(listed[other]), other)
            self._problem(f"rules.{rule}", f"{pluralize(many, rule)} and {wanted}; expected one for each player")

    def _strides(self, moves: str) -> None:
        needed, other = ("operations", "steps") if moves == "operations" else ("steps", "operations")
        if needed not in {**self.settings, **self.rules}:
            self._problem(f"rules.{needed}", f"missing; expected {RULE_TYPES[needed].expects}")
        if other in self.answers:
            self._problem(f"rules.{other}", f'moves are "{moves}" here; expected {needed} instead')

    def _is_end(self, ref: Any) -> bool:
        return _is_place(ref) or (isinstance(ref, str) and self.place_names.get(ref, "middle") != "middle")

    def _are_places(self, value: Any) -> bool:
        known = [*self.place_names, "middle"]
        return 1 <= len(_as_list(value)) <= PLAYER_COUNTS[-1] and all(
            _is_place(ref) or ref in known for ref in _as_list(value)
        )

    def _expect(self, key: str, value: Any, wanted: str, *, fits: bool) -> None:
        if not fits:
            self._problem(key, f"expected {wanted}, found {_found(value)}")

    def _unknown(self, key: str, name: str, known: list[str]) -> None:
        self._problem(key, f"unknown; expected one of {', '.join(known)}{did_you_mean(name, known)}")

    def _problem(self, key: str, sentence: str) -> None:
        self.problems.append(f"{key}: {sentence}")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


def _as_text(value: Any) -> str:
    """A TOML value as a variant would write it; nothing for what no setting can be."""
    return ",".join(map(str, _as_list(value))) if all(isinstance(part, int | str) for part in _as_list(value)) else ""


def _found(value: Any) -> str:
    """A TOML value in an error message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
