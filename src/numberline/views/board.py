"""What a board shows: the line with its goals, and for a position the tokens and every choice, allowed or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.book.book import Book
from numberline.match import Match
from numberline.notation import write_position
from numberline.rules.moves import FORCED, Move
from numberline.rules.position import Outcome, Position
from numberline.speech.line import mark, places_in_words, shared_mark, shown_places, standing

LONGEST = 40
NEAR = 3
"""Of a line with more places than `LONGEST`, only those `NEAR` the tokens, the goals and its ends are shown."""


class PlayerView(NamedTuple):
    """Somebody who plays: by number, which is also the number of the colour, by label, and by the book's name."""

    player: int
    label: str
    name: str


class GoalView(NamedTuple):
    """A place to get to."""

    place: int
    player: int
    """Whose goal it is; 0 for everybody's."""
    label: str
    """The player's label; nothing where it is everybody's."""


class BookView(NamedTuple):
    """What stays the same through all games of a book."""

    variant: str
    title: str
    about: str
    line: tuple[int, int]
    """The first and the last place of the line."""
    places: tuple[int, int]
    """The lowest and the highest place that a token can ever stand on."""
    goals: tuple[GoalView, ...]
    players: tuple[PlayerView, ...]
    tokens: int
    """How many each player has."""
    shared: bool
    """Whether there is one marker that everybody moves."""
    sums: bool
    """Whether a move is a sum done to a number."""
    nouns: dict[str, str]
    """What the book calls a place and a token."""
    choices: tuple[str, ...]
    """Every move that can be chosen somewhere."""


class TokenView(NamedTuple):
    """A token on the line; those of players who are out are not on it."""

    player: int
    """Whose it is; 0 for the marker that everybody moves."""
    place: int
    label: str


class ChoiceView(NamedTuple):
    """One move: where it leads, or why it is refused."""

    move: str
    legal: bool
    token: int | None = None
    """Which token of the position moves, counted from 0; None where none does."""
    place: int | None = None
    """Where that token stands."""
    wanted: int | None = None
    """Where it would get to if nothing were in the way."""
    lands: int | None = None
    """Where it really ends; None for a refused move."""
    leads: str = ""
    """The position after it, as text; nothing for a refused move."""
    result: str = ""
    """What comes of it at once: `wins`, `loses`, `out` with more than two players, or nothing yet."""
    why_not: str = ""
    """Why it is refused, in the engine's own words; nothing for a legal move."""


class PositionView(NamedTuple):
    """One position."""

    position: str
    """As text."""
    turn: int
    """The player to move."""
    tokens: tuple[TokenView, ...]
    places: tuple[int | None, ...]
    """The places to draw, in order; None for a gap in a line too long to be drawn whole."""
    out: tuple[int, ...]
    """The players who are out."""
    banned: str
    """What may not be chosen because it was just chosen; nothing where nothing is banned."""
    choices: tuple[ChoiceView, ...]
    """Every move of the book, and first the one that happens by itself where a turn is lost; none after the end."""
    outcome: Outcome | None
    said: str
    """Where everything stands, in sentences."""

    @property
    def legal(self) -> tuple[ChoiceView, ...]:
        """The moves that are allowed."""
        return tuple(choice for choice in self.choices if choice.legal)


def book_view(book: Book) -> BookView:
    """The constant part of what is shown."""
    rules = book.rules
    return BookView(
        variant=book.variant,
        title=book.title,
        about=book.about,
        line=rules.line,
        places=(min(places.start for places in book.ranges), max(places.stop for places in book.ranges) - 1),
        goals=_goals(book),
        players=tuple(PlayerView(player, book.label(player), book.player_name(player)) for player in book.players),
        tokens=rules.tokens,
        shared=rules.shared,
        sums=rules.moves == "operations",
        nouns={noun: book.noun(noun) for noun in ("place", "token")},
        choices=tuple(map(str, book.choices)),
    )


def position_view(book: Book, position: Position, names: Sequence[str] = ()) -> PositionView:
    """What is shown of a position; what is said of it calls the players by these names."""
    tokens = tuple(TokenView(player, at, mark(book, player, token)) for player, token, at in standing(book, position))
    if book.rules.shared:
        tokens = (TokenView(0, position.tokens[0], shared_mark(book)),)
    legal = book.moves(position)
    forced = tuple(move for move in legal if move in FORCED)
    return PositionView(
        position=write_position(position),
        turn=position.turn,
        tokens=tokens,
        places=tuple(shown_places(book, {token.place for token in tokens}, longest=LONGEST, near=NEAR)),
        out=tuple(player for player in book.players if position.is_out(player)),
        banned=book.stride(position.last),
        choices=tuple(_choice(book, position, move, legal) for move in (*forced, *book.choices) if legal),
        outcome=book.outcome(position),
        said=places_in_words(Match(book, names=names, start=position)),
    )


def _goals(book: Book) -> tuple[GoalView, ...]:
    goals = book.rules.goals
    if len(set(goals)) == 1:
        return tuple(GoalView(place, 0, "") for place in goals[0])
    return tuple(GoalView(place, player, book.label(player)) for player in book.players for place in goals[player - 1])


def _choice(book: Book, position: Position, move: Move, legal: Sequence[Move]) -> ChoiceView:
    choice = ChoiceView(str(move), legal=move in legal)
    if move.token is not None:
        place, wanted, lands = book.step(position, move)
        choice = choice._replace(token=move.slot[position.turn], place=place, wanted=wanted, lands=lands)
    if not choice.legal:
        return choice._replace(lands=None, why_not=book.why_not(position, move))
    after = book.after(position, move)
    winner = book.winner(after)
    result = "wins" if winner == position.turn else "loses" if winner else "out" if after.is_out(position.turn) else ""
    return choice._replace(leads=write_position(after), result=result)
