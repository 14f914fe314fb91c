"""Forced wins of any mixture of rules, found by scanning all states repeatedly."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from support.reference_rules.mixtures import State, after, moves, start, winner

Graph = dict[State, dict[str, State]]


def every_state(rules: Any, beginners: Iterable[int]) -> Graph:
    """All states that can be reached if one of these begins, and where each of their moves leads."""
    graph: Graph = {}
    waiting = [start(rules, first) for first in beginners]
    while waiting:
        state = waiting.pop()
        if state not in graph:
            graph[state] = {text: after(rules, state, text) for text in moves(rules, state)}
            waiting += graph[state].values()
    return graph


def wins_of(player: int, rules: Any, graph: Graph) -> dict[State, int]:
    """The states in which this player can force a win against all the others, and in how many plies.

    For the player to move, one move to such a state is enough; for any other player, all moves must lead to one.
    Each round looks one ply further, so the player hurries and the others hold out.
    """
    found = {state: 0 for state in graph if winner(rules, state) == player}
    for plies in count(1):
        new = [
            state
            for state, following in graph.items()
            if following
            and state not in found
            and (any if state.turn == player else all)(one in found for one in following.values())
        ]
        if not new:
            break
        found |= dict.fromkeys(new, plies)
    return found


class Forcing:
    """Who can force a win, from every state of a mixture."""

    def __init__(self, rules: Any) -> None:
        players = range(1, rules.players + 1)
        self.rules = rules
        self.graph = every_state(rules, players)
        self.wins = {player: wins_of(player, rules, self.graph) for player in players}

    def forced(self, state: State) -> tuple[int, int | None]:
        """Return who can force a win and in how many plies; (0, None) if no player can."""
        for player, found in self.wins.items():
            if state in found:
                return player, found[state]
        return 0, None

    def value(self, state: State, player: int) -> str:
        """Return the value of a state for a player; with three or more, a player who is out has lost (M8)."""
        winner, _ = self.forced(state)
        if winner == player:
            return "win"
        if winner or (self.rules.players > 2 and player in state.out):
            return "loss"
        return "endless" if self.rules.players == 2 else "open"

    def rank(self, state: State, text: str) -> tuple[int, int]:
        """How good a move is for the player to move: the greater, the better."""
        following = self.graph[state][text]
        plies = self.forced(following)[1] or 0
        if self.rules.players > 2 and state.turn in following.out:
            return -2, 0  # nothing is worse than going out (M8)
        return {"win": (1, -plies), "loss": (-1, plies)}.get(self.value(following, state.turn), (0, 0))

    def best(self, state: State) -> set[str]:
        ranks = {text: self.rank(state, text) for text in self.graph[state]}
        return {text for text, rank in ranks.items() if rank == max(ranks.values())}
