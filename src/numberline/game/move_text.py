"""Parsing of typed moves, and descriptions of why a move is illegal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from numberline.errors import IllegalMove, UnreadableMove
from numberline.game import legality
from numberline.game.engine import Engine
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.game.settings import OPERATOR_ALIASES
from numberline.text import join_and, join_or, quote

MAX_MOVE_CHARS = 100
MAX_LISTED_REASONS = 2
MAX_LISTED_MOVES = 4
MAX_SENTENCE_WORDS = 20
MOVE_PATTERNS = {"forward": "[0-9]+", "both ways": "[LR][0-9]+", "operations": "[-+*/][0-9]+"}


def normalize_move(typed: str) -> str:
    """Normalize the spaces, letter case, directions and operators of a typed move.

    >>> normalize_move(" l 2 "), normalize_move("X 3"), normalize_move("1 : BACK"), normalize_move("left 2")
    ('L2', '*3', '1:back', 'L2')
    """
    text = re.sub(r"\s+", "", typed[: MAX_MOVE_CHARS + 1]).lower()
    token, colon, stride = text.rpartition(":")
    stride = re.sub("^(l|r)(?:eft|ight)(?=[0-9])", r"\1", stride)
    if stride[:1] in OPERATOR_ALIASES:
        stride = OPERATOR_ALIASES[stride[0]] + stride[1:]
    if re.fullmatch("[lr][0-9]+", stride):
        stride = stride.upper()
    return token + colon + stride


def token_letter(token: int) -> str:
    """Return the letter for a token's index; used only if each player has several tokens."""
    return "abcdefghijklmnopqrstuvwxyz"[token]


def letter_tokens(text: str) -> str:
    """Replace token numbers in moves with the letters shown on the board.

    >>> letter_tokens("You can play 1:3, 2:L2, or 2:back.")
    'You can play a3, bL2, or b back.'
    """
    spaced = re.sub(r"(?<![\w:])([1-9]):(?=back)", r"\1: ", text)
    moves = r"(?<![\w:])([1-9]):(?= back|[-+*/LR]?[0-9])"
    return re.sub(moves, lambda found: token_letter(int(found[1]) - 1), spaced)


def parse_move(typed: str, pattern: str, by_text: Mapping[str, Move], movable: Iterable[int], turn: int) -> Move:
    """Parse a move typed by player `turn`; a plain step can also be written with a leading `+` or a direction.

    `movable` lists the indices of the mover's tokens that can move, if players have several tokens. A move that does
    not name a token is accepted if only one token can move.
    """
    text = normalize_move(typed)
    spellings = [text, re.sub(r"(^|:)\+(?=[0-9])", r"\1", text)]
    if way := re.fullmatch("([LR])([0-9]+)", text):
        shift = int(way[2]) * (1 if way[1] == "R" else -1)
        spellings += [move for move in by_text.values() if move.shift and move.shift[turn] == shift and ":" not in move]
    tokens = [number + 1 for number in movable]
    rest = normalize_move(text[1:].lstrip(":"))
    spellings += [f"{number}:{rest}" for number in range(1, 10) if text[:1] == token_letter(number - 1)]
    if len(tokens) == 1:
        spellings += [f"{tokens[0]}:{spelling}" for spelling in spellings]
    for spelling in spellings:
        if spelling in by_text:
            return by_text[spelling]
    if len(tokens) > 1 and f"1:{spellings[1]}" in by_text:
        ways = join_or([f"{token_letter(token - 1)}{spellings[1]}" for token in tokens])
        raise UnreadableMove(f"{quote(typed)} doesn't say which token moves; write it as {ways}")
    if any(re.fullmatch(f"([0-9]+:)?({pattern}|back|skip|pass|out)", spelling) for spelling in spellings):
        raise IllegalMove(f"{quote(typed)} is not a move in this game")
    raise UnreadableMove(f"{quote(typed)} can't be read as a move")


def legal_moves_sentence(legal: Sequence[str]) -> str:
    """Return a sentence that lists the legal moves.

    >>> legal_moves_sentence(["1", "2", "3"])
    'You can play 1, 2, or 3.'
    """
    return f"You can play {join_or(legal)}."


