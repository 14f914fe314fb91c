"""How well somebody plays, as odds for every move of a field: a skill is a bot."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.bots import make_bot
from numberline.bots.beginners import RandomBot
from numberline.bots.bot import Bot, BotError, OpenBot
from numberline.bots.experts import Skill, SkilledBot
from numberline.bots.roster import ROSTER
from numberline.lab.laying import FAR
from numberline.rules.errors import shown, text_options

if TYPE_CHECKING:
    from numberline.lab.chain import Field
    from numberline.solver.solution import Solution

PANEL = ("slip:50", "slip:25", "slip:10", "slip:5", "sight:1", "sight:2", "sight:3", "sight:4", "sight:6")
"""The skills by which a variant is judged."""
CURVE = (
    *("slip:75", "slip:50", "slip:25", "slip:15", "slip:10", "slip:5"),
    *("sight:1", "sight:2", "sight:3", "sight:4", "sight:5", "sight:6", "sight:8"),
)
"""The skills that are shown: those of the panel, and others that take no part in choosing."""
USUAL = "slip:25"
"""A player who knows the game and errs: the skill that is measured with unless another is asked for."""
BETTER = "slip:12.5"
"""A player who errs half as often."""
NEWCOMER = "sight:3"


def read_players(players: str | Sequence[str] | None, book: Book, solution: Solution | None = None) -> tuple[Bot, Bot]:
    """The bots that play as player 1 and player 2: one for each, or one for both; refuses those without exact odds."""
    names = [USUAL] if players is None else players.split(",") if isinstance(players, str) else players
    names = text_options("players", names, USUAL)
    if not 1 <= len(names) <= 2:
        raise BotError(f"{len(names)} skills were given; expected one for each of two players, or one for both")
    bots = [read_skill(name.strip(), book, solution) for name in names]
    return bots[0], bots[-1]


def read_skill(text: str, book: Book, solution: Solution | None = None) -> Bot:
    """The bot of that name, if its odds are known."""
    name = text.partition(":")[0].strip().lower()
    known = ROSTER.get(name)
    if known and name in {"mcts", "exec"}:
        raise BotError(
            f"{shown(text)} does not say how likely its moves are; expected slip:25, sight:3, level:5 or such"
        )
    bot = make_bot(text, book, Random(0), solution=solution)
    if not isinstance(bot, OpenBot):
        raise BotError(
            f"{shown(text)} does not say how likely its moves are; expected slip:25, sight:3, level:5 or such"
        )
    return bot


def skill_of(bot: Bot) -> Skill | None:
    """How far a bot sees and how often it slips; None where that does not tell what it plays."""
    if isinstance(bot, SkilledBot):
        return bot.skill
    return Skill(0) if isinstance(bot, RandomBot) else None


def lay(field: Field, skill: Skill, chance: NDArray[Any], player: int = 0) -> NDArray[Any]:
    """The chances of all moves, with those of one player (0: of both) filled in by a skill."""
    turns = int(min(skill.turns, FAR))
    columns = field.seen(field.begin, field.to, field.mover, field.value)
    field.loops.lay_odds(*columns, player, turns, float(skill.slips), *field.seen(chance))
    return chance


def lay_bot(field: Field, bot: Bot, solution: Solution, chance: NDArray[Any], player: int) -> NDArray[Any]:
    """The same for any bot that says how likely its moves are, position by position."""
    names = [str(move) for move in solution.table.moves]
    for row in np.flatnonzero((field.mover == player) & (np.diff(field.begin) > 0)):
        odds = bot.odds(solution.numbering.position(int(field.rows[row]))) or {}
        for edge in range(field.begin[row], field.begin[row + 1]):
            chance[edge] = float(odds.get(names[field.made[edge]], 0))
    return chance
