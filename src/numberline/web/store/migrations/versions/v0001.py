"""The first version, which migrations start from; `store/tables.py` creates the tables of a new database."""

revision = "0001"
down_revision = None
