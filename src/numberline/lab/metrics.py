"""Metrics of a variant: their values, titles, formats and descriptions."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numberline.game.book import Book
from numberline.text import pluralize

DEFAULT_PLAYERS = ("slip:25", "slip:25")
FAIR_GAP = 0.05
"""Maximum gap (deviation from 50%) of a fair variant: each player wins 45 to 55%, whichever player starts."""
FAIR_SHARE_BOUNDS = (0.5 - FAIR_GAP, 0.5 + FAIR_GAP)
MIN_REPORTED_ENDLESS_SHARE = 0.0005
PANEL_SKILLS = ("slip:50", "slip:25", "slip:10", "slip:5", "sight:1", "sight:2", "sight:3", "sight:4", "sight:6")
"""Skills that count towards the fair range and the ranking of search results."""
SLOW_METRICS = ("skill_ladder", "rules_length")
"""Metrics that are omitted, unless requested, when many variants are measured at once."""
FIXED_SKILL_METRICS = ("fair_range", "newcomers", "skill", "sight_needed", "waiting", *SLOW_METRICS)
"""Metrics that don't depend on the skill of the players."""
DECISION_METRICS = ("good_moves", "hidden", "dominant_step")
"""Metrics that are undefined if no move can be a mistake."""
TRACED_METRICS = ("felt_lead_changes", "uncertainty", "decisiveness", "surprise", "dominant_step")
"""Metrics that are not measured if games are too long to be traced turn by turn."""
MAX_PLAYABLE_TURNS = 1_000_000


class SkillPoint(NamedTuple):
    """Results of games between two players of the same skill."""

    skill: str
    wins_1: float
    """Probability that player 1 wins when moving first."""
    wins_2: float
    """Probability that player 2 wins when moving first."""
    endless_1: float = 0.0
    """Probability that a game started by player 1 never ends."""
    endless_2: float = 0.0

    @property
    def in_panel(self) -> bool:
        """Whether the skill counts towards the fair range and the ranking of search results."""
        return self.skill in PANEL_SKILLS

    @property
    def endless(self) -> float:
        """Probability that a game never ends, averaged over both starting players."""
        return (self.endless_1 + self.endless_2) / 2

    @property
    def has_endless(self) -> bool:
        """Whether the share of endless games is large enough to be reported."""
        return self.endless >= MIN_REPORTED_ENDLESS_SHARE

    @property
    def shares(self) -> tuple[float, float]:
        """The first player's share of wins if player 1 starts, and the same if player 2 starts.

        An endless game counts as half a win.
        """
        return self.wins_1 + self.endless_1 / 2, self.wins_2 + self.endless_2 / 2

    @property
    def gap(self) -> float:
        return max(abs(share - 0.5) for share in self.shares)

    @property
    def is_fair(self) -> bool:
        return round(self.gap, 8) <= FAIR_GAP

    def data(self) -> dict[str, Any]:
        """Return the point as JSON-serializable data."""
        return {
            "skill": self.skill,
            "begins_1": self.wins_1,
            "begins_2": self.wins_2,
            "endless": self.endless,
            "gap": self.gap,
            "took_part": self.in_panel,
        }


def count_fair_skills(curve: Sequence[SkillPoint]) -> dict[str, int]:
    """Count the fair `slip` skills and the fair `sight` skills of the panel; the smaller number is the fair range."""
    fair = [point.skill.partition(":")[0] for point in curve if point.in_panel and point.is_fair]
    return {kind: fair.count(kind) for kind in ("slip", "sight")}


