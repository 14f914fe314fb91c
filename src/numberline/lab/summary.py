"""What was measured in a few sentences: who wins with perfect play, how fair it is among people, and for whom."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.game.book import Book
from numberline.lab.compare import Comparison, SettingDiff
from numberline.lab.measure import DEFAULT_PLAYERS, Measurements, SkillPoint
from numberline.lab.metrics import METRICS, players_like
from numberline.text import join_and, join_or, pluralize

ERRING_SKILL, NEWCOMER_SKILL = "slip:25", "sight:3"
"""The two skills of the headline: somebody who knows the game and errs, and somebody who is new to it."""
MIN_REPORTED_DIFFERENCE = 0.02
"""A larger difference between the two beginnings is spoken of."""
MIN_REPORTED_ENDLESS_SHARE = 0.0005
"""A smaller share of endless games is not spoken of."""


def summarize(measured: Measurements, book: Book) -> list[str]:
    """The sentences that a designer wants to read first."""
    said = [describe_perfect_play(measured, book)]
    if measured.curve:
        said += [_among_people(measured, book), *_endless(measured), _where_fair(measured)]
    return said


def describe_perfect_play(measured: Measurements, book: Book) -> str:
    """Who wins when nobody errs, in how many turns, and how."""
    two = book.rules.players == 2
    if not measured.winner:
        return "With perfect play the game never ends." if two else "With perfect play nobody can force a win."
    begins = f"{book.player_name(1)} begins and" if measured.winner == 1 else f"{book.player_name(1)} begins, and"
    wins = "wins" if measured.winner == 1 else f"{book.player_name(measured.winner)} wins"
    how = f", with {join_or(measured.best)}" if measured.winner == 1 and measured.best else ""
    return f"With perfect play {begins} {wins} in {pluralize(measured.plies or 0, 'turn')}{how}."


def _among_people(measured: Measurements, book: Book) -> str:
    points = {point.skill: point for point in measured.curve}
    erring, newcomer = points[ERRING_SKILL], points[NEWCOMER_SKILL]
    former, latter = (
        "Among people who know the game but slip one turn in four",
        "among newcomers who see three turns ahead",
    )
    if not any(abs(point.begins_1 - point.begins_2) > MIN_REPORTED_DIFFERENCE for point in (erring, newcomer)):
        return f"{former}, who begins wins {_mean(erring)} games in 100; {latter}, {_mean(newcomer)}."
    first, second = map(book.player_name, (1, 2))
    shares = [100 * share for point in (erring, newcomer) for share in (point.begins_1, point.begins_2)]
    return (
        f"{former}, who begins wins {shares[0]:.0f} games in 100 as {first}, {shares[1]:.0f} as {second}; "
        f"{latter}, {shares[2]:.0f} and {shares[3]:.0f}."
    )


def _mean(point: SkillPoint) -> str:
    return f"{50 * (point.begins_1 + point.begins_2):.0f}"


def _endless(measured: Measurements) -> list[str]:
    points = {point.skill: point for point in measured.curve}
    shares = [points[skill].endless for skill in (ERRING_SKILL, NEWCOMER_SKILL)]
    if max(shares) < MIN_REPORTED_ENDLESS_SHARE:
        return []
    erring, newcomer = (
        f"{100 * share:.0f} in 100" if share >= MIN_REPORTED_ENDLESS_SHARE else "none" for share in shares
    )
    return [f"Endless games: {erring} among the former, {newcomer} among the latter."]


def _where_fair(measured: Measurements) -> str:
    if not any(point.is_fair for point in measured.curve):
        return _why_unfair(measured.curve)
    if all(point.is_fair for point in measured.curve):
        return "It is fair at every skill that was measured: who begins wins 45 to 55 games in 100."
    groups = []
    if slips := _fair_ones(measured.curve, "slip"):
        groups.append(f"people who slip in {slips} % of their turns")
    if sights := _fair_ones(measured.curve, "sight"):
        groups.append(f"people who see only {sights} turn{'' if sights == '1' else 's'} ahead")
    return f"It is fair, with 45 to 55 games in 100 for who begins, among {join_and(groups)}."


def _fair_ones(curve: Sequence[SkillPoint], kind: str) -> str:
    """The numbers of the fair skills of a kind, in words; three or more in a row as a range."""
    rows: list[list[str]] = [[]]
    for point in curve:
        if not point.is_fair:
            rows.append([])
        elif point.skill.startswith(f"{kind}:"):
            rows[-1].append(point.skill.partition(":")[2])
    parts = [part for row in rows for part in ([f"{row[0]} to {row[-1]}"] if len(row) > 2 else row)]
    return join_or(parts) if parts else ""


def _why_unfair(curve: Sequence[SkillPoint]) -> str:
    shares = [share for point in curve for share in (point.begins_1, point.begins_2)]
    if min(shares) > 0.5:
        return "It is fair at no skill: who begins is always ahead."
    if max(shares) < 0.5 and not any(point.endless >= MIN_REPORTED_ENDLESS_SHARE for point in curve):
        return "It is fair at no skill: who begins is always behind."
    return "It is fair at no skill that was measured."


# Who plays


def skill_label(skill: str) -> str:
    """A skill of the curve as it stands at the head of a row.

    >>> skill_label("slip:25"), skill_label("sight:1")
    ('slip 25 %', 'see 1 turn')
    """
    kind, _, number = skill.partition(":")
    return f"slip {number} %" if kind == "slip" else f"see {pluralize(int(number), 'turn')}"


def first_player_percent(point: SkillPoint) -> str:
    """How often who begins wins: one figure, or two where it matters who begins."""
    first, second = (f"{100 * share:.0f}" for share in (point.begins_1, point.begins_2))
    return first if first == second else f"{first}/{second}"


def describe_players(measured: Measurements) -> str:
    """Whose games the metrics are about."""
    one, two = measured.players
    if measured.players == DEFAULT_PLAYERS:
        return "for two who slip in 25 % of their turns"
    if one == two:
        return f"for {players_like(one)}"
    return f"for {one} as player 1 and {two} as player 2"


def two_players_only_note(measured: Measurements) -> str:
    """What is said of a game for more than two."""
    return (
        f"{pluralize(measured.positions, 'position')} can be reached. How fair, how long and how deep a game is can be "
        "measured for two players only: with more, it depends on whom the others help."
    )


def describe_bounds(measured: Measurements) -> str:
    """Which figures are not known exactly, and between what they lie; nothing where all are."""
    parts = [f"{METRICS[name].title} from {low:.3f} to {high:.3f}" for name, (low, high) in measured.bounds.items()]
    return f"Known only within bounds, since games can go on very long: {', '.join(parts)}." if parts else ""


# Two variants


def describe_differences(found: Comparison, books: Sequence[Book]) -> list[str]:
    """What is different between two variants, in sentences."""
    one, other = books
    said = []
    if one.name != other.name:
        said.append(f"A is {one.title}, B is {other.title}.")
    elif found.settings:
        said.append(f"What differs: {', '.join(map(_changed, found.settings))}.")
    else:
        said.append("The settings are the same.")
    if found.same_game:
        said.append("It is the same game: every position of A has its like in B, whatever places and moves are called.")
    elif found.alignment:
        said += _alignment_sentences(found)
    return [*said, found.not_aligned_reason] if found.not_aligned_reason else said


def _changed(setting: SettingDiff) -> str:
    return f"{setting.name} {setting.one or 'none'} becomes {setting.other or 'none'}"


def _alignment_sentences(found: Comparison) -> list[str]:
    lining = found.alignment
    if not lining or not lining.common:
        return ["No position of A is as far from the goals as one of B."]
    count = pluralize(lining.common, "position")
    said = f"Counted from the goal, A and B have {count} in common; "
    if lining.same == lining.common:
        return [f"{said}none of them changed: the same player wins in as many turns."]
    turned = lining.common - lining.same_winner
    slower = lining.same_winner - lining.same
    parts = [f"{lining.same:,} did not change"]
    parts += [f"{slower:,} {'has' if slower == 1 else 'have'} the same winner in more or fewer turns"] if slower else []
    parts += [f"{turned:,} {'has' if turned == 1 else 'have'} another winner"] if turned else []
    return [f"{said}{join_and(parts)}."]
