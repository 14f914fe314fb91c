"""Transition table of a book: one row per position, action and random outcome of the opponents' replies.

A row contains the next state, the reward, whether the game has ended, and the next observation. Stepping ten thousand
games therefore takes a single lookup, and so does resetting them: every action in the start state, which precedes the
first position, leads to that position. Opponents' replies are part of the table: outcomes are equally likely, and each
reply gets a number of outcomes proportional to its probability. A small book's table is filled in advance; a large
book's table is filled as games reach its states.
"""

from __future__ import annotations

import math
from functools import lru_cache, reduce
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, make_bot
from numberline.envs.observation import LOSS_VALUE, ObservationEncoder
from numberline.envs.validation import EnvError
from numberline.game import Book
from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays
from numberline.solver.cache import cached_solution
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    NO_SUCCESSOR,
    TooManyPositions,
    build_table,
    bytes_per_position,
    format_bytes,
    max_positions,
)

REMARK_ILLEGAL, REMARK_OPPONENT_AGAIN = 1, 2
"""Values of a row's `remark`: the action was illegal, or an opponent has to move again before the agent does."""
OVER_OFFSET, REMARK_OFFSET = -(1 << 30), 1 << 30
"""Offsets added to a row's plies: a negative sum marks the end of the game, and a very large sum marks a remark.

The maximum over all games in a step then shows whether any game needs special handling.
"""
ROW_WIDTHS_BYTES = (16, 32)  # NumPy copies rows of these widths fastest
BUILD_BYTES_PER_ROW = 100
MAX_EAGER_ROWS = 300_000
MAX_MEASURED_POSITIONS = 300_000
MAX_SAMPLER_SLOTS = 5_040
MAX_WALKED_POSITIONS = 20_000
MAX_DENSE_KEYS = 1 << 20
MAX_OUTCOMES = 240
"""Maximum number of outcomes per action; reply probabilities that would need more to be exact are rounded."""
SAMPLE_POSITIONS = 60


class StepOptions(NamedTuple):
    """Options that fully determine a transition table, so that it can be rebuilt from them."""

    book: Book
    opponent: str | Bot
    seats: tuple[int, ...]
    """The agent's seats in consecutive games; empty if the agent plays every seat."""
    first: int
    limit: int
    oracle: bool


def make_transition_table(options: StepOptions) -> TransitionTable:
    """Return the table; if it would exceed the memory limit, raise `TooManyPositions` before any long computation."""
    book, opponent = options.book, options.opponent
    if not options.seats:
        return TransitionTable(options, Transitions(load_arrays(book), options.first, options.limit), None)
    bot = make_bot(opponent, book, Random(0)) if isinstance(opponent, str) else opponent
    may_fit = max_positions(book) * len(book.choices) * ROW_WIDTHS_BYTES[-1] <= DEFAULT_MEMORY_BYTES
    if may_fit and bot.probabilities(book.start()) is None:
        raise EnvError(
            f"{bot.name} has no fixed policy and can't be vectorized; use random, greedy, level:N or perfect"
        )
    transitions = Transitions(load_arrays(book), options.first, options.limit)
    arrays = transitions.arrays
    replies = arrays.live & transitions.has_choice[:-1]
    replies &= (arrays.mover != options.seats[0]) | (len(options.seats) > 1)
    _check_size(options, arrays, _min_outcomes(bot, arrays, replies))
    return TransitionTable(options, transitions, make_reply_table(bot, arrays, replies))


