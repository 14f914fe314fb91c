"""Text, JSON and exit codes of `books`, `rules`, `check` and other commands."""

from __future__ import annotations

import contextlib
import json
import runpy
from pathlib import Path

import platformdirs
import pytest

import numberline as nl
from numberline.cli import COMMANDS
from support.commands import numberline

GOOD_BOOK = """
title = "Short Cut"
[settings]
end = 6
[rules]
line = [0, "end"]
start = 0
goal = "end"
moves = "forward"
steps = "1-2"
overshoot = "counts"
"""


@pytest.fixture
def own_book(tmp_path: Path) -> Path:
    file = tmp_path / "short-cut.toml"
    file.write_text(GOOD_BOOK)
    return file


def test_version_is_printed() -> None:
    assert numberline("--version").out == f"numberline, version {nl.__version__}\n"


def test_smoke_test_runs_every_command() -> None:
    lines = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "smoke.py"))["COMMANDS"]
    missing = set(COMMANDS) - {line.partition(" ")[0] for line in lines}
    assert missing == {"web"}, "add the command to tools/smoke.py"  # a server is started separately


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    ran = numberline(command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: numberline {command} ")
    assert command in numberline("--help").out


@pytest.mark.parametrize("name", nl.NAMES)
def test_rules_prints_the_rules_and_settings_of(name: str) -> None:
    out = numberline("rules", name).out
    book = nl.book(name)
    assert out.startswith(f"{book.title}\n")
    assert all(f"\n  {setting} " in out for setting in book.main_settings)


def test_rules_shows_what_a_variant_changed() -> None:
    ran = numberline("rules", "line-runner(end=30)")
    assert ran.out.startswith("Line Runner: line-runner(end=30)\n")
    assert "  end        30        where the line ends (default: 20)\n" in ran.out


def test_rules_lists_only_settings_that_can_be_changed() -> None:
    out = numberline("rules", "reach-the-edge").out
    assert "\n  overshoot " in out
    assert "\n  meeting " not in out


def test_rules_json_has_the_same_content() -> None:
    report = json.loads(numberline("rules", "number-reach", "--set", "target=30", "--json").out)
    assert report["variant"] == "number-reach(target=30)"
    assert {"heading": "The goal", "text": "You win if you make the number exactly 30."} in report["rules"]
    assert {setting["name"]: setting["value"] for setting in report["settings"]}["target"] == "30"


def test_books_lists_the_five_games() -> None:
    out = numberline("books").out
    assert [line for line in out.splitlines() if line in nl.NAMES] == list(nl.NAMES)
    assert [book["name"] for book in json.loads(numberline("books", "--json").out)] == list(nl.NAMES)


def test_check_describes_the_game_of_a_file(own_book: Path) -> None:
    ran = numberline("check", str(own_book))
    assert ran.code == 0
    assert ran.out.startswith("Short Cut\nThe line: The line runs from 0 to 6.")
    assert "The shortest game ends after 5 turns.\nNo position can occur twice in a game.\n" in ran.out


def test_check_reports_endless_games() -> None:
    assert "A game can go on forever.\n" in numberline("check", 'number-reach(operations="+1 *2 -1")').out


def test_check_reports_a_game_without_a_winner() -> None:
    ran = numberline("check", "number-line-sprint(steps=2, stuck=passes)")
    assert ran.code == 1
    assert "Problem: no player can ever win; " in ran.out
    report = json.loads(numberline("check", "number-line-sprint(steps=2, stuck=passes)", "--json").out)
    assert not report["ok"]
    assert report["findings"]["winners"] == []


def test_check_reports_who_can_never_win() -> None:
    assert "Player 2 can never win.\n" in numberline("check", "flag-chase(flag=1)").out


def test_check_stops_at_a_game_too_large_to_explore() -> None:
    out = numberline("check", "line-runner(end=2000)").out
    size = "it may have 8,024,018 positions; the first 50,000 were explored"
    assert out.endswith(f"The game is too large to explore completely: {size}.\n")


def test_check_json_has_the_findings(own_book: Path) -> None:
    report = json.loads(numberline("check", str(own_book), "--json").out)
    assert report["ok"] is True
    assert report["findings"]["complete"] is True


def test_check_json_has_the_problems(tmp_path: Path) -> None:
    file = tmp_path / "empty.toml"
    file.write_text("")
    ran = numberline("check", str(file), "--json")
    report = json.loads(ran.out)
    assert (ran.code, report["ok"]) == (1, False)
    assert report["problems"][0] == "title: missing; expected the name of the game"


def test_custom_book_is_played_from_its_file(own_book: Path) -> None:
    ran = numberline("play", str(own_book), typed="2\n1\n2\n1\n2\n")
    assert ran.out.startswith(
        "Welcome to Short Cut!\n\nPlayer 1 starts.\n\nPlayer 1's turn, on 0.\nEnter your move (1 or 2): 2\n"
    )
    assert ran.out.endswith("Player 1 reaches 6 and wins the game!\n")
    assert ran.code == 0


def test_variant_of_a_custom_book_follows_its_path(own_book: Path) -> None:
    assert "Player 1 reaches 2 and wins" in numberline("play", f"{own_book}(end=2)", typed="2\n").out


def test_record_of_a_custom_book_includes_the_book(own_book: Path, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    played = numberline("play", str(own_book), "--set", "end=2", "--record", str(record), typed="2\n")
    own_book.unlink()
    assert numberline("replay", str(record)) == played


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["play", "flag-chess"], 2, "unknown book 'flag-chess'; did you mean flag-chase?"),
        (["play", "chess"], 2, "unknown book 'chess'; expected reach-the-edge, number-reach,"),
        (["rules", "flag-chase(flag=99)"], 2, "flag=99: expected a place on the line from 0 to 10"),
        (["check", "flag-chase", "--set", "size=3"], 2, "size: Flag Chase has no such setting; it has end, flag,"),
        (["play", "flag-chase", "--set", "=3"], 2, "'': Flag Chase has no such setting; it has end, flag,"),
        (["play", "flag-chase", "--set", "3"], 2, "'3' is not a setting; write it as name=value, such as end=30"),
        (["play", "flag-chase", "--first", "3"], 2, "'3': expected a player number from 1 to 2, or coin."),
        (["play", "flag-chase", "--names", "A,B,C"], 2, "3 names for 2 people; expected at most 2."),
        (["play", "flag-chase", "--names", "A,"], 2, "'A,': each name must have 1 to 40 characters."),
        (["play", "flag-chase", "--names", "A,A"], 2, "'A,A': two players have the same name."),
        (["play", "flag-chase", "--rounds", "0"], 2, "0 is not in the range 1<=x<=1000."),
        (["play", "flag-chase", "--rounds", "2", "--best-of", "3"], 2, "use only one of --rounds and --best-of"),
        (
            ["play", "flag-chase", "--color"],
            2,
            "No such option '--color'. See numberline play --help.",
        ),
        (
            ["play", "flag-chase", "--swap-seats"],
            2,
            "--swap-seats requires a match of several games; add --rounds or --best-of.",
        ),
        (["solve", "flag-chase", "--plot", "/Nowhere/flag.svg"], 1, "folder /Nowhere does not exist; create it first"),
        (["dance"], 2, "No such command 'dance'."),
        (
            ["arena", "perfect", "random", "--workers", "x"],
            2,
            "Invalid value for --workers: invalid workers value 'x'; expected",
        ),
        (["play", "nowhere.toml"], 1, "nowhere.toml: can't be read: no such file or directory"),
        (["replay", "nowhere.txt"], 1, "nowhere.txt: no such file or directory"),
        (["play", "flag-chase", "--record", "/"], 2, "File '/' is a directory."),
        (["play", "flag-chase", "--record", "/nowhere/game.txt"], 1, "folder /nowhere does not exist; create it first"),
        (["play", "flag-chase", "--record", "/dev/null"], 1, "/dev/null is not a regular file; choose another file"),
        (["measure", "flag-chase", ""], 2, "An argument is empty; give it a value or leave it out."),
        (["play", "flag-chase", "--vs", ""], 2, "An argument is empty; give it a value or leave it out."),
        (["export", "flag-chase", "--out="], 2, "An argument is empty; give it a value or leave it out."),
        (["puzzle", "--daily", "--mine"], 2, "--daily can't be combined with BOOK, --set, --count, --seed or --mine."),
        (["solve", "flag-chase", "--at", "1", "--first", "3"], 2, "first=3: expected a player from 1 to 2"),
        (["solve", "flag-chase", "--memory", "0"], 2, "'0': expected a size such as 500MB or 8GB."),
        (["arena", "perfect", "random", "--move-time", "nan"], 2, "nan is not a valid number."),
        (["map", "flag-chase", "end=8..10..0"], 2, "'end=8..10..0' does not list any values; use e.g. target=2..60"),
        (["find", "flag-chase", "--goal", "Slip:X=0..1"], 2, "for --goal: unknown bot 'Slip:X'; expected slip:0 to"),
        (["print", "flag-chase", "--only", "RULE"], 2, "unknown part 'RULE' (did you mean rules?)."),
        (["solve", "flag-chase", "--memory", "a\nb"], 2, "'a\\nb': expected a size such as 500MB or 8GB."),
    ],
)
def test_usage_error_is_one_sentence(arguments: list[str], code: int, sentence: str) -> None:
    ran = numberline(*arguments)
    assert sentence in ran.err
    assert (ran.code, ran.out) == (code, "")
    assert len(ran.err.splitlines()) == 1


