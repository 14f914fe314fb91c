"""Who can sit at the table besides people: bots from one that guesses to one that is never wrong."""

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver, Policy
from numberline.bots.registry import make_bot
from numberline.bots.seats import Seats, iter_bot_turns, play_bot_turns

__all__ = ["Bot", "BotError", "Forfeit", "GameOver", "Policy", "Seats", "iter_bot_turns", "make_bot", "play_bot_turns"]
