"""Book files: TOML parsing, validation, and the template from which books and their variants are built."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from numberline.errors import BookError
from numberline.game.messages import message_problems
from numberline.game.rules import PLAYER_COUNTS, Rules
from numberline.game.settings import MOVE_KINDS, RULE_DEFAULTS, RULE_TYPES, SettingType, is_place, setting_type
from numberline.text import did_you_mean, pluralize, quote, safe_repr

MAX_KEY_PARTS = 100
MAX_LISTED = 10  # maximum number of problems in an error message, and of names listed in a problem
TEXT_KEYS = ("title", "about")
TABLE_KEYS = ("settings", "rules", "voice")
STRUCTURE_KEYS = ("line", "start", "goal", "moves")
_RESERVED = ("middle", "shared", "either end")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")

PlaceRef: TypeAlias = int | str
"""A place in a book file: a number, the name of a setting, `middle`, or `either end` for a goal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookTemplate:
    """The content of a book file, before any settings are applied."""

    name: str
    title: str
    about: str
    voice: Mapping[str, str]
    source: str | None
    """The text of the file; None for a built-in book."""
    line: tuple[PlaceRef, PlaceRef]
    shared: bool
    start: PlaceRef | tuple[PlaceRef, ...]
    goal: PlaceRef | tuple[PlaceRef, ...]
    """One place for all players, or a tuple with one place per player."""
    moves: str
    defaults: Mapping[str, Any]
    """The default value of every setting: first the settings in the `[settings]` table, then the remaining rules."""
    main_settings: tuple[str, ...]
    """The settings listed in the book's `[settings]` table."""

    def setting_type(self, name: str) -> SettingType:
        """Return the type of a setting's values."""
        return setting_type(name, self.line)

    def changes(self, texts: Mapping[str, str], before: Mapping[str, Any]) -> dict[str, Any]:
        """Apply settings on top of the earlier changes `before`; return all values that differ from the defaults.

        Values are compared as numbers: `middle` is not a change if it equals the default place.
        """
        chosen = {**self.defaults, **before, **{name: self.parse_value(name, text) for name, text in texts.items()}}
        low, high = self._line(chosen)

        def number(value: Any) -> Any:
            return middle(low, high) if value == "middle" else value

        return {name: number(value) for name, value in chosen.items() if number(value) != number(self.defaults[name])}

    def require_setting(self, name: str) -> None:
        """Raise `BookError` if the book has no such setting."""
        if isinstance(name, str) and name in self.defaults:
            return
        typed = quote(name)[1:-1] or "''" if isinstance(name, str) else safe_repr(name)
        meant = did_you_mean(typed, self.defaults)
        raise BookError(f"{typed}: {self.title} has no such setting; it has {', '.join(self.defaults)}{meant}")

    def parse_value(self, name: str, text: str) -> Any:
        """Parse the value of a setting; raise `BookError` if it is invalid."""
        self.require_setting(name)
        if (value := self.setting_type(name).read(text)) is None:
            raise BookError(f"{name}={quote(text)[1:-1]}: expected {self.setting_type(name).expects}")
        return value

    def rules(self, chosen: Mapping[str, Any]) -> Rules:
        """Return the rules for the chosen settings, without checking that they form a valid game."""
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
            moves=self.moves,  # type: ignore[arg-type]  # the validator accepts nothing else
            **{name: value for name, value in chosen.items() if name in RULE_TYPES},
        )

    def _line(self, chosen: Mapping[str, Any]) -> tuple[int, int]:
        low, high = (chosen.get(str(ref), ref) for ref in self.line)
        return low, high


def per_player(refs: PlaceRef | tuple[PlaceRef, ...], players: int) -> tuple[PlaceRef, ...]:
    """Return one place per player; a single place is repeated for all players."""
    return refs if isinstance(refs, tuple) else (refs,) * players


def middle(low: int, high: int) -> int:
    """Return the middle of a line, rounded up.

    >>> middle(0, 15)
    8
    """
    return (low + high + 1) // 2


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML in linear time.

    Raise `TOMLDecodeError` for invalid TOML, `RecursionError` for deep nesting, or `ValueError` for a huge number.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    if any(line.count(".") > MAX_KEY_PARTS and _parts(line) > MAX_KEY_PARTS for line in text.splitlines()):
        raise RecursionError
    return tomllib.loads(text)


