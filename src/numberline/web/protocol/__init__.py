"""Messages in and out, and error codes."""
