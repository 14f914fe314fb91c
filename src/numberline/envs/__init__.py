"""Environments for programs: Gymnasium, PettingZoo, OpenSpiel, TextArena, MCP, and text for language models.

Importing this package registers the books with Gymnasium without importing Gymnasium. Each framework is imported by
exactly one module.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from numberline.envs.registration import register_with_gymnasium
from numberline.errors import MissingExtra

if TYPE_CHECKING:
    from numberline.envs.gymnasium import BookEnv
    from numberline.envs.text import TextEnv, TextPlayer
    from numberline.envs.vector import VectorEnv

__all__ = ["BookEnv", "MissingExtra", "TextEnv", "TextPlayer", "VectorEnv"]

_MODULES = {"BookEnv": "gymnasium", "VectorEnv": "vector", "TextEnv": "text", "TextPlayer": "text"}


def __getattr__(name: str) -> Any:
    # Imported lazily, so that one framework works even if another is not installed.
    if name in _MODULES:
        return getattr(import_module(f"numberline.envs.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'numberline.envs' has no attribute {name!r}")


register_with_gymnasium()
