"""Messages from clients, events to clients, and error codes."""
