"""Summaries in sentences: the measurements of a variant, and the comparison of two variants.

A comparison aligns positions by each token's distance from the goal rather than by its place, because lengthening the
line doesn't change the last steps before the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from numberline.game import Book, Position
from numberline.lab.fingerprint import fingerprint
from numberline.lab.metrics import METRICS, Measurements, SkillPoint, among_players, describe_metric, players_like
from numberline.solver.solution import Solution
from numberline.text import join_and, join_or, pluralize

ERRING_SKILL, NEWCOMER_SKILL = "slip:25", "sight:1"
IS_FAIR = "It is fair (each player wins 45 to 55% of the games, no matter who starts)"
MIN_REPORTED_DIFFERENCE = 0.02
MAX_ALIGNED_POSITIONS = 200_000  # more would take minutes


def summarize(measured: Measurements, book: Book) -> list[str]:
    """Return the most important findings about a variant, one sentence each."""
    sentences = [describe_perfect_play(measured, book)]
    if measured.curve:
        headline = headline_points(measured)
        if len(set(measured.players)) > 1:
            sentences.append(f"{among_players(measured)} {describe_metric('side', measured, book)}")
        sentences += [_describe_headline(*headline, book), *_describe_endless(headline), _describe_fairness(measured)]
    return sentences


def describe_perfect_play(measured: Measurements, book: Book) -> str:
    """Return a sentence about perfect play: the winner, the number of turns and the best first moves."""
    if not measured.winner:
        result = "the game never ends" if book.rules.players == 2 else "no player can force a win"
        return f"With perfect play, {result}."
    first, turns = book.player_name(1), pluralize(measured.plies or 0, "turn")
    if measured.winner != 1:
        return f"With perfect play, {first} starts, and {book.player_name(measured.winner)} wins in {turns}."
    moves = f" with {join_or(measured.best)}" if measured.best else ""
    return f"With perfect play, {first} starts{moves} and wins in {turns}."


def headline_points(measured: Measurements) -> tuple[SkillPoint, SkillPoint]:
    """Return the results at the players' skill and at the newcomers' skill.

    `slip:25` replaces the players' skill if the two players have different skills or are newcomers themselves.
    """
    points = {point.skill: point for point in measured.curve}
    one, two = measured.players
    skill = one if one == two != NEWCOMER_SKILL else ERRING_SKILL
    return points.get(skill, points[ERRING_SKILL]), points[NEWCOMER_SKILL]


def skill_phrase(skill: str) -> str:
    """Return a noun phrase for people with the given skill.

    >>> skill_phrase("slip:20"), skill_phrase("sight:1")
    ('people who know the game but slip in 20% of their turns', 'newcomers who look 1 turn ahead')
    """
    if skill == NEWCOMER_SKILL:
        return "newcomers who look 1 turn ahead"
    return players_like(skill).replace("players who", "people who").replace("who slip", "who know the game but slip")


def _describe_headline(erring: SkillPoint, newcomer: SkillPoint, book: Book) -> str:
    wins = f"Among {skill_phrase(erring.skill)}, the first player wins"
    newcomers = f"among {skill_phrase(newcomer.skill)},"
    if not any(abs(point.wins_1 - point.wins_2) > MIN_REPORTED_DIFFERENCE for point in (erring, newcomer)):
        shares = [50 * (point.wins_1 + point.wins_2) for point in (erring, newcomer)]
        return f"{wins} {shares[0]:.0f} of 100 games; {newcomers} {shares[1]:.0f}."
    names = [book.player_name(player) for player in (1, 2)]
    shares = [100 * share for point in (erring, newcomer) for share in (point.wins_1, point.wins_2)]
    return (
        f"{wins} {shares[0]:.0f} of 100 games as {names[0]}, {shares[1]:.0f} as {names[1]}; "
        f"{newcomers} {shares[2]:.0f} and {shares[3]:.0f}."
    )


def _describe_endless(points: Sequence[SkillPoint]) -> list[str]:
    if not any(point.has_endless for point in points):
        return []
    shares = [f"{100 * point.endless:.0f} of 100" if point.has_endless else "none" for point in points]
    return [f"Games that never end: {shares[0]} among the former, {shares[1]} among the latter."]


def _describe_fairness(measured: Measurements) -> str:
    if all(point.is_fair for point in measured.curve):
        return f"{IS_FAIR} at every skill level measured."
    players = _fair_players(measured.curve)
    return f"{IS_FAIR} among {players}." if players else _describe_unfairness(measured.curve)


def describe_fair_skills(measured: Measurements) -> str:
    """Return a short phrase that names the players among whom the variant is fair."""
    if players := _fair_players(measured.curve):
        return f"fair among {players}"
    nearest = min(measured.curve, key=lambda point: point.gap)
    low, high = (100 * bound for bound in (0.5 - nearest.gap, 0.5 + nearest.gap))
    return f"nearest to fair among {players_like(nearest.skill)} ({low:.0f} to {high:.0f}%)"


def _fair_players(curve: Sequence[SkillPoint]) -> str:
    """Describe the players among whom the game is fair; the text is empty if there are none."""
    slips, sights = _fair_numbers(curve[::-1], "slip"), _fair_numbers(curve, "sight")
    habits = [f"slip in {slips}% of their turns"] if slips else []
    habits += [f"look only {sights} turn{'' if sights == '1' else 's'} ahead"] if sights else []
    others = [point.skill for point in curve if point.is_fair and not point.skill.startswith(("slip", "sight"))]
    groups = [*([f"people who {' or '.join(habits)}"] if habits else []), *map(players_like, others)]
    return join_and(groups) if groups else ""


def _fair_numbers(curve: Sequence[SkillPoint], kind: str) -> str:
    """List the numbers of the fair skills of one `kind`; three or more consecutive ones become a range."""
    parts: list[str] = []
    for is_fair, points in groupby(curve, key=lambda point: point.is_fair):
        run = [point.skill.partition(":")[2] for point in points if is_fair and point.skill.startswith(f"{kind}:")]
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
    return join_or(parts) if parts else ""


def _describe_unfairness(curve: Sequence[SkillPoint]) -> str:
    shares = [share for point in curve for share in point.shares]
    if min(shares) > 0.5:
        return "It isn't fair at any skill level: the first player always has the edge."
    if max(shares) < 0.5:
        return "It isn't fair at any skill level: the second player always has the edge."
    return "It isn't fair at any skill level measured."


def first_player_percent(point: SkillPoint) -> str:
    """Return the first player's share of wins in percent, as two figures if it depends on which player starts."""
    first, second = (f"{100 * share:.0f}" for share in point.shares)
    return first if first == second else f"{first}/{second}"


