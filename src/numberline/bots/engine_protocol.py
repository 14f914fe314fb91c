"""Engine side of the engine protocol, which lets other programs use Numberline's bots (protocol: docs/engines.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from random import Random

from numberline.bots.bot import Bot, make_bot
from numberline.bots.external import PROTOCOL_VERSION
from numberline.errors import NumberlineError
from numberline.game import Position
from numberline.game.loader import restore_book
from numberline.game.notation import format_position, parse_position
from numberline.text import escape_controls, quote


class ProtocolError(NumberlineError):
    """Error for an invalid line or command from the other program."""


class EngineSession:
    """State of one connection: the book, the bot and the position."""

    def __init__(self, bot: str) -> None:
        self.bot_name = bot
        self.rng = Random(0)
        self._source: str | None = None
        self._bot: Bot | None = None
        self._position: Position | None = None
        self._commands: dict[str, Callable[[str], str | None]] = {
            "numberline": self._greet,
            "isready": lambda _: "ready",
            "toml": self._set_source,
            "book": self._set_book,
            "newgame": lambda seed: self.rng.seed(seed.encode(errors="surrogatepass")),
            "position": self._set_position,
            "legal": lambda _: None,  # not needed, since we know the rules
            "go": self._go,
        }

    def respond(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the replies to `lines`, until `quit` or the end of the input.

        >>> lines = ["numberline 1", "book flag-chase", "position 1 2,10", "go 5000", "quit"]
        >>> list(EngineSession("perfect").respond(lines))
        ['id numberline perfect', 'move 3']
        """
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            if not word:
                continue
            try:
                if word not in self._commands:
                    expected = f"expected {', '.join(self._commands)} or quit"
                    raise ProtocolError(f"unknown command {quote(word)}; {expected}")
                if reply := self._commands[word](rest.strip()):
                    yield reply
            except NumberlineError as error:
                yield f"error {' '.join(escape_controls(str(error)).split())}"

    def _greet(self, version: str) -> str:
        if version != str(PROTOCOL_VERSION):
            raise ProtocolError(f"unknown protocol version {quote(version)}; expected {PROTOCOL_VERSION}")
        return f"id numberline {self.bot_name}"

    def _set_source(self, text: str) -> None:
        try:
            source = json.loads(text)
        except (ValueError, RecursionError):
            source = None
        if not isinstance(source, str):
            raise ProtocolError("toml: expected the text of a book as a JSON string")
        self._source = source

    def _set_book(self, variant: str) -> None:
        source, self._source = self._source, None
        self._bot = make_bot(self.bot_name, restore_book(variant, source), self.rng)
        self._position = None

    def _set_position(self, text: str) -> None:
        self._position = parse_position(text)

    def _go(self, rest: str) -> str:
        if self._bot is None or self._position is None:
            raise ProtocolError("go: set a book and a position first")
        if not self._bot.book.is_valid_position(self._position):
            raise ProtocolError(f"{format_position(self._position)} is not a position of {self._bot.book.variant}")
        return f"move {self._bot.choose(self._position)}"
