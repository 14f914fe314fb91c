"""The games as tools that a language model calls by itself: a server of the Model Context Protocol.

The official SDK is imported in this file and nowhere else. Whoever calls is a program that nobody watches: it can name
our books and their variants, but no file, and our bots, but no program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import version
from itertools import count
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from numberline.bots import BotError, Seats, play_bot_turns
from numberline.bots.mcts import DEFAULT_SIMULATIONS, MctsBot
from numberline.envs.observation import describe_position
from numberline.envs.validation import DEFAULT_MAX_PLIES, EnvError, validate_player, validate_seed
from numberline.errors import BookError, MissingExtra, MoveError, NumberlineError
from numberline.explain.explanation import explain_move, explain_position
from numberline.explain.rules_text import describe_rules, opening
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.match import Match
from numberline.game.variant_syntax import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution
from numberline.text import did_you_mean, join_or, quote
from numberline.views.values import values_view

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as missing:
    raise MissingExtra("The MCP SDK", "mcp") from missing

MAX_OPEN_GAMES = 1_000
"""So many games are remembered; the one that was begun first is forgotten for a new one."""
MAX_SOLVE_BYTES = 100_000_000
"""What a variant may take, in bytes, for its moves to be valued."""
INSTRUCTIONS = (
    "Small games on a number line, each of them solved. list_games says what there is; new_game begins one, alone or "
    "against a bot; legal_moves and play are for your turns. values and explain tell the exact truth of the position: "
    "ask for them only if you may."
)
ToolParams = ParamSpec("ToolParams")
ToolResult = TypeVar("ToolResult")


@dataclass
class GameInfo:
    """A game that can be begun."""

    game: str
    title: str
    about: str
    settings: dict[str, str]
    """What can be changed, as in `line-runner(end=30)`, with what it is if nobody changes it."""


@dataclass
class GameState:
    """How a game stands."""

    game_id: str
    variant: str
    you: str
    """Whom you play for; nobody in particular where you play for everybody."""
    position: str
    history: list[str]
    legal_moves: list[str]
    over: bool
    winner: str | None
    reason: str
    rules: str | None = None


@dataclass
class MoveValue:
    """What a move is worth to whoever plays it."""

    move: str
    value: str
    """win, loss or endless."""
    turns: int | None
    """After how many turns at most the game is over then."""
    best: bool
    said: str


@dataclass
class _Game:
    match: Match
    seats: Seats
    forfeit: str = ""


class GameTools:
    """The tools of a server, and the games that were begun with them."""

    def __init__(self) -> None:
        self._games: dict[str, _Game] = {}
        self._numbers = count(1)
        self._one_at_a_time = Lock()  # the SDK calls from several threads

    def as_tools(self) -> list[Callable[..., Any]]:
        """Each tool, as it can be called by a program that makes mistakes."""
        tools = (self.list_games, self.new_game, self.legal_moves, self.play, self.values, self.explain)
        return [self._report_errors(tool) for tool in tools]

    def list_games(self) -> list[GameInfo]:
        """The five games; any of them can be changed, as in `line-runner(end=30, steps=1-4)`."""
        books = map(book_of, NAMES)
        return [
            GameInfo(book.variant, book.title, opening(book), {each.name: each.value for each in book.settings})
            for book in books
        ]

    def new_game(self, game: str, opponent: str = "", seat: int = 1, seed: int = 0) -> GameState:
        """Begins a game and tells its rules.

        The game is one of list_games, or a variant such as `line-runner(end=30)`. The opponent is `random`, `greedy`,
        `level:1` to `level:10` or `perfect`; without one you play for everybody.
        """
        book = _builtin_book(game)
        validate_player(book, "seat", seat, "seats")
        if opponent.partition(":")[0].strip().lower() == "exec":
            raise BotError("no programs are started from here; name one of our bots, such as level:5")
        seats = Seats(book, [None if player == seat or not opponent else opponent for player in book.players])
        if any(isinstance(bot, MctsBot) and bot.simulations > DEFAULT_SIMULATIONS for bot in seats.bots):
            raise BotError(
                f"mcts has at most {DEFAULT_SIMULATIONS:,} simulations a move here: nobody else can play meanwhile"
            )
        seats.new_game(validate_seed(seed))
        name = str(next(self._numbers))
        while len(self._games) >= MAX_OPEN_GAMES:
            del self._games[next(iter(self._games))]
        self._games[name] = _Game(Match(book), seats)
        standing = self._go_on(name)
        standing.rules = "\n".join(f"{part.heading}: {part.text}" for part in describe_rules(book))
        return standing

    def legal_moves(self, game_id: str) -> GameState:
        """How the game stands, with every legal move; there is none when it is over."""
        game = self._game(game_id)
        match, outcome = game.match, game.match.outcome
        people = [match.book.player_name(player) for player in game.seats.people]
        return GameState(
            game_id=game_id,
            variant=match.book.variant,
            you=people[0] if len(people) == 1 else "everybody",
            position=describe_position(match.book, match.position),
            history=[f"{match.book.player_name(ply.player)}: {ply.move}" for ply in match.plies],
            legal_moves=[str(move) for move in match.moves],
            over=outcome is not None,
            winner=match.book.player_name(outcome.winner) if outcome else None,
            reason=(game.forfeit or outcome.reason) if outcome else "",
        )

    def play(self, game_id: str, move: str) -> GameState:
        """Plays a move, and the opponent's answer; says how the game stands then."""
        self._game(game_id).match.play(move)
        return self._go_on(game_id)

    def values(self, game_id: str) -> list[MoveValue]:
        """What each legal move is worth with best play by both sides."""
        match = self._game(game_id).match
        found = values_view(_solution(match.book), match.position)
        return [
            MoveValue(each.move, each.worth.value, each.worth.turns, each.best, each.worth.said) for each in found.moves
        ]

    def explain(self, game_id: str, move: str = "") -> str:
        """Why the position stands as it does, or why a move of it is good or bad; said to the player to move."""
        match = self._game(game_id).match
        if match.outcome:
            raise MoveError("there is nothing to explain: the game is over")
        if move:
            return explain_move(_solution(match.book), match.position, match.book.read(move, match.position)).text
        return explain_position(_solution(match.book), match.position).text

    def _report_errors(self, tool: Callable[ToolParams, ToolResult]) -> Callable[ToolParams, ToolResult]:
        """The tool, whose caller reads in a sentence what it did wrong."""

        @wraps(tool)
        def careful(*given: ToolParams.args, **named: ToolParams.kwargs) -> ToolResult:
            with self._one_at_a_time:
                try:
                    return tool(*given, **named)
                except NumberlineError as error:
                    raise ToolError(str(error)) from None

        return careful

    def _game(self, name: str) -> _Game:
        if name not in self._games:
            raise EnvError(f"there is no game {quote(name)}; begin one with new_game")
        return self._games[name]

    def _go_on(self, name: str) -> GameState:
        """Plays lost turns and the opponent's moves; where that goes on for ever, not all of them."""
        game = self._games[name]
        if forfeit := play_bot_turns(game.match, game.seats, limit=game.match.length + DEFAULT_MAX_PLIES):
            game.forfeit = str(forfeit)
        return self.legal_moves(name)


def _builtin_book(text: str) -> Book:
    """The book or variant of that name; a file is not opened."""
    name = split_variant(text)[0]
    if name not in NAMES:
        raise BookError(f"there is no game {quote(name)}; expected {join_or(list(NAMES))}{did_you_mean(name, NAMES)}")
    return book_of(text)


def _solution(book: Book) -> Solution:
    return cached_solution(book, memory=MAX_SOLVE_BYTES)


def server() -> MCPServer:
    """A server with games of its own; `run()` speaks on standard input and output."""
    made = MCPServer("numberline", version=version("numberline"), instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in GameTools().as_tools():
        made.add_tool(tool)
    return made
