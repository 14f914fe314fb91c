"""`Book`: the rules, settings and messages of a game, and the four methods for playing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from numberline.errors import BookError, UnreadableMove, as_int, string_options
from numberline.game.book_file import BookTemplate
from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.engine import NO_WINNER
from numberline.game.legality import token_ranges
from numberline.game.messages import DEFAULT_NOUNS, label, player_name
from numberline.game.move_text import MOVE_PATTERNS, ReasonWords, parse_move, restriction_sentence, why_not, why_stuck
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Outcome, Position
from numberline.game.rules import Rules
from numberline.game.settings import format_variant, parse_settings
from numberline.game.validation import build_engine
from numberline.text import join_and, join_or, normalize_name, quote, safe_repr


class Setting(NamedTuple):
    """One of a book's settings: its value in this variant, its default, and a description of valid values."""

    name: str
    value: str
    default: str
    expects: str


class MoveEffect(NamedTuple):
    """Effect of a move on its token: its start, its target if nothing is in the way, and the place where it lands."""

    place: int
    target: int
    landing: int


class Book:
    """A game or a variant of it, immutable and hashable.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> book.moves(book.after(book.start(), "3"))
    ('1', '2', '3')
    """

    def __init__(self, template: BookTemplate, changes: Mapping[str, Any] | None = None) -> None:
        self._template = template
        self._changes = changes or {}
        self.name = template.name
        self.title = template.title
        self.about = template.about
        self.voice = template.voice
        self.source = template.source
        """The TOML text of a custom book; None for a built-in one."""
        self.main_settings = template.main_settings
        """The settings listed in the book's `[settings]` table."""
        self._engine = build_engine(template, self._changes)
        self.rules: Rules = self._engine.rules
        self.players = range(1, self.rules.players + 1)
        self.choices = self._engine.choices
        """All moves that a player can choose in some position."""
        self._by_text = {str(move): move for move in (*self.choices, *FORCED_MOVES)}

    @property
    def full_title(self) -> str:
        """The title, followed by the variant if any setting differs from its default."""
        return self.title if self.variant == self.name else f"{self.title}: {self.variant}"

    @cached_property
    def variant(self) -> str:
        """The canonical form of this variant, such as `line-runner(end=30)`."""
        return format_variant(self.name, {name: self.setting(name).value for name in self._changes})

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All settings: first those listed in the book's `[settings]` table, then the remaining rules."""
        return tuple(map(self.setting, self._template.defaults))

    def setting(self, name: str) -> Setting:
        """Return a setting by name; raise `BookError` if the book has no such setting."""
        self._template.require_setting(name)
        values, default = self._template.setting_type(name), self._template.defaults[name]
        return Setting(name, values.write(self._changes.get(name, default)), values.write(default), values.expects)

    def parse_value(self, name: str, text: str) -> Any:
        """Parse the value of a setting; raise `BookError` if it is invalid."""
        return self._template.parse_value(name, text)

    def can_vary(self, name: str) -> bool:
        """Return whether this setting can be changed on its own.

        A main setting, or a setting whose type has no sample values, is assumed to be changeable.
        """
        self._template.require_setting(name)
        samples = self._template.setting_type(name).samples
        return name in self.main_settings or not samples or any(self.accepts(f"{name}={text}") for text in samples)

    def accepts(self, setting: str) -> bool:
        """Return whether a setting, written `name=value`, is valid and results in a different game."""
        try:
            return self.vary(setting) != self
        except BookError:
            return False

    def roles_of(self, word: str) -> dict[str, tuple[int, ...]]:
        """Return a named place's roles (`line`, `start`, `goal`) and the players of each; `()` means all players."""
        roles: dict[str, tuple[int, ...]] = {"line": ()} if word in self._template.line else {}
        for role, refs in (("start", self._template.start), ("goal", self._template.goal)):
            if word == refs:
                roles[role] = ()
            elif isinstance(refs, tuple) and word in refs:
                roles[role] = tuple(player for player, ref in enumerate(refs, 1) if ref == word)
        return roles

    def vary(self, *settings: str) -> Book:
        """Return a variant of this book; each setting is written `name=value`.

        >>> import numberline as nl
        >>> nl.book("line-runner").vary("end=30", "steps=1-4").variant
        'line-runner(end=30, steps=1-4)'
        """
        texts = parse_settings(string_options("settings", settings, "end=30"))
        return Book(self._template, self._template.changes(texts, before=self._changes))

    # The four methods that play a game

    def start(self, first: int = 1) -> Position:
        """Return the start position, with player `first` to move."""
        player = as_int(first)
        if player is None or player not in self.players:
            raise BookError(f"first={safe_repr(first)}: expected a player from 1 to {self.rules.players}")
        return self._engine.start(player)

    def moves(self, position: Position) -> tuple[Move, ...]:
        """Return the legal moves: `('pass',)` or `('out',)` if the player has no choice, `()` if the game is over."""
        return self._engine.moves(position)

    def after(self, position: Position, move: str) -> Position:
        """Return the position after `move`, without checking its legality; raise `MoveError` if it can't be parsed."""
        return self._engine.after(position, self.read(move, position))

    def outcome(self, position: Position) -> Outcome | None:
        """Return the winner and the reason, or None if the game is not over."""
        return self._outcome(position, self.winner(position))

    def is_deadlocked(self, position: Position) -> bool:
        """Return whether no player will ever have a choice again, so that all players pass forever."""
        seen: set[Position] = set()
        while (legal := self.moves(position)) and legal[0] in FORCED_MOVES:
            if position in seen:
                return True
            seen.add(position)
            position = self.after(position, legal[0])
        return False

    # Successors, and arrays of positions

    def starts(self) -> tuple[Position, ...]:
        """Return the start position for each possible first player."""
        return tuple(map(self._engine.start, self.players))

    def winner(self, position: Position) -> IntOrArray:
        """Return the winner, or 0 if there is none; for an array of positions, return an array."""
        return self._engine.winner(position)

    def successors(self, position: Position) -> list[tuple[Move, Position]]:
        """Return each legal move with the position it leads to; empty if the game is over."""
        return self._engine.expand(position)[1]

    def expand(self, position: Position) -> tuple[Outcome | None, list[tuple[Move, Position]]]:
        """Return the outcome and each legal move with its successor, computed in one pass.

        `PositionGraph` calls this once per position; other callers should use the graph or the other methods.
        """
        winner, successors = self._engine.expand(position)
        return self._outcome(position, winner), successors

    def successors_batch(
        self, positions: Position, *, even_if_over: bool = False
    ) -> tuple[IntOrArray, Iterator[tuple[Move, BoolOrArray, Position]]]:
        """Return the winners of an array of positions, and an iterator over (move, legality, successors).

        No move is legal in a finished game unless `even_if_over` is true. With that option, legality is often a single
        bool instead of an array, which saves time.
        """
        return self._engine.successors_batch(positions, even_if_over=even_if_over)

    @cached_property
    def token_ranges(self) -> tuple[range, ...]:
        """The range of places that each token can occupy."""
        return token_ranges(self.rules, self.choices, self._engine.bounds)

    def is_valid_position(self, position: Position) -> bool:
        """Return whether the position is well-formed for this book, even if it can't be reached from the start."""
        places, players = self.token_ranges, self.players
        on_places = len(position.tokens) == len(places) and all(map(range.__contains__, places, position.tokens))
        strides = {0, *(move.stride for move in self.choices)}
        active = [player for player in players if not position.is_out(player)]
        out_of_range = position.out not in range(1 << len(players))
        return on_places and position.turn in active and position.last in strides and not out_of_range

    def check_position(self, given: object) -> Position:
        """Return `given` as a position of plain ints; raise `BookError` if it is not valid for this book."""
        if not isinstance(given, Position):
            raise BookError(f"start={safe_repr(given)}: expected a position such as {self.start()!r}")
        tokens = given.tokens if isinstance(given.tokens, Sequence) else (None,)
        numbers = [as_int(value) for value in (given.turn, given.last, given.out, *tokens)]
        if None not in numbers:
            turn, last, out, *places = (number for number in numbers if number is not None)
            position = Position(turn, tuple(places), last, out)
            if self.is_valid_position(position):
                return position
        expected = f"expected a position such as {self.start()!r}"
        raise BookError(f"start={safe_repr(given)}: not possible in {self.variant}; {expected}")

    # Moves

    def read(self, typed: str, position: Position, legal: Sequence[Move] | None = None) -> Move:
        """Parse a typed move; raise `UnreadableMove` if that fails, or `IllegalMove` if this variant has no such move.

        Pass `legal` if the legal moves are already known, to avoid computing them again.
        """
        if typed.__class__ is Move and typed.rules is self.rules:
            return typed
        if not isinstance(typed, str):
            raise UnreadableMove(f"move must be a string such as {str(self.choices[0])!r}, not {safe_repr(typed)}")
        if known := self._by_text.get(typed):
            return known
        if self.rules.operations and self.rules.tokens == 1 and (move := self._read_operation(typed, position)):
            return move
        movable = self.movable_tokens(position, legal)
        return parse_move(typed, MOVE_PATTERNS[self.rules.moves], self._by_text, movable, position.turn)

    def _read_operation(self, typed: str, position: Position) -> Move | None:
        """Return the operation that `typed` means; None if there is none. Raise `UnreadableMove` if several match.

        `typed` can be the amount of an addition (`1` for `+1`), words (`double`, `times 3`), or the place to reach. A
        bare number is never read as a factor, because a player who types a number means an addition or a place.
        """
        text = typed.strip().lower()
        sums = zip(self.rules.operations, self.choices, strict=False)
        fits = [
            move
            for operation, move in sums
            if text in {str(operation).removeprefix("+"), str(self._engine.attempt(position, move).target)}
            or text.replace("double", "times 2") == str(operation).replace("*", "times ")
        ]
        if len(fits) > 1 and all(str(self._engine.attempt(position, move).target) == text for move in fits):
            raise UnreadableMove(f"{'both ' * (len(fits) == 2)}{join_and(fits)} make {text}")
        if len(fits) > 1:
            raise UnreadableMove(f"{quote(typed)} could be {join_or(fits)}")
        return fits[0] if fits else None

    def why_not(self, position: Position, move: Move, names: Sequence[str] = ()) -> str:
        """Return the reason why a move is illegal in this position."""
        return why_not(self._engine, position, move, self._reason_words(position, names))

    def restriction_sentence(self, position: Position, names: Sequence[str] = ()) -> str:
        """Return a sentence that lists the legal moves and, if it stays short, says why the other moves are illegal."""
        words = self._reason_words(position, names)
        return restriction_sentence(self._engine, position, self.moves(position), words)

    def why_stuck(self, position: Position, *, past: bool = False) -> str:
        """Return a clause that says why the player to move has no legal move."""
        return why_stuck(self._engine, position, past=past)

    def _reason_words(self, position: Position, names: Sequence[str]) -> ReasonWords:
        opponent = self.player_names(names)[2 - position.turn] if self.rules.players == 2 else ""
        mover = f"the {self.noun('token')}" if self.rules.shared else "you"
        return ReasonWords(mover, self.goal_name, opponent)

    @property
    def goal_name(self) -> str:
        """A phrase such as `the flag`; `your goal` if the players' goals differ, `the end` if both ends are goals."""
        if len(set(self.rules.goals)) > 1:
            return "your goal"
        own = [name for name in self._template.defaults if self.roles_of(name).get("goal") == () and name.isalpha()]
        return f"the {'end' if len(self.rules.goals[0]) > 1 else own[0] if own else 'goal'}"

    def occupant(self, position: Position, move: Move) -> tuple[int, int] | None:
        """Return the owner and index of the token in the way at the move's target; None if there is no such token."""
        attempt, each = self._engine.attempt(position, move), self.rules.tokens
        slots = [slot for slot in range(len(position.tokens)) if slot != move.slot[position.turn]]
        for slot, (place, counts) in zip(slots, attempt.others, strict=True):
            if counts and place == attempt.target:
                return slot // each + 1, slot % each
        return None

    def move_effect(self, position: Position, move: Move) -> MoveEffect:
        """Return the effect of a legal move on its token."""
        attempt = self._engine.attempt(position, move)
        return MoveEffect(attempt.place, attempt.target, self._engine.landing(position, move))

    def resigned(self, position: Position) -> Position:
        """Return the position after the player to move has resigned."""
        return self._engine.eliminate_mover(position)

    # Tokens and goals

    def movable_tokens(self, position: Position, legal: Sequence[Move] | None = None) -> tuple[int, ...]:
        """Return the indices of the mover's tokens that can move; empty if each player has only one token."""
        if self.rules.tokens == 1:
            return ()
        legal = self.moves(position) if legal is None else legal
        return tuple(sorted({move.token for move in legal if move.token is not None}))

    def tokens_of(self, position: Position, player: int) -> tuple[IntOrArray, ...]:
        """Return the places of this player's tokens, or of the shared marker."""
        return self._engine.player_tokens(position, player)

    def is_home(self, position: Position, player: int) -> bool:
        """Return whether this player has reached the goal with enough tokens to win."""
        return bool(self._engine.has_finished(position, player))

    def nearest_goal(self, player: int, place: int) -> int:
        """Return the goal of `player` that is nearest to `place`."""
        return self._engine.bounds[player].nearest_goal(place)

    def distance_to_goal(self, player: int, place: int) -> int:
        """Return the distance from `place` to the player's nearest goal; negative if `place` is past it."""
        return int(self._engine.bounds[player].distance_to_goal(place))

    def progress(self, position: Position, move: Move) -> IntOrArray:
        """Return how much closer to the goal a move takes its token if nothing stops it; 0 if no token moves."""
        if move.token is None:
            return 0
        bounds, place = self._engine.bounds[position.turn], position.tokens[move.slot[position.turn]]
        return bounds.distance_to_goal(place) - bounds.distance_to_goal(move.target(place, position.turn))

    # Names

    def label(self, player: int) -> str:
        """Return the number or letter that the book uses for a player."""
        return label(self.voice, player)

    def player_name(self, player: int) -> str:
        """Return the book's default name for a player, such as `Player A`."""
        return player_name(self.voice, player)

    def player_names(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the names of all players, with the book's default names for those not given."""
        given = dict(zip(self.players, map(normalize_name, names), strict=False))
        return tuple(given.get(player) or self.player_name(player) for player in self.players)

    def noun(self, word: str) -> str:
        """Return the book's noun for `place` or `token`, or the `mark` that precedes a player's label on the line."""
        return self.voice.get(word, DEFAULT_NOUNS[word])

    def stride(self, last: int) -> str:
        """Return the banned stride `last` as text, such as `3` or `*2`; return an empty string for 0."""
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
        # A position does not record why a player is out; only `Match` knows about resignations.
        loser = self.player_name(others[0])
        if self.rules.overshoot == "loses":
            return Outcome(winner, f"{loser} overshot and is out.", "overshot")
        return Outcome(winner, f"{loser} is out.", "resigned")

    def __reduce__(self) -> tuple[Any, ...]:
        # The receiving process rebuilds the book, because moves are pickled as plain text.
        return Book, (self._template, self._changes)

    def __deepcopy__(self, memo: object) -> Book:
        return self  # immutable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Book) and (self.variant, self.source) == (other.variant, other.source)

    def __hash__(self) -> int:
        return hash((self.variant, self.source))

    def __repr__(self) -> str:
        return f"<Book {self.variant}>"
