"""A player's progress as pure functions and plain data: the document, events, stars, levels and ratings."""
