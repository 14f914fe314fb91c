"""Exact values in `info`, and bots as opponents."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

import numberline as nl
from numberline.bots import make_bot
from numberline.envs import BookEnv
from numberline.envs.observation import Oracle
from numberline.solver.cache import cached_solution
from support.variants import EVERY

POINTS = {"win": 1, "endless": 0, "open": 0, "loss": -1}


def dice(seed: int) -> Random:
    """Return a random generator with a fixed seed."""
    return Random(seed)


@pytest.mark.parametrize("variant", EVERY)
def test_regret_and_delay_are_zero_only_for_best_actions(variant: str) -> None:
    book = nl.book(variant)
    oracle = Oracle(book)
    for position in cached_solution(book).live:
        facts = oracle.position_info(position, position.turn)
        for move, best in zip(book.choices, facts["best_actions"], strict=True):
            if move in book.moves(position):
                given = oracle.move_info(position, move)
                assert (given == {"regret": 0, "delay": 0}) == bool(best)
                assert given["delay"] == 0 or given["regret"] == 0


@pytest.mark.parametrize("variant", [text for text in EVERY if nl.book(text).rules.players == 2])
def test_regret_is_lost_value_and_delay_is_lost_distance(variant: str) -> None:
    book = nl.book(variant)
    oracle, solution = Oracle(book), cached_solution(book)
    for position in solution.live:
        facts = oracle.position_info(position, position.turn)
        value, distance = facts["value"], facts["distance"]
        assert value == POINTS[solution.value(position)]
        for move in book.moves(position):
            then, given = (
                oracle.position_info(book.after(position, move), position.turn),
                oracle.move_info(position, move),
            )
            assert given["regret"] == value - then["value"]
            if given["regret"] == 0 and value:
                assert given["delay"] == value * (then["distance"] + 1 - distance)


def test_player_who_is_out_has_lost_value() -> None:
    book = nl.book("number-reach(players=3)")
    going = [
        (position.turn, after)
        for position in cached_solution(book).live
        for _, after in book.successors(position)
        if after.out != position.out
    ]
    assert going
    assert {Oracle(book).position_info(after, player)["value"] for player, after in going} == {-1}


def test_distance_is_minus_one_without_forced_end() -> None:
    book = nl.book("reach-the-edge(reverse=true, skip=true)")
    solution = cached_solution(book)
    endless = [position for position in solution.live if solution.value(position) == "endless"]
    assert endless
    facts = [Oracle(book).position_info(position, player) for position in endless for player in (1, 2)]
    assert {(fact["value"], fact["distance"]) for fact in facts} == {(0, -1)}


def test_illegal_action_gives_away_whole_value() -> None:
    oracle, position = Oracle(nl.book("flag-chase")), nl.Position(1, (4, 8))
    assert oracle.move_info(position, "1") == {"regret": 0, "delay": 0}
    assert oracle.move_info(position, "3") == oracle.move_info(position, "") == {"regret": 2, "delay": 0}
    assert oracle.position_info(position, 1, lost=True)["value"] == -1


@pytest.mark.parametrize("bot", ["random", "greedy", "perfect", "level:1", "level:7", "level:10"])
@pytest.mark.parametrize("variant", ["line-runner", "number-reach(players=3)", "reach-the-edge"])
def test_bot_probabilities_sum_to_one_and_match_its_moves(bot: str, variant: str) -> None:
    book = nl.book(variant)
    player = make_bot(bot, book, dice(3))
    for position in cached_solution(book).live[::40]:
        likely = player.probabilities(position)
        assert likely is not None
        assert sum(likely.values()) == 1
        assert set(likely) <= set(book.moves(position))
        seen = Counter(player.choose(position) for _ in range(400))
        assert all(abs(seen[move] / 400 - chance) < Fraction(1, 8) for move, chance in likely.items())
        assert set(seen) <= set(likely)


def test_opponent_replies_by_its_probabilities() -> None:
    book = nl.book("flag-chase")
    env = BookEnv(book, opponent="level:4", seat=2)
    env.reset(seed=1)
    seen = Counter(int(env.reset()[0]["observation"][2]) for _ in range(4000))
    likely = make_bot("level:4", book, dice(1)).probabilities(book.start())
    assert likely
    assert set(likely) == {"1", "2", "3"}
    assert all(abs(seen[int(move)] / 4000 - chance) < Fraction(1, 25) for move, chance in likely.items())


def test_bot_without_policy_is_asked_every_time() -> None:
    env = BookEnv("flag-chase(end=4, flag=2)", opponent="mcts:20", seat=2)
    assert make_bot("mcts:20", env.book, dice(1)).probabilities(env.book.start()) is None
    env.reset(seed=1)
    *_, info = env.step(0)
    assert info["reason"] == "Player 1 reached 2."
