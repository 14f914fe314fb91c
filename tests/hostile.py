"""Texts that somebody could send to do harm, or by mistake: used on every prompt, argument, file, protocol and page."""

from __future__ import annotations

import re
import unicodedata

PIECES = {
    "clears the screen": "\x1b[2J\x1b[H",
    "changes the title": "\x1b]0;owned\x07",
    "answers by itself": "\x1b[6n\x1b[c\x05",
    "eight-bit escape": "\x9b31m\x9d0;x\x9c",
    "goes back over the line": "\r\x08\x08\x08",
    "bell and backspace": "\x07\x7f\x08",
    "form feed, vertical tab": "\x0c\x0b",
    "turns the writing round": "\u202egnp.exe\u202c\u2066\u2069\u200f",
    "line separators": "\u2028\u2029\u0085",
    "invisible tags": "\U000e0041\U000e007f\ufeff\u00ad",
    "markup": "[/x][red]bold[/red][link=https://example.org]",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'",
    "a formula": "=1+1@SUM(A1)",
    "slots": "{player} {0} {} {{x}} %s %(x)s $HOME `id`",
}
"""What each piece would do, and the piece; NUL and halves of characters can't be had everywhere, so they are apart."""
APART = {"NUL": "a\x00b", "half a character": "a\udc9bb"}
NASTY = "Nasty" + "".join(PIECES.values())
"""All pieces in one text."""

NUMBERS = ("9" * 5000, "-" + "9" * 400, "1e999", "NaN", "0x10", "1_000", "٣", "³", "1.5", "+ 1", "--1", "", " ")
"""Texts that a careless reader takes for numbers."""
STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[\?2004[lh]|\x1b\[[0-9]*[AK]|\r(?=\n)")
"""What we print ourselves to draw with colour, to hide the cursor and to move a bar; nothing of it does harm."""

OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""The kinds of characters that are not shown."""


def obeyed(printed: str) -> list[str]:
    """The characters in what was printed that a terminal would obey instead of showing them."""
    left = STYLE.sub("", printed)
    return [
        each for each in left if each not in "\n\t" and unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]
