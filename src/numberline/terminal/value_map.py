"""Text rendering of a solved game's value map; the letters give the same information as the colours."""

from __future__ import annotations

from rich.text import Text

from numberline.explain.queries import MapCell, ValueMap

_FEW_ROWS = 12
_MIN_BLOCK_COLUMNS = 5


def render_value_map(values: ValueMap, width: int) -> list[Text]:
    """Return the map as lines of at most `width` columns, omitting the turn counts if they don't fit."""
    margin = max(len(row) for row in values.rows) + 1
    texts = [str(cell or "") for row in values.cells for cell in row]
    size = max(map(len, [*values.columns, *texts])) + 1
    per_block = (width - margin) // size
    if per_block >= _MIN_BLOCK_COLUMNS and (len(values.rows) <= _FEW_ROWS or per_block >= len(values.columns)):
        lines: list[Text] = []
        for start in range(0, len(values.columns), per_block):
            block = slice(start, start + per_block)
            head = " " * margin + "".join(column.rjust(size) for column in values.columns[block])
            lines += [Text(), Text(head, "dim"), *_render_rows(values, block, margin, size)]
        return lines[1:]
    needed = margin + len(values.columns)
    if needed > width:
        return [Text(f"(The value map needs {needed} columns; --plot FILE.svg writes it to a file.)", "dim")]
    scale = " " * margin
    for column in range(0, len(values.columns), 10):
        scale = scale.ljust(margin + column) + values.columns[column]
    return [Text(scale, "dim"), *_render_rows(values, slice(None), margin, 1)]


def _render_rows(values: ValueMap, block: slice, margin: int, size: int) -> list[Text]:
    """Return the rows of a block; cells one column wide show only their letter."""
    lines = []
    for name, row in zip(values.rows, values.cells, strict=True):
        line = Text(name.rjust(margin - 1) + " ", "dim")
        for cell in row[block]:
            line.append(_cell_text(cell, size), cell.colour if cell else "")
        line.rstrip()
        lines.append(line)
    return lines


def _cell_text(cell: MapCell, size: int) -> str:
    if size == 1:
        return cell.letter if cell else " "
    return str(cell or "").rjust(size)
