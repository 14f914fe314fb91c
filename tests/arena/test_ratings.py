"""Statistics of the arena: regret is the mean over books, and ratings don't depend on the order of the games."""

from __future__ import annotations

import csv
import io
import math
import random

import numpy as np
import pytest

import numberline as nl
from numberline.arena import Entrant, GameResult, MoveQuality, Standings, Tournament, run
from numberline.arena.schedule import Pairing
from numberline.arena.standings import (
    DRAW_CODE,
    PairingResults,
    Rating,
    bradley_terry,
    pairing_results,
    rate_players,
)
from numberline.files.tables import write_csv_rows
from support.tournaments import tournament

TWO = Pairing(0, 0, (0, 1), 8)


def rated(wins: float, games: int, seed: int = 0) -> list[Rating]:
    """Return the ratings of two players; the first has won `wins` of the games."""
    counts = np.array([int(wins), games - int(wins)])
    found = rate_players([PairingResults(counts, np.array([[[0, 1], [0, 0]], [[0, 0], [1, 0]]], float))], seed)
    assert found
    return found


# Regret


def test_regret_is_the_mean_over_books() -> None:
    played = tournament("random", "greedy", books=("flag-chase", "number-reach"), games=2)
    standings = Standings(played)
    for game, (choices, regret) in enumerate([(10, 10), (10, 10), (1000, 0), (1000, 0)]):
        tallies = MoveQuality(choices, 0, 0, regret), MoveQuality(1, 1, 0, 0)
        seats = played.names(game)
        if seats[0] == "greedy":
            tallies = tallies[::-1]
        standings.add(GameResult(game, "x", seats, 1, "won", "", (), tallies))
    row = next(row for row in standings.players() if row["player"] == "random")
    assert row["regret"] == 0.5
    assert row["choices"] == 2020


def test_regret_error_combines_independent_books() -> None:
    standings = run(tournament("random", "level:4", books=("flag-chase", "line-runner"), games=60))
    alone = [standings.stats(lambda block, player, _, b=book: player == 0 and block.book == b) for book in (0, 1)]  # type: ignore[misc] # mypy does not see that b is given
    both = standings.stats(lambda _, player, __: player == 0)
    assert both.regret == pytest.approx(sum(one.regret or 0 for one in alone) / 2)
    assert both.regret_error == pytest.approx(math.hypot(*(one.regret_error or 0 for one in alone)) / 2)


def test_perfect_play_may_score_more_than_perfect_against_perfect() -> None:
    row = run(tournament("random", "perfect", books=("flag-chase",), games=40)).players()[0]
    assert row["player"] == "perfect"
    assert row["score"] > row["perfect_against_perfect"] == 0.5


# Ratings


def test_rating_predicts_win_probability() -> None:
    one, other = rated(9_999, 11_000)
    chance = 1 / (1 + 10 ** ((other.mean - one.mean) / 400))
    assert chance == pytest.approx(9_999.5 / 11_001)
    assert (one.mean + other.mean) / 2 == pytest.approx(1500)


def test_rating_interval_shrinks_with_root_of_games() -> None:
    few, many = (rated(0.6 * games, games)[0] for games in (100, 10_000))
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10, rel=0.3)
    assert few.low < few.mean < few.high


def test_rating_interval_has_its_coverage() -> None:
    dice, truth = np.random.default_rng(1), 1500 + 200 * np.log10(0.7 / 0.3)
    found = [rated(dice.binomial(200, 0.7), 200, seed)[0] for seed in range(40)]
    assert sum(one.low <= truth <= one.high for one in found) >= 34


def test_ratings_do_not_depend_on_the_order_of_the_matches() -> None:
    played = tournament("random", "level:3", "greedy", books=("flag-chase", "line-runner"), games=40)
    standings = run(played)
    before, dice = standings.ratings(), random.Random(1)
    for block in played.pairings:
        pairs = [standings.outcomes[game : game + 2] for game in block.games[::2]]
        dice.shuffle(pairs)
        standings.outcomes[block.first : block.first + block.size] = b"".join(pairs)
    assert standings.ratings() == before


def test_match_counts_for_players_in_their_seats() -> None:
    found = pairing_results(TWO, bytes([1, 1, 1, 2, DRAW_CODE, DRAW_CODE, 2, 0]), 2)
    total = np.tensordot(found.counts, found.wins, 1)
    assert total.tolist() == [[0, 1 + 2 + 1], [1 + 0 + 1, 0]]  # the last match was not played to its end


