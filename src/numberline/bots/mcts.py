"""Monte Carlo tree search, for games too large to solve.

Plain UCT: each simulation descends the tree, choosing moves by mean score plus an exploration bonus, adds one position,
plays a random game from it, and awards the winner a point.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar

from numberline.bots.bot import Bot, BotError, GameOver, parse_int
from numberline.game import Book, Position
from numberline.game.graph import GraphNode, position_graph

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

DEFAULT_SIMULATIONS = 1_000
DEFAULT_MOVE_BUDGET = 20_000  # maximum number of moves generated in a random game and, by default, in a search
MAX_PLAYOUT_PLIES = 500  # if a random game lasts longer, the players share the point equally
MAX_SIMULATIONS = 1_000_000
MAX_MOVE_BUDGET = 100_000_000  # generating more moves takes minutes


@dataclass(slots=True, eq=False)
class Node:
    """A position in the search tree, with the points scored by the player whose move led to it."""

    position: Position
    move: str = ""
    player: int = 0
    points: float = 0.0
    visits: int = 0
    children: list[Node] | None = None

    def uct_score(self, bonus: float) -> float:
        return self.points / self.visits + math.sqrt(bonus / self.visits) if self.visits else math.inf


class MctsBot(Bot):
    """`mcts`: plays the move with the most visits; each search starts with an empty tree."""

    usage: ClassVar[str] = f"mcts (mcts:N for N simulations per move, from 1 to {MAX_SIMULATIONS})"

    def __init__(self, name: str, book: Book, rng: Random, simulations: int | None = None) -> None:
        super().__init__(name, book, rng)
        self.limit_s = math.inf
        """Seconds after which a search stops, whatever the number of simulations."""
        self.simulations = simulations or DEFAULT_SIMULATIONS
        self.move_budget = math.inf if simulations else DEFAULT_MOVE_BUDGET
        self._graph = position_graph(book, GraphNode)
        if self.simulations * DEFAULT_MOVE_BUDGET > MAX_MOVE_BUDGET:
            self._check_effort()

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:  # noqa: ARG003
        if detail is None:
            return cls("mcts", book, rng)
        simulations = parse_int(detail)
        return cls(f"mcts:{simulations}", book, rng, simulations) if 1 <= simulations <= MAX_SIMULATIONS else None

    def _check_effort(self) -> None:
        """Raise `BotError` if choosing a move would take too long, estimated from one random game."""
        _, moves_per_game = self._play_out(self.book.start(), Random(0))
        if self.simulations * moves_per_game > MAX_MOVE_BUDGET:
            effort = f"it would examine {self.simulations * moves_per_game:,} moves per turn"
            limit = f"expected at most mcts:{MAX_MOVE_BUDGET // moves_per_game}"
            raise BotError(f"{self.name} can't play {self.book.variant}: {effort}; {limit}")

    def choose(self, position: Position) -> str:
        if not (legal := self._graph.node(position).moves):
            raise GameOver
        return legal[0] if len(legal) == 1 else self._search(position)

    def _search(self, position: Position) -> str:
        root = Node(position, visits=1)
        children = root.children = self._expand(root)
        simulations, budget, end = self.simulations, self.move_budget, time.monotonic() + self.limit_s
        while simulations > 0 and budget > 0 and time.monotonic() < end:
            self.progress(1 - simulations / self.simulations)
            path = self._descend(root)
            winner, generated = self._play_out(path[-1].position, self.rng)
            for node in path:
                node.visits += 1
                node.points += (node.player == winner) if winner else 1 / self.book.rules.players
            simulations -= 1
            budget -= generated
        return max(children, key=lambda node: (node.visits, node.points)).move

    def _descend(self, node: Node) -> list[Node]:
        """Return the path from `node` to a position that has not been visited, or to the end of a game."""
        path = [node]
        while node.visits:
            if node.children is None:
                node.children = self._expand(node)
            if not node.children:
                break
            bonus = 2 * math.log(node.visits)
            node = max(node.children, key=lambda child: child.uct_score(bonus))
            path.append(node)
        return path

    def _expand(self, node: Node) -> list[Node]:
        """Return the children of a node in random order, so that no move is favoured."""
        successors = self._graph.node(node.position).successors
        children = [Node(after, move, node.position.turn) for move, after in successors.items()]
        self.rng.shuffle(children)
        return children

    def _play_out(self, position: Position, rng: Random) -> tuple[int, int]:
        """Play a random game; return its winner (0 if it was cut off) and the number of moves generated."""
        node, generated = self._graph.node(position), 1
        for _ in range(MAX_PLAYOUT_PLIES):
            if node.outcome:
                return node.outcome.winner, generated
            generated += len(node.moves)
            if generated > DEFAULT_MOVE_BUDGET:
                break
            node = node.after(rng.choice(node.moves))
        return 0, generated
