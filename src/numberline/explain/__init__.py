"""Narration, rules text, hints, explanations, patterns, lessons, puzzles and reviews."""
