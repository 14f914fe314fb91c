"""Events sent to clients: rooms create typed events, which are encoded once for all subscribers of a room.

Encoded parts that are sent repeatedly (positions, plies and their values) share one bounded cache.
"""

from __future__ import annotations

from asyncio import Future
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import pydantic_core

from numberline.errors import BookError
from numberline.explain.explanation import explain_briefly, hint
from numberline.explain.queries import AnalysisError
from numberline.explain.review import review
from numberline.game import Book, Match, Outcome, Ply, Position
from numberline.game.loader import restore_book
from numberline.game.settings import split_variant
from numberline.solver.cache import MIN_CACHED_POSITIONS, cached_solution
from numberline.solver.index import max_positions
from numberline.views.board import book_view, placeholders, position_view
from numberline.views.match import last_ply, to_json
from numberline.views.review import evaluate_position, mark_view, turning_point_template, values_view
from numberline.web.protocol.errors import ApiError

_MAX_CACHE_BYTES = 12 << 20  # all positions of the shipped books need about half of this
# The solver caches larger solutions on disk; this limit prevents clients from filling the disk.
MAX_POSITIONS = MIN_CACHED_POSITIONS - 1
# Limit for `solver_work`; solving a larger book could exceed a job's time limit or use too much memory.
MAX_SOLVER_WORK = 5_000_000
TOO_BIG_MESSAGE = "This variant is too big to solve here. Try a shorter line or fewer tokens."
# Views of books with more moves than this take too long for the event loop.
MAX_QUICK_MOVES = 50
_MAX_BOOKS = 256
_ENTRY_OVERHEAD_BYTES = 300
VALUES, MARK, POINT = "values", "mark", "point"
EvaluationKey = tuple[str, Position, str]
"""Kind, position and move. `VALUES` evaluates a position and its moves; `POINT`, a position; `MARK`, a move."""
Evaluations = dict[EvaluationKey, bytes]


def encode_json(value: Any) -> bytes:
    return pydantic_core.to_json(value)  # several times faster than `json.dumps`


class _ByteLruCache:
    """LRU cache of byte strings with a limit on their total size."""

    def __init__(self) -> None:
        self._size = 0
        self._entries: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    def get(self, key: tuple[Any, ...]) -> bytes | None:
        data = self._entries.get(key)
        if data is not None:
            self._entries.move_to_end(key)
        return data

    def put(self, key: tuple[Any, ...], data: bytes) -> bytes:
        """Store an entry and return its data."""
        self._size += len(data) + _ENTRY_OVERHEAD_BYTES
        self._entries[key] = data
        while self._size > _MAX_CACHE_BYTES and len(self._entries) > 1:
            _, evicted = self._entries.popitem(last=False)
            self._size -= len(evicted) + _ENTRY_OVERHEAD_BYTES
        return data


class BookEncoder:
    """Encoder for one book; caches the encoded parts that all its matches share."""

    def __init__(self, book: Book, cache: _ByteLruCache, serial: int) -> None:
        self.book = book
        self.supports_review = book.rules.players == 2
        self._cache = cache
        self._serial = serial  # used in cache keys because it is shorter than the variant's name
        self.in_progress: dict[EvaluationKey, Future[Evaluations]] = {}

    @cached_property
    def book_json(self) -> bytes:
        return encode_json(to_json(book_view(self.book)))

    @cached_property
    def is_solvable(self) -> bool:
        return is_solvable(self.book)

    def is_slow(self, position: Position) -> bool:
        """Return whether encoding a position or the book itself would block the event loop for too long."""
        return "book_json" not in vars(self) or (
            len(self.book.choices) > MAX_QUICK_MOVES and not self._cache.get((self._serial, position))
        )

    def position(self, position: Position, encoded: bytes = b"") -> bytes:
        """Return the encoded view of a position; pass `encoded` if the view was already encoded in the `SolverPool`."""
        key = (self._serial, position)
        return self._cache.get(key) or self._cache.put(key, encoded or encode_position(self.book, position))

    def ply(self, number: int, ply: Ply, sentence: str = "") -> bytes:
        """Return the encoded view of a ply; `sentence`, if given, replaces the book's description of it."""
        key = (self._serial, ply.before, ply.move, sentence)
        data = self._cache.get(key)
        if data is None:
            view = to_json(last_ply(_replay_ply(self.book, ply.before, ply.move)))
            del view["number"]
            if sentence:
                view |= {"said": sentence, "told": sentence}
            data = self._cache.put(key, encode_json(view)[1:])
        return b'{"number":%d,%s' % (number, data)

    def cached_evaluations(self, keys: Sequence[EvaluationKey]) -> tuple[Evaluations, list[EvaluationKey]]:
        """Return the cached evaluations, and the keys that are not cached."""
        found = {key: data for key in keys if (data := self._cache.get((self._serial, *key)))}
        return found, [key for key in keys if key not in found]

    def register_evaluation(self, keys: Sequence[EvaluationKey], future: Future[Evaluations]) -> None:
        """Mark `keys` as in progress so that they are computed only once, and cache the future's result."""
        self.in_progress |= dict.fromkeys(keys, future)

        def store_result(future: Future[Evaluations]) -> None:
            for key in keys:
                self.in_progress.pop(key, None)
            if not future.cancelled() and future.exception() is None:
                for key, data in future.result().items():
                    self._cache.put((self._serial, *key), data)

        future.add_done_callback(store_result)


