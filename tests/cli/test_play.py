"""`numberline play` with bots: hints, values, series, adaptive levels and configured defaults."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from random import Random

import pytest

import numberline as nl
from numberline.bots import Bot, Seats
from numberline.progress.rules import INITIAL_LEVEL, MAX_LEVEL, MIN_LEVEL
from numberline.terminal import progress
from numberline.terminal.console import EndOfInput, ScriptedConsole
from numberline.terminal.session import Session
from support.commands import numberline
from support.progress import game, store


def test_bot_takes_the_other_seat() -> None:
    out = numberline("play", "flag-chase", "--vs", "perfect", "--seed", "1", typed="3\n2\n").out
    assert "\n\nPerfect's turn.\nPerfect moves from tile 10 to tile " in out
    assert "Perfect, you're" not in out
    assert "Player 1 wins the game!\n" in out


def test_bots_can_play_each_other() -> None:
    ran = numberline("play", "line-runner", "--seats", "perfect,random", "--seed", "1")
    assert ran.code == 0
    assert "Perfect has reached the end of the line and wins the game! Congratulations!\n" in ran.out


def test_endless_bot_game_stops_without_a_winner(tmp_path: Path) -> None:
    endless = 'number-reach(operations="+1 *2 -1")'
    record = tmp_path / "games.txt"
    ran = numberline(
        "play", endless, "--seats", "perfect,perfect", "--seed", "1", "--rounds", "2", "--record", str(record)
    )
    assert ran.out.count("\nNo winner after 1,000 turns: the game stops.\n") == 2
    assert ran.out.endswith("Score: Perfect: 0, Perfect (2): 0\nThe match is drawn 0 to 0.\n")
    assert record.read_text().count("\n1000. ") == record.read_text().count("result: unfinished\n") == 2
    assert (ran.code, ran.err) == (0, "")


def test_deadlock_ends_without_a_winner() -> None:
    ran = numberline("play", "flag-chase(steps=2,3)", typed="2\n" * 4)
    assert ran.out.count("has no move and loses the turn.") == 1
    assert ran.out.endswith("\nNo player can move any more, so there is no winner.\n")


def test_turn_is_announced_before_a_bot_thinks() -> None:
    book, seen = nl.book("flag-chase"), []

    class Thinker(Bot):
        def choose(self, position: nl.Position) -> str:
            seen.append(paper.getvalue())
            return "1"

    seats = Seats(book, [None, Thinker("thinker", book, Random(0))])
    with redirect_stdout(StringIO()) as paper, suppress(EndOfInput):
        Session(nl.Match(book), ScriptedConsole(["3"]), seats=seats).play()
    assert seen[0].endswith("\nPlayer 2's turn.\n")
    assert paper.getvalue()[len(seen[0]) :].startswith("Player 2 moves from tile 10 to tile 9.\n")


def test_bot_turn_does_not_mention_its_goal() -> None:
    out = numberline("play", "reach-the-edge", "--vs", "perfect", "--seed", "1", typed="3\n").out
    assert "Marker moved to position 5 towards your goal.\n\nPerfect's turn.\nPerfect moves the marker to " in out
    out = numberline("play", "number-reach", "--vs", "greedy", "--seed", "1", typed="+1\n").out
    assert "Greedy's turn.\nGreedy plays *2: the number is now 4.\n" in out


def test_two_equal_bots_have_different_names() -> None:
    out = numberline("play", "line-runner(end=4)", "--seats", "perfect,perfect", "--seed", "1").out
    assert "Perfect (B)" in out


@pytest.mark.parametrize("bot", ["random", "greedy", "easy", "level:1", "level:10", "perfect", "mcts:20"])
def test_same_seed_gives_the_same_game(bot: str) -> None:
    games = {numberline("play", "number-line-sprint", "--seats", f"{bot},{bot}", "--seed", "5").out for _ in range(2)}
    assert len(games) == 1


def test_game_against_a_bot_ends_with_the_deciding_moment() -> None:
    out = numberline("play", "flag-chase", "--vs", "perfect", "--seed", "1", typed="1\n1\n1\n").out
    assert out.endswith("wins the game!\n\nOn your first move, 3 was better than 1: it could have won.\n")


def test_winner_does_not_read_about_the_mistake_of_the_bot() -> None:
    out = numberline(
        "play", "number-line-sprint", "--vs", "random", "--seed", "3", "--first", "2", typed="R2\nR2\nR1\n"
    ).out
    assert out.endswith("\n\nFrom your second move on, the win was yours.\n")


def test_loser_without_a_chance_is_comforted() -> None:
    out = numberline("play", "flag-chase", "--vs", "perfect", "--first", "2", "--seed", "1", typed="1\n1\n1\n").out
    assert out.endswith("\n\nPerfect had a sure win from the start and kept it to the end.\n")


def test_best_losing_move_lasts_longest() -> None:
    out = numberline("play", "reach-the-edge", typed="1\n3\nvalues\n").out
    assert "  lasts longest\n" in out
    assert "  best\n" not in out


def test_game_between_people_ends_without_a_review() -> None:
    assert numberline("play", "flag-chase", typed="3\n2\n2\n").out.endswith("Player 1 wins the game!\n")


def test_hint_names_the_move_the_second_time() -> None:
    out = numberline("play", "reach-the-edge", typed="hint\nhint\n").out
    assert "Exactly one of your three moves wins. " in out
    assert "Play 3: it brings the marker to position 5" in out


def test_hint_starts_again_in_a_new_position() -> None:
    out = numberline("play", "flag-chase", typed="hint\n3\nhint\n").out
    assert out.count("(Ask again to see the move.)") == 2


def test_why_explains_the_position() -> None:
    out = numberline("play", "reach-the-edge", typed="why\n").out
    assert "If you play 1 or 2, Player 2 can always win. Play 3.\n" in out


def test_values_shows_letter_shape_and_words() -> None:
    out = numberline("play", "reach-the-edge", typed="values\n").out
    assert "  1      L ▼  loses within 12 turns\n" in out
    assert "  3      W ▲  wins within 11 turns  best\n" in out
    assert "L ▼ loses and W ▲ wins, if everyone plays their best. Every player's turns are counted.\n" in out


def test_equal_values_are_one_sentence() -> None:
    out = numberline("play", "number-line-sprint", typed="values\n").out
    same = "All moves are equally good: each wins within 5 turns, if everyone plays their best. "
    assert f"values\n{same}Every player's turns are counted.\n" in out
    assert "▲" not in out


def test_assist_shows_the_values_at_every_turn() -> None:
    out = numberline("play", "flag-chase", "--assist", typed="3\n2\n2\n").out
    assert out.count("  best\n") + out.count("  lasts longest\n") >= 3
    assert "  2      W ▲  wins at once  best\n" in out


def test_values_work_for_three_players() -> None:
    out = numberline("play", "number-reach(players=3)", typed="values\n").out
    assert "no player alone has a sure win" in out


def test_game_continues_if_it_is_too_large_to_solve() -> None:
    ran = numberline("play", "line-runner(end=1000000)", typed="hint\n3\n")
    assert "Line-runner(end=1000000) has 2,000,012,000,018 positions" in ran.out
    assert "Player A moves to position 3.\n" in ran.out


def test_undo_reverts_the_reply_of_a_bot_too() -> None:
    out = numberline("play", "flag-chase", "--vs", "greedy", "--seed", "1", typed="1\nundo\n3\n").out
    assert "Undone: 1 by Player 1 and 3 by Greedy.\n\nPlayer 1, you're on tile 0." in out


def test_undo_before_your_first_move_changes_nothing() -> None:
    out = numberline("play", "flag-chase", "--vs", "greedy", "--first", "2", "--seed", "1", typed="undo\n1\n").out
    assert out.count("Greedy moves from tile 10 to tile 7.\n") == 2
    assert "Player 1 moves from tile 0 to tile 1.\n" in out


def test_swapped_seats_give_a_score_for_each_side() -> None:
    out = numberline(
        "play",
        "flag-chase",
        "--seats",
        "perfect,random",
        "--rounds",
        "2",
        "--swap-seats",
        "--keep-first",
        "--seed",
        "1",
    ).out
    assert "Game 1 of 2\n\nPerfect's turn.\n" in out
    assert "Game 2 of 2\n\nRandom's turn.\n" in out
    assert "Perfect won 1 as Player 1 and 1 as Player 2.\nRandom won 0 as Player 1 and 0 as Player 2.\n" in out


def test_plain_mode_draws_nothing_and_names_the_places() -> None:
    out = numberline("play", "number-line-sprint", "--plain", typed="R2\n").out
    assert "Player 1 is on position 8. Player 2 is on position 6. The goal is position 1 or 11.\n" in out
    assert "Number Line: 1 2 3" not in out


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--vs", "wizard"], 2, "unknown bot 'wizard'; expected random, greedy, "),
        (["--vs", "wizard"], 2, ", or exec:COMMAND."),
        (["--vs", "levl:3"], 2, " (did you mean level?)."),
        (["--seats", "me,atuo"], 2, " (did you mean auto?)."),
        (["--vs", "level:11"], 2, "unknown bot 'level:11'; expected level:1 to level:10"),
        (["--seats", "me"], 2, "'me': expected 2 players separated by commas; each must be 'me' or the name of a bot."),
        (
            ["--vs", "random", "--seats", "me,random"],
            2,
            "use only one of --vs and --seats.",
        ),
    ],
)
def test_unknown_bot_is_rejected(arguments: list[str], code: int, sentence: str) -> None:
    ran = numberline("play", "flag-chase", *arguments)
    assert sentence in ran.err
    assert ran.code == code


def test_adaptive_opponent_follows_the_results() -> None:
    def level() -> int:
        return progress.load_progress().level("flag-chase")

    assert level() == INITIAL_LEVEL
    store(game(won=True))
    assert level() == INITIAL_LEVEL + 1
    assert progress.load_progress().level("line-runner") == INITIAL_LEVEL
    store(*[game(won=False)] * 20)
    assert level() == MIN_LEVEL
    store(*[game(won=True)] * 20)
    assert level() == MAX_LEVEL


def test_adaptive_level_is_saved_between_games() -> None:
    out = numberline("play", "flag-chase", "--vs", "auto", "--seed", "1", typed="1\nresign\n").out
    assert "Chameleon wins the game!\n" in out
    assert out.endswith("The chameleon gets a little easier.\n")
    assert progress.load_progress().level("flag-chase") == INITIAL_LEVEL - 1


def test_adaptive_level_ignores_a_game_without_a_move() -> None:
    out = numberline("play", "flag-chase", "--vs", "auto", "--first", "2", "--seed", "1", typed="resign\n").out
    assert "Chameleon wins the game!\n" in out
    assert "easier" not in out
    assert progress.load_progress().level("flag-chase") == INITIAL_LEVEL


def test_book_named_like_a_key_of_the_document_is_harmless() -> None:
    store(game(), game(variant="version"))
    assert progress.load_progress().levels == {"flag-chase": INITIAL_LEVEL + 1, "version": INITIAL_LEVEL + 1}


def test_damaged_progress_file_is_ignored() -> None:
    store(game())
    progress.progress_file().write_text("{")
    assert progress.load_progress().level("flag-chase") == INITIAL_LEVEL


def test_configured_defaults_are_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    assert "You have no default options yet." in numberline("config").out
    file = folder / "numberline" / "config.toml"
    file.parent.mkdir()
    file.write_text('[play]\nnames = "Zoe"\nbest-of = 3\n')
    assert json.loads(numberline("config", "--json").out)["defaults"] == {"play": {"names": "Zoe", "best_of": 3}}
    assert numberline("play", "flag-chase", typed="1\n").out.startswith("Game 1 of 3\n\nZoe, you're on tile 0.")
    assert numberline("play", "flag-chase", "--names", "Ann", typed="1\n").out.startswith("Game 1 of 3\n\nAnn,")


def configured(text: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Write a configuration file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    (folder / "numberline").mkdir()
    (folder / "numberline" / "config.toml").write_text(text)


def test_typed_options_override_the_documented_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configured('[play]\nnames = "Ann,Bob"\nvs = "auto"\n', monkeypatch, tmp_path)
    assert "Chameleon wins the game!\n" in numberline("play", "flag-chase", typed="resign\n").out
    for people in (["--vs", "none"], ["--seats", "me,me"]):
        assert "Bob wins the game!\n" in numberline("play", "flag-chase", *people, typed="resign\n").out
    assert "Perfect wins" in numberline("play", "flag-chase", "--seats", "me,perfect", typed="resign\n").out
    assert "2 names for 1 person" in numberline("play", "flag-chase", "--names", "Zoe,Max").err


def test_typed_option_overrides_a_conflicting_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configured('[play]\nseats = "perfect,me"\nbest-of = 3\n', monkeypatch, tmp_path)
    out = numberline("play", "flag-chase", "--rounds", "2", "--vs", "greedy", typed="resign\nresign\n").out
    assert "Game 1 of 2\n" in out
    assert "Greedy wins the match 2 to 0.\n" in out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[play]\ncolour = 3\n", "unknown option play.colour; choose from assist, best-of, fast, first"),
        (
            '[play]\nrecord = "a\\u0000b"\n',
            "play.record: expected a string or a whole number, found 'a\\u0000b'",
        ),
        ("[dance]\n", "dance: expected a table named after a command: play, "),
        ("[play\n", "config.toml: "),
    ],
)
def test_invalid_configuration_is_reported(
    text: str, sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    file = folder / "numberline" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)
    ran = numberline("play", "flag-chase")
    assert sentence in ran.err
    assert (ran.code, ran.out) == (1, "")


def test_unreadable_configuration_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "numberline" / "config.toml").mkdir(parents=True)
    ran = numberline("play", "flag-chase")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.endswith("config.toml: is a directory; fix or remove the file\n")


def test_external_bot_can_play() -> None:
    bot = Path(__file__).parents[2] / "docs" / "example_bot.py"
    out = numberline("play", "flag-chase", "--vs", f"exec:{sys.executable} {bot}", typed="3\n2\n").out
    assert "example_bot.py moves from tile 10 to tile " in out
    assert "Player 1 wins the game!\n" in out


def test_external_bot_that_breaks_the_rules_resigns(tmp_path_factory: pytest.TempPathFactory) -> None:
    bot = tmp_path_factory.mktemp("bot") / "bad.py"
    bot.write_text("print('hello')\n")
    ran = numberline("play", "flag-chase", "--vs", f"exec:2s:{sys.executable} {bot}", typed="3\n")
    assert "forfeits: it did not start: it printed 'hello' where 'ready' was expected.\n" in ran.out
    assert "bad.py resigns.\n\nPlayer 1 wins the game!\n" in ran.out
    assert ran.code == 0


def test_play_with_review_reviews_the_game() -> None:
    out = numberline("play", "flag-chase", "--review", "--names", "Ann,Bob", typed="1\n3\n1\n2\n").out
    assert "Bob wins the game!\n\nAnn against Bob: Bob won after 4 turns.\n" in out
    assert " missed win: 2 or 3 could have won\n" in out
    assert "Ann: 1 move mattered\n" in out


def test_play_with_review_and_plain_prints_sentences() -> None:
    out = numberline("play", "flag-chase", "--review", "--plain", typed="1\n3\n1\n2\n").out
    assert "Move 1: Player 1 played 1. Before: wins within 3 turns." in out
