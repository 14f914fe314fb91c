"""The style sheet of the pages has the colours of the palette."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from numberline.palette import PALETTE

COLORS_CSS = Path(__file__).parents[1] / "src" / "numberline" / "web" / "static" / "css" / "colors.css"


@pytest.mark.parametrize("name", [name for name in PALETTE if name != "open"])
def test_page_uses_the_palette(name: str) -> None:
    light, *dark = re.findall(rf"--{name}: (#\w+);", COLORS_CSS.read_text(encoding="utf-8"))
    assert light == PALETTE[name].light
    assert set(dark) == {PALETTE[name].dark}
