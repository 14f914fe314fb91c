"""Solver for dense tables that stores neither successors nor predecessors.

A *cell* consists of all positions with the same places and the same players out. They differ only in their *state*:
the turn and the banned stride. If every token moves in only one direction, each move stays in its cell or leads to a
later one, and a single **sweep** over the cells, last cell first, gives all results. This is checked for every move of
every position: if any leads to an earlier cell, no sweep is possible.

The **search** is retrograde analysis with computed predecessors. Each position has one bit for each possible difference
between the index of a successor and its own index. To find the predecessors of a position, every difference is
subtracted from the position's index; the resulting position is a predecessor if its bit for that difference is set.
This works only if there are few distinct differences. If a move multiplies, for example, there are usually too many.

Successors are computed block by block. The differences for a move are often constant along the rows or the columns of a
block; they are then stored only once per row or column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.game.book import Book
from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.index import CellBlock, Column, MixedRadixIndex, Progress, build_full_table
from numberline.solver.jit import load_kernel
from numberline.solver.retrograde import PROGRESS_INTERVAL_POSITIONS, narrow, solve_table

IntArray = NDArray[Any]
Columns = tuple[Column, ...]
Numbers = tuple[int, ...]
State = tuple[int, int, int, int]  # of a search: head of the queue, end of the current ply, tail of the queue, entry

BLOCK_CELLS = 1 << 18  # the arrays of a block fit in the processor's cache
REGULAR, SPECIAL, LOCAL = 0, 1, 128  # kinds of cells, see `_SweepBlock`
LONG_ROW_CELLS = 64  # a sweep over shorter rows is slower than a search


def solve_dense(book: Book, index: MixedRadixIndex, progress: Progress = lambda _: None) -> list[Column]:
    """Solve a book and return the same columns as `retrograde.solve_table`.

    A table is built only if neither a sweep nor a search is possible.
    """
    columns = None
    if not (book.rules.shared or book.rules.skip or len(index.token_ranges[-1]) < LONG_ROW_CELLS):
        columns = sweep(book, progress)
    columns = columns or search(book, index, progress) or sweep(book, progress)
    return columns or solve_table(build_full_table(book, index, progress))


class Difference(NamedTuple):
    """Differences between the indices of a block's positions in one state and of their successors after one move."""

    legal: BoolOrArray
    shift: IntOrArray
    """Part of the difference that is due to the places of the tokens, divided by `scale`."""
    scale: int
    jump: IntOrArray
    """Part of the difference that is due to the turn, the players out and the banned stride."""
    same_out: BoolOrArray
    """Whether the same players are out before and after the move."""
    state: IntOrArray
    """State of the successor."""


def shift_dtype(index: MixedRadixIndex) -> Any:
    """Return the narrowest integer type for places and their differences.

    If players can be eliminated, the type has at least 32 bits: an elimination can change several places at once, and
    their weighted differences are added.
    """
    dtypes = (np.int16, np.int32, np.int64) if index.masks == 1 else (np.int32, np.int64)
    return next(dtype for dtype in dtypes if index.largest_place < np.iinfo(dtype).max)


def _differences(book: Book, index: MixedRadixIndex, block: Position) -> tuple[IntOrArray, Iterator[Difference]]:
    """Return the winners of a block in one state, and the differences for each move."""
    winner, successors = book.successors_batch(block, even_if_over=True)
    return winner, (
        _difference(index, block, legal, after)
        for move, possible, after in successors
        if np.any(possible) and np.any(legal := possible & (winner == 0) if move in FORCED_MOVES else possible)
    )


