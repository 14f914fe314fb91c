"""Rulings for cases in which the rule books are silent or contradict themselves, each with a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import numberline as nl
from numberline.cli.play import command as play
from numberline.explain.narrator import Narrator
from numberline.game.loader import book_from_toml
from numberline.game.notation import format_record
from numberline.solver.explore import explore
from numberline.terminal.console import ScriptedConsole
from numberline.terminal.series import Series, SeriesOptions, make_participants
from support.match_script import after, places, played, printed, winner
from support.variants import RULE_BOOKS, reachable

RULINGS = (
    *("G1", "G2", "G3", "G4", "G5"),
    *("E1", "E2", "E3"),
    *("N1", "N2", "N3", "N4"),
    *("S1", "S2", "S3", "S4", "S5"),
    *("F1", "F2", "F3", "F4"),
    *("L1", "L2", "L3", "L4", "L5"),
    *("M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9"),
)

edge = nl.book("reach-the-edge")
reach = nl.book("number-reach")
sprint = nl.book("number-line-sprint")
chase = nl.book("flag-chase")
runner = nl.book("line-runner")


def standing(*tokens: int, turn: int = 1, last: int = 0) -> nl.Position:
    """Return the tokens, the player to move and the banned stride."""
    return nl.Position(turn=turn, tokens=tokens, last=last)


def refusal(match: nl.Match, typed: str) -> nl.MoveError:
    """Return the error message for an illegal move."""
    with pytest.raises(nl.MoveError) as caught:
        match.play(typed)
    return caught.value


@pytest.mark.parametrize("ruling", RULINGS)
def test_every_ruling_has_a_test(ruling: str) -> None:
    assert [name for name in globals() if name.startswith(f"test_{ruling.lower()}_")]


# General


def test_g1_rule_text_overrides_an_example_that_omits_a_move() -> None:
    # Turn 5 of the Sprint's example lists 9 and 11; two to the left is open by the rules.
    assert sprint.moves(after(sprint, "R2 R1 R2 L1")) == ("L1", "L2", "R1")


@pytest.mark.parametrize("name", nl.NAMES)
def test_g2_player_2_may_start_from_the_same_position(name: str) -> None:
    book = nl.book(name)
    assert book.start(first=2) == book.start()._replace(turn=2)


def test_g2_player_1_of_reach_the_edge_always_pulls_left() -> None:
    assert places(edge, "3 1", first=2) == [(11,), (10,)]


def test_g2_a_coin_can_decide_the_first_player() -> None:
    tossed = [CliRunner().invoke(play, ["flag-chase", "--first", "coin", "--seed", str(n)], "quit\n") for n in range(9)]
    assert {result.output.split("you're on")[0][-10:-2] for result in tossed} == {"Player 1", "Player 2"}


@pytest.mark.parametrize("typed", ["", "two", "1.5", "L2", "3 !", "²", "-", "1:"])
def test_g3_other_text_is_an_unreadable_move(typed: str) -> None:
    assert type(refusal(nl.Match(chase), typed)) is nl.UnreadableMove


def test_g3_move_not_allowed_here_is_illegal() -> None:
    assert type(refusal(played(chase, "3 1"), "3")) is nl.IllegalMove


@pytest.mark.parametrize(
    ("book", "typed"), [(chase, "4"), (chase, "back"), (sprint, "R3"), (reach, "*3"), (reach, "-1"), (runner, "skip")]
)
def test_g3_a_move_that_only_another_variant_has_is_illegal(book: nl.Book, typed: str) -> None:
    assert type(refusal(nl.Match(book), typed)) is nl.IllegalMove


@pytest.mark.parametrize(("typed", "said"), [("two", "'two' can't be read"), (" 2 ", "you can't play 2: ")])
def test_g3_both_errors_say_what_was_typed(typed: str, said: str) -> None:
    assert str(refusal(played(edge, "2"), typed)).startswith(said)


@pytest.mark.parametrize("typed", ["two", "2"])
def test_g3_both_errors_say_what_is_allowed_here(typed: str) -> None:
    assert str(refusal(played(edge, "2"), typed)).endswith("You can play 1 or 3.")


@pytest.mark.parametrize("typed", ["two", "2"])
def test_g3_both_errors_change_nothing(typed: str) -> None:
    match = played(edge, "2")
    refusal(match, typed)
    assert match.plies == played(edge, "2").plies


@pytest.mark.parametrize("typed", ["two", "2"])
def test_g3_after_both_errors_the_table_asks_again(typed: str) -> None:
    asked = re.findall(r"\(1 or 3\): (\w+)", printed(nl.Match(edge), f"2 {typed} 3"))
    assert asked == [typed, "3"]


@pytest.mark.parametrize(
    ("book", "typed", "meant"),
    [
        (sprint, "l2", "L2"),
        (sprint, " L 2 ", "L2"),
        (sprint, "\tr1\n", "R1"),
        (chase, "+2", "2"),
        (chase, " + 2 ", "2"),
        (reach, " * 2", "*2"),
        (nl.book("line-runner(tokens=2)"), "1 : +3", "1:3"),
        (nl.book("flag-chase(skip=true)"), "SKIP", "skip"),
    ],
)
def test_g3_letter_case_spaces_and_a_leading_plus_are_forgiven(book: nl.Book, typed: str, meant: str) -> None:
    assert nl.Match(book).play(typed).move == meant


def test_g4_going_round_and_round_is_never_declared_a_draw() -> None:
    match = played(sprint, " ".join(["R2 L2", *["L1 R1 R1 L1"] * 100]))
    assert match.outcome is None


def test_g4_a_book_that_can_go_round_is_found_to() -> None:
    assert {name: explore(nl.book(name)).goes_round for name in RULE_BOOKS} == {
        "reach-the-edge": True,
        "number-reach": False,
        "number-line-sprint": True,
        "flag-chase": False,
        "line-runner": False,
    }


def test_g4_a_player_may_resign_instead() -> None:
    match = played(sprint, "R2 L2")
    match.resign()
    assert match.outcome == nl.Outcome(2, "Player 1 resigned.")


lost_turn = nl.book("flag-chase(steps=2,3)")
"""After 2 2 2 2 both stand one tile before the flag and can only lose their turns."""


def test_g5_a_lost_turn_is_announced() -> None:
    match = played(lost_turn, "2 2 2 2 pass")
    assert Narrator(match).event(match.plies[-1]) == "\nPlayer 1 has no move and loses the turn.\n"


def test_g5_lost_turn_is_announced_without_a_prompt() -> None:
    shown = printed(nl.Match(nl.book("reach-the-edge(steps=2)")), "2 2")
    assert re.findall(r"(\S+ \S+) has no move|\(2\): (2)", shown)[:3] == [("", "2"), ("Player 2", ""), ("", "2")]


def test_g5_a_lost_turn_is_in_the_record() -> None:
    assert "\n5. pass\n" in format_record(played(lost_turn, "2 2 2 2 pass"))


def test_g5_a_lost_turn_counts_as_a_ply() -> None:
    assert len(played(lost_turn, "2 2 2 2 pass").plies) == 5


def test_g5_turn_is_not_lost_if_there_is_a_move() -> None:
    assert "you lose a turn only when you have no move" in str(refusal(nl.Match(lost_turn), "pass"))


# Reach the Edge


def test_e1_steps_1_to_6_of_the_playthrough_follow_the_rules() -> None:
    assert places(edge, "2 3 2 3 2 3") == [(6,), (9,), (7,), (10,), (8,), (11,)]


@pytest.mark.parametrize(("place", "turn", "move", "to"), [(11, 1, "2", 9), (12, 1, "2", 10), (10, 2, "3", 13)])
def test_e1_steps_7_to_10_of_the_playthrough_are_an_erratum(place: int, turn: int, move: str, to: int) -> None:
    assert edge.after(standing(place, turn=turn), move).tokens == (to,)


def test_e2_the_distance_of_the_turn_just_before_is_banned() -> None:
    assert edge.moves(after(edge, "2 1")) == ("2", "3")


def test_e2_after_a_lost_turn_nothing_is_banned() -> None:
    assert nl.book("reach-the-edge(steps=2)").moves(after(nl.book("reach-the-edge(steps=2)"), "2 pass")) == ("2",)


def test_e3_default_numbers_always_leave_a_move() -> None:
    assert not explore(edge).lost_turns


def test_e3_steps_1_and_3_lose_the_turn_on_2_after_a_1() -> None:
    book = nl.book("reach-the-edge(steps=1,3)")
    reached = after(book, "3 1 3 1 3 1")
    assert (reached, book.moves(reached)) == (standing(2, last=1), ("pass",))


def test_e3_with_steps_of_2_only_every_answer_to_a_move_is_lost() -> None:
    assert [ply.move for ply in played(nl.book("reach-the-edge(steps=2)"), "2 pass 2 pass 2").plies][1::2] == [
        "pass"
    ] * 2


# Number Reach


def test_n1_overshooting_is_among_the_moves() -> None:
    assert reach.moves(standing(19)) == ("+1", "*2")


def test_n1_overshooting_is_played_and_loses_at_once() -> None:
    match = played(reach, "*2 *2 *2 +1 *2 *2")
    assert match.outcome == nl.Outcome(1, "Player 2 overshot and is out.")


def test_n2_a_subtraction_may_reach_1() -> None:
    assert "-3" in nl.book('number-reach(operations="+1 -3")').moves(standing(4))


def test_n2_a_subtraction_may_not_go_below_1() -> None:
    assert "-3" not in nl.book('number-reach(operations="+1 -3")').moves(standing(3))


@pytest.mark.parametrize("number", [3, 6, 9])
def test_n2_division_without_remainder_is_allowed(number: int) -> None:
    assert "/3" in nl.book('number-reach(operations="+1 /3")').moves(standing(number))


@pytest.mark.parametrize("number", [1, 7, 11])
def test_n2_a_division_with_a_remainder_is_not_allowed(number: int) -> None:
    assert "/3" not in nl.book('number-reach(operations="+1 /3")').moves(standing(number))


def test_n2_all_four_kinds_of_operation_can_be_in_one_variant() -> None:
    assert nl.book('number-reach(operations="+2 -1 *3 /2")').moves(standing(4)) == ("+2", "-1", "*3", "/2")


three = nl.book("number-reach(players=3)")


def test_n3_three_players_move_in_the_order_1_2_3() -> None:
    assert [ply.player for ply in played(three, "+1 +1 +1 +1", first=2).plies] == [2, 3, 1, 2]


def test_n3_overshooting_player_is_out_and_the_number_stays() -> None:
    assert three.after(standing(15, turn=2), "*2") == nl.Position(turn=3, tokens=(15,), out=0b010)


def test_n3_the_next_player_still_in_goes_on() -> None:
    match = played(three, "*2 *2 *2 *2 *2 +1")
    assert [ply.player for ply in (*match.plies, match.play("+1"))][-3:] == [2, 3, 1]


def test_n3_player_who_is_out_is_skipped_in_the_order() -> None:
    assert after(three, "*2 *2 *2 *2 *2 +1 +1").turn == 3


def test_n3_an_exact_hit_wins_over_those_still_in() -> None:
    assert played(three, "*2 *2 *2 *2 *2 +1 +1 +1 +1").outcome == nl.Outcome(1, "Player 1 reached 20.")


def test_n3_the_last_one_left_wins() -> None:
    assert played(three, "*2 *2 *2 *2 *2 *2").outcome == nl.Outcome(1, "Player 1 is the last one left.")


def test_n3_with_two_players_being_out_is_losing_as_in_the_book() -> None:
    assert winner(reach, reach.after(standing(15), "*2")) == 2


@pytest.mark.parametrize("typed", ["*2", "x2", "X2", "\N{MULTIPLICATION SIGN}2"])
def test_n4_multiplication_sign_has_several_spellings(typed: str) -> None:
    assert nl.Match(reach).play(typed).move == "*2"


# Number Line Sprint


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize(("place", "move"), [(2, "L1"), (10, "R1")])
def test_s1_either_end_wins_for_either_player(player: int, place: int, move: str) -> None:
    tokens = (place, 6) if player == 1 else (6, place)
    assert winner(sprint, sprint.after(standing(*tokens, turn=player), move)) == player


BLOCKED = "L2 R2 R2 R2 R2"
"""Steps of 2 and 3: player 2 stands on 10, player 1 on 8; 12 is off the line."""


def test_s2_a_player_without_a_move_has_lost_the_game() -> None:
    match = played(nl.book("number-line-sprint(steps=2,3)"), BLOCKED)
    assert match.outcome == nl.Outcome(1, "Player 2 has no move left.")


def test_s2_a_setting_makes_it_a_lost_turn_instead() -> None:
    match = played(nl.book("number-line-sprint(steps=2,3, stuck=passes)"), BLOCKED)
    assert (match.outcome, match.moves) == (None, ("pass",))


def test_s2_default_numbers_always_leave_a_move() -> None:
    assert not explore(sprint).lost_turns


def test_s3_leaving_the_shared_start_passes_no_token() -> None:
    assert sprint.moves(sprint.start()) == ("L1", "L2", "R1", "R2")


def test_s3_both_stand_on_one_position_only_at_the_start() -> None:
    together = {position for position in reachable(sprint) if position.tokens[0] == position.tokens[1]}
    assert together == {sprint.start(1), sprint.start(2)}


def test_s3_start_is_blocked_while_the_opponent_is_there() -> None:
    assert "L1" not in sprint.moves(standing(7, 6))


def test_s4_a_token_on_10_is_not_passed_over_from_7_to_9() -> None:
    assert after(sprint, "R2 R1 R2 R2").tokens == (10, 9)


def test_s5_both_tokens_on_one_number_read_p1_p2() -> None:
    assert Narrator(nl.Match(sprint)).board() == (
        "\n"
        "Number Line: 1 2 3 4 5 6 7 8 9 10 11\n"
        "                       P1/P2\n"
    )  # fmt: skip


def test_s5_a_mark_begins_exactly_under_its_number() -> None:
    assert Narrator(played(sprint, "R2 R1 R2")).board() == (
        "\n"
        "Number Line: 1 2 3 4 5 6 7 8 9 10 11\n"
        "                         P2    P1\n"
    )  # fmt: skip


def test_s5_marks_of_neighbours_may_touch() -> None:
    assert Narrator(played(sprint, "R2 R1")).board() == (
        "\n"
        "Number Line: 1 2 3 4 5 6 7 8 9 10 11\n"
        "                         P2P1\n"
    )  # fmt: skip


def test_s5_after_the_winning_move_the_line_is_not_drawn_again() -> None:
    after_the_move = printed(nl.Match(sprint), "R2 R1 R2 L1 R1").split("to position 11.\n")[1]
    assert after_the_move == "\nPlayer 1 has reached the end and wins the game!\n"


# Flag Chase


def test_f1_player_1_starts_by_the_book() -> None:
    assert nl.Match(chase).turn == 1


@pytest.mark.parametrize(("first", "starters"), [(1, ["1", "2", "1"]), (2, ["2", "1", "2"])])
def test_f1_rounds_alternate_the_first_player(
    first: int, starters: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = SeriesOptions(book=chase, participants=make_participants(chase, [None, None], ()), first=first, games=3)
    Series(plan).play(ScriptedConsole(["3", "2", "2"] * 3))
    assert re.findall(r"Game \d of 3\n\nPlayer (\d)", capsys.readouterr().out) == starters


def test_f2_both_are_never_on_the_flag() -> None:
    assert not [position for position in reachable(chase) if position.tokens == (5, 5)]


def test_f2_the_first_arrival_ends_the_game() -> None:
    assert "the game is over" in str(refusal(played(chase, "3 2 2"), "3"))


def test_f3_reverse_is_one_tile_back() -> None:
    assert places(nl.book("flag-chase(reverse=true)"), "3 3 back back") == [(3, 10), (3, 7), (2, 7), (2, 8)]


@pytest.mark.parametrize("first", [1, 2])
def test_f3_reverse_never_leaves_the_board(first: int) -> None:
    book = nl.book("flag-chase(reverse=true)")
    assert "back" not in book.moves(book.start(first))


def test_f3_skip_gives_the_turn_up_on_purpose() -> None:
    assert after(nl.book("flag-chase(skip=true)"), "skip") == standing(0, 10, turn=2)


@pytest.mark.parametrize(
    ("settings", "extras"),
    [
        ("reverse=false", set()),
        ("reverse=true", {"back"}),
        ("skip=true", {"skip"}),
        ("reverse=true, skip=true", {"back", "skip"}),
    ],
)
def test_f3_each_option_can_be_on_by_itself(settings: str, extras: set[str]) -> None:
    assert set(nl.book(f"flag-chase({settings})").moves(standing(1, 9))) - {"1", "2", "3"} == extras


def test_f4_the_last_line_has_no_asterisks() -> None:
    assert Narrator(played(chase, "3 2 2")).ending() == "Player 1 has reached the flag!\nPlayer 1 wins the game!\n"


# Line Runner


def test_l1_a_step_onto_a_token_stops_just_behind_it() -> None:
    assert runner.after(standing(5, 8), "3").tokens == (7, 8)


def test_l1_behind_a_row_of_tokens_it_stops_behind_the_row() -> None:
    book = nl.book("line-runner(tokens=2)")
    assert book.after(standing(5, 8, 7, 0), "1:3").tokens == (6, 8, 7, 0)


def test_l1_a_step_that_stays_is_still_a_legal_choice() -> None:
    assert runner.moves(standing(5, 6)) == ("1", "2", "3")


def test_l1_a_step_that_stays_uses_the_turn() -> None:
    assert runner.after(standing(5, 6), "1") == standing(5, 6, turn=2)


def test_l1_step_that_stays_is_announced() -> None:
    match = played(runner, "1 1")
    shown = Narrator(match).event(match.plies[-1])
    assert shown == "\nPosition 1 is occupied by Player A.\nPlayer B stays on position 0.\n"


def test_l1_turn_is_skipped_if_all_steps_stay() -> None:
    assert nl.book("line-runner(steps=1)").moves(standing(5, 6)) == ("pass",)


def test_l1_turn_is_skipped_if_all_steps_stay_even_with_stuck_loses() -> None:
    # A stopped step is a move (M6), so this player is not without one.
    assert nl.book("line-runner(steps=1, stuck=loses, overshoot=refused)").moves(standing(5, 6)) == ("pass",)


def test_l2_jumping_over_a_token_is_allowed() -> None:
    assert runner.after(standing(9, 7, turn=2), "3").tokens == (9, 10)


def test_l3_several_tokens_may_stand_on_the_shared_start() -> None:
    assert after(nl.book("line-runner(tokens=2)"), "1:1").tokens == (1, 0, 0, 0)


def test_l3_start_of_a_single_token_is_not_shared(tmp_path: Path) -> None:
    handicap = tmp_path / "handicap.toml"
    handicap.write_text("""
        title = "Line Runner with a handicap"
        [rules]
        line = [0, 9]
        start = [0, 3]
        goal = 9
        moves = "forward"
        steps = "1-3"
        meeting = "stops"
    """)
    assert after(nl.book(handicap), "3").tokens == (2, 3)


@pytest.mark.parametrize("step", ["1", "2"])
def test_l3_several_tokens_may_stand_at_or_past_the_end(step: str) -> None:
    home = 19 + int(step)
    book = nl.book("line-runner(tokens=2)")
    assert book.after(standing(5, 19, home, home), f"2:{step}").tokens == (5, home, home, home)


two_each = nl.book("line-runner(tokens=2)")


def test_l4_a_move_names_the_token_and_the_step() -> None:
    assert two_each.moves(two_each.start()) == ("1:1", "1:2", "1:3", "2:1", "2:2", "2:3")


def test_l4_ones_own_tokens_block_like_the_others() -> None:
    assert two_each.after(standing(5, 8, 0, 0), "1:3").tokens == (7, 8, 0, 0)


def test_l4_token_at_home_does_not_move() -> None:
    assert two_each.moves(standing(20, 8, 0, 0)) == ("2:1", "2:2", "2:3")


def test_l4_message_says_that_the_token_is_home() -> None:
    match = played(nl.book("line-runner(tokens=2, end=3)"), "1:3 1:1")
    assert "a token at home can't move" in str(refusal(match, "1:1"))


def test_l4_one_token_home_is_not_a_win() -> None:
    assert two_each.outcome(standing(20, 8, 0, 0, turn=2)) is None


def test_l4_all_tokens_home_are_a_win() -> None:
    assert winner(two_each, standing(20, 21, 0, 0, turn=2)) == 1


def test_l4_a_setting_makes_one_token_home_enough() -> None:
    assert winner(nl.book("line-runner(tokens=2, finish=one)"), standing(20, 8, 0, 0, turn=2)) == 1


def test_l5_the_players_are_called_a_and_b() -> None:
    assert nl.Match(runner).names == ("Player A", "Player B")


def test_l5_line_shows_every_number_and_waiting_tokens_below() -> None:
    assert Narrator(played(runner, "3")).board() == (
        "\n"
        "Positions: 0 1 2 3(A) 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"
        "Player B is at position 0\n"
    )  # fmt: skip


def test_l5_away_from_the_start_both_are_marked_on_the_line() -> None:
    assert Narrator(played(runner, "3 3")).board() == (
        "\n"
        "Positions: 0 1 2(B) 3(A) 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"
    )  # fmt: skip


# Mixtures


def test_m1_the_ban_is_on_the_step_whatever_its_direction() -> None:
    book = nl.book("number-line-sprint(repeat=banned)")
    assert book.moves(after(book, "R2")) == ("L1", "R1")


def test_m1_the_ban_is_on_the_step_whatever_its_token() -> None:
    book = nl.book("line-runner(tokens=2, repeat=banned)")
    assert book.moves(after(book, "1:3")) == ("1:1", "1:2", "2:1", "2:2")


def test_m1_ban_is_on_the_chosen_step_not_on_its_landing() -> None:
    book = nl.book("line-runner(repeat=banned)")
    reached = after(book, "1 3 2")  # the 2 is stopped by the token on 3 after one place
    assert (reached.tokens, book.moves(reached)) == ((2, 3), ("1", "3"))


def test_m1_in_number_reach_the_operation_is_banned() -> None:
    book = nl.book("number-reach(repeat=banned)")
    assert book.moves(after(book, "+1")) == ("*2",)


def test_m1_another_operation_with_the_same_number_is_not_banned() -> None:
    book = nl.book('number-reach(operations="+2 *2", repeat=banned)')
    assert book.moves(after(book, "+2")) == ("*2",)


def test_m1_operation_that_eliminated_a_player_is_banned() -> None:
    book = nl.book("number-reach(players=3, repeat=banned)")
    assert book.moves(book.after(standing(15), "*2")) == ("+1",)


back_banned = nl.book("flag-chase(reverse=true, repeat=banned)")


def test_m1_back_bans_a_step_of_1_and_back() -> None:
    assert back_banned.moves(after(back_banned, "3 2 back")) == ("2", "3")


def test_m1_a_step_of_1_bans_back() -> None:
    assert back_banned.moves(after(back_banned, "2 1")) == ("2", "3")


def test_m1_skip_bans_nothing() -> None:
    book = nl.book("flag-chase(skip=true, repeat=banned)")
    assert book.moves(after(book, "2 skip")) == ("1", "2", "3", "skip")


def test_m1_skip_itself_is_never_banned() -> None:
    assert played(nl.book("flag-chase(skip=true, repeat=banned)"), "skip skip").turn == 1


def test_m1_a_lost_turn_bans_nothing() -> None:
    book = nl.book("flag-chase(steps=2, repeat=banned)")
    assert book.moves(after(book, "2 pass")) == ("2",)


def test_m2_back_names_its_token() -> None:
    book = nl.book("line-runner(tokens=2, reverse=true)")
    assert places(book, "1:3 2:1 1:back 2:back")[-2:] == [(2, 0, 0, 1), (2, 0, 0, 0)]


def test_m2_left_and_right_name_their_token() -> None:
    assert places(nl.book("number-line-sprint(tokens=2)"), "1:R2 2:L1") == [(8, 6, 6, 6), (8, 6, 6, 5)]


def test_m2_skip_names_no_token() -> None:
    book = nl.book("line-runner(tokens=2, skip=true)")
    assert book.moves(book.start())[-1] == "skip"


def test_m2_pass_names_no_token() -> None:
    assert nl.book("line-runner(tokens=2, steps=1)").moves(standing(3, 4, 5, 0)) == ("pass",)


def test_m2_bare_step_is_accepted_if_one_token_can_move() -> None:
    match = played(nl.book("line-runner(tokens=2, end=3)"), "1:3 1:1")
    assert match.play("2").move == "2:2"


def test_m2_a_bare_step_of_several_movable_tokens_cannot_be_read() -> None:
    error = refusal(nl.Match(two_each), "3")
    assert type(error) is nl.UnreadableMove
    assert "'3' doesn't say which token moves; write it as a3 or b3" in str(error)


def test_m3_back_onto_a_blocking_token_is_illegal() -> None:
    assert "back" not in nl.book("line-runner(reverse=true, meeting=blocks)").moves(standing(5, 4))


def test_m3_back_onto_a_token_stays_if_tokens_stop() -> None:
    assert nl.book("line-runner(reverse=true)").after(standing(5, 4), "back").tokens == (5, 4)


@pytest.mark.parametrize(("place", "mover", "wins"), [(14, 1, 2), (1, 2, 1)])
def test_m3_shared_marker_wins_for_the_owner_of_the_goal(place: int, mover: int, wins: int) -> None:
    book = nl.book("reach-the-edge(reverse=true)")
    assert winner(book, book.after(standing(place, turn=mover), "back")) == wins


def test_m3_token_on_the_shared_start_blocks() -> None:
    assert "back" not in nl.book("line-runner(reverse=true, meeting=blocks)").moves(standing(1, 0))


def test_m3_leaving_the_shared_start_is_not_blocked() -> None:
    book = nl.book("line-runner(meeting=blocks)")
    assert book.moves(book.start()) == ("1", "2", "3")


def test_m3_back_to_the_shared_start_is_not_stopped() -> None:
    assert nl.book("line-runner(reverse=true)").after(standing(1, 0), "back").tokens == (0, 0)


def test_m3_any_step_to_the_shared_start_is_not_stopped() -> None:
    assert nl.book("number-line-sprint(meeting=stops)").after(standing(7, 6), "L1").tokens == (6, 6)


def test_m4_token_at_home_does_not_block() -> None:
    book = nl.book("line-runner(tokens=2, meeting=blocks)")
    assert book.after(standing(5, 19, 20, 3), "2:1").tokens == (5, 20, 20, 3)


def test_m4_token_at_home_can_be_passed() -> None:
    assert "2:3" in nl.book("line-runner(tokens=2, meeting=blocks)").moves(standing(5, 19, 20, 3))


SQUEEZED = "L1 R1"
"""Three players, player 2 first: player 1 is left on 6 between 5 and 7."""
crowd = nl.book("number-line-sprint(players=3)")


def test_m4_stuck_player_of_three_is_out() -> None:
    assert played(crowd, SQUEEZED, first=2).moves == ("out",)


def test_m4_player_who_is_out_has_no_turns() -> None:
    assert [ply.player for ply in played(crowd, f"{SQUEEZED} out L1 R1 L1", first=2).plies] == [2, 3, 1, 2, 3, 2]


def test_m4_player_who_is_out_leaves_the_line() -> None:
    assert "R1" in crowd.moves(after(crowd, f"{SQUEEZED} out", first=2))


def test_m4_stuck_player_loses_with_two_of_three_left() -> None:
    book = nl.book('number-reach(target=12, operations="+2 *2", players=3, overshoot=refused, stuck=loses)')
    match = played(book, "+2 +2 +2 +2 +2 out")  # nothing can be done to 11: player 3 is out, and player 1 is stuck
    assert (match.moves, match.outcome) == ((), nl.Outcome(2, "Player 1 has no move left."))


def test_m4_stuck_player_of_two_loses_at_once() -> None:
    match = played(nl.book("flag-chase(steps=2,3, stuck=loses)"), "2 2 2 2")
    assert (match.moves, match.outcome) == ((), nl.Outcome(2, "Player 1 has no move left."))


def test_m4_resigning_player_of_three_is_out() -> None:
    match = played(three, "+1")
    match.resign()
    assert (match.outcome, match.turn, match.position.out) == (None, 3, 0b010)


def test_m4_last_player_left_after_resignations_wins() -> None:
    match = nl.Match(three)
    match.resign()
    match.resign()
    assert match.outcome == nl.Outcome(3, "Player 2 resigned.")


@pytest.mark.parametrize(
    ("variant", "place"),
    [
        ("reach-the-edge", 8),
        ("reach-the-edge(end=14)", 7),
        ("number-line-sprint(end=10)", 6),
        ("number-line-sprint(end=9)", 5),
    ],
)
def test_m5_a_start_in_the_middle_rounds_up(variant: str, place: int) -> None:
    assert nl.book(variant).start().tokens[0] == place


def test_n2_sums_with_numbers_below_1_make_no_book() -> None:
    with pytest.raises(nl.BookFileError, match=r"0 in rules\.line: operations need positive numbers"):
        book_from_toml(
            'title = "Zero"\n[rules]\nline = [0, 9]\nstart = 2\ngoal = 9\nmoves = "operations"\noperations = "+1"\n',
            "zero",
            source_name="zero",
        )


def test_m5_a_flag_in_the_middle_rounds_up() -> None:
    assert nl.book("flag-chase(end=13)").rules.goals == ((7,), (7,))


@pytest.mark.parametrize("operation", ["+0", "-0", "*0", "*1", "/1"])
def test_m5_an_operation_that_changes_nothing_makes_no_variant(operation: str) -> None:
    with pytest.raises(nl.BookError, match="operations"):
        nl.book(f'number-reach(operations="+1 {operation}")')


@pytest.mark.parametrize("operation", ["+1", "-1", "*2", "/2"])
def test_m5_the_smallest_operations_make_a_variant(operation: str) -> None:
    assert operation in nl.book(f'number-reach(operations="+3 {operation}")').choices


@pytest.mark.parametrize("settings", ["start=20", "start=21", "start=5, target=4"])
def test_m5_start_not_below_the_target_is_rejected(settings: str) -> None:
    with pytest.raises(nl.BookError, match="start"):
        nl.book(f"number-reach({settings})")


def test_m6_a_stopped_step_that_changes_nothing_is_a_move() -> None:
    match = played(runner, "1")
    assert match.play("1").after.tokens == match.plies[-1].before.tokens


def test_m6_skip_changes_nothing_and_is_a_move() -> None:
    assert [ply.move for ply in played(nl.book("flag-chase(skip=true)"), "skip skip").plies] == ["skip", "skip"]


def test_m6_player_who_may_skip_is_never_stuck() -> None:
    match = played(nl.book("number-line-sprint(steps=2,3, skip=true)"), BLOCKED)
    assert match.moves == ("skip",)


def test_m6_player_who_may_skip_may_choose_a_step_that_stays() -> None:
    assert nl.book("line-runner(steps=1, skip=true)").moves(standing(5, 6)) == ("1", "skip")


@pytest.mark.parametrize("meeting", ["blocks", "stops"])
def test_m7_token_beyond_the_flag_is_not_in_the_way(meeting: str) -> None:
    book = nl.book(f"flag-chase(tokens=2, overshoot=counts, meeting={meeting})")
    assert book.after(standing(4, 0, 6, 10), "1:2").tokens == (6, 0, 6, 10)
    assert "1:3" in book.moves(standing(4, 0, 6, 10))


def test_m7_a_token_on_the_way_to_the_goal_still_blocks() -> None:
    book = nl.book("flag-chase(tokens=2, overshoot=counts, meeting=blocks)")
    assert "1:3" not in book.moves(standing(2, 4, 6, 10))


OPPOSED = """
title = "Opposed"
[rules]
line = [0, 8]
start = [2, 6]
goal = [8, 0]
moves = "forward"
steps = "1-3"
meeting = "{}"
"""


@pytest.mark.parametrize("meeting", ["blocks", "stops"])
def test_m7_token_on_the_movers_goal_is_not_in_the_way(meeting: str) -> None:
    book = book_from_toml(OPPOSED.format(meeting), "opposed", source_name="opposed")
    assert book.after(standing(5, 8), "3").tokens == (8, 8)
    assert book.moves(standing(5, 8)) == ("1", "2", "3")


def test_m8_going_out_ranks_below_a_certain_loss() -> None:
    solution = nl.solve(three)
    adding, doubling = (three.after(standing(18), move) for move in ("+1", "*2"))
    assert (solution.value(adding), doubling.out) == ("win", 0b001)  # the next player wins; player 1 is out
    assert solution.best(standing(18)) == ("+1",)


def test_m8_endless_position_may_have_only_losing_moves() -> None:
    assert nl.solve(three).value(standing(18)) == "open"


OVER = "flag-chase(end=2, steps=2,3, tokens=3, reverse=true, stuck={})"


@pytest.mark.parametrize(
    ("variant", "who"),
    [
        (OVER.format("loses"), "Player 1 or Player 2"),
        ("flag-chase(flag=2, steps=3, stuck=loses)", "Player 1"),
        ("reach-the-edge(end=4, start=3, steps=2, stuck=loses)", "Player 2"),
        ("line-runner(end=3, steps=4, overshoot=refused, reverse=true, stuck=loses)", "Player A or Player B"),
        ('number-reach(operations="+30", overshoot=refused, stuck=loses)', "Player 1 or Player 2"),
    ],
)
def test_m9_player_without_first_move_is_rejected(variant: str, who: str) -> None:
    with pytest.raises(nl.BookError) as caught:
        nl.book(variant)
    assert str(caught.value) == (
        f"stuck=loses: {who} would have no first move and lose at once; "
        "expected a first move for each player, or stuck=passes"
    )


def test_m9_no_first_move_is_valid_if_it_costs_the_turn() -> None:
    book = nl.book(OVER.format("passes"))
    assert book.moves(book.start()) == ("pass",)


def test_m9_message_names_the_setting_that_was_given(tmp_path: Path) -> None:
    file = tmp_path / "near.toml"
    file.write_text("""
        title = "Near"
        [rules]
        line = [0, 9]
        start = [0, 7]
        goal = 9
        moves = "forward"
        steps = "1-3"
        stuck = "loses"
    """)
    with pytest.raises(nl.BookError, match=r"^steps=3: Player 2 would have no first move"):
        nl.book(file).vary("steps=3")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [("flag=0", "flag=0: a token starts there"), ("end=1", "end=1: the line is too short for start and goal")],
)
def test_m9_start_on_a_goal_is_rejected(settings: str, reason: str) -> None:
    with pytest.raises(nl.BookError, match=reason):
        nl.book(f"flag-chase({settings})")
