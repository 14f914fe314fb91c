"""Commands, errors, series, menus and records of a game from a pipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import numberline as nl
from numberline.bots.seats import Seats
from numberline.explain.phrases import Phrases
from numberline.terminal import session
from numberline.terminal.coach import Coach
from numberline.terminal.console import ScriptedConsole, TextConsole
from numberline.terminal.menu import MenuItem, pick_from_pages
from numberline.terminal.prompt import Command, ask
from numberline.terminal.series import SWAP, SeriesOptions, make_participants, recorded_series
from numberline.views.game_over import RetryView
from support.commands import numberline


def test_unreadable_input_is_explained_and_asked_again() -> None:
    out = numberline("play", "flag-chase", typed="banana\n3\n").out
    assert out.startswith(
        "Player 1, you're on tile 0. The flag is on tile 5.\n"
        "Enter your move (1, 2, or 3): banana\n"
        "'banana' can't be read as a move. You can play 1, 2, or 3.\n"
        "Enter your move (1, 2, or 3): 3\n"
        "\nPlayer 1 moves from tile 0 to tile 3.\n"
    )


def test_illegal_move_is_explained_and_asked_again() -> None:
    out = numberline("play", "flag-chase", typed="3\n3\n3\n2\n").out
    assert "You can't play 3: it would take you past the flag. You can play 1 or 2.\nEnter your move" in out
    assert out.endswith("Player 1 wins the game!\n")


def test_empty_line_asks_again() -> None:
    out = numberline("play", "flag-chase", typed="\n3\n").out
    assert "Enter your move (1, 2, or 3): \nType a move, or help.\nEnter your move (1, 2, or 3): 3\n" in out


def test_help_lists_the_commands() -> None:
    out = numberline("play", "flag-chase", typed="HELP\n").out
    assert "Type a move (1, 2, 3), or:\n" in out
    assert all(f"\n  {command} " in out for command in ("rules", "moves", "undo", "resign", "quit"))


def test_rules_command_prints_the_rules_of_the_variant() -> None:
    out = numberline("play", "flag-chase(flag=3)", typed="rules\n").out
    assert "The goal: Be the first to reach exactly tile 3.\n" in out


def test_moves_command_shows_where_each_move_leads() -> None:
    out = numberline("play", "flag-chase", typed="3\n1\nmoves\n").out
    assert "  1      from 3 to 4\n  2      wins\nEnter your move" in out


def test_moves_command_marks_a_losing_overshoot() -> None:
    out = numberline("play", "number-reach(target=3)", typed="*2\nmoves\n").out
    assert "  +1     wins\n  *2     loses\n" in out


def test_undo_reverts_the_last_move_and_asks_again() -> None:
    out = numberline("play", "flag-chase", typed="3\nundo\n1\n").out
    assert "Undone: 3 by Player 1.\n\nPlayer 1, you're on tile 0." in out
    assert out.count("Player 1, you're on tile 0.") == 2
    assert "Player 1 moves from tile 0 to tile 1." in out


def test_undo_at_the_start_has_nothing_to_undo() -> None:
    assert "There is nothing to undo.\nEnter" in numberline("play", "flag-chase", typed="undo\n").out


def test_undo_reverts_lost_turns_too() -> None:
    out = numberline("play", "reach-the-edge(steps=2)", typed="2\nundo\n2\n").out
    assert "Player 2 has no move and loses the turn.\n" in out
    assert "Undone: 2 by Player 1.\n\nPlayer 1's Turn:\nCurrent Marker Position: 8\n" in out


def test_lost_turn_is_announced_and_passed() -> None:
    out = numberline("play", "reach-the-edge(steps=2)", typed="2\n2\n2\n2\n").out
    assert "towards your goal.\n\nPlayer 2 has no move and loses the turn.\n\nPlayer 1's Turn:\n" in out
    assert out.endswith("Marker moved to position 0 towards your goal.\nPlayer 1 Wins!\n")


def test_resigning_gives_the_opponent_the_game() -> None:
    ran = numberline("play", "line-runner", typed="3\nresign\n")
    assert ran.out.endswith(
        "\nPlayer B resigns.\n\nPlayer A wins the game!\n\nFinal Positions:\nPlayer A: 3\nPlayer B: out\n"
    )
    assert ran.code == 0


def test_three_player_game_continues_after_a_resignation() -> None:
    out = numberline("play", "number-reach(players=3, target=4)", typed="+1\nresign\n+1\n+1\n").out
    assert "Player 2 resigns.\n\nPlayer 3's turn." in out
    assert out.endswith("New Current Number: 4\n\nPlayer 1 wins the game!\n")


def test_three_player_game_continues_after_an_overshoot() -> None:
    out = numberline("play", "number-reach(players=3, target=5)", typed="*2\n*2\n*2\n*2\n").out
    assert "8 is past 5: Player 3 is out. The number stays 4.\n\nPlayer 1's turn.\n" in out
    assert out.endswith("8 is past 5: Player 1 is out. The number stays 4.\n\nPlayer 2 wins the game!\n")


def test_player_who_loses_without_a_move_is_informed() -> None:
    out = numberline("play", "number-line-sprint(end=5, steps=1,3, meeting=blocks)", typed="R1\nR1\n").out
    assert "You can't play R1: Player 1 is in the way." in out
    out = numberline(
        "play", 'number-reach(operations="+2", target=4, overshoot=refused, stuck=loses)', typed="+2\n"
    ).out
    assert out.endswith("New Current Number: 3\n\nPlayer 2 has no move left and is out.\n\nPlayer 1 wins the game!\n")


def test_several_tokens_are_named_in_moves_and_on_the_board() -> None:
    out = numberline("play", "line-runner(tokens=2, end=4)", typed="2:3\n1:2\nx\n").out
    assert "Player A (Ab) moves to position 3.\n\nPositions: 0 1 2 3(Ab) 4\nPlayer A (Aa) is at position 0\n" in out
    assert "Positions: 0 1 2(Ba) 3(Ab) 4\n" in out


def test_quit_exits_with_0() -> None:
    ran = numberline("play", "flag-chase", typed="3\nquit\n")
    assert ran.out.endswith("Enter your move (1, 2, or 3): quit\nThe game is left unfinished.\n")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("word", ["q", "exit", " QUIT "])
def test_other_words_for_quit_exit_too(word: str) -> None:
    assert numberline("play", "flag-chase", typed=f"{word}\n").out.endswith("The game is left unfinished.\n")


def test_moves_command_says_which_move_puts_you_out() -> None:
    out = numberline("play", "number-reach(players=3, target=3)", typed="+1\nmoves\n").out
    assert "  +1     wins\n  *2     puts you out\n" in out


def test_end_of_input_prints_one_sentence_and_exits_with_3() -> None:
    ran = numberline("play", "flag-chase", typed="3\n")
    assert ran.out.endswith("Enter your move (1, 2, or 3): \n")
    assert (ran.code, ran.err) == (3, "The input ended before the game did.\n")


def test_names_replace_the_players_but_not_the_labels() -> None:
    out = numberline("play", "line-runner", "--names", "Ann,Bob", typed="3\n3\n").out
    assert "Ann moves to position 3.\n\nPositions: 0 1 2 3(A) 4" in out
    assert "Position 3 is occupied by Ann.\nBob moves to position 2 instead.\n" in out


def test_first_player_can_be_chosen() -> None:
    out = numberline("play", "reach-the-edge", "--first", "2", typed="3\n").out
    assert "Player 2 goes first.\n" in out
    assert "Marker moved to position 11 towards your goal.\n" in out


def test_coin_depends_on_the_seed_only() -> None:
    tosses = [numberline("play", "flag-chase", "--first", "coin", "--seed", str(seed)).out for seed in range(8)]
    again = [numberline("play", "flag-chase", "--first", "coin", "--seed", str(seed)).out for seed in range(8)]
    assert tosses == again
    assert {toss.splitlines()[0] for toss in tosses} == {
        "The coin is tossed: Player 1 starts.",
        "The coin is tossed: Player 2 starts.",
    }


def test_rounds_alternate_the_first_player_and_show_the_score() -> None:
    out = numberline("play", "flag-chase", "--rounds", "2", "--names", "Ann,Bob", typed="3\n1\n2\n3\n1\n2\n").out
    assert out.startswith("Game 1 of 2\n\nAnn, you're on tile 0.")
    assert "Ann wins the game!\n\nScore: Ann: 1, Bob: 0\n\nGame 2 of 2\n\nBob, you're on tile 10." in out
    assert out.endswith("Bob wins the game!\n\nScore: Ann: 1, Bob: 1\nThe match is drawn 1 to 1.\n")


def test_best_of_ends_when_decided() -> None:
    out = numberline("play", "flag-chase", "--best-of", "3", "--first", "1", typed="3\n1\n2\nresign\n").out
    assert out.endswith("Score: Player 1: 2, Player 2: 0\nPlayer 1 wins the match 2 to 0.\n")


def test_settings_can_be_given_one_by_one() -> None:
    by_option = numberline("play", "line-runner", "--set", "end=5", "--set", "steps=1,4", typed="4\n")
    assert by_option == numberline("play", "line-runner(steps=1,4, end=5)", typed="4\n")
    assert "Positions: 0 1 2 3 4(A) 5\n" in by_option.out


def test_play_without_a_book_lists_the_games() -> None:
    out = numberline("play", typed="9\nflag chess\nhello\n4\n3\n").out
    assert out.startswith("1. Reach the Edge: ")
    count = len(nl.NAMES)
    assert f"Which game (1-{count}, Enter for Reach the Edge, or quit): 9\n'9' is not on the list" in out
    assert "'flag chess' is not on the list. Did you mean flag-chase?\n" in out
    assert "Type a number, or Reach the Edge, Number Reach, Number Line Sprint, Flag Chase, or Line Runner.\n" in out
    assert out.endswith("Player 2, you're on tile 10. The flag is on tile 5.\nEnter your move (1, 2, or 3): \n")


def test_choosing_no_game_exits_with_0() -> None:
    assert numberline(typed="quit\n").code == 0
    ran = numberline()
    assert (ran.code, ran.out.endswith("You didn't choose anything.\n")) == (0, True)
    ran = numberline("play")
    assert (ran.code, ran.out.endswith("You didn't choose a game.\n")) == (0, True)


@pytest.mark.parametrize(
    ("wanted", "opponent"),
    [
        ("\nflag\n1\n", "Rabbit"),
        ("c\nflag\nmedium\n", "Badger"),
        ("1\nflag\nh\n", "Fox"),
        ("1\nflag\nowl\n", "Owl"),
        ("1\nflag\njust\n", "Chameleon"),
    ],
)
def test_start_menu_starts_a_game_against_the_computer(wanted: str, opponent: str) -> None:
    out = numberline(typed=f"{wanted}resign\n").out
    assert "1. Computer: play against the computer\n2. Friend: play with a friend" in out
    assert f"{opponent} wins the game!\n" in out


@pytest.mark.parametrize("game", ["sprint", "3", "number line sprint", "number-l"])
def test_start_menu_starts_a_game_with_a_friend(game: str) -> None:
    out = numberline(typed=f"friend\n{game}\nresign\n").out
    assert "Welcome to Number Line Sprint!\n" in out
    assert out.endswith("Player 2 wins the game!\n")


def test_start_menu_explains_invalid_choices() -> None:
    out = numberline(typed="no\nl\ndance\nquit\n").out
    assert "Resume: " not in out
    assert "'l' could be Learn or Ladder; type more letters.\n" in out
    assert "'no' is not on the list. " in out  # "Win now" is only a description
    assert "'dance' is not on the list. Type a number, or Computer, Friend, Learn, " in out


def test_start_menu_starts_puzzles_and_lessons() -> None:
    assert "Number Reach" in numberline(typed="p\nnumber-reach\nquit\n").out.partition("Which game")[2]
    assert "Step 1" in numberline(typed="le\nf\nquit\n").out


@pytest.mark.parametrize("word", ["?", "h", "HELP"])
def test_help_has_short_forms(word: str) -> None:
    assert "Type a move (1, 2, 3), or:\n" in numberline("play", "flag-chase", typed=f"{word}\n").out


@pytest.mark.parametrize(
    ("typed", "meant"), [("hlep", "help"), ("udno", "undo"), ("valeus", "values"), ("qiut", "quit")]
)
def test_misspelt_command_gets_a_suggestion(typed: str, meant: str) -> None:
    out = numberline("play", "flag-chase", typed=f"{typed}\n").out
    assert f"'{typed}' can't be read as a move; did you mean {meant}?\n" in out


def test_record_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    numberline("play", "flag-chase", "--record", str(file), typed="3\n2\n2\n")
    before = file.read_text()
    ran = numberline("play", "flag-chase", "--record", str(file), typed="1\n")
    assert (ran.code, ran.out, file.read_text()) == (1, "", before)
    assert "game.txt already exists and won't be overwritten; choose another file" in ran.err


def test_record_is_replayed_as_it_was_played(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    played = numberline("play", "line-runner(end=5)", "--names", "Ann", "--record", str(file), typed="3\n3\nx\n2\n")
    assert file.read_text() == (
        "numberline record 1\n"
        "variant: line-runner(end=5)\n"
        "first: 1\n"
        "player 1: Ann\n"
        "player 2: Player B\n"
        "1. 3\n2. 3\n3. 2\n"
        "result: player 1 wins (Player A reached 5.)\n"
    )
    replayed = numberline("replay", str(file))
    without_rubbish = [
        line for line in played.out.splitlines() if "x" not in line.split(": ")[-1:] and "'x'" not in line
    ]
    assert replayed.out.splitlines() == without_rubbish
    assert replayed.code == 0


def test_record_has_the_game_so_far_after_every_move(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    assert numberline("play", "flag-chase", "--record", str(file), typed="3\n").code == 3
    assert file.read_text().endswith("1. 3\nresult: unfinished\n")
    assert numberline("replay", str(file)).out.endswith("\nThe record ends here. The game is unfinished.\n")


def test_games_of_a_match_are_recorded_in_order(tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    numberline("play", "flag-chase", "--rounds", "2", "--record", str(file), typed="3\n1\n2\n3\n1\n2\n")
    shown = numberline("replay", str(file)).out
    assert shown.startswith("Game 1 of 2\n\nPlayer 1, you're on tile 0.")
    assert "\nGame 2 of 2\n\nPlayer 2, you're on tile 10." in shown
    games = json.loads(numberline("replay", str(file), "--json").out)
    assert [(game["first"], game["outcome"]["winner"]) for game in games] == [(1, 1), (2, 2)]
    assert [ply["move"] for ply in games[0]["plies"]] == ["3", "1", "2"]


FULL_WIDTH_ONE, RIGHT_TO_LEFT, SUPERSCRIPT_TWO = "\uff11", "\u202e", "\u00b2"


@pytest.mark.parametrize(
    "typed",
    [
        "\x00",
        RIGHT_TO_LEFT + "3",
        "9" * 10_000,
        "e\u0301" * 50,
        "\t",
        FULL_WIDTH_ONE,
        "-1",
        "1e3",
        SUPERSCRIPT_TWO,
        "+",
        ":",
    ],
)
def test_odd_input_changes_nothing_and_asks_again(typed: str) -> None:
    ran = numberline("play", "flag-chase", typed=f"{typed}\n3\n")
    assert "\nPlayer 1 moves from tile 0 to tile 3.\n" in ran.out
    assert (ran.code, ran.err) == (3, "The input ended before the game did.\n")
    assert max(map(len, ran.out.splitlines()[2:])) < 200


def test_invalid_utf8_changes_nothing() -> None:
    ran = numberline("play", "flag-chase", typed=b"\xff\xfe\x80\n3\n")
    assert "can't be read as a move" in ran.out
    assert "\nPlayer 1 moves from tile 0 to tile 3.\n" in ran.out


def test_three_player_game_is_not_reviewed() -> None:
    ran = numberline("play", "line-runner(players=3, end=4)", "--review", typed="3\nresign\nresign\n")
    assert (ran.code, ran.err) == (0, "")
    assert "Reviews need two players; line-runner(end=4, players=3) has 3.\n" in ran.out


def test_positions_are_shown_after_a_step_that_stays_and_a_lost_turn() -> None:
    out = numberline("play", "line-runner(steps=1-2)", typed="1\n1\n").out
    assert "Player B stays on position 0.\n\nPositions: 0 1(A) 2 " in out
    out = numberline("play", "line-runner(steps=1)", typed="1\n").out
    assert "Player B has no move and loses the turn.\n\nPositions: 0 1(A) 2 " in out


def test_back_leaves_the_game_unless_it_is_a_move() -> None:
    assert numberline("play", "flag-chase", typed="back\n").out.endswith("The game is left unfinished.\n")
    out = numberline("play", "flag-chase(reverse=true)", typed="back\n2\nquit\n").out
    assert "You can't play back: -1 is off the line." in out
    assert "Player 1 moves from tile 0 to tile 2." in out


def test_quit_in_a_submenu_returns_to_the_menu() -> None:
    out = numberline(typed="friend\nquit\nquit\n").out
    assert out.count("Welcome to Numberline!") == 2


def test_prompts_name_tokens_by_their_letters() -> None:
    out = numberline("play", "number-line-sprint(tokens=2, end=5)", typed="help\nbL2\na right 1\nx\n").out
    assert "Type a move (aL1, aL2, aR1, aR2, bL1, bL2, bR1, bR2), or:\n" in out
    assert "Player 1 (P1b)" in out
    assert "Player 2 (P2a)" in out
    assert "1:L1" not in out


def test_only_one_progress_bar_is_shown_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    @contextmanager
    def watched(label: str) -> Iterator[Callable[[float], None]]:
        assert not shown
        shown.append(label)
        yield lambda _: None
        shown.remove(label)

    monkeypatch.setattr(session, "progress_bar", watched)
    book = nl.book("flag-chase")
    session.Session(nl.Match(book), ScriptedConsole([]), seats=Seats(book, ["perfect", "perfect"])).play()


def test_steps_can_be_typed_with_their_direction() -> None:
    out = numberline("play", "reach-the-edge", typed="left 2\nright 3\nright 1\n").out
    assert "Marker moved to position 6 towards your goal.\n" in out
    assert "Marker moved to position 9 towards your goal.\n" in out
    assert "'right 1' can't be read as a move." in out


def test_ctrl_c_cancels_a_command_but_not_the_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    answers = iter(["hint", "3"])
    screen = TextConsole()
    monkeypatch.setattr(screen, "ask", lambda *_: next(answers))
    assert ask(screen, "Your move: ", int, {"hint": Command("", interrupted)}) == 3
    assert "Stopped.\n" in capsys.readouterr().out


def test_board_command_shows_the_position_again() -> None:
    out = numberline("play", "line-runner", typed="3\nboard\n").out
    assert out.count("Positions: 0 1 2 3(A) 4 ") == 2
    out = numberline("play", "flag-chase", typed="3\nboard\n").out
    assert "Player 1 is on tile 3. Player 2 is on tile 10. The goal is tile 5.\n" in out


def test_long_list_is_picked_from_page_by_page(capsys: pytest.CaptureFixture[str]) -> None:
    items = [MenuItem(f"game {number}", f"Game {number}") for number in range(10)]
    picked = pick_from_pages(ScriptedConsole(["more", "2", "3", "more", "7"]), "Which game", lambda: items)
    assert [next(picked) for _ in range(3)] == [
        "game 8",
        "game 9",
        "game 6",
    ]  # the page stays, and the first one is next
    assert "4. More: back to the first page\n" in capsys.readouterr().out
    picked = pick_from_pages(ScriptedConsole(["8", "5", "more", "7"]), "Which game", lambda: items)
    assert next(picked) == "game 6"  # the second page has no 5


def test_recorded_game_continues_from_a_board_against_the_same_character() -> None:
    match = nl.Match(nl.book("flag-chase"), names=("Ada", "Fox"))
    for move in ("1", "2", "1"):
        match.play(move)
    series = recorded_series(match)
    series.options = replace(series.options, step="flag-chase-1")
    again = series.retry_from(RetryView(2, "", (), ""))
    assert [participant.bot for participant in again.options.participants] == [None, "hard"]
    assert again.current
    assert (again.current.length, match.length) == (1, 3)
    assert (again.options.practice, again.options.step) == (True, "flag-chase-1")


@pytest.mark.parametrize(
    ("name", "bot"), [("Fox", "hard"), ("Level 4", "level:4"), ("Perfect", "perfect"), ("Bo", None)]
)
def test_recorded_bot_keeps_its_seat(name: str, bot: str | None) -> None:
    match = nl.Match(nl.book("flag-chase"), names=["Ann", name])
    assert [participant.bot for participant in recorded_series(match).options.participants] == [None, bot]


def test_person_named_like_the_opponent_keeps_the_name_and_the_side() -> None:
    book = nl.book("flag-chase")
    for seats, names in (
        ([None, "easy"], ("Rabbit", "Rabbit (computer)")),
        (["easy", None], ("Rabbit (computer)", "Rabbit")),
    ):
        participants = make_participants(book, seats, ["Rabbit"])
        assert tuple(each.name for each in participants) == names
        recorded = recorded_series(nl.Match(book, names=names)).options
        assert (recorded.participants, recorded.you()) == (participants, seats.index(None) + 1)


def test_back_from_the_opponents_leads_to_the_games() -> None:
    out = numberline(typed="computer\nflag\nback\nquit\nquit\n").out
    assert [out.count(text) for text in ("Which game (", "How strong (", "Welcome to Numberline!")] == [2, 1, 2]


def test_lost_turn_is_explained() -> None:
    match = nl.Match(nl.book("reach-the-edge(end=10, steps=1,4)"), names=["Ann", "Mia"], first=2)
    for move in ("4", "1"):
        match.play(move)
    said = Phrases(match.book, match.names, you=1).describe_ply(match.play("pass"))
    assert said == "Mia can't move: 1 is banned and 4 is too far, so Mia misses a turn"


def test_values_count_turns_only_if_they_are_shown() -> None:
    coach = Coach(nl.Match(nl.book("number-reach(players=3)")))
    lines = [line.plain for line in coach.values(plain=True)]
    assert not any(sign in line for line in lines for sign in "▲▼◆●")
    assert ("turns are counted" in lines[-1]) == any("turn" in line for line in lines[:-1])


def test_people_keep_their_names_after_a_swap_of_three_players() -> None:
    book = nl.book("number-reach(players=3)")
    options = SeriesOptions(book=book, participants=make_participants(book, [None] * 3, ["Mia"]))
    assert [each.name for each in options.rematch(SWAP).participants] == ["Player 2", "Player 3", "Mia"]
