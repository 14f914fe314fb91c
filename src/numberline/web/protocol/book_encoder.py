"""What a table sends again and again: a book's positions, moves and their worth, encoded once and kept for a while."""

from __future__ import annotations

from asyncio import Future
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Any

from numberline.bots.bot import Bot
from numberline.explain.queries import AnalysisError
from numberline.game.book import Book
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.position import Position
from numberline.solver.cache import MIN_CACHED_POSITIONS
from numberline.solver.index import max_positions
from numberline.views.board import book_view, placeholders, position_view
from numberline.views.match import PlyView, last_ply, to_json
from numberline.web.protocol.decode import encode_frame

MAX_CACHE_BYTES = 64 << 20
"""So many bytes are kept in all; what nobody has asked for the longest goes first."""
MAX_POSITIONS = MIN_CACHED_POSITIONS - 1
"""No larger book is solved here: the solver keeps those on the disk, where strangers could fill it."""
MAX_BOOKS = 256
"""So many books are kept ready."""
MAX_CACHED_MOVES = 1_024
"""Of so many positions of each book it is remembered which moves are legal there."""
ENTRY_OVERHEAD_BYTES = 300
"""About what each thing takes besides its text."""
VALUES, MARK, POINT = "values", "mark", "point"
EvaluationKey = tuple[str, Position, str]
"""Something that only the solution knows: the values of a position, the mark of a move in it, who can force a win."""


