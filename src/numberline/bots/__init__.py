"""Who can sit at the table besides people: bots from one that guesses to one that is never wrong."""

from numberline.bots.bot import Bot, BotError, Forfeit, GameOver, Odds
from numberline.bots.roster import make_bot
from numberline.bots.seats import Seats, play_on, play_out

__all__ = ["Bot", "BotError", "Forfeit", "GameOver", "Odds", "Seats", "make_bot", "play_on", "play_out"]
