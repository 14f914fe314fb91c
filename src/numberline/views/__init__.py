"""Views: plain data for display. User interfaces draw them without knowing the rules of a game."""
