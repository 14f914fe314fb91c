"""Views: plain data for display that depends neither on the rules nor on a UI framework."""
