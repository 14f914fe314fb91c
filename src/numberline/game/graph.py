"""Graph of a book's positions, which computes the legal moves, successors and outcome of each position only once.

It does not need NumPy. `Match`, the environments, the arena and the tree search share it instead of maintaining their
own caches.
"""

from __future__ import annotations

from functools import lru_cache
from operator import methodcaller
from typing import Any, Generic, Self, TypeVar
from weakref import ref

from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Outcome, Position

# A node takes about 1.4 kB, so the graphs of a process take up to about 220 MB.
MAX_NODES_PER_GRAPH = 10_000
MAX_SHARED_GRAPHS = 16


class GraphNode:
    """One position with its legal moves, its successors and its outcome.

    Subclasses can store additional data for each position: `PositionGraph(book, Subclass)`.
    """

    __slots__ = ("__weakref__", "_links", "graph", "moves", "outcome", "position", "successors", "turn")

    def __init__(self, graph: PositionGraph[Any], position: Position) -> None:
        self.graph = graph
        self.position = position
        self.turn = position.turn
        self.outcome: Outcome | None
        self.outcome, successors = graph.book.expand(position)
        self.successors: dict[str, Position] = dict(successors)
        self.moves: tuple[Move, ...] = tuple(move for move, _ in successors)
        # Weak references, so that only the graph's bounded cache keeps nodes in memory.
        self._links: dict[str, ref[Self]] = {}

    def after(self, move: str) -> Self:
        """Return the node after a legal move; raise KeyError for any other move."""
        link = self._links.get(move)
        node: Self | None = link() if link else None
        if node is None:
            node = self.graph.node(self.successors[move])
            self._links[move] = ref(node)
        return node

    def __deepcopy__(self, memo: object) -> GraphNode:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return methodcaller("node", self.position), (self.graph,)


NodeT = TypeVar("NodeT", bound=GraphNode)


class PositionGraph(Generic[NodeT]):
    """Thread-safe LRU cache of one book's nodes, each created on first use."""

    def __init__(self, book: Book, node_type: type[NodeT]) -> None:
        self.book = book
        self.node_type = node_type
        # lru_cache is thread-safe and, unlike a custom lock, can't be inherited in a locked state by a forked process.
        self.node = lru_cache(MAX_NODES_PER_GRAPH)(lambda position: node_type(self, position))

    def __deepcopy__(self, memo: object) -> PositionGraph[NodeT]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return position_graph, (self.book, self.node_type)


def position_graph(book: Book, node_type: type[NodeT]) -> PositionGraph[NodeT]:
    """Return the graph of a book for this node type, shared by all callers in the process."""
    return _shared_graph(book, node_type)  # type: ignore[arg-type]  # every type is hashable


_shared_graph = lru_cache(MAX_SHARED_GRAPHS)(PositionGraph)
