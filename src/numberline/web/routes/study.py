"""Books, positions, puzzles, lessons and records over HTTP: everything that needs no match."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from functools import lru_cache
from random import Random
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from pydantic import BeforeValidator

from numberline.explain.puzzle import PuzzlePool, daily_puzzles
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as shelved
from numberline.game.notation import parse_records
from numberline.game.position import Position
from numberline.game.variant_syntax import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.index import max_positions
from numberline.text import quote
from numberline.views.board import PLACEHOLDERS, book_view, position_view
from numberline.views.form import apply_settings, form_view
from numberline.views.lesson import lesson_view, reply_view
from numberline.views.match import to_json
from numberline.views.puzzle import answer_view, puzzle_view
from numberline.views.review import review_view
from numberline.views.rules import rules_view
from numberline.views.values import values_view
from numberline.web.protocol.book_encoder import MAX_POSITIONS
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.schemas import (
    BookRequest,
    JsonObject,
    LessonAnswerRequest,
    PositionRequest,
    PuzzleAnswerRequest,
    ReviewRequest,
    VariantPath,
    error_responses,
)
from numberline.web.rooms.match_factory import load_book, parse_start_position

CUSTOM_BOOK_NAME = "my-book"
"""What a pasted book is called."""
PUZZLES_PER_PAGE = 5
"""So many puzzles are given at a time."""
MAX_REVIEWED_GAMES = 50
"""So many games of one record are looked back at."""
BOT_TITLES = {"random": "Random", "greedy": "Greedy", **{f"level:{n}": f"Level {n}" for n in range(1, 11)}}
"""The programs that a page offers, and what it calls them."""
TOO_MANY_POSITIONS_MESSAGE = (
    "This variant has too many positions to know what they are worth. With a shorter line or fewer tokens it works."
)

T = TypeVar("T")
SolverRunner = Callable[[Callable[[], T]], Awaitable[T]]
"""Does something in the one thread that solves."""


def is_solvable(game: Book) -> bool:
    """Whether a page is told what the moves of a book are worth."""
    return max_positions(game) <= MAX_POSITIONS


def require_solvable(game: Book) -> None:
    """Raises where a book has too many positions."""
    if not is_solvable(game):
        raise ApiError("too_many_positions", TOO_MANY_POSITIONS_MESSAGE)


def study_routes(solving: SolverRunner[Any]) -> APIRouter:
    """The paths; what needs a solution is worked out by `solving`."""
    router = APIRouter(prefix="/api")

    @router.get("/books", responses=error_responses())
    def books() -> JsonObject:
        """The five books, and the programs that play them."""
        found = [_card(shelved(name)) for name in NAMES]
        return {"books": found, "bots": [{"bot": bot, "title": title} for bot, title in BOT_TITLES.items()]}

    @router.get("/books/{variant:path}/positions", responses=error_responses(404, 422))
    async def positions(
        variant: VariantPath,
        p: Annotated[str, Query(min_length=1, max_length=500)] = "",
        *,
        values: bool = False,
    ) -> JsonObject:
        """A position of a variant, and on request what it is worth; the first one where none is given."""
        game = load_book(variant, None)
        return await position_json(game, parse_start_position(game, p) if p else game.start(), solving, values=values)

    @router.post("/positions", responses=error_responses(413, 422))
    async def own_position(asked: PositionRequest) -> JsonObject:
        """The same of a book of one's own."""
        game = load_book(asked.variant, asked.source)
        return await position_json(game, parse_start_position(game, asked.position), solving, values=asked.values)

    @router.get("/books/{variant:path}", responses=error_responses(404, 422))
    def one_book(variant: VariantPath) -> JsonObject:
        """A variant: its board, its rules and its settings."""
        return _whole(load_book(variant, None))

    @router.post("/books", responses=error_responses(413, 422))
    def changed_book(asked: BookRequest) -> JsonObject:
        """The same of a variant with other settings, or of a book of one's own."""
        if asked.variant is None and asked.source is None:
            raise ApiError("bad_message", "variant or source is needed: which book is it?")
        return _whole(apply_settings(load_book(asked.variant or CUSTOM_BOOK_NAME, asked.source), asked.settings))

    @router.post("/review", responses=error_responses(413, 422))
    async def review(asked: ReviewRequest) -> JsonObject:
        """The games of a record, looked back at: the first ones where it has very many."""
        games, count = await solving(lambda: _reviews(asked.record))
        return {"games": games, "count": count}

    _puzzles(router, solving)
    _lessons(router, solving)
    return router


async def position_json(game: Book, position: Position, solving: SolverRunner[Any], *, values: bool) -> JsonObject:
    """A position as it is shown, and what it is worth where that is wanted and known."""
    known = values and is_solvable(game)
    worth = await solving(lambda: _values(game, position)) if known else None
    return {"position": to_json(position_view(game, position, PLACEHOLDERS)), "values": worth}


