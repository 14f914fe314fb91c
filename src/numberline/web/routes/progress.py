"""HTTP endpoints for a player's progress, of which the server stores nothing: events, and the steps of the ladders."""

from __future__ import annotations

import json
from datetime import date
from functools import cache

from fastapi import APIRouter, Request, Response

from numberline.game.loader import NAMES
from numberline.game.loader import book as find_book
from numberline.progress.document import (
    MAX_DOCUMENT_BYTES,
    Progress,
    ProgressError,
    decode,
    decode_value,
    encode,
    export_text,
    greeting,
    import_text,
    merge,
)
from numberline.progress.events import Changes, MatchFinished, apply, decode_event
from numberline.progress.ladder import stored_ladder
from numberline.views.match import to_json
from numberline.web.protocol import messages
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import JsonObject, error_responses
from numberline.web.rooms.service import MatchService
from numberline.web.routes.matches import RequestIdentity

DAMAGED_MESSAGE = "Your progress was damaged, so it starts again. The old one is still in this browser."


def progress_routes(service: MatchService) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.post("/progress", responses=error_responses(403, 404, 413, 422, 503))
    async def update(body: messages.ProgressRequest, request: Request) -> JsonObject:
        """Add an event, or an exported text, to a document, and return the new document with what changed."""
        if len(json.dumps(body.document)) > MAX_DOCUMENT_BYTES:
            raise ApiError("too_large", f"A progress document can be at most {MAX_DOCUMENT_BYTES} bytes long.")
        notice, changes = "", Changes()
        try:
            progress = Progress() if body.document is None else decode(body.document)
        except ProgressError:
            progress, notice = Progress(), DAMAGED_MESSAGE
        if body.text is not None:
            progress = merge(progress, import_text(body.text))
        if body.event is not None:
            event = decode_event(body.event)
            if isinstance(event, MatchFinished):
                event = await service.finished_game(event, RequestIdentity(request).token)
            progress, changes = apply(progress, event)
        day = decode_value(date, body.day, "day") if body.day else None
        return {
            "document": encode(progress),
            "changes": to_json(changes),
            "notice": notice,
            "greeting": greeting(progress, day) if day else "",
            "share": progress.puzzles.share_line(day) if day else "",
            "text": export_text(progress),
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
    return [{**step._asdict(), "first": step.first, "introduction": step.introduction} for step in steps]