class Measurements(NamedTuple):
    """All measurements of a variant; a metric that is undefined or was not requested is None."""

    variant: str
    winner: int
    """The player who can force a win if player 1 starts; 0 if no player can."""
    plies: int | None
    best: tuple[str, ...]
    """The best first moves."""
    positions: int
    """Number of reachable unfinished positions."""
    players: tuple[str, ...] = DEFAULT_PLAYERS
    """Skills of players 1 and 2, for which the metrics were measured; empty if there are more than two players."""
    gap: float | None = None
    first: float | None = None
    side: float | None = None
    newcomers: float | None = None
    length: float | None = None
    length_low: int | None = None
    length_high: int | None = None
    choice: float | None = None
    decisions: float | None = None
    good_moves: float | None = None
    lead_changes: float | None = None
    felt_lead_changes: float | None = None
    comeback: float | None = None
    open: float | None = None
    uncertainty: float | None = None
    decisiveness: float | None = None
    surprise: float | None = None
    hidden: float | None = None
    dominant_step: float | None = None
    dominant_move: str | None = None
    """The step that is correct in the largest share of decisions; `dominant_step` is that share."""
    skill: float | None = None
    skill_ladder: int | None = None
    sight_needed: int | None = None
    endless: float | None = None
    waiting: float | None = None
    rules_length: int | None = None
    fair_range: int | None = None
    curve: tuple[SkillPoint, ...] = ()
    lengths: tuple[float, ...] = ()
    """Probability of each game length from 0 turns up to one that nearly all games have reached."""
    bounds: dict[str, tuple[float, float]] = {}  # noqa: RUF012 - never modified
    """Lower and upper bounds on the metrics that are not known to nine decimal places."""

    def data(self) -> dict[str, Any]:
        """Return the measurements as JSON-serializable data."""
        return self._asdict() | {
            "curve": [point.data() for point in self.curve],
            "best": list(self.best),
            "players": list(self.players),
            "lengths": list(self.lengths),
            "bounds": {name: list(bounds) for name, bounds in self.bounds.items()},
        }


class Metric(NamedTuple):
    """Title, format and range of a metric, and the template of its sentence (see `describe_metric`)."""

    title: str
    format_spec: str
    highest: float | None = None
    """The maximum value, or None if there is no upper limit; the minimum is always 0."""
    aim: float | None = None
    """The value that designers usually want, or None if that is a matter of taste."""
    sentence: str = ""
    sentence_if_zero: str = ""


_TEXT = Path(__file__).with_name("metrics.toml").read_text("utf-8")
METRICS = {name: Metric(**entry) for name, entry in tomllib.loads(_TEXT).items()}


def format_figure(name: str, figure: float | None) -> str:
    """Format a value of the metric `name`; return an empty string for None."""
    spec = METRICS[name].format_spec if (figure or 0) <= MAX_PLAYABLE_TURNS else ".0e"
    return "" if figure is None else format(int(figure) if spec == "d" else figure, spec)


def format_metric(name: str, measured: Measurements) -> str:
    """Format a metric for a table; return an empty string if it is undefined."""
    text = format_figure(name, getattr(measured, name))
    if name == "length" and text and measured.length_low is not None:
        high = "…" if measured.length_high is None else measured.length_high
        return f"{text} ({measured.length_low}-{high})"
    return text


def better_variant(name: str, one: Measurements, other: Measurements) -> str:
    """Return the variant whose metric is nearer to its aim: A for `one`, B for `other`, or an empty string for neither.

    Figures that look the same in a table count as equal.
    """
    aim, figures = METRICS[name].aim, [getattr(measured, name) for measured in (one, other)]
    if aim is None or None in figures or len({format_figure(name, figure) for figure in figures}) == 1:
        return ""
    first, second = (-figure if aim == math.inf else abs(figure - aim) for figure in figures)
    return "" if abs(first - second) < MIN_REPORTED_ENDLESS_SHARE else "A" if first < second else "B"


def describe_metric(name: str, measured: Measurements, book: Book) -> str:
    """Return a sentence that explains the metric `name` for the measured variant."""
    figure = getattr(measured, name)
    if figure is None:
        return _why_undefined(name, measured, book)
    if name in _SENTENCES:
        return _SENTENCES[name](measured, book)
    metric = METRICS[name]
    sentence = metric.sentence if figure else metric.sentence_if_zero or metric.sentence
    return sentence.format(
        figure=figure,
        among=among_players(measured),
        games=share_of_games(figure),
        of_100=_of_100(figure),
        percent=f"{100 * figure:.0f}%",
        turns=pluralize(int(figure), "turn"),
        player=book.player_name(1),
        move=measured.dominant_move,
    )


