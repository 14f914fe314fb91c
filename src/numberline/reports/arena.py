"""The standings as files: one self-contained page for a browser, and a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from numberline.arena.standings import Standings

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
th:first-child, td:first-child, .text { text-align: left }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
@media (prefers-color-scheme: dark) { body { background: #16181d; color: #ddd } th, td { border-color: #3a3d44 } }
"""
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


def page(standings: Standings) -> str:
    """The standings as a page of HTML that needs nothing else."""
    players = standings.players()
    faults = [(row["player"], reason, f"{n:,}") for row in players for reason, n in sorted(row["reasons"].items())]
    parts = [
        f"<h1>Numberline arena</h1><p>{escape(_about(standings))}</p>",
        _table(STANDING, map(standing, players)),
        f"<h2>Scores with their intervals</h2>{_chart(players)}",
        "<h2>Against each other</h2>",
        _table(("player", "opponent", "won", "drawn", "lost", "score", "95 %", "ceiling"), _pairs(standings)),
        *(["<h2>Forfeits</h2>", _table(("player", "reason", "games"), faults)] if faults else []),
        "<h2>Book by book</h2>",
        _table(
            ("book", "player", "opponent", "seat", "games", "score", "ceiling", "regret", "optimal"), _cells(standings)
        ),
        f"<p>{escape(METHOD)}</p>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><title>Numberline arena</title>{head}\n' + "\n".join(parts) + "\n</html>\n"
    )


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


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}\n</table></div>'


def _chart(players: Sequence[dict[str, Any]]) -> str:
    """A line for each player from one end of the interval to the other, the score as a dot, the ceiling as a tick."""
    left, width, step = 230, 520, 26
    lines = []
    for number, row in enumerate(players):
        y = 20 + number * step
        low, high, score = (left + width * row[key] for key in ("low", "high", "score"))
        name = row["player"] if len(row["player"]) <= 32 else row["player"][:31] + "…"
        lines.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        lines.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#2a6f9d" stroke-width="3"/>')
        lines.append(f'<circle cx="{score:.1f}" cy="{y}" r="5" fill="#2a6f9d"/>')
        if row["ceiling"] is not None:
            x = left + width * row["ceiling"]
            lines.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8}" y2="{y + 8}" stroke="#c8553d" stroke-width="2"/>'
            )
    bottom = 20 + len(players) * step
    for share in (0, 25, 50, 75, 100):
        x = left + width * share / 100
        lines.append(f'<text x="{x:.0f}" y="{bottom + 6}" text-anchor="middle">{share} %</text>')
    size = f'viewBox="0 0 {left + width + 30} {bottom + 14}" width="{left + width + 30}"'
    label = "The score of each player with its interval; the tick is the ceiling"
    return f'<div class="wide"><svg {size} role="img" aria-label="{label}">{"".join(lines)}</svg></div>'


def as_csv(standings: Standings) -> str:
    """Each player against each other one, in each book and seat, a row each."""
    text = io.StringIO()
    rows = list(standings.cells())
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["book"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