def _difference(index: MixedRadixIndex, block: Position, legal: BoolOrArray, after: Position) -> Difference:
    moved = [
        (place - before if places.step > 0 else before - place, weight)
        for place, before, places, weight in zip(
            after.tokens, block.tokens, index.token_ranges, index.weights[3:], strict=True
        )
        if place is not before
    ]
    shift, scale = moved[0] if len(moved) == 1 else (sum(each * np.int32(weight) for each, weight in moved), 1)
    last, previous = index.lasts.index(after.last), index.lasts.index(block.last)
    jump = (after.turn - block.turn) * index.weights[0] + (after.out - block.out) * index.weights[1]
    state = (after.turn - 1) * len(index.lasts) + last
    same_out = after.out == block.out
    return Difference(legal, shift, scale, jump + (last - previous) * index.weights[2], same_out, state)


# Sweep


def travel_ranges(book: Book) -> tuple[range, ...] | None:
    """Return each token's places, ordered in its direction of travel; None if a token can move both ways."""
    headings: list[set[int]] = [set() for _ in book.token_ranges]
    for move in book.choices:
        for player in book.players if move.slot else ():
            headings[move.slot[player]].add(move.heading[player])
    if any(len(ways) > 1 for ways in headings):
        return None
    return tuple(places[:: min(ways, default=1)] for places, ways in zip(book.token_ranges, headings, strict=True))


def sweep(book: Book, progress: Progress = lambda _: None) -> list[Column] | None:
    """Solve a book by one sweep; return None if a move leads to an earlier cell.

    Each column of values is for one player. During the sweep, small values are wins: 0 means that this player has won,
    1 that the player wins in one ply, and so on. With two players, large values are losses: the largest means that the
    opponent has won, the next largest that the opponent wins in one ply, and so on. The middle value means that no such
    result can be forced.
    """
    ranges = travel_ranges(book)
    if ranges is None:
        return None
    index = MixedRadixIndex(book, ranges)
    bases = np.array(index.state_bases)
    longest = index.masks * (sum(map(len, ranges)) + 1) * len(bases)
    dtype: Any = np.uint16 if longest < 1 << 15 else np.uint32
    middle = int(np.iinfo(dtype).max) // 2
    players = [1] if index.players == 2 else list(book.players)
    lost = 2 * middle if index.players == 2 else middle
    values = [np.full(index.size, middle, dtype) for _ in players]
    kernel = load_kernel(sweep_cells, work=index.size)
    best, shifts = np.empty(BLOCK_CELLS, dtype), np.empty(0, shift_dtype(index))
    turns, done = bases // index.weights[0] + 1, 0
    limits = (middle, lost, int(np.iinfo(shifts.dtype).min))
    for block in index.cell_blocks(shift_dtype(index), BLOCK_CELLS):
        cells = _SweepBlock(block, shifts)
        for state, positions in enumerate(block.states):
            winner, differences = _differences(book, index, positions)
            cells.add_winner(state, winner)
            if not all(cells.add(state, difference) for difference in differences):
                return None
        states = (bases + block.first, turns, cells.finish(), np.array(cells.ends))
        moves = tuple(np.array(cells.moves, np.int64).reshape(-1, 5).T.copy())
        shifts = cells.shifts
        for player, column in zip(players, values, strict=True):
            columns = (best, cells.winners.reshape(-1), cells.kinds.reshape(-1), shifts)
            kernel(column, columns, states, moves, player, (cells.rows, cells.columns), limits)
        done += cells.kinds.size * len(bases)
        progress(done / index.size)
    return [_to_entries(column, index, player) for player, column in zip(players, values, strict=True)]


