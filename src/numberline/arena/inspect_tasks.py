"""Inspect tasks that evaluate language models (`inspect eval numberline/line_runner`), and standings from Inspect logs.

Each sample is one game. The model changes seats after every game; games that differ only in the seat use the same
random numbers. Inspect handles providers, retries, caching and limits.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from errno import ENOENT
from functools import partial
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from click import ClickException

from numberline.arena.results import FORFEITED, STOPPED, GameResult, MoveQuality, game_ending
from numberline.arena.runner import BookContext, unplayed_games
from numberline.arena.schedule import Entrant, Tournament, select_books
from numberline.arena.standings import Standings
from numberline.bots import Bot, BotError
from numberline.envs.text import DEFAULT_TRIES, TextEnv
from numberline.envs.validation import EnvError
from numberline.errors import MissingExtra, MoveError, NumberlineError, RecordError
from numberline.game import RESIGN, Match
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.solver.index import Progress

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import list_eval_logs, read_eval_log
    from inspect_ai.model import ChatMessage, ChatMessageUser
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Value, ci_wilson, grouped, mean, metric, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise MissingExtra("Inspect", "inspect") from error

STORE_KEY = "numberline"
UNFINISHED = "unfinished"
"""The ending recorded for a game that an Inspect limit cut short; such a game counts as a loss for the model."""
DEFAULT_GAMES = 20
DEFAULT_MAX_PLIES = 100  # lower than elsewhere, because every answer from a model costs money


class TaskError(NumberlineError, ClickException):
    """An invalid task option; as a `ClickException`, it makes Inspect's command line show only the message."""


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
    """Play variants against a bot: those in the comma-separated list `books`, and `draw` random ones."""
    try:
        text = books if isinstance(books, str) else ",".join(books)  # Inspect splits at commas, even inside parentheses
        texts = select_books([text], draw, seed)
        for game in map(book_of, texts):
            if games < 1 or games % game.rules.players:
                raise EnvError(f"games={games}: expected a multiple of {game.rules.players}, the number of seats")
            TextEnv(game, opponent=opponent, tries=tries, max_plies=plies)  # raises an error if an option is invalid
    except NumberlineError as error:
        raise TaskError(str(error)) from None
    return Task(
        dataset=[_sample(text, number, opponent, seed) for text in texts for number in range(games)],
        solver=playing(plies, tries, rules=rules, legal=legal, history=history),
        scorer=[win(), regret(), illegal(), unreadable()],
        version=version("numberline"),
    )


def _sample(text: str, number: int, opponent: str, seed: int) -> Sample:
    game = book_of(text)
    round_number, seat = divmod(number, game.rules.players)
    dice = f"{seed}/{game.variant}/{round_number}"
    return Sample(
        id=f"{game.variant} {number + 1}",
        input=f"Play {game.title} as {game.player_name(seat + 1)} against {opponent}.",
        metadata={"book": text, "seat": seat + 1, "opponent": opponent, "dice": dice},
    )


def _book_task(name: str) -> Callable[..., Task]:
    """Return the task for one book, with all options of `games` except those that select books."""

    def play_book(**options: Any) -> Task:
        return _games(name, **options)

    full = signature(_games)
    options = [option for key, option in full.parameters.items() if key not in {"books", "draw"}]
    play_book.__signature__ = full.replace(parameters=options)  # type: ignore[attr-defined] # Inspect reads it
    play_book.__doc__ = f"Play {book_of(name).title} against a bot."
    made: Callable[..., Task] = task(name=name.replace("-", "_"))(play_book)
    return made


games = task(name="games")(_games)
BOOK_TASKS = {name.replace("-", "_"): _book_task(name) for name in NAMES}


def __getattr__(name: str) -> Callable[..., Task]:
    if name in BOOK_TASKS:
        return BOOK_TASKS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@solver
