"""Bots against bots, measured: seats changed after every game, and the exact truth of every move at hand."""

from numberline.arena.drawing import draw
from numberline.arena.players import Entrant
from numberline.arena.results import Result, Tally
from numberline.arena.running import run
from numberline.arena.schedule import Tournament
from numberline.arena.standings import Row, Standings

__all__ = ["Entrant", "Result", "Row", "Standings", "Tally", "Tournament", "draw", "run"]
