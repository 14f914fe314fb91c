"""Checks of sentences that children read."""

from __future__ import annotations

import re

MAX_WORDS = 20


def long_sentences(text: str) -> list[str]:
    """Return the sentences with more than `MAX_WORDS` words; a clause after a semicolon counts as a sentence."""
    return [sentence for sentence in re.split(r"(?<=[.!?;])\s", text) if len(sentence.split()) > MAX_WORDS]
