"""What a language model is told and how its answer is read.

An answer is free text. A move counts where it stands in square brackets, such as `[3]` or `[R2]`. Of all texts in
brackets the last one that reads as a move of the game is the answer; what stands around it, and brackets that hold
something else, are passed over. Inside, letter case and spaces are forgiven, as at a prompt. Of a very long answer
only the end is read.

    answer  = { anything } "[" move "]" { anything without a move in brackets }
    move    = [ token ":" ] stride
    stride  = number | ("L" | "R") number | ("+" | "-" | "*" | "/") number | "back" | "skip"
"""

from __future__ import annotations

import re

from numberline.envs.observation import describe_position
from numberline.errors import IllegalMove, UnreadableMove
from numberline.explain.rules_text import describe_rules
from numberline.game.book import Book
from numberline.game.match import Match, Ply
from numberline.game.move_text import legal_moves_sentence
from numberline.game.position import Position
from numberline.text import quote

MAX_ANSWER_CHARS = 100_000
"""Of a longer answer so many characters are read: the last ones, where the move should be."""


def read_answer(book: Book, position: Position, answer: object) -> str:
    """The legal move in an answer; raises `UnreadableMove` where there is no move, `IllegalMove` where it is not legal.

    An answer that is not text, such as None, is unreadable.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> read_answer(book, book.start(), "Not [1], which loses. I play [ 2 ] [sure].")
    '2'
    """
    if not isinstance(answer, str):
        raise UnreadableMove("the answer is not text")
    bracketed = re.findall(r"\[([^\[\]]*)\]", answer[-MAX_ANSWER_CHARS:])
    for text in dict.fromkeys(reversed(bracketed)):
        try:
            move = book.read(text, position)
        except UnreadableMove:
            continue
        if move not in book.moves(position):
            raise IllegalMove(f"{quote(text)} is not allowed here: {book.why_not(position, move)}")
        return move
    raise UnreadableMove("there is no move in square brackets")


def write_prompt(
    book: Book, position: Position, plies: tuple[Ply, ...] | None, mistake: str, *, rules: bool, legal: bool
) -> str:
    """The text for the player to move, with what was played where that is given, and with the last answer's mistake."""
    parts = [write_opening(book, position.turn, rules=rules)]
    if plies is not None:
        played = (f"{n}. {book.player_name(ply.player)}: {ply.move}" for n, ply in enumerate(plies, 1))
        parts.append("The moves so far\n" + ("\n".join(played) or "None."))
    parts.append("The position\n" + describe_position(book, position))
    if legal:
        parts.append(legal_moves_sentence(book.moves(position)))
    if mistake:
        parts.append(f"Your last answer does not count: {mistake}.")
    parts.append(write_instruction(book))
    return "\n\n".join(parts) + "\n"


def write_opening(book: Book, player: int, *, rules: bool) -> str:
    """What is played, and as whom; with the rules where they are wanted."""
    parts = [f"You are playing {book.title}. You are {book.player_name(player)}."]
    if rules:
        parts.append("The rules\n" + "\n".join(f"{part.heading}: {part.text}" for part in describe_rules(book)))
    return "\n\n".join(parts)


def write_instruction(book: Book) -> str:
    """How an answer has to look."""
    return f"Think if you like, then answer with your move in square brackets, written like [{book.choices[0]}]."


def write_ending(match: Match, forfeit: str = "") -> str:
    """The last text of a game: how it ended; `forfeit` says why somebody was made to resign."""
    ending = "The game was broken off."
    if outcome := match.outcome:
        ending = f"{outcome.reason} {match.book.player_name(outcome.winner)} wins."
    why = f" ({forfeit})" if forfeit else ""
    return f"The game is over.\n\n{describe_position(match.book, match.position)}\n{ending}{why}\n"
