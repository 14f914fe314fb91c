"""Custom books: an error names the line or the key, and what is expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import numberline as nl

SOUND = {
    "title": '"My Game"',
    "settings": {"end": "6"},
    "rules": {"line": '[0, "end"]', "start": "0", "goal": '"end"', "moves": '"forward"', "steps": '"1-2"'},
    "voice": {"opening": '"Off we go, {player1}!"'},
}


def toml(changes: dict[str, str | None]) -> str:
    """Return a valid book with some keys (such as `rules.line`) changed or, if None, removed."""
    flat = {key: value for key, value in SOUND.items() if isinstance(value, str)}
    tables = {key: dict(value) for key, value in SOUND.items() if isinstance(value, dict)}
    for path, value in changes.items():
        table, _, key = path.rpartition(".")
        place = tables.setdefault(table, {}) if table else flat
        if value is None:
            place.pop(key, None)
        else:
            place[key] = value
    lines = [f"{key} = {value}" for key, value in flat.items()]
    for name, entries in tables.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in entries.items())]
    return "\n".join(lines) + "\n"


def load(tmp_path: Path, text: str) -> nl.Book:
    file = tmp_path / "my-game.toml"
    file.write_text(text)
    return nl.book(file)


def test_a_sound_book_can_be_played(tmp_path: Path) -> None:
    book = load(tmp_path, toml({}))
    assert book.name == "my-game"
    assert book.moves(book.start()) == ("1", "2")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"title": None}, "title: missing; expected the name of the game"),
        ({"title": "7"}, "title: expected text in quotes, found 7"),
        (
            {"abuot": '"me"'},
            "abuot: unknown; expected one of title, about, settings, rules, voice (did you mean about?)",
        ),
        ({"author": '"me"'}, "author: unknown; expected one of title, about, settings, rules, voice"),
        (
            {"rules.line": None},
            'rules.line: expected the two ends of the line, such as [0, "end"], found nothing',
        ),
        ({"rules.line": '[0, "finish"]'}, "rules.line: expected the two ends of the line"),
        ({"rules.start": '"home"'}, "rules.start: expected a number, a name (end, middle), or a list"),
        ({"rules.goal": "[]"}, "rules.goal: expected a number, a name (end, middle), or a list"),
        (
            {"rules.moves": '"sideways"'},
            'rules.moves: expected one of "forward", "both ways", "operations", found "sideways"',
        ),
        ({"rules.steps": None}, "rules.steps: missing; expected up to 100 steps such as 1-3, 1,2,5 or 2"),
        ({"rules.steps": '"none"'}, 'rules.steps: expected up to 100 steps such as 1-3, 1,2,5 or 2, found "none"'),
        ({"rules.operations": '"+1"'}, 'rules.operations: moves are "forward" here; expected steps instead'),
        ({"rules.repeat": "true"}, "rules.repeat: expected free or banned, found true"),
        (
            {"rules.tokens": "9"},
            'rules.tokens: expected a whole number from 1 to 3 (in [rules] also "shared"), found 9',
        ),
        ({"rules.speed": "3"}, "rules.speed: unknown; expected one of line, start, goal, moves, steps"),
        ({"settings.end": '"far"'}, "settings.end: expected a whole number up to 1000000000, or middle, found"),
        ({"settings.End2": "3"}, "settings.End2: invalid name; expected lowercase letters, digits, - and _"),
        (
            {"settings.spare": "3"},
            "settings.spare: no rule uses it; expected the name of a rule, or a name used in line",
        ),
        ({"settings.steps": '"1-4"'}, "rules.steps: has different values in [settings] and [rules]; set it only once"),
        ({"voice.shout": '"hey"'}, "voice.shout: unknown; expected one of place, token, mark"),
        ({"voice.style": '"round"'}, "voice.style: expected none or inline or under, found round"),
        ({"voice.won": "3"}, "voice.won: expected text in quotes, found 3"),
        ({"voice.won": '"{winner} wins"'}, "voice.won: {winner} is not available in this message; expected one of"),
        ({"voice.won": '"{player wins"'}, "voice.won: unmatched brace; write placeholders as {player}"),
        (
            {"rules.meeting": '"blocks"', "rules.tokens": '"shared"'},
            "meeting=blocks: My Game has a single marker",
        ),
        ({"rules.start": "[0, 0]", "rules.tokens": '"shared"'}, "rules.start: a shared marker has one start"),
        (
            {"rules.start": "[0, 0, 0]", "rules.goal": "[6, 6]"},
            "rules.start: 3 starts and 2 goals; expected one for each player",
        ),
        (
            {"rules.start": "[0, 0, 0]", "rules.goal": "[6, 6]", "rules.players": "3"},
            "rules.goal: 2 goals and 3 starts; expected one for each player",
        ),
        ({"rules.start": "[0, 0, 0]"}, "players=2: My Game has a start for each of 3 players; expected 3"),
        ({"rules.start": "6"}, "end=6: a token starts there; expected a place from 0 to 5"),
        (
            {"rules.start": '"middle"', "settings.end": "1"},
            "end=1: the line is too short for start and goal; expected 2",
        ),
        ({"rules.goal": '"either end"'}, "start=0: that is a goal; expected a place from 1 to 5"),
        ({"rules.start": '[0, "end"]', "rules.goal": "0"}, "goal=0: a token starts there; expected a place from 1 to"),
        (
            {"rules.start": '"middle"', "rules.goal": "3"},
            "goal=3: a token starts there; expected a place from 0 to 6 other",
        ),
        ({"rules.tokens": '"shared"', "rules.goal": '["end", 0]'}, "goal=0: a token starts there; expected a place"),
        ({"rules.start": "9"}, "start=9: expected a place on the line from 0 to 6"),
    ],
)
def test_problem_of_a_book_file_names_its_key(tmp_path: Path, changes: dict[str, str | None], problem: str) -> None:
    with pytest.raises(nl.BookFileError) as caught:
        load(tmp_path, toml(changes))
    assert [found for found in caught.value.problems if found.startswith(problem)], caught.value.problems


def test_syntax_error_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(nl.BookFileError, match=r"my-game\.toml: line 2: invalid TOML: "):
        load(tmp_path, 'title = "x"\nrules = = 3\n')


def test_truncated_file_is_reported_at_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(nl.BookFileError, match=r"my-game\.toml: (line 1|the last line): invalid TOML: "):
        load(tmp_path, 'title = "x')


def test_binary_file_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "my-game.toml"
    file.write_bytes(b'title = "x"\n\xff\xfe')
    with pytest.raises(nl.BookFileError, match=r"my-game\.toml: line 2: not UTF-8 text"):
        nl.book(file)


def test_a_file_too_long_to_be_a_book_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(nl.BookFileError, match=r"my-game\.toml: longer than 1000000 bytes; expected a book in TOML"):
        load(tmp_path, "#" * 1_000_001)


def test_missing_file_is_reported() -> None:
    with pytest.raises(nl.BookFileError, match=r"^nowhere\.toml: can't be read: no such file or directory$"):
        nl.book("nowhere.toml")


def test_all_problems_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(nl.BookFileError) as caught:
        load(tmp_path, toml({"title": "7", "rules.moves": '"sideways"', "voice.shout": '"hey"'}))
    assert len(caught.value.problems) == 3


def test_steps_can_be_written_as_a_list(tmp_path: Path) -> None:
    assert load(tmp_path, toml({"rules.steps": "[1, 4]"})).rules.steps == (1, 4)


def test_a_rule_left_out_is_the_engines_own(tmp_path: Path) -> None:
    rules = load(tmp_path, toml({})).rules
    assert (rules.overshoot, rules.meeting, rules.repeat, rules.stuck) == ("refused", "shares", "free", "passes")


def test_a_moment_left_out_has_the_engines_own_words(tmp_path: Path) -> None:
    from numberline.explain.narrator import Narrator

    narrator = Narrator(nl.Match(load(tmp_path, toml({}))))
    assert narrator.opening() == "Off we go, Player 1!\n"
    assert narrator.turn() == "\nPlayer 1's turn, on 0.\n"


@pytest.mark.parametrize(("key", "meant"), [("rules.repaet", "repeat"), ("voice.openning", "opening")])
def test_unknown_key_suggests_the_similar_one(tmp_path: Path, key: str, meant: str) -> None:
    with pytest.raises(nl.BookFileError, match=rf"{key}: unknown; .* \(did you mean {meant}\?\)$"):
        load(tmp_path, toml({key: '"free"'}))


def test_deeply_nested_file_is_rejected_with_one_message(tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(f"title = {'[' * 100_000}")
    with pytest.raises(nl.BookFileError, match="nested too deeply; expected a book in TOML"):
        nl.book(file)


@pytest.mark.parametrize("table", ["", "[settings]\n", "[rules]\n", "[voice]\n"])
def test_only_the_first_ten_problems_are_listed(table: str) -> None:
    with pytest.raises(nl.BookError) as raised:
        nl.book_from_toml(table + "".join(f"key-{number} = []\n" for number in range(6_000)), "long")
    lines = str(raised.value).splitlines()
    assert len(lines) == 11
    assert re.fullmatch(r"long: and (5,99\d|6,0\d\d) more", lines[-1])
    assert len(str(raised.value)) < 10_000