def describe_players(players: Sequence[str]) -> str:
    """Return a phrase that names the players for whom metrics were measured."""
    one, two = players
    return f"for two {players_like(one)}" if one == two else f"for {one} as player 1 and {two} as player 2"


def two_players_only_note(measured: Measurements) -> str:
    """Return a note for games with more than two players, for which few metrics exist."""
    return (
        f"{pluralize(measured.positions, 'position')} can be reached. Fairness, length and depth are measured for two "
        "players only: with three or more, the result depends on whom the others favour."
    )


def describe_bounds(measured: Measurements) -> str:
    """Return a sentence about the metrics that are known only within bounds; empty if there are none."""
    parts = [f"{METRICS[name].title} from {low:.3f} to {high:.3f}" for name, (low, high) in measured.bounds.items()]
    return f"Known only within bounds, because games can be very long: {', '.join(parts)}." if parts else ""


# Comparison of two variants

GoalRelativePlace = tuple[int, int]
"""The index of the nearest goal and the signed distance from it."""
GoalRelativePosition = tuple[int, int, str, tuple[GoalRelativePlace, ...]]
"""The player to move, the players who are out, the banned step, and the place of every token."""


class SettingDiff(NamedTuple):
    """A setting with different values in two variants; the value is None for a variant without the setting."""

    name: str
    one: str | None
    other: str | None


class Alignment(NamedTuple):
    """Counts of the positions that two variants have in common, aligned by distance from the goal."""

    common: int
    same: int
    """Number of positions with the same winner in the same number of turns."""
    same_winner: int


class Comparison(NamedTuple):
    """Differences between two variants."""

    settings: tuple[SettingDiff, ...]
    same_game: bool
    """Whether the variants differ only in the names of places and moves."""
    alignment: Alignment | None
    not_aligned_reason: str = ""
    """Sentence that explains why `alignment` is None; otherwise empty."""

    def data(self) -> dict[str, Any]:
        """Return the comparison as JSON-serializable data."""
        return {
            "settings": [setting._asdict() for setting in self.settings],
            "same_game": self.same_game,
            **(self.alignment._asdict() if self.alignment else dict.fromkeys(Alignment._fields)),
            "note": self.not_aligned_reason,
        }


