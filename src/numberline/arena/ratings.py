"""Ratings with their uncertainty, by openskill (the extra `envs`): a match is two games with the seats changed."""

from __future__ import annotations

from typing import Any, NamedTuple

from numberline.arena.schedule import Tournament

MOST_ROUNDS = 200
"""Of each two players in each book, no more matches than this are rated: more would not change much."""
DEVIATIONS = 2
"""How many standard deviations the uncertainty is wide, to either side."""


class Rating(NamedTuple):
    """How strong a player is among these players."""

    mean: float
    error: float
    """Two standard deviations."""


def rate(tournament: Tournament, outcomes: bytearray) -> list[Rating] | None:
    """The rating of each player after all matches, by the Plackett-Luce model; None where openskill is missing.

    A round is one match of each two players in each book, so that nobody's matches all come first.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return None
    model = PlackettLuce()
    ratings: list[Any] = [model.rating(name=entrant.name) for entrant in tournament.players]
    for number in range(min(tournament.games // 2, MOST_ROUNDS)):
        for block in tournament.blocks:
            games = outcomes[block.first + 2 * number : block.first + 2 * number + 2]
            if not all(games):
                continue
            one, other = block.pair
            ranks = _ranks(games[0], games[1])
            [[ratings[one]], [ratings[other]]] = model.rate([[ratings[one]], [ratings[other]]], ranks=ranks)
    return [Rating(rating.mu, DEVIATIONS * rating.sigma) for rating in ratings]


def _ranks(in_seat_1: int, in_seat_2: int) -> list[float]:
    """The places of two players after a match: the first sat in seat 1, then in seat 2."""
    ahead = {1: 1, 2: -1}.get(in_seat_1, 0) + {1: -1, 2: 1}.get(in_seat_2, 0)
    return [1, 1] if not ahead else [1, 2] if ahead > 0 else [2, 1]
