"""The games as tasks of Inspect, which asks language models: `inspect eval numberline/line_runner`.

A sample is a game. The seats are swapped from game to game, and games that differ only in the seat have the same dice.
Which provider is asked, how often, and what becomes of its failures is Inspect's business, not ours.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from errno import ENOENT
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any

from click import ClickException

from numberline.arena.imported_games import UNFINISHED, LoggedGame
from numberline.arena.random_variants import draw as drawn_variants
from numberline.arena.results import FORFEITED, STOPPED, MoveQuality, game_ending
from numberline.arena.runner import MAX_SOLVE_BYTES
from numberline.bots import make_bot
from numberline.envs.text import DEFAULT_TRIES, TextEnv
from numberline.envs.validation import EnvError
from numberline.errors import MissingExtra, NumberlineError
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.match import RESIGN
from numberline.game.variant_syntax import split_variants
from numberline.solver.cache import cached_solution
from numberline.solver.index import TooManyPositions

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import list_eval_logs, read_eval_log
    from inspect_ai.model import ChatMessage, ChatMessageUser
    from inspect_ai.scorer import (
        Metric,
        SampleScore,
        Score,
        Scorer,
        Target,
        Value,
        ci_wilson,
        grouped,
        mean,
        metric,
        scorer,
    )
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise MissingExtra("Inspect", "inspect") from error

STORE_KEY = "numberline"
"""Under this name a sample's store has what became of its game."""
DEFAULT_GAMES = 20
"""How many in each book, unless told otherwise."""
DEFAULT_MAX_PLIES = 100
"""A game is broken off after so many plies, unless told otherwise, since every answer of a model costs something."""


class TaskError(NumberlineError, ClickException):
    """A task that can't be made as it was asked for; Inspect's command shows the text alone."""


def _games(
    books: str | Sequence[str] = "",
    draw: int = 0,
    opponent: str = "random",
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    plies: int = DEFAULT_MAX_PLIES,
    tries: int = DEFAULT_TRIES,
    *,
    rules: bool = True,
    legal: bool = True,
    history: bool = True,
) -> Task:
    """Any variants against any bot: `books` has commas between them, `draw` is how many are drawn by the seed."""
    try:
        texts = _texts(books, draw, seed)
        for game in map(book_of, texts):
            _check(game, opponent, games, plies, tries)
    except NumberlineError as error:
        raise TaskError(str(error)) from None
    return Task(
        dataset=[_sample(text, number, opponent, seed) for text in texts for number in range(games)],
        solver=playing(plies, tries, rules=rules, legal=legal, history=history),
        scorer=[win(), regret(), illegal(), unreadable()],
        version=version("numberline"),
    )


def _check(game: Book, opponent: str, games: int, plies: int, tries: int) -> None:
    """Refuses what can't be played before any model is asked."""
    if games < 1 or games % game.rules.players:
        raise EnvError(f"games={games}: expected a multiple of {game.rules.players}, so that each seat has as many")
    TextEnv(game, tries=tries, max_plies=plies)
    make_bot(opponent, game, Random(0))


def _texts(books: str | Sequence[str], draw: int, seed: int) -> list[str]:
    """What was asked for, each once: all five where nothing was."""
    given = books if isinstance(books, str) else ",".join(books)  # Inspect takes commas apart, those in brackets too
    asked = split_variants(given) or ([] if draw else ["all"])
    texts = [each for text in asked for each in (NAMES if text.lower() == "all" else (text,))]
    return list(dict.fromkeys([*texts, *(drawn.variant for drawn in drawn_variants(draw, seed))]))


def _sample(text: str, number: int, opponent: str, seed: int) -> Sample:
    """A game; so many come before it."""
    game = book_of(text)
    around, seat = divmod(number, game.rules.players)
    return Sample(
        id=f"{game.variant} {number + 1}",
        input=f"Play {game.title} as {game.player_name(seat + 1)} against {opponent}.",
        metadata={"book": text, "seat": seat + 1, "opponent": opponent, "dice": f"{seed}/{game.variant}/{around}"},
    )


def _named(name: str) -> Callable[..., Task]:
    """The task of one of our books, which takes the options of all but those that say which books."""

    def one(**options: Any) -> Task:
        return _games(name, **options)

    taken = signature(_games)
    options = [option for key, option in taken.parameters.items() if key not in {"books", "draw"}]
    one.__signature__ = taken.replace(parameters=options)  # type: ignore[attr-defined] # Inspect looks there
    one.__doc__ = f"{book_of(name).title} against any bot."
    made: Callable[..., Task] = task(name=name.replace("-", "_"))(one)
    return made


games = task(name="games")(_games)
reach_the_edge, number_reach, number_line_sprint, flag_chase, line_runner = map(_named, NAMES)