def test_configured_file_can_be_named_like_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = platformdirs.user_config_path("numberline") / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[play]\nrecord = 5\n")
    numberline("play", "flag-chase", typed="3\n")
    assert "1. 3\n" in Path("5").read_text()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("keep_first = 5", "play.keep_first: expected true or false, found '5'"),
        ('vs = ""', "play.vs: expected a string or a whole number, found ''"),
        ("seed = []", "play.seed: expected a string or a whole number, found '[]'"),
        ("rounds = inf", "play.rounds: expected a string or a whole number, found 'inf'"),
        ("set = 3", "play.set: expected a list of strings, found '3'"),
        ("settings = 3", "play.settings: expected a list of strings, found '3'"),
        ("setting = []", "unknown option play.setting; choose from assist, best-of, fast, first,"),
        ("rounds = 1" + "0" * 5000, "a number has too many digits"),
    ],
)
def test_invalid_configured_default_is_one_sentence(line: str, problem: str) -> None:
    file = platformdirs.user_config_path("numberline") / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[play]\n{line}\n")
    ran = numberline("books")
    assert ran.err.startswith(f"Error: {file}: {problem}")
    assert ran.code == 1


# Mistakes of newcomers


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("play --vs rabit", "(did you mean rabbit?)"),
        ("play flag-chase --rounds 2 --best-of 3", "Error: use only one of --rounds and --best-of. See "),
        ("ladder flag-chase 1 --json", "--json lists the steps; leave out STEP or --json."),
        ("progress --export --json", "use only one of --export and --json."),
        ("resume abc", "'abc' is not a valid whole number."),
        ("solve flag-chase --at 3,1,2,1", "game is over. See "),
        ("print flag-chase --json", "Error: No such option '--json'. See "),
        ("clear", "Error: No such command 'clear'. See "),
        ("print flag-chase -o game.toml", "game.toml: expected a name that ends in .html or .htm"),
        (
            "export flag-chase --out a.xyz",
            "a.xyz: unknown extension; expected .jsonl, csv, or parquet",
        ),
        ("map reach-the-edge end=1..30000 --by winner", "use --yes to start anyway, or choose fewer variants."),
    ],
)
def test_mistake_is_rejected_with_a_pointer(command: str, message: str, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        ran = numberline(*command.split())
    assert message in " ".join(ran.err.split())
    assert (ran.code, ran.out, list(tmp_path.iterdir())) == (2, "", [])


@pytest.mark.parametrize(
    "command",
    [
        "measure FILE --html FILE",
        "measure FILE --plot FILE",
        "map flag-chase end=8..9 --csv FILE",
        "map flag-chase end=8..9 --html FILE",
        "find FILE --out FILE",
        "arena perfect random --books FILE --games 2 --csv FILE",
        "arena perfect random --books FILE --games 2 --html FILE",
        "arena perfect random --books FILE --games 2 --out FILE",
        "export FILE --out FILE --format csv",
        "export flag-chase --out short-cut --format csv",
        "print FILE --out FILE",
        "web --db games.db --export FILE",
    ],
)
def test_existing_file_with_other_content_is_not_overwritten(command: str, own_book: Path) -> None:
    names = [own_book.name, "short-cut.svg", "short-cut.md", "games.db"]
    with contextlib.chdir(own_book.parent):
        numberline("web", "--db", "games.db", "--migrate")
        for name in names[1:3]:
            Path(name).write_text(GOOD_BOOK)
        ran = numberline(*command.replace("--plot FILE", "--plot short-cut.svg").replace("FILE", own_book.name).split())
        assert (ran.code, ran.out, Path(names[3]).read_bytes()[:6]) == (1, "", b"SQLite")
        assert {Path(name).read_text() for name in names[:3]} == {GOOD_BOOK}
    assert "; choose another file" in ran.err


def test_two_outputs_need_two_files(tmp_path: Path) -> None:
    file = str(tmp_path / "both.svg")
    ran = numberline("measure", "flag-chase", "--html", file, "--plot", file)
    assert (ran.code, list(tmp_path.iterdir())) == (2, [])
    assert f"'{file}' is also the file of another option." in ran.err


def test_whole_numbers_are_called_n_in_the_help() -> None:
    assert not [name for name in COMMANDS if " RANGE" in numberline(name, "--help").out]


def test_page_on_standard_output_comes_without_a_message() -> None:
    ran = numberline("print", "flag-chase", "-o", "-")
    assert (ran.out[:15], ran.err) == ("<!doctype html>", "")


def test_hyphen_is_standard_output_for_every_report() -> None:
    assert numberline("measure", "flag-chase", "--html", "-").out.startswith("<!doctype html>")


def test_export_says_what_it_wrote(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    assert numberline("export", "flag-chase", "--out", str(file)).err == (
        f"Wrote 38 rows to {file} and its card to {file}.md.\n"
    )


def test_bot_can_be_named_by_its_animal() -> None:
    game = numberline("play", "flag-chase", "--vs", "Owl", "--seed", "1", typed="1\n")
    assert game == numberline("play", "flag-chase", "--vs", "master", "--seed", "1", typed="1\n")
    assert "Owl" in game.out


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"Short Cut"', '""', 'title: expected non-empty text in quotes, found ""'),
        ('[0, "end"]', "[12, 0]", "0 in rules.line: the line starts at 12; expected 13 or more"),
        ("[settings]", '[voice]\nopening = "{playr1}"\n[settings]', "(did you mean player1?)"),
    ],
)
def test_book_file_problem_names_its_place(old: str, new: str, problem: str, own_book: Path) -> None:
    own_book.write_text(
        GOOD_BOOK.replace(old, new)
        .replace("end = 6\n", "" if "12" in new else "end = 6\n")
        .replace('goal = "end"', "goal = 6")
    )
    ran = numberline("check", str(own_book))
    assert problem in f"{ran.out}{ran.err}"
