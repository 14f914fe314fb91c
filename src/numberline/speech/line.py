"""The line in plain text: every number, and the tokens on it or under it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.rules.turns import is_out

LONGEST_WHOLE = 200
"""A longer line is shown only near the tokens, the goals and its ends."""
NEAR = 5
"""How near."""
GAP = "..."


def marks(book: Book, position: Position, *, but_starts: bool = False) -> dict[int, list[str]]:
    """The marks of the tokens by the place that they stand on; `but_starts` leaves out those on their start."""
    placed: dict[int, list[str]] = {}
    if book.rules.shared:
        return {position.tokens[0]: [shared_mark(book)]}
    for player in range(1, book.rules.players + 1):
        if not is_out(position.out, player):
            for token, place in enumerate(book.own(position, player)):
                if but_starts and place == book.rules.starts[player - 1]:
                    continue
                placed.setdefault(place, []).append(mark(book, player, token))
    return placed


def mark(book: Book, player: int, token: int = 0) -> str:
    """How a token is marked on the line: `A`, `P1`; with several tokens each `A2`, `P1:2`."""
    own = book.voice.get("mark", "") + book.label(player)
    if book.rules.tokens == 1:
        return own
    return f"{own}:{token + 1}" if own[-1].isdigit() else f"{own}{token + 1}"


def shared_mark(book: Book) -> str:
    """How a marker that everybody moves is marked."""
    return book.voice.get("mark") or "X"


def shown_places(
    book: Book, placed: Collection[int], *, longest: int = LONGEST_WHOLE, near: int = NEAR
) -> list[int | None]:
    """The places to draw, in order; None for a gap in a line too long to draw whole."""
    low, high = book.rules.line
    low, high = min([low, *placed]), max([high, *placed])
    if high - low <= longest:
        return list(range(low, high + 1))
    goals = {goal for goals in book.rules.goals for goal in goals}
    points = {low, high, *goals, *placed}
    chosen = {place for point in points for place in range(point - near, point + near + 1) if low <= place <= high}
    places: list[int | None] = []
    for place in sorted(chosen):
        if places and places[-1] != place - 1:
            places.append(None)
        places.append(place)
    return places


def inline(book: Book, placed: Mapping[int, list[str]]) -> str:
    """The numbers with the tokens beside them: `2(B) 3(A) 4`."""
    texts = []
    for place in shown_places(book, placed):
        here = placed.get(place, []) if place is not None else []
        texts.append(GAP if place is None else f"{place}({'/'.join(here)})" if here else str(place))
    return " ".join(texts)


def under(book: Book, placed: Mapping[int, list[str]]) -> str:
    """The numbers, and below them each token's mark, beginning exactly under its number."""
    columns: dict[int, int] = {}
    numbers = ""
    for place in shown_places(book, placed):
        if place is not None:
            columns[place] = len(numbers)
        numbers += f"{GAP if place is None else place} "
    rows: list[str] = []
    for place in sorted(placed):
        text = "/".join(placed[place])
        row = next((n for n, row in enumerate(rows) if len(row) <= columns[place]), len(rows))
        rows[row : row + 1] = [(rows[row] if row < len(rows) else "").ljust(columns[place]) + text]
    return "\n".join([numbers.rstrip(), *rows])


STYLES = {"inline": inline, "under": under}