class ByteLruCache:
    """Texts by what they are of, up to a size in all."""

    def __init__(self, largest: int = MAX_CACHE_BYTES) -> None:
        self.max_bytes = largest
        self.size = 0
        self._kept: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    def get(self, key: tuple[Any, ...]) -> bytes | None:
        """The text, if it is still there."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: tuple[Any, ...], text: bytes) -> bytes:
        """Keeps a text, and gives it back."""
        before = self._kept.pop(key, None)
        self.size += (
            len(text) + ENTRY_OVERHEAD_BYTES - (len(before) + ENTRY_OVERHEAD_BYTES if before is not None else 0)
        )
        self._kept[key] = text
        while self.size > self.max_bytes and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone) + ENTRY_OVERHEAD_BYTES
        return text


class BookEncoder:
    """One book and everything of it that is sent; the texts are shared by all its matches."""

    def __init__(self, book: Book, kept: ByteLruCache, serial: int) -> None:
        self.book = book
        self.names = placeholders(book)
        self._kept = kept
        self._serial = serial
        """Tells the books apart, quicker than their names would."""
        self.in_progress: dict[EvaluationKey, Future[dict[EvaluationKey, bytes]]] = {}
        """What is being worked out."""
        self.moves = lru_cache(MAX_CACHED_MOVES)(book.moves)
        """The legal moves of a position."""
        self.bots: dict[str, Bot] = {}
        """The programs that have played it."""

    @cached_property
    def whole(self) -> bytes:
        """The constant part."""
        return encode_frame(to_json(book_view(self.book)))

    @cached_property
    def size(self) -> int:
        """How many positions there are at the most."""
        return max_positions(self.book)

    @property
    def supports_review(self) -> bool:
        """Whether games can be looked back at move by move: those of two players."""
        return len(self.names) == 2

    def position(self, position: Position) -> bytes:
        """What is shown of a position."""
        key = (self._serial, position)
        return self._kept.get(key) or self._kept.put(
            key, encode_frame(to_json(position_view(self.book, position, self.names)))
        )

    def ply(self, number: int, ply: Ply, said: str = "") -> bytes:
        """What is shown of something that has happened; `said` is told of it where the book's own words won't do."""
        key = (self._serial, ply.before, ply.move, said)
        rest = self._kept.get(key)
        if rest is None:
            view = to_json(self.ply_view(ply))
            del view["number"]
            rest = self._kept.put(key, encode_frame(view | ({"said": said, "told": said} if said else {}))[1:])
        return b'{"number":%d,%s' % (number, rest)

    def ply_view(self, ply: Ply) -> PlyView:
        """What is shown of one ply, as the first of a log."""
        return last_ply(self._played(ply.before, ply.move))

    def _played(self, before: Position, move: str) -> Match:
        """A match of one ply."""
        match = Match(self.book, names=self.names, start=before)
        if move == RESIGN:
            match.resign()
        else:
            match.play(move)
        return match

    # What only the solution knows

    def evaluations(self, wanted: Iterable[EvaluationKey]) -> tuple[dict[EvaluationKey, bytes], list[EvaluationKey]]:
        """Those that are at hand, and those that are to be worked out."""
        found: dict[EvaluationKey, bytes] = {}
        missing = []
        for truth in wanted:
            text = self._kept.get((self._serial, *truth))
            if text is None:
                missing.append(truth)
            else:
                found[truth] = text
        return found, missing

    def register_evaluation(self, wanted: Iterable[EvaluationKey], future: Future[dict[EvaluationKey, bytes]]) -> None:
        """Notes what is being worked out, so that nobody else asks for it, and keeps what comes of it."""
        asked = tuple(wanted)
        self.in_progress |= dict.fromkeys(asked, future)

        def done(future: Future[dict[EvaluationKey, bytes]]) -> None:
            for truth in asked:
                self.in_progress.pop(truth, None)
            if not future.cancelled() and future.exception() is None:
                for truth, text in future.result().items():
                    self._kept.put((self._serial, *truth), text)

        future.add_done_callback(done)

    def evaluate(self, wanted: Iterable[EvaluationKey]) -> dict[EvaluationKey, bytes]:
        """Each of them from the solution; it may take long, so it is asked for in the thread that solves."""
        from numberline.solver.cache import cached_solution
        from numberline.views.review import evaluate_position, mark_view
        from numberline.views.values import values_view

        solution = cached_solution(self.book)
        found = {}
        for truth in dict.fromkeys(wanted):
            kind, position, move = truth
            view: Any
            if kind == VALUES:
                view = values_view(solution, position, self.names)
            elif kind == POINT:
                view = to_json(evaluate_position(solution, 0, position))
                del view["number"]  # it is the same after however many moves
            else:
                view = mark_view(solution, 1, self._played(position, move).plies[0])
            found[truth] = encode_frame(to_json(view))
        return found

    def turning_point(self, match: Match) -> bytes:
        """Where a game was decided, in a sentence; in the thread that solves."""
        from numberline.solver.cache import cached_solution
        from numberline.views.review import turning_sentence_template

        sentence: Any = turning_sentence_template(cached_solution(self.book), match)
        return encode_frame(sentence)

    def answer(self, what: str, match: Match) -> tuple[str, str]:
        """A hint, the move, or the reason why, with the move that it names; in the thread that solves."""
        from numberline.explain.explanation import explain_position
        from numberline.explain.hint import hint
        from numberline.explain.review import review, turning_point
        from numberline.solver.cache import cached_solution

        solution, position = cached_solution(self.book), match.position
        if match.outcome:
            point = turning_point(review(solution, match))
            if what != "why" or point is None:
                raise AnalysisError("the game is over and was decided by no single move")
            position = match.plies[point.ply.number - 1].before
        if what == "why":
            return explain_position(solution, position, self.names).text, ""
        found = hint(solution, position, 2 if what == "move" else 1, self.names)
        return found.text, found.move if what == "move" else ""


class BookCache:
    """The books that somebody plays or has played lately."""

    def __init__(self, find: Callable[[str, str | None], Book]) -> None:
        self._find = find
        self._books: OrderedDict[tuple[str, str | None], BookEncoder] = OrderedDict()
        self._kept = ByteLruCache()
        self._serial = 0

    def encoder(self, variant: str, source: str | None) -> BookEncoder:
        """A book and what is sent of it; raises what finding it raises where there is none."""
        key = (variant, source)
        found = self._books.get(key)
        if found is None:
            self._serial += 1
            found = self._books[key] = BookEncoder(self._find(variant, source), self._kept, self._serial)
            if len(self._books) > MAX_BOOKS:
                self._books.popitem(last=False)
        self._books.move_to_end(key)
        return found
