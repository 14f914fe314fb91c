"""Views of a book and a position: the line, its goals, the tokens, and every move with its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.explain.rule_words import MOVES_WITHOUT_TOKEN, key_rule
from numberline.explain.text_board import describe_position, iter_tokens, token_mark, visible_places
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.move_text import token_letter
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.notation import format_position
from numberline.game.position import Outcome, Position
from numberline.game.rules import PLAYER_COUNTS

PLACEHOLDERS = tuple(f"{{{player}}}" for player in range(1, PLAYER_COUNTS[-1] + 1))
"""Placeholders for the players' names, filled in by the client: `{1}`, `{2}`, …"""
MAX_FULL_LINE_LENGTH = 40
CONTEXT_PLACES = 3


class PlayerView(NamedTuple):
    player: int
    """Player number, which also selects the colour."""
    label: str
    name: str


class GoalView(NamedTuple):
    place: int
    player: int
    """Player whose goal this is; 0 if all players share it."""
    label: str
    """The player's label; empty for a shared goal."""


class BookView(NamedTuple):
    """Properties of a book that are the same in every game."""

    variant: str
    title: str
    about: str
    """A paragraph about the variant."""
    line: tuple[int, int]
    """First and last places of the line."""
    places: tuple[int, int]
    """Lowest and highest places that a token can ever occupy."""
    goals: tuple[GoalView, ...]
    players: tuple[PlayerView, ...]
    tokens: int
    """Number of tokens per player."""
    shared: bool
    """Whether all players move the same marker."""
    sums: bool
    """Whether moves are arithmetic operations on a number."""
    nouns: dict[str, str]
    """The book's words for a place and a token."""
    choices: tuple[str, ...]
    """Every move of the book, whether or not it is legal at the moment."""
    goal: str
    """Description of how to win, with placeholders for the names if the players have different goals."""
    rule: str
    """The game's key rule, followed by the changes in this variant."""


class TokenView(NamedTuple):
    """A token on the line."""

    player: int
    """The owner; 0 for a shared marker."""
    place: int
    label: str


class ChoiceView(NamedTuple):
    """Move with its effect, or the reason why it is illegal."""

    move: str
    legal: bool
    token: int | None = None
    """Index of the token that moves, or None if no token does."""
    place: int | None = None
    """Place of that token before the move."""
    wanted: int | None = None
    """Place where the token would land if nothing were in the way."""
    lands: int | None = None
    """Place where the token actually lands; None for an illegal move."""
    leads: str = ""
    """Position after the move, as text; empty for an illegal move."""
    result: str = ""
    """Result for the player who moves: `wins`, `loses`, `out` (eliminated, with more than two players), or empty."""
    why_not: str = ""
    """Reason why the move is illegal; empty for a legal move."""
    note: str = ""
    """What stops a legal move short, or what it costs: `7 is taken`, `past 20: you are out`."""
    spoken: str = ""
    """Description of the move for screen readers: `3: to 12, 14 is taken`."""


class PositionView(NamedTuple):
    position: str
    """The position as text."""
    turn: int
    """The player to move."""
    tokens: tuple[TokenView, ...]
    places: tuple[int | None, ...]
    """Places to draw, in order; None marks a gap in a long line."""
    out: tuple[int, ...]
    """Players who have been eliminated."""
    banned: str
    """Step that can't be repeated now; empty if any step is allowed."""
    choices: tuple[ChoiceView, ...]
    """Forced move, if any, followed by every move of the book; empty when the game is over."""
    outcome: Outcome | None
    said: str
    """The position in sentences."""

    @property
    def legal(self) -> tuple[ChoiceView, ...]:
        return tuple(choice for choice in self.choices if choice.legal)


def book_view(book: Book, *, with_goal: bool = True) -> BookView:
    """Return the view of a book.

    Without `with_goal`, the solver is not loaded, `goal` is empty, and `about` and `rule` omit the variant's changes.
    """
    rules, ends = book.rules, [end for places in book.token_ranges for end in (places[0], places[-1])]
    about, goal, rule = book.about, "", key_rule(book)
    if with_goal:
        from numberline.explain.rules_text import describe_goal, describe_key_rules, opening  # loads the solver

        about, goal = opening(book), describe_goal(book, placeholders(book))
        rule = describe_key_rules(book)
    return BookView(
        variant=book.variant,
        title=book.title,
        about=about,
        line=rules.line,
        places=(min(ends), max(ends)),
        goals=_goals(book),
        players=tuple(PlayerView(player, book.label(player), book.player_name(player)) for player in book.players),
        tokens=rules.tokens,
        shared=rules.shared,
        sums=rules.moves == "operations",
        nouns={noun: book.noun(noun) for noun in ("place", "token")},
        choices=tuple(map(str, book.choices)),
        goal=goal,
        rule=rule,
    )


