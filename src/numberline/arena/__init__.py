"""Bots against bots, measured: seats changed after every game, and the exact truth of every move at hand."""

from numberline.arena.course import run
from numberline.arena.lottery import draw
from numberline.arena.results import Result, Tally
from numberline.arena.schedule import Entrant, Tournament
from numberline.arena.standings import Figures, Standings

__all__ = ["Entrant", "Figures", "Result", "Standings", "Tally", "Tournament", "draw", "run"]
