"""Events that change a player's progress, and their effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from numberline.characters import AUTO, CHARACTERS
from numberline.progress import rules
from numberline.progress.document import DAILY_PUZZLES, Game, Progress, ProgressError, PuzzleStats, decode_value, trim
from numberline.text import MAX_NAME_CHARS, normalize_name


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game that the player finished. The stars in `game` are ignored, because applying the event computes them."""

    game: Game
    bot: str = ""
    """The bot, such as `hard` or `auto:3`; empty against a person."""
    step: str = ""
    """Id of the ladder step; empty in a game outside the ladders."""
    first: int = 0
    """The player who started; 0 if that should not be stored."""
    helped: bool = False
    """Whether the player used hints, explanations, values or undo."""
    mistakes: int = 0


@dataclass(frozen=True, slots=True)
class PuzzleAnswered:
    """An answered puzzle; for a daily puzzle, `daily_day` is its day and `index` its number on that day, from 0."""

    day: date
    """The player's local date."""
    right: bool
    rating: int = rules.INITIAL_RATING
    """The puzzle's rating."""
    daily_day: date | None = None
    index: int = 0
    stars: int = 1
    """The puzzle's stars."""
    tries: int = 1


@dataclass(frozen=True, slots=True)
class LessonFinished:
    """A lesson that the player completed, perhaps with help or mistakes."""

    day: date
    variant: str
    helped: bool = False
    mistakes: int = 0


@dataclass(frozen=True, slots=True)
class NameGiven:
    """The answer of a player who was asked for a name; empty if they gave none."""

    name: str


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """A finished round of a match on a server, which converts this event to a `GameFinished`."""

    match: str
    day: date
    helped: bool = False
    step: str = ""


Event = GameFinished | PuzzleAnswered | LessonFinished | NameGiven
_KINDS = {
    "game": GameFinished,
    "match": MatchFinished,
    "puzzle": PuzzleAnswered,
    "lesson": LessonFinished,
    "name": NameGiven,
}


class Changes(NamedTuple):
    """Effects of an event."""

    stars: int = 0
    """Stars earned in this game, lesson or puzzle."""
    streak: int = 0
    """Days in a row, if this was the first event of the day; otherwise 0."""
    level: int = 0
    """The new level of the adaptive opponent, if it changed; otherwise 0."""
    sentences: tuple[str, ...] = ()


def decode_event(content: object) -> Event | MatchFinished:
    """Return the event in a JSON object; raise `ProgressError` if it is invalid."""
    values = dict(decode_value(dict, content, "event"))
    kind = values.pop("kind", None)
    if kind not in [*_KINDS]:
        raise ProgressError(f"event.kind: expected one of {', '.join(_KINDS)}")
    try:
        event: Event | MatchFinished = decode_value(_KINDS[kind], values, "event")
    except TypeError:
        raise ProgressError(f"event: required fields of a {kind} event are missing") from None
    if isinstance(event, NameGiven):
        return NameGiven(check_name(event.name))
    if isinstance(event, PuzzleAnswered) and event.index >= DAILY_PUZZLES:
        raise ProgressError(f"event.index: expected a number from 0 to {DAILY_PUZZLES - 1}")
    if isinstance(event, PuzzleAnswered) and not (1 <= event.stars <= rules.MAX_STARS and event.tries):
        raise ProgressError(f"event: expected 1 to {rules.MAX_STARS} stars, and at least one try")
    return event


def check_name(typed: str) -> str:
    """Return a name without superfluous spaces; raise `ProgressError` if it is too long."""
    name = normalize_name(typed)
    if len(name) > MAX_NAME_CHARS:
        raise ProgressError(f"a name can have at most {MAX_NAME_CHARS} characters")
    return name


