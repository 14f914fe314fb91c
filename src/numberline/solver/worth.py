"""What a position or a move is worth to a player: the one value that everybody compares, counts and shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from numberline.game.moves import Move
from numberline.game.position import Position

WIN, ENDLESS, OPEN, LOSS = "win", "endless", "open", "loss"


class ValueStyle(NamedTuple):
    """How a value is shown: by a letter and a shape, and by a colour only besides them."""

    letter: str
    shape: str
    plain: str
    """The shape where only ASCII can be shown."""
    colour: str
    points: int
    """What the value counts: 1 for a win, -1 for a loss."""
    order: int
    """Which value is better."""


VALUE_STYLES: Final = {
    WIN: ValueStyle("W", "▲", "^", "green", 1, 2),
    ENDLESS: ValueStyle("=", "●", "o", "yellow", 0, 1),
    OPEN: ValueStyle("?", "◆", "*", "blue", 0, 1),
    LOSS: ValueStyle("L", "▼", "v", "red", -1, 0),
}
"""The sign of each value; the same everywhere."""


@dataclass(slots=True, repr=False, unsafe_hash=True)
class Worth:
    """What something is worth to one player: `win`, `loss`, `endless` (`open` with more than two players).

    Worths are compared, so that `max` finds the best: a quick win first, then what nobody wins, then a late loss, and
    last, with three or more players, being out of the game.

    >>> max(Worth("win", 3, 1), Worth("win", 5, 1), Worth("loss", 8, 2))
    Worth('win', 3, winner=1)
    """

    value: str
    """`win`, `loss`, `endless`, or `open` where more than two play and nobody can force a win."""
    plies: int | None = None
    """In how many plies at most it is over, every player's counted; None where nobody can force it."""
    winner: int = 0
    """The player who can force a win; 0 for nobody."""
    out: bool = field(default=False, kw_only=True)
    """Whether the player is out, with three or more players; that is a loss, whoever wins."""

    @property
    def style(self) -> ValueStyle:
        """How the value is shown."""
        return VALUE_STYLES[self.value]

    @property
    def letter(self) -> str:
        """The letter of the value: `W`, `L`, `=`, or `?`."""
        return self.style.letter

    @property
    def shape(self) -> str:
        """The shape of the value: `▲`, `▼`, `●`, or `◆`."""
        return self.style.shape

    @property
    def colour(self) -> str:
        """The colour of the value, which says nothing that letter and shape don't."""
        return self.style.colour

    @property
    def points(self) -> int:
        """1 for a win, -1 for a loss, else 0."""
        return self.style.points

    @property
    def ends_game(self) -> bool:
        """Whether, for the worth of a move, the game is over after it."""
        return self.plies == 1

    @property
    def rank(self) -> tuple[int, int]:
        """How good it is, to be compared."""
        if self.out:
            return -1, 0
        order = self.style.order
        return order, -(self.plies or 0) if order == 2 else self.plies or 0

    def delayed_by(self, plies: int) -> Worth:
        """The same, so many plies before."""
        return Worth(self.value, self.plies + plies if self.plies is not None else None, self.winner, out=self.out)

    def __lt__(self, other: Worth) -> bool:
        return self.rank < other.rank

    def __gt__(self, other: Worth) -> bool:
        return self.rank > other.rank

    def __le__(self, other: Worth) -> bool:
        return self.rank <= other.rank

    def __ge__(self, other: Worth) -> bool:
        return self.rank >= other.rank

    def __str__(self) -> str:
        return f"{self.letter}{'' if self.plies is None else self.plies}"

    def __repr__(self) -> str:
        plies, out = ("" if self.plies is None else f", {self.plies}"), ", out=True" if self.out else ""
        return f"Worth({self.value!r}{plies}, winner={self.winner}{out})"


class MoveEvaluation(NamedTuple):
    """One legal move, and what it is worth to the player who makes it."""

    move: Move
    worth: Worth
    """The plies count from before the move."""
    best: bool
    """Whether no other move is better, in value or in time."""
    regret: int
    """The points that it gives away: 2 for a win turned into a loss, 1 where one of them was nobody's."""
    delay: int
    """Where it gives away no points: by how many plies a win comes later, or a loss sooner, than it need."""
    after: Position
    """The position that it leads to."""

    @property
    def value(self) -> str:
        """What the move is worth: `win`, `endless`, `loss`, or `open`."""
        return self.worth.value

    @property
    def plies(self) -> int | None:
        """In how many plies at most it is over, this move counted; None where nobody can force an end."""
        return self.worth.plies

    @property
    def keeps_value(self) -> bool:
        """Whether it keeps the best value that a move has here, however long it takes."""
        return self.regret == 0
