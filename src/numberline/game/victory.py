"""Winning conditions: reaching a goal, and being the last player left."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.game.bounds import Bounds
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.position import Position, next_active
from numberline.game.rules import Rules

NO_WINNER = 0


def player_tokens(rules: Rules, position: Position, player: int) -> tuple[IntOrArray, ...]:
    """Return the places of the tokens that this player moves: their own, or the shared marker."""
    if rules.shared:
        return position.tokens
    return position.tokens[(player - 1) * rules.tokens : player * rules.tokens]


def has_finished(rules: Rules, bounds: Sequence[Bounds], position: Position, player: int) -> BoolOrArray:
    """Return whether enough of this player's tokens have reached a goal to win."""
    own = bounds[player]
    places = player_tokens(rules, position, player)
    done = own.has_reached_goal(places[0])
    for place in places[1:]:
        done = done & own.has_reached_goal(place) if rules.finish == "all" else done | own.has_reached_goal(place)
    return done


def goal_winner(rules: Rules, bounds: Sequence[Bounds], position: Position) -> IntOrArray:
    """Return the active player who has reached a goal, or 0; if several have, prefer the player who just moved."""
    winner: IntOrArray = NO_WINNER
    # The player who just moved, or, if that player is out, the last active player before them.
    mover = next_active(position.turn, position.out, rules.players, direction=-1)
    for player in range(1, rules.players + 1):
        done = logical_and(has_finished(rules, bounds, position, player), logical_not(position.is_out(player)))
        first = logical_or(winner == NO_WINNER, mover == player)
        winner = where(logical_and(done, first), player, winner, narrow=True)
    return winner


def last_active_player(rules: Rules, out: IntOrArray) -> IntOrArray:
    """Return the only player still in the game, or 0 if there are several."""
    everyone = (1 << rules.players) - 1
    last: IntOrArray = NO_WINNER
    for player in range(1, rules.players + 1):
        last = where(out == everyone - (1 << (player - 1)), player, last)
    return last