def _why_undefined(name: str, measured: Measurements, book: Book) -> str:
    if book.rules.players > 2:
        return "Available for two-player games only."
    if measured.endless:
        return "Undefined, because a game may never end."
    if name in DECISION_METRICS and measured.decisions == 0:
        return "Undefined, because no move can be a mistake."
    return (
        "Not measured, because games are too long." if name in TRACED_METRICS and measured.length else "Not measured."
    )


def share_of_games(share: float | None) -> str:
    """Format a share of all games as a phrase.

    >>> share_of_games(0.714), share_of_games(0.003), share_of_games(1.0)
    ('71 of 100 games', 'fewer than 1 of 100 games', 'all games')
    """
    return f"{_of_100(share or 0.0)} games"


def _of_100(share: float) -> str:
    if share in {0.0, 1.0}:
        return "all" if share else "no"
    if share < 0.01:
        return "fewer than 1 of 100"
    return f"{100 * share:.0f} of 100" if share <= 0.99 else "more than 99 of 100"


def players_like(skill: str) -> str:
    """Return a noun phrase for players with the given skill.

    >>> players_like("slip:25"), players_like("sight:1")
    ('players who slip in 25% of their turns', 'players who look 1 turn ahead')
    """
    kind, _, number = skill.partition(":")
    if kind == "slip":
        return f"players who slip in {number}% of their turns"
    if kind == "sight":
        return f"players who look {pluralize(int(number), 'turn')} ahead"
    return f"players of {skill.replace(':', ' ')}"


def among_players(measured: Measurements) -> str:
    """Return an introductory phrase that names the players for whom the metrics were measured."""
    one, two = measured.players
    return f"Among {players_like(one)}," if one == two else f"With {one} as player 1 against {two},"


def _describe_gap(measured: Measurements, _: Book) -> str:
    low, high = (50 + sign * 100 * (measured.gap or 0.0) for sign in (-1, 1))
    return f"{among_players(measured)} each player wins {low:.0f} to {high:.0f}% of the games, no matter who starts."


def _describe_fair_range(measured: Measurements, _: Book) -> str:
    slips, sights = count_fair_skills(measured.curve).values()
    return f"Fair at {slips} of 4 slip and {sights} of 5 sight skills, no matter who starts; the smaller number counts."


def _describe_side(measured: Measurements, book: Book) -> str:
    share = measured.side or 0.0
    wins = f"{book.player_name(1)} wins {share_of_games(share)}, averaged over both starting players"
    if len(set(measured.players)) > 1:
        return f"{wins}."
    even = abs(2 * share + (measured.endless or 0.0) - 1) < 0.01
    return f"{wins}: {'both sides have equal chances' if even else 'the sides are unequal'}."


def _describe_length(measured: Measurements, book: Book) -> str:
    length = measured.length or 0.0
    if length > MAX_PLAYABLE_TURNS:
        return f"If {book.player_name(1)} starts, a game takes about {length:.0e} turns on average: too long to play."
    average = f"If {book.player_name(1)} starts, a game takes {length:.1f} turns on average"
    low, high = measured.length_low, measured.length_high
    if low is None or high is None:
        return f"{average}."
    return f"{average}; 8 of 10 games take {pluralize(low, 'turn') if low == high else f'{low} to {high} turns'}."


def _describe_skill_ladder(measured: Measurements, _: Book) -> str:
    levels = measured.skill_ladder or 0
    if not levels:
        return "No sight skill beats random play by at least 60:40, averaged over both starting players."
    chain = "is 1 level, which beats random play" if levels == 1 else f"are {levels} levels, each beating the one below"
    return f"Above random play, there {chain} by at least 60:40, averaged over both starting players."


_SENTENCES: dict[str, Callable[[Measurements, Book], str]] = {
    "gap": _describe_gap,
    "fair_range": _describe_fair_range,
    "side": _describe_side,
    "length": _describe_length,
    "skill_ladder": _describe_skill_ladder,
}
"""Functions that write the sentence of a metric, if a template is not enough."""
