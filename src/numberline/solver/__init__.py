"""Exact solutions of books by retrograde analysis of all positions."""
