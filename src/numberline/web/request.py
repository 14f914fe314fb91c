"""The protocol of a request, with one thing more: a reader that does not read can be cut off at once."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class RequestProtocol(HttpToolsProtocol):
    """Tells the application how to drop the connection without waiting for what is still unsent."""

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.scope["extensions"] = {"numberline.abort": self.transport.abort}  # type: ignore[dict-item]  # our own
