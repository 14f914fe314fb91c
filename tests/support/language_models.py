"""Language models that cost nothing: one that chooses by chance, and an endpoint on this machine that speaks for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Thread
from typing import Any


class Chatter:
    """A language model that chooses at random among the moves in the last message, with words around its choice."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def __call__(self, prompt: str) -> str:
        moves = re.split(r", or | or |, ", re.findall(r"^You can play (.*)\.$", prompt, re.MULTILINE)[-1])
        return f"[{moves[0]}] looks tempting [1].\nMy move: [{self._rng.choice(moves)}] (final)"


@contextmanager
def endpoint(answer: Callable[[str], str]) -> Iterator[str]:
    """The address of a server that answers as OpenAI's chat completions do, with what the model says."""

    class Completions(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = asked["messages"][-1]["content"]
            text = content if isinstance(content, str) else content[-1]["text"]
            body = json.dumps(_completion(asked["model"], answer(text))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Completions) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()


def _completion(model: str, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return {"id": "1", "object": "chat.completion", "created": 0, "model": model, "choices": choices, "usage": usage}
