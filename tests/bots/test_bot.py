"""Bots: what each one plays, that seeds reproduce it, and how strong it is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib import metadata
from typing import Any

import pytest

import numberline as nl
from numberline.bots import Bot, BotError, GameOver, make_bot
from numberline.bots.bot import _installed, _usage, bot_names
from numberline.bots.mcts import DEFAULT_MOVE_BUDGET, MctsBot
from numberline.bots.policy_bots import RandomBot
from numberline.characters import NAMED
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver import cache as solution_cache
from numberline.solver.cache import cached_solution
from support.variants import CHOSEN, EVERY, RULE_BOOKS, reachable
from test_startup import loaded_after

TEXTS = ("random", "greedy", "easy", "level:1", "level:6", "level:10", "perfect", "mcts:20")
MANY_PLAYERS = tuple(variant for variant in CHOSEN if "players=" in variant)


def dice(seed: int | str = 1) -> random.Random:
    return random.Random(seed)


def bot(text: str, book: Book, seed: int | str = 1) -> Bot:
    return make_bot(text, book, dice(seed))


@cache
def live(book: Book) -> dict[Position, tuple[str, ...]]:
    """Return the legal moves of every reachable position in which the game is not over."""
    return {position: moves for position in reachable(book) if (moves := book.moves(position))}


def some(book: Book) -> list[Position]:
    """Return all live positions of a default board, or about 150 of a variant."""
    every = list(live(book))
    return every if book.variant in nl.NAMES else every[:: -(-len(every) // 150)]


def play(book: Book, *seats: Bot, start: Position | None = None, most: int = 300) -> tuple[int, list[str]]:
    """Return the winner (0 if the game takes too long) and the moves."""
    position, moves = start or book.start(), list[str]()
    while len(moves) < most and not book.outcome(position):
        moves.append(seats[position.turn - 1].choose(position))
        position = book.after(position, moves[-1])
    outcome = book.outcome(position)
    return outcome.winner if outcome else 0, moves


def score(text: str, against: str, book: Book, games: int) -> float:
    """Return the score over a number of games in each seat; a game that takes too long is half a point."""
    rng = dice(f"{text} {against} {book}")
    one, other = make_bot(text, book, rng), make_bot(against, book, rng)
    winners = [(1, play(book, one, other)[0]) for _ in range(games)]
    winners += [(2, play(book, other, one)[0]) for _ in range(games)]
    return sum((winner == seat) if winner else 0.5 for seat, winner in winners) / len(winners)


def pooled(text: str, against: str, games: int) -> float:
    """Return the average over the rule books, for which the levels were calibrated."""
    return sum(score(text, against, nl.book(name), games) for name in RULE_BOOKS) / len(RULE_BOOKS)


# All of them


@pytest.mark.parametrize("variant", EVERY)
def test_policy_bots_choose_legal_moves_everywhere(variant: str) -> None:
    book = nl.book(variant)
    for someone in [bot(text, book) for text in ("random", "greedy", "level:1", "perfect")]:
        assert [position for position, moves in live(book).items() if someone.choose(position) not in moves] == []


@pytest.mark.parametrize("variant", EVERY)
def test_mcts_chooses_legal_moves_everywhere(variant: str) -> None:
    book = nl.book(variant)
    someone = bot("mcts:5", book)
    assert [position for position, moves in live(book).items() if someone.choose(position) not in moves] == []


@pytest.mark.parametrize("variant", [*nl.NAMES, *MANY_PLAYERS])
@pytest.mark.parametrize("text", TEXTS)
def test_same_seed_gives_the_same_game(text: str, variant: str) -> None:
    games = []
    for time in range(2):
        book, rng = nl.book(variant), dice(5)
        random.seed(time)  # Python's global generator must not matter
        seats = [make_bot(text, book, rng) for _ in range(book.rules.players)]
        games += [play(book, *seats, most=60)]
    assert games[0] == games[1]


@pytest.mark.parametrize("text", ["random", "level:1", "perfect", "mcts:20"])
def test_other_seeds_give_other_games(text: str) -> None:
    book = nl.book("line-runner")
    games = {tuple(play(book, *[bot(text, book, seed)] * 2)[1]) for seed in range(10)}
    assert len(games) > 1


@pytest.mark.parametrize("text", TEXTS)
def test_choosing_after_the_end_raises_game_over(text: str) -> None:
    book = nl.book("flag-chase")
    with pytest.raises(GameOver, match=r"^cannot choose a move: the game is over$"):
        bot(text, book).choose(Position(turn=2, tokens=(5, 8)))


@pytest.mark.parametrize("text", TEXTS)
def test_every_bot_passes_a_lost_turn(text: str) -> None:
    book = nl.book("reach-the-edge(steps=2)")
    assert bot(text, book).choose(book.after(book.start(), "2")) == "pass"


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_bots_load_no_numpy_on_the_default_board(name: str) -> None:
    code = (
        "import random, numberline as nl; from numberline.bots import make_bot\n"
        f"book = nl.book({name!r})\n"
        f"print([make_bot(text, book, random.Random(1)).choose(book.start()) for text in {TEXTS}])"
    )
    assert loaded_after(code) == set()


# By name


@pytest.mark.parametrize(
    "text",
    [*TEXTS, "mcts", *(f"level:{level}" for level in range(1, 11)), *NAMED, "auto:4", "slip:0", "slip:100", "sight:1"],
)
def test_bot_can_be_made_again_from_its_name(text: str) -> None:
    assert bot(text, nl.book("flag-chase")).name == text


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *(
            (" Perfect ", "perfect"),
            ("LEVEL: 03", "level:3"),
            ("Mcts:50", "mcts:50"),
            ("Easy", "easy"),
            ("auto", "auto:3"),
        ),
        *(("slip:025", "slip:25"), ("slip:12.50", "slip:12.5"), ("slip:5.0", "slip:5")),
    ],
)
def test_names_ignore_case_and_spaces(written: str, name: str) -> None:
    assert bot(written, nl.book("flag-chase")).name == name


BAD_NAMES = ("", ":", "banana", "perfekt", "1", "level 3", "r\nandom")
BAD_DETAILS = (
    *("slip", "slip:", "slip:101", "slip:-1", "slip:100.5", "slip:2.", "slip:.5"),
    *("sight", "sight:0", "sight:1001", "sight:x"),
    *("level", "level:", "level:0", "level:11", "level:-1", "level:x", "level:2.5", "level:²", "level:1:2"),
    *("mcts:", "mcts:0", "mcts:-5", "mcts:many", "mcts:1000001", f"mcts:{'9' * 5000}"),
    *("random:1", "greedy:", "perfect:10", "easy:1", "master:", "auto:0", "auto:11"),
)


@pytest.mark.parametrize("text", BAD_NAMES)
def test_unknown_bot_error_lists_all_bots(text: str) -> None:
    with pytest.raises(BotError, match=r"^unknown bot '[^\n]*'; expected [^\n]+$") as refusal:
        bot(text, nl.book("flag-chase"))
    assert all(_usage(name) in str(refusal.value) for name in bot_names())


@pytest.mark.parametrize("text", BAD_DETAILS)
def test_invalid_detail_error_shows_the_usage(text: str) -> None:
    with pytest.raises(BotError, match=r"^unknown bot '[^\n]*'; expected [^\n]+$") as refusal:
        bot(text, nl.book("flag-chase"))
    assert str(refusal.value).endswith(f"expected {_usage(text.partition(':')[0])}")
    assert len(str(refusal.value)) < 160


def test_bot_error_is_a_numberline_and_value_error() -> None:
    assert issubclass(BotError, nl.NumberlineError)
    assert issubclass(BotError, ValueError)


class OwnBot(Bot):
    """A bot as another package would write it."""

    usage = "cautious or cautious:N"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: random.Random, solution: nl.Solution | None) -> Bot | None:  # noqa: ARG003
        return None if detail == "x" else cls(f"cautious:{detail}", book, rng)

    def choose(self, position: Position) -> str:
        return self.book.moves(position)[0]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Entry points of other packages."""
    points = metadata.EntryPoints(
        metadata.EntryPoint(name, value, "numberline.bots")
        for name, value in {
            "cautious": f"{__name__}:OwnBot",
            "random": f"{__name__}:OwnBot",
            "broken": "no_such_package:Bot",
            "number": f"{__name__}:BAD_NAMES",
            "speechless": "numberline.bots:Bot",
        }.items()
    )
    monkeypatch.setattr(metadata, "entry_points", points.select)
    _installed.cache_clear()
    yield
    _installed.cache_clear()


