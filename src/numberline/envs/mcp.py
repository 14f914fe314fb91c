"""MCP server: the games as tools for language models (Model Context Protocol).

The client is an untrusted program. It can use built-in books, variants and bots, but never files or external programs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from importlib.metadata import version
from itertools import count
from threading import Lock
from typing import Any

from numberline.bots import BotError, Seats, play_bot_turns
from numberline.bots.mcts import DEFAULT_SIMULATIONS, MctsBot
from numberline.envs.observation import describe_position
from numberline.envs.validation import DEFAULT_MAX_PLIES, EnvError, validate_player, validate_seed
from numberline.errors import BookError, MissingExtra, MoveError, NumberlineError
from numberline.explain.explanation import explain_move, explain_position
from numberline.explain.rules_text import describe_rules, opening
from numberline.game import Book, Match
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.settings import split_variant
from numberline.lab.grid import count_changes, search_axes
from numberline.lab.measure import measure_solution
from numberline.lab.search import DEFAULT_MAX_CHANGES
from numberline.lab.summary import compare, describe_differences, summarize
from numberline.lab.to_json import find_variants
from numberline.solver.cache import cached_solution
from numberline.text import did_you_mean, join_or, quote
from numberline.views.review import values_view

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as missing:
    raise MissingExtra("The MCP SDK", "mcp") from missing

MAX_OPEN_GAMES = 1_000
MAX_SOLVE_BYTES = 100_000_000
MAX_FIND_VARIANTS = 10_000
INSTRUCTIONS = (
    "Small games on a number line, all of them solved. list_games lists the games; new_game starts one, alone or "
    "against a bot; legal_moves and play are for your turns. values and explain reveal the exact solution of the "
    "position: call them only if you are allowed to. measure, compare and find are for designing games: they show how "
    "fair, long and deep a variant is if its players make mistakes."
)
Tool = Callable[..., Any]


@dataclass
class GameInfo:
    """A game that new_game can start; `settings` maps the name of each setting to its default value."""

    game: str
    title: str
    about: str
    settings: dict[str, str]


@dataclass
class GameState:
    """The state of a game; `you` is the name of the player you control, or `everybody` if you play every seat."""

    game_id: str
    variant: str
    you: str
    position: str
    history: list[str]
    legal_moves: list[str]
    over: bool
    winner: str | None
    reason: str
    rules: str | None = None


@dataclass
class MoveValue:
    """The value of a move for the player who makes it: win, loss, endless or, with more than two players, open.

    `turns` is the number of turns until the game ends, or None if no player can force an end. `said` describes
    the value in words.
    """

    move: str
    value: str
    turns: int | None
    best: bool
    said: str


@dataclass
class _Game:
    match: Match
    seats: Seats
    forfeit: str = ""


class GameTools:
    """The tools of an MCP server, and its open games."""

    def __init__(self) -> None:
        self._games: dict[str, _Game] = {}
        self._numbers = count(1)
        self._lock = Lock()  # the SDK calls tools from several threads

    def as_tools(self) -> list[Tool]:
        """Return all tools, wrapped so that expected errors become messages for the client."""
        games = (self.list_games, self.new_game, self.legal_moves, self.play, self.values, self.explain)
        tools: tuple[Tool, ...] = (*games, self.measure, self.compare, self.find)
        return [self._report_errors(tool) for tool in tools]

    def list_games(self) -> list[GameInfo]:
        """List the games and the settings that you can change, as in `line-runner(end=30, steps=1-4)`."""
        books = [(book, {setting.name: setting.value for setting in book.settings}) for book in map(book_of, NAMES)]
        return [GameInfo(book.variant, book.title, opening(book), settings) for book, settings in books]

    def new_game(self, game: str, opponent: str = "", seat: int = 1, seed: int = 0) -> GameState:
        """Start a game and return its state and rules.

        `game` is a name from list_games or a variant such as `line-runner(end=30)`. `opponent` is `easy`, `medium`,
        `hard`, `master`, `level:1` to `level:10`, `random`, `greedy` or `perfect`; without an opponent you play every
        seat.
        """
        book = _builtin_book(game)
        validate_player(book, "seat", seat, "seats")
        if opponent.partition(":")[0].strip().lower() == "exec":
            raise BotError("external programs can't be used here; name a built-in bot, such as easy")
        seats = Seats(book, [None if player == seat or not opponent else opponent for player in book.players])
        if any(isinstance(bot, MctsBot) and bot.simulations > DEFAULT_SIMULATIONS for bot in seats.bots):
            raise BotError(
                f"mcts is limited to {DEFAULT_SIMULATIONS:,} simulations per move here; more would block other games"
            )
        seats.new_game(validate_seed(seed))
        name = str(next(self._numbers))
        while len(self._games) >= MAX_OPEN_GAMES:
            del self._games[next(iter(self._games))]
        self._games[name] = _Game(Match(book), seats)
        state = self._play_opponents(name)
        state.rules = "\n".join(f"{part.heading}: {part.text}" for part in describe_rules(book))
        return state

    def legal_moves(self, game_id: str) -> GameState:
        """Return the state of a game, including its legal moves (none once the game is over)."""
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
        """Play a move, let the opponent reply, and return the new state."""
        self._game(game_id).match.play(move)
        return self._play_opponents(game_id)

    def values(self, game_id: str) -> list[MoveValue]:
        """Return the value of each legal move under perfect play."""
        match = self._game(game_id).match
        moves = values_view(_solution(match.book), match.position).moves
        return [MoveValue(one.move, one.worth.value, one.worth.turns, one.best, one.worth.said) for one in moves]

    def explain(self, game_id: str, move: str = "") -> str:
        """Explain who is winning and why; if `move` is given, explain instead why that move is good or bad."""
        match = self._game(game_id).match
        if match.outcome:
            raise MoveError("nothing to explain: the game is over")
        if move:
            return explain_move(_solution(match.book), match.position, match.book.read(move, match.position)).text
        return explain_position(_solution(match.book), match.position).text

    def measure(self, game: str, players: str = "slip:25") -> dict[str, Any]:
        """Measure a variant as played by players who make mistakes.

        In the result, `gap` is 0 if both players win equally often and 0.5 if one of them always wins. `players` is
        one skill for both players, or one for each: a `slip:25` player makes a random move on 25% of the turns, and a
        `sight:3` player looks 3 turns ahead.
        """
        solution = _solution(_builtin_book(game))
        measured = measure_solution(solution, players)
        return {"summary": summarize(measured, solution.book)} | measured.data()

    def compare(self, game: str, other: str, players: str = "slip:25") -> dict[str, Any]:
        """Measure two variants and describe the differences between them."""
        solutions = [_solution(_builtin_book(name)) for name in (game, other)]
        found = compare(*solutions)
        differences = describe_differences(found, [solution.book for solution in solutions])
        variants = [self.measure(name, players) for name in (game, other)]
        return {"differences": differences, "variants": variants, "comparison": found.data()}

    def find(
        self, game: str, goals: list[str] | None = None, change: list[str] | None = None, players: str = "slip:25"
    ) -> dict[str, Any]:
        """Find variants worth playing, fairest first; if none meets all goals, return those that come nearest.

        `goals` are ranges such as `length=10..20` or `slip:20=45..55%`. `change` lists the settings to change, such as
        `end=10..40` or `steps`; the default is all suitable settings. The search can take a minute.
        """
        book = _builtin_book(game)
        size = count_changes(search_axes(book, change or ()), DEFAULT_MAX_CHANGES)
        if size > MAX_FIND_VARIANTS:
            raise EnvError(f"too many variants: {size:,}; expected at most {MAX_FIND_VARIANTS:,}")
        return find_variants(book, goals or (), change=change or (), players=players, workers=1, memory=MAX_SOLVE_BYTES)

    def _report_errors(self, tool: Tool) -> Tool:
        """Wrap a tool to turn any `NumberlineError` into a `ToolError`, whose message is sent to the client."""

        @wraps(tool)
        def reporting(*given: Any, **named: Any) -> Any:
            with self._lock:
                try:
                    return tool(*given, **named)
                except NumberlineError as error:
                    raise ToolError(str(error)) from None

        return reporting

    def _game(self, name: str) -> _Game:
        if name not in self._games:
            raise EnvError(f"unknown game {quote(name)}; start one with new_game")
        return self._games[name]

    def _play_opponents(self, name: str) -> GameState:
        """Play lost turns and the opponents' moves, up to the ply limit, and return the state."""
        game = self._games[name]
        if forfeit := play_bot_turns(game.match, game.seats, limit=game.match.length + DEFAULT_MAX_PLIES):
            game.forfeit = str(forfeit)
        return self.legal_moves(name)


def _builtin_book(text: str) -> Book:
    """Return a built-in book or a variant of one; never open a file that the client names."""
    name = split_variant(text)[0]
    if name not in NAMES:
        raise BookError(f"unknown game {quote(name)}; expected {join_or(list(NAMES))}{did_you_mean(name, NAMES)}")
    return book_of(text)


_solution = partial(cached_solution, memory=MAX_SOLVE_BYTES)


def server() -> MCPServer:
    """Return a new server with no open games; its `run()` method serves over standard input and output."""
    mcp_server = MCPServer("numberline", version=version("numberline"), instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in GameTools().as_tools():
        mcp_server.add_tool(tool)
    return mcp_server