def compare(one: Solution, other: Solution) -> Comparison:
    """Compare two solved variants.

    >>> import numberline as nl
    >>> comparison = compare(nl.solve(nl.book("flag-chase")), nl.solve(nl.book("flag-chase(end=12)")))
    >>> comparison.alignment
    Alignment(common=38, same=38, same_winner=38)
    """
    reason = _why_not_aligned(one, other)
    alignment = None if reason else _align(one, other)
    same_players, same_counts = one.book.rules.players == other.book.rules.players, one.counts() == other.counts()
    same_game = same_players and same_counts and fingerprint(one) == fingerprint(other)
    return Comparison(_diff_settings(one.book, other.book), same_game, alignment, reason)


def _diff_settings(one: Book, other: Book) -> tuple[SettingDiff, ...]:
    """Return the settings that differ, in the order of the first book's settings."""
    before = {setting.name: setting.value for setting in one.settings}
    after = {setting.name: setting.value for setting in other.settings}
    return tuple(
        SettingDiff(name, before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    )


def _why_not_aligned(one: Solution, other: Solution) -> str:
    first, second = one.book.rules, other.book.rules
    if first.players != second.players:
        return "Positions can't be aligned: the variants have different numbers of players."
    if first.shared != second.shared or first.tokens != second.tokens:
        return "Positions can't be aligned: the variants have different numbers of tokens."
    if first.repeat != second.repeat:
        return "Positions can't be aligned: the rules for repeating a move differ."
    if max(one.size, other.size) > MAX_ALIGNED_POSITIONS:
        return f"Variants with more than {MAX_ALIGNED_POSITIONS:,} positions are not aligned."
    return ""


def _align(one: Solution, other: Solution) -> Alignment:
    others = {_relative_to_goal(other.book, position): position for position in other.live}
    common = same = same_winner = 0
    for position in one.live:
        if counterpart := others.get(_relative_to_goal(one.book, position)):
            before, after = one.worth(position), other.worth(counterpart)
            common += 1
            same += before == after
            same_winner += before.winner == after.winner
    return Alignment(common, same, same_winner)


def _relative_to_goal(book: Book, position: Position) -> GoalRelativePosition:
    rules = book.rules
    owners = [book.players if rules.shared else (number // rules.tokens + 1,) for number in range(len(position.tokens))]
    places = (_place(book, owner, token) for owner, token in zip(owners, position.tokens, strict=True))
    return position.turn, position.out, book.stride(position.last), tuple(places)


def _place(book: Book, owners: range | tuple[int, ...], place: int) -> GoalRelativePlace:
    """Return a token's place relative to the nearest goal of its owners, or to the first of several nearest goals."""
    goals = [goal for owner in owners for goal in book.rules.goals[owner - 1]]
    number = min(range(len(goals)), key=lambda number: abs(place - goals[number]))
    return number, place - goals[number]


def describe_differences(comparison: Comparison, books: Sequence[Book]) -> list[str]:
    """Return sentences about the differences between two variants, A and B."""
    one, other = books
    if one.name != other.name:
        sentences = [f"A is {one.title}, B is {other.title}."]
    elif comparison.settings:
        changes = (
            f"{name} {before or 'none'} becomes {after or 'none'}" for name, before, after in comparison.settings
        )
        sentences = [f"Differences: {', '.join(changes)}."]
    else:
        sentences = ["The settings are the same."]
    if comparison.same_game:
        sentences.append("It is the same game: the positions of A and B correspond one to one; only names differ.")
    elif comparison.alignment:
        sentences.append(_describe_alignment(comparison.alignment))
    return [*sentences, comparison.not_aligned_reason] if comparison.not_aligned_reason else sentences


def _describe_alignment(alignment: Alignment) -> str:
    if not alignment.common:
        return "A and B have no positions at matching distances from the goals."
    common = f"A and B have {pluralize(alignment.common, 'position')} at matching distances from the goals"
    if alignment.same == alignment.common:
        return f"{common}: none changed; the same player wins in the same number of turns."
    new_winner = alignment.common - alignment.same_winner
    new_plies = alignment.same_winner - alignment.same
    parts = [f"{alignment.same:,} did not change"]
    for count, change in (
        (new_plies, "the same winner in a different number of turns"),
        (new_winner, "a different winner"),
    ):
        parts += [f"{count:,} {'has' if count == 1 else 'have'} {change}"] if count else []
    return f"{common}: {join_and(parts)}."
