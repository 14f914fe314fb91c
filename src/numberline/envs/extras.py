"""What is said to somebody who asks for a framework that is not installed."""

from __future__ import annotations

from numberline.rules.errors import NumberlineError


class MissingExtra(NumberlineError, ImportError):
    """A framework that is not installed; the text is one sentence with the command that installs it."""

    def __init__(self, framework: str, extra: str) -> None:
        super().__init__(f'{framework} is not installed; install it with: pip install "numberline[{extra}]"')