@solver
def playing(
    plies: int = DEFAULT_MAX_PLIES,
    tries: int = DEFAULT_TRIES,
    *,
    rules: bool = True,
    legal: bool = True,
    history: bool = True,
) -> Solver:
    """Plays a game: each turn is a prompt by itself, which has all there is to know."""

    async def play(state: TaskState, generate: Generate) -> TaskState:
        about = state.metadata
        game = book_of(about["book"])
        env = TextEnv(
            game,
            opponent=about["opponent"],
            seat=about["seat"],
            rules=rules,
            legal=legal,
            history=history,
            tries=tries,
            oracle=_solvable(game),
            max_plies=plies,
        )
        said, judged = list[ChatMessage](), list[tuple[int, int]]()
        with closing(env):
            prompt = env.reset(seed=zlib.crc32(f"{about['dice']}/{state.epoch}".encode()))
            try:
                while not env.done:
                    choice = len(env.match.moves) > 1
                    state.messages = [ChatMessageUser(content=prompt)]
                    state = await generate(state)
                    said += state.messages
                    turn = env.step(state.output.completion)
                    prompt = turn.prompt
                    if choice and turn.info["move"] and "regret" in turn.info:
                        judged.append((turn.info["regret"], turn.info["delay"]))
            finally:  # where Inspect's limits end a sample, what was played until then is kept
                state.store.set(STORE_KEY, _game_summary(env, judged))
                state.messages = said
        return state

    return play


def _solvable(game: Book) -> bool:
    """Whether it can be said what a move gives away."""
    try:
        cached_solution(game, memory=MAX_SOLVE_BYTES)
    except TooManyPositions:
        return False
    return True


def _game_summary(env: TextEnv, judged: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What became of a game, for the scorers and for the standings."""
    winner, end, reason = game_ending(env.match.outcome, env.match.length)
    if not env.done:
        end, reason = UNFINISHED, "The game was not finished."
    points = [regret for regret, _ in judged]
    tally = MoveQuality(len(judged), judged.count((0, 0)), len(points) - points.count(0), sum(points))
    return {
        "variant": env.book.variant,
        "seat": env.seat,
        "winner": winner,
        "end": FORFEITED if env.forfeit_reason else end,
        "reason": env.forfeit_reason.replace("no legal", "gave no legal", 1) or reason,
        "moves": " ".join(ply.move for ply in env.match.plies if ply.move != RESIGN),
        **env.tally._asdict(),
        **tally._asdict(),
    }


@metric
def share() -> Metric:
    """So many of so many, over all games."""

    def over_all(scores: list[SampleScore]) -> Value:
        return _share([score.score.as_dict() for score in scores])

    return over_all


@metric
def share_by_book() -> Metric:
    """The same book by book, and the mean over the books, so that no book counts more because its games are longer."""

    def over_books(scores: list[SampleScore]) -> Value:
        books = defaultdict(list)
        for score in scores:
            books[(score.sample_metadata or {})["book"]].append(score.score.as_dict())
        shares = {book: _share(found) for book, found in books.items() if any(each["of"] for each in found)}
        return {"all_books": sum(shares.values()) / len(shares) if shares else math.nan, **shares}

    return over_books


def _share(counted: Sequence[Mapping[str, Any]]) -> float:
    of = sum(each["of"] for each in counted)
    return sum(each["count"] for each in counted) / of if of else math.nan


@scorer(metrics=[mean(), ci_wilson(), grouped(mean(), "seat", all=False, name_template="seat_{group_name}")])
def win() -> Scorer:
    """1 for a game that was won, 0.5 for one that was broken off by its limit of plies, 0 for any other."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect names it
        game = state.store.get(STORE_KEY)
        value = float(game["winner"] == game["seat"]) if game["winner"] else 0.5 * (game["end"] == STOPPED)
        return Score(value=value, answer=game["moves"], explanation=game["reason"])

    return score


def _counting(name: str, of: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect names it
        game = state.store.get(STORE_KEY)
        return Score(value={"count": game[name], "of": game[of]}, answer=game["moves"])

    return score


@scorer(metrics=[share_by_book()])
def regret() -> Scorer:
    """The points that a choice gave away, a win being 1, endless play 0 and a loss -1."""
    return _counting("regret", "choices")


@scorer(metrics=[share()])
def illegal() -> Scorer:
    """The share of the answers that had a move which the rules refuse."""
    return _counting("illegal", "answers")


@scorer(metrics=[share()])
def unreadable() -> Scorer:
    """The share of the answers that had no move."""
    return _counting("unreadable", "answers")


def read_logged_games(logs: Path) -> Iterator[LoggedGame]:
    """The games in a log of Inspect, or in all the logs in a folder; those that ended with an error are left out."""
    if not logs.exists():
        raise FileNotFoundError(ENOENT, "no such file or directory", str(logs))
    found = [info.name for info in list_eval_logs(str(logs))] if logs.is_dir() else [str(logs)]
    for name in sorted(found):
        try:
            log = read_eval_log(name)
        except (ValueError, KeyError, OSError, zipfile.BadZipFile):
            raise EnvError(f"{name}: expected a log of Inspect") from None
        for sample in log.samples or ():
            if not sample.error and (became := sample.store.get(STORE_KEY)):
                opponent, book = sample.metadata["opponent"], sample.metadata["book"]
                yield LoggedGame(log.eval.model, opponent, book, **{key: became[key] for key in LoggedGame._fields[3:]})
