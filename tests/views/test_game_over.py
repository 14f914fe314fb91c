"""Views of endings: headlines, stars and deciding moments, true for every finished game."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
from numberline.game.match import RESIGN
from numberline.game.move_text import letter_tokens
from numberline.game.notation import format_position
from numberline.progress.document import Game, Progress
from numberline.progress.events import apply
from numberline.text import spell_ordinal
from numberline.views.game_over import EndingView, RetryView, ending_view, game_finished
from properties.test_views import holds
from support.match_script import played
from support.mixtures import book_of, mixtures

NAMES = ("Ann", "Fox")


def finished(book: nl.Book, rng: Any) -> nl.Match:
    """A random game, played to its end, resigned, or stopped after 40 turns."""
    match = nl.Match(book, first=rng.choice(book.players), names=NAMES[: book.rules.players])
    gives_up_after = rng.choice((3, 8, 40, 40))
    while match.moves and match.length < 40:
        if match.length >= gives_up_after:
            match.resign()
        else:
            match.play(rng.choice(match.moves))
    return match


def move_noun(move: str) -> str:
    return {"skip": "skipping", "back": "going back"}.get(move, move)


books = st.one_of(mixtures(largest=300), st.sampled_from(nl.NAMES))


@given(books, st.randoms(use_true_random=False))
def test_ending_is_json_and_its_headline_names_the_winner(text: str, rng: Any) -> None:
    book = book_of(text)
    match = finished(book, rng)
    solution = nl.solve(book) if rng.random() < 0.8 else None
    winner = match.outcome.winner if match.outcome else 0
    for you in (0, *book.players):
        view = ending_view(match, solution, you=you, against_bots=bool(you), helped=rng.random() < 0.5)
        holds(view, book.rules.players)
        assert view.winner == winner
        if not winner:
            assert view.headline == "No winner this time."
        elif winner == you:
            assert "ou win!" in view.headline
        else:
            assert view.headline.endswith(f"{match.names[winner - 1]} wins{'.' if you else '!'}")
        assert (view.stars is None) == (not you or (solution is None and book.rules.players == 2))


@given(books, st.randoms(use_true_random=False))
def test_loser_reads_a_better_move_and_can_try_it(text: str, rng: Any) -> None:
    book = book_of(text)
    match, solution = finished(book, rng), nl.solve(book)
    if book.rules.players > 2 or not match.outcome:
        return
    loser = 3 - match.outcome.winner
    view = ending_view(match, solution, you=loser, against_bots=True)
    if view.retry is None:
        if match.plies[-1].move == RESIGN:  # giving up can't be tried again
            return
        assert solution.worth(match.plies[0].before).winner == match.outcome.winner
        assert view.moment == f"{match.names[2 - loser]} had a sure win from the start and kept it to the end."
        return
    ply = match.plies[view.retry.ply - 1]
    evaluated = {option.move: option.worth for option in solution.evaluate_moves(ply.before)}
    assert ply.player == loser
    assert view.retry.position == format_position(ply.before)
    assert solution.worth(ply.before).winner != match.outcome.winner, "nothing was lost before the mistake"
    assert all(solution.worth(each.after).winner == match.outcome.winner for each in match.plies[view.retry.ply - 1 :])
    right = {str(move) for move, worth in evaluated.items() if worth.winner == solution.worth(ply.before).winner}
    assert set(view.retry.better) == right
    assert ply.move not in right
    for move in map(str, evaluated):
        tries = [view.retry.judge(move, tried=tried)[0] for tried in (False, True)]
        assert tries == ([move, move] if move in right else ["", view.retry.better[0]])
    count = len([each for each in match.plies[: view.retry.ply] if each.player == loser and each.chosen])
    assert view.moment.startswith(f"On your {spell_ordinal(count)} move, ")
    (better,) = re.findall(r"move, (.+) was better than", view.moment)
    assert better in {letter_tokens(move_noun(move)) for move in right}
    assert f" better than {letter_tokens(move_noun(ply.move))}: " in view.moment
    before = solution.worth(ply.before)
    at_once = bool(before.winner) and any(
        str(move) == view.retry.better[0] and worth.ends_game for move, worth in evaluated.items()
    )
    assert ("it would have won at once" in view.moment) == at_once
    assert ("it could have won" in view.moment) == (bool(before.winner) and not at_once)
    assert ("instead of losing" in view.moment) == (ply is match.plies[-1])


@given(books, st.randoms(use_true_random=False))
def test_winner_reads_only_about_their_own_moves(text: str, rng: Any) -> None:
    book = book_of(text)
    match, solution = finished(book, rng), nl.solve(book)
    if book.rules.players > 2 or not match.outcome:
        return
    you = match.outcome.winner
    view = ending_view(match, solution, you=you, against_bots=True)
    assert "Fox" not in view.moment
    assert "Ann" not in view.moment
    assert "better" not in view.moment
    assert view.retry is None
    own = [ply for ply in match.plies if ply.player == you and ply.chosen]
    numbered = {spell_ordinal(number): ply for number, ply in enumerate(own, 1)}
    if found := re.match(r"(?:On|From) your (\S+) move", view.moment):
        ply = numbered[found[1]]
        later = match.plies[match.plies.index(ply) :]
        assert all(solution.worth(each.after).winner == you for each in later)
        if only := re.search(r"only winning move: (.+)\.$", view.moment):
            options = solution.evaluate_moves(ply.before)
            assert [option.move for option in options if option.value == "win"] == [ply.move]
            assert only[1] == letter_tokens(ply.move)
            assert len(options) > 1
    elif "from the start" in view.moment:
        assert all(solution.worth(position).winner == you for position in (match.plies[0].before, match.position))
    else:
        assert match.plies[-1].player != you or not match.plies[-1].chosen


@given(books, st.randoms(use_true_random=False), st.booleans())
def test_stars_count_the_mistakes_of_the_winner(text: str, rng: Any, helped: bool) -> None:  # noqa: FBT001 - drawn
    book = book_of(text)
    match, solution = finished(book, rng), nl.solve(book)
    if book.rules.players > 2 or not match.outcome:
        return
    for you in book.players:
        view = ending_view(match, solution, you=you, against_bots=True, helped=helped)
        points = {"win": 1, "loss": -1}
        own = [
            (points.get(solution.worth(ply.before).value, 0), points.get(solution.worth(ply.after, you).value, 0))
            for ply in match.plies
            if ply.player == you
        ]
        perfect = all(before == after for before, after in own)
        won = match.outcome.winner == you
        assert view.stars == (1 + (not helped) + perfect if won else 0)
        assert bool(view.missing) == (view.stars < 3)
        assert won == ("first star" not in view.missing)
        assert ("without using hint, why, values or undo" in view.missing) == (won and helped)
        assert ("without a mistake" in view.missing) == (won and not perfect)


@given(books, st.randoms(use_true_random=False))
def test_practice_gives_no_stars_and_praises_no_move(text: str, rng: Any) -> None:
    book = book_of(text)
    match, solution = finished(book, rng), nl.solve(book)
    if book.rules.players > 2 or not match.outcome:
        return
    for you in book.players:
        usual = ending_view(match, solution, you=you, against_bots=True)
        view = ending_view(match, solution, you=you, against_bots=True, practice=True)
        assert (view.stars, view.missing) == (None, "This was practice, so it gives no stars.")
        assert view.moment == ("" if match.outcome.winner == you else usual.moment)
        assert view.retry == usual.retry


def test_headline_varies_with_the_length_of_the_game() -> None:
    headlines = set()
    for moves in ("3 1 2", "1 3 1 2", "1 1 1 1 3", "1 1 1 1 1 3"):
        match = played(nl.book("flag-chase"), moves)
        headlines |= {ending_view(match, nl.solve(match.book), you=you).headline for you in (1, 2)}
    assert headlines == {
        *("You win!", "Well played, you win!", "Yes, you win!"),
        *("Good game! Player 2 wins.", "Thanks for the game! Player 1 wins.", "So close! Player 2 wins."),
    }


@given(books, st.randoms(use_true_random=False))
def test_game_is_close_only_if_the_last_move_threw_it_away(text: str, rng: Any) -> None:
    book = book_of(text)
    match, solution = finished(book, rng), nl.solve(book)
    if not match.outcome:
        return
    for you in set(book.players) - {match.outcome.winner}:
        headline = ending_view(match, solution, you=you, against_bots=True).headline
        last = next((ply for ply in reversed(match.plies) if ply.player == you), None)
        close = False
        if last and book.rules.players == 2 and match.plies[-1].move != RESIGN:
            best = solution.worth(last.before)
            close = best.winner == you and (best.plies or 0) <= 3 and solution.worth(last.after).winner != you
            close = close and match.plies[-2:].count(last) == 1
        assert (headline.split("!")[0] in {"So close", "Nearly"}) == close


def test_close_game_and_shown_move_have_their_own_headlines() -> None:
    match = played(nl.book("line-runner(end=4)"), "1 3 2 1")
    solution = nl.solve(match.book)
    assert ending_view(match, solution, you=1).headline == "So close! Player B wins."
    facts = {"against_bots": True, "helped": True}
    assert ending_view(match, solution, you=2, practice=True, **facts).headline == "You win, with some help!"
    assert "help" not in ending_view(match, solution, you=2, **facts).headline


def test_loser_who_gives_up_reads_a_neutral_headline() -> None:
    match = nl.Match(nl.book("number-reach"))
    match.resign()
    view = ending_view(match, nl.solve(match.book), you=1)
    assert (view.headline, view.moment) == (
        "Thanks for the game! Player 2 wins.",
        "Player 2 had a sure win from the start.",
    )


def test_third_try_is_announced_and_played() -> None:
    retry = RetryView(1, "", ("*2",), "")
    assert retry.judge("+1", tried=True) == ("*2", "Not +1 either. *2 is better, so I'll play it for you.")


def test_two_people_read_the_deciding_moment_without_you() -> None:
    match = nl.Match(nl.book("flag-chase"), names=["Ann", "Bob"])
    for move in ("1", "3", "1", "2"):
        match.play(move)
    view = ending_view(match, nl.solve(match.book))
    assert view == EndingView(
        winner=2,
        headline="Bob wins!",
        stars=None,
        missing="",
        moment="On Ann's first move, 3 was better than 1: it could have won.",
        retry=None,
    )


def test_game_of_three_players_has_two_stars() -> None:
    match = played(nl.book("number-reach(target=4, players=3)"), "*2 *2")
    view = ending_view(match, None, you=2, against_bots=True)
    assert (view.stars, view.missing) == (2, "With more than two players, you can earn two stars.")
    assert apply(Progress(), game_finished(match, 2, None, Game(), bot="easy"))[0].games[0].stars == view.stars


def test_game_stopped_by_the_clock_or_too_large_has_no_moment() -> None:
    match = played(nl.book("flag-chase"), "1 3")
    match.resign()
    view = ending_view(match, None, you=2, against_bots=True)
    assert (view.moment, view.stars, view.retry) == ("", None, None)


def test_finished_game_tells_its_variant_and_last_position_in_words() -> None:
    match = nl.Match(nl.book("flag-chase(flag=3)"))
    match.play("3")
    game = game_finished(match, 1, None, Game(opponent="Fox")).game
    assert (game.title, game.changes) == ("Flag Chase", "Here the goal is tile 3.")
    assert game.board == "0 10|1:3 2:10|0:3"


def test_practice_that_was_won_has_no_deciding_moment() -> None:
    match = played(nl.book("flag-chase"), "3 3 2")
    moments = [game_finished(match, 1, nl.solve(match.book), Game(practice=each)).game.moment for each in (False, True)]
    assert moments == ["You had a sure win from the start and kept it to the end.", ""]
