"""Markov chains: exact as elimination in fractions, consistent, and confirmed by the games of the arena."""

from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.bots.bot import BotError
from numberline.lab.measure import CURVE_SKILLS, Measurer, measure_many, parse_players, parse_skill, skill_of
from numberline.solver.cache import cached_solution
from numberline.solver.markov import WinRates
from numberline.solver.solution import Solution, solve
from support.exact_outcomes import Played
from support.mixtures import book_of, mixtures
from support.tournaments import play_games_in_batch

SKILLS = ("slip:25", "slip:5", "sight:1", "sight:3", "slip:40", "random")
COMPILED = (False, True) if find_spec("numba") else (False,)
WAITING = "number-reach(target=7, skip=true)"
drawn = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=40)


def measurer(solution: Solution, one: str, two: str, *, compiled: bool | None = None) -> Measurer:
    return Measurer(solution, parse_players((one, two), solution.book, solution), compiled=compiled)


def win_rates(solution: Solution, one: str, two: str, *, compiled: bool | None = None) -> list[float]:
    """The win rate of player 1, then of player 2: each if player 1 starts, then if player 2 does."""
    rates = rates_of(measurer(solution, one, two, compiled=compiled))
    return [float(share) for column in rates[:2] for share in column[0, :, 0]]


def rates_of(measuring: Measurer) -> WinRates:
    """The win rates of the players, computed from their move probabilities and, if they have skills, from those."""
    rates, _, _ = measuring.graph.statistics(measuring.move_probabilities(*measuring.players))
    one, two = (skill_of(bot) for bot in measuring.players)
    if one and two:
        chain = one.turns, float(one.slip_rate), two.turns, float(two.slip_rate)
        by_skill = measuring.graph.win_rates([chain, (1, 0.5, 2, 0.5)])
        for column, expected in zip(by_skill, rates, strict=True):
            assert column[..., :1] == pytest.approx(expected, abs=2e-9)
    return rates


def exact_win_rates(solution: Solution, one: str, two: str) -> list[float]:
    """The same, by elimination in fractions."""
    played = Played(solution, *parse_players((one, two), solution.book, solution))
    return [float(share) for player in (1, 2) for share in played.wins(player)]


def exact_wins(solution: Solution, skill: str, player: int) -> list[Fraction]:
    """The win rate of a player between two of a skill, if player 1 starts and if player 2 does."""
    bot = parse_skill(skill, solution.book, solution)
    return Played(solution, bot, bot).wins(player)


def for_two(largest: int) -> st.SearchStrategy[str]:
    """Small variants for two players, as text for `nl.book`."""
    return mixtures(largest).filter(lambda text: book_of(text).rules.players == 2)


# Win rates


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("name", nl.NAMES)
@pytest.mark.parametrize("players", [("slip:25", "slip:25"), ("sight:3", "slip:10")])
def test_win_rates_equal_elimination_in_fractions(name: str, players: tuple[str, str], *, compiled: bool) -> None:
    solution = cached_solution(nl.book(name))
    found = win_rates(solution, *players, compiled=compiled)
    assert found == pytest.approx(exact_win_rates(solution, *players), abs=1e-9)


@drawn
@given(text=for_two(80), one=st.sampled_from(SKILLS), two=st.sampled_from(SKILLS))
def test_win_rates_of_any_small_variant_equal_elimination(text: str, one: str, two: str) -> None:
    solution = solve(book_of(text))
    expected = exact_win_rates(solution, one, two)
    for compiled in COMPILED:
        assert win_rates(solution, one, two, compiled=compiled) == pytest.approx(expected, abs=1e-9)


