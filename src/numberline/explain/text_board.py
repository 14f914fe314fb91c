"""Plain-text drawings of the board, and descriptions of positions for screen readers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.move_text import token_letter
from numberline.game.position import Position
from numberline.text import join_and, join_or

MAX_FULL_LINE_LENGTH = 200
CONTEXT_PLACES = 5
"""Number of places shown on either side of each token, goal and end if a line is too long to draw in full."""
GAP = "..."


def iter_tokens(book: Book, position: Position) -> Iterator[tuple[int, int, int]]:
    """Yield the player, index and place of every token on the line; for a shared marker, the player is 0."""
    for player in (0,) if book.rules.shared else book.players:
        if not player or not position.is_out(player):
            yield from ((player, token, place) for token, place in enumerate(book.tokens_of(position, player)))


def marks_by_place(book: Book, position: Position, *, skip_starts: bool = False) -> dict[int, list[str]]:
    """Return the marks of the tokens by place; `skip_starts` omits tokens still at their start."""
    placed: dict[int, list[str]] = {}
    for player, token, place in iter_tokens(book, position):
        if not (skip_starts and place == book.rules.starts[player - 1]):
            placed.setdefault(place, []).append(token_mark(book, player, token))
    return placed


def token_mark(book: Book, player: int, token: int = 0) -> str:
    """Return the mark of a token: `A` or `P1`; with several tokens per player, `Ab` or `P1b`; `X` if it is shared."""
    if not player:
        return book.noun("mark") or "X"
    return book.noun("mark") + book.label(player) + (token_letter(token) if book.rules.tokens > 1 else "")


def visible_places(
    book: Book, placed: Collection[int], *, max_length: int = MAX_FULL_LINE_LENGTH, context: int = CONTEXT_PLACES
) -> list[int | None]:
    """Return the places to draw, in order; None marks a gap in a long line."""
    low, high = book.rules.line
    low, high = min([low, *placed]), max([high, *placed])
    if high - low <= max_length:
        return list(range(low, high + 1))
    goals = {goal for goals in book.rules.goals for goal in goals}
    points = {low, high, *goals, *placed}
    chosen = {place for point in points for place in range(max(low, point - context), min(high, point + context) + 1)}
    places: list[int | None] = []
    for place in sorted(chosen):
        if places and places[-1] != place - 1:
            places.append(None)
        places.append(place)
    return places


def render_inline(book: Book, placed: Mapping[int, list[str]]) -> str:
    """Draw the tokens next to the numbers: `2(B) 3(A) 4`."""
    marked = {place: f"{place}({'/'.join(marks)})" for place, marks in placed.items()}
    return " ".join(GAP if place is None else marked.get(place, str(place)) for place in visible_places(book, placed))


def render_under(book: Book, placed: Mapping[int, list[str]]) -> str:
    """Draw the mark of each token below its number."""
    columns: dict[int, int] = {}
    numbers = ""
    for place in visible_places(book, placed):
        if place is not None:
            columns[place] = len(numbers)
        numbers += f"{GAP if place is None else place} "
    rows: list[str] = []
    for place in sorted(placed):
        text = "/".join(placed[place])
        row = next((n for n, row in enumerate(rows) if len(row) <= columns[place]), len(rows))
        rows[row : row + 1] = [(rows[row] if row < len(rows) else "").ljust(columns[place]) + text]
    return "\n".join([numbers.rstrip(), *rows])


STYLES = {"inline": render_inline, "under": render_under}


def describe_position(match: Match) -> str:
    """Return sentences that state the places of the tokens and goals.

    >>> import numberline as nl
    >>> describe_position(nl.Match(nl.book("flag-chase")))
    'Player 1 is on tile 0. Player 2 is on tile 10. The goal is tile 5.'
    """
    book, position = match.book, match.position
    rules, place, goals = book.rules, book.noun("place"), describe_goals(book, match.names)
    if rules.shared:
        on = "" if rules.moves == "operations" else f"on {place} "
        return f"The {book.noun('token')} is {on}{position.tokens[0]}. {goals}"
    on = place if rules.tokens == 1 else f"{place}s"
    where = [
        f"{name} is on {on} {join_and(book.tokens_of(position, player))}. "
        for player, name in enumerate(match.names, 1)
        if not position.is_out(player)
    ]
    return "".join(where) + goals


def describe_goals(book: Book, names: Sequence[str]) -> str:
    """Return a sentence that states the place of the goal, or one such sentence per player if their goals differ.

    >>> import numberline as nl
    >>> describe_goals(nl.book("reach-the-edge"), ["Ann", "Ben"])
    "Ann's goal is position 0. Ben's goal is position 15."
    """
    goals = book.rules.goals
    noun = "" if book.rules.shared and book.rules.moves == "operations" else f"{book.noun('place')} "
    if len(set(goals)) == 1:
        return f"The goal is {noun}{join_or(goals[0])}."
    return " ".join(f"{name}'s goal is {noun}{join_or(own)}." for name, own in zip(names, goals, strict=True))