def playing(
    plies: int = DEFAULT_MAX_PLIES,
    tries: int = DEFAULT_TRIES,
    *,
    rules: bool = True,
    legal: bool = True,
    history: bool = True,
) -> Solver:
    """Play a game; each turn is a new conversation, because every prompt is self-contained."""
    make_env = partial(TextEnv, rules=rules, legal=legal, history=history, tries=tries, max_plies=plies)

    async def play(state: TaskState, generate: Generate) -> TaskState:
        options = state.metadata
        messages = list[ChatMessage]()
        with closing(make_env(options["book"], opponent=options["opponent"], seat=options["seat"])) as env:
            prompt = env.reset(seed=zlib.crc32(f"{options['dice']}/{state.epoch}".encode()))
            try:
                while not env.done:
                    state.messages = [ChatMessageUser(content=prompt)]
                    state = await generate(state)
                    messages += state.messages
                    prompt = env.step(state.output.completion).prompt
            finally:  # the moves so far count even if an Inspect limit ends the sample
                state.store.set(STORE_KEY, _game_summary(env))
                state.messages = messages
        return state

    return play


def _game_summary(env: TextEnv) -> dict[str, Any]:
    """Return the game data for scorers and standings."""
    winner, end, reason = game_ending(env.match.outcome, env.match.length)
    if not env.done:
        end, reason = UNFINISHED, "The game was not finished."
    tallies = BookContext(env.book).tallies(env.match)
    quality = tallies[env.seat - 1] if tallies else MoveQuality()
    return {
        "variant": env.book.variant,
        "seat": env.seat,
        "winner": winner,
        "end": FORFEITED if env.forfeit_reason else end,
        "reason": env.forfeit_reason.replace("no legal", "gave no legal", 1) or reason,
        "moves": " ".join(ply.move for ply in env.match.plies if ply.move != RESIGN),
        **env.tally._asdict(),
        **quality._asdict(),
    }


# Scores


@metric
def share() -> Metric:
    """Return the sum of `count` over all games, divided by the sum of `of`."""

    def over_all(scores: list[SampleScore]) -> Value:
        return _share([score.score.as_dict() for score in scores])

    return over_all


@metric
def share_by_book() -> Metric:
    """Return the share for each book and the unweighted mean of all books, so that each book counts equally."""

    def over_books(scores: list[SampleScore]) -> Value:
        books = defaultdict(list)
        for score in scores:
            books[(score.sample_metadata or {})["book"]].append(score.score.as_dict())
        shares = {book: _share(counts) for book, counts in books.items() if any(each["of"] for each in counts)}
        return {"all_books": sum(shares.values()) / len(shares) if shares else math.nan, **shares}

    return over_books


def _share(counts: Sequence[Mapping[str, Any]]) -> float:
    of = sum(each["of"] for each in counts)
    return sum(each["count"] for each in counts) / of if of else math.nan


@scorer(metrics=[mean(), ci_wilson(), grouped(mean(), "seat", all=False, name_template="seat_{group_name}")])
def win() -> Scorer:
    """Score 1 for a win, 0.5 for a game that reached the ply limit, and 0 otherwise."""

    async def score(state: TaskState, target: object) -> Score:  # noqa: ARG001 - required by Inspect
        game = state.store.get(STORE_KEY)
        value = float(game["winner"] == game["seat"]) if game["winner"] else 0.5 * (game["end"] == STOPPED)
        return Score(value=value, answer=game["moves"], explanation=game["reason"])

    return score


def _count(name: str, of: str) -> Scorer:
    async def score(state: TaskState, target: object) -> Score:  # noqa: ARG001 - required by Inspect
        game = state.store.get(STORE_KEY)
        return Score(value={"count": game[name], "of": game[of]}, answer=game["moves"])

    return score


@scorer(metrics=[share_by_book()])
def regret() -> Scorer:
    """Score the points lost per choice; a win is worth 1, endless play 0 and a loss -1."""
    return _count("regret", "choices")


@scorer(metrics=[share()])
def illegal() -> Scorer:
    """Score the share of answers with an illegal move."""
    return _count("illegal", "answers")