@pytest.mark.usefixtures("installed")
def test_bot_of_another_package_is_found_by_entry_point() -> None:
    book = nl.book("flag-chase")
    made = bot("Cautious:3", book)
    assert (made.name, made.choose(book.start())) == ("cautious:3", "1")
    assert bot_names()[-3:] == ("cautious", "number", "speechless")
    with pytest.raises(BotError, match=r"^unknown bot 'cautious:x'; expected cautious or cautious:N$"):
        bot("cautious:x", book)
    with pytest.raises(BotError, match=r"cautious or cautious:N"):
        bot("unknown", book)


@pytest.mark.usefixtures("installed")
def test_other_packages_cannot_replace_a_builtin_bot() -> None:
    assert type(bot("random", nl.book("flag-chase"))) is RandomBot


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "from no_such_package:Bot: No module named 'no_such_package'"),
        ("number", "is not a subclass of Bot that defines usage"),
        ("speechless", "is not a subclass of Bot that defines usage"),
    ],
)
def test_unusable_entry_point_is_a_bot_error(name: str, reason: str) -> None:
    with pytest.raises(BotError, match=rf"^the bot '{name}' can't be loaded.*{reason}$"):
        bot(name, nl.book("flag-chase"))


# policies


@pytest.mark.parametrize("variant", [*nl.NAMES, *MANY_PLAYERS])
@pytest.mark.parametrize("text", ["random", "greedy", "level:1", "level:4", "perfect", "slip:12.5", "sight:3"])
def test_policy_over_all_positions_equals_the_probabilities(text: str, variant: str) -> None:
    book = nl.book(variant)
    made, arrays = bot(text, book), cached_solution(book).arrays
    weights = made.policy(arrays)
    assert weights is not None
    assert weights.shape == arrays.legal.shape
    for position in some(book):
        row = weights[arrays.number(position)]
        total = int(row.sum())
        found = {str(move): Fraction(int(weight), total) for move, weight in zip(arrays.moves, row, strict=True)}
        assert {move: chance for move, chance in found.items() if chance} == made.probabilities(position)


