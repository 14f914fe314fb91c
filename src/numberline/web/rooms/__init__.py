"""Matches in progress: service, rooms, state and bots."""
