"""Player progress as pure functions and plain data: ladder levels, puzzle ratings and streaks."""
