"""What a book may say, and when: the moments of a game, the engine's own words for each, and the slots they may use.

A moment is one text. `{slot}` stands for a fact, `{slot one|many}` for the first word where the fact is 1 and for the
second elsewhere. A blank line belongs to the text after it. An empty text says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from numberline.rules.answers import PLAYERS
from numberline.rules.wording import did_you_mean

SLOT = re.compile(r"\{(\w+)(?: ([^{}|]*)\|([^{}|]*))?\}")

WORDS: dict[str, str] = {"place": "position", "token": "token", "mark": ""}
"""The nouns of a book, and what stands before a player's number on the drawn line."""

OPTIONS: dict[str, tuple[str, ...]] = {
    "players": ("numbers", "letters"),
    "begins": ("agreed", "first"),
    "style": ("none", "inline", "under"),
}
"""What players are called, who begins by the book, and how the plain line is drawn; the first is the default."""

MOST_PLAYERS = PLAYERS[-1]
_NUMBERED = {f"{slot}{number}" for slot in ("player", "goal") for number in range(1, MOST_PLAYERS + 1)}
_ALWAYS = _NUMBERED | {"title", "player", "goal", "place", "last", "choices", "legal", "moves", "steps"}
_MOVED = _ALWAYS | {"to", "wanted", "occupant", "direction", "stride", "move"}


class Moment(NamedTuple):
    """One moment at the table."""

    default: str
    slots: set[str]


MOMENTS: dict[str, Moment] = {
    "opening": Moment("Welcome to {title}!", _ALWAYS),
    "starts": Moment("\n{player} starts.", _ALWAYS),
    "board": Moment("\n{line}", _ALWAYS | {"line"}),
    "waiting": Moment("", _ALWAYS),
    "turn": Moment("\n{player}'s turn, on {place}.", _ALWAYS),
    "ask": Moment("Enter your move ({choices}): ", _ALWAYS),
    "moved": Moment("\n{player} moves to {to}.", _MOVED),
    "back": Moment("\n{player} moves back to {to}.", _MOVED),
    "stopped": Moment("\n{wanted} is taken by {occupant}.\n{player} stops on {to}.", _MOVED),
    "stayed": Moment("\n{wanted} is taken by {occupant}.\n{player} stays on {to}.", _MOVED),
    "skipped": Moment("\n{player} skips the turn.", _ALWAYS),
    "lost": Moment("\n{player} has no move and loses the turn.", _ALWAYS),
    "out": Moment("\n{wanted} is past {goal}: {player} is out.", _MOVED),
    "stranded": Moment("\n{player} has no move left and is out.", _ALWAYS),
    "resigned": Moment("\n{player} resigns.", _ALWAYS),
    "won": Moment("\n{player} reaches {place} and wins the game!", _ALWAYS),
    "wins": Moment("\n{player} wins the game!", _ALWAYS),
    "final": Moment("", _ALWAYS | {"places"}),
}
"""Every moment, in the order of a game. `won` is for whoever reached a goal, `wins` for whoever won otherwise."""


def label(voice: Mapping[str, str], player: int) -> str:
    """The number or the letter that a book calls a player by."""
    return chr(64 + player) if voice.get("players") == "letters" else str(player)


def player_name(voice: Mapping[str, str], player: int) -> str:
    """What a book calls a player, such as `Player A`."""
    return f"Player {label(voice, player)}"


def problems(voice: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """What is wrong with a book's voice: the key and the sentence, one at a time."""
    for key, value in voice.items():
        if key not in MOMENTS and key not in WORDS and key not in OPTIONS:
            known = [*WORDS, *OPTIONS, *MOMENTS]
            yield key, f"unknown; expected one of {', '.join(known)}{did_you_mean(key, known)}"
        elif not isinstance(value, str):
            yield key, f"expected text in quotes, found {value!r}"
        elif key in OPTIONS and value not in OPTIONS[key]:
            yield key, f"expected {' or '.join(OPTIONS[key])}, found {value}"
        elif key in MOMENTS:
            yield from ((key, problem) for problem in _slot_problems(key, value))


def _slot_problems(moment: str, text: str) -> Iterator[str]:
    known = MOMENTS[moment].slots
    for slot in SLOT.finditer(text):
        if slot[1] not in known:
            yield f"{slot[0]} is not a slot here; expected one of {', '.join(sorted(known - _NUMBERED))}"
    if re.search(r"[{}]", SLOT.sub("", text)):
        yield "a brace without its partner; write a slot as {player}"
