"""Hostile text at every entry point gets a prompt answer and never an unexpected exception."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from random import Random

import pytest

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.engine_protocol import EngineSession
from numberline.errors import NumberlineError
from numberline.game.loader import book_from_toml, restore_book
from numberline.game.notation import format_record, parse_position, parse_records
from numberline.game.settings import parse_settings, split_variant
from numberline.lab.grid import parse_axis
from numberline.lab.measure import parse_skill
from numberline.lab.search import parse_goal
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import decode_frame
from numberline.web.rooms.match_state import parse_start_position
from numberline.web.rooms.service import validate_name
from support.hostile_input import GAMES, hostile_lines

SENTENCES = (NumberlineError, ApiError)
"""Exceptions that an entry point may raise; each has a message for users."""
FEW, MANY = 20_000, 1_000_000
"""How many lines are sent in all, now and in the soak."""


def _plays(line: str) -> None:
    for name in GAMES:
        match = nl.Match(nl.book(name))
        with suppress(NumberlineError):
            match.play(line)


def _is_called(line: str) -> None:
    """A name that anybody gives is in the record, and the record is read again."""
    match = nl.Match(nl.book("flag-chase"), names=[line])
    assert parse_records(format_record(match))[0].names == match.names


def _is_a_position(line: str) -> None:
    position = parse_position(line)
    for name in GAMES:
        if nl.book(name).is_valid_position(position):
            nl.book(name).moves(position)


DOORS: dict[str, Callable[[str], object]] = {
    "moves": _plays,
    "names": _is_called,
    "positions": _is_a_position,
    "variants": split_variant,
    "settings": lambda line: parse_settings([line]),
    "changed settings": lambda line: nl.book("line-runner").vary(line),
    "kept variants": lambda line: restore_book(line, None),
    "books": lambda line: book_from_toml(line, "mine", source_name="mine.toml"),
    "records": parse_records,
    "bots": lambda line: make_bot(line, nl.book("flag-chase"), Random(1)),
    "skills": lambda line: parse_skill(line, nl.book("flag-chase")),
    "axes": parse_axis,
    "goals": parse_goal,
    "frames": decode_frame,
    "people": validate_name,
    "set-up positions": lambda line: parse_start_position(nl.book("line-runner"), line),
}


def answered(door: Callable[[str], object], line: str) -> bool:
    """Return whether an entry point accepts a line or rejects it with a message."""
    try:
        door(line)
    except SENTENCES as refused:
        return bool(str(refused).strip())
    return True


def conversations(lines: Iterator[str], count: int) -> Iterator[str]:
    """Return the engine's answers to these lines, each sent after a valid greeting."""
    talk = EngineSession("greedy")
    for line in islice(lines, count):
        one = line.replace("\n", " ")
        yield from talk.respond(
            [f"book {GAMES[len(line) % 5]}", one, "go 100", "toml " + json.dumps(line), "book mine"]
        )


def _try(door: str, count: int, seed: int) -> list[str]:
    """Return the lines that an entry point neither accepted nor rejected with a message."""
    lines = islice(hostile_lines(Random(seed)), count)
    return [line for line in lines if not answered(DOORS[door], line)]


@pytest.mark.parametrize("door", DOORS)
def test_every_entry_point_answers_with_a_message(door: str) -> None:
    assert _try(door, FEW // (len(DOORS) + 1), seed=len(door)) == []


def test_an_engine_answers_every_line_and_goes_on() -> None:
    said = list(conversations(hostile_lines(Random(7)), FEW // (len(DOORS) + 1)))
    assert {line.split()[0] for line in said} <= {"id", "ready", "move", "error"}
    assert list(EngineSession("greedy").respond(["book flag-chase", "x", "position 1 2,10", "go 5"]))[-1] == "move 3"


@pytest.mark.soak
@pytest.mark.parametrize("door", DOORS)
def test_every_door_answers_very_many_lines(door: str) -> None:
    assert _try(door, MANY // (len(DOORS) + 1), seed=1_000 + len(door)) == []


@pytest.mark.soak
def test_an_engine_answers_very_many_lines() -> None:
    said = conversations(hostile_lines(Random(8)), MANY // (len(DOORS) + 1))
    assert {line.split()[0] for line in said} <= {"id", "ready", "move", "error"}
