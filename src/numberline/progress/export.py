"""A player's progress as a short text that can be copied to another device."""

from __future__ import annotations

import base64
import json
import zlib

from numberline.progress.document import MAX_DOCUMENT_BYTES, Progress, ProgressError, decode, encode

PREFIX = "numberline1-"
"""Includes the version of the text."""
MAX_EXPORT_CHARS = 100_000


def export_text(progress: Progress) -> str:
    document = json.dumps(encode(progress), separators=(",", ":"))
    return PREFIX + base64.urlsafe_b64encode(zlib.compress(document.encode(), 9)).decode().rstrip("=")


def import_text(text: str) -> Progress:
    """Return the progress in an exported text; raise `ProgressError` or `NewerFormat` if it can't be read.

    Spaces and line breaks are ignored. The checksum of the compressed data reveals a damaged or incomplete text.
    """
    packed = "".join(text.split())
    if not packed.startswith(PREFIX):
        raise ProgressError(f"this is not exported progress, which starts with {PREFIX}")
    try:
        return decode(json.loads(_unpack(packed.removeprefix(PREFIX))))
    except (ValueError, zlib.error, RecursionError):
        raise ProgressError("this progress text is damaged or incomplete; copy all of it again") from None


def _unpack(packed: str) -> bytes:
    """Decompress data, but not more than a document can have."""
    unpacker = zlib.decompressobj()
    data = base64.b64decode(packed[:MAX_EXPORT_CHARS] + "=" * (-len(packed) % 4), altchars="-_", validate=True)
    document = unpacker.decompress(data, MAX_DOCUMENT_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError(len(document))
    return document
