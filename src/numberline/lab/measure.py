"""Exact measurement of variants, without sampling games: perfect play, win rates at every skill, and all metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import make_bot
from numberline.bots.bot import Bot, BotError, PolicyBot
from numberline.bots.policy_bots import RandomBot, Skill, SkilledBot
from numberline.errors import string_options
from numberline.explain.rules_text import describe_rules
from numberline.game.book import Book
from numberline.game.loader import book as load_book
from numberline.lab.metrics import DEFAULT_PLAYERS, Measurements, SkillPoint, count_fair_skills
from numberline.solver.batch import SolvedBatch, group_into_batches, solve_batch
from numberline.solver.cache import cached_solution
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress, TooManyPositions
from numberline.solver.markov import GameStatistics, GameTraces, PlayGraph, Skills, WinRates
from numberline.solver.markov_equations import TOLERANCE
from numberline.solver.solution import Solution
from numberline.text import quote

Array = NDArray[Any]
Players = str | Sequence[str] | None

LENGTHS_COVERAGE = 0.999
MAX_PENDING_ROWS = 4_000_000  # pending batches are measured once they have more rows than this
CURVE_SKILLS = (
    *("slip:75", "slip:50", "slip:25", "slip:15", "slip:10", "slip:5"),
    *("sight:1", "sight:2", "sight:3", "sight:4", "sight:5", "sight:6", "sight:8"),
)
"""The panel skills, plus held-out skills, which don't affect the fair range or the rank of a search result."""
DEFAULT_SKILL = "slip:25"
BETTER_SKILL = "slip:12.5"
NEWCOMER_SKILL = "sight:1"
MIN_LADDER_SCORE = 0.6
LADDER_SIGHTS = 8  # number of sights compared with a level of the ladder at once
MAX_LADDER_MOVES = 5_000_000  # number of moves times number of sights


def measure(book: Book | str, players: Players = None, *, memory: int = DEFAULT_MEMORY_BYTES) -> Measurements:
    """Solve a variant and measure it.

    The metrics describe games between the given `players`, by default two players with the skill `slip:25`. Their
    skills are added to the curve. `newcomers`, `skill` and the fair range use fixed skills, regardless of `players`.

    >>> import numberline as nl
    >>> measured = measure("flag-chase")
    >>> measured.winner, measured.plies, round(measured.first, 3), round(measured.length, 1)
    (1, 3, 0.855, 3.3)
    """
    return measure_solution(cached_solution(load_book(book), memory=memory), players)


def measure_solution(
    solution: Solution, players: Players = None, *, progress: Progress = lambda _: None
) -> Measurements:
    """Measure a variant that has already been solved."""
    if solution.book.rules.players > 2:
        return measure_perfect_play(SolvedBatch.from_solution(solution))[0]
    bots = parse_players(players, solution.book, solution)
    return Measurer(solution, bots).measure(progress, lengths=True, slow=True)[0]


def measure_many(books: Sequence[Book], players: Players = None, **options: Any) -> list[Measurements]:
    """Solve and measure many variants in batches, without the distribution of game lengths.

    The options are those of `measure_in_batches`. Raise `TooManyPositions` if one of the variants is too large.
    """
    found: dict[int, Measurements] = {}
    for group, solved, measured in measure_in_batches(books, players, **options):
        if isinstance(solved, TooManyPositions):
            raise solved
        found |= zip(group, measured, strict=True)
    return [found[index] for index in range(len(books))]


def measure_in_batches(
    books: Sequence[Book],
    players: Players = None,
    *,
    curve: bool = True,
    metrics: bool = True,
    skills: Sequence[str] = (),
    slow: bool = False,
    memory: int = DEFAULT_MEMORY_BYTES,
) -> Iterator[tuple[list[int], SolvedBatch | TooManyPositions, list[Measurements]]]:
    """Solve and measure many variants; for each batch, yield the book indices, the solution or error, and the figures.

    `curve=False` omits the curve and the fair range. `metrics=False` omits the other metrics, except for `sight_needed`
    and `waiting`. If both are false, only perfect play is measured. `slow=True` includes the `SLOW_METRICS`, which are
    omitted by default because they take the longest. `skills` are added to the curve. Several batches are measured
    together.
    """
    pending: list[tuple[list[int], SolvedBatch]] = []
    groups = list(group_into_batches(books))
    for number, group in enumerate(groups, 1):
        try:
            pending.append((group, solve_batch([books[index] for index in group], memory=memory)))
        except TooManyPositions as error:
            yield group, error, []
        if number == len(groups) or sum(solved.table.size for _, solved in pending) > MAX_PENDING_ROWS:
            batches = [solved for _, solved in pending]
            measured = iter(_measure_batches(batches, players, skills, curve=curve, metrics=metrics, slow=slow))
            yield from [(each, solved, list(islice(measured, len(each)))) for each, solved in pending]
            pending = []