class _SweepBlock:
    """Winners and differences of a block whose cells are arranged in rows and columns.

    A cell is regular if no game is over in it and it has the same differences as the first cell of its row, so that
    neighbouring regular cells can be processed together, one state after the other. A cell is local if a move can stay
    in it. All other cells are special.
    """

    def __init__(self, block: CellBlock, shifts: IntArray) -> None:
        self.shape = block.shape
        self.rows, self.columns = block.shape[0], math.prod(block.shape[1:])
        self.winners = np.empty((len(block.states), self.rows, self.columns), np.int8)
        self.kinds = np.zeros((self.rows, self.columns), np.uint8)
        self.shifts = shifts
        self.moves: list[tuple[int, int, int, int, int]] = []
        """For each state and move: the offset in `shifts`, its row and column steps, the scale and the jump."""
        self.ends = [0]
        """For each state, the number of moves in all earlier states, followed by the total number of moves."""
        self._column_kinds = np.zeros(self.columns, np.uint8)
        self._used = 0
        self._needs: dict[int, set[int]] = {state: set() for state in range(len(block.states))}
        """For each state, the states of its successors in the same row."""

    def add_winner(self, state: int, winner: IntOrArray) -> None:
        if state:
            self.ends.append(len(self.moves))
        self.winners[state].reshape(self.shape)[...] = winner
        self.kinds |= self.winners[state].view(np.uint8)

    def add(self, state: int, difference: Difference) -> bool:
        """Add the differences for one move; return False if any of them leads to an earlier cell."""
        legal, shift, scale, jump, same_out, after = difference
        limits = np.iinfo(self.shifts.dtype)
        later = shift if same_out is True else np.where(same_out, shift, limits.max)
        later = np.asarray(later if legal is True else np.where(legal, later, limits.max), self.shifts.dtype)
        least = int(later.min())
        if least < 0:
            return False
        if least == 0:
            self.kinds.reshape(self.shape)[...] |= _select(later == 0, LOCAL)
            least = int((later - 1).view(np.dtype(f"u{later.itemsize}")).min()) + 1  # zeros wrap around
        if not isinstance(jump, int):
            shift, scale, jump = shift * np.int32(scale) + jump, 1, 0
            self.kinds |= SPECIAL
        elif least < limits.max and least * scale < self.columns:
            self._needs[state].add(after)
        self._store(np.asarray(shift if legal is True else np.where(legal, shift, limits.min)), scale, jump)
        return True

    def _store(self, shift: IntArray, scale: int, jump: int) -> None:
        shift = np.broadcast_to(shift, self.shape).reshape(self.rows, self.columns)
        shift = shift[: None if shift.strides[0] else 1, : None if shift.strides[1] else 1]
        rows, columns = shift.shape
        if rows > 1 and columns > 1:
            self.kinds |= shift != shift[:, :1]
        elif columns > 1:
            self._column_kinds |= shift[0] != shift[0, 0]
        end = self._used + shift.size
        if end > len(self.shifts):
            self.shifts = np.append(self.shifts, np.empty_like(self.shifts, shape=end))
        self.shifts[self._used : end].reshape(shift.shape)[...] = shift
        self.moves.append((self._used, columns if rows > 1 else 0, int(columns > 1), scale, jump))
        self._used = end

    def finish(self) -> IntArray:
        """Return the states in an order in which each one comes after the states of its successors in the same row.

        If there is no such order, mark all cells as special.
        """
        self.ends.append(len(self.moves))
        self.kinds |= self._column_kinds
        try:
            return np.array(list(TopologicalSorter(self._needs).static_order()))
        except CycleError:
            self.kinds |= SPECIAL
            return np.arange(len(self._needs))


def _select(places: BoolOrArray, value: int) -> IntArray:
    """Return `value` where `places` is true and 0 elsewhere, as unsigned integers; much faster than `np.where`."""
    return np.negative(np.asarray(places).view(np.int8)).view(np.uint8) & np.uint8(value)


def _to_entries(values: IntArray, index: MixedRadixIndex, player: int) -> Column:
    """Convert the values of a sweep to the entries that `solve_table` returns, in the order of the position index."""
    entries: IntArray = values.view(np.int16 if values.itemsize == 2 else np.int32)
    np.add(entries, 1, out=entries)
    np.copyto(entries, 0, where=entries == -1 << 8 * entries.itemsize - 1)
    by_turn = entries.reshape(index.radix)
    for turn in range(index.players):
        if turn + 1 != player:
            np.negative(by_turn[turn], out=by_turn[turn])
    order = (slice(None),) * 3 + tuple(slice(None, None, places.step) for places in index.token_ranges)
    return narrow(np.ascontiguousarray(by_turn[order]).reshape(-1))


