"""Named opponents, defined once for all user interfaces."""

from __future__ import annotations

from typing import NamedTuple


class Character(NamedTuple):
    """An opponent that users choose by name."""

    key: str
    """Name of the bot, such as `easy`."""
    title: str
    name: str
    """The animal's name, shown as the player's name in a game."""
    about: str
    level: int
    """The level of play; for `auto`, the initial level."""


EASY, AUTO = "easy", "auto"
CHARACTERS = {
    character.key: character
    for character in (
        Character(EASY, "Easy", "Rabbit", "The rabbit hops first and thinks later.", 3),
        Character("medium", "Medium", "Badger", "The badger thinks first, but still slips.", 5),
        Character("hard", "Hard", "Fox", "The fox sees most tricks coming.", 8),
        Character("master", "Master", "Owl", "The owl never makes a mistake.", 10),
        Character(AUTO, "Just right for you", "Chameleon", "The chameleon gets stronger when you win.", 3),
    )
}
"""All opponents, weakest first; the last one adapts to the player's results."""
ANIMALS = {character.name.lower(): character.key for character in CHARACTERS.values()}
NAMED = tuple(CHARACTERS)[:-1]
"""The keys of the characters whose level is fixed."""


def bot_key(name: str) -> str:
    """Return the key of the character with this animal's name; any other name is returned unchanged.

    >>> bot_key("Rabbit"), bot_key("level:5")
    ('easy', 'level:5')
    """
    return ANIMALS.get(name.strip().lower(), name)


def against(opponent: str) -> str:
    """Return "against" and the name of an opponent, with an article before the name of an animal.

    >>> against("Fox"), against("Ann")
    ('against the fox', 'against Ann')
    """
    animal = any(opponent == character.name for character in CHARACTERS.values())
    return f"against the {opponent.lower()}" if animal else f"against {opponent}"
