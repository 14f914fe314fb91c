"""HTTP endpoints for books, positions, puzzles, lessons, reviews and a player's progress; nothing is stored here."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, lru_cache, partial
from random import Random
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator

from numberline.bots.levels import MAX_LEVEL, UNCALIBRATED, Calibration, calibration_of, favoured_start
from numberline.characters import AUTO, CHARACTERS
from numberline.explain.puzzle import PuzzlePool, daily_puzzles
from numberline.game.book import Book
from numberline.game.loader import NAMES, book_names
from numberline.game.loader import book as find_book
from numberline.game.match import Match
from numberline.game.notation import parse_records
from numberline.game.position import Position
from numberline.game.settings import split_variant
from numberline.progress import document
from numberline.progress.events import Changes, MatchFinished, apply, decode_event
from numberline.progress.ladder import stored_ladder
from numberline.solver.cache import cached_solution
from numberline.solver.index import max_positions
from numberline.text import quote
from numberline.views.board import PLACEHOLDERS, book_view, placeholders, position_view
from numberline.views.exercises import answer_view, lesson_view, own_puzzle_view, puzzle_view, reply_view
from numberline.views.form import apply_settings, form_view, rules_view
from numberline.views.match import to_json
from numberline.views.review import values_view
from numberline.web.ops.rate_limit import CURRENT_CLIENT
from numberline.web.protocol import messages
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import TOO_BIG_MESSAGE, is_solvable, load_book
from numberline.web.protocol.messages import JsonObject, MatchId, VariantPath, error_responses
from numberline.web.rooms.match_state import parse_start_position
from numberline.web.rooms.service import MatchService, review_match
from numberline.web.rooms.solver_pool import SolverPool, charge_for_view
from numberline.web.routes.matches import RequestIdentity

CUSTOM_BOOK_NAME = "my-book"
PUZZLES_PER_PAGE = 5
MAX_REVIEWED_GAMES = 50
RECORD_CHARS_PER_POINT = 10_000
DAMAGED_MESSAGE = "Your progress was damaged, so you have to start again. The damaged copy is still in this browser."
BOT_TITLES = {"random": "Random", "greedy": "Greedy", **{f"level:{n}": f"Level {n}" for n in range(1, MAX_LEVEL + 1)}}

BookLoader = Callable[[str, str | None], Awaitable[Book]]


def study_routes(pool: SolverPool, offered_books: Mapping[str, str]) -> APIRouter:
    """Return the routes; `offered_books` maps the names of custom books to their TOML sources."""
    router = APIRouter(prefix="/api")
    load: BookLoader = partial(pool.load, partial(load_book, offered_books=offered_books))

    async def solved_view(
        variant: str, view: Callable[..., object], *arguments: object, **options: object
    ) -> JsonObject:
        """Call `view` with the solution of a variant and `arguments`, and return the result as JSON."""
        book = await _load_solvable(load, variant)
        data: JsonObject = await pool.solve(book, partial(_solved_view, view, book, *arguments, **options))
        return data

    _add_book_routes(router, pool, load, offered_books)
    _add_own_puzzle_route(router, pool)

    @router.post("/review", responses=error_responses(413, 422))
    async def review(body: messages.ReviewRequest) -> JsonObject:
        """Review up to 50 games of a record file."""
        CURRENT_CLIENT.get().charge(len(body.record) // RECORD_CHARS_PER_POINT)
        matches = await pool.view(_parse_games, body.record)
        reviewed = matches[:MAX_REVIEWED_GAMES]
        games = [await review_match(pool, match, solved=is_solvable(match.book)) for match in reviewed]
        return {"games": games, "count": len(matches)}

    @router.get("/puzzles", responses=error_responses(403, 422))
    async def puzzles(
        book: Annotated[str, Query(max_length=500)] = "",
        near: Annotated[int | None, Query(ge=0, le=5_000)] = None,
        solved: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
        day: Annotated[dt.date | None, BeforeValidator(_parse_day)] = None,
    ) -> JsonObject:
        """Return the puzzles for a day, or random puzzles from one variant or all books, optionally near a rating."""
        if day:
            return {"puzzles": await pool.solve(None, _daily_puzzles, day)}
        chosen = await _load_solvable(load, book) if book else None
        books = [chosen] if chosen else [find_book(name) for name in NAMES]
        return {"puzzles": await pool.solve(chosen, _draw_puzzles, books, near, solved)}

    @router.post("/puzzles/answer", responses=error_responses(403, 413, 422))
    async def puzzle_answer(body: messages.PuzzleAnswerRequest) -> JsonObject:
        """Check an answer to a puzzle; an empty move skips the puzzle."""
        options = body.model_dump(exclude={"variant", "position", "move"})
        return await solved_view(body.variant, answer_view, body.position, body.move, **options)

    @router.get("/lessons", responses=error_responses())
    def lessons() -> JsonObject:
        """Return the books that have a lesson."""
        books = [find_book(name) for name in book_names()]
        return {"lessons": [{"variant": book.name, "title": book.title, "about": book.about} for book in books]}

    @router.get("/lessons/{variant:path}", responses=error_responses(403, 404, 422))
    async def lesson(variant: VariantPath) -> JsonObject:
        """Return the lesson for a variant."""
        return await solved_view(variant, lesson_view)

    @router.post("/lessons/answer", responses=error_responses(403, 413, 422))
    async def lesson_answer(body: messages.LessonAnswerRequest) -> JsonObject:
        """Check an answer to an exercise; an empty move asks for the solution."""
        return await solved_view(body.variant, reply_view, body.step, body.move)

    return router


async def _load_solvable(load: BookLoader, variant: str) -> Book:
    book = await load(variant, None)
    if not is_solvable(book):
        raise ApiError("too_many_positions", TOO_BIG_MESSAGE)
    return book


def _solved_view(view: Callable[..., object], book: Book, *arguments: object, **options: object) -> Any:
    return to_json(view(cached_solution(book), *arguments, **options))


# Books and positions


def _add_book_routes(router: APIRouter, pool: SolverPool, load: BookLoader, offered_books: Mapping[str, str]) -> None:
    @router.get("/books", responses=error_responses())
    def books() -> JsonObject:
        """Return all available books and bots."""
        cards = [_book_card(load_book(name, None, offered_books)) for name in (*book_names(), *offered_books)]
        bots = [*map(_opponent, CHARACTERS), *({"bot": bot, "title": title} for bot, title in BOT_TITLES.items())]
        return {"books": cards, "bots": bots}

    @router.get("/books/{variant:path}/opponents", responses=error_responses(404, 422))
    async def opponents(variant: VariantPath) -> JsonObject:
        """Return the opponents for a variant, a note if there are few, and who must start so that player 1 can win."""
        book = await load(variant, None)
        found, favoured = await pool.solve(book, _calibration, book) if is_solvable(book) else (UNCALIBRATED, 1)
        listed = [_opponent(key) for key in (AUTO, *found.characters)]
        return {"opponents": listed, "note": found.note, "favoured": favoured}

    @router.get("/books/{variant:path}/positions", responses=error_responses(404, 422))
    async def positions(
        variant: VariantPath, p: Annotated[str, Query(min_length=1, max_length=500)] = "", *, values: bool = False
    ) -> JsonObject:
        """Return a position in a variant (by default the starting position), with its values if requested."""
        book = await load(variant, None)
        return await _position_detail(pool, book, parse_start_position(book, p) if p else book.start(), values=values)

    @router.post("/positions", responses=error_responses(413, 422))
    async def custom_position(body: messages.PositionRequest) -> JsonObject:
        """Return a position in a custom book, with its values if requested."""
        book = await load(body.variant, body.source)
        return await _position_detail(pool, book, parse_start_position(book, body.position), values=body.values)

    @router.get("/books/{variant:path}", responses=error_responses(404, 422))
    async def one_book(variant: VariantPath) -> JsonObject:
        """Return the board, rules and settings of a variant."""
        return await pool.view(_book_detail, charge_for_view(await load(variant, None)))

    @router.post("/books", responses=error_responses(413, 422))
    async def changed_book(body: messages.BookRequest) -> JsonObject:
        """Return a variant with changed settings, or a custom book."""
        if body.variant is None and body.source is None:
            raise ApiError("bad_message", "The request must contain a variant or a source.")
        book = await load(body.variant or CUSTOM_BOOK_NAME, body.source)
        book = await pool.view(apply_settings, book, body.settings)
        return await pool.view(_book_detail, charge_for_view(book))


async def _position_detail(pool: SolverPool, book: Book, position: Position, *, values: bool) -> JsonObject:
    names = placeholders(charge_for_view(book))
    found = None
    if values and is_solvable(book):
        found = await pool.solve(book, _solved_view, values_view, book, position, names)
    return {"position": to_json(await pool.view(position_view, book, position, names)), "values": found}


def _opponent(key: str) -> JsonObject:
    _, title, name, about, _ = CHARACTERS[key]
    return {"bot": key, "title": title, "name": name, "about": about}


def _book_card(book: Book) -> JsonObject:
    view = to_json(book_view(book))
    return {"book": view, "goal": view["goal"], "position": to_json(position_view(book, book.start(), PLACEHOLDERS))}


def _book_detail(book: Book) -> JsonObject:
    rules = to_json(rules_view(book))
    return {
        "book": to_json(book_view(book)),
        "opening": rules["opening"],
        "rules": rules["sections"],
        "changes": rules["changes"],
        "settings": to_json(form_view(book)),
        "position": to_json(position_view(book, book.start(), PLACEHOLDERS)),
        "size": max_positions(book),
        "solved": is_solvable(book),
        "source": book.source,
    }


def _calibration(book: Book) -> tuple[Calibration, int]:
    return calibration_of(book, cached_solution(book)), favoured_start(book)


# Reviews


def _parse_games(record: str) -> list[Match]:
    for line in record.splitlines():
        name = split_variant(line.removeprefix("variant:"))[0] if line.startswith("variant:") else ""
        if "/" in name or "\\" in name or name.endswith(".toml"):
            raise ApiError("bad_record", "This record refers to a book file. It must contain the text of the book.")
    return parse_records(record, "the record")


# Puzzles


def _parse_day(day: str | None) -> dt.date | None:
    """Parse a date; pydantic would interpret a bare number as a Unix timestamp."""
    try:
        return dt.datetime.strptime(day, "%Y-%m-%d").date() if day is not None else None  # noqa: DTZ007 - only a date
    except ValueError:
        raise ValueError(f"expected a date such as 2026-01-31, not {quote(day or '')}") from None


def _draw_puzzles(books: list[Book], near: int | None, solved: int) -> list[JsonObject]:
    """Return puzzles from `books` and their variants, or from a single custom book or variant."""
    varied = len(books) > 1 or (books[0].source is None and books[0].variant == books[0].name)
    pool = PuzzlePool(books, Random(), varied=varied, solved=solved)
    drawn = [found for _ in range(PUZZLES_PER_PAGE) if (found := pool.draw(near))]
    return [to_json(puzzle_view(found.solution, found.puzzle)) for found in drawn]


def _add_own_puzzle_route(router: APIRouter, pool: SolverPool) -> None:
    @router.post("/puzzles/mine", responses=error_responses(403, 413, 422))
    async def own_puzzles(body: messages.OwnPuzzlesRequest) -> JsonObject:
        """Return puzzles made from the mistakes that decided lost games; `game` is the index of the record."""
        CURRENT_CLIENT.get().charge(sum(map(len, body.records)) // RECORD_CHARS_PER_POINT)
        found = []
        for number, record in enumerate(body.records):
            for match in (await pool.view(_parse_games, record))[:1]:
                if match.book.rules.players == 2 and is_solvable(match.book):
                    view = await pool.solve(match.book, _solved_view, own_puzzle_view, match.book, match)
                    found += [{**view, "game": number}] if view else []
        return {"puzzles": found}


@lru_cache(16)
def _daily_puzzles(day: dt.date) -> list[JsonObject]:
    return [to_json(puzzle_view(found.solution, found.puzzle)) for found in daily_puzzles(day)]


# Finished matches and progress


def progress_routes(service: MatchService) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/matches/{match}/ending", responses=error_responses(403, 404, 422))
    async def ending(match: MatchId, request: Request, *, helped: bool = False) -> JsonObject:
        """Return a summary of the finished round for this client; `helped` is true if it used a hint or an undo."""
        return await service.ending(match, RequestIdentity(request).token, helped=helped)

    @router.post("/matches/{match}/retry", responses=error_responses(403, 404, 422))
    async def retry(match: MatchId, body: messages.RetryRequest, request: Request) -> JsonObject:
        """Judge a new attempt at the decisive move; return a comment and the move to play ("" to allow a retry)."""
        return await service.retry(match, RequestIdentity(request).token, body)

    @router.post("/progress", responses=error_responses(403, 404, 413, 422, 503))
    async def update(body: messages.ProgressRequest, request: Request) -> JsonObject:
        """Add an event or exported progress to a progress document, and return the new document and the changes."""
        if len(json.dumps(body.document)) > document.MAX_DOCUMENT_BYTES:
            raise ApiError("too_large", f"A progress document can be at most {document.MAX_DOCUMENT_BYTES} bytes long.")
        notice, changes = "", Changes()
        try:
            progress = document.Progress() if body.document is None else document.decode(body.document)
        except document.ProgressError:
            progress, notice = document.Progress(), DAMAGED_MESSAGE
        if body.text is not None:
            progress = document.merge(progress, document.import_text(body.text))
        if body.event is not None:
            event = decode_event(body.event)
            if isinstance(event, MatchFinished):
                event = await service.finished_game(event, RequestIdentity(request).token)
            progress, changes = apply(progress, event)
        day = document.decode_value(dt.date, body.day, "day") if body.day else None
        return {
            "document": document.encode(progress),
            "changes": to_json(changes),
            "notice": notice,
            "greeting": document.greeting(progress, day) if day else "",
            "share": progress.puzzles.share_line(day) if day else "",
            "text": document.export_text(progress),
        }

    @router.get("/ladders", responses=error_responses())
    def ladders(response: Response) -> JsonObject:
        """Return the ladders of the built-in books."""
        response.headers["Cache-Control"] = "public, max-age=86400"
        return {"ladders": [{"book": name, "steps": _ladder(name)} for name in NAMES]}

    return router


@cache
def _ladder(name: str) -> list[JsonObject]:
    steps = stored_ladder(find_book(name))
    added = ("first", "heading", "introduction")
    return [step._asdict() | {name: getattr(step, name) for name in added} for step in steps]