def sweep_cells(  # noqa: C901, PLR0912 - the kernels of this module can't call each other
    values: Column, cells: Columns, states: Columns, moves: Columns, player: int, shape: Numbers, limits: Numbers
) -> None:
    """Write the values of a block, processing runs of regular cells state by state and all other cells one by one."""
    best, winners, kinds, shifts = cells
    bases, turns, order, ends = states
    starts, row_steps, column_steps, scales, jumps = moves
    rows, columns = shape
    middle, lost, illegal = limits
    for row in range(rows - 1, -1, -1):
        end = columns
        while end > 0:
            begin = end - 1
            kind = kinds[row * columns + begin]
            while kind == REGULAR and begin > 0 and kinds[row * columns + begin - 1] == REGULAR:
                begin -= 1
            cell, length, end = row * columns + begin, end - begin, begin
            changed = True
            while changed:
                changed = False
                for state in order:
                    here, own = bases[state] + cell, turns[state] == player
                    winner = winners[state * rows * columns + cell]
                    if winner != 0:
                        values[here] = 0 if winner == player else lost
                        continue
                    value = middle if ends[state] == ends[state + 1] else lost + 1 if own else 0
                    part, target = best[:length], values[here : here + length]
                    for place in range(length if kind == REGULAR else 0):
                        part[place] = value
                    for move in range(ends[state], ends[state + 1]):
                        shift = shifts[starts[move] + row * row_steps[move] + begin * column_steps[move]]
                        there = here + shift * scales[move] + jumps[move]
                        if shift == illegal:
                            continue
                        if kind != REGULAR:
                            value = min(value, values[there]) if own else max(value, values[there])
                            continue
                        successors = values[there : there + length]
                        if own:
                            for place in range(length):
                                part[place] = min(part[place], successors[place])
                        else:
                            for place in range(length):
                                part[place] = max(part[place], successors[place])
                    if kind == REGULAR:
                        for place in range(length):
                            target[place] = part[place] + (part[place] < middle) - (part[place] > middle)
                    else:
                        value = value + (value < middle) - (value > middle)
                        changed = changed or (kind >= LOCAL and values[here] != value)
                        values[here] = value


# Search


