"""How a game ends: a goal is reached, one player is left, or the player to move has no move."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.game.bounds import Bounds
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.position import Position, next_active
from numberline.game.rules import Rules

NO_WINNER = 0
"""Who has won while nobody has."""


def player_tokens(rules: Rules, position: Position, player: int) -> tuple[IntOrArray, ...]:
    """Where the tokens stand that this player moves: one's own, or the shared marker."""
    if rules.shared:
        return position.tokens
    return position.tokens[(player - 1) * rules.tokens : player * rules.tokens]


def has_finished(rules: Rules, bounds: Sequence[Bounds], position: Position, player: int) -> BoolOrArray:
    """Whether this player's tokens are home: all of them, or one where one is enough."""
    stretch = bounds[player]
    places = player_tokens(rules, position, player)
    done = stretch.has_reached_goal(places[0])
    for place in places[1:]:
        done = (
            done & stretch.has_reached_goal(place) if rules.finish == "all" else done | stretch.has_reached_goal(place)
        )
    return done


def goal_winner(rules: Rules, bounds: Sequence[Bounds], position: Position) -> IntOrArray:
    """The player whose goal is reached and who is still in, 0 for nobody; of several the one who has just moved."""
    winner: IntOrArray = NO_WINNER
    mover = next_active(position.turn, position.out, rules.players, direction=-1)  # unless that one is out now
    for player in range(1, rules.players + 1):
        done = logical_and(has_finished(rules, bounds, position, player), logical_not(position.is_out(player)))
        winner = where(logical_and(done, logical_or(winner == NO_WINNER, mover == player)), player, winner)
    return winner


def last_active_player(rules: Rules, out: IntOrArray) -> IntOrArray:
    """The only player still in, 0 where there are more."""
    everyone = (1 << rules.players) - 1
    last: IntOrArray = NO_WINNER
    for player in range(1, rules.players + 1):
        last = where(out == everyone - (1 << (player - 1)), player, last)
    return last
