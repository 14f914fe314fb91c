"""A book: a game with its rules, its settings and its voice, and the four verbs to play it by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from numberline.errors import BookError, UnreadableMove, as_int, string_options
from numberline.game.book_file import BookTemplate
from numberline.game.bounds import token_ranges
from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.messages import DEFAULT_NOUNS, label, player_name
from numberline.game.move_text import MOVE_PATTERNS, parse_move, why_not
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Outcome, Position
from numberline.game.rules import Rules
from numberline.game.validation import build_engine
from numberline.game.variant_syntax import format_variant, parse_settings
from numberline.game.victory import NO_WINNER, has_finished, player_tokens
from numberline.text import normalize_name, safe_repr


class Setting(NamedTuple):
    """A named thing that a variant may change."""

    name: str
    value: str
    default: str
    expects: str


class MoveEffect(NamedTuple):
    """What a move does to its token: where it stood, where it would get to, and where it really ends."""

    place: int
    target: int
    landing: int


class Book:
    """One game, or one variant of it.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> book.moves(book.after(book.start(), "3"))
    ('1', '2', '3')
    """

    def __init__(self, draft: BookTemplate, changes: Mapping[str, Any] | None = None) -> None:
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
        self._engine = build_engine(draft, self._changes)
        self.rules: Rules = self._engine.rules
        self._by_text = {str(move): move for move in (*self._engine.choices, *FORCED_MOVES)}

    @property
    def full_title(self) -> str:
        """The game's name, and the variant where it is one."""
        return self.title if self.variant == self.name else f"{self.title}: {self.variant}"

    @cached_property
    def variant(self) -> str:
        """The canonical text of this variant, such as `line-runner(end=30)`."""
        return format_variant(
            self.name, {name: self._draft.setting_type(name).write(v) for name, v in self._changes.items()}
        )

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Everything that a variant may change, in the book's order."""
        written = ((name, default, self._draft.setting_type(name)) for name, default in self._draft.defaults.items())
        return tuple(
            Setting(name, values.write(self._changes.get(name, default)), values.write(default), values.expects)
            for name, default, values in written
        )

    def setting(self, name: str) -> Setting:
        """The setting of that name; one that the book does not have raises `BookError`."""
        self._draft.require_setting(name)
        return next(setting for setting in self.settings if setting.name == name)

    def can_vary(self, name: str) -> bool:
        """Whether this setting can be changed here, all others being as they are; always so for the book's own."""
        self._draft.require_setting(name)
        samples = self._draft.setting_type(name).samples
        return name in self.main_settings or not samples or any(self._accepts(f"{name}={text}") for text in samples)

    def _accepts(self, setting: str) -> bool:
        """Whether setting it so makes another game."""
        try:
            return self.vary(setting) != self
        except BookError:
            return False

    def roles_of(self, word: str) -> dict[str, tuple[int, ...]]:
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
            self._draft.changes(parse_settings(string_options("settings", settings, "end=30")), before=self._changes),
        )

    # The four verbs

    def start(self, first: int = 1) -> Position:
        """The position before the first move; `first` is the player who begins."""
        player = as_int(first)
        if player is None or player not in self.players:
            raise BookError(f"first={safe_repr(first)}: {self.title} has the players 1 to {self.rules.players}")
        return self._engine.start(player)

    def moves(self, position: Position) -> tuple[Move, ...]:
        """The legal moves; `('pass',)` where the turn is lost; `()` when the game is over."""
        return self._engine.moves(position)

    def after(self, position: Position, move: str) -> Position:
        """The position after a legal move; text that can't be read raises. `Match` is what checks legality."""
        return self._engine.after(position, self.read(move, position))

    def outcome(self, position: Position) -> Outcome | None:
        """Who has won and why, or None while the game goes on."""
        return self._outcome(position, self.winner(position))

    def is_deadlocked(self, position: Position) -> bool:
        """Whether nobody has a move ever again, so that lost turn follows lost turn without an end."""
        seen: set[Position] = set()
        while (legal := self.moves(position)) and legal[0] in FORCED_MOVES:
            if position in seen:
                return True
            seen.add(position)
            position = self.after(position, legal[0])
        return False

    # Many at once

    def starts(self) -> tuple[Position, ...]:
        """The positions before the first move, one for each player who may begin."""
        return tuple(map(self._engine.start, self.players))

    def winner(self, position: Position) -> IntOrArray:
        """Who has won, 0 while nobody has; a column of them for a column of positions."""
        return self._engine.winner(position)

    def successors(self, position: Position) -> list[tuple[Move, Position]]:
        """Each legal move and the position after it; nothing when the game is over."""
        return self._engine.expand(position)[1]

    def expand(self, position: Position) -> tuple[Outcome | None, list[tuple[Move, Position]]]:
        """Return the outcome, or the legal moves with their successors, with one look at the position.

        `PositionGraph` calls this once per position; everything else asks the graph or the other methods.
        """
        winner, successors = self._engine.expand(position)
        return self._outcome(position, winner), successors

    def successors_batch(self, positions: Position) -> tuple[IntOrArray, Iterator[tuple[Move, BoolOrArray, Position]]]:
        """For a column of positions: who has won, and for each move where it is legal and what it leads to."""
        return self._engine.successors_batch(positions)

    @cached_property
    def token_ranges(self) -> tuple[range, ...]:
        """For each token of a position, the places that it can ever stand on."""
        return token_ranges(self.rules, self._engine.choices, self._engine.bounds)

    def is_valid_position(self, position: Position) -> bool:
        """Return whether the position could be set up on the line, reachable from the start or not."""
        places, players = self.token_ranges, self.players
        on_places = len(position.tokens) == len(places) and all(map(range.__contains__, places, position.tokens))
        strides = {0, *(move.stride for move in self.choices)}
        active = [player for player in players if not position.is_out(player)]
        out_of_range = position.out not in range(1 << len(players))
        return on_places and position.turn in active and position.last in strides and not out_of_range

    def check_position(self, given: object) -> Position:
        """Return a position with plain ints; raise `BookError` if it can't be one of this book."""
        example = f"a position such as {self.start()!r}"
        if not isinstance(given, Position):
            raise BookError(f"start={safe_repr(given)}: expected {example}")
        tokens = given.tokens if isinstance(given.tokens, Sequence) else (None,)
        numbers = [
            number for value in (given.turn, given.last, given.out, *tokens) if (number := as_int(value)) is not None
        ]
        if len(numbers) == 3 + len(tokens):
            turn, last, out, *places = numbers
            position = Position(turn, tuple(places), last, out)
            if self.is_valid_position(position):
                return position
        raise BookError(f"start={safe_repr(given)}: not possible in {self.variant}; expected {example}")

    # Moves

    @property
    def choices(self) -> tuple[Move, ...]:
        """Every move that a player can choose somewhere in the book."""
        return self._engine.choices

    def read(self, typed: str, position: Position, legal: Sequence[Move] | None = None) -> Move:
        """Return the move that was typed; raise `UnreadableMove`, or `IllegalMove` for a move of another variant.

        `legal` saves a look at the position if the caller knows its moves.
        """
        if typed.__class__ is Move and typed.rules is self.rules:
            return typed
        if not isinstance(typed, str):
            raise UnreadableMove(f"move must be a string such as {str(self.choices[0])!r}, not {safe_repr(typed)}")
        known = self._by_text.get(typed)
        if known:
            return known
        movable = self.movable_tokens(position, legal)
        return parse_move(typed, MOVE_PATTERNS[self.rules.moves], self._by_text, movable)

    def why_not(self, position: Position, move: Move, legal: Sequence[Move] | None = None) -> str:
        """Return why a move of the book is not legal here."""
        return why_not(self._engine, position, move, self.moves(position) if legal is None else legal)

    def move_effect(self, position: Position, move: Move) -> MoveEffect:
        """What a legal move does to the token that it moves."""
        attempt = self._engine.attempt(position, move)
        return MoveEffect(attempt.place, attempt.target, self._engine.landing(position, move))

    def resigned(self, position: Position) -> Position:
        """The position once the player to move has given up."""
        return self._engine.eliminate_mover(position)

    # Tokens and goals

    def movable_tokens(self, position: Position, legal: Sequence[Move] | None = None) -> tuple[int, ...]:
        """Return which of the mover's tokens can still move, counted from 0; none if each player has one token."""
        if self.rules.tokens == 1:
            return ()
        legal = self.moves(position) if legal is None else legal
        return tuple(sorted({move.token for move in legal if move.token is not None}))

    def tokens_of(self, position: Position, player: int) -> tuple[IntOrArray, ...]:
        """Where this player's tokens stand, or where the shared marker does."""
        return player_tokens(self.rules, position, player)

    def is_home(self, position: Position, player: int) -> bool:
        """Whether this player has reached the goal, with as many tokens as it takes."""
        return bool(has_finished(self.rules, self._engine.bounds, position, player))

    def nearest_goal(self, player: int, place: int) -> int:
        """The goal of this player's that is nearest to a place."""
        return self._engine.bounds[player].nearest_goal(place)

    def distance_to_goal(self, player: int, place: int) -> int:
        """How far it is from a place to this player's nearer goal; below 0 once it is passed."""
        return self._engine.bounds[player].distance_to_goal(place)

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

    def player_names(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """What all players are called: by these names, and by the book's own names where these run out."""
        given = dict(zip(self.players, map(normalize_name, names), strict=False))
        return tuple(given.get(player) or self.player_name(player) for player in self.players)

    def noun(self, word: str) -> str:
        """What the book calls a `place` or a `token`, and the `mark` before a player's number on the line."""
        return self.voice.get(word, DEFAULT_NOUNS[word])

    def stride(self, last: int) -> str:
        """What a ban on repeating remembers, as it is written: `3`, `*2`; nothing where nothing is banned."""
        operations = self.rules.operations
        return str(operations[last - 1] if operations else last) if last else ""

    def _outcome(self, position: Position, winner: int) -> Outcome | None:
        if winner == NO_WINNER:
            return None
        name = self.player_name(winner)
        own = self.tokens_of(position, winner)
        if self.is_home(position, winner):
            home = [place for place in own if self._engine.bounds[winner].has_reached_goal(place)]
            return Outcome(winner, f"{name} reached {home[-1] if len(own) == 1 else 'home'}.", "goal")
        others = [player for player in self.players if player != winner]
        if not all(position.is_out(player) for player in others):
            return Outcome(winner, f"{self.player_name(position.turn)} has no move left.", "stuck")
        if len(others) > 1:
            return Outcome(winner, f"{name} is the last one left.", "last_left")
        # A position does not record how its player went out; `Match` knows of a resignation.
        loser = self.player_name(others[0])
        if self.rules.overshoot == "loses":
            return Outcome(winner, f"{loser} overshot and is out.", "overshot")
        return Outcome(winner, f"{loser} is out.", "resigned")

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
