"""The table at a prompt: colour, width, input."""
