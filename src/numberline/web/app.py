"""The house: everything that answers for books and matches, opened together and closed together."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from numberline.web.server import Setup


class House:
    """The application and what it stands on."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def start(self) -> None:
        """Begins to answer."""

    async def socket(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a WebSocket."""
        await self.app(scope, receive, send)

    async def farewell(self) -> None:
        """Tells everybody that the server stops."""

    async def stop(self) -> None:
        """Finishes what is being written."""


def open_house(setup: Setup) -> House:
    """The house, with its database."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")

    @app.get("/healthz")
    async def healthz() -> dict[str, bool]:
        return {"ok": True}

    return House(app)
