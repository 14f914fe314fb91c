"""What holds in every book and every variant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.explain.rules_text import describe_rules
from numberline.game.match import RESIGN
from numberline.game.notation import format_position, format_record, parse_position, parse_records
from numberline.solver.explore import explore
from numberline.terminal.exercises import parse_move_or_place
from support.variants import EVERY, books, makes_sense, reachable
from support.variants import settings as variant_texts

quick = settings(max_examples=60, deadline=None)


@st.composite
def plays(draw: st.DrawFn, most: int = 30) -> nl.Match:
    """Some match, some moves into it."""
    book = draw(books())
    match = nl.Match(book, draw(st.integers(1, book.rules.players)))
    for _ in range(draw(st.integers(0, most))):
        if not match.moves:
            break
        if draw(st.integers(0, 30)) == 0:
            match.resign()
        else:
            match.play(draw(st.sampled_from(match.moves)))
    return match


@quick
@given(plays())
def test_a_live_position_has_a_move_and_a_finished_one_has_none(match: nl.Match) -> None:
    assert bool(match.moves) == (match.outcome is None)


@quick
@given(plays())
def test_legal_moves_are_accepted_and_others_rejected(match: nl.Match) -> None:
    legal = match.moves
    for move in (*match.book.choices, "pass", "out"):
        before = match.plies
        if move in legal:
            match.copy().play(move)
        else:
            with pytest.raises(nl.MoveError):
                match.play(move)
        assert match.plies == before


@quick
@given(plays())
def test_step_is_never_read_as_a_place(match: nl.Match) -> None:
    for step in {move.rpartition(":")[2].lstrip("+LR") for move in match.book.choices}:
        try:
            move = parse_move_or_place(match.book, match.position, step)
        except nl.MoveError:
            continue
        assert move.rpartition(":")[2].lstrip("+") == step


@quick
@given(plays())
def test_undo_restores_the_position_before_the_last_choice(match: nl.Match) -> None:
    before = match.plies
    taken = match.undo()
    assert (*match.plies, *taken) == before
    assert [ply.chosen for ply in taken] == [True, *[False] * (len(taken) - 1)][: len(taken)]
    if taken:
        assert match.position == taken[0].before


@quick
@given(plays())
def test_a_record_reads_back_as_the_same_match(match: nl.Match) -> None:
    (again,) = parse_records(format_record(match))
    assert format_record(again) == format_record(match)
    assert again.position == match.position


@quick
@given(plays())
def test_a_position_reads_back_as_itself(match: nl.Match) -> None:
    assert parse_position(format_position(match.position)) == match.position


@quick
@given(books())
def test_a_variant_reads_back_as_itself(book: nl.Book) -> None:
    again = nl.book(book.variant)
    assert again == book
    assert again.rules == book.rules
    assert again.variant == book.variant


@quick
@given(st.sampled_from(nl.NAMES).flatmap(variant_texts))
def test_variant_is_accepted_or_rejected_with_one_message(text: str) -> None:
    if not makes_sense(text):
        with pytest.raises(nl.BookError, match=r"^[a-z]+=[^\n]+: [^\n]+$"):
            nl.book(text)


@quick
@given(plays())
def test_no_rule_is_ever_broken_by_a_position(match: nl.Match) -> None:
    book, position = match.book, match.position
    rules = book.rules
    assert 1 <= position.turn <= rules.players
    assert len(position.tokens) == (1 if rules.shared else rules.players * rules.tokens)
    if rules.repeat == "free":
        assert position.last == 0
    if rules.overshoot != "counts":
        assert all(rules.line[0] <= place <= rules.line[1] for place in position.tokens)


@quick
@given(plays())
def test_blocking_or_stopping_tokens_never_share_a_place(match: nl.Match) -> None:
    rules = match.book.rules
    if rules.meeting == "shares" or rules.shared:
        return
    in_play = [
        place
        for player in match.book.players
        for place in match.book.tokens_of(match.position, player)
        if place not in rules.starts
        and not match.position.is_out(player)
        and match.book.distance_to_goal(player, place) > 0
    ]
    assert len(in_play) == len(set(in_play))


@quick
@given(plays())
def test_the_table_can_tell_everything_that_happens(match: nl.Match) -> None:
    narrator = Narrator(match)
    texts = [narrator.opening(), narrator.starts(), narrator.board(), narrator.ending()]
    texts += [narrator.event(ply) for ply in match.plies]
    if not match.outcome:
        texts += [narrator.turn(), narrator.ask()]
        assert narrator.ask()
    else:
        assert match.names[match.outcome.winner - 1] in narrator.ending()
    assert not any("{" in text for text in texts)


@quick
@given(books())
def test_rules_have_a_text(book: nl.Book) -> None:
    sections = describe_rules(book)
    assert {"The goal", "Your turn"} <= {section.heading for section in sections}
    assert all(section.text.endswith((".", "!")) and "  " not in section.text for section in sections)


@quick
@given(plays())
def test_a_resignation_is_in_the_record_and_gives_the_reason(match: nl.Match) -> None:
    if match.outcome:
        return
    ply = match.resign()
    assert match.plies[-1].move == RESIGN
    if match.outcome:
        assert match.outcome.reason == f"{match.book.player_name(ply.player)} resigned."
    else:
        assert match.book.rules.players > 2


@pytest.mark.parametrize("variant", EVERY)
def test_a_search_counts_the_positions_that_a_walk_finds(variant: str) -> None:
    book = nl.book(variant)
    live = [position for position in reachable(book) if book.moves(position)]
    findings = explore(book)
    assert findings.complete
    assert findings.positions == len(live)


def somebody_is_stuck(book: nl.Book) -> bool:
    """Whether anybody is ever without a move, found by asking what would be played there if being stuck lost a turn."""
    try:
        lenient = book.vary("stuck=passes")
    except nl.BookError:
        lenient = book  # a book that has no rule for stuck players has none
    return any(lenient.moves(position) == ("pass",) for position in reachable(book))


@pytest.mark.parametrize("variant", EVERY)
def test_search_agrees_on_whether_a_player_can_be_stuck(variant: str) -> None:
    book = nl.book(variant)
    assert explore(book).lost_turns == somebody_is_stuck(book)


@quick
@given(books())
def test_so_it_does_in_any_variant(book: nl.Book) -> None:
    assert explore(book).lost_turns == somebody_is_stuck(book)


def test_reached_goal_does_not_count_as_stuck() -> None:
    variant = 'number-reach(stuck=loses, overshoot=refused, target=15, operations="+1 +4 *2", start=7)'
    assert not explore(nl.book(variant)).lost_turns


@pytest.mark.parametrize("variant", EVERY)
def test_search_agrees_on_who_can_win(variant: str) -> None:
    book = nl.book(variant)
    winners = {outcome.winner for position in reachable(book) if (outcome := book.outcome(position))}
    assert set(explore(book).winners) == winners