def load_arrays(book: Book) -> SolutionArrays:
    bytes_needed = len(book.choices) * (ROW_WIDTHS_BYTES[-1] + BUILD_BYTES_PER_ROW)
    try:
        # If not all positions fit, the solver enumerates the reachable ones, which may be far fewer.
        return cached_solution(book, memory=DEFAULT_MEMORY_BYTES // bytes_needed * bytes_per_position(book)).arrays
    except TooManyPositions:
        raise _too_large(book, max_positions(book) * bytes_needed) from None


def _too_large(book: Book, needed: int) -> TooManyPositions:
    would = f"the transition table of {book.variant} would need {format_bytes(needed)} of memory"
    return TooManyPositions(f"{would}; the limit is {format_bytes(DEFAULT_MEMORY_BYTES)}")


def _check_size(options: StepOptions, arrays: SolutionArrays, outcomes: int) -> None:
    rows = (len(options.seats) or 1) * (arrays.size + 1) * arrays.choices * outcomes
    build_bytes = BUILD_BYTES_PER_ROW if rows <= MAX_EAGER_ROWS else 0
    needed = rows * (_row_dtype(arrays, oracle=options.oracle).itemsize + build_bytes)
    if needed > DEFAULT_MEMORY_BYTES:
        raise _too_large(options.book, needed)


class Transitions:
    """Arrays of the successors of all positions: `after` has a row per position and a column per choice.

    The last row of `after` is the start state, in which every choice leads to the first position. `after_forced` and
    `forced_plies` have the position after any lost turns and the number of these turns, up to `limit`.
    """

    def __init__(self, arrays: SolutionArrays, first: int, limit: int) -> None:
        self.arrays = arrays
        self.start = arrays.number(arrays.book.start(first))
        starts = np.full((1, arrays.choices), self.start, np.int32)
        self.after: IntArray = np.concatenate([arrays.after[:, : arrays.choices], starts])
        self.legal: BoolArray = self.after != NO_SUCCESSOR
        self.has_choice: BoolArray = reduce(np.logical_or, self.legal.T)
        self.mover = np.append(arrays.mover, np.int8(0))
        self.winner = np.append(arrays.winner, np.int8(0))
        self.after_forced: IntArray = np.arange(arrays.size, dtype=np.int32)
        """For each position, the position after the lost turns that start there."""
        self.forced_plies: IntArray = np.zeros(arrays.size, np.int32)
        if arrays.choices < len(arrays.moves):
            self._skip_forced(arrays.after[:, arrays.choices :].max(axis=1), limit)

    def _skip_forced(self, forced: IntArray, limit: int) -> None:
        self.after_forced = np.where(forced == NO_SUCCESSOR, self.after_forced, forced)
        self.forced_plies = (forced != NO_SUCCESSOR).astype(np.int32)
        for _ in range(limit.bit_length()):  # pointer doubling: two lost turns, then four, then eight
            further = self.forced_plies[self.after_forced]
            if not further.any():
                break
            self.forced_plies = np.minimum(self.forced_plies + further, limit)
            self.after_forced = self.after_forced[self.after_forced]


def longest_path_plies(after: IntArray, start: int) -> int | None:
    """Return the length of the longest path from row `start`, or None if a cycle can be reached from there."""
    reached = np.zeros(len(after), np.bool_)
    reached[start] = True
    layer = np.array([start])
    while layer.size:
        successors = np.unique(after[layer])
        layer = successors[(successors != NO_SUCCESSOR) & ~reached[successors]]
        reached[layer] = True
    moves = after[reached]
    # Topological sort: count the unvisited predecessors of each row.
    predecessors = np.bincount(moves[moves != NO_SUCCESSOR], minlength=len(after))
    left, plies, layer = int(reached.sum()), -1, np.array([start])
    while layer.size and not predecessors[layer].any():
        left, plies = left - len(layer), plies + 1
        successors, counts = np.unique(after[layer], return_counts=True)
        counts, successors = counts[successors != NO_SUCCESSOR], successors[successors != NO_SUCCESSOR]
        predecessors[successors] -= counts
        layer = successors[predecessors[successors] == 0]
    return plies if left == 0 else None


@lru_cache(64)
def longest_game_plies(book: Book) -> int | None:
    """Return the length of the longest game in plies, or None if games can be endless or the book is too large."""
    if max_positions(book) > MAX_MEASURED_POSITIONS:
        return None
    table = build_table(book)
    after = np.stack([np.asarray(column) for column in table.after], axis=1)
    return longest_path_plies(after, table.position_index.number(book.start()))


class LegalActionSampler(NamedTuple):
    """Sampling table for legal actions: every set of legal actions has the same number of slots."""

    set_index: IntArray
    """For each position, the index of its set of legal actions."""
    any_action_set: int
    """The index of the set that contains all actions."""
    slots_per_set: int
    actions: IntArray
    """The action in each slot, one set after another; the legal actions of a set share its slots evenly."""


def make_action_sampler(legal: BoolArray) -> LegalActionSampler:
    actions = legal.shape[1]
    first, set_index = _distinct_rows(legal)
    distinct = np.concatenate([legal[first], np.ones((1, actions), np.bool_)])
    lengths = np.maximum(1, distinct.sum(axis=1, keepdims=True))
    slots = min(math.lcm(*np.unique(lengths).tolist()), MAX_SAMPLER_SLOTS)
    legal_first = np.argsort(~distinct, axis=1, kind="stable")
    slot_actions = np.take_along_axis(legal_first, np.arange(slots) * lengths // slots, axis=1)
    return LegalActionSampler(set_index, len(distinct) - 1, slots, slot_actions.ravel())


def _distinct_rows(rows: IntArray | BoolArray) -> tuple[IntArray, IntArray]:
    """Return the index of one example per distinct row and, for each row, the number of the example that it equals."""
    base, columns = int(rows.max(initial=0)) + 1, rows.shape[1]
    if base**columns > MAX_DENSE_KEYS:
        _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, index.reshape(-1).astype(np.int32)
    key = np.zeros(len(rows), np.int32)
    for column in rows.T:
        key *= base
        key += column.astype(np.int32, copy=False)
    example = np.full(base**columns, -1)  # indexed by key, which is faster than sorting the keys
    example[key] = np.arange(len(key))
    known = np.flatnonzero(example >= 0)
    number = np.zeros(base**columns, np.int32)
    number[known] = np.arange(len(known))
    return example[known], number[key]


class ReplyTable(NamedTuple):
    """A bot's replies: `moves[policy_index[row], outcome]` is a move index, and all outcomes are equally likely.

    There are just enough outcomes to make the probabilities exact, but at most `MAX_OUTCOMES`.
    """

    policy_index: IntArray
    moves: NDArray[np.uint8]

    @property
    def outcomes(self) -> int:
        return int(self.moves.shape[1])


def _min_outcomes(bot: Bot, arrays: SolutionArrays, replies: BoolArray) -> int:
    """Return a lower bound on the number of outcomes, from a sample of the positions in which the bot replies."""
    rows = np.flatnonzero(replies)
    sample = rows[:: max(1, len(rows) // SAMPLE_POSITIONS)].tolist()
    policies = [bot.probabilities(arrays.position(row)) or {} for row in sample]
    return min(math.lcm(*(share.denominator for policy in policies for share in policy.values())), MAX_OUTCOMES)


def make_reply_table(bot: Bot, arrays: SolutionArrays, replies: BoolArray) -> ReplyTable:
    """Return the reply table of a bot that has a policy; `replies` marks the positions in which it replies."""
    policy = bot.policy(arrays)
    assert policy is not None  # noqa: S101 - see `make_transition_table`
    weights = np.where(replies[:, np.newaxis], policy[:, : arrays.choices], 0)
    first, index = _distinct_rows(weights)
    distinct = weights[first].astype(object)  # Python ints, which can't overflow
    distinct[~distinct.any(axis=1), 0] = 1
    totals = distinct.sum(axis=1, keepdims=True)
    outcomes = min(math.lcm(*(totals // np.gcd(distinct, totals)).ravel()), MAX_OUTCOMES)
    # Distribute the outcomes among the moves by the largest remainder method.
    shares, remainders = distinct * outcomes // totals, distinct * outcomes % totals
    ranks = np.argsort(np.argsort(-remainders, axis=1, kind="stable"), axis=1)
    shares += ranks < outcomes - shares.sum(axis=1, keepdims=True)
    moves = [np.repeat(np.arange(arrays.choices, dtype=np.uint8), row.astype(np.int64)) for row in shares]
    return ReplyTable(index, np.stack(moves))


class TransitionTable:
    """The rows of all states; each of the agent's seats has one state per position, and a start state.

    Deep copies share the table; unpickling builds it again.
    """

    def __init__(self, options: StepOptions, transitions: Transitions, replies: ReplyTable | None) -> None:
        arrays, seats = transitions.arrays, len(options.seats) or 1
        self.options = options
        self.actions = arrays.choices
        self.outcomes = replies.outcomes if replies else 1
        _check_size(options, arrays, self.outcomes)
        self.rows_per_state = self.actions * self.outcomes
        self.states = arrays.size + 1
        """The number of states per seat of the agent."""
        self.rows_per_seat = self.states * self.rows_per_state
        self.sampler = make_action_sampler(arrays.legal[:, : self.actions])
        self.dtype = _row_dtype(arrays, oracle=options.oracle)
        self.max_remark = 0
        self.start_rows: IntArray = np.arange(1, seats + 1) * self.rows_per_seat - self.rows_per_state
        """For each of the agent's seats, the first row of the start state."""
        walked = arrays.size <= MAX_WALKED_POSITIONS
        longest = longest_path_plies(arrays.after, transitions.start) if walked else None
        self.can_reach_limit = longest is None or longest > options.limit
        self._transitions, self._replies = transitions, replies
        self._encoder = ObservationEncoder(options.book)
        # The operating system allocates these pages only when they are first written.
        self.rows = np.zeros((seats * self.rows_per_seat, self.dtype.itemsize), np.uint8)
        self.filled = np.zeros(seats * self.states, np.bool_)
        self.complete = len(self.rows) <= MAX_EAGER_ROWS
        if self.complete:
            self.fill(np.arange(len(self.filled)))

    def __deepcopy__(self, memo: object) -> TransitionTable:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return make_transition_table, (self.options,)

    def look_up(self, index: IntArray) -> NDArray[Any]:
        """Return a copy of the rows at `index`, computing them first if necessary."""
        if not self.complete:
            states = index // self.rows_per_state
            known = self.filled[states]
            if not known.all():
                self.fill(np.unique(states[~known]))
        rows = self.rows.take(index, axis=0, mode="clip")  # always in range; "clip" is the fastest mode
        return rows.view(self.dtype)[:, 0]

    def is_start_row(self, index: IntArray) -> BoolArray:
        """Return a mask of the rows that belong to a start state."""
        return index % self.rows_per_seat >= self.rows_per_seat - self.rows_per_state

    def state_after(self, index: IntArray) -> IntArray:
        """Return the first row of the state that each row leads to, without resetting games that end."""
        shape = len(self.start_rows), self.states, self.actions, self.outcomes
        seats, states, actions, outcomes = np.unravel_index(index, shape)
        to = np.empty(len(index), np.int64)
        for seat in range(len(self.start_rows)):
            here = seats == seat
            reached, *_ = self._reached(seat, states[here])
            to[here] = reached[np.arange(len(reached)), actions[here], outcomes[here] if reached.shape[2] > 1 else 0]
        return seats * self.rows_per_seat + to * self.rows_per_state

    def fill(self, states: IntArray) -> None:
        """Compute the rows of `states`."""
        for seat in range(len(self.start_rows)):
            here = states[(states >= seat * self.states) & (states < (seat + 1) * self.states)]
            rows = (here[:, np.newaxis] * self.rows_per_state + np.arange(self.rows_per_state)).ravel()
            if here.size:
                entries = self._entries(seat, here - seat * self.states)
                self.max_remark = max(self.max_remark, int(entries["remark"].max()))
                self.rows[rows] = entries.view(np.uint8).reshape(len(rows), self.dtype.itemsize)
        self.filled[states] = True

    def _acts(self, turn: int, rows: IntArray) -> BoolArray:
        """Return a mask of the states in which the agent has a choice, including the start state."""
        seats, transitions = self.options.seats, self._transitions
        if not seats:
            return transitions.has_choice[rows]
        own: BoolArray = (transitions.mover[rows] == seats[turn]) | (rows == self.states - 1)
        return transitions.has_choice[rows] & own

    def _waits(self, turn: int, rows: IntArray) -> BoolArray:
        """Return a mask of the states in which an opponent has a choice."""
        return self._transitions.has_choice[rows] & ~self._acts(turn, rows)

    def _reached(self, turn: int, here: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Return the positions reached, the plies and a mask of illegal actions, each by state, action and outcome."""
        flow, replies = self._transitions, self._replies
        acts = self._acts(turn, here)[:, np.newaxis]
        legal, reached = flow.legal[here], flow.after[here]
        illegal, moves = acts & ~legal, acts & legal  # in all other states, actions have no effect
        to = np.where(moves, flow.after_forced[reached], here[:, np.newaxis])[..., np.newaxis]
        plies = np.where(moves, 1 + flow.forced_plies[reached], 0)[..., np.newaxis]
        plies[here == self.states - 1] -= 1  # starting a game is not a ply
        illegal = illegal[..., np.newaxis]
        if replies is not None:
            replied = self._waits(turn, to) & ~illegal
            reply = replies.moves[replies.policy_index[np.minimum(to[..., 0], self.states - 2)]]
            reached = flow.after[to, reply]
            to = np.where(replied, flow.after_forced[reached], to)
            plies = plies + np.where(replied, 1 + flow.forced_plies[reached], 0)
        return to, plies, illegal

    def _entries(self, turn: int, here: IntArray) -> NDArray[Any]:
        """Return the rows of the states `here` for one of the agent's seats; at the end of a game, the seat changes."""
        flow, seats = self._transitions, self.options.seats
        reached, plies, illegal = self._reached(turn, here)
        shape = (len(here), self.actions, self.outcomes)
        to, plies, illegal = (np.broadcast_to(part, shape).ravel() for part in (reached, plies, illegal))
        origin = here.repeat(self.rows_per_state)
        winner, waits = flow.winner[to], self._waits(turn, to)
        over = ((winner != 0) | illegal) & (origin < self.states - 1)
        # If opponents end a game before the agent's first turn, the game is reported as over at the agent's first step.
        agent: Any = seats[turn] if seats else flow.mover[origin]
        entry = np.zeros(len(to), self.dtype)
        entry["over"] = over
        entry["reward"] = np.where(over, np.where((winner == agent) & ~illegal, 1, -1), 0)
        entry["remark"] = np.where(illegal, REMARK_ILLEGAL, np.where(~over & waits, REMARK_OPPONENT_AGAIN, 0))
        entry["plies"] = plies + np.where(entry["remark"], REMARK_OFFSET, np.where(over, OVER_OFFSET, 0))
        goes_on = turn * self.rows_per_seat + to.astype(np.int64) * self.rows_per_state
        entry["next"] = np.where(over, self.start_rows[(turn + 1) % len(self.start_rows)], goes_on)
        viewer: Any = seats[turn] if seats else flow.mover[to]
        entry["observation"] = self._observe(to, viewer)
        acts = self._acts(turn, to) & ~over
        entry["action_mask"] = np.where(acts[:, np.newaxis], flow.legal[to], True)  # noqa: FBT003 - any action is accepted
        menu = np.where(acts, self.sampler.set_index[np.minimum(to, self.states - 2)], self.sampler.any_action_set)
        entry["menu"] = menu * self.sampler.slots_per_set
        if self.options.oracle:
            self._write_values(entry, to, viewer, acts, illegal)
            actions = np.broadcast_to(np.arange(self.actions)[:, np.newaxis], shape).ravel()
            self._write_regret(entry, origin, actions, self._acts(turn, origin) & (origin < self.states - 1))
        return entry

    def _write_values(
        self, entries: NDArray[Any], rows: IntArray, viewer: int | IntArray, acts: BoolArray, lost: BoolArray
    ) -> None:
        """Write values, distances and, if the agent has a choice, best actions; `lost` marks illegal actions."""
        arrays = self._transitions.arrays
        entries["value"] = np.where(lost, LOSS_VALUE, arrays.points(viewer, rows))
        entries["distance"] = np.where(lost, 0, arrays.plies[rows])
        entries["best_actions"] = arrays.move_values_at(rows).best[:, : self.actions] & acts[:, np.newaxis]

    def _write_regret(self, entries: NDArray[Any], rows: IntArray, actions: IntArray, acts: BoolArray) -> None:
        """Write the regret and delay of `actions` if the agent has a choice; `rows` may include the start state."""
        arrays, here = self._transitions.arrays, np.minimum(rows, self.states - 2)
        values, each = arrays.move_values_at(here), np.arange(len(rows))
        legal = arrays.legal[here, actions]
        whole_value = arrays.points(arrays.mover[here], here) - LOSS_VALUE
        entries["regret"] = np.where(acts, np.where(legal, values.regret[each, actions], whole_value), 0)
        entries["delay"] = np.where(acts & legal, values.delay[each, actions], 0)

    def _observe(self, rows: IntArray, viewer: int | IntArray) -> NDArray[Any]:
        distinct, each = np.unique(rows, return_inverse=True)
        arrays = self._transitions.arrays
        positions = arrays.positions_at(distinct)
        if isinstance(viewer, int):
            return self._encoder.rows(positions, viewer, len(distinct))[each]
        every = [self._encoder.rows(positions, player, len(distinct)) for player in self.options.book.players]
        seen: NDArray[Any] = np.stack(every)[viewer - 1, each]
        return seen


def _row_dtype(arrays: SolutionArrays, *, oracle: bool) -> np.dtype[Any]:
    """Return the structured dtype of a row, padded to a width that NumPy copies fast."""
    numbers = ObservationEncoder(arrays.book).bounds[0]
    actions = arrays.choices
    oracle_words = [("distance", np.int32), ("delay", np.int32)]
    oracle_bytes = [("value", np.int8), ("regret", np.int8), ("best_actions", np.int8, (actions,))]
    fields: list[Any] = [
        ("next", np.int64),
        ("reward", np.float32),
        ("plies", np.int32),
        ("menu", np.uint32),
        *(oracle_words if oracle else []),
        ("observation", numbers.dtype, numbers.shape),
        ("over", np.bool_),
        ("remark", np.int8),
        ("action_mask", np.int8, (actions,)),
        *(oracle_bytes if oracle else []),
    ]
    size = np.dtype(fields).itemsize
    width = next((width for width in ROW_WIDTHS_BYTES if size <= width), -(-size // 8) * 8)
    return np.dtype([*fields, ("padding", np.uint8, (width - size,))])