def _measure_batches(
    batches: Sequence[SolvedBatch], players: Players, skills: Sequence[str], *, curve: bool, metrics: bool, slow: bool
) -> list[Measurements]:
    """Measure all variants in order; two-player batches are measured together if both bots have a skill."""
    together = [solved for solved in batches if solved.table.players == 2 and (curve or metrics)]
    found = list[Measurements]()
    bots = parse_players(players, together[0].books[0]) if together else ()
    if all(map(skill_of, bots)):
        found = Measurer(together, bots, skills=skills).measure(curve=curve, metrics=metrics, slow=slow) if bots else []
    else:
        for solution in (cached_solution(book) for solved in together for book in solved.books):
            bots = parse_players(players, solution.book, solution)
            found += Measurer(solution, bots, skills=skills).measure(curve=curve, metrics=metrics, slow=slow)
    measured = iter(found)
    return [
        each
        for solved in batches
        for each in (islice(measured, len(solved.books)) if solved in together else measure_perfect_play(solved))
    ]


def measure_perfect_play(solved: SolvedBatch) -> list[Measurements]:
    """Return only the results of perfect play: the winner, the plies and the best first moves if player 1 starts."""
    results = (column[:, 0].tolist() for column in solved.results())
    moves, counts = solved.table.moves, solved.position_counts().tolist()
    players = DEFAULT_PLAYERS if solved.table.players == 2 else ()
    return [
        Measurements(
            book.variant, winner, plies if winner else None, tuple(map(str, compress(moves, best))), positions, players
        )
        for book, winner, plies, best, positions in zip(solved.books, *results, counts, strict=True)
    ]


class _WinRatesByStart(NamedTuple):
    """Win rates of players 1 and 2; the axes are the variant and the first player.

    The undetermined remainder is split evenly between both players.
    """

    one: Array
    two: Array
    undetermined: Array

    @property
    def endless(self) -> Array:
        rest = 1 - self.one - self.two
        return np.where(rest > TOLERANCE, rest, 0.0)

    @property
    def first(self) -> Array:
        """The first player's win rate, by variant, if player 1 starts and if player 2 starts."""
        return np.stack([self.one[:, 0], self.two[:, 1]], axis=1)


_Rates = dict[tuple[str, str], _WinRatesByStart]


