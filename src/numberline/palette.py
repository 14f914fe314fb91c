"""Colours for pages, players and values, in light and dark themes and in the terminal."""

from __future__ import annotations

from typing import NamedTuple


class Color(NamedTuple):
    light: str
    dark: str
    ansi: str = ""


PALETTE = {
    "paper": Color("#f4f1ea", "#13161a"),
    "card": Color("#fffdf8", "#1b1f24"),
    "ink": Color("#1e2329", "#ece9e2"),
    "soft": Color("#59616b", "#a2abb5"),
    "rule": Color("#e0dacc", "#2e343b"),
    "strip": Color("#f6e7c1", "#33301f"),
    "one": Color("#1b5f8f", "#74bdf0", "cyan"),
    "two": Color("#993064", "#f394c2", "magenta"),
    "three": Color("#0b6767", "#5fd0c8", "yellow"),
    "four": Color("#8b4513", "#f0a868", "green"),
    "five": Color("#5a40a6", "#b9a2ff", "blue"),
    "six": Color("#4c5a1c", "#c2cf7a", "red"),
    "win": Color("#14693b", "#66d79a", "green"),
    "loss": Color("#a93520", "#ff9a84", "red"),
    "even": Color("#7a5600", "#eac066", "yellow"),
    "open": Color("#4f5d8c", "#a9b4e0", "blue"),
}
"""Colours by the name of their CSS custom property, without `--`; a test compares them with the web style sheet."""
PLAYER_COLORS = ("one", "two", "three", "four", "five", "six")
VALUE_COLORS = {"win": "win", "loss": "loss", "endless": "even", "open": "open"}


def css_variables() -> str:
    """Return the palette as CSS custom properties, with a dark theme for screens only."""
    light = " ".join(f"--{name}: {color.light};" for name, color in PALETTE.items())
    dark = " ".join(f"--{name}: {color.dark};" for name, color in PALETTE.items())
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