def search(book: Book, index: MixedRadixIndex, progress: Progress = lambda _: None) -> list[Column] | None:
    """Solve a book by retrograde analysis with computed predecessors.

    Return None if there are too many distinct differences.
    """
    filled = _fill_bits(book, index, lambda share: progress(share / 2))
    if filled is None:
        return None
    bits, finals, winners, known = filled
    cells = index.weights[2]
    incoming: list[list[tuple[int, int, int, int]]] = [[] for _ in known]
    for section, differences in enumerate(known):
        source, mover = section * cells, section * cells // index.weights[0] + 1
        for (difference, jump), bit in differences.items():
            incoming[section + jump // cells].append((source + difference, source, 1 << bit, mover))
    # With unsigned numbers, the compiled kernel doesn't have to handle negative indices.
    sizes = (np.cumsum([0, *map(len, incoming)], dtype=np.uint32), np.array([cells], np.uint32))
    every = np.array([edge for edges in incoming for edge in edges], np.int64).reshape(-1, 4).T.copy()
    edges = (every[0], every[1].astype(np.uint32), every[2].astype(bits.dtype), every[3])
    kernel = load_kernel(search_back, work=index.size)
    queue = np.empty(index.size, np.uint32)
    is_own = winners == finals // index.weights[0] + 1
    columns = []
    for player in [0] if index.players == 2 else book.players:
        chosen = winners == player if player else winners > 0
        column, open_bits, tail = np.zeros(index.size, np.int16), bits.copy() if player else bits, int(chosen.sum())
        column[finals[chosen]] = np.where(is_own[chosen], 1, -1)
        queue[:tail] = (2 * finals + ~is_own)[chosen]
        state = (0, tail, tail, 2)
        while state[0] < state[2]:
            if state[3] == np.iinfo(np.int16).max and column.itemsize == 2:
                column = column.astype(np.int32)
            limit = int(np.iinfo(column.dtype).max)
            state = kernel(open_bits, column, queue, sizes, edges, player, limit, state)
            progress(0.5 + (max(player - 1, 0) + state[0] / index.size) / (2 * index.players))
        columns.append(narrow(column))
    return columns


def _fill_bits(
    book: Book, index: MixedRadixIndex, progress: Progress
) -> tuple[IntArray, IntArray, IntArray, list[dict[tuple[int, int], int]]] | None:
    """Return the bits of all positions, the final positions, their winners, and the bit of each difference by section.

    A section consists of all positions with the same turn, players out and banned stride. Return None if there are too
    many distinct differences.
    """
    dtype: Any = np.uint8 if len(book.choices) < 8 else np.uint32
    bits: IntArray = np.zeros(index.size, dtype)
    known: list[dict[tuple[int, int], int]] = [{} for _ in range(index.size // index.weights[2])]
    finals, winners, done = [np.zeros(0, np.uint32)], [np.zeros(0, np.int8)], 0
    for block in index.cell_blocks(shift_dtype(index), BLOCK_CELLS):
        size = math.prod(block.shape)
        for base, positions in zip(index.state_bases, block.states, strict=True):
            first = block.first + base
            here = bits[first : first + size].reshape(block.shape)
            section = known[first // index.weights[2]]
            winner, differences = _differences(book, index, positions)
            for legal, shift, scale, jump, _, _ in differences:
                if not isinstance(jump, int):
                    return None
                for each, places in _constant_parts(np.asarray(shift), legal):
                    bit = section.setdefault((each * scale + jump, jump), len(section))
                    if bit >= 8 * bits.itemsize:
                        return None
                    here |= _select(places, 1 << bit) if bit < 8 else np.where(places, dtype(1 << bit), 0)
            over = np.broadcast_to(winner != 0, block.shape)
            np.copyto(here, 0, where=over)
            numbers = np.flatnonzero(over)
            finals.append((numbers + first).astype(np.uint32))
            winners.append(np.broadcast_to(winner, block.shape).reshape(-1)[numbers].astype(np.int8))
        done += size * len(block.states)
        progress(done / index.size)
    return bits, np.concatenate(finals), np.concatenate(winners), known


def _constant_parts(values: IntArray, legal: BoolOrArray) -> Iterator[tuple[int, BoolOrArray]]:
    """Yield each distinct value among the legal moves, with a mask of its occurrences."""
    least = int(values.min())
    if least == int(values.max()):
        yield least, legal
        return
    values, rest = np.broadcast_arrays(values, legal)
    while rest.any():
        value = values.flat[rest.argmax()]
        same = rest & (values == value)
        yield int(value), same
        rest = rest ^ same


def search_back(
    bits: Column, column: Column, queue: Column, sizes: Columns, edges: Columns, player: int, limit: int, state: State
) -> State:
    """Process part of the queue; an item is twice a position's index, plus 1 if the player to move loses."""
    offsets, sources, masks, movers = edges
    head, end, tail, entry = state
    stop = head + PROGRESS_INTERVAL_POSITIONS
    ends, cells = sizes[0], sizes[1][0]
    while head < tail and head < stop:
        if head == end:
            if entry == limit:
                break
            entry += 1
            end = tail
        lost = queue[head] & 1
        number = queue[head] >> 1
        head += 1
        section = number // cells
        for edge in range(ends[section], ends[section + 1]):
            cell = number - offsets[edge]
            if cell < 0 or cell >= cells:
                continue
            before = cell + sources[edge]
            if bits[before] & masks[edge] == 0:
                continue
            wins = lost == 1 if player == 0 else movers[edge] == player
            bits[before] = 0 if wins else bits[before] ^ masks[edge]
            if bits[before] == 0:
                column[before] = entry if wins else -entry
                queue[tail] = 2 * before if wins else 2 * before + 1
                tail += 1
    return head, end, tail, entry
