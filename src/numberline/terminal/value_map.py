"""What each place is worth, as a table of letters and colours; the letter says what the colour does."""

from __future__ import annotations

from rich.text import Text

from numberline.explain.value_map import MapCell, ValueMap


def render_value_map(picture: ValueMap, width: int) -> list[Text]:
    """The picture in lines no wider than the window; the numbers of turns are left out where they don't fit."""
    return _with_turns(picture, width) or _letters(picture, width)


def _with_turns(picture: ValueMap, width: int) -> list[Text]:
    """Every field with its letter and turns, in as many stretches as it takes; nothing where that would be too many."""
    margin = max(len(row) for row in picture.rows) + 1
    fields = [str(spot or "") for row in picture.cells for spot in row]
    size = max(map(len, [*picture.columns, *fields])) + 1
    each = (width - margin) // size
    if each < 5 or (len(picture.rows) > 12 and each < len(picture.columns)):
        return []
    lines = []
    for begin in range(0, len(picture.columns), each):
        part = slice(begin, begin + each)
        lines += [Text(), *_stretch(picture, part, margin, size)]
    return lines[1:]


def _stretch(picture: ValueMap, part: slice, margin: int, size: int) -> list[Text]:
    head = Text(" " * margin + "".join(column.rjust(size) for column in picture.columns[part]), "dim")
    lines = [head]
    for name, row in zip(picture.rows, picture.cells, strict=True):
        line = Text(name.rjust(margin - 1) + " ", "dim")
        for spot in row[part]:
            line.append(str(spot or "").rjust(size), _style(spot))
        line.rstrip()
        lines.append(line)
    return lines


def _letters(picture: ValueMap, width: int) -> list[Text]:
    margin = max(len(row) for row in picture.rows) + 1
    if margin + len(picture.columns) > width:
        return [Text(f"(The chart needs {margin + len(picture.columns)} columns; --plot FILE.svg draws it.)", "dim")]
    lines = [_scale(picture, margin)]
    for name, row in zip(picture.rows, picture.cells, strict=True):
        line = Text(name.rjust(margin - 1) + " ", "dim")
        for spot in row:
            line.append(spot.letter if spot else " ", _style(spot))
        line.rstrip()
        lines.append(line)
    return lines


def _scale(picture: ValueMap, margin: int) -> Text:
    """Every tenth number above its column."""
    line = " " * margin
    for number, column in enumerate(picture.columns):
        if number % 10 == 0:
            line = line.ljust(margin + number) + column
    return Text(line, "dim")


def _style(spot: MapCell) -> str:
    return spot.colour if spot else ""
