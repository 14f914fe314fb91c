"""Value of a position or a move for one player, and the only definition of which value is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from numberline.game.moves import Move
from numberline.game.position import Position

WIN, ENDLESS, OPEN, LOSS = "win", "endless", "open", "loss"
RANK_SCALE = 1 << 30  # more plies than any game takes; twice as much still fits an int32
OUT_RANK = -2 * RANK_SCALE


def rank_value(points: Any, plies: Any) -> Any:
    """Return an integer that is higher for a better value: quick win, late win, 0, late loss, quick loss.

    It uses operators only, so it works on ints, on NumPy arrays and in compiled code. A player who is out has
    `OUT_RANK` instead.

    >>> rank_value(1, 3) > rank_value(1, 5) > rank_value(0, -1) > rank_value(-1, 8) > rank_value(-1, 2) > OUT_RANK
    True
    """
    return points * (RANK_SCALE - plies)


class ValueStyle(NamedTuple):
    """Letter, shape and colour of a value. The colour never says more than the letter and the shape."""

    letter: str
    shape: str
    colour: str
    points: int


VALUE_STYLES: Final = {
    WIN: ValueStyle("W", "▲", "green", 1),
    ENDLESS: ValueStyle("=", "●", "yellow", 0),
    OPEN: ValueStyle("?", "◆", "blue", 0),
    LOSS: ValueStyle("L", "▼", "red", -1),
}


@dataclass(slots=True, repr=False, unsafe_hash=True)
class Worth:
    """Value for one player: `win`, `loss`, or `endless` (`open` with more than two players).

    Worths are ordered, so `max` finds the best: a quick win first, then a game without a forced winner, then a late
    loss and, with three or more players, elimination last.

    >>> max(Worth("win", 3, 1), Worth("win", 5, 1), Worth("loss", 8, 2))
    Worth('win', 3, winner=1)
    """

    value: str
    plies: int | None = None
    """Plies of all players until the forced end; None if no player can force it."""
    winner: int = 0
    """The player who can force a win; 0 for none."""
    out: bool = field(default=False, kw_only=True)
    """Whether the player is eliminated (three or more players). That is a loss, whichever player wins."""

    @property
    def style(self) -> ValueStyle:
        return VALUE_STYLES[self.value]

    @property
    def letter(self) -> str:
        return self.style.letter

    @property
    def shape(self) -> str:
        return self.style.shape

    @property
    def colour(self) -> str:
        return self.style.colour

    @property
    def points(self) -> int:
        """1 for a win, -1 for a loss, else 0."""
        return self.style.points

    @property
    def ends_game(self) -> bool:
        """For the worth of a move: whether the move ends the game."""
        return self.plies == 1

    @property
    def rank(self) -> int:
        """The worth as an integer; equal for worths that are equally good."""
        rank: int = OUT_RANK if self.out else rank_value(self.points, self.plies or 0)
        return rank

    def delayed_by(self, plies: int) -> Worth:
        """Return the same worth as seen a number of plies earlier."""
        return Worth(self.value, self.plies + plies if self.plies is not None else None, self.winner, out=self.out)

    def __lt__(self, other: Worth) -> bool:
        return self.rank < other.rank

    def __le__(self, other: Worth) -> bool:
        return self.rank <= other.rank

    def __str__(self) -> str:
        return f"{self.letter}{'' if self.plies is None else self.plies}"

    def __repr__(self) -> str:
        plies, out = ("" if self.plies is None else f", {self.plies}"), ", out=True" if self.out else ""
        return f"Worth({self.value!r}{plies}, winner={self.winner}{out})"


class MoveEvaluation(NamedTuple):
    """A legal move and its worth to the player who makes it."""

    move: Move
    worth: Worth
    """Its plies include this move."""
    best: bool
    """Whether no other move is better, in value or in time."""
    regret: int
    """Points given away: 2 if a win becomes a loss, 1 if one of the two has no forced winner."""
    delay: int
    """If no points are given away: plies by which a win comes later or a loss sooner than necessary."""
    after: Position

    @property
    def value(self) -> str:
        return self.worth.value

    @property
    def plies(self) -> int | None:
        return self.worth.plies

    @property
    def keeps_value(self) -> bool:
        """Whether it gives away no points, however long it takes."""
        return self.regret == 0
