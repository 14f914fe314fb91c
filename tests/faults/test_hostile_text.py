"""Text from outside is seen and never obeyed: from books, records, saves, file names, arguments, settings, programs."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pexpect
import platformdirs
import pytest

from cli.test_resume import play_some
from numberline.reports.html import tag
from numberline.terminal import saves
from numberline.text import escape_controls
from support.commands import Ran, numberline
from support.hostile_input import NASTY, PIECES, obeyed

BOOK = """
title = {title}
about = {about}
[settings]
end = 6
[rules]
line = [0, "end"]
start = 0
goal = "end"
moves = "forward"
steps = "1-3"
[voice]
token = {token}
place = {token}
opening = {opening}
turn = {opening}
ask = {opening}
moved = {opening}
won = {opening}
"""


def own_book(folder: Path, **texts: str) -> Path:
    """Return a custom book that contains these texts."""
    plain = {"title": "Mine", "about": "About", "token": "stone", "opening": "Hello"}
    file = folder / "mine.toml"
    quoted = {name: json.dumps(text).replace("\\ud", "\\uD") for name, text in {**plain, **texts}.items()}
    file.write_text(BOOK.format(**{name: _toml(text) for name, text in quoted.items()}), encoding="utf-8")
    return file


def _toml(quoted: str) -> str:
    """A JSON string as TOML writes it: pairs of halves are one character there."""
    return json.dumps(json.loads(quoted), ensure_ascii=False).replace("\x7f", "\\u007F")


def assert_is_seen(ran: Ran) -> None:
    """Check that the output has no control characters and no internal error."""
    assert obeyed(ran.out) == []
    assert obeyed(ran.err) == []
    assert "internal error" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("piece", [*PIECES.values(), NASTY], ids=[*PIECES, "all"])
def test_escaped_text_is_printable(piece: str) -> None:
    assert obeyed(escape_controls(piece)) == []


def test_escaped_text_is_json() -> None:
    text = "x\x1b\u202e\U000e0041"
    assert json.loads('"' + escape_controls(text) + '"') == text


@pytest.mark.parametrize("field", ["title", "about", "token", "opening"])
@pytest.mark.parametrize("command", ["rules", "check", "solve", "play", "learn", "review"])
def test_a_book_says_nothing_that_a_terminal_obeys(tmp_path: Path, field: str, command: str) -> None:
    text = NASTY.replace("{", "(").replace("}", ")") if field == "opening" else NASTY
    file = own_book(tmp_path, **{field: text})
    if command == "review":
        record = tmp_path / "game.txt"
        numberline("play", str(file), "--record", str(record), typed="3\n1\n3\n")
        assert_is_seen(numberline("review", str(record)))
    assert_is_seen(numberline(command, str(file), typed="3\n1\n3\nquit\n"))


@pytest.mark.parametrize("key", ["[voice]\n{0} = 1", "{0} = 1", "[rules]\nmoves = {1}", "[settings]\n{0} = {1}"])
def test_a_wrong_key_or_value_in_a_book_is_shown_harmlessly(tmp_path: Path, key: str) -> None:
    file = tmp_path / "mine.toml"
    quoted = _toml(json.dumps(NASTY))
    file.write_text(f'title = "Mine"\n{key.format(quoted, quoted)}\n', encoding="utf-8")
    assert_is_seen(numberline("check", str(file)))


@pytest.mark.parametrize(
    "arguments",
    [
        [NASTY],
        ["play", NASTY],
        ["play", "line-runner", "--set", NASTY],
        ["play", "line-runner", "--set", f"end={NASTY}"],
        ["play", "line-runner", "--names", f"{NASTY},Bob"],
        ["play", "line-runner", "--vs", NASTY],
        ["play", "line-runner", "--vs", f"exec:{NASTY}"],
        ["play", "line-runner", "--record", f"nowhere/{NASTY}"],
        ["play", "line-runner", f"--{NASTY}"],
        ["solve", "line-runner", "--at", NASTY],
        ["solve", "line-runner", "--memory", NASTY],
        ["solve", "line-runner", "--plot", f"{NASTY}.svg"],
        ["replay", NASTY],
        ["review", NASTY],
        ["arena", NASTY, "random"],
        ["arena", "random", "greedy", "--books", NASTY],
        ["export", "flag-chase", "--out", f"nowhere/{NASTY}"],
        ["puzzle", NASTY],
        ["learn", NASTY],
        ["engine", "--bot", NASTY],
    ],
    ids=lambda arguments: " ".join(arguments)[:30].encode("ascii", "replace").decode(),
)
def test_an_argument_is_shown_harmlessly(arguments: list[str]) -> None:
    assert_is_seen(numberline(*arguments, typed="quit\n"))


def test_typed_text_is_escaped() -> None:
    typed = "".join(f"{piece}\n" for piece in [*PIECES.values(), NASTY] if "\u2028" not in piece)
    assert_is_seen(numberline("play", "line-runner", typed=f"{typed}\xff\nquit\n".encode("utf-8", "surrogateescape")))


def test_answers_at_a_terminal_escape_typed_text() -> None:
    terminal = pexpect.spawn(
        sys.executable, ["-m", "numberline", "play", "flag-chase"], encoding="utf-8", echo=False, timeout=20
    )
    terminal.expect_exact("Enter your move")
    terminal.sendline("[/x]\u202e\u009b2J")
    terminal.expect_exact("can't be read")
    terminal.sendline("quit")
    terminal.expect(pexpect.EOF)
    assert "\u202e" not in str(terminal.before)


FIELDS = ("variant: flag-chase", "first: 1", "player 1: Player 1", "1. 3", "result: unfinished", "numberline record 1")


@pytest.mark.parametrize("command", ["replay", "review"])
@pytest.mark.parametrize("field", FIELDS)
def test_a_record_is_shown_harmlessly(tmp_path: Path, field: str, command: str) -> None:
    record = tmp_path / "game.txt"
    numberline("play", "flag-chase", "--record", str(record), typed="3\nquit\n")
    text = record.read_text()
    assert field in text
    nasty = "".join(piece for piece in PIECES.values() if "\u2028" not in piece and "\x0c" not in piece)
    record.write_text(text.replace(field, field + nasty))
    assert_is_seen(numberline(command, str(record)))


def test_a_game_that_was_left_is_shown_harmlessly() -> None:
    play_some("3", "2")
    [kept] = saves.saved_games_dir().glob("*.json")
    for name in ("variant", "guests", "record", "saved"):
        content = json.loads(kept.read_text())
        content[name] = [[NASTY, None], [NASTY, None]] if name == "guests" else NASTY
        kept.with_name(f"1{name}.json").write_text(json.dumps(content))
    assert_is_seen(numberline("resume", "--list"))
    assert_is_seen(numberline("resume", "--json"))


@pytest.mark.parametrize("line", ["{0} = 1", "[play]\n{0} = 1", "[play]\nvs = {0}", "[play]\nrounds = {0}"])
def test_custom_defaults_are_escaped(line: str) -> None:
    file = platformdirs.user_config_path("numberline") / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line.format(_toml(json.dumps(NASTY))), encoding="utf-8")
    for command in (["config"], ["play", "flag-chase"], ["config", "--json"]):
        assert_is_seen(numberline(*command, typed="quit\n"))


@pytest.mark.parametrize("says", ["ready", "move", "error", ""])
def test_output_of_an_external_bot_is_escaped(tmp_path: Path, says: str) -> None:
    greeting = f"{says!r} + ' ' + nasty" if says in {"error", ""} else "'ready'"
    program = tmp_path / "[x] nasty\x1b[2J.py"
    program.write_text(
        "import sys\n"
        f"nasty = {NASTY!r}\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        f"    if word == 'isready': print({greeting}, flush=True)\n"
        "    if word == 'go': print('move ' + nasty, flush=True)\n"
    )
    command = shlex.join([sys.executable, str(program)])
    assert_is_seen(numberline("play", "flag-chase", "--vs", f"exec:{command}", typed="1\n1\n1\nquit\n"))
    assert_is_seen(numberline("arena", f"exec:{command}", "random", "--books", "flag-chase", "--games", "2"))


def test_page_contains_no_active_content() -> None:
    element = tag("p", NASTY, title=NASTY)
    assert obeyed(element.text or "") == []
    assert obeyed(element.attrib["title"]) == []
