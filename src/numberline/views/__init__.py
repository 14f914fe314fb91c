"""What a screen shows, as plain data: no screen, no framework, and no rule left for the screen to know."""
