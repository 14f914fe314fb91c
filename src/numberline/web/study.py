"""Books, positions, puzzles, lessons and records over HTTP: everything that needs no match."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from functools import lru_cache
from random import Random
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from pydantic import BeforeValidator

from numberline.analysis.drawing import PuzzlePool, daily
from numberline.book.book import Book
from numberline.book.loader import NAMES
from numberline.book.loader import book as shelved
from numberline.book.variants import split_variant
from numberline.notation import read_records
from numberline.rules.errors import shown
from numberline.rules.position import Position
from numberline.solver.store import solution_of
from numberline.solver.table import most_positions
from numberline.views.board import PLACEHOLDERS, book_view, position_view
from numberline.views.form import filled_in, form_view
from numberline.views.lesson import lesson_view, reply_view
from numberline.views.puzzle import answer_view, puzzle_view
from numberline.views.review import review_view
from numberline.views.rules import rules_view
from numberline.views.table import plain
from numberline.views.values import values_view
from numberline.web.making import book_of, position_of
from numberline.web.models import (
    BookModel,
    LessonAnswerModel,
    Part,
    PositionModel,
    PuzzleAnswerModel,
    RecordModel,
    VariantPath,
    problems,
)
from numberline.web.refusals import Refusal
from numberline.web.shown import MOST_POSITIONS

OWN_BOOK = "my-book"
"""What a pasted book is called."""
PUZZLES = 5
"""So many puzzles are given at a time."""
MOST_REVIEWED = 50
"""So many games of one record are looked back at."""
BOTS = {"random": "Random", "greedy": "Greedy", **{f"level:{n}": f"Level {n}" for n in range(1, 11)}}
"""The programs that a page offers, and what it calls them."""
TOO_MANY = (
    "This variant has too many positions to know what they are worth. With a shorter line or fewer tokens it works."
)

T = TypeVar("T")
Solving = Callable[[Callable[[], T]], Awaitable[T]]
"""Does something in the one thread that solves."""


def solvable(game: Book) -> bool:
    """Whether a page is told what the moves of a book are worth."""
    return most_positions(game) <= MOST_POSITIONS


def need_solvable(game: Book) -> None:
    """Raises where a book has too many positions."""
    if not solvable(game):
        raise Refusal("too_many_positions", TOO_MANY)


def study(solving: Solving[Any]) -> APIRouter:
    """The paths; what needs a solution is worked out by `solving`."""
    router = APIRouter(prefix="/api")

    @router.get("/books", responses=problems())
    def books() -> Part:
        """The five books, and the programs that play them."""
        found = [_card(shelved(name)) for name in NAMES]
        return {"books": found, "bots": [{"bot": bot, "title": title} for bot, title in BOTS.items()]}

    @router.get("/books/{variant:path}/positions", responses=problems(404, 422))
    async def positions(
        variant: VariantPath,
        p: Annotated[str, Query(min_length=1, max_length=500)] = "",
        *,
        values: bool = False,
    ) -> Part:
        """A position of a variant, and on request what it is worth; the first one where none is given."""
        game = book_of(variant, None)
        return await position_part(game, position_of(game, p) if p else game.start(), solving, values=values)

    @router.post("/positions", responses=problems(413, 422))
    async def own_position(asked: PositionModel) -> Part:
        """The same of a book of one's own."""
        game = book_of(asked.variant, asked.source)
        return await position_part(game, position_of(game, asked.position), solving, values=asked.values)

    @router.get("/books/{variant:path}", responses=problems(404, 422))
    def one_book(variant: VariantPath) -> Part:
        """A variant: its board, its rules and its settings."""
        return _whole(book_of(variant, None))

    @router.post("/books", responses=problems(413, 422))
    def changed_book(asked: BookModel) -> Part:
        """The same of a variant with other settings, or of a book of one's own."""
        if asked.variant is None and asked.source is None:
            raise Refusal("bad_message", "variant or source is needed: which book is it?")
        return _whole(filled_in(book_of(asked.variant or OWN_BOOK, asked.source), asked.settings))

    @router.post("/review", responses=problems(413, 422))
    async def review(asked: RecordModel) -> Part:
        """The games of a record, looked back at: the first ones where it has very many."""
        games, count = await solving(lambda: _reviews(asked.record))
        return {"games": games, "count": count}

    _puzzles(router, solving)
    _lessons(router, solving)
    return router


async def position_part(game: Book, position: Position, solving: Solving[Any], *, values: bool) -> Part:
    """A position as it is shown, and what it is worth where that is wanted and known."""
    known = values and solvable(game)
    worth = await solving(lambda: _values(game, position)) if known else None
    return {"position": plain(position_view(game, position, PLACEHOLDERS)), "values": worth}


