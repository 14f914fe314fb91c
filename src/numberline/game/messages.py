"""A book's messages: the default text of each message and the slots that it can use.

`{slot}` is replaced by a value, and `{slot one|many}` by the first word if the value is 1, otherwise by the second. A
blank line is part of the message that follows it. Empty messages are not shown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from numberline.game.rules import PLAYER_COUNTS
from numberline.text import did_you_mean

SLOT_PATTERN = re.compile(r"\{(\w+)(?: ([^{}|]*)\|([^{}|]*))?\}")

DEFAULT_NOUNS: dict[str, str] = {"place": "position", "token": "token", "mark": ""}

VOICE_OPTIONS: dict[str, tuple[str, ...]] = {
    "players": ("numbers", "letters"),
    "begins": ("agreed", "first"),
    "style": ("none", "inline", "under"),
}
"""Valid values of each option; the first is the default."""

_ONE_EACH = ("goal", "player")
MAX_PLAYERS = PLAYER_COUNTS[-1]
_NUMBERED = {f"{slot}{number}" for slot in _ONE_EACH for number in range(1, MAX_PLAYERS + 1)}
_ALWAYS = _NUMBERED | {"title", "player", "goal", "place", "last", "choices", "legal", "moves", "steps"}
_MOVED = {"to", "wanted", "occupant", "direction", "stride", "move"}
_MORE_SLOTS = {
    **dict.fromkeys(("moved", "back", "stopped", "stayed", "out"), _MOVED),
    "board": {"line"},
    "final": {"places"},
}


class MessageType(NamedTuple):
    """Default text of a message, and the slots that it can use."""

    default: str
    slots: set[str]


_TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_name("messages.toml").read_text("utf-8"))
MESSAGE_TYPES = {name: MessageType(text, _ALWAYS | _MORE_SLOTS.get(name, set())) for name, text in _TEXTS.items()}
"""All message types, in the order in which they occur in a game."""


def label(voice: Mapping[str, str], player: int) -> str:
    """Return the number or letter by which a book refers to a player."""
    return chr(64 + player) if voice.get("players") == "letters" else str(player)


def player_name(voice: Mapping[str, str], player: int) -> str:
    """Return a book's default name for a player, such as `Player A`."""
    return f"Player {label(voice, player)}"


def message_problems(voice: Mapping[str, object]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield each problem in a `voice` table: its key, its description and, if the key is unknown, the valid keys."""
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


def _slot_problems(name: str, text: str) -> Iterator[str]:
    known = MESSAGE_TYPES[name].slots
    for slot in SLOT_PATTERN.finditer(text):
        if slot[1] not in known:
            expected = ", ".join(sorted(known - _NUMBERED | {f"{each}1" for each in _ONE_EACH}))
            hint = did_you_mean(slot[1], sorted(known))
            yield f"{slot[0]} is not available in this message{hint}; expected one of {expected}"
    if re.search(r"[{}]", SLOT_PATTERN.sub("", text)):
        yield "unmatched brace; write placeholders as {player}"
