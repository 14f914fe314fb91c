"""Games that were left: each in a file of its own, written after every move, and there again another day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from numberline.book.book import Book
from numberline.book.loader import book, own_variant
from numberline.files import UnreadableText, read_text, write_whole
from numberline.notation import read_records, write_record
from numberline.rules.errors import NumberlineError
from numberline.terminal.seats import Guest
from numberline.terminal.sitting import Plan, Sitting

FORMAT = 1
LARGEST_FILE = 50_000_000


@dataclass(frozen=True, slots=True)
class Saved:
    """A game that was left: the file, when it was, and the sitting to go on with."""

    path: Path
    when: datetime
    sitting: Sitting

    @property
    def where(self) -> str:
        """Where it stands, in a few words."""
        match = self.sitting.current
        plies = len(match.plies) if match else 0
        game = (
            f"game {len(self.sitting.finished) + 1} of {self.sitting.plan.games}, "
            if self.sitting.plan.games > 1
            else ""
        )
        turn = f", {match.names[match.turn - 1]} to move" if match else ""
        return f"{game}{plies} {'ply' if plies == 1 else 'plies'} played{turn}"


def folder() -> Path:
    """Where games that were left are kept."""
    from platformdirs import user_data_path

    return user_data_path("numberline") / "games"


def new_path() -> Path:
    """A file for a new sitting."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    number = next(n for n in range(1, 10_000) if not (place / f"{stamp}-{n}.json").exists())
    return place / f"{stamp}-{number}.json"


def write(sitting: Sitting, path: Path) -> None:
    """Keeps a sitting as it is now."""
    plan = sitting.plan
    content = {
        "format": FORMAT,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "variant": plan.book.variant,
        "source": plan.book.source,
        "guests": [[guest.name, guest.bot] for guest in plan.guests],
        **{name: getattr(plan, name) for name in _PLAIN},
        "finished": [write_record(match) for match in sitting.finished],
        "current": write_record(sitting.current) if sitting.current else None,
    }
    write_whole(path, json.dumps(content, indent=1))


_PLAIN = ("first", "games", "decides_early", "alternates", "swaps", "seed", "assist", "reviews")
"""What of a plan is written as it is."""


def saved_games() -> Iterator[Saved | str]:
    """The games that were left, newest first; for a damaged file, which is set aside, a sentence instead."""
    place = folder()
    for path in sorted(place.glob("*.json"), reverse=True) if place.is_dir() else []:
        try:
            yield _read(path)
        except (NumberlineError, UnreadableText, OSError, ValueError, KeyError, TypeError):
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            yield f"{path.name} is damaged and was set aside as {aside}."


def _read(path: Path) -> Saved:
    content: dict[str, Any] = json.loads(read_text(path, LARGEST_FILE))
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    plan = Plan(
        book=_book(content),
        guests=tuple(Guest(str(name), bot) for name, bot in content["guests"]),
        **{name: content[name] for name in _PLAIN},
    )
    finished = [match for text in content["finished"] for match in read_records(text, path.name)]
    current = read_records(content["current"], path.name)[0] if content["current"] else None
    return Saved(path, datetime.fromisoformat(content["saved"]), Sitting(plan, finished, current))


def _book(content: dict[str, Any]) -> Book:
    variant, source = content["variant"], content["source"]
    return book(variant) if source is None else own_variant(variant, source, where=variant)
