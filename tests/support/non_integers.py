"""Values that are not integers but are easily taken for one, and how they must be rejected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numberline.errors import NumberlineError
from support.hostile_input import NASTY, obeyed

ENDLESS = 10**5000
"""Too many digits for `str()`."""
NO_NUMBERS: tuple[Any, ...] = (
    *(1.0, 1.7, -0.5, math.nan, math.inf, "1", b"1", "", NASTY, True, [1], {}, object),
    *(np.float32(1.9), np.float64(1), np.bool_(1), np.array(1.0), np.array([1, 1, 1]), np.array(["1"])),
)


def refused(attempt: Callable[..., object], *given: Any, **named: Any) -> str:
    """Return the message, which must be one printable line."""
    with pytest.raises(NumberlineError) as said:
        attempt(*given, **named)
    text = str(said.value)
    assert "\n" not in text
    assert len(text) < 400
    assert not obeyed(text)
    return text
