"""How far tokens can get: for each of them the places that it can ever stand on."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.rules.answers import Rules
from numberline.rules.moves import Move
from numberline.rules.overshooting import Stretch


def ranges(rules: Rules, choices: Sequence[Move], stretches: Sequence[Stretch]) -> tuple[range, ...]:
    """For each token of a position, the places from the lowest to the highest that it can ever stand on."""
    moves = [move for move in choices if move.token is not None]
    each = [_reach(rules, moves, stretches[player], player) for player in range(1, rules.players + 1)]
    if rules.shared:
        return (range(min(low for low, _ in each), max(high for _, high in each) + 1),)
    return tuple(range(low, high + 1) for low, high in each for _ in range(rules.tokens))


def _reach(rules: Rules, moves: Sequence[Move], stretch: Stretch, player: int) -> tuple[int, int]:
    """The lowest and the highest place that a token of this player can get to."""
    low, high = rules.line
    low = low if stretch.left_goal is None else max(low, stretch.left_goal)
    high = high if stretch.right_goal is None else min(high, stretch.right_goal)
    if rules.overshoot == "counts":
        beyond = [move.wanted(place, player) for move in moves for place in (low + 1, high - 1)]
        low = min([low, *beyond]) if stretch.left_goal is not None else low
        high = max([high, *beyond]) if stretch.right_goal is not None else high
    start, headings = rules.starts[player - 1], {move.heading[player] for move in moves}
    return low if -1 in headings else start, high if 1 in headings else start
