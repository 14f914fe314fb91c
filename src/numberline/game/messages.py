"""A book's messages: the default text of each message and the slots that it can use.

`{slot}` is replaced by a value, and `{slot one|many}` by the first word if the value is 1, otherwise by the second. A
blank line belongs to the text that follows it. Empty messages are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from numberline.game.rules import PLAYER_COUNTS

SLOT_PATTERN = re.compile(r"\{(\w+)(?: ([^{}|]*)\|([^{}|]*))?\}")

DEFAULT_NOUNS: dict[str, str] = {"place": "position", "token": "token", "mark": ""}

VOICE_OPTIONS: dict[str, tuple[str, ...]] = {
    "players": ("numbers", "letters"),
    "begins": ("agreed", "first"),
    "style": ("none", "inline", "under"),
}
"""The first value of each option is the default."""

MAX_PLAYERS = PLAYER_COUNTS[-1]
_NUMBERED = {f"{slot}{number}" for slot in ("player", "goal") for number in range(1, MAX_PLAYERS + 1)}
_ALWAYS = _NUMBERED | {"title", "player", "goal", "place", "last", "choices", "legal", "moves", "steps"}
_MOVED = _ALWAYS | {"to", "wanted", "occupant", "direction", "stride", "move"}


class MessageType(NamedTuple):
    """Default text of a message, and the slots that it can use."""

    default: str
    slots: set[str]


MESSAGE_TYPES: dict[str, MessageType] = {
    "opening": MessageType("Welcome to {title}!", _ALWAYS),
    "starts": MessageType("\n{player} starts.", _ALWAYS),
    "board": MessageType("\n{line}", _ALWAYS | {"line"}),
    "waiting": MessageType("", _ALWAYS),
    "turn": MessageType("\n{player}'s turn, on {place}.", _ALWAYS),
    "ask": MessageType("Enter your move ({choices}): ", _ALWAYS),
    "moved": MessageType("\n{player} moves to {to}.", _MOVED),
    "back": MessageType("\n{player} moves back to {to}.", _MOVED),
    "stopped": MessageType("\n{wanted} is taken by {occupant}.\n{player} stops on {to}.", _MOVED),
    "stayed": MessageType("\n{wanted} is taken by {occupant}.\n{player} stays on {to}.", _MOVED),
    "skipped": MessageType("\n{player} skips the turn.", _ALWAYS),
    "lost": MessageType("\n{player} has no move and loses the turn.", _ALWAYS),
    "out": MessageType("\n{wanted} is past {goal}: {player} is out.", _MOVED),
    "stranded": MessageType("\n{player} has no move left and is out.", _ALWAYS),
    "resigned": MessageType("\n{player} resigns.", _ALWAYS),
    "won": MessageType("\n{player} reaches {place} and wins the game!", _ALWAYS),
    "wins": MessageType("\n{player} wins the game!", _ALWAYS),
    "final": MessageType("", _ALWAYS | {"places"}),
}
"""All messages, in the order they occur. `won` is for a player who reached a goal, `wins` for any other winner."""


def label(voice: Mapping[str, str], player: int) -> str:
    """Return the number or letter by which a book refers to a player."""
    return chr(64 + player) if voice.get("players") == "letters" else str(player)


def player_name(voice: Mapping[str, str], player: int) -> str:
    """Return a book's default name for a player, such as `Player A`."""
    return f"Player {label(voice, player)}"


def message_problems(voice: Mapping[str, object]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the key, the description and the known keys, for an unknown one, of each problem in a `voice` table."""
    for key, value in voice.items():
        if key not in MESSAGE_TYPES and key not in DEFAULT_NOUNS and key not in VOICE_OPTIONS:
            known = [*DEFAULT_NOUNS, *VOICE_OPTIONS, *MESSAGE_TYPES]
            yield key, f"unknown; expected one of {', '.join(known)}", known
        elif not isinstance(value, str):
            yield key, f"expected text in quotes, found {value!r}", ()
        elif key in VOICE_OPTIONS and value not in VOICE_OPTIONS[key]:
            yield key, f"expected {' or '.join(VOICE_OPTIONS[key])}, found {value}", ()
        elif key in MESSAGE_TYPES:
            yield from ((key, problem, ()) for problem in _slot_problems(key, value))


def _slot_problems(moment: str, text: str) -> Iterator[str]:
    known = MESSAGE_TYPES[moment].slots
    for slot in SLOT_PATTERN.finditer(text):
        if slot[1] not in known:
            yield f"{slot[0]} is not available in this message; expected one of {', '.join(sorted(known - _NUMBERED))}"
    if re.search(r"[{}]", SLOT_PATTERN.sub("", text)):
        yield "unmatched brace; write placeholders as {player}"
