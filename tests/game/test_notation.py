"""Records: valid ones restore the match, and errors name the invalid line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import numberline as nl
from numberline.cli import numberline
from numberline.game.notation import format_record, parse_position, parse_records

SOUND = """numberline record 1
variant: flag-chase
first: 1
player 1: Ann
player 2: Bob
1. 3
2. 2
3. 2
result: player 1 wins (Player 1 reached 5.)
"""

OWN = '''title = "Mine"
about = """
One,

two."""
[rules]
line = [0, 6]
start = 0
goal = 6
moves = "forward"
steps = "1-2"
'''


def test_record_names_the_player_who_resigned() -> None:
    match = nl.Match(nl.book("flag-chase"), names=("Ann", "Bob"))
    match.resign()
    assert format_record(match).endswith("\n1. resign\nresult: player 2 wins (Ann resigned.)\n")


def test_a_record_is_the_match_that_was_played() -> None:
    (match,) = parse_records(SOUND)
    assert (match.names, match.outcome) == (("Ann", "Bob"), nl.Outcome(1, "Player 1 reached 5."))
    assert format_record(match) == SOUND


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("numberline record 1", "numberline record 9", "line 1: expected 'numberline record 1'; found"),
        ("variant: flag-chase", "variant: chess", "line 2: unknown book 'chess'"),
        ("variant: flag-chase", "variant: flag-chase(end=1)", "line 2: end=1: the line is too short"),
        ("variant: flag-chase", "book: flag-chase", "line 2: expected 'variant: …'; found 'book: flag-chase'"),
        ("first: 1", "first: 3", "line 3: expected a player from 1 to 2; found 'first: 3'"),
        ("player 2: Bob", "player 2:", "line 5: expected a name; found 'player 2:'"),
        ("player 2: Bob", "player 3: Bob", "line 5: expected 'player 2: …'; found 'player 3: Bob'"),
        ("2. 2", "3. 2", "line 7: expected move 2; found '3. 2'"),
        ("3. 2", "3. 3", "line 8: you can't play 3: it would take you past the flag. You can play 1 or 2; found"),
        ("3. 2", "3. hop", "line 8: 'hop' can't be read as a move. You can play 1 or 2; found '3. hop'"),
        ("3. 2", "3. 1", "line 9: after these moves, no player has won; found"),
        ("1 wins", "2 wins", "line 9: after these moves, player 1 wins; found"),
        ("result: player", "result: nobody", "line 9: expected 'result: player 1 wins' or 'result: unfinished'; found"),
        (
            "result: player 1 wins (Player 1 reached 5.)\n",
            "",
            "line 8: the record is truncated; expected 'result: …' after this line",
        ),
        ("5.)\n", "5.)\n4. 1\n", "line 10: expected nothing after the result; found '4. 1'"),
    ],
)
def test_damaged_record_is_rejected_with_its_line(old: str, new: str, sentence: str) -> None:
    with pytest.raises(nl.RecordError) as caught:
        parse_records(SOUND.replace(old, new), "game.txt")
    assert str(caught.value).startswith(f"game.txt, {sentence}")


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "\x00\x01"])
def test_other_text_is_rejected_at_its_first_line(text: str) -> None:
    with pytest.raises(nl.RecordError, match="expected 'numberline record 1'"):
        parse_records(text)


@pytest.mark.parametrize("cut", range(1, len(SOUND.splitlines())))
def test_truncated_record_is_rejected(cut: int) -> None:
    with pytest.raises(nl.RecordError, match="the record is truncated"):
        parse_records("\n".join(SOUND.splitlines()[:cut]))


@pytest.mark.parametrize("text", ["", "3 0", "0 3,0", "2 3,0 first=1", "2 a,b"])
def test_invalid_position_is_rejected(text: str) -> None:
    if text == "3 0":
        assert parse_position(text) == nl.Position(3, (0,))
        return
    with pytest.raises(nl.RecordError, match=r"invalid position .*: expected the player to move"):
        parse_position(text)


def test_damaged_book_in_a_record_is_rejected_with_its_line() -> None:
    text = "numberline record 1\nvariant: mine\nbook:\n| title = 3\nfirst: 1\n"
    with pytest.raises(nl.RecordError, match=r"game\.txt, line 3: title: expected text in quotes"):
        parse_records(text, "game.txt")


@pytest.mark.parametrize(
    "text",
    [
        OWN.replace("\n", "\r\n"),
        OWN.replace("\n", " \n"),
        OWN.strip(),
        OWN + "\n\n",
        *(OWN + f"# {c}." for c in "\x85\u2028"),
    ],
    ids=["Windows", "spaces", "no end", "more ends", "a line ended in the middle", "another"],
)
def test_custom_book_survives_a_record_with_any_line_ends(text: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(text.encode())
    game = nl.book(tmp_path / "mine.toml")
    (match,) = parse_records(format_record(nl.Match(game)))
    assert match.book == game


@pytest.mark.parametrize("name", ["mine (1)", "mine(end=3)", "a=b", " mine ", "one\ntwo", "\udcff", "()"])
def test_record_of_a_book_with_any_file_name_can_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.toml").write_text(OWN)
    game = nl.book(tmp_path / f"{name}.toml")
    (match,) = parse_records(format_record(nl.Match(game)).encode().decode())
    assert match.book == game


# Where to record to


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("loop", "Too many levels of symbolic links"),
        ("leads-nowhere", "No such file or directory"),
        ("no-folder/game.txt", "folder no-folder does not exist; create it first"),
        ("pipe", "is not a regular file; choose another file"),
        ("n" * 256, "File name too long"),
        ("/proc/game.txt", "No such file or directory"),
    ],
)
def test_unwritable_record_path_is_rejected_before_the_game(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    Path("leads-nowhere").symlink_to("nowhere/game.txt")
    os.mkfifo("pipe")
    with pytest.raises((OSError, nl.NumberlineError), match=re.escape(why)):
        numberline.main(["play", "flag-chase", "--record", name], standalone_mode=False)
    assert capsys.readouterr().out == ""
