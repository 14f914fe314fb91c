"""Games, lessons, puzzles and reviews at a prompt, as plain text or drawn with colours."""
