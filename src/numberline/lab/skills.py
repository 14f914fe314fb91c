"""Skills that variants are measured with: a skill is a bot whose policy is known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from numberline.bots import make_bot
from numberline.bots.bot import Bot, BotError, PolicyBot
from numberline.bots.policy_bots import RandomBot, Skill, SkilledBot
from numberline.errors import string_options
from numberline.game.book import Book
from numberline.text import quote

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

PANEL_SKILLS = ("slip:50", "slip:25", "slip:10", "slip:5", "sight:1", "sight:2", "sight:3", "sight:4", "sight:6")
CURVE_SKILLS = (
    *("slip:75", "slip:50", "slip:25", "slip:15", "slip:10", "slip:5"),
    *("sight:1", "sight:2", "sight:3", "sight:4", "sight:5", "sight:6", "sight:8"),
)
"""The skills of the panel, and others that are held out of the fair range and of searches."""
DEFAULT_SKILL = "slip:25"
BETTER_SKILL = "slip:12.5"
NEWCOMER_SKILL = "sight:3"


def parse_players(players: str | Sequence[str] | None, book: Book, solution: Solution | None = None) -> tuple[Bot, Bot]:
    """Return the bots that play as player 1 and player 2: one skill for each, or one for both."""
    names = [DEFAULT_SKILL] if players is None else players.split(",") if isinstance(players, str) else players
    names = string_options("players", names, DEFAULT_SKILL)
    if not 1 <= len(names) <= 2:
        raise BotError(f"{len(names)} skills given; expected one for both players, or one for each")
    bots = [parse_skill(name.strip(), book, solution) for name in names]
    return bots[0], bots[-1]


def parse_skill(text: str, book: Book, solution: Solution | None = None) -> Bot:
    """Return the bot of that name; raise `BotError` unless its policy is known exactly."""
    starts_process = text.partition(":")[0].strip().lower() == "exec"
    bot = None if starts_process else make_bot(text, book, Random(0), solution=solution)
    if not isinstance(bot, PolicyBot):
        raise BotError(f"{quote(text)} has no known move probabilities; expected e.g. slip:25, sight:3 or level:5")
    return bot


def skill_of(bot: Bot) -> Skill | None:
    """Return the skill that determines a bot's policy, if there is one."""
    if isinstance(bot, SkilledBot):
        return bot.skill
    return Skill(0) if isinstance(bot, RandomBot) else None
