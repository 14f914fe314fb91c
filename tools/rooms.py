"""Draws the picture in docs/architecture.md: which room hands what to which. `make picture` calls it.

Nothing in it is drawn by hand but what a room hands out and where it belongs: the rooms and their order are the layers
in pyproject.toml, the lines are the imports in the code, and the sentences are the first ones of the code itself.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, tostring

import grimp

from numberline.palette import css_variables
from numberline.reports.html import tag

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "numberline"

EDGE, CARD, ROW, RAIL, LABELS, LINE = 16, 340, 42, 26, 160, 24
"""The edge, how wide a room's card is and how high its row, how far rails and lines are apart, the space for labels."""
LEGEND = 300
"""How wide the legend is."""
LONGEST = 56
"""A longer sentence is cut off at its colon."""


class Group(NamedTuple):
    """Rooms that serve one purpose, and are drawn in one colour."""

    colour: str
    purpose: str


GAME = Group("player-1", "the game and its rules")
TRUTH = Group("win", "what everything is worth, and why")
PLAYERS = Group("player-2", "who plays, and how well")
SHOWN = Group("endless", "what people read and see")
GROUPS = (GAME, TRUTH, PLAYERS, SHOWN)


class Room(NamedTuple):
    """What is drawn of a room besides what its code says."""

    group: Group
    gives: tuple[str, ...]
    """The most important names that other rooms, or people outside, get from it."""
    once: str = ""
    """What is said here, and nowhere else, for all rooms above."""


ROOMS = {
    "files": Room(GAME, ("read_text", "write_whole")),
    "books": Room(GAME, ("five TOML files",)),
    "cluster": Room(PLAYERS, ("spread_out",)),
    "rules": Room(GAME, ("Position", "Move", "Rules")),
    "book": Room(GAME, ("Book",)),
    "match": Room(GAME, ("Match", "Ply")),
    "notation": Room(GAME, ("write_record", "read_records")),
    "solver": Room(TRUTH, ("Solution", "Worth", "Judged"), "worth, positions"),
    "speech": Room(SHOWN, ("Narrator", "rules_in_prose")),
    "analysis": Room(TRUTH, ("Claim", "Hint", "Review", "Lesson")),
    "bots": Room(PLAYERS, ("Bot", "Seats", "play_on"), "seats"),
    "views": Room(SHOWN, ("PositionView", "ValuesView"), "views"),
    "envs": Room(PLAYERS, ("BookEnv", "VectorEnv", "TextEnv")),
    "arena": Room(PLAYERS, ("Tournament", "Standings")),
    "lab": Room(PLAYERS, ("measure", "make_map", "Answers")),
    "reports": Room(SHOWN, ("review_page", "arena_page")),
    "terminal": Room(SHOWN, ("Screen", "Session")),
    "web": Room(SHOWN, ("Service", "Store")),
    "cli": Room(SHOWN, ("main",)),
}
DATA = {"books": "book"}
"""Rooms without code, which nobody can import, and the room that reads them."""


