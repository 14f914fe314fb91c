"""File utilities: bounded reads, atomic writes, append-only logs, locks and tables."""
