"""Live matches: service, rooms, match state and bots."""
