"""The standings as files: one self-contained page for a browser, and a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from numberline.arena.standings import Standings
from numberline.reports.markup import page, table, tag

METHOD = (
    "The score is the share of the points; a draw is half a point, and a game stopped at the ply limit is a draw. Its "
    "interval is Wilson's, at 95 %. The ceiling is what the same seats get where both sides play perfectly. Regret is "
    "the points that a choice gave away (win 1, endless 0, loss -1), with a 95 % interval; a blunder is a choice that "
    "gave away any. Optimal choices gave away neither points nor plies. Moves without an alternative don't count. "
    "The rating is openskill's (Plackett-Luce), with two standard deviations; a match is two games with seats changed."
)
"""How the figures are made, to stand below them."""


def percent(share: float | None) -> str:
    """A share as people read it; a dash where it is not known."""
    return "-" if share is None else f"{100 * share:.1f} %"


def standing(row: dict[str, Any]) -> list[str]:
    """What stands in the main table for one player."""
    one, other = row["seats"]
    rating = row["rating"]
    return [
        row["player"],
        f"{one['wins']:,}/{one['games']:,}",
        f"{other['wins']:,}/{other['games']:,}",
        f"{row['draws']:,}",
        f"{row['forfeits']:,}",
        percent(row["score"]),
        f"{100 * row['low']:.1f}-{100 * row['high']:.1f}",
        percent(row["ceiling"]),
        "-" if row["regret"] is None else f"{row['regret']:.3f} ± {row['regret_error']:.3f}",
        percent(row["optimal"]),
        f"{row['blunders']:,}",
        f"{rating['mean']:.1f} ± {rating['error']:.1f}" if rating else "-",
    ]


STANDING = (
    *("player", "won, seat 1", "won, seat 2", "draws", "forfeits", "score", "95 %", "ceiling"),
    *("regret a move", "optimal", "blunders", "rating"),
)
"""What stands above the main table."""
POINTS = 8
"""So many of its columns are about points; the others are about moves."""
PAIR = ("player", "opponent", "won", "drawn", "lost", "score", "95 %", "ceiling")
FAULT = ("player", "reason", "games")
CELL = ("book", "player", "opponent", "seat", "games", "score", "ceiling", "regret", "optimal")
SHARES = (0, 25, 50, 75, 100)
"""What stands below the chart, in percent."""


def arena_page(standings: Standings) -> str:
    """The standings as a page of HTML that needs nothing else."""
    players = standings.players()
    rows = [standing(row) for row in players]
    faults = [(row["player"], reason, f"{n:,}") for row in players for reason, n in sorted(row["reasons"].items())]
    articles = [
        tag(
            "article",
            tag("h1", "Numberline arena"),
            tag("p", _about(standings), cls="lead"),
            _figures(STANDING[:POINTS], [row[:POINTS] for row in rows]),
            _figures(STANDING[:1] + STANDING[POINTS:], [row[:1] + row[POINTS:] for row in rows]),
            tag("h2", "Scores with their intervals"),
            _chart(players),
        ),
        tag("article", tag("h2", "Against each other"), _figures(PAIR, _pairs(standings), names=2)),
        tag("article", tag("h2", "Forfeits"), _figures(FAULT, faults, names=2)) if faults else None,
        tag("article", tag("h2", "Book by book"), _figures(CELL, _cells(standings), names=3)),
        tag("article", tag("h2", "How the figures are made"), tag("p", METHOD, cls="note")),
    ]
    return page("Numberline arena", articles)


def _about(standings: Standings) -> str:
    header = standings.tournament.header()
    books = "a book" if len(header["books"]) == 1 else f"each of {len(header['books'])} books"
    return (
        f"{standings.games:,} of {standings.tournament.total:,} games: {header['games']:,} of each two players in "
        f"{books}, seats changed after every game; seed {header['seed']}, stopped after {header['plies']:,} plies."
    )


def _pairs(standings: Standings) -> Iterator[Sequence[str]]:
    for row in standings.pairs():
        counts = (f"{row[key]:,}" for key in ("wins", "draws", "losses"))
        interval = f"{100 * row['low']:.1f}-{100 * row['high']:.1f}"
        yield row["player"], row["opponent"], *counts, percent(row["score"]), interval, percent(row["ceiling"])


def _cells(standings: Standings) -> Iterator[Sequence[str]]:
    for row in standings.cells():
        who = (row["book"], row["player"], row["opponent"], str(row["seat"]), f"{row['games']:,}")
        regret = "-" if row["regret"] is None else f"{row['regret']:.3f}"
        yield *who, percent(row["score"]), percent(row["ceiling"]), regret, percent(row["optimal"])


def _figures(titles: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> Element:
    """A table whose first columns are names, the others numbers."""
    kinds = ["name"] * names + [""] * (len(titles) - names)
    return table(titles, (_row(zip(row, titles, kinds, strict=True)) for row in rows), "figures", names)


def _row(cells: Iterable[tuple[str, str, str]]) -> Element:
    return tag("tr", *(tag("td", text, cls=kind, data_label=title) for text, title, kind in cells))


def _chart(players: Sequence[dict[str, Any]]) -> Element:
    """A line for each player from one end of the interval to the other, the score as a dot, the ceiling as a tick."""
    rows = [part for row in players for part in (tag("span", row["player"]), _interval(row))]
    scale = tag("div", *(tag("span", f"{share} %") for share in SHARES), cls="scale")
    told = "The dot is the score, the bar its 95 % interval, the tick the ceiling."
    return tag("figure", tag("div", *rows, scale, cls="scores"), tag("figcaption", told, cls="note"))


def _interval(row: dict[str, Any]) -> Element:
    low, high, score, ceiling = (row[key] and f"{100 * row[key]:.2f}%" for key in ("low", "high", "score", "ceiling"))
    return tag(
        "svg",
        *(_upright(f"{share}%") for share in SHARES),
        _upright(ceiling, 4, "ceiling") if ceiling else None,
        tag("line", cls="interval", x1=low, x2=high, y1=14, y2=14),
        tag("circle", cls="player-1", cx=score, cy=14, r=5),
        role="img",
        aria_label=f"score {percent(row['score'])}, ceiling {percent(row['ceiling'])}",
    )


def _upright(x: str, gap: int = 0, kind: str = "") -> Element:
    return tag("line", cls=kind, x1=x, x2=x, y1=gap, y2=28 - gap)


def as_csv(standings: Standings) -> str:
    """Each player against each other one, in each book and seat, a row each."""
    text = io.StringIO()
    rows = list(standings.cells())
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["book"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
