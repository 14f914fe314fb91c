"""Batched play: every game follows from its random numbers and the rules, and every move is evaluated exactly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import numberline as nl
from numberline.arena import GameResult, Tournament
from numberline.arena.runner import MAX_BATCHED_POSITIONS, game_keys, random_floats
from numberline.solver.solution import Solution
from support.tournaments import (
    batch_tables,
    bot_policy,
    cached_bot,
    first_book_players,
    play_games_in_batch,
    without_policy,
)
from support.variants import EVERY

FOR_TWO = tuple(
    variant
    for variant in EVERY
    if "players" not in variant and batch_tables(variant).solution.size <= MAX_BATCHED_POSITIONS
)
TABLE_BOTS = ("random", "greedy", "level:4", "perfect")


@pytest.mark.parametrize("variant", FOR_TWO)
def test_batch_follows_random_numbers_and_rules(variant: str) -> None:
    players = ("level:4", "random")
    arrays = batch_tables(variant).arrays
    each = [bot_policy(text, variant) for text in players]
    for result in play_games_in_batch(*players, variant, 30):
        match = nl.Match(arrays.book)
        while not match.outcome and match.length < 60:
            chances = each[(match.turn - 1) ^ (result.game % 2)][arrays.number(match.position)]
            thrown = random_floats(game_keys(1, [result.game]), match.length)[0]
            match.play(arrays.moves[int((thrown >= chances).sum())])
        assert result.moves == tuple(ply.move for ply in match.plies)
        assert result.winner == (match.outcome.winner if match.outcome else 0)
        assert result.reason == (match.outcome.reason if match.outcome else "The game was stopped after 60 turns.")


@pytest.mark.parametrize("variant", FOR_TWO)
def test_batch_games_are_measured_by_solution(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    for result in play_games_in_batch("random", "level:2", variant, 40):
        assert result.tallies
        assert [list(tally) for tally in result.tallies] == measured(solution, result.moves)


def measured(solution: Solution, moves: tuple[str, ...]) -> list[list[int]]:
    """Return the expected tallies, computed from the solution alone."""
    tallies, position = [[0, 0, 0, 0], [0, 0, 0, 0]], solution.book.start()
    for move in moves:
        after = solution.book.after(position, move)
        if len(solution.book.moves(position)) > 1:
            regret = solution.worth(position).points - solution.worth(after, position.turn).points
            seen = (1, move in solution.best(position), regret > 0, regret)
            tallies[position.turn - 1] = [sum(pair) for pair in zip(tallies[position.turn - 1], seen, strict=True)]
        position = after
    return tallies


@pytest.mark.parametrize("variant", FOR_TWO)
def test_single_games_are_measured_by_solution(variant: str) -> None:
    played = Tournament(
        (without_policy("random"), without_policy("level:2")), (nl.book(variant),), 10, seed=3, plies=60
    )
    players = first_book_players(played)
    for result in (players.play_one(played.pairings[0], game) for game in range(10)):
        assert result.tallies
        assert [list(tally) for tally in result.tallies] == measured(batch_tables(variant).solution, result.moves)


@pytest.mark.parametrize("variant", FOR_TWO)
def test_only_choices_count_in_batch_tallies(variant: str) -> None:
    arrays, solution = batch_tables(variant).arrays, batch_tables(variant).solution
    for position in solution.live:
        counted = dict(zip(arrays.moves, batch_tables(variant).tallies[arrays.number(position)].tolist(), strict=True))
        followers = arrays.book.successors(position)
        for move, after in followers:
            regret = solution.worth(position).points - solution.worth(after, position.turn).points
            expected = [1, move in solution.best(position), regret > 0, regret] if len(followers) > 1 else [0, 0, 0, 0]
            assert counted.pop(move) == expected
        assert not any(map(any, counted.values()))


@pytest.mark.parametrize("games", [100, pytest.param(10_000, marks=pytest.mark.soak)])
def test_single_and_batch_games_have_equal_statistics(games: int) -> None:
    for one, other in (("random", "level:4"), ("perfect", "random"), ("greedy", "level:4")):
        for name in nl.NAMES:
            slowly = Tournament((without_policy(one), without_policy(other)), (nl.book(name),), games, seed=3, plies=60)
            players = first_book_players(slowly)
            slow = [players.play_one(slowly.pairings[0], game) for game in range(games)]
            quick = play_games_in_batch(one, other, name, games)
            for seats in ((one, other), (other, one)):
                first, second = (
                    [figures(result) for result in some]
                    for some in ([r for r in slow if r.seats == seats], [r for r in quick if r.seats == seats])
                )
                means = np.mean(first, axis=0) - np.mean(second, axis=0)
                errors = np.sqrt((np.var(first, axis=0) + np.var(second, axis=0)) / len(first))
                assert (np.abs(means) <= 4.5 * errors + 1e-9).all()


def figures(result: GameResult) -> tuple[int, int, int]:
    assert result.tallies
    return int(result.winner == 1), len(result.moves), result.tallies[1].regret


@pytest.mark.parametrize("bot", TABLE_BOTS)
def test_batch_policy_agrees_with_bot(bot: str) -> None:
    arrays, someone = batch_tables("line-runner").arrays, cached_bot(bot, "line-runner")
    for position in batch_tables("line-runner").solution.live[::25]:
        chances = np.diff(bot_policy(bot, "line-runner")[arrays.number(position)], prepend=0)
        seen = Counter(someone.choose(position) for _ in range(400))
        for move, chance in zip(arrays.moves, chances, strict=True):
            assert abs(seen[move] / 400 - chance) <= 0.11
            assert (chance == 0) == (seen[move] == 0) or chance < 0.02


def test_game_does_not_depend_on_earlier_games() -> None:
    played = Tournament((without_policy("random"), without_policy("level:4")), (nl.book("line-runner"),), 6, seed=3)
    players, other = (first_book_players(played) for _ in range(2))
    in_order = [players.play_one(played.pairings[0], game) for game in range(6)]
    assert [other.play_one(played.pairings[0], game) for game in reversed(range(6))] == in_order[::-1]
    assert len({result.moves for result in in_order}) > 1