class Measurer:
    """Measurer of one solved variant or of batches; batches require players with a skill (see `skill_of`)."""

    def __init__(
        self,
        solved: Sequence[SolvedBatch] | Solution,
        players: tuple[Bot, Bot],
        *,
        skills: Sequence[str] = (),
        compiled: bool | None = None,
    ) -> None:
        self.players = players
        self.curve_skills = curve_skills((*(bot.name for bot in players if skill_of(bot)), *skills))
        self.solution = solved if isinstance(solved, Solution) else None
        self.batches = [SolvedBatch.from_solution(solved)] if isinstance(solved, Solution) else solved
        self.graph = PlayGraph(self.batches, compiled=compiled)
        self._variants = [(book, batch.table.moves) for batch in self.batches for book in batch.books]

    def measure(
        self,
        progress: Progress = lambda _: None,
        *,
        curve: bool = True,
        metrics: bool = True,
        lengths: bool = False,
        slow: bool = False,
    ) -> list[Measurements]:
        """Measure all variants in order; `lengths` is only supported for a single variant."""
        pairs = [(skill, skill) for skill in self.curve_skills] if curve else [(NEWCOMER_SKILL, NEWCOMER_SKILL)]
        if metrics:  # the `slip` skills come first: chains solved together take as long as the slowest one
            pairs = [(BETTER_SKILL, DEFAULT_SKILL), (DEFAULT_SKILL, BETTER_SKILL), *pairs]
        rates = dict(zip(pairs, self._win_rates(pairs, progress), strict=True)) if curve or metrics else {}
        measured = self._perfect_play()
        if metrics:
            measured = self._with_metrics(measured, rates, lengths=lengths)
        if slow:
            measured = [
                each._replace(
                    skill_ladder=self._skill_ladder(variant, each.sight_needed or 0),
                    rules_length=sum(len(section.text.split()) for section in describe_rules(book)),
                )
                for variant, (each, (book, _)) in enumerate(zip(measured, self._variants, strict=True))
            ]
        return self._with_curves(measured, rates) if curve else measured

    def move_probabilities(self, one: Bot, two: Bot) -> Array:
        """Return the probability of every move in games between two bots."""
        skills = [skill_of(bot) for bot in (one, two)]
        probabilities = self.graph.move_probabilities(_chain(*(skill or Skill() for skill in skills)))
        for player, bot, skill in zip((1, 2), (one, two), skills, strict=True):
            if not skill:
                self._fill_policy(bot, player, probabilities)
        return probabilities

    def _fill_policy(self, bot: Bot, player: int, probabilities: Array) -> None:
        """Overwrite the probabilities of `player`'s moves with the bot's policy."""
        policy = bot.policy(self.batches[0].arrays)
        assert policy is not None  # noqa: S101 - `parse_skill` rejects bots without a policy
        graph = self.graph
        rows = np.repeat(np.arange(graph.size), np.diff(graph.indptr))  # the row of each edge
        edges = np.flatnonzero(graph.mover[rows] == player)
        rows = graph.rows[rows[edges]]
        probabilities[edges] = policy[rows, graph.edge_moves[edges]] / policy.sum(axis=1)[rows]

    def _perfect_play(self) -> list[Measurements]:
        graph, names = self.graph, tuple(bot.name for bot in self.players)
        live, firsts = np.diff(graph.indptr) > 0, graph.ends[:-1]
        sight_needed = np.maximum.reduceat(graph.decisions[2], firsts).tolist()
        positions = np.add.reduceat(live, firsts, dtype=np.int64)
        waiting = (np.add.reduceat(live & (graph.value == 0), firsts, dtype=np.int64) / positions).tolist()
        starts = graph.starts[:, 0]
        values = graph.value[starts].tolist()
        return [
            Measurements(
                *(book.variant, (value > 0) + 2 * (value < 0), abs(value) - 1 if value else None),
                *(tuple(str(moves[move]) for move in graph.best_moves(start)), count, names),
                sight_needed=sight,
                waiting=share,
            )
            for (book, moves), start, value, count, sight, share in zip(
                self._variants, starts, values, positions.tolist(), sight_needed, waiting, strict=True
            )
        ]

    def _with_metrics(self, measured: list[Measurements], curve: _Rates, *, lengths: bool) -> list[Measurements]:
        probabilities = self.move_probabilities(*self.players)
        by_chain, statistics, chances = self.graph.statistics(probabilities)
        [rates] = _by_start(by_chain)
        ends = (statistics.unsettled[:, 0] == 0) & (rates.endless[:, 0] == 0)
        finite = GameStatistics(*(np.where(ends, column[:, 0], np.nan) for column in statistics))
        traces = self.graph.trace_games(probabilities, chances, finite.turns)
        newcomers = curve[NEWCOMER_SKILL, NEWCOMER_SKILL]
        better, worse = curve[BETTER_SKILL, DEFAULT_SKILL], curve[DEFAULT_SKILL, BETTER_SKILL]
        columns: dict[str, Any] = {
            "gap": np.abs(rates.first + rates.endless / 2 - 0.5).max(axis=1),
            "first": rates.first.mean(axis=1),
            "side": rates.one.mean(axis=1),
            "endless": rates.endless.mean(axis=1),
            "newcomers": newcomers.one[:, 0],
            "skill": (better.one + worse.two).mean(axis=1) / 2,
            "comeback": np.maximum(0.0, (rates.one + rates.two)[:, 0] - statistics.never_behind[:, 0]),
            "length_low": traces.length_low,
            "length_high": traces.length_high,
            "uncertainty": traces.uncertainty,
            "decisiveness": traces.decisiveness,
            "felt_lead_changes": traces.felt_lead_changes,
            "surprise": np.where(np.isnan(traces.uncertainty), np.nan, finite.surprise),  # inexact in long games
            "lengths": [_most_lengths(traces.lengths) if lengths else ()] * len(measured),
            **_statistics_metrics(finite),
            **self._dominant_steps(finite.decisions, traces),
        }
        undetermined = {
            "gap": rates.undetermined.max(axis=1),
            **dict.fromkeys(("first", "side"), rates.undetermined.mean(axis=1)),
            "newcomers": newcomers.undetermined[:, 0],
            "skill": (better.undetermined + worse.undetermined).mean(axis=1) / 2,
        }
        columns["bounds"] = _bounds(columns, undetermined)
        rows = zip(*map(_to_optional_numbers, columns.values()), strict=True)
        return [each._replace(**dict(zip(columns, row, strict=True))) for each, row in zip(measured, rows, strict=True)]

    def _dominant_steps(self, decisions: Array, traces: GameTraces) -> dict[str, Any]:
        """Return, for every variant, the step that is correct in the largest share of decisions, and that share."""
        graph, first_variant = self.graph, 0
        names = sorted({_step_name(move) for batch in self.batches for move in batch.table.moves})
        edge_steps = []
        for batch in self.batches:
            rows = graph.ends[[first_variant, first_variant + len(batch.books)]]
            steps = np.array([names.index(_step_name(move)) for move in batch.table.moves], np.int32)
            edge_steps.append(steps[graph.edge_moves[slice(*graph.indptr[rows])]])
            first_variant += len(batch.books)
        counts = graph.correct_steps(np.concatenate(edge_steps), len(names), traces.visits)
        measurable = (decisions > 0) & ~np.isnan(traces.uncertainty)
        shares = np.divide(counts.max(axis=1), decisions, out=np.full(len(decisions), np.nan), where=measurable)
        best = [names[step] if known else None for step, known in zip(counts.argmax(axis=1), measurable, strict=True)]
        return {"dominant_step": np.where(shares > 1 - TOLERANCE, 1.0, shares), "dominant_move": best}

    def _with_curves(self, measured: list[Measurements], rates: _Rates) -> list[Measurements]:
        by_skill = [(skill, rates[skill, skill]) for skill in self.curve_skills]
        points = [
            [SkillPoint(skill, *row) for row in np.hstack([found.first, found.endless]).tolist()]
            for skill, found in by_skill
        ]
        return [
            each._replace(curve=curve, fair_range=min(count_fair_skills(curve).values()))
            for each, curve in zip(measured, zip(*points, strict=True), strict=True)
        ]

    def _skill_ladder(self, variant: int, sight_needed: int) -> int | None:
        """Return the number of ladder levels above random play; None if computing it would take too long.

        Each level is the smallest sight that scores at least 60% against the level below.
        """
        graph = self.graph.only(variant)
        if sight_needed * graph.max_edges > MAX_LADDER_MOVES:
            return None
        count = level = seen = 0
        while seen < sight_needed:
            sights = range(seen + 1, min(seen + LADDER_SIGHTS, sight_needed) + 1)
            chains = [(sight, 0.0, level, 0.0) for sight in sights] + [(level, 0.0, sight, 0.0) for sight in sights]
            rates = graph.win_rates(chains)
            as_1, as_2 = np.split((rates.one - rates.two)[0].mean(axis=0), 2)  # wins minus losses of player 1
            better = np.flatnonzero(0.5 + (as_1 - as_2) / 4 >= MIN_LADDER_SCORE - TOLERANCE)
            seen = sights[better[0]] if len(better) else sights[-1]
            if len(better):
                level, count = seen, count + 1
        return count

    def _win_rates(self, pairs: Sequence[tuple[str, str]], progress: Progress) -> list[_WinRatesByStart]:
        """Return the win rates in games between the players of each pair of skills."""
        names = {name for pair in pairs for name in pair}
        skills = {name: skill_of(parse_skill(name, self.players[0].book, self.solution)) or Skill() for name in names}
        chains = [_chain(skills[one], skills[two]) for one, two in pairs]
        return _by_start(self.graph.win_rates(chains, progress))


