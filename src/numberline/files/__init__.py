"""Bounded reads, atomic writes, append-only logs and locks."""

from numberline.files.append_log import AppendOnlyFile
from numberline.files.atomic_write import (
    check_parent_dir,
    is_stream,
    open_atomic,
    open_atomic_all,
    quarantine,
    quarantine_message,
    write_atomic,
)
from numberline.files.lock import LOCK_TIMEOUT_S, FileLocked, locked, try_lock
from numberline.files.safe_read import (
    TEMP_PREFIX,
    InvalidTextFile,
    check_filename,
    open_for_reading,
    os_error_reason,
    read_text,
    resolve,
)

__all__ = [
    "LOCK_TIMEOUT_S",
    "TEMP_PREFIX",
    "AppendOnlyFile",
    "FileLocked",
    "InvalidTextFile",
    "check_filename",
    "check_parent_dir",
    "is_stream",
    "locked",
    "open_atomic",
    "open_atomic_all",
    "open_for_reading",
    "os_error_reason",
    "quarantine",
    "quarantine_message",
    "read_text",
    "resolve",
    "try_lock",
    "write_atomic",
]
