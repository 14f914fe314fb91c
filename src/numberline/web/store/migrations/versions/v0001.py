"""Create the tables for matches, seats and events."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, BigInteger, Column, Double, Integer, Text, UniqueConstraint

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "match",
        Column("id", Text, primary_key=True),
        Column("variant", Text, nullable=False),
        Column("source", Text),
        Column("first", Integer, nullable=False),
        Column("rounds", Integer, nullable=False),
        Column("settings", JSON, nullable=False),
        Column("rematch_of", Text),
        Column("created", Double, nullable=False),
        Column("ended", Double),
        Column("score", JSON, nullable=False),
    )
    op.create_index("match_ended", "match", ["ended"])
    op.create_table(
        "seat",
        Column("match", Text, primary_key=True),
        Column("seat", Integer, primary_key=True, autoincrement=False),
        Column("name", Text, nullable=False),
        Column("bot", Text),
        Column("token_hash", Text),
        Column("invite_hash", Text),
        Column("claimed", Double),
    )
    op.create_table(
        "event",
        Column("match", Text, primary_key=True),
        Column("seq", Integer, primary_key=True, autoincrement=False),
        Column("seat", Integer, nullable=False),
        Column("what", Text, nullable=False),
        Column("request", Text, nullable=False),
        Column("spent_ms", BigInteger, nullable=False),
        Column("at", Double, nullable=False),
        UniqueConstraint("match", "request"),
        sqlite_with_rowid=False,
    )