def _step_name(move: str) -> str:
    """Return the step or operation of a move, without the token."""
    return move.rpartition(":")[2]


def _chain(one: Skill, two: Skill) -> Skills:
    return one.turns, float(one.slip_rate), two.turns, float(two.slip_rate)


def _by_start(rates: WinRates) -> list[_WinRatesByStart]:
    """Return the win rates of each chain, with the undetermined remainder split evenly."""
    columns = rates.one + rates.undetermined / 2, rates.two + rates.undetermined / 2, rates.undetermined
    return [_WinRatesByStart(*chain) for chain in zip(*(np.moveaxis(column, -1, 0) for column in columns), strict=True)]


def _bounds(columns: dict[str, Array], undetermined: dict[str, Array]) -> list[dict[str, tuple[float, float]]]:
    """Return, for every variant, the bounds of the figures whose undetermined part is not negligible.

    Each figure already includes half of its undetermined part.
    """
    rows = zip(
        *(zip(columns[name].tolist(), rest.tolist(), strict=True) for name, rest in undetermined.items()), strict=True
    )
    return [
        {
            name: (figure - rest / 2, figure + rest / 2)
            for name, (figure, rest) in zip(undetermined, row, strict=True)
            if rest > TOLERANCE
        }
        for row in rows
    ]


