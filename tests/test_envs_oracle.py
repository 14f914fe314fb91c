"""The exact truth that environments tell, and the bots that sit in the other seats."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random

import pytest

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.odds import odds
from numberline.envs.opponents import Opponent
from numberline.envs.oracle import BEST, Loss, Teller, oracle_of
from numberline.envs.spots import spots_of
from variants import EVERY, reachable

POINTS = {"win": 1, "endless": 0, "open": 0, "loss": -1}


def dice(seed: int) -> Random:
    """Chance that comes out the same every time."""
    return Random(seed)  # noqa: S311 - a game, not a secret


@cache
def live(variant: str) -> list[nl.Position]:
    """Every position that can come about in which somebody has to move."""
    book = nl.book(variant)
    return [position for position in reachable(book) if book.moves(position)]


@pytest.mark.parametrize("variant", EVERY)
def test_regret_and_delay_are_zero_for_the_best_moves_and_only_for_them(variant: str) -> None:
    book = nl.book(variant)
    oracle = oracle_of(book)
    for position in live(variant):
        losses = oracle.losses(position)
        best = {move for move, loss in losses.items() if loss == BEST}
        assert best == set(oracle.solution.best(position))
        assert all(loss.regret > 0 or loss.delay > 0 for move, loss in losses.items() if move not in best)
        assert all(loss.delay == 0 for loss in losses.values() if loss.regret)


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(text, marks=[pytest.mark.soak] if text == "line-runner(tokens=2, end=5)" else [])
        for text in EVERY
        if nl.book(text).rules.players == 2
    ],
)
def test_regret_is_what_the_value_falls_by_and_delay_what_the_distance_changes_by(variant: str) -> None:
    book = nl.book(variant)
    oracle = oracle_of(book)
    solution = oracle.solution
    for position in live(variant):
        value, distance = POINTS[solution.value(position)], solution.distance(position)
        assert (value, distance) == (oracle.value(position, position.turn), solution.distance(position))
        for move, loss in oracle.losses(position).items():
            after = book.after(position, move)
            then = oracle.value(after, position.turn)
            assert loss.regret == value - then
            if loss.regret == 0 and distance is not None:
                assert loss.delay == (solution.distance(after) or 0) + 1 - distance if value > 0 else True
                assert loss.delay == distance - (solution.distance(after) or 0) - 1 if value < 0 else True


def test_who_goes_out_has_lost_though_nobody_can_force_a_win() -> None:
    book = nl.book("number-reach(players=3)")
    oracle = oracle_of(book)
    going = [
        (position, move)
        for position in live("number-reach(players=3)")
        for move in book.moves(position)
        if book.after(position, move).out != position.out
    ]
    assert going
    for position, move in going:
        assert oracle.value(book.after(position, move), position.turn) == -1


def test_the_distance_is_minus_one_where_nobody_can_force_an_end() -> None:
    book = nl.book("reach-the-edge(reverse=true, skip=true)")
    oracle = oracle_of(book)
    endless = [position for position in live(book.variant) if oracle.solution.value(position) == "endless"]
    assert endless
    assert {oracle.distance(position) for position in endless} == {-1}
    assert {oracle.value(position, player) for position in endless for player in (1, 2)} == {0}


def test_an_illegal_action_gives_away_all_there_was() -> None:
    spots = spots_of(nl.book("flag-chase"))
    spot = spots.at(nl.Position(1, (4, 8)))
    told = Teller(spots)
    assert told.of_action(spot, 0) == {"regret": 0, "delay": 0}
    assert told.of_action(spot, 2) == told.of_action(spot, 99) == {"regret": 2, "delay": 0}
    assert told.about(spot, 1, lost=True)["value"] == -1


def test_a_delay_is_counted_in_plies() -> None:
    book = nl.book("line-runner")
    losses = [oracle_of(book).losses(position) for position in live("line-runner")]
    delays = {loss.delay for found in losses for loss in found.values() if not loss.regret}
    assert {0, 2} <= delays
    assert all(isinstance(loss, Loss) for found in losses for loss in found.values())


@pytest.mark.parametrize("bot", ["random", "greedy", "perfect", "level:1", "level:7", "level:10"])
@pytest.mark.parametrize("variant", ["line-runner", "number-reach(players=3)", "reach-the-edge"])
def test_the_odds_of_a_bot_add_up_and_are_what_it_plays(bot: str, variant: str) -> None:
    book = nl.book(variant)
    player = make_bot(bot, book, dice(3))
    for position in live(variant)[::40]:
        likely = odds(player, book, position)
        assert likely is not None
        assert sum(likely.values()) == 1
        assert set(likely) <= set(book.moves(position))
        seen = Counter(player.choose(position) for _ in range(400))
        assert all(abs(seen[move] / 400 - chance) < Fraction(1, 8) for move, chance in likely.items())
        assert set(seen) <= set(likely)


def test_an_opponent_draws_by_the_odds() -> None:
    spots = spots_of(nl.book("flag-chase"))
    spot = spots.at(spots.book.start())
    opponent = Opponent("level:4", spots)
    seen = Counter(spots.actions[opponent.reply(spot)] for _ in range(4000))
    likely = odds(opponent.bot, spots.book, spot.position)
    assert likely
    assert set(likely) == {"1", "2", "3"}
    assert all(abs(seen[move] / 4000 - chance) < Fraction(1, 25) for move, chance in likely.items())


def test_a_bot_that_thinks_anew_is_asked_every_time() -> None:
    spots = spots_of(nl.book("flag-chase"))
    opponent = Opponent("mcts:20", spots)
    assert odds(opponent.bot, spots.book, spots.book.start()) is None
    assert opponent.reply(spots.at(nl.Position(1, (4, 8)))) == 0
