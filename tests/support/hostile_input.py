"""Hostile and malformed texts for every prompt, argument, file, protocol and page."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from random import Random

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
"""Texts by the harm they could do; NUL and lone surrogates are separate because not every input can carry them."""
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


# Lines


VERBS = ("numberline", "isready", "toml", "book", "newgame", "position", "legal", "go", "quit")
"""The words of the protocol of engines."""
GAMES = ("flag-chase", "line-runner", "number-reach", "number-line-sprint", "reach-the-edge")
SENSIBLE = (
    *("3", "2:1", "+1", "*2", "L2", "skip", "resign", "pass", "out", "1 2,10", "2 3,0 last=2 out=1", "0..30", "1-3"),
    *(
        "end=30",
        "steps=1-3;1,2,5",
        "length=10..20",
        "first<=40%",
        "slip:25",
        "mcts:5",
        "(",
        ")",
        "=",
        ",",
        ";",
        "..",
        ":",
    ),
    *(
        "numberline record 1",
        "variant: flag-chase",
        "first: 1",
        "player 1: Ann",
        "1. 3",
        "result: unfinished",
        "| x = 1",
    ),
    *('{"kind": "move", "request": "r", "seq": 1, "move": "3"}', '{"kind": "hello", "since": 0}', "book:", "[rules]"),
)
"""Texts that are valid at one entry point and wrong at the others."""


def hostile_lines(rng: Random) -> Iterator[str]:
    """Yield random lines forever: valid words, hostile texts, bad numbers and nesting, cut and joined at random."""
    while True:
        line = _glued(rng)
        yield line[: rng.randrange(len(line) + 1)] if rng.random() < 0.2 else line


def _glued(rng: Random) -> str:
    parts = [rng.choice(_KINDS)(rng) for _ in range(rng.choice((1, 1, 2, 3, 5)))]
    return rng.choice((" ", "", ",", "=", ":", "\n", "(")).join(parts)


def _nested(rng: Random) -> str:
    """Brackets within brackets, as JSON and TOML have them."""
    opening = rng.choice(("[", '{"a":', "(", "x = [", '[{"kind":', "[[", "a."))
    return opening * rng.choice((1, 3, 200, 5_000))


def _quoted(rng: Random) -> str:
    """A text as JSON writes it, halves of characters too."""
    return json.dumps(rng.choice((*PIECES.values(), *APART.values(), *SENSIBLE)))


def _position(rng: Random) -> str:
    """Something like a position, of any size and for any number of players."""
    tokens = (str(rng.choice((0, 1, 5, -3, 20, 10**9, -(10**9), 9_999_999_999))) for _ in range(rng.randrange(20)))
    line = f"{rng.randrange(9)} {','.join(tokens)}"
    return line + rng.choice(("", f" last={rng.randrange(200)}", f" out={rng.randrange(8)}", " out=1,2,3,4,5,6"))


def _variant(rng: Random) -> str:
    """Something like a variant."""
    name, setting = (
        rng.choice(GAMES),
        rng.choice(("end", "steps", "target", "players", "tokens", "start", "operations")),
    )
    return f"{name}({setting}={rng.choice((*NUMBERS, '1-3', '1-999999999', '1000000000', '+1 *0', '6', '0'))})"


def _record(rng: Random) -> str:
    """A record, each line of which may be another one."""
    lines = ["numberline record 1", "variant: flag-chase", "first: 1", "player 1: Ann", "player 2: Bob", "1. 3"]
    lines[rng.randrange(len(lines))] += rng.choice((*PIECES.values(), *NUMBERS, "\nbook:\n| x = [[[["))
    return "\n".join([*lines, "result: unfinished"])


_KINDS = (
    lambda rng: rng.choice(list(PIECES.values())),
    lambda rng: rng.choice(list(APART.values())),
    lambda rng: rng.choice(NUMBERS),
    lambda rng: rng.choice(SENSIBLE),
    lambda rng: rng.choice(VERBS),
    lambda rng: rng.choice(GAMES),
    lambda rng: chr(rng.randrange(0x110000)) * rng.choice((1, 2, 300)),
    _nested,
    _quoted,
    _position,
    _variant,
    _record,
)