def placeholders(book: Book) -> tuple[str, ...]:
    return PLACEHOLDERS[: book.rules.players]


def position_view(book: Book, position: Position, names: Sequence[str] = ()) -> PositionView:
    """Return the view of a position; surplus names are ignored."""
    match = Match(book, names=names[: book.rules.players], start=position)
    names, legal = match.names, match.moves
    placed = iter_tokens(book, position)
    tokens = tuple(TokenView(player, at, token_mark(book, player, token)) for player, token, at in placed)
    occupied = {token.place for token in tokens}
    forced = tuple(move for move in legal if move in FORCED_MOVES)
    return PositionView(
        position=format_position(position),
        turn=position.turn,
        tokens=tokens,
        places=tuple(visible_places(book, occupied, max_length=MAX_FULL_LINE_LENGTH, context=CONTEXT_PLACES)),
        out=tuple(player for player in book.players if position.is_out(player)),
        banned=book.stride(position.last),
        choices=tuple(_choice(book, position, move, legal, names) for move in (*forced, *book.choices) if legal),
        outcome=named_outcome(book, match.outcome, names),
        said=describe_position(match),
    )


def named_outcome(book: Book, outcome: Outcome | None, names: Sequence[str]) -> Outcome | None:
    """Return the outcome with its reason in plain words, starting with the player's name in `names`."""
    if outcome is not None:
        reason = outcome.reason.replace(" overshot ", " went past the goal ")
        for player, name in zip(book.players, names, strict=True):
            if reason.startswith(own := f"{book.player_name(player)} "):
                return outcome._replace(reason=f"{name} {reason.removeprefix(own)}")
    return outcome


def _goals(book: Book) -> tuple[GoalView, ...]:
    goals = book.rules.goals
    if len(set(goals)) == 1:
        return tuple(GoalView(place, 0, "") for place in goals[0])
    return tuple(GoalView(place, player, book.label(player)) for player in book.players for place in goals[player - 1])


def _choice(book: Book, position: Position, move: Move, legal: Sequence[Move], names: Sequence[str]) -> ChoiceView:
    choice = ChoiceView(str(move), legal=move in legal)
    if move.token is not None:
        place, wanted, lands = book.move_effect(position, move)
        choice = choice._replace(token=move.slot[position.turn], place=place, wanted=wanted, lands=lands)
    if not choice.legal:
        why_not = book.why_not(position, move, names)
        return choice._replace(lands=None, why_not=why_not, spoken=f"{_spoken_move(book, move)}: {why_not}")
    after = book.after(position, move)
    winner = book.winner(after)
    result = "wins" if winner == position.turn else "loses" if winner else "out" if after.is_out(position.turn) else ""
    choice = choice._replace(leads=format_position(after), result=result)
    choice = choice._replace(note=_note(book, position, choice, out=bool(after.is_out(position.turn))))
    return choice._replace(spoken=f"{_spoken_move(book, move)}: {_spoken_effect(book, choice)}")


def _note(book: Book, position: Position, choice: ChoiceView, *, out: bool) -> str:
    """Return what stops a legal move short or what it costs, or an empty string if neither applies."""
    if choice.wanted is None:
        return "no move left: you are out" if out else ""
    if out:
        price = "lose" if book.rules.players == 2 else "are out"
        return f"past {book.nearest_goal(position.turn, choice.wanted)}: you {price}"
    return f"{choice.wanted} is taken" if choice.lands != choice.wanted else ""


def _spoken_effect(book: Book, choice: ChoiceView) -> str:
    """Return a description of the effect of a legal move, for screen readers."""
    if choice.result and choice.note.startswith("past "):
        return choice.note.replace(":", ",")
    if choice.wanted is None:
        return f"you {MOVES_WITHOUT_TOKEN[choice.move].you}"
    makes = "makes" if book.rules.shared and book.rules.moves == "operations" else "to"
    does = "stays on" if choice.lands == choice.place else makes
    return f"{does} {choice.lands}{f', {choice.note}' if choice.note else ''}"


def _spoken_move(book: Book, move: Move) -> str:
    """Return a move for screen readers: `3`, or `3 with token b` if each player has several tokens."""
    if book.rules.tokens == 1 or move.token is None:
        return str(move)
    return f"{move.partition(':')[2]} with {book.noun('token')} {token_letter(move.token)}"
