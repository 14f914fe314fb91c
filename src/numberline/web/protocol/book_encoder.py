"""Encoded parts of a book that are sent again and again: positions, plies and their values, in one bounded cache."""

from __future__ import annotations

import json
from asyncio import Future
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from numberline.bots.bot import Bot
from numberline.explain.queries import AnalysisError
from numberline.game.book import Book
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.position import Position
from numberline.solver.cache import MIN_CACHED_POSITIONS
from numberline.solver.index import max_positions
from numberline.views.board import book_view, placeholders, position_view
from numberline.views.match import last_ply, to_json

MAX_CACHE_BYTES = 64 << 20
# The solver stores larger solutions on the disk, which strangers could fill.
MAX_POSITIONS = MIN_CACHED_POSITIONS - 1
MAX_BOOKS = 256
ENTRY_OVERHEAD_BYTES = 300
VALUES, MARK, POINT = "values", "mark", "point"
EvaluationKey = tuple[str, Position, str]
"""Something only the solution knows: the values of a position, the mark of a move, or the winner with best play."""


def encode_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class ByteLruCache:
    """An LRU cache of bytes with a limit on their total size."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self.max_bytes = max_bytes
        self.size = 0
        self._entries: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    def get(self, key: tuple[Any, ...]) -> bytes | None:
        data = self._entries.get(key)
        if data is not None:
            self._entries.move_to_end(key)
        return data

    def put(self, key: tuple[Any, ...], data: bytes) -> bytes:
        """Store an entry and return its data."""
        replaced = self._entries.pop(key, None)
        if replaced is not None:
            self.size -= len(replaced) + ENTRY_OVERHEAD_BYTES
        self.size += len(data) + ENTRY_OVERHEAD_BYTES
        self._entries[key] = data
        while self.size > self.max_bytes and len(self._entries) > 1:
            _, evicted = self._entries.popitem(last=False)
            self.size -= len(evicted) + ENTRY_OVERHEAD_BYTES
        return data


class BookEncoder:
    """One book and the encoded parts that all its matches share."""

    def __init__(self, book: Book, cache: ByteLruCache, serial: int) -> None:
        self.book = book
        self.names = placeholders(book)
        self._cache = cache
        self._serial = serial  # part of the cache keys: shorter than the name of the variant
        self.in_progress: dict[EvaluationKey, Future[dict[EvaluationKey, bytes]]] = {}
        self.bots: dict[str, Bot] = {}

    @cached_property
    def book_json(self) -> bytes:
        return encode_json(to_json(book_view(self.book)))

    @cached_property
    def max_positions(self) -> int:
        return max_positions(self.book)

    @property
    def supports_review(self) -> bool:
        return len(self.names) == 2

    def position(self, position: Position) -> bytes:
        """Return the encoded view of a position."""
        key = (self._serial, position)
        return self._cache.get(key) or self._cache.put(
            key, encode_json(to_json(position_view(self.book, position, self.names)))
        )

    def ply(self, number: int, ply: Ply, sentence: str = "") -> bytes:
        """Return the encoded view of a ply; `sentence` replaces the book's own description."""
        key = (self._serial, ply.before, ply.move, sentence)
        data = self._cache.get(key)
        if data is None:
            view = to_json(last_ply(self._replay_ply(ply.before, ply.move)))
            del view["number"]
            if sentence:
                view |= {"said": sentence, "told": sentence}
            data = self._cache.put(key, encode_json(view)[1:])
        return b'{"number":%d,%s' % (number, data)

    def _replay_ply(self, before: Position, move: str) -> Match:
        match = Match(self.book, names=self.names, start=before)
        if move == RESIGN:
            match.resign()
        else:
            match.play(move)
        return match

    def cached_evaluations(
        self, keys: Iterable[EvaluationKey]
    ) -> tuple[dict[EvaluationKey, bytes], list[EvaluationKey]]:
        """Return the evaluations in the cache, and the keys of those that are missing."""
        found: dict[EvaluationKey, bytes] = {}
        missing = []
        for key in keys:
            data = self._cache.get((self._serial, *key))
            if data is None:
                missing.append(key)
            else:
                found[key] = data
        return found, missing

    def register_evaluation(self, keys: Iterable[EvaluationKey], future: Future[dict[EvaluationKey, bytes]]) -> None:
        """Record which evaluations a future computes, so that they are computed once, and cache its result."""
        keys = tuple(keys)
        self.in_progress |= dict.fromkeys(keys, future)

        def store_result(future: Future[dict[EvaluationKey, bytes]]) -> None:
            for key in keys:
                self.in_progress.pop(key, None)
            if not future.cancelled() and future.exception() is None:
                for key, data in future.result().items():
                    self._cache.put((self._serial, *key), data)

        future.add_done_callback(store_result)

    # These methods need the solution, so they run in the solver's thread.

    def evaluate(self, keys: Iterable[EvaluationKey]) -> dict[EvaluationKey, bytes]:
        from numberline.solver.cache import cached_solution
        from numberline.views.review import evaluate_position, mark_view
        from numberline.views.values import values_view

        solution = cached_solution(self.book)
        found = {}
        for key in dict.fromkeys(keys):
            kind, position, move = key
            view: Any
            if kind == VALUES:
                view = values_view(solution, position, self.names)
            elif kind == POINT:
                view = to_json(evaluate_position(solution, 0, position))
                del view["number"]  # the rest is the same after any number of plies
            else:
                view = mark_view(solution, 1, self._replay_ply(position, move).plies[0])
            found[key] = encode_json(to_json(view))
        return found

    def turning_point(self, match: Match) -> bytes:
        """Return the JSON members about the move that decided a game."""
        from numberline.solver.cache import cached_solution
        from numberline.views.review import turning_point_template

        sentence, ply_number = turning_point_template(cached_solution(self.book), match)
        return b',"turning":%s,"turning_at":%d' % (encode_json(sentence), ply_number)

    def answer(self, what: str, match: Match) -> tuple[str, str]:
        """Return a hint, the best move or an explanation, and the move that it names."""
        from numberline.explain.explanation import explain_position
        from numberline.explain.hint import hint
        from numberline.explain.review import review, turning_point
        from numberline.solver.cache import cached_solution

        solution, position = cached_solution(self.book), match.position
        if match.outcome:
            point = turning_point(review(solution, match))
            if what != "why" or point is None:
                raise AnalysisError("the game is over, and no single move decided it")
            position = match.plies[point.ply.number - 1].before
        if what == "why":
            return explain_position(solution, position, self.names).text, ""
        found = hint(solution, position, 2 if what == "move" else 1, self.names)
        return found.text, found.move if what == "move" else ""


class BookCache:
    """The encoders of the books that were used last."""

    def __init__(self, load: Callable[[str, str | None], Book]) -> None:
        self._load = load
        self._encoders: OrderedDict[tuple[str, str | None], BookEncoder] = OrderedDict()
        self._cache = ByteLruCache()
        self._serial = 0

    def encoder(self, variant: str, source: str | None = None) -> BookEncoder:
        """Return the encoder of a book; raise what loading the book raises."""
        key = (variant, source)
        encoder = self._encoders.get(key)
        if encoder is None:
            self._serial += 1
            encoder = self._encoders[key] = BookEncoder(self._load(variant, source), self._cache, self._serial)
            if len(self._encoders) > MAX_BOOKS:
                self._encoders.popitem(last=False)
        self._encoders.move_to_end(key)
        return encoder
