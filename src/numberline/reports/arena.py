"""Arena standings as tables and as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from numberline.arena.standings import Standings
from numberline.reports.html import METHOD_NOTES, data_table, page, tag

PERFECT_LABEL = "perfect against perfect"
MOVE_COLUMNS = ("player", "regret per move", "optimal", "blunders", "rating", "95% CI")
PAIR_COLUMNS = ("player", "opponent", "won", "drawn", "lost", "score", "95% CI", PERFECT_LABEL)
FORFEIT_COLUMNS = ("player", "reason", "games")
BOOK_COLUMNS = ("book", "player", "opponent", "seat", "games", "score", PERFECT_LABEL, "regret", "optimal")
SCALE_PERCENTS = (0, 25, 50, 75, 100)


def format_percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


def standing_tables(players: Sequence[dict[str, Any]]) -> Iterator[tuple[Sequence[str], list[list[str]]]]:
    """Yield the column titles and rows of two tables: points and move quality."""
    won = [f"won, seat {row['seat']}" for row in (players[0]["seats"] if players else ())]
    yield ("player", *won, "draws", "forfeits", "score", "95% CI", PERFECT_LABEL), [_points(row) for row in players]
    yield MOVE_COLUMNS, [_moves(row) for row in players]


def _points(row: dict[str, Any]) -> list[str]:
    won = [f"{seat['wins']:,}/{seat['games']:,}" for seat in row["seats"]]
    return [row["player"], *won, *(f"{row[key]:,}" for key in ("draws", "forfeits")), *_score(row)]


def _moves(row: dict[str, Any]) -> list[str]:
    regret = "-" if row["regret"] is None else f"{row['regret']:.3f} ± {row['regret_error']:.3f}"
    rated = row["rating"]
    rating = [f"{rated['mean']:.0f}", f"{rated['low']:.0f}-{rated['high']:.0f}"] if rated else ["-", "-"]
    return [row["player"], regret, format_percent(row["optimal"]), f"{row['blunders']:,}", *rating]


def _score(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return the score, its 95% confidence interval, and the score if everyone plays perfectly."""
    interval = f"{100 * row['low']:.1f}-{100 * row['high']:.1f}"
    return format_percent(row["score"]), interval, format_percent(row["perfect_against_perfect"])


def arena_page(standings: Standings) -> str:
    """Return the standings as a self-contained HTML page."""
    players = standings.players()
    faults = [(row["player"], reason, f"{n:,}") for row in players for reason, n in sorted(row["reasons"].items())]
    articles = [
        tag(
            "article",
            tag("h1", "Numberline arena"),
            tag("p", _about(standings), cls="lead"),
            *(data_table(titles, rows) for titles, rows in standing_tables(players)),
            tag("h2", "Scores with 95% confidence intervals"),
            _chart(players),
        ),
        tag("article", tag("h2", "Against each other"), data_table(PAIR_COLUMNS, _pairs(standings), names=2)),
        tag("article", tag("h2", "Forfeits"), data_table(FORFEIT_COLUMNS, faults, names=2)) if faults else None,
        tag("article", tag("h2", "Book by book"), data_table(BOOK_COLUMNS, _cells(standings), names=3)),
        tag("article", tag("h2", "How the figures are computed"), tag("p", METHOD_NOTES["arena"], cls="note")),
    ]
    return page("Numberline arena", articles)


def _about(standings: Standings) -> str:
    header = standings.tournament.header()
    books = "one book" if len(header["books"]) == 1 else f"each of {len(header['books'])} books"
    who = "each pair of players" if standings.seats == 2 else "each group of players"
    return (
        f"{standings.games:,} of {standings.tournament.total:,} games: {header['games']:,} for {who} in "
        f"{books}, with alternating seats and seed {header['seed']}; games stop after {header['plies']:,} turns."
    )


def _pairs(standings: Standings) -> Iterator[Sequence[str]]:
    for row in standings.pairs():
        counts = (f"{row[key]:,}" for key in ("wins", "draws", "losses"))
        yield (row["player"], row["opponent"], *counts, *_score(row))


def _cells(standings: Standings) -> Iterator[Sequence[str]]:
    for row in standings.cells():
        names = (row["book"], row["player"], row["opponent"], str(row["seat"]), f"{row['games']:,}")
        score, perfect, optimal = (format_percent(row[key]) for key in ("score", "perfect_against_perfect", "optimal"))
        yield (*names, score, perfect, "-" if row["regret"] is None else f"{row['regret']:.3f}", optimal)


def _chart(players: Sequence[dict[str, Any]]) -> Element:
    """Draw each player's confidence interval, with a dot for the score and a tick for perfect play."""
    rows = [part for row in players for part in (tag("span", row["player"]), _interval(row))]
    scale = tag("div", *(tag("span", f"{share}%") for share in SCALE_PERCENTS), cls="scale")
    caption = "The dot is the score, the bar its 95% confidence interval, and the tick the score in perfect play."
    return tag("figure", tag("div", *rows, scale, cls="scores"), tag("figcaption", caption, cls="note"))


def _interval(row: dict[str, Any]) -> Element:
    """Draw a player's confidence interval; positions are percentages so that the drawing scales with the page."""
    perfect = row["perfect_against_perfect"]
    return tag(
        "svg",
        *(_upright(share / 100) for share in SCALE_PERCENTS),
        None if perfect is None else _upright(perfect, 4, "perfect"),
        tag("line", cls="interval", x1=_along(row["low"]), x2=_along(row["high"]), y1=14, y2=14),
        tag("circle", cls="player-1", cx=_along(row["score"]), cy=14, r=5),
        role="img",
        aria_label=f"score {format_percent(row['score'])}, {PERFECT_LABEL} {format_percent(perfect)}",
    )


def _upright(share: float, gap: int = 0, kind: str = "") -> Element:
    return tag("line", cls=kind, x1=_along(share), x2=_along(share), y1=gap, y2=28 - gap)


def _along(share: float) -> str:
    return f"{100 * share:.2f}%"
