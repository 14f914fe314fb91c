"""Text for players: narration, rules, hints, explanations, patterns, lessons, puzzles and reviews."""
