"""One seat of a book for a learning program, with bots in the other seats: an environment for Gymnasium.

Gymnasium is imported in this file and nowhere else.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.book.loader import NAMES
from numberline.bots import Bot, Forfeit
from numberline.envs.drawing import in_words, picture
from numberline.envs.extras import MissingExtra
from numberline.envs.opponents import Opponent
from numberline.envs.oracle import Teller
from numberline.envs.seating import MAX_PLIES, Illegal, Seat, as_book, check, seats_of
from numberline.envs.spots import Spot, Spots, spots_of
from numberline.rules.errors import IllegalMove

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as VectorBase
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise MissingExtra("Gymnasium", "envs") from missing

__all__ = ["AutoresetMode", "BookEnv", "VectorBase", "batch_space", "register", "spaces_of"]

Observation = dict[str, NDArray[Any]]
"""What an agent is shown: `observation`, a row of numbers, and `action_mask`."""
Info = dict[str, Any]


def spaces_of(spots: Spots, actions: int) -> tuple[spaces.Dict, spaces.Discrete]:
    """The spaces of what an agent with so many actions is shown, and of what it does."""
    low, high = spots.view.bounds
    numbers = spaces.Box(low, high, dtype=low.dtype.type)
    shown = spaces.Dict({"observation": numbers, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})
    return shown, spaces.Discrete(actions)


class BookEnv(gymnasium.Env[Observation, SupportsInt]):
    """A book, or any variant of it, with one seat for the agent and a bot in every other.

    `seat` is the agent's; "alternate" changes it from game to game. `illegal` says whether an illegal action loses the
    game or raises an error. `oracle` adds to `info` what the position is worth and what the action gave away.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 - Gymnasium's own form
    observation_space: spaces.Dict  # type: ignore[assignment]  # Gymnasium's Dict does not say what its values are
    action_space: spaces.Discrete

    _seat: int
    _spot: Spot
    _plies: int
    _lost: str
    """Why the agent has lost by an illegal action."""
    _forfeit: str
    """Why a bot has lost by not playing."""

    def __init__(
        self,
        book: str | PathLike[str] | Book,
        *,
        opponent: str | Bot = "random",
        seat: Seat = 1,
        first: int = 1,
        illegal: Illegal = "lose",
        oracle: bool = False,
        max_plies: int = MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        self.book = as_book(book)
        check(illegal=illegal, max_plies=max_plies)
        self.spots = spots_of(self.book)
        self.observation_space, self.action_space = spaces_of(self.spots, self.spots.choices)
        self.render_mode = render_mode
        self._seats = seats_of(self.book, seat)
        self._start = self.spots.at(self.book.start(first))
        self._opponent = Opponent(opponent, self.spots)
        self._oracle = Teller(self.spots) if oracle else None
        self._raises = illegal == "raise"
        self._limit = max_plies
        self._games = 0
        self._blank = np.zeros(self.spots.choices, np.int8)
        self._set_up()

    @property
    def seat(self) -> int:
        """Whose moves the agent makes in this game."""
        return self._seat

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """What the agent is shown on its first turn; a seed also begins the seats anew."""
        super().reset(seed=seed)
        anew = seed is not None or not self._games
        self._opponent.begin(int(self.np_random.integers(1 << 62)) if anew else None)
        self._games = 0 if anew else self._games
        self._set_up()
        self._games += 1
        self._spot = self._go_on(self._spot)
        return self._shown(None, 0)

    def step(self, action: SupportsInt) -> tuple[Observation, float, bool, bool, Info]:
        """What the agent is shown on its next turn, the reward, and whether the game is over or was broken off."""
        before, number = self._spot, int(action)
        reached = before.after[number] if 0 <= number < self.spots.choices else None
        if reached is None or self._lost:
            return self._refused(number)
        self._plies += 1
        self._spot = self._go_on(reached)
        return self._result(before, number)

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each action that is legal now."""
        spot = self._spot
        return (spot.mask if spot.turn == self._seat and not self._lost else self._blank).copy()

    def render(self) -> Any:
        """The position: text where the render mode is `ansi`, an image where it is `rgb_array`."""
        if self.render_mode == "ansi":
            return in_words(self.book, self._spot.position)
        return picture(self.book, self._spot.position) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._opponent.close()

    def _set_up(self) -> None:
        self._seat = self._seats[self._games % len(self._seats)]
        self._plies = 0
        self._lost = self._forfeit = ""
        self._spot = self._start

    def _go_on(self, spot: Spot) -> Spot:
        """Where the agent has a choice again or the game is over; if that takes for ever, where it was given up."""
        far = self._plies + self._limit
        while True:
            if spot.winner < 0:
                self.spots.look(spot)
            if spot.winner or self._plies >= far:
                return spot
            if spot.forced:
                reply = spot.legal[0]
            elif spot.turn == self._seat:
                return spot
            else:
                try:
                    reply = self._opponent.reply(spot)
                except Forfeit as error:
                    self._forfeit = str(error)
                    spot = self.spots.at(self.book.engine.without(spot.position, spot.turn))
                    continue
            spot = spot.after[reply]  # type: ignore[assignment]  # what is legal leads somewhere
            self._plies += 1

    def _shown(self, before: Spot | None, action: int) -> tuple[Observation, Info]:
        """The observation and the info; `before` is where the agent has just acted."""
        spot, seat = self._spot, self._seat
        mask = self.action_masks()
        info: Info = {"action_mask": mask}
        if self._oracle:
            info |= self._oracle.about(spot, seat, lost=bool(self._lost))
            if before:
                info |= self._oracle.of_action(before, action)
        return {"observation": spot.rows[seat].copy(), "action_mask": mask}, info

    def _refused(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """What becomes of an illegal action, or of any where there is nothing left to do."""
        spot = self._spot
        if self._lost or spot.winner or self._plies >= self._limit:
            return self._result(None, action)
        why = self.spots.refusal(spot.position, action, self.spots.choices)
        if self._raises:
            raise IllegalMove(why)
        self._lost = why
        return self._result(spot, action)

    def _result(self, before: Spot | None, action: int) -> tuple[Observation, float, bool, bool, Info]:
        observation, info = self._shown(before, action)
        now = self._spot
        if self._lost:
            info["illegal"] = self._lost
            return observation, -1.0, True, False, info
        if now.outcome:
            info["reason"] = self._forfeit or now.outcome.reason
            return observation, 1.0 if now.winner == self._seat else -1.0, True, False, info
        return observation, 0.0, False, self._plies >= self._limit, info


def id_of(name: str) -> str:
    """The id of a book's environment.

    >>> id_of("flag-chase")
    'numberline/FlagChase-v0'
    """
    return f"numberline/{name.title().replace('-', '')}-v0"


def register() -> None:
    """Makes the five books, and `numberline/Book-v0` for any variant, known to Gymnasium."""
    for name in (*NAMES, "book"):
        if id_of(name) not in gymnasium.registry:
            gymnasium.register(
                id_of(name),
                entry_point="numberline.envs.gymnasium:BookEnv",
                vector_entry_point="numberline.envs.vector:VectorEnv",
                kwargs={} if name == "book" else {"book": name},
            )
