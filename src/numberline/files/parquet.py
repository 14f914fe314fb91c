"""Access to pyarrow, which only the extra `data` installs."""

from __future__ import annotations

from typing import Any

from numberline.errors import MissingExtra


def import_pyarrow() -> tuple[Any, Any]:
    """Return the modules `pyarrow` and `pyarrow.parquet`."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "data") from error
    return pa, parquet
