"""Bot tournaments with rotating seats, in which every move is compared with the exact solution."""

from numberline.arena.results import GameResult, MoveQuality
from numberline.arena.runner import run
from numberline.arena.schedule import Entrant, Tournament, draw
from numberline.arena.standings import Standings, Stats

__all__ = ["Entrant", "GameResult", "MoveQuality", "Standings", "Stats", "Tournament", "draw", "run"]