@drawn
@given(text=for_two(120), skill=st.sampled_from(("slip:100", "slip:25", "sight:2", "slip:0")))
def test_win_rates_sum_to_the_probability_of_an_end(text: str, skill: str) -> None:
    solution = solve(book_of(text))
    ends = [one + two for one, two in zip(*(exact_wins(solution, skill, player) for player in (1, 2)), strict=True)]
    for compiled in COMPILED:
        measuring = measurer(solution, skill, skill, compiled=compiled)
        rates = rates_of(measuring)
        assert rates.undetermined[0, :, 0] == pytest.approx([0, 0], abs=1e-9)
        assert (rates.one + rates.two)[0, :, 0] == pytest.approx([float(share) for share in ends], abs=1e-9)


@pytest.mark.parametrize("sweeps", [1, 3, 10])
@pytest.mark.parametrize("name", ["reach-the-edge", "number-line-sprint"])
def test_bounds_that_have_not_met_enclose_the_win_rate(monkeypatch: pytest.MonkeyPatch, name: str, sweeps: int) -> None:
    monkeypatch.setattr("numberline.solver.markov.MAX_SWEEPS", sweeps)
    monkeypatch.setattr("numberline.solver.markov.MAX_ELIMINATION_STEPS", 0)
    solution = cached_solution(nl.book(name))
    expected = exact_win_rates(solution, "slip:50", "slip:50")
    for compiled in COMPILED:
        measuring = measurer(solution, "slip:50", "slip:50", compiled=compiled)
        rates, _, _ = measuring.graph.statistics(measuring.move_probabilities(*measuring.players))
        low = [float(share) for column in rates[:2] for share in column[0, :, 0]]
        gap = rates.undetermined[0, :, 0].tolist() * 2
        assert max(gap) > 1e-6
        assert all(least <= exact <= least + more for least, exact, more in zip(low, expected, gap, strict=True))


