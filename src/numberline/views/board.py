"""What a board shows: the line with its goals, and for a position the tokens and every choice, allowed or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.explain.text_board import describe_position, iter_tokens, shared_mark, token_mark, visible_places
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.moves import FORCED_MOVES, OUT, PASS, SKIP, Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position
from numberline.game.rules import PLAYER_COUNTS

PLACEHOLDERS = tuple(f"{{{player}}}" for player in range(1, PLAYER_COUNTS[-1] + 1))
"""What players are called in sentences that a page fills names into: `{1}`, `{2}`, …"""

MAX_FULL_LINE_LENGTH = 40
CONTEXT_PLACES = 3
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
    goal: str
    """What is to be reached, in a sentence or two; with placeholders for the players where each has their own."""


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
    note: str = ""
    """Why a legal move does not simply get where it wants: `7 is taken`, `past 20: you are out`."""
    spoken: str = ""
    """The whole choice for somebody who listens: `3: to 12, 14 is taken`."""


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


def book_view(book: Book, *, with_goal: bool = True) -> BookView:
    """The constant part of what is shown; a screen that tells no goal need not wait for the words."""
    rules = book.rules
    about, goal = book.about, ""
    if with_goal:
        from numberline.explain.rules_text import describe_goal, opening  # it looks at what can happen in the book

        about, goal = opening(book), describe_goal(book, placeholders(book))
    return BookView(
        variant=book.variant,
        title=book.title,
        about=about,
        line=rules.line,
        places=(
            min(places.start for places in book.token_ranges),
            max(places.stop for places in book.token_ranges) - 1,
        ),
        goals=_goals(book),
        players=tuple(PlayerView(player, book.label(player), book.player_name(player)) for player in book.players),
        tokens=rules.tokens,
        shared=rules.shared,
        sums=rules.moves == "operations",
        nouns={noun: book.noun(noun) for noun in ("place", "token")},
        choices=tuple(map(str, book.choices)),
        goal=goal,
    )


def placeholders(book: Book) -> tuple[str, ...]:
    """As many placeholders for names as the book has players."""
    return PLACEHOLDERS[: book.rules.players]


def position_view(book: Book, position: Position, names: Sequence[str] = ()) -> PositionView:
    """What is shown of a position; what is said of it calls the players by these names, of which there may be more."""
    names = book.player_names(names[: book.rules.players])
    tokens = tuple(
        TokenView(player, at, token_mark(book, player, token)) for player, token, at in iter_tokens(book, position)
    )
    if book.rules.shared:
        tokens = (TokenView(0, position.tokens[0], shared_mark(book)),)
    legal = book.moves(position)
    forced = tuple(move for move in legal if move in FORCED_MOVES)
    return PositionView(
        position=format_position(position),
        turn=position.turn,
        tokens=tokens,
        places=tuple(
            visible_places(
                book, {token.place for token in tokens}, max_length=MAX_FULL_LINE_LENGTH, context=CONTEXT_PLACES
            )
        ),
        out=tuple(player for player in book.players if position.is_out(player)),
        banned=book.stride(position.last),
        choices=tuple(_choice(book, position, move, legal) for move in (*forced, *book.choices) if legal),
        outcome=named_outcome(book, book.outcome(position), names),
        said=describe_position(Match(book, names=names, start=position)),
    )


def named_outcome(book: Book, outcome: Outcome | None, names: Sequence[str]) -> Outcome | None:
    """The same outcome, its reason calling the player that it speaks of by name."""
    if outcome is not None:
        for player, name in zip(book.players, names, strict=True):
            own = f"{book.player_name(player)} "
            if outcome.reason.startswith(own):
                return outcome._replace(reason=f"{name} {outcome.reason.removeprefix(own)}")
    return outcome


def _goals(book: Book) -> tuple[GoalView, ...]:
    goals = book.rules.goals
    if len(set(goals)) == 1:
        return tuple(GoalView(place, 0, "") for place in goals[0])
    return tuple(GoalView(place, player, book.label(player)) for player in book.players for place in goals[player - 1])


def _choice(book: Book, position: Position, move: Move, legal: Sequence[Move]) -> ChoiceView:
    choice = ChoiceView(str(move), legal=move in legal)
    if move.token is not None:
        place, wanted, lands = book.move_effect(position, move)
        choice = choice._replace(token=move.slot[position.turn], place=place, wanted=wanted, lands=lands)
    if not choice.legal:
        why_not = book.why_not(position, move)
        return choice._replace(lands=None, why_not=why_not, spoken=f"{_named(book, move)}: {why_not}")
    after = book.after(position, move)
    winner = book.winner(after)
    result = "wins" if winner == position.turn else "loses" if winner else "out" if after.is_out(position.turn) else ""
    choice = choice._replace(leads=format_position(after), result=result)
    choice = choice._replace(note=_note(book, position, choice, out=bool(after.is_out(position.turn))))
    return choice._replace(spoken=f"{_named(book, move)}: {_spoken(book, choice)}")


def _note(book: Book, position: Position, choice: ChoiceView, *, out: bool) -> str:
    """What is in the way of a legal move, or what it costs; nothing where it simply gets where it wants."""
    if choice.wanted is None:
        return "no move left: you are out" if out else ""
    if out:
        price = "lose" if book.rules.players == 2 else "are out"
        return f"past {book.nearest_goal(position.turn, choice.wanted)}: you {price}"
    return f"{choice.wanted} is taken" if choice.lands != choice.wanted else ""


def _spoken(book: Book, choice: ChoiceView) -> str:
    """What a legal move does, for somebody who listens."""
    if choice.result and choice.note.startswith("past "):
        return choice.note.replace(":", ",")
    if choice.wanted is None:
        return _WITHOUT_TOKEN[choice.move]
    makes = "makes" if book.rules.shared and book.rules.moves == "operations" else "to"
    does = "stays on" if choice.lands == choice.place else makes
    return f"{does} {choice.lands}{f', {choice.note}' if choice.note else ''}"


def _named(book: Book, move: Move) -> str:
    """A move as it is read aloud: `3`, and `3 with token 2` where there are several."""
    if book.rules.tokens == 1 or move.token is None:
        return str(move)
    return f"{move.partition(':')[2]} with {book.noun('token')} {move.token + 1}"


_WITHOUT_TOKEN = {
    str(SKIP): "you give up the turn",
    str(PASS): "you have no move and lose the turn",
    str(OUT): "you have no move left and are out",
}
