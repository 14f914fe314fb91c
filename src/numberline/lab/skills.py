"""How well somebody plays, as odds for every move of a field: a skill is a bot."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numberline.bots import make_bot
from numberline.bots.bot import Bot, BotError, PolicyBot
from numberline.bots.policy_bots import RandomBot, Skill, SkilledBot
from numberline.errors import string_options
from numberline.game.book import Book
from numberline.lab.kernels_layout import MAX_TURNS
from numberline.text import quote

if TYPE_CHECKING:
    from numberline.solver.markov import PlayGraph
    from numberline.solver.solution import Solution

PANEL_SKILLS = ("slip:50", "slip:25", "slip:10", "slip:5", "sight:1", "sight:2", "sight:3", "sight:4", "sight:6")
"""The skills by which a variant is judged."""
CURVE_SKILLS = (
    *("slip:75", "slip:50", "slip:25", "slip:15", "slip:10", "slip:5"),
    *("sight:1", "sight:2", "sight:3", "sight:4", "sight:5", "sight:6", "sight:8"),
)
"""The skills that are shown: those of the panel, and others that take no part in choosing."""
DEFAULT_SKILL = "slip:25"
"""A player who knows the game and errs: the skill that is measured with unless another is asked for."""
BETTER_SKILL = "slip:12.5"
"""A player who errs half as often."""
NEWCOMER_SKILL = "sight:3"


def parse_players(players: str | Sequence[str] | None, book: Book, solution: Solution | None = None) -> tuple[Bot, Bot]:
    """The bots that play as player 1 and player 2: one for each, or one for both; refuses those without exact odds."""
    names = [DEFAULT_SKILL] if players is None else players.split(",") if isinstance(players, str) else players
    names = string_options("players", names, DEFAULT_SKILL)
    if not 1 <= len(names) <= 2:
        raise BotError(f"{len(names)} skills were given; expected one for each of two players, or one for both")
    bots = [parse_skill(name.strip(), book, solution) for name in names]
    return bots[0], bots[-1]


def parse_skill(text: str, book: Book, solution: Solution | None = None) -> Bot:
    """The bot of that name, if its odds are known."""
    name = text.partition(":")[0].strip().lower()
    if name in {"mcts", "exec"}:
        raise BotError(
            f"{quote(text)} does not say how likely its moves are; expected slip:25, sight:3, level:5 or such"
        )
    bot = make_bot(text, book, Random(0), solution=solution)
    if not isinstance(bot, PolicyBot):
        raise BotError(
            f"{quote(text)} does not say how likely its moves are; expected slip:25, sight:3, level:5 or such"
        )
    return bot


def skill_of(bot: Bot) -> Skill | None:
    """How far a bot sees and how often it slips; None where that does not tell what it plays."""
    if isinstance(bot, SkilledBot):
        return bot.skill
    return Skill(0) if isinstance(bot, RandomBot) else None


def fill_skill_probabilities(field: PlayGraph, skill: Skill, chance: NDArray[Any], player: int = 0) -> NDArray[Any]:
    """The chances of all moves, with those of one player (0: of both) filled in by a skill."""
    turns = int(min(skill.turns, MAX_TURNS))
    columns = field.as_kernel_args(field.indptr, field.indices, field.mover, field.value)
    field.kernels.fill_move_probabilities(
        *columns, player, turns, float(skill.slip_rate), *field.as_kernel_args(chance)
    )
    return chance


def fill_bot_probabilities(
    field: PlayGraph, bot: Bot, solution: Solution, chance: NDArray[Any], player: int
) -> NDArray[Any]:
    """The same for any bot that says how likely its moves are."""
    policy = bot.policy(solution.arrays)
    assert policy is not None  # noqa: S101 - `parse_skill` rejects bots without one
    rows = np.repeat(np.arange(len(field.mover)), np.diff(field.indptr))  # of each edge
    edges = np.flatnonzero(field.mover[rows] == player)
    rows = field.rows[rows[edges]]
    chance[edges] = policy[rows, field.edge_moves[edges]] / policy.sum(axis=1)[rows]
    return chance
