"""Progress of a player as pure rules over plain data: ladder levels, puzzle ratings, streaks."""