def _values(game: Book, position: Position) -> JsonObject:
    found: JsonObject = to_json(values_view(cached_solution(game), position, PLACEHOLDERS[: game.rules.players]))
    return found


def _card(game: Book) -> JsonObject:
    view = to_json(book_view(game))
    return {"book": view, "goal": view["goal"], "position": to_json(position_view(game, game.start(), PLACEHOLDERS))}


def _whole(game: Book) -> JsonObject:
    rules = to_json(rules_view(game))
    return {
        "book": to_json(book_view(game)),
        "opening": rules["opening"],
        "rules": rules["sections"],
        "changes": rules["changes"],
        "settings": to_json(form_view(game)),
        "position": to_json(position_view(game, game.start(), PLACEHOLDERS)),
        "size": max_positions(game),
        "solved": is_solvable(game),
        "source": game.source,
    }


def _reviews(record: str) -> tuple[list[JsonObject], int]:
    for line in record.splitlines():
        name = split_variant(line.removeprefix("variant:"))[0] if line.startswith("variant:") else ""
        if "/" in name or "\\" in name or name.endswith(".toml"):
            raise ApiError(
                "bad_record", "This record is of a book file that is not here; its text must be in the record."
            )
    matches = parse_records(record, "the record")
    seen = [
        review_view(each, cached_solution(each.book) if is_solvable(each.book) else None)
        for each in matches[:MAX_REVIEWED_GAMES]
    ]
    return [to_json(each) for each in seen], len(matches)


def _written_out(day: str | None) -> dt.date | None:
    """A day such as 2026-01-31; a bare number would be taken for seconds since 1970."""
    try:
        return dt.datetime.strptime(day, "%Y-%m-%d").date() if day is not None else None  # noqa: DTZ007 - a day, no time
    except ValueError:
        raise ValueError(f"expected a day such as 2026-01-31; found {quote(day or '')}") from None


def _puzzles(router: APIRouter, solving: SolverRunner[Any]) -> None:
    @router.get("/puzzles", responses=error_responses(403, 422))
    async def puzzles(
        book: Annotated[str, Query(max_length=500)] = "",
        near: Annotated[int | None, Query(ge=0, le=5_000)] = None,
        day: Annotated[dt.date | None, BeforeValidator(_written_out)] = None,
    ) -> JsonObject:
        """The five puzzles of a day; or some of a variant, or of all books, as hard as somebody is strong."""
        if day:
            return {"puzzles": await solving(lambda: _of_day(day))}
        games = [load_book(book, None)] if book else [shelved(name) for name in NAMES]
        for game in games:
            require_solvable(game)
        return {"puzzles": await solving(lambda: _some_puzzles(games, near, varied=not book))}

    @router.post("/puzzles/answer", responses=error_responses(403, 413, 422))
    async def puzzle_answer(asked: PuzzleAnswerRequest) -> JsonObject:
        """Whether a move is right, and what would have come of it; no move at all for a puzzle that is skipped."""
        game = load_book(asked.variant, None)
        require_solvable(game)
        found: JsonObject = await solving(
            lambda: to_json(answer_view(cached_solution(game), asked.position, asked.move))
        )
        return found


def _some_puzzles(games: list[Book], near: int | None, *, varied: bool) -> list[JsonObject]:
    pool = PuzzlePool(games, Random(), varied=varied)
    drawn = [found for _ in range(PUZZLES_PER_PAGE) if (found := pool.draw(near))]
    return [to_json(puzzle_view(each.solution, each.puzzle)) for each in drawn]


@lru_cache(16)
def _of_day(day: dt.date) -> list[JsonObject]:
    return [to_json(puzzle_view(each.solution, each.puzzle)) for each in daily_puzzles(day)]


def _lessons(router: APIRouter, solving: SolverRunner[Any]) -> None:
    @router.get("/lessons", responses=error_responses())
    def lessons() -> JsonObject:
        """The books, each of which has a lesson."""
        return {
            "lessons": [{"variant": name, "title": shelved(name).title, "about": shelved(name).about} for name in NAMES]
        }

    @router.get("/lessons/{variant:path}", responses=error_responses(403, 404, 422))
    async def lesson(variant: VariantPath) -> JsonObject:
        """The lesson of a variant."""
        game = load_book(variant, None)
        require_solvable(game)
        found: JsonObject = await solving(lambda: to_json(lesson_view(cached_solution(game))))
        return found

    @router.post("/lessons/answer", responses=error_responses(403, 413, 422))
    async def lesson_answer(asked: LessonAnswerRequest) -> JsonObject:
        """Whether the answer to the exercise of a step is right, and why; no move at all asks for the answer."""
        game = load_book(asked.variant, None)
        require_solvable(game)
        found: JsonObject = await solving(lambda: to_json(reply_view(cached_solution(game), asked.step, asked.move)))
        return found