def layers() -> list[str]:
    """The rooms, lowest first, as pyproject.toml has them; those without code stand below the code."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = settings["tool"]["importlinter"]["contracts"]
    lowest_first: list[str] = contract["layers"][::-1]
    rooms = [lowest_first[0], *DATA, *lowest_first[1:]]
    if set(rooms) != set(ROOMS):
        raise SystemExit(f"ROOMS in {__file__} and the layers in pyproject.toml differ: {set(rooms) ^ set(ROOMS)}")
    return rooms


def takers(rooms: list[str]) -> dict[str, set[str]]:
    """For each room, those that import something from it."""
    graph = grimp.build_graph("numberline", cache_dir=None)
    code = [room for room in rooms if room not in DATA]
    found = {
        giver: {
            taker
            for taker in code
            if taker != giver
            and graph.direct_import_exists(
                importer=f"numberline.{taker}", imported=f"numberline.{giver}", as_packages=True
            )
        }
        for giver in code
    }
    return found | {room: {reader} for room, reader in DATA.items()}


def sentence(room: str) -> str:
    """What a room is, in the words of its code."""
    if room in DATA:
        return "The books, as data."
    path = SOURCE / room / "__init__.py" if (SOURCE / room).is_dir() else SOURCE / f"{room}.py"
    text = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    return text if len(text) <= LONGEST else text.partition(":")[0] + "."


def missing(room: str) -> list[str]:
    """Names that a room is said to hand out, and does not have."""
    paths = sorted((SOURCE / room).glob("*.py")) or [SOURCE / f"{room}.py"]
    nodes = (node for path in paths for node in ast.parse(path.read_text(encoding="utf-8")).body)
    there = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return [name for name in ROOMS[room].gives if name not in there]


STYLE = f"""{css_variables()}
text {{ font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink); }}
.name {{ font-weight: 700; }}
.note {{ font-size: 11.5px; fill: var(--soft); }}
.gives {{ font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 12px; }}
.ground {{ fill: var(--paper); }}
.card {{ fill: var(--card); stroke: var(--rule); }}
.once .card {{ fill: var(--warm); stroke: var(--endless); }}
.row {{ stroke: var(--soft); opacity: .45; }}
.rail {{ stroke: currentColor; stroke-width: 2; }}
.once .rail, .once .origin {{ stroke: currentColor; stroke-width: 5; }}
.origin, .dot, .band {{ fill: currentColor; }}
.dot {{ stroke: var(--paper); stroke-width: 1.5; }}
"""


class Picture:
    """The rooms one above the other; from each a rail goes up, with a dot in every room that takes from it."""

    def __init__(self) -> None:
        self.rooms = layers()
        self.takers = takers(self.rooms)
        for room in self.rooms:
            if room not in DATA and missing(room):
                raise SystemExit(f"{room} does not hand out {', '.join(missing(room))}: put ROOMS in {__file__} right")

    def drawn(self) -> str:
        """The whole picture."""
        wide = 2 * EDGE + CARD + len(self.rooms) * RAIL + LABELS
        high = 2 * EDGE + len(self.rooms) * ROW
        svg = tag(
            "svg",
            tag("title", "The rooms of Numberline, and what each hands to the rooms above it"),
            tag("style", STYLE),
            tag("rect", cls="ground", width=wide, height=high, rx=14),
            *map(self._row, self.rooms),
            *map(self._rail, self.rooms),
            self._legend(wide - EDGE - LEGEND, high - EDGE - 7 * LINE),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {wide} {high}",
            role="img",
        )
        return tostring(svg, "unicode") + "\n"

    def _y(self, room: str) -> int:
        return EDGE + (len(self.rooms) - 1 - self.rooms.index(room)) * ROW + ROW // 2

    def _x(self, room: str) -> int:
        return EDGE + CARD + RAIL + self.rooms.index(room) * RAIL

    def _row(self, room: str) -> Element:
        y = self._y(room)
        said = f"said once: {ROOMS[room].once}" if ROOMS[room].once else ""
        name = room + ("/" if (SOURCE / room).is_dir() else ".py")
        return tag(
            "g",
            tag("line", cls="row", x1=EDGE + CARD, y1=y, x2=self._x(room), y2=y),
            tag("rect", cls="card", x=EDGE, y=y - ROW // 2 + 3, width=CARD, height=ROW - 6, rx=7),
            tag("rect", cls="band", x=EDGE, y=y - ROW // 2 + 9, width=4, height=ROW - 18, rx=2),
            tag("text", name, cls="name", x=EDGE + 14, y=y - 2),
            tag("text", said, cls="note", x=EDGE + CARD - 12, y=y - 2, text_anchor="end") if said else None,
            tag("text", sentence(room), cls="note", x=EDGE + 14, y=y + 12),
            cls=_room_class(room),
            style=_colour(ROOMS[room].group),
        )

    def _rail(self, room: str) -> Element:
        x, y = self._x(room), self._y(room)
        taking = sorted(self.takers[room], key=self.rooms.index)
        rail = tag("line", cls="rail", x1=x, y1=y, x2=x, y2=self._y(taking[-1])) if taking else None
        dots = (_dot(x, self._y(taker)) for taker in taking)
        label = tag("text", ", ".join(ROOMS[room].gives), cls="gives", x=x + 16, y=y + 4)
        return tag("g", rail, *dots, _origin(x, y), label, cls=_room_class(room), style=_colour(ROOMS[room].group))

    def _legend(self, left: int, top: int) -> Element:
        """What the signs mean, in the corner that no rail comes to."""
        signs = [
            (_origin(0, 0), "what a room hands out …"),
            (_dot(0, 0), "… and every room above that imports it"),
            (tag("g", _origin(0, 0), cls="once"), "said once, for all rooms above"),
            *((tag("g", _origin(0, 0), style=_colour(group)), group.purpose) for group in GROUPS),
        ]
        rows = (
            tag("g", sign, tag("text", says, x=18, y=4), transform=f"translate({left} {top + n * LINE})")
            for n, (sign, says) in enumerate(signs)
        )
        return tag("g", *rows, style="color: var(--soft)")


def _origin(x: int, y: int) -> Element:
    return tag("rect", cls="origin", x=x - 6, y=y - 6, width=12, height=12, rx=2)


def _dot(x: int, y: int) -> Element:
    return tag("circle", cls="dot", cx=x, cy=y, r=5)


def _colour(group: Group) -> str:
    return f"color: var(--{group.colour})"


def _room_class(room: str) -> str:
    return "once" if ROOMS[room].once else ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(Picture().drawn(), encoding="utf-8")