def _most_lengths(lengths: Array) -> tuple[float, ...]:
    """Return the probability of each game length until the sum reaches `LENGTHS_COVERAGE`."""
    return tuple(lengths[: np.searchsorted(np.cumsum(lengths), LENGTHS_COVERAGE) + 1].tolist()) if lengths.any() else ()


def _statistics_metrics(statistics: GameStatistics) -> dict[str, Array]:
    """Return the metrics of games started by player 1, for every variant; NaN if undefined."""
    turns = np.where(statistics.turns > 0, statistics.turns, np.nan)
    decisions = np.where(statistics.decisions > 0, statistics.decisions, np.nan)
    return {
        "length": turns,
        "choice": statistics.choices / turns,
        "decisions": statistics.decisions / turns,
        "good_moves": statistics.good_share / decisions,
        "lead_changes": statistics.lead_changes,
        "open": np.maximum(0.0, 1 - statistics.settled_turns / turns),
        "hidden": statistics.hidden_decisions / decisions,
    }


def _to_optional_numbers(column: Any) -> list[Any]:
    """Return a column as a list, replacing negative integers and NaN with None."""
    if not isinstance(column, np.ndarray):
        return list(column)
    missing = column < 0 if column.dtype.kind == "i" else np.isnan(column)
    return [None if is_missing else value for value, is_missing in zip(column.tolist(), missing.tolist(), strict=True)]


# Skills


def curve_skills(requested: Iterable[str] = ()) -> list[str]:
    """Return `CURVE_SKILLS` and the `requested` skills without duplicates.

    First come the `slip` skills, then the `sight` skills, each from weakest to strongest, then any others.
    """

    def order(skill: str) -> tuple[int, float]:
        kind, _, number = skill.partition(":")
        return (0, -float(number)) if kind == "slip" else (1, float(number)) if kind == "sight" else (2, 0.0)

    return sorted(dict.fromkeys((*CURVE_SKILLS, *requested)), key=order)


def parse_players(players: Players, book: Book, solution: Solution | None = None) -> tuple[Bot, Bot]:
    """Return the bots for players 1 and 2, given one skill for both players or one for each."""
    names = [DEFAULT_SKILL] if players is None else players.split(",") if isinstance(players, str) else players
    names = string_options("players", names, DEFAULT_SKILL)
    if not 1 <= len(names) <= 2:
        raise BotError(f"{len(names)} skills given; expected one for both players, or one for each")
    bots = [parse_skill(name.strip(), book, solution) for name in names]
    return bots[0], bots[-1]


def parse_skill(text: str, book: Book, solution: Solution | None = None) -> Bot:
    """Return the bot named `text`; raise `BotError` if its move probabilities are not known exactly."""
    starts_process = text.partition(":")[0].strip().lower() == "exec"
    bot = None if starts_process else make_bot(text, book, Random(0), solution=solution)
    if not isinstance(bot, PolicyBot):
        raise BotError(f"{quote(text)} has no known move probabilities; expected e.g. slip:25, sight:3 or level:5")
    return bot


def skill_of(bot: Bot) -> Skill | None:
    """Return the skill that defines a bot's policy, or None if the policy is not defined by a skill."""
    if isinstance(bot, SkilledBot):
        return bot.skill
    return Skill(0) if isinstance(bot, RandomBot) else None