@pytest.mark.skipif(not find_spec("numba"), reason="takes many sweeps")
@pytest.mark.parametrize("largest", [0, 1_000])
def test_elimination_in_any_order_equals_sweeps(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    solution = cached_solution(nl.book("reach-the-edge(end=60)"))
    found = []
    monkeypatch.setattr("numberline.solver.markov.MAX_DENSE_ROWS", largest)
    for steps, sweeps in ((0, 200_000), (1 << 30, 1)):
        monkeypatch.setattr("numberline.solver.markov.MAX_ELIMINATION_STEPS", steps)
        monkeypatch.setattr("numberline.solver.markov.MAX_SWEEPS", sweeps)
        [measured] = measurer(solution, "slip:50", "slip:50", compiled=True).measure(curve=False)
        found.append(flat(measured.data()))
    assert found[0] == pytest.approx(found[1], rel=1e-7)


@drawn
@given(text=for_two(150))
def test_sweeps_equal_elimination_in_any_variant(text: str) -> None:
    solution = solve(book_of(text))
    found = []
    for sweeps, steps in ((3_000, 0), (1, 1 << 60)):  # sweeps only, elimination only
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("numberline.solver.markov.MAX_ELIMINATION_STEPS", steps)
            patch.setattr("numberline.solver.markov.MAX_SWEEPS", sweeps)
            measuring = measurer(solution, "slip:25", "slip:25", compiled=COMPILED[-1])
            chains = [(sight, slip, sight, slip) for sight, slip in ((1, 0.0), (3, 0.0), (8, 0.0), (2, 0.5), (0, 0.0))]
            found.append(np.stack(measuring.graph.win_rates(chains)))
    (one, two, rest), eliminated = found[0], found[1]
    assert eliminated[2] == pytest.approx(0, abs=2e-9)
    assert np.all((one <= eliminated[0] + 1e-9) & (eliminated[0] <= one + rest + 1e-9))
    assert np.all((two <= eliminated[1] + 1e-9) & (eliminated[1] <= two + rest + 1e-9))


@pytest.mark.parametrize("name", nl.NAMES)
def test_slip_100_plays_at_random(name: str) -> None:
    solution = cached_solution(nl.book(name))
    assert win_rates(solution, "slip:100", "slip:100") == win_rates(solution, "random", "random")


@drawn
@given(text=for_two(300))
def test_slip_0_plays_out_the_solution(text: str) -> None:
    solution = solve(book_of(text))
    found = win_rates(solution, "slip:0", "slip:0")
    for index, start in enumerate(solution.book.starts()):
        winner = solution.worth(start).winner
        expected = [float(winner == player) for player in (1, 2)] if winner else [0.0, 0.0]
        assert [found[index], found[index + 2]] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("compiled", COMPILED)
def test_endless_play_is_reported(*, compiled: bool) -> None:
    solution = cached_solution(nl.book(WAITING))
    assert win_rates(solution, "slip:0", "slip:0", compiled=compiled) == [0.0, 0.0, 0.0, 0.0]
    [measured] = measurer(solution, "slip:0", "slip:0", compiled=compiled).measure(curve=False)
    assert (measured.endless, measured.length, measured.length_high, measured.open) == (1.0, None, None, None)


@pytest.mark.parametrize("name", nl.NAMES)
def test_win_rates_agree_with_many_arena_games(name: str) -> None:
    solution = cached_solution(nl.book(name))
    games = play_games_in_batch("slip:25", "slip:12.5", name, 20_000)
    for swapped, players in enumerate((("slip:25", "slip:12.5"), ("slip:12.5", "slip:25"))):
        expected = win_rates(solution, *players)[0]
        wins = [result.winner == 1 for result in games if result.game % 2 == swapped]
        sigma = (expected * (1 - expected) / len(wins)) ** 0.5
        assert abs(sum(wins) / len(wins) - expected) < 4 * sigma


# Policies


@drawn
@given(text=for_two(80), skill=st.sampled_from((*SKILLS, *CURVE_SKILLS, "slip:12.5")))
def test_skill_policy_equals_the_policy_of_its_bot(text: str, skill: str) -> None:
    solution = solve(book_of(text))
    bot = parse_skill(skill, solution.book, solution)
    assert skill_of(bot)
    for compiled in COMPILED:
        measuring = Measurer(solution, (bot, bot), compiled=compiled)
        graph, moves = measuring.graph, solution.table.moves
        probabilities = measuring.move_probabilities(bot, bot)
        for row in np.flatnonzero(np.diff(graph.indptr)):
            edges = slice(graph.indptr[row], graph.indptr[row + 1])
            policy = bot.probabilities(solution.position_index.position(int(graph.rows[row]))) or {}
            expected = [float(policy.get(str(moves[move]), 0)) for move in graph.edge_moves[edges]]
            assert probabilities[edges] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["mcts", "mcts:50", "exec:true"])
def test_bot_without_known_policy_is_rejected(text: str) -> None:
    with pytest.raises(BotError, match=rf"^'{text}' has no known move probabilities; expected e\.g\. slip:25"):
        parse_skill(text, nl.book("flag-chase"))


def test_three_skills_are_rejected() -> None:
    with pytest.raises(BotError, match="3 skills given; expected one for both players, or one for each"):
        parse_players("slip:5,slip:5,slip:5", nl.book("flag-chase"))


@pytest.mark.parametrize("text", ["perfect", "greedy"])
def test_any_bot_with_a_known_policy_is_measured(text: str) -> None:
    solution = cached_solution(nl.book("flag-chase"))
    assert win_rates(solution, text, "random") == pytest.approx(exact_win_rates(solution, text, "random"))


# Metrics


@pytest.mark.parametrize("name", nl.NAMES)
def test_metrics_equal_elimination_in_fractions(name: str) -> None:
    check_metrics(cached_solution(nl.book(name)))


@drawn
@given(text=for_two(60))
def test_metrics_of_any_small_variant_equal_elimination(text: str) -> None:
    solution = solve(book_of(text))
    assume(exact_wins(solution, "slip:25", 1)[0] + exact_wins(solution, "slip:25", 2)[0] == 1)
    check_metrics(solution)


