"""Tournaments of three or more players: everyone takes every seat, and after a forfeit the others play on."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

import numberline as nl
from numberline.arena import Entrant, GameResult, Tournament, run
from numberline.arena.runner import game_keys, play_batch, random_floats
from numberline.arena.schedule import seat_orders
from numberline.bots import Bot, Forfeit
from numberline.game.position import Position
from support.tournaments import (
    BotWithoutPolicy,
    batch_tables,
    bot_policy,
    cached_bot,
    first_book_players,
    tournament,
    without_policy,
)

THREE, FOUR = "number-reach(players=3)", "number-reach(players=4, repeat=banned, target=12)"
WITH_OUT = 'number-reach(operations="+2 *2", overshoot=refused, players=3, stuck=loses)'


class Silent(Bot):
    """Bot that forfeits on its first turn."""

    def choose(self, position: Position) -> str:
        raise Forfeit(self.name, "said nothing")


SILENT = Entrant("silent", lambda book, rng, _: Silent("silent", book, rng))


def one_by_one(*players: Entrant, variant: str, games: int = 6) -> list[GameResult]:
    played = Tournament(players, (nl.book(variant),), games, seed=3, plies=60)
    book_players = first_book_players(played)
    return [book_players.play_one(block, game) for block in played.pairings for game in block.games]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_seat_orders_give_every_player_every_seat(seats: int) -> None:
    ways = seat_orders(seats)
    assert sorted(ways) == sorted(permutations(range(seats)))
    for first in range(0, len(ways), seats):
        assert all(len(set(seat)) == seats for seat in zip(*ways[first : first + seats], strict=True))


def test_every_three_players_meet_in_a_book_for_three() -> None:
    played = tournament("random", "greedy", "perfect", "level:2", books=("flag-chase", THREE), games=6)
    met = Counter(frozenset(played.names(game)) for game in range(played.total))
    assert Counter(map(len, met.elements())) == {2: 36, 3: 24}
    assert set(met.values()) == {6}


def test_games_are_rounded_up_to_a_multiple_of_seats() -> None:
    played = tournament("random", "greedy", "perfect", books=(THREE, "flag-chase"), games=8)
    assert [block.size for block in played.pairings] == [9, 8, 8, 8]
    assert played.total == sum(block.size for block in played.pairings)
    assert [played.pairing(game) for game in (0, 8, 9, 16, 17, 32)] == [played.pairings[n] for n in (0, 0, 1, 1, 2, 3)]


@pytest.mark.parametrize("variant", [THREE, FOUR, WITH_OUT])
def test_batch_of_many_players_follows_random_numbers_and_rules(variant: str) -> None:
    names = ("random", "level:4", "greedy", "perfect")[: nl.book(variant).rules.players]
    played = tournament(*names, books=(variant,), games=24)
    arrays, each = batch_tables(variant).arrays, {name: bot_policy(name, variant) for name in names}
    for result in play_batch(batch_tables(variant), list(each.values()), played, played.pairings[0], range(24)):
        match = nl.Match(arrays.book)
        while not match.outcome and match.length < 60:
            chances = each[result.seats[match.turn - 1]][arrays.number(match.position)]
            match.play(
                arrays.moves[int((random_floats(game_keys(1, [result.game]), match.length)[0] >= chances).sum())]
            )
        assert result.moves == tuple(ply.move for ply in match.plies)
        assert result.winner == (match.outcome.winner if match.outcome else 0)
    assert cached_bot(names[0], variant).name == names[0]


@pytest.mark.parametrize("variant", [THREE, WITH_OUT])
def test_single_games_of_three_are_measured_by_solution(variant: str) -> None:
    solution = batch_tables(variant).solution
    for result in one_by_one(
        without_policy("random"), without_policy("level:2"), without_policy("greedy"), variant=variant
    ):
        position, expected = solution.book.start(), [[0, 0, 0, 0] for _ in range(3)]
        for move in result.moves:
            judged = solution.evaluate_moves(position)
            made_ = next(one for one in judged if one.move == move)
            seen = [1, made_.best, made_.regret > 0, made_.regret] if len(judged) > 1 else [0] * 4
            expected[position.turn - 1] = [sum(pair) for pair in zip(expected[position.turn - 1], seen, strict=True)]
            position = made_.after
        assert result.tallies
        assert [list(tally) for tally in result.tallies] == expected


def test_player_who_forfeits_is_out_and_others_play_on() -> None:
    for result in one_by_one(SILENT, without_policy("greedy"), without_policy("perfect"), variant=THREE):
        seat = result.seats.index("silent") + 1
        assert result.forfeit_reason(seat) == "said nothing"
        assert result.winner not in {0, seat}
        assert result.end == "won"
        assert result.moves.count("resign") == 1


def test_last_player_wins_when_all_others_forfeit() -> None:
    also = Entrant("also silent", SILENT.make)
    for result in one_by_one(SILENT, also, without_policy("greedy"), variant=THREE):
        if result.seats[0] != "greedy":
            assert result.seats[result.winner - 1] == "greedy"
            assert result.end == "forfeit"
            assert sum(map(bool, result.faults)) == 2


def test_file_names_forfeiting_players_of_three(tmp_path: Path) -> None:
    played = Tournament(
        (SILENT, without_policy("greedy"), without_policy("perfect")), (nl.book(THREE),), 6, seed=3, plies=60
    )
    first = run(played, tmp_path / "games").report()
    lines = [json.loads(line) for line in (tmp_path / "games").read_text().splitlines()[1:]]
    assert {seat: fault for line in lines for seat, fault in zip(line["seats"], line["faults"], strict=True)} == {
        "silent": "said nothing",
        "greedy": "",
        "perfect": "",
    }
    assert run(played, tmp_path / "games").report() == first
    silent = next(row for row in first["players"] if row["player"] == "silent")
    assert (silent["forfeits"], silent["score"], silent["reasons"]) == (6, 0, {"said nothing": 6})


def test_draw_is_shared_by_players_who_did_not_forfeit() -> None:
    class Slow(BotWithoutPolicy):
        """Bot that always plays the smallest move."""

        def choose(self, position: Position) -> str:
            return self.book.moves(position)[0]

    def slow(name: str) -> Entrant:
        return Entrant(name, lambda book, rng, solution: Slow(Entrant.from_text("random").make(book, rng, solution)))

    stopped = Tournament((slow("a"), slow("b"), slow("c")), (nl.book(THREE),), 6, plies=3)
    assert [row["score"] for row in run(stopped).players()] == pytest.approx([1 / 3] * 3)
    fewer = Tournament((slow("a"), slow("b"), SILENT), (nl.book(THREE),), 6, plies=3)
    assert [row["score"] for row in run(fewer).players()] == [0.5, 0.5, 0]


def test_perfect_score_is_unknown_if_it_cannot_be_forced() -> None:
    report = run(tournament("random", "greedy", "perfect", books=(THREE,), games=6)).report()
    assert nl.solve(nl.book(THREE)).value(nl.book(THREE).start()) == "open"
    assert {row["perfect_against_perfect"] for row in report["players"]} == {None}
    assert len(report["players"][0]["seats"]) == 3
    assert {row["opponent"] for row in report["cells"] if row["player"] == "random"} == {"greedy + perfect"}
