"""Durable storage of matches in SQLite or PostgreSQL."""
