"""Exact solutions: retrograde analysis over all positions of a book."""