def check_metrics(solution: Solution) -> None:
    """Assert that the metrics are what their formulas give in exact fractions."""
    figures = Played(solution, *parse_players(None, solution.book, solution)).figures()
    for compiled in COMPILED:
        [measured] = measurer(solution, "slip:25", "slip:25", compiled=compiled).measure(curve=False)
        found = {name: getattr(measured, name) for name in figures}
        assert found == pytest.approx({name: float(value) for name, value in figures.items()}, abs=1e-8)


@pytest.mark.parametrize("compiled", COMPILED)
def test_games_of_many_turns_lose_no_accuracy(*, compiled: bool) -> None:
    solution = solve(nl.book('number-reach(operations="+1 -1 -4 /2", target=34)'))
    figures = Played(solution, *parse_players(None, solution.book, solution)).figures()
    [measured] = measurer(solution, "slip:25", "slip:25", compiled=compiled).measure()
    found = {name: getattr(measured, name) for name in figures}
    assert figures["length"] > 10**16
    assert found == pytest.approx({name: float(value) for name, value in figures.items()}, rel=1e-12)
    assert measured.endless == 0
    assert measured.skill == pytest.approx(0.687, abs=5e-4)


@pytest.mark.parametrize("compiled", COMPILED)
def test_figures_about_rare_decisions_are_accurate(*, compiled: bool) -> None:
    solution = solve(nl.book("flag-chase(end=19, flag=2, reverse=true)"))
    figures = Played(solution, *parse_players(None, solution.book, solution)).figures()
    [measured] = measurer(solution, "slip:25", "slip:25", compiled=compiled).measure(curve=False)
    assert 0 < figures["decisions"] < 1e-6
    for name in ("decisions", "good_moves", "hidden"):
        assert getattr(measured, name) == pytest.approx(float(figures[name]), rel=1e-9)


@pytest.mark.parametrize("name", nl.NAMES)
def test_lengths_have_the_expected_mean(name: str) -> None:
    measuring = measurer(cached_solution(nl.book(name)), "slip:25", "slip:25")
    probabilities = measuring.move_probabilities(*measuring.players)
    _, statistics, chances = measuring.graph.statistics(probabilities)
    mean = statistics.turns[:, 0]
    lengths = measuring.graph.trace_games(probabilities, chances, mean).lengths
    assert lengths.sum() == pytest.approx(1)
    assert lengths @ np.arange(len(lengths)) == pytest.approx(float(mean[0]))


def test_batch_equals_single_measurements() -> None:
    texts = [f"reach-the-edge(end={end}, start={start})" for end in (6, 9, 12) for start in (1, 3, 5)]
    texts += [f"flag-chase(end={end})" for end in (6, 8, 11)]
    texts += ["number-line-sprint(end=7, start=3)", "number-line-sprint(end=9, start=4)", WAITING]
    check_batch([nl.book(text) for text in texts])


@pytest.mark.soak
@settings(drawn, max_examples=40)
@given(texts=st.lists(for_two(100), min_size=6, max_size=8, unique=True))
def test_batch_of_any_variants_equals_single_measurements(texts: list[str]) -> None:
    check_batch([book_of(text) for text in texts])


def check_batch(books: list[nl.Book]) -> None:
    for book, together in zip(books, measure_many(books), strict=True):
        [alone] = Measurer(solve(book), parse_players(None, book)).measure()
        assert together.variant == book.variant
        assert flat(together.data()) == pytest.approx(flat(alone.data()), abs=1e-8, rel=1e-8)


def flat(data: dict[str, object]) -> dict[str, float]:
    """Measurements as one flat dict, which `approx` can compare."""
    curve = data.pop("curve")
    assert isinstance(curve, list)
    points = {f"{point['skill']} {name}": value for point in curve for name, value in point.items()}
    whole = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return {name: value for name, value in (whole | points).items() if isinstance(value, float | int)} | {
        f"no {name}": 1 for name, value in whole.items() if value is None
    }