def test_bot_without_probabilities_has_no_policy() -> None:
    book = nl.book("flag-chase")
    assert bot("mcts:20", book).policy(cached_solution(book).arrays) is None


# random


def test_random_chooses_all_legal_moves_equally_often() -> None:
    book = nl.book("line-runner")
    someone = bot("random", book)
    counts = Counter(someone.choose(book.start()) for _ in range(3000))
    assert set(counts) == {"1", "2", "3"}
    assert all(900 < count < 1100 for count in counts.values())


# greedy


@pytest.mark.parametrize("name", ["reach-the-edge", "flag-chase", "line-runner"])
def test_greedy_takes_the_largest_legal_step(name: str) -> None:
    book = nl.book(name)
    someone = bot("greedy", book)
    for position in live(book):
        assert someone.choose(position) == max(book.moves(position), key=lambda move: (move != "pass", move))


@pytest.mark.parametrize(("number", "move"), [(1, "+1"), (3, "*2"), (9, "*2"), (10, "*2"), (11, "+1"), (19, "+1")])
def test_greedy_gets_closest_to_the_target(number: int, move: str) -> None:
    assert bot("greedy", nl.book("number-reach")).choose(Position(1, (number,))) == move


@pytest.mark.parametrize(
    ("tokens", "move"),
    [((6, 6), "L2"), ((7, 6), "R2"), ((3, 6), "L2"), ((2, 6), "L1"), ((10, 6), "R1"), ((8, 9), "L1")],
)
def test_greedy_runs_to_the_nearer_end(tokens: tuple[int, int], move: str) -> None:
    assert bot("greedy", nl.book("number-line-sprint")).choose(Position(1, tokens)) == move


@pytest.mark.parametrize(
    ("variant", "tokens", "move"),
    [
        ("flag-chase(overshoot=loses)", (4, 10), "1"),
        ("flag-chase(overshoot=loses)", (2, 10), "3"),
        ("flag-chase(steps=2,3, overshoot=loses, skip=true)", (4, 10), "skip"),
        ("flag-chase(steps=2,3, reverse=true, overshoot=loses)", (4, 10), "back"),
        ("flag-chase(steps=2,3, reverse=true, skip=true)", (4, 10), "skip"),
        ("line-runner", (4, 7), "3"),
        ("line-runner(tokens=2)", (4, 5, 7, 7), "2:3"),
        ("line-runner(tokens=2, overshoot=refused)", (4, 18, 7, 6), "2:2"),
        ("line-runner(tokens=2)", (4, 9, 0, 0), "1:3"),
        ("line-runner(tokens=2)", (20, 9, 0, 0), "2:3"),
    ],
)
def test_greedy_prefers_progress_then_longer_steps(variant: str, tokens: tuple[int, ...], move: str) -> None:
    assert bot("greedy", nl.book(variant)).choose(Position(1, tokens)) == move


