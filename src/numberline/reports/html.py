"""Building blocks of self-contained HTML pages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, tostring

from numberline import __version__
from numberline.palette import css_variables
from numberline.text import escape_controls

PAGE_CSS = css_variables() + "".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("page.css", "chart.css")
)
METHOD_NOTES = tomllib.loads(Path(__file__).with_name("method_notes.toml").read_text(encoding="utf-8"))
"""Paragraphs that say how the figures of a page are computed."""
PAPER_GENERATOR = "numberline print"
"""Content of the `generator` meta tag in printable pages."""
NEWLINE_AFTER_TAGS = frozenset(
    {"article", "div", "figure", "g", "head", "li", "meta", "p", "section", "style", "title", "tr"}
)


def tag(name: str, /, *content: Element | str | None, cls: str = "", **attributes: object) -> Element:
    """Create an element; `cls` is its CSS class, and underscores in attribute names become hyphens.

    >>> tostring(tag("td", "1 < ", tag("b", "2"), cls="move", data_label="sum"), "unicode", "html")
    '<td class="move" data-label="sum">1 &lt; <b>2</b></td>'
    """
    element = Element(name, {"class": cls} if cls else {})
    element.tail = "\n" if name in NEWLINE_AFTER_TAGS else None
    for key, value in attributes.items():
        element.set(key.replace("_", "-"), f"{value:.2f}" if isinstance(value, float) else escape_controls(str(value)))
    for part in (escape_controls(part) if isinstance(part, str) else part for part in content):
        if isinstance(part, Element):
            element.append(part)
        elif part and len(element):
            element[-1].tail = (element[-1].tail or "") + part
        elif part:
            element.text = (element.text or "") + part
    return element


def table(titles: Sequence[str], rows: Iterable[Element], cls: str, names: int = 0) -> Element:
    """Return a table whose first `names` columns contain names."""
    heads = (tag("th", title, cls="name" * (column < names), scope="col") for column, title in enumerate(titles))
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), cls=cls)


def data_table(titles: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1, *, ids: bool = False) -> Element:
    """Return a table with `names` columns of names, followed by columns of numbers.

    Each cell carries its column title for phone layouts. With `ids`, the rows have the ids `row-0`, `row-1` and so on,
    so that links can point to them.
    """
    kinds = ["name"] * names + [""] * (len(titles) - names)
    cells = (zip(row, titles, kinds, strict=True) for row in rows)
    lines = [tag("tr", *(tag("td", text, cls=kind, data_label=title) for text, title, kind in row)) for row in cells]
    for number, line in enumerate(lines if ids else []):
        line.set("id", f"row-{number}")
    return table(titles, lines, "figures", names)


def scrollable(content: Element) -> Element:
    """Wrap an element in a box that scrolls horizontally if the screen is too narrow."""
    return tag("div", content, cls="wide", tabindex=0)


def panel(title: str, value: str, caption: str, percent: str, player: int) -> Element:
    """Return a box in a player's colour with a value and a bar that is `percent` wide."""
    meter = tag("div", tag("i", style=f"width: {percent}%"), cls="meter")
    return tag("section", tag("h2", title), tag("strong", value), tag("span", caption), meter, cls=f"player-{player}")


def page(title: str, articles: Iterable[Element | None], paper_css: str = "") -> str:
    """Return a complete HTML page; with `paper_css`, it is meant for printing, with light colours and no footer."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=PAPER_GENERATOR) if paper_css else None,
        tag("meta", name="color-scheme", content="light" if paper_css else "light dark"),
        tag("title", title),
        tag("style", paper_css or PAGE_CSS),
    )
    footer = None if paper_css else tag("footer", f"Made by numberline {__version__}.")
    body = tag("body", tag("main", *articles), footer)
    return f"<!doctype html>\n{tostring(tag('html', head, body, lang='en'), 'unicode', 'html')}\n"
