"""The first schema version, from which migrations start; `store/tables.py` creates the tables of a new database."""

revision = "0001"
down_revision = None
