"""Plain data that a screen draws; it needs no rules and no framework."""