class ReasonWords(NamedTuple):
    """Words used to explain why a move is illegal; `it` refers to the move itself."""

    mover: str
    """`you`, or a phrase for the shared marker."""
    goal: str
    opponent: str
    """Name of the opponent; empty with more than two players."""
    it: str = "it"


def restriction_sentence(engine: Engine, position: Position, legal: Sequence[Move], words: ReasonWords) -> str:
    """Return a sentence that lists the legal moves and, if it stays short, says why the other moves are illegal.

    >>> import numberline as nl
    >>> nl.book("flag-chase").restriction_sentence(nl.Position(1, (3, 8)))
    '3 would take you past the flag, so play 1 or 2.'
    """
    by_reason: dict[str, list[Move]] = {}
    for move in engine.choices:
        if move not in legal:
            by_reason.setdefault(why_not(engine, position, move, words._replace(it="{it}")), []).append(move)
    reasons = join_and([reason.replace("{it}", join_and(moves)) for reason, moves in by_reason.items()])
    sentence = f"{f'A{reasons[1:]}' if reasons.startswith('a ') else reasons}, so play {join_or(legal)}."
    too_long = len(by_reason) > MAX_LISTED_REASONS or len(sentence.split()) > MAX_SENTENCE_WORDS
    return legal_moves_sentence(legal) if too_long else sentence


def why_not(engine: Engine, position: Position, move: Move, words: ReasonWords) -> str:
    """Return the reason why a move is illegal."""
    if move in FORCED_MOVES:
        return "you lose a turn only when you have no move"
    attempt = engine.attempt(position, move)
    check = engine.failed_check(attempt)
    return _REASONS[check](attempt, words) if check else f"{words.it} would leave you where you are"


def why_stuck(engine: Engine, position: Position, *, past: bool = False) -> str:
    """Return a clause that says why the player to move has no legal move.

    >>> import numberline as nl
    >>> nl.book("reach-the-edge(steps=1,3)").why_stuck(nl.Position(1, (2,), 1))
    '1 is banned and 3 is too far'
    """
    by_reason: dict[str, list[Move]] = {}
    for move in engine.choices:
        check = engine.failed_check(engine.attempt(position, move))
        if check is not legality.is_home:
            by_reason.setdefault(_SHORT_REASONS.get(check, "blocked"), []).append(move)
    one, many = ("was", "were") if past else ("is", "are")
    if len(by_reason) == 1 or len(engine.choices) > MAX_LISTED_MOVES:
        return f"every move {one} {join_or(list(by_reason))}"
    return join_and([f"{join_and(moves)} {many if len(moves) > 1 else one} {why}" for why, moves in by_reason.items()])


def _why_off_line(attempt: legality.MoveAttempt, words: ReasonWords) -> str:
    if attempt.bounds.is_past_goal(attempt.target, attempt.heading):
        return f"{words.it} would take {words.mover} past {words.goal}"
    return f"{attempt.target} is off the line"


def _why_blocked(attempt: legality.MoveAttempt, words: ReasonWords) -> str:
    return f"{words.opponent if words.opponent and len(attempt.others) == 1 else 'a token'} is in the way"


def _why_repeated(attempt: legality.MoveAttempt, words: ReasonWords) -> str:
    move, rules = attempt.move, attempt.move.rules
    step = f"used {move.rpartition(':')[2]}" if rules and rules.operations else f"moved by {move.stride}"
    is_same_move = rules and rules.moves != "both ways" and rules.tokens == 1 and not rules.reverse
    return f"{words.opponent or 'the player before you'} just {'did' if is_same_move and words.it == 'it' else step}"


_REASONS: dict[legality.IllegalityCheck, Callable[[legality.MoveAttempt, ReasonWords], str]] = {
    legality.is_home: lambda *_: "a token at home can't move",
    legality.leaves_line: _why_off_line,
    legality.has_remainder: lambda attempt, _: (
        f"{attempt.place} can't be divided by {attempt.move.divisor} without a remainder"
    ),
    legality.is_blocked: _why_blocked,
    legality.is_repeated: _why_repeated,
}
_SHORT_REASONS: dict[legality.IllegalityCheck | None, str] = {
    legality.leaves_line: "too far",
    legality.has_remainder: "not exact",
    legality.is_repeated: "banned",
}
