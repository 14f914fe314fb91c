"""Bots: computer players, from random to perfect."""

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver, make_bot
from numberline.bots.seats import Seats, iter_bot_turns, play_bot_turns

__all__ = ["Bot", "BotError", "Forfeit", "GameOver", "Seats", "iter_bot_turns", "make_bot", "play_bot_turns"]