@scorer(metrics=[share()])
def unreadable() -> Scorer:
    """Score the share of answers without a readable move."""
    return _count("unreadable", "answers")


# Standings from logs


class LoggedGame(NamedTuple):
    """A game between a model and a bot, read from an Inspect log."""

    player: str
    opponent: str
    book: str
    seat: int
    winner: int
    end: str
    reason: str
    moves: str

    @property
    def seats(self) -> tuple[str, ...]:
        """The player names in seat order."""
        return (self.player, self.opponent) if self.seat == 1 else (self.opponent, self.player)


def read_logged_games(logs: Path) -> Iterator[LoggedGame]:
    """Yield the games in an Inspect log, or in all logs in a folder, skipping games that ended with an error."""
    if not logs.exists():
        raise FileNotFoundError(ENOENT, "no such file or directory", str(logs))
    names = [info.name for info in list_eval_logs(str(logs))] if logs.is_dir() else [str(logs)]
    for name in sorted(names):
        try:
            log = read_eval_log(name)
        except (ValueError, KeyError, OSError, zipfile.BadZipFile):
            raise EnvError(f"{name}: not a valid Inspect log") from None
        for sample in log.samples or ():
            if not sample.error and (game := sample.store.get(STORE_KEY)):
                opponent, book = sample.metadata["opponent"], sample.metadata["book"]
                yield LoggedGame(log.eval.model, opponent, book, **{key: game[key] for key in LoggedGame._fields[3:]})


def build_standings(
    games: Iterable[LoggedGame], bots: Sequence[str] = (), progress: Progress = lambda _: None
) -> Standings:
    """Return the standings from logged games; `bots` and the logged opponents also play each other."""
    waiting: defaultdict[tuple[str, tuple[str, ...]], list[LoggedGame]] = defaultdict(list)
    for game in games:
        waiting[game.book, game.seats].append(game)
    if not waiting:
        raise BotError("these logs contain no Numberline games")
    found = [game for group in waiting.values() for game in group]
    models = dict.fromkeys(game.player for game in found)
    opponents = dict.fromkeys([*bots, *(game.opponent for game in found)])
    names = list(dict.fromkeys(game.book for game in found))
    books = tuple(map(book_of, names))
    if crowded := next((book for book in books if book.rules.players != 2), None):
        raise BotError(f"{crowded.variant} has {crowded.rules.players} seats; standings from logs support only two")
    entrants = (*map(_model_entrant, models), *map(Entrant.from_text, opponents))
    tournament = Tournament(entrants, books, 2 * max(map(len, waiting.values())))
    standings = Standings(tournament)
    for players, pairing, numbers in unplayed_games(tournament, standings):
        if min(pairing.players) < len(models):
            logged = ((number, waiting.get((names[pairing.book], tournament.names(number)))) for number in numbers)
            results = [_result(number, players.context, group.pop(0)) for number, group in logged if group]
        else:
            results = [result for batch in players.play(pairing, numbers) for result in batch]
        for result in results:
            standings.add(result)
        progress((pairing.first + pairing.size) / tournament.total)
    return standings


def _model_entrant(name: str) -> Entrant:
    return Entrant(name, lambda book, rng, _: Bot(name, book, rng))


def _result(game: int, context: BookContext, logged: LoggedGame) -> GameResult:
    """Convert a logged game to an arena result, with every move evaluated."""
    match, moves = Match(context.book), tuple(logged.moves.split())
    try:
        for move in moves:
            match.play(move)
    except MoveError as error:
        raise RecordError(f"a game of {logged.book} played by {logged.player} can't be replayed: {error}") from None
    forfeited = logged.end in {FORFEITED, UNFINISHED}
    winner = 3 - logged.seat if logged.end == UNFINISHED else logged.winner
    faults = tuple(logged.reason if seat != winner else "" for seat in (1, 2)) if forfeited else ()
    end = FORFEITED if forfeited else logged.end
    variant, tallies = context.book.variant, context.tallies(match)
    return GameResult(game, variant, logged.seats, winner, end, logged.reason, moves, tallies, faults)
