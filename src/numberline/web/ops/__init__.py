"""Configuration, logging, metrics, rate limits, security and processes."""
