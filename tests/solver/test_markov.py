"""The chain is exact: it equals elimination in fractions, keeps its laws, and the arena's games agree with it."""

from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.bots.bot import BotError
from numberline.lab.measure import measure_many
from numberline.lab.measurer import Measurer
from numberline.lab.skills import (
    CURVE_SKILLS,
    fill_bot_probabilities,
    fill_skill_probabilities,
    parse_players,
    parse_skill,
    skill_of,
)
from numberline.solver.cache import cached_solution
from numberline.solver.markov import PlayGraph
from numberline.solver.solution import Solution, solve
from support.exact_outcomes import Played
from support.mixtures import book_of, mixtures
from support.tournaments import quick_games

SKILLS = ("slip:25", "slip:5", "sight:1", "sight:3", "level:4", "random")
WAYS = (False, True) if find_spec("numba") else (False,)
"""Whether the loops are compiled."""
WAITING = "number-reach(target=7, skip=true)"
drawn = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=40)


def chances(field: PlayGraph, solution: Solution, one: str, two: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How likely each move is between two skills."""
    gauge = Measurer(
        field, [solution.book.variant], solution.table.moves, parse_players((one, two), solution.book, solution)
    )
    gauge.solution = solution
    return gauge.move_probabilities(*gauge.players)


def won(field: PlayGraph, solution: Solution, one: str, two: str) -> list[float]:
    """How likely player 1 wins, then player 2: if player 1 begins, then if player 2 does."""
    rates = field.win_rates(chances(field, solution, one, two))
    return [float(column[start]) for column in rates[:2] for start in field.starts[0]]


def exactly(solution: Solution, one: str, two: str) -> list[float]:
    """The same, by elimination in fractions."""
    played = Played(solution, *parse_players((one, two), solution.book, solution))
    return [float(chance) for player in (1, 2) for chance in played.wins(player)]


def for_two(largest: int) -> st.SearchStrategy[str]:
    """Small variants for two players, as text for `load_book`."""
    return mixtures(largest).filter(lambda text: book_of(text).rules.players == 2)


@pytest.mark.parametrize("compiled", WAYS)
@pytest.mark.parametrize("name", nl.NAMES)
@pytest.mark.parametrize("players", [("slip:25", "slip:25"), ("sight:3", "slip:10")])
def test_who_wins_is_what_elimination_in_fractions_finds(
    name: str, players: tuple[str, str], *, compiled: bool
) -> None:
    solution = cached_solution(nl.book(name))
    field = PlayGraph.from_solution(solution, compiled=compiled)
    assert won(field, solution, *players) == pytest.approx(exactly(solution, *players), abs=1e-9)


@drawn
@given(text=for_two(80), one=st.sampled_from(SKILLS), two=st.sampled_from(SKILLS))
def test_who_wins_any_small_variant_is_what_elimination_finds(text: str, one: str, two: str) -> None:
    solution = solve(book_of(text))
    expected = exactly(solution, one, two)
    for compiled in WAYS:
        assert won(PlayGraph.from_solution(solution, compiled=compiled), solution, one, two) == pytest.approx(
            expected, abs=1e-9
        )


@drawn
@given(text=for_two(80), skill=st.sampled_from((*SKILLS, *CURVE_SKILLS, "slip:12.5", "level:9")))
def test_the_chances_of_a_skill_are_the_odds_of_its_bot(text: str, skill: str) -> None:
    solution = solve(book_of(text))
    bot = parse_skill(skill, solution.book, solution)
    plain = skill_of(bot)
    assert plain
    for compiled in WAYS:
        field = PlayGraph.from_solution(solution, compiled=compiled)
        told, asked = np.zeros(len(field.indices)), np.zeros(len(field.indices))
        fill_skill_probabilities(field, plain, told)
        for player in (1, 2):
            fill_bot_probabilities(field, bot, solution, asked, player)
        assert told == pytest.approx(asked, abs=1e-12)


@drawn
@given(text=for_two(120), skill=st.sampled_from(("slip:100", "slip:25", "sight:2", "slip:0")))
def test_what_is_left_of_the_two_chances_is_the_chance_that_play_never_ends(text: str, skill: str) -> None:
    solution = solve(book_of(text))
    ends = [one + two for one, two in zip(*(exact_wins(solution, skill, player) for player in (1, 2)), strict=True)]
    for compiled in WAYS:
        field = PlayGraph.from_solution(solution, compiled=compiled)
        rates = field.win_rates(chances(field, solution, skill, skill))
        assert rates.undetermined[field.starts[0]] == pytest.approx([0, 0], abs=1e-9)
        assert (rates.one + rates.two)[field.starts[0]] == pytest.approx([float(share) for share in ends], abs=1e-9)


@pytest.mark.parametrize("sweeps", [1, 3, 10])
@pytest.mark.parametrize("name", ["reach-the-edge", "number-line-sprint"])
def test_bounds_that_have_not_met_bracket_the_chance(monkeypatch: pytest.MonkeyPatch, name: str, sweeps: int) -> None:
    monkeypatch.setattr("numberline.solver.markov.MAX_SWEEPS", sweeps)
    monkeypatch.setattr("numberline.solver.markov.MAX_DENSE_ROWS", 0)
    solution = cached_solution(nl.book(name))
    expected = exactly(solution, "slip:50", "slip:50")
    for compiled in WAYS:
        field = PlayGraph.from_solution(solution, compiled=compiled)
        rates = field.win_rates(chances(field, solution, "slip:50", "slip:50"))
        low = [float(column[start]) for column in rates[:2] for start in field.starts[0]]
        gap = [float(rates.undetermined[start]) for start in field.starts[0]] * 2
        assert max(gap) > 1e-6
        assert all(least <= exact <= least + more for least, exact, more in zip(low, expected, gap, strict=True))


@pytest.mark.skipif(not find_spec("numba"), reason="a large core is solved at once only by compiled loops")
@pytest.mark.parametrize("largest", [0, 300])
def test_a_core_that_is_solved_as_equations_near_the_diagonal_equals_one_that_is_swept(
    monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    solution = cached_solution(nl.book("reach-the-edge(end=60)"))
    players = parse_players("slip:50", solution.book, solution)
    found = []
    for threads, sweeps in ((1 << 30, 200_000), (largest, 1)):
        monkeypatch.setattr("numberline.solver.markov.MIN_LAPACK_ROWS", threads)
        monkeypatch.setattr("numberline.solver.markov.MAX_SWEEPS_IF_SOLVABLE", sweeps)
        monkeypatch.setattr("numberline.solver.markov.MAX_SWEEPS", sweeps)
        field = PlayGraph.from_solution(solution, compiled=True)
        [measured] = Measurer(field, [solution.book.variant], solution.table.moves, players).measure(curve=False)
        found.append(flat(measured.data()))
    assert found[0] == pytest.approx(found[1], rel=1e-7)


def exact_wins(solution: Solution, skill: str, player: int) -> list[Fraction]:
    """How likely a player wins between two of a skill, whoever begins."""
    bot = parse_skill(skill, solution.book, solution)
    return Played(solution, bot, bot).wins(player)


@pytest.mark.parametrize("name", nl.NAMES)
def test_who_always_slips_plays_at_random(name: str) -> None:
    solution = cached_solution(nl.book(name))
    field = PlayGraph.from_solution(solution)
    assert won(field, solution, "slip:100", "slip:100") == won(field, solution, "random", "random")


@drawn
@given(text=for_two(300))
def test_who_never_slips_plays_out_the_solution(text: str) -> None:
    solution = solve(book_of(text))
    field = PlayGraph.from_solution(solution)
    found = won(field, solution, "slip:0", "slip:0")
    for begins, start in enumerate(solution.book.starts()):
        winner = solution.worth(start).winner
        expected = [float(winner == player) for player in (1, 2)] if winner else [0.0, 0.0]
        assert [found[begins], found[begins + 2]] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("compiled", WAYS)
def test_play_that_never_ends_is_told_and_not_waited_for(*, compiled: bool) -> None:
    solution = cached_solution(nl.book(WAITING))
    field = PlayGraph.from_solution(solution, compiled=compiled)
    assert won(field, solution, "slip:0", "slip:0") == [0.0, 0.0, 0.0, 0.0]
    bots = parse_players("slip:0", solution.book, solution)
    [measured] = Measurer(field, [WAITING], solution.table.moves, bots).measure(curve=False)
    assert (measured.endless, measured.length, measured.length_high, measured.open) == (1.0, None, None, None)


@pytest.mark.parametrize("name", nl.NAMES)
def test_every_metric_is_what_elimination_in_fractions_finds(name: str) -> None:
    solution = cached_solution(nl.book(name))
    check_metrics(solution)


@drawn
@given(text=for_two(60))
def test_every_metric_of_any_small_variant_is_what_elimination_finds(text: str) -> None:
    solution = solve(book_of(text))
    assume(exact_wins(solution, "slip:25", 1)[0] + exact_wins(solution, "slip:25", 2)[0] == 1)
    check_metrics(solution)


def check_metrics(solution: Solution) -> None:
    """Asserts that what is measured is what the formulas give in exact fractions."""
    bots = parse_players(None, solution.book, solution)
    figures = Played(solution, *bots).figures()
    for compiled in WAYS:
        gauge = Measurer(
            PlayGraph.from_solution(solution, compiled=compiled), [solution.book.variant], solution.table.moves, bots
        )
        [measured] = gauge.measure(curve=False)
        found = {name: getattr(measured, name) for name in figures}
        assert found == pytest.approx({name: float(value) for name, value in figures.items()}, abs=1e-8)


@pytest.mark.parametrize("name", nl.NAMES)
def test_the_lengths_of_games_have_the_mean_that_the_chain_gives(name: str) -> None:
    solution = cached_solution(nl.book(name))
    field = PlayGraph.from_solution(solution)
    chance = chances(field, solution, "slip:25", "slip:25")
    lengths = np.array(field.lengths(chance, 1 - 1e-13))
    assert lengths.sum() == pytest.approx(1)
    mean = float(field.statistics(chance).turns[0])
    assert lengths @ np.arange(len(lengths)) == pytest.approx(mean)


@pytest.mark.parametrize("name", nl.NAMES)
def test_an_arena_of_many_games_agrees_with_the_chain(name: str) -> None:
    solution = cached_solution(nl.book(name))
    field = PlayGraph.from_solution(solution)
    games = quick_games("slip:25", "slip:12.5", name, 20_000)
    for swapped, players in enumerate((("slip:25", "slip:12.5"), ("slip:12.5", "slip:25"))):
        expected = won(field, solution, *players)[0]
        wins = [result.winner == 1 for result in games if result.game % 2 == swapped]
        sigma = (expected * (1 - expected) / len(wins)) ** 0.5
        assert abs(sum(wins) / len(wins) - expected) < 4 * sigma


def test_a_batch_equals_single_measures() -> None:
    texts = [f"reach-the-edge(end={end}, start={start})" for end in (6, 9, 12) for start in (1, 3, 5)]
    texts += [f"flag-chase(end={end})" for end in (6, 8, 11)]
    texts += ["number-line-sprint(end=7, start=3)", "number-line-sprint(end=9, start=4)", WAITING]
    books = [nl.book(text) for text in texts]
    for book, together in zip(books, measure_many(books), strict=True):
        [alone] = Measurer.from_solution(cached_solution(book), parse_players(None, book)).measure()
        assert together.variant == book.variant
        assert flat(together.data()) == pytest.approx(flat(alone.data()), abs=1e-8)


@pytest.mark.soak
@settings(drawn, max_examples=40)
@given(texts=st.lists(for_two(100), min_size=6, max_size=8, unique=True))
def test_a_batch_of_any_variants_equals_single_measures(texts: list[str]) -> None:
    books = [book_of(text) for text in texts]
    for book, together in zip(books, measure_many(books), strict=True):
        [alone] = Measurer.from_solution(solve(book), parse_players(None, book)).measure()
        assert flat(together.data()) == pytest.approx(flat(alone.data()), abs=1e-8, rel=1e-8)


def flat(data: dict[str, object]) -> dict[str, float]:
    """What was measured in one level, as `approx` compares it."""
    curve = data.pop("curve")
    assert isinstance(curve, list)
    points = {f"{point['skill']} {name}": value for point in curve for name, value in point.items()}
    whole = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return {name: value for name, value in (whole | points).items() if isinstance(value, float | int)} | {
        f"no {name}": 1 for name, value in whole.items() if value is None
    }


@pytest.mark.parametrize("text", ["mcts", "mcts:50", "exec:true"])
def test_a_bot_without_exact_odds_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BotError, match=r"does not say how likely its moves are; expected slip:25"):
        parse_skill(text, nl.book("flag-chase"))


def test_three_skills_are_too_many_for_two_players() -> None:
    with pytest.raises(BotError, match="3 skills were given; expected one for each of two players"):
        parse_players("slip:5,slip:5,slip:5", nl.book("flag-chase"))


@pytest.mark.parametrize("text", ["perfect", "greedy"])
def test_any_bot_with_exact_odds_can_be_measured(text: str) -> None:
    solution = cached_solution(nl.book("flag-chase"))
    field = PlayGraph.from_solution(solution)
    assert won(field, solution, text, "random") == pytest.approx(exactly(solution, text, "random"))