def _values(game: Book, position: Position) -> Part:
    found: Part = plain(values_view(solution_of(game), position, PLACEHOLDERS[: game.rules.players]))
    return found


def _card(game: Book) -> Part:
    view = plain(book_view(game))
    return {"book": view, "goal": view["goal"], "position": plain(position_view(game, game.start(), PLACEHOLDERS))}


def _whole(game: Book) -> Part:
    rules = plain(rules_view(game))
    return {
        "book": plain(book_view(game)),
        "opening": rules["opening"],
        "rules": rules["sections"],
        "changes": rules["changes"],
        "settings": plain(form_view(game)),
        "position": plain(position_view(game, game.start(), PLACEHOLDERS)),
        "size": most_positions(game),
        "solved": solvable(game),
        "source": game.source,
    }


def _reviews(record: str) -> tuple[list[Part], int]:
    for line in record.splitlines():
        name = split_variant(line.removeprefix("variant:"))[0] if line.startswith("variant:") else ""
        if "/" in name or "\\" in name or name.endswith(".toml"):
            raise Refusal(
                "bad_record", "This record is of a book file that is not here; its text must be in the record."
            )
    matches = read_records(record, "the record")
    seen = [
        review_view(each, solution_of(each.book) if solvable(each.book) else None) for each in matches[:MOST_REVIEWED]
    ]
    return [plain(each) for each in seen], len(matches)


def _written_out(day: str | None) -> dt.date | None:
    """A day such as 2026-01-31; a bare number would be taken for seconds since 1970."""
    try:
        return dt.datetime.strptime(day, "%Y-%m-%d").date() if day is not None else None  # noqa: DTZ007 - a day, no time
    except ValueError:
        raise ValueError(f"expected a day such as 2026-01-31; found {shown(day or '')}") from None


def _puzzles(router: APIRouter, solving: Solving[Any]) -> None:
    @router.get("/puzzles", responses=problems(403, 422))
    async def puzzles(
        book: Annotated[str, Query(max_length=500)] = "",
        near: Annotated[int | None, Query(ge=0, le=5_000)] = None,
        day: Annotated[dt.date | None, BeforeValidator(_written_out)] = None,
    ) -> Part:
        """The five puzzles of a day; or some of a variant, or of all books, as hard as somebody is strong."""
        if day:
            return {"puzzles": await solving(lambda: _of_day(day))}
        games = [book_of(book, None)] if book else [shelved(name) for name in NAMES]
        for game in games:
            need_solvable(game)
        return {"puzzles": await solving(lambda: _some_puzzles(games, near, varied=not book))}

    @router.post("/puzzles/answer", responses=problems(403, 413, 422))
    async def puzzle_answer(asked: PuzzleAnswerModel) -> Part:
        """Whether a move is right, and what would have come of it; no move at all for a puzzle that is skipped."""
        game = book_of(asked.variant, None)
        need_solvable(game)
        found: Part = await solving(lambda: plain(answer_view(solution_of(game), asked.position, asked.move)))
        return found


def _some_puzzles(games: list[Book], near: int | None, *, varied: bool) -> list[Part]:
    pool = PuzzlePool(games, Random(), varied=varied)
    drawn = [found for _ in range(PUZZLES) if (found := pool.draw(near))]
    return [plain(puzzle_view(each.solution, each.puzzle)) for each in drawn]


@lru_cache(16)
def _of_day(day: dt.date) -> list[Part]:
    return [plain(puzzle_view(each.solution, each.puzzle)) for each in daily(day)]


def _lessons(router: APIRouter, solving: Solving[Any]) -> None:
    @router.get("/lessons", responses=problems())
    def lessons() -> Part:
        """The books, each of which has a lesson."""
        return {
            "lessons": [{"variant": name, "title": shelved(name).title, "about": shelved(name).about} for name in NAMES]
        }

    @router.get("/lessons/{variant:path}", responses=problems(403, 404, 422))
    async def lesson(variant: VariantPath) -> Part:
        """The lesson of a variant."""
        game = book_of(variant, None)
        need_solvable(game)
        found: Part = await solving(lambda: plain(lesson_view(solution_of(game))))
        return found

    @router.post("/lessons/answer", responses=problems(403, 413, 422))
    async def lesson_answer(asked: LessonAnswerModel) -> Part:
        """Whether the answer to the exercise of a step is right, and why; no move at all asks for the answer."""
        game = book_of(asked.variant, None)
        need_solvable(game)
        found: Part = await solving(lambda: plain(reply_view(solution_of(game), asked.step, asked.move)))
        return found
