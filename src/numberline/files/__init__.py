"""Bounded reads, atomic writes, append-only logs, locks and tables."""
