"""Interactive games, lessons, puzzles and reviews in a terminal, as plain text or drawn in colour."""