# perfect


@pytest.mark.parametrize("variant", EVERY)
def test_perfect_plays_best_moves_unless_lost(variant: str) -> None:
    book = nl.book(variant)
    someone, solution = bot("perfect", book), cached_solution(book)
    held = [each for each in some(book) if book.rules.players > 2 or solution.value(each) != "loss"]
    assert [position for position in held if someone.choose(position) not in solution.best(position)] == []


@pytest.mark.parametrize("variant", EVERY)
def test_perfect_plays_the_best_move_hardest_to_answer(variant: str) -> None:
    book = nl.book(variant)
    someone, solution = bot("perfect", book), cached_solution(book)

    def mistakes(position: Position, move: str) -> Fraction:
        after = book.after(position, move)
        replies = [solution.worth(book.after(after, reply), after.turn).points for reply in book.moves(after)]
        return Fraction(sum(points < max(replies) for points in replies), len(replies) or 1)

    for position in some(book):
        if book.rules.players > 2 or solution.value(position) != "loss":
            shares = {move: mistakes(position, move) for move in solution.best(position)}
            assert shares[someone.choose(position)] == max(shares.values())


@pytest.mark.parametrize("variant", [*nl.NAMES, "flag-chase(overshoot=loses)", "line-runner(tokens=2, end=6)"])
def test_perfect_fights_in_lost_positions(variant: str) -> None:
    book = nl.book(variant)
    someone, solution = bot("perfect", book), cached_solution(book)

    def rank(position: Position, move: Any) -> tuple[Fraction, int]:
        replies = solution.evaluate_moves(book.after(position, move))
        share = Fraction(sum(reply.regret == 0 for reply in replies), len(replies)) if replies else Fraction(2)
        place = position.tokens[move.slot[position.turn]] if move.token is not None else 0
        target = move.target(place, position.turn) if move.token is not None else 0
        return share, book.distance_to_goal(position.turn, target) - book.distance_to_goal(position.turn, place)

    for position in some(book):
        if solution.value(position) == "loss" and book.moves(position)[0] != "pass":
            ranks = {move: rank(position, move) for move in book.moves(position)}
            assert ranks[someone.choose(position)] == min(ranks.values())  # type: ignore[index] # a Move is a str


def test_perfect_runs_on_in_a_lost_race() -> None:
    book = nl.book("line-runner")
    position, someone = Position(turn=2, tokens=(12, 4)), bot("perfect", book)
    assert cached_solution(book).value(position) == "loss"
    assert {someone.choose(position) for _ in range(20)} == {"3"}


def test_perfect_sets_a_trap_when_losing() -> None:
    # Both moves lose in two plies. After a 1 the opponent's only move is the 2 that wins; after a 2 the opponent can
    # win with 3 or go wrong with 1.
    book = nl.book("reach-the-edge")
    someone = bot("perfect", book)
    position = Position(turn=1, tokens=(14,), last=3)
    assert cached_solution(book).best(position) == ("1", "2")
    assert {someone.choose(position) for _ in range(20)} == {"2"}


def test_perfect_sets_a_trap_in_an_endless_game() -> None:
    book = nl.book("reach-the-edge(repeat=free, overshoot=counts)")
    someone, solution = bot("perfect", book), cached_solution(book)
    position = Position(turn=1, tokens=(4,))
    assert solution.value(position) == "endless"
    assert solution.best(position) == ("1", "2", "3")
    assert {someone.choose(position) for _ in range(20)} == {"3"}


def test_perfect_varies_equally_good_moves() -> None:
    book = nl.book("flag-chase")
    someone = bot("perfect", book)
    assert {someone.choose(book.start()) for _ in range(50)} == {"2", "3"}


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("name", nl.NAMES)
def test_perfect_wins_won_starts_in_time(name: str, first: int) -> None:
    book = nl.book(name)
    worth = cached_solution(book).worth(book.start(first))
    assert worth.plies
    rng = dice(f"{name} {first}")
    for against in ["random"] * 30 + ["level:9"] * 10 + ["greedy", "mcts:10"]:
        seats = [make_bot("perfect" if seat == worth.winner else against, book, rng) for seat in (1, 2)]
        winner, moves = play(book, *seats, start=book.start(first))
        assert winner == worth.winner
        assert len(moves) <= worth.plies


