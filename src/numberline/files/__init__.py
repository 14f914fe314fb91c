"""Files: read with care, written whole or not at all, added to line by line, and changed by one program at a time."""

from numberline.files.ledger import Ledger
from numberline.files.locking import PATIENCE, OpenElsewhere, held, try_lock
from numberline.files.reading import BESIDE, UnreadableText, failure, need_name, opened, read_text, real
from numberline.files.writing import (
    is_stream,
    need_folder,
    opened_together,
    opened_whole,
    said_aside,
    set_aside,
    write_whole,
)

__all__ = [
    "BESIDE",
    "PATIENCE",
    "Ledger",
    "OpenElsewhere",
    "UnreadableText",
    "failure",
    "held",
    "is_stream",
    "need_folder",
    "need_name",
    "opened",
    "opened_together",
    "opened_whole",
    "read_text",
    "real",
    "said_aside",
    "set_aside",
    "try_lock",
    "write_whole",
]