# `evaluate`, `encode_turning_point` and `answer` need the solution, so they run in the `SolverPool`.


def evaluate(book: Book, keys: Iterable[EvaluationKey]) -> Evaluations:
    solution = cached_solution(book)
    found = {}
    for kind, position, move in dict.fromkeys(keys):
        view: Any
        if kind == VALUES:
            view = values_view(solution, position, placeholders(book))
        elif kind == POINT:
            view = to_json(evaluate_position(solution, 0, position))
            del view["number"]  # the rest is the same after any number of plies
        else:
            view = mark_view(solution, 1, _replay_ply(book, position, move).plies[0])
        found[kind, position, move] = encode_json(to_json(view))
    return found


def encode_turning_point(match: Match) -> bytes:
    """Return encoded JSON members that describe the move that decided the game."""
    sentence, ply_number = turning_point_template(cached_solution(match.book), match)
    return b',"turning":%s,"turning_at":%d' % (encode_json(sentence), ply_number)


def answer(what: str, match: Match) -> tuple[str, str]:
    """Return the text of a hint, best move or explanation, and the move itself if `what` is `move`."""
    solution, position, names = cached_solution(match.book), match.position, placeholders(match.book)
    if match.outcome:
        point = review(solution, match).turning_point if what == "why" else None
        if point is None:
            raise AnalysisError(f"the game is over{', and no single move decided it' if what == 'why' else ''}")
        position = match.plies[point.number - 1].before
    if what == "why":
        return explain_briefly(solution, position, names), ""
    found = hint(solution, position, 2 if what == "move" else 1, names)
    return found.text, found.move if what == "move" else ""


def encode_position(book: Book, position: Position) -> bytes:
    return encode_json(to_json(position_view(book, position, placeholders(book))))


def _replay_ply(book: Book, before: Position, move: str) -> Match:
    match = Match(book, names=placeholders(book), start=before)
    match.replay(move)
    return match


def solver_work(book: Book) -> int:
    """Return an estimate of the work needed to solve a book: positions times moves."""
    return max_positions(book) * (len(book.choices) + 1)


def is_solvable(book: Book) -> bool:
    """Return whether a book is small enough for the server to solve it."""
    return max_positions(book) <= MAX_POSITIONS and solver_work(book) <= MAX_SOLVER_WORK


def load_book(variant: str, source: str | None, offered_books: Mapping[str, str] = MappingProxyType({})) -> Book:
    """Return the book for a variant without reading files on the server; `source` is the TOML source of a custom book.

    If `source` is None, it is looked up in `offered_books`, which maps the names of custom books to their sources.
    """
    try:
        name = split_variant(variant)[0]
        source = offered_books.get(name) if source is None else source
        if source is None and (name.endswith(".toml") or "/" in name or "\\" in name):
            raise ApiError("no_such_variant", "File names are not accepted here. Paste the text of the book instead.")
        return restore_book(variant, source)
    except BookError as error:
        raise ApiError("no_such_variant", str(error)) from None


def book_encoder_cache(
    offered_books: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[str, str | None], BookEncoder]:
    """Return a cached function that maps a variant and its source to the book's encoder; see `load_book`."""
    cache, serials = _ByteLruCache(), count()

    @lru_cache(_MAX_BOOKS)
    def book_encoder(variant: str, source: str | None) -> BookEncoder:
        return BookEncoder(load_book(variant, source, offered_books), cache, next(serials))

    return book_encoder


class Frame(bytes):
    """Encoded event."""

    kind: str

    def __new__(cls, kind: str, data: bytes) -> Self:
        frame = super().__new__(cls, data)
        frame.kind = kind
        return frame


class Ack(NamedTuple):
    """Acknowledgement that a message was stored as event `seq`."""

    request: str
    seq: int


class Answer(NamedTuple):
    """Answer to an `AskMessage`."""

    request: str
    what: str
    text: str
    move: str


class Rejected(NamedTuple):
    """Rejection of a message."""

    request: str | None
    code: str
    sentence: str
    seq: int | None