def test_two_perfect_bots_need_at_most_the_solved_distance() -> None:
    for name in nl.NAMES:
        book = nl.book(name)
        someone = bot("perfect", book)
        winner, moves = play(book, someone, someone)
        worth = cached_solution(book).worth(book.start())
        assert worth.plies
        assert winner == worth.winner
        assert len(moves) <= worth.plies  # the loser keeps fighting, which may take less time


@pytest.mark.parametrize("variant", ["number-reach(players=3)", "line-runner(players=3, end=6)"])
def test_perfect_wins_forced_wins_with_three_players(variant: str) -> None:
    book = nl.book(variant)
    solution = cached_solution(book)
    someone, others = bot("perfect", book), bot("random", book)
    won = [position for position in live(book) if solution.value(position) == "win"]
    assert len(won) > 20
    for position in won:
        seats = [someone if player == position.turn else others for player in (1, 2, 3)]
        assert play(book, *seats, start=position)[0] == position.turn


# slip:P and sight:D


@pytest.mark.parametrize("variant", [*nl.NAMES, *MANY_PLAYERS])
def test_slip_shares_slips_among_all_moves(variant: str) -> None:
    book = nl.book(variant)
    someone, solution, slips = bot("slip:25", book), cached_solution(book), Fraction(1, 4)
    for position, moves in live(book).items():
        best = solution.best(position)
        share = {move: slips / len(moves) for move in moves}
        assert someone.probabilities(position) == {
            move: share[move] + ((1 - slips) / len(best) if move in best else 0) for move in moves
        }


def test_slip_0_plays_best_moves_and_slip_100_any_move() -> None:
    book = nl.book("flag-chase")
    assert bot("slip:0", book).probabilities(book.start()) == {"2": Fraction(1, 2), "3": Fraction(1, 2)}
    assert bot("slip:100", book).probabilities(book.start()) == bot("random", book).probabilities(book.start())


def test_slip_takes_fractions() -> None:
    book = nl.book("flag-chase")
    odds = bot("slip:12.5", book).probabilities(book.start())
    assert odds
    assert odds["1"] == Fraction(1, 8) / 3


def searched(book: Book, position: nl.Position, turns: int) -> tuple[int, int]:
    """Return the points (1, 0, -1) that a plain search of this depth finds, and the turns, negative for a win."""
    winner = book.winner(position)
    if winner or not turns:
        return (0, 0) if not winner else (1, 0) if winner == position.turn else (-1, 0)
    return max(before(searched(book, after, turns - 1)) for _, after in book.successors(position))


def before(found: tuple[int, int]) -> tuple[int, int]:
    """Return the same for the player who moved there."""
    points, turns = -found[0], abs(found[1]) + 1
    return points, -points * turns


@pytest.mark.parametrize("turns", [1, 2, 3, 5])
@pytest.mark.parametrize("name", [*nl.NAMES, "reach-the-edge(reverse=true)", "flag-chase(skip=true)"])
def test_sight_plays_like_a_search_of_that_depth(name: str, turns: int) -> None:
    book = nl.book(name)
    someone = bot(f"sight:{turns}", book)
    for position in some(book):
        found = {move: before(searched(book, after, turns - 1)) for move, after in book.successors(position)}
        best = {move for move, worth in found.items() if worth == max(found.values())}
        assert someone.probabilities(position) == dict.fromkeys(best, Fraction(1, len(best))), position


def test_far_sight_plays_best_moves_only() -> None:
    for name in nl.NAMES:
        book = nl.book(name)
        solution, someone = cached_solution(book), bot("sight:100", book)
        assert all(
            set(someone.probabilities(position) or ()) == set(solution.best(position)) for position in live(book)
        )


# probabilities


@pytest.mark.parametrize("variant", EVERY)
@pytest.mark.parametrize("text", ["random", "greedy", "level:3", "perfect", "slip:25", "sight:3"])
def test_probabilities_of_legal_moves_add_up_to_one(text: str, variant: str) -> None:
    book = nl.book(variant)
    someone = bot(text, book)
    for position in some(book):
        odds = someone.probabilities(position)
        assert odds
        assert sum(odds.values()) == 1
        assert set(odds) <= set(live(book)[position])


