"""Every metric once: its name, what it is called, how it is written, and what it means for this game."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from numberline.game.book import Book
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.lab.measure import Measurements

SentenceWriter = Callable[["Measurements", Book], str]


class Metric(NamedTuple):
    """One figure that is measured of a variant."""

    title: str
    describe: SentenceWriter
    """Gives the sentence for a designer, where the figure is known."""
    format_spec: str
    """How the figure is formatted."""
    lowest: float
    highest: float | None
    """The largest figure that there can be; None where it has no limit."""


def format_metric(name: str, measured: Measurements) -> str:
    """The figure of a metric as it is written in a table; nothing where it is not known."""
    if name == "length" and measured.length is not None and measured.length_low is not None:
        high = "…" if measured.length_high is None else measured.length_high
        return f"{measured.length:.1f} ({measured.length_low}-{high})"
    value = getattr(measured, name)
    return "" if value is None else format(value, METRICS[name].format_spec)


def describe_metric(name: str, measured: Measurements, book: Book) -> str:
    """What a metric says about a variant, for whoever designs it."""
    if getattr(measured, name) is not None:
        return METRICS[name].describe(measured, book)
    if book.rules.players > 2:
        return "This is measured of games for two players only."
    if measured.endless:
        return "This can't be said of a game that may never end."
    return "There is nothing to decide in this game." if measured.decisions == 0 else "This was not measured."


def share_of_games(share: float | None) -> str:
    """A share of all games, as people say it.

    >>> share_of_games(0.714), share_of_games(0.003), share_of_games(1.0)
    ('71 of 100 games', 'fewer than 1 of 100 games', 'all games')
    """
    return f"{_hundredths(share or 0.0)} games"


def _hundredths(share: float) -> str:
    if share in {0.0, 1.0}:
        return "all" if share else "no"
    if share < 0.01:
        return "fewer than 1 of 100"
    return f"{100 * share:.0f} of 100" if share <= 0.99 else "more than 99 of 100"


def players_like(skill: str) -> str:
    """Who plays like a skill, as the subject of a sentence.

    >>> players_like("slip:25"), players_like("sight:1")
    ('players who slip in 25 % of their turns', 'players who see 1 turn ahead')
    """
    kind, _, number = skill.partition(":")
    if kind == "slip":
        return f"players who slip in {number} % of their turns"
    if kind == "sight":
        return f"players who see {pluralize(int(number), 'turn')} ahead"
    return f"players of {re.sub(':', ' ', skill)}"


def _among(measured: Measurements) -> str:
    one, two = measured.players
    return f"Among {players_like(one)}," if one == two else f"Where {one} plays as player 1 against {two},"


def _first(measured: Measurements, _: Book) -> str:
    return f"{_among(measured)} whoever begins wins {share_of_games(measured.first)}."


def _side(measured: Measurements, book: Book) -> str:
    share = measured.side or 0.0
    told = f"Whoever begins, {book.player_name(1)} wins {share_of_games(share)}"
    if len(set(measured.players)) > 1:
        return f"{told}."
    even = abs(2 * share + (measured.endless or 0.0) - 1) < 0.01
    return f"{told}: both sides are as good." if even else f"{told}: the sides are not alike."


def _newcomers(measured: Measurements, book: Book) -> str:
    wins = share_of_games(measured.newcomers)
    return f"Between two who see 3 turns ahead, {book.player_name(1)} begins and wins {wins}."


def _length(measured: Measurements, _: Book) -> str:
    told = f"A game takes {measured.length:.1f} turns on average"
    low, high = measured.length_low, measured.length_high
    if low is None or high is None:
        return f"{told}."
    return f"{told}; 8 of 10 games take {pluralize(low, 'turn') if low == high else f'{low} to {high} turns'}."


def _decisions(measured: Measurements, _: Book) -> str:
    return f"In {_hundredths(measured.decisions or 0.0)} turns there is a move that gives something away."


def _good_moves(measured: Measurements, _: Book) -> str:
    return f"Where a move can be wrong, {100 * (measured.good_moves or 0.0):.0f} % of the moves are right."


def _lead_changes(measured: Measurements, _: Book) -> str:
    return f"Who can force the win changes {measured.lead_changes:.2f} times a game."


def _comeback(measured: Measurements, _: Book) -> str:
    return f"In {share_of_games(measured.comeback)} the winner once stood lost."


def _open(measured: Measurements, _: Book) -> str:
    return f"For {100 * (measured.open or 0.0):.0f} % of a game the lead can still change, and does."


def _hidden(measured: Measurements, _: Book) -> str:
    return f"In {_hundredths(measured.hidden or 0.0)} decisions, seeing 2 turns ahead is not enough."


def _skill(measured: Measurements, _: Book) -> str:
    return f"Whoever slips half as often as the other (12.5 % against 25 %) wins {share_of_games(measured.skill)}."


def _sight_needed(measured: Measurements, _: Book) -> str:
    turns = measured.sight_needed or 0
    return f"Whoever sees {pluralize(turns, 'turn')} ahead never goes wrong." if turns else "Nobody can go wrong."


def _endless(measured: Measurements, _: Book) -> str:
    never = f"{share_of_games(measured.endless)} never end" if measured.endless else "every game ends"
    return f"{_among(measured)} {never}."


def _waiting(measured: Measurements, _: Book) -> str:
    if not measured.waiting:
        return "From every position somebody can force the win."
    return f"In {_hundredths(measured.waiting)} positions nobody can force a win: both can wait for ever."


def _fair_range(measured: Measurements, _: Book) -> str:
    count = measured.fair_range or 0
    return f"At {count} of 9 skills whoever begins wins 45 to 55 of 100 games."


METRICS: dict[str, Metric] = {
    "fair_range": Metric("fair range", _fair_range, "d", 0, 9),
    "first": Metric("who begins wins", _first, ".3f", 0, 1),
    "side": Metric("player 1 wins", _side, ".3f", 0, 1),
    "newcomers": Metric("newcomers", _newcomers, ".3f", 0, 1),
    "length": Metric("length", _length, ".1f", 0, None),
    "decisions": Metric("decisions", _decisions, ".2f", 0, 1),
    "good_moves": Metric("good moves", _good_moves, ".2f", 0, 1),
    "lead_changes": Metric("lead changes", _lead_changes, ".2f", 0, None),
    "comeback": Metric("comeback", _comeback, ".2f", 0, 1),
    "open": Metric("open", _open, ".2f", 0, 1),
    "hidden": Metric("hidden", _hidden, ".2f", 0, 1),
    "skill": Metric("skill", _skill, ".3f", 0, 1),
    "sight_needed": Metric("sight needed", _sight_needed, "d", 0, None),
    "endless": Metric("endless", _endless, ".3f", 0, 1),
    "waiting": Metric("waiting", _waiting, ".2f", 0, 1),
}
"""Every metric, in the order in which they are shown."""
