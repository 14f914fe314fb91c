"""Where everything stands, in sentences: the line for somebody who hears it."""

from __future__ import annotations

from numberline.book.voice import WORDS
from numberline.match import Match
from numberline.rules.turns import is_out
from numberline.rules.wording import any_of


def places_in_words(match: Match) -> str:
    """One sentence a fact: where each token stands, and where the goal is.

    >>> import numberline as nl
    >>> places_in_words(nl.Match(nl.book("flag-chase")))
    'Player 1 is on tile 0. Player 2 is on tile 10. The goal is tile 5.'
    """
    book, position = match.book, match.position
    place = book.voice.get("place", WORDS["place"])
    facts = []
    if book.rules.shared:
        facts.append(f"The {book.voice.get('token', WORDS['token'])} is on {position.tokens[0]}.")
    else:
        for player, name in enumerate(match.names, 1):
            if not is_out(position.out, player):
                facts.append(f"{name} is on {place} {' and '.join(map(str, book.own(position, player)))}.")
    if len(set(book.rules.goals)) == 1:
        facts.append(f"The goal is {place} {any_of([str(goal) for goal in book.rules.goals[0]])}.")
    else:
        facts += [
            f"The goal of {name} is {place} {any_of([str(goal) for goal in book.rules.goals[player]])}."
            for player, name in enumerate(match.names)
        ]
    return " ".join(facts)
