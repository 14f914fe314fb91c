"""Loops that find how long a game takes, turn by turn."""

from __future__ import annotations

from numberline.solver.index import Column

MIN_PROBABILITY = 1e-18
"""What is less likely than this is not followed any further, turn by turn."""
LOW_QUANTILE, HIGH_QUANTILE = 0.1, 0.9
"""The usual length of a game leaves out so many of the shortest ones, and comprises so many in all."""


def length_distribution(
    start: int,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    here: Column,
    there: Column,
    lengths: Column,
    share: float,
) -> int:
    """How likely a game ends after exactly so many turns, until so large a share has ended; says how many were entered.

    `mass` and `later` are 0 everywhere, before and after; `here` and `there` list the rows where they are not.
    """
    mass[start] = 1.0
    here[0] = start
    count, turn, ended = 1, 0, 0.0
    while count > 0 and turn < len(lengths) and ended < share:
        over, more = 0.0, 0
        for place in range(count):
            row = here[place]
            weight = mass[row]
            mass[row] = 0.0
            if begin[row] == begin[row + 1]:
                over += weight
            elif weight > MIN_PROBABILITY:
                for edge in range(begin[row], begin[row + 1]):
                    if chance[edge] > 0.0:
                        reached = to[edge]
                        if later[reached] == 0.0:
                            there[more] = reached
                            more += 1
                        later[reached] += weight * chance[edge]
        lengths[turn] = over
        ended += over
        turn += 1
        mass, later = later, mass
        here, there = there, here
        count = more
    for place in range(count):
        mass[here[place]] = 0.0
    return turn


def length_percentiles(
    starts: Column,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    here: Column,
    there: Column,
    lengths: Column,
    low: Column,
    high: Column,
) -> None:
    """For each variant, within how many turns 10 and 90 % of the games are over; -1 where that is too long."""
    for variant in range(len(low)):
        count = length_distribution(
            starts[2 * variant], begin, to, chance, mass, later, here, there, lengths, HIGH_QUANTILE - 1e-9
        )
        low[variant] = -1
        high[variant] = -1
        over = 0.0
        for turn in range(count):
            over += lengths[turn]
            if low[variant] < 0 and over >= LOW_QUANTILE - 1e-9:
                low[variant] = turn
            if high[variant] < 0 and over >= HIGH_QUANTILE - 1e-9:
                high[variant] = turn