def apply(progress: Progress, event: Event) -> tuple[Progress, Changes]:
    """Return the progress after an event, and what the event changed. Each game or daily puzzle counts only once."""
    if isinstance(event, NameGiven):
        return replace(progress, name=event.name, name_asked=True), Changes()
    if isinstance(event, GameFinished):
        return _finish_game(progress, event)
    if isinstance(event, LessonFinished):
        stars = rules.stars_for(won=True, helped=event.helped, mistakes=event.mistakes)
        lessons = _put_most(progress.lessons, event.variant, stars)
        after, changes = _finish(progress, replace(progress, lessons=lessons), event.day, stars)
        needs = ["without hint or skip"] * event.helped + ["without a mistake"] * bool(event.mistakes)
        more = [f"To earn all stars, finish the lesson {' and '.join(needs)}."] * bool(needs)
        return after, changes._replace(sentences=(*more, *changes.sentences))
    if event.daily_day and progress.puzzles.daily_results(event.daily_day)[event.index] is not None:
        return progress, Changes()
    stats, stars = progress.puzzles, rules.puzzle_stars(event.stars, event.tries) if event.right else 0
    return _finish(progress, replace(progress, puzzles=_answer(stats, event, stars)), event.day, stars)


def _finish(
    before: Progress, after: Progress, day: date | None, stars: int = 0, book: str = ""
) -> tuple[Progress, Changes]:
    """Extend the streak if `day` is later than the last active day; return the progress and what changed."""
    sentences, streak, level = [], 0, 0
    if after.levels != before.levels:
        level = after.level(book)
        sentences.append(f"The chameleon gets a little {'stronger' if level > before.level(book) else 'easier'}.")
    if day and (not before.day or day > before.day):
        streak = before.streak_on(day) + 1
        after = replace(after, day=day, day_streak=streak)
        sentences += [f"You've played {streak} days in a row."] * (streak > 1)
    return trim(after), Changes(stars, streak, level, tuple(sentences))


def _finish_game(progress: Progress, event: GameFinished) -> tuple[Progress, Changes]:
    game, book, bot = event.game, event.game.variant.partition("(")[0], event.bot.partition(":")[0]
    if game.id and any(known.id == game.id for known in progress.games):
        return progress, Changes()
    scored = bool(event.bot and game.won and not game.practice)
    stars = rules.stars_for(won=scored, helped=event.helped, mistakes=event.mistakes)
    won_against = f"{game.variant} {bot}" if stars and bot in CHARACTERS and not event.step else ""
    level = rules.next_level(progress.level(book), won=game.won, helped=event.helped)
    adapts = bot == AUTO and not game.practice and level != progress.level(book)
    after = replace(
        progress,
        games=(*progress.games, replace(game, stars=stars)),
        ladder=_put_most(progress.ladder, event.step, stars) if event.step and stars else progress.ladder,
        wins=_put_most(progress.wins, won_against, stars) if won_against else progress.wins,
        opponents=_put(progress.opponents, book, bot) if bot else progress.opponents,
        starts=_put(progress.starts, book, event.first) if event.first else progress.starts,
        levels=_put(progress.levels, book, level) if adapts else progress.levels,
    )
    return _finish(progress, after, game.day, stars, book)


def _answer(stats: PuzzleStats, event: PuzzleAnswered, stars: int) -> PuzzleStats:
    streak = rules.next_streak(stats.streak, right=event.right)
    if event.daily_day:
        results = stats.daily_results(event.daily_day)
        results[event.index] = event.right
        stats = replace(stats, daily_day=event.daily_day, daily=tuple(results))
    return replace(
        stats,
        asked=stats.asked + 1,
        solved=stats.solved + event.right,
        streak=streak,
        best_streak=max(stats.best_streak, streak),
        rating=rules.next_rating(stats.rating, event.rating, right=event.right and event.tries == 1),
        stars=stats.stars + stars,
    )


def _put(table: Mapping[str, Any], key: str, value: object) -> dict[str, Any]:
    """Return the table with `key` set to `value` as its last entry."""
    return {**{name: each for name, each in table.items() if name != key}, key: value}


def _put_most(table: Mapping[str, int], key: str, value: int) -> dict[str, int]:
    return _put(table, key, max(value, table.get(key, 0)))
