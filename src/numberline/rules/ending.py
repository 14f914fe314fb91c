"""How a game ends: a goal is reached, one player is left, or the player to move has no move."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth, both, either, no, where
from numberline.rules.overshooting import Stretch
from numberline.rules.position import Position, next_in

NOBODY = 0
"""Who has won while nobody has."""


def own_tokens(rules: Rules, position: Position, player: int) -> tuple[Number, ...]:
    """Where the tokens stand that this player moves: one's own, or the shared marker."""
    if rules.shared:
        return position.tokens
    return position.tokens[(player - 1) * rules.tokens : player * rules.tokens]


def finished(rules: Rules, stretches: Sequence[Stretch], position: Position, player: int) -> Truth:
    """Whether this player's tokens are home: all of them, or one where one is enough."""
    stretch = stretches[player]
    places = own_tokens(rules, position, player)
    done = stretch.home(places[0])
    for place in places[1:]:
        done = done & stretch.home(place) if rules.finish == "all" else done | stretch.home(place)
    return done


def at_goal(rules: Rules, stretches: Sequence[Stretch], position: Position) -> Number:
    """The player whose goal is reached and who is still in, 0 for nobody; of several the one who has just moved."""
    winner: Number = NOBODY
    mover = next_in(position.turn, position.out, rules.players, way=-1)  # unless that one is out now
    for player in range(1, rules.players + 1):
        done = both(finished(rules, stretches, position, player), no(position.is_out(player)))
        winner = where(both(done, either(winner == NOBODY, mover == player)), player, winner)
    return winner


def last_left(rules: Rules, out: Number) -> Number:
    """The only player still in, 0 where there are more."""
    everyone = (1 << rules.players) - 1
    last: Number = NOBODY
    for player in range(1, rules.players + 1):
        last = where(out == everyone - (1 << (player - 1)), player, last)
    return last
