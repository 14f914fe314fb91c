"""Who can sit at the table besides people: opponents from one that guesses to one that is never wrong."""

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver, Lasting
from numberline.bots.making import KINDS, Kind, Order, make_bot

__all__ = ["KINDS", "Bot", "BotError", "Forfeit", "GameOver", "Kind", "Lasting", "Order", "make_bot"]
