"""The position graph computes each position once, in bounded memory, and is thread-safe."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import numberline as nl
from numberline.game import graph as graph_module
from numberline.game.engine import Engine
from numberline.game.graph import GraphNode, PositionGraph, position_graph


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, nl.Position]]:
    """Count how often the engine scans a position and searches for its winner."""
    counted: Counter[tuple[str, nl.Position]] = Counter()

    def count(name: str) -> None:
        original = getattr(Engine, name)

        def counting(self: Engine, position: nl.Position, *rest: Any) -> Any:
            counted[name, position] += 1
            return original(self, position, *rest)

        monkeypatch.setattr(Engine, name, counting)

    count("scan_moves")
    count("winner")
    return counted


@pytest.mark.parametrize("name", nl.NAMES)
def test_node_has_the_moves_successors_and_outcome_of_its_book(name: str) -> None:
    book = nl.book(name)
    node = position_graph(book, GraphNode).node(book.start())
    while node.moves:
        assert node.turn == node.position.turn
        assert node.moves == book.moves(node.position)
        assert list(node.successors.items()) == book.successors(node.position)
        assert node.outcome is None
        assert node.after(node.moves[-1]).position == book.after(node.position, node.moves[-1])
        node = node.after(node.moves[-1])
    assert node.outcome == book.outcome(node.position)


def test_match_looks_at_each_position_once(calls: Counter[tuple[str, nl.Position]]) -> None:
    book = nl.book("flag-chase(end=31)")
    calls.clear()
    match = nl.Match(book)
    for _ in range(5):
        match.play(match.moves[0])
        assert match.outcome is None
    match.undo()
    with pytest.raises(nl.IllegalMove):
        match.play("9")
    assert match.moves
    assert len(calls) == 2 * 6
    assert set(calls.values()) == {1}


def test_illegal_move_raises_key_error() -> None:
    book = nl.book("flag-chase")
    with pytest.raises(KeyError):
        position_graph(book, GraphNode).node(book.start()).after("9")


def test_graph_is_bounded_and_links_keep_no_node_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "MAX_NODES_PER_GRAPH", 3)
    book = nl.book("line-runner(end=40)")
    node = PositionGraph(book, GraphNode).node(book.start())
    for _ in range(20):
        node = node.after(node.moves[0])
    gc.collect()
    graph = node.graph
    assert sum(isinstance(thing, GraphNode) and thing.graph is graph for thing in gc.get_objects()) <= 4
    assert node.after(node.moves[0]).position == book.after(node.position, node.moves[0])


def test_threads_share_a_graph() -> None:
    book = nl.book("number-line-sprint(end=60)")
    graph = PositionGraph(book, GraphNode)

    def walk(move: int) -> list[nl.Position]:
        node = graph.node(book.start())
        positions: list[nl.Position] = []
        while node.moves and len(positions) < 200:
            positions.append(node.position)
            node = node.after(node.moves[move % len(node.moves)])
        return positions

    moves = [*range(4)] * 8
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(walk, moves)) == [walk(move) for move in moves]


def test_node_travels_to_the_shared_graph_of_its_book() -> None:
    book = nl.book("flag-chase(end=12)")
    node = position_graph(book, GraphNode).node(book.start())
    assert pickle.loads(pickle.dumps(node)) is node  # noqa: S301 - our own
    assert copy.deepcopy(node) is node
