"""Tournaments: fair schedules, exact move qualities and reproducible results."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import numberline as nl
from bots.test_external import EXAMPLE, living, program
from numberline.arena import Entrant, Standings, Tournament, draw, run, runner
from numberline.arena.standings import wilson_interval
from numberline.bots import Bot, BotError, Forfeit
from numberline.envs.text import TextPlayer
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.index import max_positions
from numberline.solver.solution import Solution
from support.commands import numberline
from support.tournaments import BotWithoutPolicy, play_games_in_batch, tournament

# The schedule


def test_all_pairs_meet_in_all_books_and_seats() -> None:
    played = tournament("random", "greedy", "perfect", books=("flag-chase", "number-reach"), games=6)
    seats = Counter((played.pairing(game).book, played.names(game)) for game in range(played.total))
    names = ("random", "greedy", "perfect")
    assert seats == {(book, (one, two)): 3 for book in (0, 1) for one in names for two in names if one != two}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("perfect",), "an arena needs at least two players"),
        (("perfect", "perfect"), "duplicate player 'perfect'"),
        (("perfect", "banana"), "unknown bot 'banana'; expected "),
        (("perfect", "random", "--games", "3"), "expected a positive even number"),
        (("perfect", "random", "--games", "0"), "Invalid value for '--games'"),
        (
            ("perfect", "random", "--books", "number-reach(players=3)"),
            "has 3 seats, but only 2 players are given",
        ),
        (("perfect", "random", "--books", "chess"), "unknown book 'chess'"),
        (("perfect", "random", "--plies", "0"), "Invalid value for '--plies'"),
        (("perfect", "random", "--workers", "many"), "invalid workers value 'many'; expected a number of processes"),
        (("perfect", "exec:no-such-program"), "program 'no-such-program' not found"),
        (("perfect", "random", "--books", "line-runner(end=1000000)"), "has too many positions to solve"),
    ],
)
def test_invalid_tournament_is_rejected(arguments: tuple[str, ...], sentence: str) -> None:
    ran = numberline("arena", *arguments)
    assert ran.code in {1, 2}
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


# Statistics


def test_perfect_players_score_the_value_without_regret() -> None:
    perfect = Entrant.from_text("perfect")
    again = Entrant("perfect again", perfect.make)
    books = tuple(map(nl.book, (*nl.NAMES, 'number-reach(operations="+1 *2 -1")')))
    standings = run(Tournament((perfect, again), books, 10, plies=50))
    for cell in standings.cells():
        assert cell["score"] == cell["perfect_against_perfect"]
        assert (cell["regret"], cell["blunders"]) == (0, 0)
        assert cell["optimal"] == 1 or cell["score"] == 0  # the loser fights instead of playing for time
    for player in standings.players():
        assert player["perfect_against_perfect"] == player["score"] == 0.5
        assert player["draws"] == 10


def test_endless_game_is_stopped_and_drawn() -> None:
    result = play_games_in_batch("perfect", "greedy", "reach-the-edge(steps=2)", 2)[0]
    assert (result.winner, result.end, len(result.moves)) == (0, "limit", 60) or result.winner
    stopped = tournament("random", "perfect", books=("line-runner",), games=2)
    stopped = Tournament(stopped.players, stopped.books, 2, plies=4)
    report = run(stopped).report()
    assert [player["draws"] for player in report["players"]] == [2, 2]
    assert [player["score"] for player in report["players"]] == [0.5, 0.5]


def test_the_better_player_comes_first_and_is_rated_higher() -> None:
    players = run(tournament("random", "level:5", "perfect", books=nl.NAMES, games=100)).players()
    assert [player["player"] for player in players] == ["perfect", "level:5", "random"]
    means = [player["rating"]["mean"] for player in players]
    assert means == sorted(means, reverse=True)
    assert players[0]["regret"] == 0 < players[1]["regret"] < players[2]["regret"]
    assert all(player["low"] < player["score"] < player["high"] for player in players)


def test_wilson_interval_agrees_with_published_values() -> None:
    # Wilson (1927), as in the table of Newcombe (1998): 81 of 263.
    assert [round(end, 4) for end in wilson_interval(81 / 263, 263)] == [0.2553, 0.3662]
    assert wilson_interval(0, 10)[0] == 0
    assert wilson_interval(1, 10)[1] == 1


def test_regret_interval_has_its_coverage() -> None:
    found = []
    for seed in range(200):
        standings = Standings(tournament("random", "level:4", books=("line-runner",), games=40, seed=seed))
        for result in play_games_in_batch("random", "level:4", "line-runner", 40, seed):
            standings.add(result)
        found.append(standings.stats(lambda _, player, __: player == 0))
    truth = np.mean([figures.regret or 0 for figures in found])
    held = sum(abs((figures.regret or 0) - truth) <= (figures.regret_error or 0) for figures in found)
    assert 175 <= held <= 198


def test_variant_too_large_to_solve_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MAX_SOLVE_BYTES", 1_000_000)
    report = run(tournament("random", "greedy", books=("line-runner(end=1000)",), games=4)).report()
    assert {player["regret"] for player in report["players"]} == {None}
    assert {player["perfect_against_perfect"] for player in report["players"]} == {None}


def test_variant_with_few_reachable_positions_is_measured() -> None:
    variant = "line-runner(tokens=3, end=40, steps=20, meeting=blocks)"
    assert max_positions(nl.book(variant)) > 100_000_000
    report = run(tournament("random", "greedy", books=(variant,), games=4)).report()
    assert all(player["regret"] is not None for player in report["players"])


# Players of all kinds


def test_program_that_forfeits_loses_with_reason(tmp_path: Path) -> None:
    text = program(tmp_path, "say('move 9')")
    ran = numberline("arena", "random", text, "--books", "flag-chase", "--games", "4", "--json")
    report = json.loads(ran.out)
    loser = report["players"][1]
    assert (loser["player"], loser["losses"], loser["forfeits"]) == (text, 4, 4)
    assert loser["reasons"] == {"played '9', which is not allowed here": 4}
    assert living(text) == set()
    output = numberline("arena", "random", text, "--books", "flag-chase", "--games", "4").out
    assert "forfeited 4 games: it played '9', which is not allowed here\n" in output


def test_illegal_move_is_a_forfeit() -> None:
    class Cheat(BotWithoutPolicy):
        def choose(self, position: Position) -> str:
            return "7"

    def make(book: Book, rng: random.Random, solution: Solution | None) -> Bot:
        return Cheat(Entrant.from_text("random").make(book, rng, solution))

    played = Tournament((Entrant("cheat", make), Entrant.from_text("random")), (nl.book("flag-chase"),), 4)
    cheat = next(row for row in run(played).players() if row["player"] == "cheat")
    assert (cheat["forfeits"], cheat["score"]) == (4, 0)


def test_custom_bot_can_play() -> None:
    class Talker(Bot):
        def choose(self, position: Position) -> str:
            if position.tokens[0] > 3:
                raise Forfeit(self.name, "lost its tongue")
            return self.book.moves(position)[-1]

    talker = Entrant("talker", lambda book, rng, _: Talker("talker", book, rng))
    standings = run(Tournament((talker, Entrant.from_text("greedy")), (nl.book("line-runner"),), 4))
    assert standings.reasons == {"talker": {"lost its tongue": 4}}


def test_text_player_can_play() -> None:
    prompts: list[str] = []

    def answers(prompt: str) -> str:
        prompts.append(prompt)
        return "I think, and I play [1]."

    talker = Entrant("talker", lambda book, *_: TextPlayer(answers, book, name="talker"))
    standings = run(Tournament((talker, Entrant.from_text("greedy")), (nl.book("flag-chase"),), 4))
    assert standings.reasons == {}
    assert prompts
    row = next(row for row in standings.players() if row["player"] == "talker")
    assert (row["score"], row["regret"] > 0) == (0, True)


def test_example_bot_plays_and_its_process_ends() -> None:
    bot = f"exec:{sys.executable} {EXAMPLE}"
    standings = run(tournament(bot, "random", books=("flag-chase", "line-runner"), games=20))
    assert standings.games == 40
    assert standings.reasons == {}
    assert living(bot) == set()


def test_sigterm_stops_external_bots(tmp_path: Path) -> None:
    text = program(tmp_path, "signal = __import__('signal'); time.sleep(60)").replace("0.5s", "60s")
    command = [sys.executable, "-m", "numberline", "arena", "random", text, "--books", "flag-chase"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not living(text) - {running.pid}:
        assert running.poll() is None
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGTERM)
    assert running.wait(10) == 143
    assert living(text) == set()


# Drawn variants


def test_drawn_variants_are_reproducible_and_solvable() -> None:
    drawn = draw(12, 1)
    assert len(drawn) == len({book.variant for book in drawn}) == 12
    assert [book.variant for book in drawn] == [book.variant for book in draw(12, 1)]
    assert [book.variant for book in drawn] != [book.variant for book in draw(12, 2)]
    assert not {book.variant for book in drawn} & set(nl.NAMES)
    assert len({book.name for book in drawn}) >= 4
    assert all(nl.book(book.variant) == book and book.rules.players == 2 for book in drawn)


def test_drawn_variants_never_change() -> None:
    # Written down once: a seed must draw the same variants in every later version.
    assert [book.variant for book in draw(6, 7)] == [
        "number-line-sprint(end=24, steps=1,4)",
        'number-reach(target=11, operations="+1 +2 *3", overshoot=counts, repeat=banned)',
        'number-reach(target=27, operations="+3 *2 /2")',
        "line-runner(end=9, steps=1,3, reverse=true)",
        "flag-chase(end=33, steps=1,4)",
        "line-runner(end=7, steps=2-4)",
    ]


def test_drawn_variants_are_played() -> None:
    ran = numberline("arena", "perfect", "random", "--draw", "5", "--games", "10", "--seed", "8", "--json")
    report = json.loads(ran.out)
    assert report["tournament"]["books"] == [book.variant for book in draw(5, 8)]
    assert report["players"][0]["player"] == "perfect"


# Output files


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in {"src", "href"} and value]


def test_html_is_self_contained_and_escapes_names(tmp_path: Path) -> None:
    text = program(tmp_path, "say('<b>bold</b>')")
    html, table = tmp_path / "arena.html", tmp_path / "arena.csv"
    ran = numberline(
        "arena", "perfect", text, "--books", "flag-chase", "--games", "4", "--html", str(html), "--csv", str(table)
    )
    assert ran.code == 0
    page, tags = html.read_text(), Tags()
    tags.feed(page)
    assert tags.links == []
    assert "http" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;bold" in page
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert sum(int(row["games"]) for row in rows) == 8
    assert sum(int(row["forfeits"]) for row in rows) == 4


def test_command_prints_the_standings() -> None:
    ran = numberline("arena", "perfect", "level:5", "random", "--games", "20", "--seed", "1")
    games_per_seat = 20 * len(nl.NAMES)  # 20 games against each of two opponents in every book, half of them per seat
    played = rf"\d+/{games_per_seat}"
    assert re.search(rf"^perfect +{played} +{played} +0 +0 +\d+\.\d% ", ran.out, re.MULTILINE)
    assert "against level:5" in ran.out
    assert "Wilson" in ran.out


def test_missing_folder_is_reported_before_playing() -> None:
    ran = numberline("arena", "perfect", "random", "--out", "no/such/folder/games.jsonl")
    assert (ran.code, ran.err) == (
        1,
        "Error: no/such/folder/games.jsonl: folder no/such/folder does not exist; create it first\n",
    )


def test_tournament_needs_two_players() -> None:
    with pytest.raises(BotError, match="at least two players"):
        tournament("random")


def test_standings_count_no_game_twice() -> None:
    played = tournament("random", "greedy", games=2)
    standings = Standings(played)
    for result in [*play_games_in_batch("random", "greedy", "flag-chase", 2)] * 2:
        standings.add(result)
    assert standings.games == 2
    assert [cell["games"] for cell in standings.cells()] == [1, 1, 1, 1]
