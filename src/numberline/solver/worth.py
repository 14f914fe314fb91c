"""The value of a position or move for one player, and the single definition of how values are ranked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from numberline.game.moves import Move
from numberline.game.position import Position

WIN, ENDLESS, OPEN, LOSS = "win", "endless", "open", "loss"
RANK_SCALE = 1 << 30  # exceeds the number of plies in any forced win; `OUT_RANK` still fits in an int32
OUT_RANK = -2 * RANK_SCALE


def rank_value(points: Any, plies: Any) -> Any:
    """Return an integer rank; from best to worst: quick win, late win, no forced win (0), late loss, quick loss.

    Only operators are used, so this works on ints, on NumPy arrays and in compiled code. An eliminated player has the
    rank `OUT_RANK` instead.

    >>> rank_value(1, 3) > rank_value(1, 5) > rank_value(0, -1) > rank_value(-1, 8) > rank_value(-1, 2) > OUT_RANK
    True
    """
    return points * (RANK_SCALE - plies)


class ValueStyle(NamedTuple):
    """Letter, shape, colour and points of a value; the colour adds no information to the letter and shape."""

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
    """Value of a position or move for one player: `win`, `loss`, or `endless` (`open` with more than two players).

    Values can be compared, and `max` returns the best. From best to worst: quick win, late win, no forced win, late
    loss, quick loss and, with three or more players, elimination.

    >>> max(Worth("win", 3, 1), Worth("win", 5, 1), Worth("loss", 8, 2))
    Worth('win', 3, winner=1)
    """

    value: str
    plies: int | None = None
    """Plies until the forced win, counting all players; None if no player can force a win."""
    winner: int = 0
    """The player who can force a win; 0 if no player can."""
    out: bool = field(default=False, kw_only=True)
    """Whether the player is eliminated (only with three or more players), which is a loss no matter who wins."""

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
        """1 for a win, -1 for a loss, otherwise 0."""
        return self.style.points

    @property
    def ends_game(self) -> bool:
        """Whether the move with this value ends the game; meaningless for the value of a position."""
        return self.plies == 1

    @property
    def rank(self) -> int:
        """The value as an integer: higher if better, and equal if equally good."""
        return OUT_RANK if self.out else rank_value(self.points, self.plies or 0)

    def delayed_by(self, plies: int) -> Worth:
        """Return this value as seen `plies` plies earlier in the game."""
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
    """A legal move and its value for the player who makes it."""

    move: Move
    worth: Worth
    """The value of the move; `plies` includes the move itself."""
    best: bool
    """Whether this is one of the best moves, by value and then by distance."""
    regret: int
    """Points lost compared with the best move: a win is worth 1 point, a loss -1, and any other value 0."""
    delay: int
    """Plies by which a win is later or a loss sooner than with the best move; 0 if the move loses points."""
    after: Position

    @property
    def value(self) -> str:
        return self.worth.value

    @property
    def plies(self) -> int | None:
        return self.worth.plies

    @property
    def keeps_value(self) -> bool:
        """Whether the move loses no points, even if a faster win or slower loss exists."""
        return self.regret == 0
