"""The protocol of a WebSocket, with one thing more: a reader that does not read can be cut off at once."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class WireProtocol(WebSocketsSansIOProtocol):
    """Tells the application how to drop the connection without waiting for what is still unsent."""

    async def run_asgi(self) -> None:
        """Runs the application for this connection."""
        self.scope["extensions"]["numberline.abort"] = self.transport.abort  # type: ignore[assignment]  # our own
        await super().run_asgi()