def _parts(line: str) -> int:
    """Return an upper bound on the number of parts of any dotted key in a line.

    An unquoted part can't contain spaces, so counting restarts at any text of several words, such as a sentence.

    >>> _parts('x = {a.b . "c d".e = 1}'), _parts("about = Go on. You win. Play again")
    (4, 2)
    """
    longest = run = 1
    for part in _QUOTED.sub("''", line).split("."):
        run = run + 1 if len(part.split()) == 1 else 2
        longest = max(longest, run)
    return longest


class BookFileValidator:
    """Validator for one book file; if `problems` is empty, call `template` to get the result."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.settings, self.rules, self.voice = (self._table(name) for name in TABLE_KEYS)
        self.place_names: dict[str, int | str] = {}
        self.values: dict[str, Any] = {}
        self.problems: list[str] = []
        self._problem_count = 0
        self._check_top_level()
        for name, value in self.settings.items():
            self._check_setting(name, value)
        for name, value in self.rules.items():
            if name in RULE_TYPES and (name, value) != ("tokens", "shared"):
                self._check_rule("rules", name, value)
            elif name not in STRUCTURE_KEYS and name not in RULE_TYPES:
                self._unknown(f"rules.{name}", name, [*STRUCTURE_KEYS, *RULE_TYPES])
        if "rules" in data:
            self._check_structure()
        if self.rules.get("moves") in MOVE_KINDS:
            self._check_strides(self.rules["moves"])
        for key, problem, known in message_problems(self.voice):
            self._problem(f"voice.{key}", problem, key, known)
        if self._problem_count > MAX_LISTED:
            self.problems.append(f"and {self._problem_count - MAX_LISTED:,} more")

    def template(self, name: str, source: str | None) -> BookTemplate:
        """Return the template; call this only if there are no problems."""
        stated = (self.rules[name] for name in STRUCTURE_KEYS)
        line, start, goal, _ = (tuple(value) if isinstance(value, list) else value for value in stated)
        own = {**RULE_DEFAULTS, **self.values, **self.place_names}
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
            # A book has either steps or operations; the setting that it does not use is omitted.
            defaults={name: own[name] for name in [*self.settings, *RULE_TYPES] if own[name] != ()},
            main_settings=tuple(self.settings),
        )

    def _table(self, name: str) -> Mapping[str, Any]:
        table = self.data.get(name, {})
        return table if isinstance(table, dict) else {}

    def _check_top_level(self) -> None:
        for key, value in self.data.items():
            if key in TEXT_KEYS:
                wanted = f"{'non-empty ' * (value == '')}text in quotes"
                self._expect(key, value, wanted, fits=isinstance(value, str) and bool(value.strip()))
            elif key in TABLE_KEYS:
                self._expect(key, value, f"a table, written [{key}]", fits=isinstance(value, dict))
            else:
                self._unknown(key, key, [*TEXT_KEYS, *TABLE_KEYS])
        for key, wanted in (("title", "the name of the game"), ("rules", "a table, written [rules]")):
            if key not in self.data:
                self._problem(key, f"missing; expected {wanted}")

    def _check_setting(self, name: str, value: Any) -> None:
        if name in RULE_TYPES:
            self._check_rule("settings", name, value)
        elif not _WORD.fullmatch(name) or name in _RESERVED:
            spelling = "invalid name; expected lowercase letters, digits, - and _ ('middle' and 'shared' are reserved)"
            self._problem(f"settings.{name}", spelling)
        else:
            fits = is_place(value) or value == "middle"
            self.place_names[name] = value if fits else 0
            self._expect(f"settings.{name}", value, setting_type(name).expects, fits=fits)

    def _check_rule(self, table: str, name: str, value: Any) -> None:
        parsed = RULE_TYPES[name].read(_as_text(value))
        also = ' (in [rules] also "shared")' if name == "tokens" else ""
        self._expect(f"{table}.{name}", value, RULE_TYPES[name].expects + also, fits=parsed is not None)
        if parsed is not None and self.values.setdefault(name, parsed) != parsed:
            self._problem(f"{table}.{name}", "has different values in [settings] and [rules]; set it only once")

    def _check_structure(self) -> None:
        line, start, goal, moves = (self.rules.get(name) for name in STRUCTURE_KEYS)
        ends = isinstance(line, list) and len(line) == 2 and all(map(self._is_end, line))
        self._expect("rules.line", line, 'the two ends of the line, such as [0, "end"]', fits=ends)
        words, kinds = ", ".join([*islice(self.place_names, MAX_LISTED), "middle"]), '", "'.join(MOVE_KINDS)
        place = f"a number, a name ({words}), or a list with one of these for each player"
        if not self._are_places(start):
            self._problem("rules.start", f"expected {place}; found {_found(start)}")
        elif isinstance(start, list) and self.rules.get("tokens") == "shared":
            self._problem("rules.start", "a shared marker has one start; expected one place")
        if not self._are_places(goal) and goal != "either end":
            self._problem("rules.goal", f'expected {place}, or "either end"; found {_found(goal)}')
        self._check_pairs(start, goal)
        self._expect("rules.moves", moves, f'one of "{kinds}"', fits=moves in MOVE_KINDS)
        used = [ref for value in (line, start, goal) for ref in _as_list(value)]
        for word in self.place_names:
            if word not in used:
                wanted = "the name of a rule, or a name used in line, start or goal"
                self._problem(f"settings.{word}", f"no rule uses it; expected {wanted}", word, RULE_TYPES)

    def _check_pairs(self, start: Any, goal: Any) -> None:
        """Check that the lists of starts and goals have the same length."""
        listed = {"start": start, "goal": goal}
        if all(isinstance(places, list) for places in listed.values()) and len(start) != len(goal):
            players = self.values.get("players", RULE_DEFAULTS["players"])
            rule, other = ("start", "goal") if len(goal) == players else ("goal", "start")
            many, wanted = len(listed[rule]), pluralize(len(listed[other]), other)
            self._problem(f"rules.{rule}", f"{pluralize(many, rule)} and {wanted}; expected one for each player")

    def _check_strides(self, moves: str) -> None:
        needed, other = ("operations", "steps") if moves == "operations" else ("steps", "operations")
        if needed not in {**self.settings, **self.rules}:
            self._problem(f"rules.{needed}", f"missing; expected {RULE_TYPES[needed].expects}")
        if other in self.values:
            self._problem(f"rules.{other}", f'moves are "{moves}" here; expected {needed} instead')

    def _is_end(self, ref: Any) -> bool:
        return is_place(ref) or (isinstance(ref, str) and self.place_names.get(ref, "middle") != "middle")

    def _are_places(self, value: Any) -> bool:
        refs, known = _as_list(value), [*self.place_names, "middle"]
        return 1 <= len(refs) <= PLAYER_COUNTS[-1] and all(is_place(ref) or ref in known for ref in refs)

    def _expect(self, key: str, value: Any, wanted: str, *, fits: bool) -> None:
        if not fits:
            self._problem(key, f"expected {wanted}, found {_found(value)}")

    def _unknown(self, key: str, name: str, known: list[str]) -> None:
        self._problem(key, f"unknown; expected one of {', '.join(known)}", name, known)

    def _problem(self, key: str, sentence: str, typed: str = "", known: Iterable[str] = ()) -> None:
        """Add a problem, with a suggestion if `typed` resembles one of `known`; only count it if the list is full."""
        self._problem_count += 1
        if self._problem_count <= MAX_LISTED:
            self.problems.append(f"{key}: {sentence}{did_you_mean(typed, known)}")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _as_text(value: Any) -> str:
    """Format a TOML value as it is written in a variant; return an empty string if no setting accepts its type."""
    return ",".join(map(str, _as_list(value))) if all(isinstance(part, int | str) for part in _as_list(value)) else ""


def _found(value: Any) -> str:
    """Format a TOML value for an error message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
