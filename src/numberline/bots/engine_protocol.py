"""Any bot of ours as a player for somebody else's program, which asks it line by line (see docs/engines.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from random import Random

from numberline.bots.bot import Bot
from numberline.bots.external import PROTOCOL_VERSION
from numberline.bots.registry import make_bot
from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.game.notation import format_position, parse_position
from numberline.game.position import Position
from numberline.text import escape_controls, quote


class ProtocolError(NumberlineError):
    """A line that can't be followed; the text says why."""


class EngineSession:
    """One conversation: what was said so far of the book, the game and the position."""

    def __init__(self, bot: str) -> None:
        self.bot_name = bot
        self.rng = Random(0)
        self._source: str | None = None
        self._bot: Bot | None = None
        self._book: Book | None = None
        self._position: Position | None = None
        self._verbs: dict[str, Callable[[str], list[str]]] = {
            "numberline": self._hello,
            "isready": self._is_ready,
            "toml": self._toml,
            "book": self._take_book,
            "newgame": self._new_game,
            "position": self._take_position,
            "legal": self._nothing,
            "go": self._go,
        }

    def respond(self, lines: Iterable[str]) -> Iterator[str]:
        """What is answered, line by line, until `quit` or the end of the input.

        >>> said = ["numberline 1", "book flag-chase", "position 1 2,10", "go 5000", "quit"]
        >>> list(EngineSession("perfect").respond(said))
        ['id numberline perfect', 'move 3']
        """
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            if not word:
                continue
            try:
                yield from self._answer(word, rest.strip())
            except NumberlineError as error:
                yield f"error {' '.join(escape_controls(str(error)).split())}"

    def _answer(self, word: str, rest: str) -> list[str]:
        verb = self._verbs.get(word)
        if verb is None:
            raise ProtocolError(
                f"{quote(word)} is not a word of the protocol; expected {', '.join(self._verbs)} or quit"
            )
        return verb(rest)

    def _hello(self, version: str) -> list[str]:
        if version != str(PROTOCOL_VERSION):
            raise ProtocolError(
                f"version {quote(version)} of the protocol is not known here; expected {PROTOCOL_VERSION}"
            )
        return [f"id numberline {self.bot_name}"]

    def _is_ready(self, rest: str) -> list[str]:
        return ["ready"]

    def _toml(self, text: str) -> list[str]:
        try:
            source = json.loads(text)
        except (ValueError, RecursionError):
            source = None
        if not isinstance(source, str):
            raise ProtocolError("toml: expected the text of a book as a JSON string")
        self._source = source
        return []

    def _take_book(self, variant: str) -> list[str]:
        source, self._source = self._source, None
        self._book = restore_book(variant, source)
        self._bot = make_bot(self.bot_name, self._book, self.rng)
        self._position = None
        return []

    def _new_game(self, seed: str) -> list[str]:
        self.rng.seed(seed.encode(errors="surrogatepass"))
        return []

    def _take_position(self, text: str) -> list[str]:
        self._position = parse_position(text)
        return []

    def _nothing(self, rest: str) -> list[str]:
        return []  # whoever has the rules needs no list of what is legal

    def _go(self, rest: str) -> list[str]:
        if self._bot is None or self._position is None or self._book is None:
            raise ProtocolError("go: expected a book and a position first")
        if not self._book.is_valid_position(self._position):
            raise ProtocolError(f"{format_position(self._position)} is not a position of {self._book.variant}")
        return [f"move {self._bot.choose(self._position)}"]
