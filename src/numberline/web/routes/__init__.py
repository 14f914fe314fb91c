"""HTTP, WebSocket and NDJSON endpoints."""