class Presence(NamedTuple):
    """Connection status of each seat, and the number of watchers."""

    seats: Sequence[bool]
    watching: int


class Goodbye(NamedTuple):
    """Last event on a connection, with the reason for closing it."""

    sentence: str


_KINDS = {Ack: "ack", Answer: "answer", Rejected: "error", Presence: "presence", Goodbye: "goodbye"}


class MovePlayed(NamedTuple):
    """A move with the forced turns after it, and the resulting state of the match."""

    seq: int
    seat: int
    number: int
    """Number of the first ply, counted from 1."""
    plies: tuple[Ply, ...]
    outcome: Outcome | None
    clock: Mapping[str, object] | None
    values_visible: bool

    @property
    def evaluation_keys(self) -> list[EvaluationKey]:
        return _evaluation_keys(self.plies[-1].after, self.plies)


class Snapshot(NamedTuple):
    """Complete state of a match at one point in time."""

    seq: int
    match: Mapping[str, Any]
    """JSON-compatible description of the match, without its log and evaluations."""
    start: Position
    plies: tuple[Ply, ...]
    reasons: Mapping[int, str]
    """Sentences that replace the book's descriptions of plies, by ply number."""
    position: Position
    outcome: Outcome | None
    values_visible: bool

    @property
    def evaluation_keys(self) -> list[EvaluationKey]:
        return [(POINT, self.start, ""), *_evaluation_keys(self.position, self.plies)]


def _evaluation_keys(position: Position, plies: Iterable[Ply]) -> list[EvaluationKey]:
    """Return the keys of all evaluations needed for `position` and for each ply."""
    points = [(POINT, ply.after, "") for ply in plies]
    marks = [(MARK, ply.before, ply.move) for ply in plies]
    return [(VALUES, position, ""), *points, *marks]


def encode_event(event: Ack | Answer | Rejected | Presence | Goodbye) -> Frame:
    kind = _KINDS[type(event)]
    return Frame(kind, encode_json({"kind": kind, **event._asdict()}))


def encode_snapshot(
    snapshot: Snapshot, encoder: BookEncoder, evaluations: Evaluations | None, turning_point: bytes
) -> bytes:
    """Return the part of a snapshot that all subscribers share; `address_snapshot` adds the rest."""
    numbered = enumerate(snapshot.plies, 1)
    log = [encoder.ply(number, ply, snapshot.reasons.get(number, "")) for number, ply in numbered]
    match = encode_json(snapshot.match)[:-1] + b',"log":[%s]' % b",".join(log)
    values = b"null"
    if evaluations:
        values = evaluations[VALUES, snapshot.position, ""]
        if encoder.supports_review:
            positions = (snapshot.start, *(ply.after for ply in snapshot.plies))
            marks = b",".join(evaluations[MARK, ply.before, ply.move] for ply in snapshot.plies)
            points = b",".join(evaluations[POINT, position, ""] for position in positions)
            match += b',"marks":[%s],"series":[%s]' % (marks, points)
    return b',"book":%s,"match":%s},"position":%s,"values":%s}' % (
        encoder.book_json,
        match + turning_point,
        encoder.position(snapshot.position),
        values,
    )


def address_snapshot(seq: int, you: Sequence[int], body: bytes) -> Frame:
    """Return the complete snapshot frame for a subscriber whose seats are `you`."""
    seats = b",".join(b"%d" % seat for seat in you)
    return Frame("table", b'{"kind":"table","seq":%d,"you":[%s]' % (seq, seats) + body)


def encode_move(move: MovePlayed, encoder: BookEncoder, evaluations: Evaluations | None, turning_point: bytes) -> Frame:
    plies = move.plies
    logged = [encoder.ply(number, ply) for number, ply in enumerate(plies, move.number)]
    after = plies[-1].after
    data = (
        b'{"kind":"event","seq":%d,"seat":%d,"what":"%s","ply":%s,"position":%s,"values":%s,"outcome":%s,"clock":%s'
        % (
            move.seq,
            move.seat,
            plies[0].move.encode(),
            logged[0],
            encoder.position(after),
            evaluations[VALUES, after, ""] if evaluations else b"null",
            encode_json(to_json(move.outcome)),
            encode_json(move.clock),
        )
    )
    if len(plies) > 1:
        data += b',"plies":[%s]' % b",".join(logged)
    if evaluations and encoder.supports_review:
        marks = [evaluations[MARK, ply.before, ply.move] for ply in plies]
        points = [evaluations[POINT, ply.after, ""] for ply in plies]
        data += b',"mark":%s,"point":%s' % (marks[0], points[0])
        if len(plies) > 1:
            data += b',"marks":[%s],"points":[%s]' % (b",".join(marks), b",".join(points))
    return Frame("event", data + turning_point + b"}")