@pytest.mark.parametrize("name", nl.NAMES)
def test_level_10_plays_like_perfect(name: str) -> None:
    book = nl.book(name)
    for position in live(book):
        assert bot("level:10", book, 3).choose(position) == bot("perfect", book, 3).choose(position)


# Solutions


def test_bots_of_one_book_share_its_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Book] = []

    def solve(book: Book, **options: Any) -> nl.Solution:
        asked.append(book)
        return nl.solve(book, **options)

    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    monkeypatch.setattr(solution_cache, "solve", solve)
    for text in ("perfect", "level:3", "perfect"):
        book = nl.book("flag-chase(end=12)")
        bot(text, book).choose(book.start())
    assert asked == [nl.book("flag-chase(end=12)")]


def test_book_is_not_solved_before_the_first_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    monkeypatch.setattr(solution_cache, "solve", lambda *_, **__: pytest.fail("too early"))
    assert bot("perfect", nl.book("flag-chase(end=14)")).name == "perfect"


def test_given_solution_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("flag-chase(end=16)")
    solution = nl.solve(book)
    monkeypatch.setattr(solution_cache, "_SOLUTIONS", {})
    monkeypatch.setattr(solution_cache, "solve", lambda *_, **__: pytest.fail("needless"))
    assert make_bot("perfect", book, dice(), solution=solution).choose(book.start()) in book.moves(book.start())


def test_solution_of_another_book_is_rejected() -> None:
    solution = nl.solve(nl.book("flag-chase"))
    with pytest.raises(
        BotError, match=r"^level:2 needs the solution of flag-chase\(end=12\), but was given that of flag-chase$"
    ):
        make_bot("level:2", nl.book("flag-chase(end=12)"), dice(), solution=solution)


@pytest.mark.parametrize("text", ["perfect", "slip:25"])
def test_too_large_variant_is_rejected_and_mcts_recommended(text: str) -> None:
    with pytest.raises(BotError, match=rf"^{text} can't play .*: .* too many positions to solve; use mcts instead$"):
        bot(text, nl.book("line-runner(tokens=3, end=50)"))


# mcts


@pytest.mark.parametrize("name", nl.NAMES)
def test_mcts_beats_random_clearly(name: str) -> None:
    assert score("mcts:100", "random", nl.book(name), games=12) > 0.7


def test_mcts_keeps_nearly_every_win() -> None:
    book = nl.book("flag-chase")
    someone, solution = bot("mcts", book), cached_solution(book)
    won = [position for position in live(book) if solution.value(position) == "win"]
    after = [book.after(position, someone.choose(position)) for position in won]
    assert [solution.value(position) for position in after].count("win") <= 1


@pytest.mark.parametrize("variant", ["number-reach(players=3)", "number-line-sprint(players=3, end=7)"])
def test_mcts_wins_more_than_a_third_of_three_player_games(variant: str) -> None:
    book = nl.book(variant)
    someone, others = bot("mcts:100", book), bot("random", book)
    wins = 0
    for game in range(30):
        seat = game % 3
        seats = [someone if place == seat else others for place in range(3)]
        wins += play(book, *seats)[0] == seat + 1
    assert wins > 15


def test_mcts_beats_random_in_a_game_too_large_to_solve() -> None:
    book = nl.book("line-runner(tokens=3, end=50)")
    someone, other = bot("mcts:15", book), bot("random", book)
    late = Position(turn=1, tokens=(47, 46, 45, 45, 46, 47))
    wins = sum(play(book, someone, other, start=late)[0] == 1 for _ in range(3))
    wins += sum(play(book, other, someone, start=late)[0] == 2 for _ in range(3))
    assert wins >= 5


def test_mcts_has_a_move_budget_by_default() -> None:
    book = nl.book("line-runner(tokens=3, end=50)")
    someone, generated = MctsBot("mcts", book, dice()), list[int]()
    play_out = someone._play_out

    def counted(position: Position, rng: random.Random) -> tuple[int, int]:
        winner, moves = play_out(position, rng)
        generated.append(moves)
        return winner, moves

    someone._play_out = counted  # type: ignore[method-assign]
    someone.choose(book.start())
    assert sum(generated[:-1]) < DEFAULT_MOVE_BUDGET <= sum(generated)


def test_playout_that_is_too_long_has_no_winner() -> None:
    book = nl.book("line-runner(end=5000)")
    someone = MctsBot("mcts", book, dice())
    assert someone._play_out(book.start(), dice())[0] == 0
    assert someone._play_out(Position(turn=1, tokens=(4999, 0)), dice())[0] == 1
