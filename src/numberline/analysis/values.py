"""What each move is worth: whether it wins, loses or keeps the game open, and in how many turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.analysis.words import Words
from numberline.rules.errors import NumberlineError
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.solver.solution import Forced, Solution


class AnalysisError(NumberlineError, ValueError):
    """A question that a solution can't answer; the text is one sentence that says why."""


class Sign(NamedTuple):
    """How a value is shown: by a letter and a shape, and by a colour only besides them."""

    letter: str
    shape: str
    colour: str


SIGNS: dict[str, Sign] = {
    "win": Sign("W", "▲", "green"),
    "endless": Sign("=", "●", "yellow"),
    "open": Sign("?", "◆", "blue"),
    "loss": Sign("L", "▼", "red"),
}
"""The sign of each value."""
MEANINGS = {"win": "wins", "loss": "loses", "endless": "nobody can force a win", "open": "nobody can force a win"}
"""What each value says of the player to move."""

_ORDER = {"loss": 0, "open": 1, "endless": 1, "win": 2}


class Standing(NamedTuple):
    """What a position is worth to one player."""

    value: str
    """`win`, `loss` or `endless`; with more than two players `open` where nobody can force a win."""
    plies: int | None = None
    """In how many turns at most, every player's counted; None where nobody can force it."""
    winner: int = 0
    """The player who can force a win; 0 for nobody."""

    @property
    def sign(self):
        """Scaffold."""
        from numberline.solver.worth import SIGNS

        return SIGNS[self.value]

    @property
    def colour(self):
        """Scaffold."""
        return self.sign.colour

    @property
    def letter(self):
        """Scaffold."""
        return self.sign.letter

    @property
    def shape(self):
        """Scaffold."""
        return self.sign.shape

    @property
    def rank(self) -> tuple[int, int]:
        """How good it is, to be compared: a quick win is best, then what nobody wins, then a late loss."""
        order = _ORDER[self.value]
        return order, -(self.plies or 0) if order == 2 else self.plies or 0


class MoveValue(NamedTuple):
    """One legal move and its worth to the player who makes it."""

    move: str
    standing: Standing
    """The turns count from before the move."""
    best: bool
    """Whether no other move is better, in value or in time."""
    after: Position

    @property
    def value(self) -> str:
        """What the move is worth: `win`, `endless`, `loss`, or `open`."""
        return self.standing.value

    @property
    def plies(self) -> int | None:
        """In how many turns at most, this move counted; None where nobody can force an end."""
        return self.standing.plies

    @property
    def sign(self) -> Sign:
        """How the value is shown."""
        return SIGNS[self.value]

    @property
    def ends(self) -> bool:
        """Whether the game is over after it."""
        return self.standing.plies == 1


def standing(solution: Solution, position: Position, player: int = 0) -> Standing:
    """What the position is worth to a player, the one to move unless told otherwise."""
    return standing_of(solution, solution.forced(position), player or position.turn)


def standing_of(solution: Solution, outlook: Forced | None, player: int, later: int = 0) -> Standing:
    """What the outlook is worth to a player, so many turns counted on top."""
    if outlook is None:
        return Standing("endless" if solution.book.rules.players == 2 else "open")
    value = "win" if outlook.player == player else "loss"
    return Standing(value, outlook.plies + later, outlook.player)


def values(solution: Solution, position: Position) -> tuple[MoveValue, ...]:
    """Each legal move with its worth to the player to move, in the book's order; nothing when the game is over.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> for value in values(nl.solve(book), book.start()):
    ...     print(value.move, value.sign.letter, value.sign.shape, value.value, value.plies, value.best)
    1 L ▼ loss 12 False
    2 L ▼ loss 14 False
    3 W ▲ win 11 True
    """
    engine, turn = solution.book.engine, position.turn
    if engine.winner(position):
        return ()
    found = [(move.text, _worth(solution, after, turn), after) for move, after in engine.followers(position)]
    ranks = [(-1, 0) if is_out(after.out, turn) else worth.rank for _, worth, after in found]
    top = max(ranks)
    return tuple(
        MoveValue(move, worth, rank == top, after) for (move, worth, after), rank in zip(found, ranks, strict=True)
    )


def _worth(solution: Solution, after: Position, mover: int) -> Standing:
    """What a position is worth to the player who has just brought it about."""
    found = standing_of(solution, solution.forced(after), mover, later=1)
    # With more than two players one can be out of a game that goes on; that is lost, whoever wins it.
    return found._replace(value="loss") if is_out(after.out, mover) else found


def keeping(legal: Sequence[MoveValue]) -> tuple[MoveValue, ...]:
    """Of a position's moves those that keep its value, however long they take."""
    top = max(_ORDER[value.value] for value in legal)
    return tuple(value for value in legal if _ORDER[value.value] == top)


def recommended(solution: Solution, position: Position) -> MoveValue:
    """Of the best moves the one after which the next player has the fewest right answers, as a share of all."""
    best = [value for value in values(solution, position) if value.best]
    if len(best) == 1:
        return best[0]
    return min(best, key=lambda value: _share_of_right_answers(solution, value))


def _share_of_right_answers(solution: Solution, value: MoveValue) -> float:
    answers = values(solution, value.after)
    return len(keeping(answers)) / len(answers) if answers else 0


def worth_in_words(value: MoveValue, words: Words) -> str:
    """What a move is worth, in a few words: `wins in at most 11 turns`."""
    found = value.standing
    when = "at once" if value.ends else f"in at most {found.plies or 0:,} turns"
    if found.value == "win":
        return f"wins {when}"
    if found.value == "loss" and words.two:
        return f"loses {when}"
    if found.value == "loss":
        return f"lets {words.who(found.winner)} win {when}" if found.winner else "is out"
    return "nobody can force a win" if words.two else "nobody alone can force a win"


def need_two_players(solution: Solution, what: str) -> None:
    """Raises where more than two play."""
    players = solution.book.rules.players
    if players > 2:
        raise AnalysisError(f"{what} need two players; {solution.book.variant} has {players}")
