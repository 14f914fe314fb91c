"""The books for programs: Gymnasium, vectors of games, PettingZoo, OpenSpiel; text, TextArena and MCP for models.

Importing this package makes the books known to Gymnasium, where it is installed. Each framework is met in one file.
"""

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numberline.errors import MissingExtra

if TYPE_CHECKING:
    from numberline.envs.gymnasium import BookEnv
    from numberline.envs.text import TextEnv, TextPlayer
    from numberline.envs.vector import VectorEnv

__all__ = ["BookEnv", "MissingExtra", "TextEnv", "TextPlayer", "VectorEnv"]

_WHERE = {"BookEnv": "gymnasium", "VectorEnv": "vector", "TextEnv": "text", "TextPlayer": "text"}


def __getattr__(name: str) -> Any:
    # Each is loaded when it is first asked for, so that one framework can be missing while another is used.
    if name in _WHERE:
        return getattr(import_module(f"numberline.envs.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'numberline.envs' has no attribute {name!r}")


with suppress(MissingExtra):  # whoever asks for what needs it is told how to install it
    import_module("numberline.envs.gymnasium").register()