def test_winner_of_three_beats_both_opponents() -> None:
    found = pairing_results(Pairing(0, 0, (0, 1, 2), 3), bytes([1, 2, DRAW_CODE]), 3)
    assert found.wins.sum(axis=0).tolist() == [[0, 2.5, 2.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]


def test_ratings_recover_known_strengths() -> None:
    """Three players who win as often as their strengths predict get those strengths back."""
    shares, block = np.array([0.6, 0.3, 0.1]), Pairing(0, 0, (0, 1, 2), 30_000)
    winner = np.random.default_rng(2).choice(3, block.size, p=shares)
    outcomes = bytes(block.seats(game).index(who) + 1 for game, who in enumerate(winner.tolist()))
    found = rate_players([pairing_results(block, outcomes, 3)], 0)
    assert found
    assert found[0].mean - found[1].mean == pytest.approx(400 * np.log10(2), abs=15)
    assert found[1].mean - found[2].mean == pytest.approx(400 * np.log10(3), abs=15)


# Computed by choix 0.4.1, an independent implementation: pairs of players with matches won, lost and drawn.
MATCHES = [(0, 1, 30, 10, 5), (0, 2, 38, 2, 0), (1, 2, 12, 9, 19), (0, 3, 50, 0, 0), (2, 3, 44, 1, 5), (1, 3, 3, 0, 0)]
CHOIX_RATINGS = [
    Rating(1833.87726, 1772.485891, 1915.253558),
    Rating(1596.214606, 1532.924135, 1657.637404),
    Rating(1510.088213, 1465.921795, 1554.216057),
    Rating(1059.81992, 941.239889, 1148.728742),
]


def pair_results(one: int, other: int, won: int, lost: int, drawn: int) -> PairingResults:
    wins = np.zeros((3, 4, 4))
    wins[0, one, other] = wins[1, other, one] = 2
    wins[2, one, other] = wins[2, other, one] = 1
    return PairingResults(np.array([won, lost, drawn]), wins)


def test_ratings_agree_with_choix() -> None:
    rated = rate_players([pair_results(*matches) for matches in MATCHES], 0)
    assert rated
    for found, expected in zip(rated, CHOIX_RATINGS, strict=True):
        assert found == pytest.approx(expected, abs=2e-6)  # both are rounded to 1e-6


def test_bradley_terry_satisfies_likelihood_equations() -> None:
    rng = np.random.default_rng(4)
    wins = rng.integers(0, 1000, (20, 7, 7)) * (1.0 - np.eye(7)) + 0.5 * (1 - np.eye(7))
    strengths = np.exp(bradley_terry(wins))
    expected = (wins + wins.swapaxes(1, 2)) * strengths[:, :, None] / (strengths[:, :, None] + strengths[:, None, :])
    assert (expected * (1 - np.eye(7))).sum(axis=2) == pytest.approx(wins.sum(axis=2))
    assert np.log(strengths).mean(axis=1) == pytest.approx(np.zeros(20))


def test_player_without_complete_match_is_rated_average() -> None:
    rated = rate_players([pair_results(0, 1, 5, 3, 0), pair_results(2, 3, 0, 0, 0)], 0)
    assert rated
    assert [player.mean for player in rated[2:]] == pytest.approx([1500, 1500], abs=1e-3)


def test_ratings_depend_only_on_the_seed() -> None:
    assert rated(60, 100, 3) == rated(60, 100, 3)
    assert rated(60, 100, 3) != rated(60, 100, 4)


def test_player_who_won_everything_has_finite_rating() -> None:
    one, other = rated(100, 100)
    assert one.mean - other.mean == pytest.approx(400 * np.log10(201))


def test_tournament_without_games_has_no_ratings() -> None:
    played = Tournament((Entrant.from_text("random"), Entrant.from_text("greedy")), (nl.book("flag-chase"),), 2)
    assert Standings(played).ratings() is None


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+A1", "'+A1"),
        ("-cmd|x!A0", "'-cmd|x!A0"),
        ("\t=1+1", "'\t=1+1"),
        ("\r=1+1", "\\u000d=1+1"),
        ("\n=1+1", "'\n=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a\x1b[2J\u202e\0", "a\\u001b[2J\\u202e\\u0000"),
        ("b\udcff", "b\\udcff"),
        ('a,"b"', 'a,"b"'),
    ],
)
def test_csv_escapes_formulas_and_controls_in_names(name: str, written: str) -> None:
    players = (Entrant(name, Entrant.from_text("random").make), Entrant.from_text("greedy"))
    cells, out = list(run(Tournament(players, (nl.book("flag-chase"),), 2)).cells()), io.BytesIO()
    assert write_csv_rows(cells, out) == len(cells)
    rows = list(csv.DictReader(io.StringIO(out.getvalue().decode(), newline="")))
    assert {row["player"] for row in rows} == {written, "greedy"}
    assert [float(row["regret"]) for row in rows] == [cell["regret"] for cell in cells]
