"""A book: a game with its rules, its settings and its voice, and the four verbs to play it by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from numberline.book.draft import Draft
from numberline.book.reading import SHAPES, read_move
from numberline.book.refusal import why_not
from numberline.book.sense import engine_of
from numberline.book.variants import parse_settings, write_variant
from numberline.book.voice import WORDS, label, player_name
from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth
from numberline.rules.ending import finished, own_tokens
from numberline.rules.errors import BookError, UnreadableMove, plain_name, said, text_options, whole_number
from numberline.rules.moves import FORCED, Move
from numberline.rules.overshooting import ranges
from numberline.rules.position import Outcome, Position


class Setting(NamedTuple):
    """A named thing that a variant may change."""

    name: str
    value: str
    default: str
    expects: str


class Landing(NamedTuple):
    """What a move does to its token: where it stood, where it would get to, and where it really ends."""

    place: int
    wanted: int
    landed: int


class Book:
    """One game, or one variant of it.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> book.moves(book.after(book.start(), "3"))
    ('1', '2', '3')
    """

    def __init__(self, draft: Draft, changes: Mapping[str, Any] | None = None) -> None:
        self._draft = draft
        self._changes = changes or {}
        self.name = draft.name
        self.title = draft.title
        """The game's name as people write it."""
        self.about = draft.about
        self.voice = draft.voice
        self.source = draft.source
        """The text of the file that a book of your own came from; None for the books of this package."""
        self.main_settings = draft.main_settings
        """The names of the settings that the book itself speaks of."""
        self._engine = engine_of(draft, self._changes)
        self.rules: Rules = self._engine.rules
        self._by_text = {str(move): move for move in (*self._engine.choices, *FORCED)}

    @property
    def full_title(self) -> str:
        """The game's name, and the variant where it is one."""
        return self.title if self.variant == self.name else f"{self.title}: {self.variant}"

    @cached_property
    def variant(self) -> str:
        """The canonical text of this variant, such as `line-runner(end=30)`."""
        return write_variant(self.name, {name: self._draft.values(name).write(v) for name, v in self._changes.items()})

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Everything that a variant may change, in the book's order."""
        written = ((name, default, self._draft.values(name)) for name, default in self._draft.defaults.items())
        return tuple(
            Setting(name, values.write(self._changes.get(name, default)), values.write(default), values.expects)
            for name, default, values in written
        )

    def setting(self, name: str) -> Setting:
        """The setting of that name; one that the book does not have raises `BookError`."""
        self._draft.need(name)
        return next(setting for setting in self.settings if setting.name == name)

    def can_vary(self, name: str) -> bool:
        """Whether this setting can be changed here, all others being as they are; always so for the book's own."""
        self._draft.need(name)
        samples = self._draft.values(name).samples
        return name in self.main_settings or not samples or any(self._accepts(f"{name}={text}") for text in samples)

    def _accepts(self, setting: str) -> bool:
        """Whether setting it so makes another game."""
        try:
            return self.vary(setting) != self
        except BookError:
            return False

    def places_called(self, word: str) -> dict[str, tuple[int, ...]]:
        """What one of the book's own words stands for: `line`, `start`, `goal`, and of which players (none: of all)."""
        roles: dict[str, tuple[int, ...]] = {"line": ()} if word in self._draft.line else {}
        for role, refs in (("start", self._draft.start), ("goal", self._draft.goal)):
            if word == refs:
                roles[role] = ()
            elif isinstance(refs, tuple) and word in refs:
                roles[role] = tuple(player for player, ref in enumerate(refs, 1) if ref == word)
        return roles

    def vary(self, *settings: str) -> Book:
        """The same book with settings changed, each written `name=value`.

        >>> import numberline as nl
        >>> nl.book("line-runner").vary("end=30", "steps=1-4").variant
        'line-runner(end=30, steps=1-4)'
        """
        return Book(
            self._draft,
            self._draft.changes(parse_settings(text_options("settings", settings, "end=30")), before=self._changes),
        )

    # The four verbs

    def start(self, first: int = 1) -> Position:
        """The position before the first move; `first` is the player who begins."""
        player = whole_number(first)
        if player is None or player not in self.players:
            raise BookError(f"first={said(first)}: {self.title} has the players 1 to {self.rules.players}")
        return self._engine.start(player)

    def moves(self, position: Position) -> tuple[Move, ...]:
        """The legal moves; `('pass',)` where the turn is lost; `()` when the game is over."""
        return self._engine.moves(position)

    def after(self, position: Position, move: str) -> Position:
        """The position after a legal move; text that can't be read raises. `Match` is what checks legality."""
        return self._engine.after(position, self.read(move, position))

    def outcome(self, position: Position) -> Outcome | None:
        """Who has won and why, or None while the game goes on."""
        winner = self.winner(position)
        return Outcome(winner, self._reason(position, winner)) if winner else None

    def stands_still(self, position: Position) -> bool:
        """Whether nobody has a move ever again, so that lost turn follows lost turn without an end."""
        seen: set[Position] = set()
        while (legal := self.moves(position)) and legal[0] in FORCED:
            if position in seen:
                return True
            seen.add(position)
            position = self.after(position, legal[0])
        return False

    # Many at once

    def starts(self) -> tuple[Position, ...]:
        """The positions before the first move, one for each player who may begin."""
        return tuple(map(self._engine.start, self.players))

    def winner(self, position: Position) -> Number:
        """Who has won, 0 while nobody has; a column of them for a column of positions."""
        return self._engine.winner(position)

    def followers(self, position: Position) -> list[tuple[Move, Position]]:
        """Each legal move and the position after it; nothing when the game is over."""
        return self._engine.followers(position)

    def spread(self, positions: Position) -> tuple[Number, Iterator[tuple[Move, Truth, Position]]]:
        """For a column of positions: who has won, and for each move where it is legal and what it leads to."""
        return self._engine.spread(positions)

    @cached_property
    def ranges(self) -> tuple[range, ...]:
        """For each token of a position, the places that it can ever stand on."""
        return ranges(self.rules, self._engine.choices, self._engine.stretches)

    def is_possible(self, position: Position) -> bool:
        """Whether somebody could set the position up, whether it can be reached or not."""
        places, players = self.ranges, self.players
        on_places = len(position.tokens) == len(places) and all(map(range.__contains__, places, position.tokens))
        strides = {0, *(move.stride for move in self.choices)}
        still_in = [player for player in players if not position.is_out(player)]
        return on_places and position.turn in still_in and position.last in strides and position.out < 1 << len(players)

    # Moves

    @property
    def choices(self) -> tuple[Move, ...]:
        """Every move that a player can choose somewhere in the book."""
        return self._engine.choices

    def read(self, typed: str, position: Position) -> Move:
        """The move that was typed; raises `UnreadableMove`, or `IllegalMove` for one that only another variant has."""
        if typed.__class__ is Move and typed.rules is self.rules:
            return typed
        if not isinstance(typed, str):
            raise UnreadableMove(f"{said(typed)} is no text; a move is text, such as {str(self.choices[0])!r}")
        known = self._by_text.get(typed)
        return known or read_move(typed, SHAPES[self.rules.moves], self._by_text, self.movable(position))

    def why_not(self, position: Position, move: Move) -> str:
        """The reason for which a move of the book is not legal here."""
        return why_not(self._engine, position, move)

    def step(self, position: Position, move: Move) -> Landing:
        """What a legal move does to the token that it moves."""
        attempt = self._engine.attempt(position, move)
        return Landing(attempt.place, attempt.wanted, self._engine.landing(position, move))

    def resigned(self, position: Position) -> Position:
        """The position once the player to move has given up."""
        return self._engine.without_mover(position)

    # Tokens and goals

    def movable(self, position: Position) -> tuple[int, ...]:
        """Which of the mover's several tokens can still move, counted from 0."""
        if self.rules.tokens == 1:
            return ()
        return tuple(sorted({move.token for move in self.moves(position) if move.token is not None}))

    def own(self, position: Position, player: int) -> tuple[Number, ...]:
        """Where this player's tokens stand, or where the shared marker does."""
        return own_tokens(self.rules, position, player)

    def is_home(self, position: Position, player: int) -> bool:
        """Whether this player has reached the goal, with as many tokens as it takes."""
        return bool(finished(self.rules, self._engine.stretches, position, player))

    def goal_near(self, player: int, place: int) -> int:
        """The goal of this player's that is nearest to a place."""
        return self._engine.stretches[player].goal_near(place)

    def left_to_go(self, player: int, place: int) -> int:
        """How far it is from a place to this player's nearer goal; below 0 once it is passed."""
        return self._engine.stretches[player].left_to_go(place)

    # Names

    @property
    def players(self) -> range:
        """The players' numbers, in the order of play."""
        return range(1, self.rules.players + 1)

    def label(self, player: int) -> str:
        """The number or the letter that the book calls a player by."""
        return label(self.voice, player)

    def player_name(self, player: int) -> str:
        """What the book calls a player, such as `Player A`."""
        return player_name(self.voice, player)

    def called(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """What all players are called: by these names, and by the book's own names where these run out."""
        given = dict(zip(self.players, map(plain_name, names), strict=False))
        return tuple(given.get(player) or self.player_name(player) for player in self.players)

    def noun(self, word: str) -> str:
        """What the book calls a `place` or a `token`, and the `mark` before a player's number on the line."""
        return self.voice.get(word, WORDS[word])

    def stride(self, last: int) -> str:
        """What a ban on repeating remembers, as it is written: `3`, `*2`; nothing where nothing is banned."""
        operations = self.rules.operations
        return str(operations[last - 1] if operations else last) if last else ""

    def _reason(self, position: Position, winner: int) -> str:
        own = self.own(position, winner)
        if self.is_home(position, winner):
            home = [place for place in own if self._engine.stretches[winner].home(place)]
            return f"{self.player_name(winner)} reached {home[-1] if len(own) == 1 else 'home'}."
        others = [player for player in self.players if player != winner]
        if not all(position.is_out(player) for player in others):
            return f"{self.player_name(position.turn)} has no move left."
        if len(others) > 1:
            return f"{self.player_name(winner)} is the last one left."
        over = "overshot and is" if self.rules.overshoot == "loses" else "is"
        return f"{self.player_name(others[0])} {over} out."

    def __reduce__(self) -> tuple[Any, ...]:
        return Book, (self._draft, self._changes)  # made anew in another process, since moves travel as plain text

    def __deepcopy__(self, memo: object) -> Book:
        return self  # nothing of it ever changes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Book) and (self.variant, self.source) == (other.variant, other.source)

    def __hash__(self) -> int:
        return hash((self.variant, self.source))

    def __repr__(self) -> str:
        return f"<Book {self.variant}>"
