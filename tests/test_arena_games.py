"""The arena's games: many at a time are exactly the games that the dice and the rules make, measured exactly."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import numberline as nl
from arenas import board, hidden, quick_games
from numberline.arena import Entrant, Result, Tournament
from numberline.arena.batches import keys, throws
from numberline.arena.board import quick
from numberline.arena.single import Bench, play_each
from numberline.solver.solution import Forced, Solution
from variants import EVERY

FOR_TWO = tuple(variant for variant in EVERY if "players" not in variant and quick(nl.book(variant)))
TABLE_BOTS = ("random", "greedy", "level:4", "perfect")


@pytest.mark.parametrize("variant", FOR_TWO)
def test_a_game_played_among_many_is_the_game_that_its_dice_and_the_rules_make(variant: str) -> None:
    players = ("level:4", "random")
    laid_out = board(variant)
    odds = [laid_out.odds_of(Entrant.from_text(text)) for text in players]
    for result in quick_games(*players, variant, 30):
        match = nl.Match(laid_out.book)
        while not match.outcome and len(match.plies) < 60:
            chances = odds[(match.turn - 1) ^ (result.game % 2)][laid_out.number(match.position)]
            thrown = throws(keys(1, [result.game]), len(match.plies))[0]
            match.play(laid_out.texts[int((thrown >= chances).sum())])
        assert result.moves == match.record.moves
        assert result.winner == (match.outcome.winner if match.outcome else 0)
        assert result.reason == (match.outcome.reason if match.outcome else "The game was stopped after 60 plies.")


@pytest.mark.parametrize("variant", FOR_TWO)
def test_games_at_a_time_and_one_by_one_are_measured_alike(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    for result in quick_games("random", "level:2", variant, 40):
        assert result.tallies
        assert [list(tally) for tally in result.tallies] == measured(solution, result.moves)


def measured(solution: Solution, moves: tuple[str, ...]) -> list[list[int]]:
    """What the tallies must be, worked out from the solution alone."""
    points = {"win": 1, "endless": 0, "loss": -1}
    tallies, position = [[0, 0, 0, 0], [0, 0, 0, 0]], solution.book.start()

    def worth(outlook: Forced | None) -> int:
        return 0 if outlook is None else 1 if outlook.player == position.turn else -1

    for move in moves:
        if len(solution.book.moves(position)) > 1:
            regret = points[solution.value(position)] - worth(solution.worth(position)[move])
            seen = (1, move in solution.best(position), regret > 0, regret)
            tallies[position.turn - 1] = [sum(pair) for pair in zip(tallies[position.turn - 1], seen, strict=True)]
        position = solution.book.after(position, move)
    return tallies


@pytest.mark.parametrize("variant", FOR_TWO)
def test_regret_is_zero_exactly_where_no_points_are_given_away_and_best_moves_are_the_solvers(variant: str) -> None:
    laid_out = board(variant)
    for number in laid_out.live:
        position = laid_out.table.numbering.position(number)
        legal = laid_out.book.moves(position)
        best = tuple(move for move in legal if laid_out.best[number, laid_out.places[move]])
        assert best == laid_out.solution.best(position)
        value = laid_out.solution.value(position)
        for move in legal:
            after = laid_out.solution.forced(laid_out.book.after(position, move))
            worth = 0 if after is None else 1 if after.player == position.turn else -1
            given = {"win": 1, "endless": 0, "loss": -1}[value] - worth
            assert laid_out.regret[number, laid_out.places[move]] == given >= 0


@pytest.mark.parametrize("games", [100, pytest.param(10_000, marks=pytest.mark.soak)])
def test_one_by_one_and_many_at_a_time_come_out_alike_over_many_games(games: int) -> None:
    for one, other in (("random", "level:4"), ("perfect", "random"), ("greedy", "level:4")):
        for name in nl.NAMES:
            slowly = Tournament((hidden(one), hidden(other)), (nl.book(name),), games, seed=3, plies=60)
            slow = list(play_each(Bench(slowly, slowly.books[0], board(name)), slowly.blocks[0], range(games)))
            quick = quick_games(one, other, name, games)
            for seats in ((one, other), (other, one)):
                first, second = (
                    [figures(result) for result in some]
                    for some in ([r for r in slow if r.seats == seats], [r for r in quick if r.seats == seats])
                )
                means = np.mean(first, axis=0) - np.mean(second, axis=0)
                errors = np.sqrt((np.var(first, axis=0) + np.var(second, axis=0)) / len(first))
                assert (np.abs(means) <= 4.5 * errors + 1e-9).all()


def figures(result: Result) -> tuple[int, int, int]:
    assert result.tallies
    return int(result.winner == 1), len(result.moves), result.tallies[1].regret


@pytest.mark.parametrize("bot", TABLE_BOTS)
def test_the_odds_of_the_table_are_those_of_the_bot(bot: str) -> None:
    laid_out = board("line-runner")
    player = Entrant.from_text(bot)
    someone = player.make(laid_out.book, random.Random(1), laid_out.solution)  # noqa: S311 - dice, not secrets
    for number in laid_out.live[::25]:
        position = laid_out.table.numbering.position(number)
        chances = np.diff(laid_out.odds_of(player)[number], prepend=0)
        seen = Counter(someone.choose(position) for _ in range(400))
        for move, chance in zip(laid_out.texts, chances, strict=True):
            assert abs(seen[move] / 400 - chance) <= 0.11
            assert (chance == 0) == (seen[move] == 0) or chance < 0.02
