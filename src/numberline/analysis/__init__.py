"""What a solution says to a person: hints, explanations, reviews, puzzles and lessons."""
