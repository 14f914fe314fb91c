"""Bot that joins a web match by its link and plays it to the end, using only the standard library.

    python examples/web_bot.py 'http://localhost:8000/play/ID#INVITE'

It plays random legal moves. If the connection breaks, it returns to its seat; it never plays a move twice.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import secrets
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

Frame = dict[str, Any]
TIMEOUT_S = 20  # the server sends at least a keep-alive every 7 seconds


class Refused(Exception):
    """A request that the server rejected, with its message."""


class Seat:
    """The bot's seat in a match."""

    def __init__(self, link: str, name: str) -> None:
        place = urlsplit(link)
        self.connect = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        self.host = place.netloc
        self.match = place.path.rpartition("/")[2]
        self.token = secrets.token_urlsafe(32)  # chosen by the client, so that a repeated request gets the same seat
        self.post(f"/api/matches/{self.match}/seats", {"invite": place.fragment, "name": name})

    def _ask(self, method: str, path: str, body: Frame | None = None) -> http.client.HTTPResponse:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = self.connect(self.host, timeout=TIMEOUT_S)
        connection.request(method, path, json.dumps(body) if body else None, headers)
        return connection.getresponse()

    def post(self, path: str, body: Frame) -> Frame:
        """Send a request until it succeeds and return the response; retries are identical."""
        while True:
            try:
                with self._ask("POST", path, body) as answer:
                    said: Frame = json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                time.sleep(random.uniform(0.5, 2))
                continue
            if answer.status == 200:
                return said
            if answer.status not in {429, 503}:
                raise Refused(said["sentence"])
            time.sleep(int(answer.headers.get("Retry-After", 1)))

    def act(self, kind: str, seq: int, **more: str) -> None:
        """Send an action; its request id is derived from `seq`, so retries have no effect."""
        message = {"kind": kind, "seq": seq, "request": f"{kind}-{seq}", **more}
        try:
            self.post(f"/api/bot/matches/{self.match}/act", message)
        except Refused as refused:  # the state has changed meanwhile; the next frame has the new one
            say(str(refused))

    def frames(self) -> Iterator[Frame]:
        """Yield the frames of the match; reconnect after a broken connection."""
        while True:
            try:
                with self._ask("GET", f"/api/bot/matches/{self.match}") as answer:
                    if answer.status != 200:
                        raise Refused(json.loads(answer.read())["sentence"])
                    for line in answer:
                        if line.strip():  # a blank line is a keep-alive
                            yield json.loads(line)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(random.uniform(0.5, 2))


def play(seat: Seat, rng: random.Random, *, again: bool = False) -> str | None:
    """Play a match to its end; return the id of the rematch, if there is one."""
    match: Frame = {}
    for frame in seat.frames():
        if frame["kind"] == "goodbye":
            say(frame["sentence"])
            continue
        if frame["kind"] == "table":
            match = frame["match"] | {"you": frame["you"]}
        else:
            match |= {"outcome": frame["outcome"], "offers": []}
        if match["rematch"]:
            return str(match["rematch"])
        if match["ended"] and not again:
            won = match["outcome"]["winner"]
            say("I have won." if won in match["you"] else "I have lost." if won else "The game has no winner.")
            return None
        answer(seat, match, frame, rng)
    return None


def answer(seat: Seat, match: Frame, frame: Frame, rng: random.Random) -> None:
    """Send the action that is due in this frame, if any."""
    seq, position = frame["seq"], frame["position"]
    offers = [offer["what"] for offer in match["offers"] if offer["seat"] not in match["you"]]
    if offers:
        seat.act("accept", seq, what=offers[0])
    elif match["outcome"] and match["round"] < match["rounds"]:
        seat.act("next", seq)
    elif not match["outcome"] and position["turn"] in match["you"]:
        move = rng.choice([choice["move"] for choice in position["choices"] if choice["legal"]])
        say(f"I play {move}.")
        seat.act("move", seq, move=move)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Join the match and play."""
    wanted = argparse.ArgumentParser(description="Join a web match and play random legal moves.")
    wanted.add_argument("link", help="link to a free seat")
    wanted.add_argument("--name", default="Robot", help="name shown to the other players")
    wanted.add_argument("--seed", type=int, help="seed of the random moves")
    wanted.add_argument("--again", action="store_true", help="keep playing if the opponent offers a rematch")
    given = wanted.parse_args()
    try:
        seat = Seat(given.link, given.name)
        while new := play(seat, random.Random(given.seed), again=given.again):
            seat.match = new
    except Refused as refused:
        raise SystemExit(str(refused)) from None


if __name__ == "__main__":
    main()
