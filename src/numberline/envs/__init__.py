"""Environments for learning agents and language models: Gymnasium, PettingZoo, OpenSpiel, TextArena, MCP and text.

Importing this package registers the books with Gymnasium without importing Gymnasium. Each framework is imported by
exactly one module.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from numberline.errors import MissingExtra
from numberline.game.loader import NAMES

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


def env_id(name: str) -> str:
    """Return the environment id of a book, which Gymnasium, PettingZoo and TextArena share.

    >>> env_id("flag-chase")
    'numberline/FlagChase-v0'
    """
    return f"numberline/{name.title().replace('-', '')}-v0"


def env_arguments() -> dict[str, dict[str, str]]:
    """Return the keyword arguments of each environment id: one per book, and `numberline/Book-v0` for any variant."""
    return {env_id(name): {"book": name} for name in NAMES} | {env_id("book"): {}}


def register_with_gymnasium() -> None:
    """Register all books with Gymnasium, now if it has been imported, otherwise as soon as it is.

    This function never imports Gymnasium itself.
    """
    if gymnasium := sys.modules.get("gymnasium"):
        _register(gymnasium)
    elif not any(isinstance(finder, _GymnasiumFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _GymnasiumFinder())


def _register(gymnasium: Any) -> None:
    for name, arguments in env_arguments().items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="numberline.envs.gymnasium:BookEnv",
                vector_entry_point="numberline.envs.vector:VectorEnv",
                kwargs=arguments,
            )


class _GymnasiumFinder(MetaPathFinder):
    """Import hook that registers the books right after Gymnasium is imported; Gymnasium 1 has no plug-in mechanism."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium":
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        spec = next((found for finder in others if (found := finder.find_spec(fullname, path, target))), None)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                _register(module)

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


register_with_gymnasium()
