"""A bot for games too large to solve: it plays a game out at random many times, and goes where that went well.

This is Monte Carlo tree search with the UCT rule, and nothing more. Each simulation walks down the tree of what was
looked at so far. At each step it takes the move with the highest sum of its share of the points and a bonus for having
been tried seldom. It adds one position to the tree, plays on from there at random, and the winner gets a point.
"""

from __future__ import annotations

import math
from functools import lru_cache
from random import Random
from typing import Any

from numberline.bots.bot import Bot, BotError, GameOver
from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Position

DEFAULT_SIMULATIONS = 1_000
"""How many simulations a move gets, unless a number is given."""
DEFAULT_MOVE_BUDGET = 20_000
"""Unless a number is given, the bot also stops once it has looked at so many moves: random games can be long."""
MAX_PLAYOUT_PLIES = 500
"""A game played out at random is broken off after so many plies; then all players have an equal share of the point.

Where there are very many moves it is broken off sooner, after `DEFAULT_MOVE_BUDGET` of them.
"""
MAX_CACHED_POSITIONS = 20_000
"""So many positions are remembered with what can be played there."""
MAX_MOVE_BUDGET = 100_000_000
"""A number of simulations that would look at more moves than this, which takes minutes, is refused."""


class Node:
    """A position in the tree."""

    __slots__ = ("below", "move", "player", "points", "position", "visits")

    def __init__(self, position: Position, move: str = "", player: int = 0) -> None:
        self.position = position
        self.move = move
        """The move that led here."""
        self.player = player
        """Who made it, and whose points are counted here."""
        self.points = 0.0
        self.visits = 0
        self.below: list[Node] | None = None
        """What can be played here; None as long as that was not looked at."""

    def uct_score(self, bonus: float) -> float:
        """The share of the points and the bonus for few visits; what was never visited promises most."""
        return self.points / self.visits + math.sqrt(bonus / self.visits) if self.visits else math.inf


class MctsBot(Bot):
    """`mcts`: the move that was tried most. It begins each search anew."""

    def __init__(self, name: str, book: Book, rng: Random, simulations: int | None = None) -> None:
        super().__init__(name, book, rng)
        self.simulations = simulations or DEFAULT_SIMULATIONS
        self.move_budget = math.inf if simulations else DEFAULT_MOVE_BUDGET
        self._look = lru_cache(MAX_CACHED_POSITIONS)(self._looked)
        if self.simulations * DEFAULT_MOVE_BUDGET > MAX_MOVE_BUDGET:
            self._check_effort()

    def _check_effort(self) -> None:
        """Raises where a move would take for ever; how long a game is, one played at random tells."""
        rng, self.rng = self.rng, Random(0)  # the bot's own dice are for its games
        _, a_game = self._play_out(self.book.start())
        self.rng = rng
        if self.simulations * a_game > MAX_MOVE_BUDGET:
            effort = f"would look at {self.simulations * a_game:,} moves before each of its own"
            allowed = f"expected at most mcts:{MAX_MOVE_BUDGET // a_game}"
            raise BotError(f"{self.name} can't play {self.book.variant}: it {effort}; {allowed}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_look"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._look = lru_cache(MAX_CACHED_POSITIONS)(self._looked)

    def choose(self, position: Position) -> str:
        """The move that most simulations went to, or the only one there is."""
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return legal[0] if len(legal) == 1 else self._search(position)

    def _search(self, position: Position) -> str:
        root = Node(position)
        root.visits = 1
        below = root.below = self._grow(root)
        simulations, effort = self.simulations, self.move_budget
        while simulations > 0 and effort > 0:
            self.progress(1 - simulations / self.simulations)
            path = self._descend(root)
            winner, looked_at = self._play_out(path[-1].position)
            for node in path:
                node.visits += 1
                node.points += (node.player == winner) if winner else 1 / self.book.rules.players
            simulations -= 1
            effort -= looked_at
        return max(below, key=lambda node: (node.visits, node.points)).move

    def _descend(self, node: Node) -> list[Node]:
        """The way from here to a position that was not visited yet, or to an ending."""
        path = [node]
        while node.visits:
            if node.below is None:
                node.below = self._grow(node)
            if not node.below:
                break
            node = _most_promising(node.below, 2 * math.log(node.visits))
            path.append(node)
        return path

    def _grow(self, node: Node) -> list[Node]:
        """The nodes for what can be played, shuffled so that no move is favoured."""
        below = [Node(after, move, node.position.turn) for move, after in self._look(node.position)[1]]
        self.rng.shuffle(below)
        return below

    def _play_out(self, position: Position) -> tuple[int, int]:
        """Who wins a random game from here, 0 where it was broken off, and how many moves were looked at."""
        looked_at = 1
        for _ in range(MAX_PLAYOUT_PLIES):
            winner, followers = self._look(position)
            if winner:
                return winner, looked_at
            looked_at += len(followers)
            if looked_at > DEFAULT_MOVE_BUDGET:
                break
            _, position = self.rng.choice(followers)
        return 0, looked_at

    def _looked(self, position: Position) -> tuple[int, list[tuple[Move, Position]]]:
        """Who has won, and as long as nobody has, each move and what it leads to."""
        followers = self.book.successors(position)
        return 0 if followers else self.book.winner(position), followers


def _most_promising(nodes: list[Node], bonus: float) -> Node:
    return max(nodes, key=lambda node: node.uct_score(bonus))
