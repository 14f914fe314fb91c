"""Picture of a losing pattern: a strip of cells to paint, and the questions that a learner answers while painting."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from numberline.explain import claims, losing_patterns, queries
from numberline.explain.claims import Claim
from numberline.explain.explanation import briefly
from numberline.explain.losing_patterns import UNREACHABLE_TURNS, BannedSteps, LosingNumbers, LosingPattern, RaceCount
from numberline.explain.phrases import SecondPersonPhrases
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, Worth
from numberline.text import join_and, pluralize

WIN_NOW, GOOD, SAFE, TRAP, JUMPS, ASKED = "win now", "good", "safe", "trap", "jumps", "?"
MARK_SIGNS = {WIN_NOW: "W★", GOOD: "G▲", SAFE: "S●", TRAP: "T▼"}
"""Letter and shape of each mark; a strip of jumps shows numbers, with a bar at each gate."""
MARK_MEANINGS = {WIN_NOW: "you win now", GOOD: "you can win", SAFE: "you don't have to lose", TRAP: "you lose"}
YES, NO = "yes", "no"
MAX_STRIP_CELLS = 200
MAX_QUESTIONS = 3
"""Maximum number of questions in a step."""


class Cell(NamedTuple):
    """One place of a strip."""

    key: int
    label: str
    mark: str = ""
    """One of `win now`, `good`, `safe`, `trap` and `jumps`; empty if the cell isn't painted yet."""
    jumps: int = 0
    """Jumps still needed, if the mark is `jumps`."""
    gate: str = ""
    """If one jump fewer is needed from here than from the next place further away, that place's side: left or right."""

    @property
    def sign(self) -> str:
        """Short form of the mark, such as `W★`, `│3` or `3│`."""
        if self.mark == JUMPS:
            return f"{'│' * (self.gate == 'left')}{self.jumps}{'│' * (self.gate == 'right')}"
        return MARK_SIGNS.get(self.mark, self.mark)

    def __str__(self) -> str:
        jumps = f"{pluralize(self.jumps, 'jump')}{' (gate)' if self.gate else ''}"
        return f"{self.label}: {jumps if self.mark == JUMPS else self.mark}"


class Strip(NamedTuple):
    """Picture of a losing pattern: each cell shows the value for the player to move or, in a race, the jumps needed."""

    caption: str
    on_line: bool
    """Whether the cells are places of the line, so that the strip can be drawn under it."""
    cells: tuple[Cell, ...]

    def painted(self, keys: Collection[int]) -> Strip:
        """Return the strip with only the cells in `keys` painted."""
        cells = (cell if cell.key in keys else Cell(cell.key, cell.label) for cell in self.cells)
        return self._replace(cells=tuple(cells))

    def paint(self, cell: Cell) -> Strip:
        """Return the strip with one cell replaced."""
        return self._replace(cells=tuple(cell if cell.key == each.key else each for each in self.cells))

    def __str__(self) -> str:
        return f"{self.caption}. {'; '.join(str(cell) for cell in self.cells if cell.mark)}."

    @property
    def legend(self) -> str:
        """Signs that occur in the strip, with their meanings."""
        found = {cell.mark for cell in self.cells}
        signs = [f"{MARK_SIGNS[mark]} {meaning}" for mark, meaning in MARK_MEANINGS.items() if mark in found]
        signs += [f"the numbers: {self.caption[0].lower()}{self.caption[1:]}"] * (JUMPS in found)
        gates = any(cell.gate and cell.mark == JUMPS for cell in self.cells)
        return ", ".join(signs + ["│ a gate: past the bar, you need one fewer"] * gates)


def mark_of(worths: Sequence[Worth]) -> str:
    """Return the mark for a cell, given the values of all positions that it represents."""
    values = {worth.value for worth in worths}
    if values == {WIN}:
        return WIN_NOW if all(worth.plies == 1 for worth in worths) else GOOD
    return TRAP if values == {LOSS} else SAFE


Shown = TypeVar("Shown")


class PaintQuestion(NamedTuple, Generic[Shown]):
    """Question about one cell, asked before it is painted; the position is a `Position` or its view."""

    cell: Cell
    """The cell as it is painted after the answer."""
    position: Shown
    question: str
    options: tuple[str, ...]
    paint: str
    """The right option."""
    text: str
    """Explanation, shown after the answer."""
    strip: Strip
    """The strip before the answer, with all earlier cells painted."""


class Painting:
    """Cells of a pattern, in the order in which to paint them: from the end of the game backwards."""

    def __init__(self, solution: Solution, pattern: LosingPattern) -> None:
        self.solution = solution
        self.book = solution.book
        self.pattern = pattern
        self.race = pattern if isinstance(pattern, RaceCount) else None
        jumps = self.race.jumps if self.race else {}
        self.one_sided = any(jumps.get((2, place), count) != count for (_, place), count in jumps.items() if _ == 1)
        self.positions: dict[int, list[Position]] = {}
        for position in queries.analysed_positions(solution):
            key = pattern.key(position)
            if key is None or (isinstance(pattern, BannedSteps) and not key) or (self.one_sided and position.turn > 1):
                continue
            if not self.race or jumps[position.turn, key] < UNREACHABLE_TURNS:
                self.positions.setdefault(key, []).append(position)

    @cached_property
    def strip(self) -> Strip | None:
        """The strip with all cells painted, or None if the pattern can't be drawn as a strip."""
        if not 1 < len(self.positions) <= MAX_STRIP_CELLS:
            return None
        words = SecondPersonPhrases(self.book)
        captions = {
            BannedSteps: "Your opponent just played",
            losing_patterns.LosingDistances: f"{words.noun.capitalize()}s to your goal",
            losing_patterns.LosingGaps: f"Free {words.noun}s between you and your opponent",
            RaceCount: f"Jumps needed{f' by {self.book.player_name(1)}' * self.one_sided}",
        }
        subject = "number" if words.is_number else f"{words.token}'s {words.noun}"
        caption = captions.get(type(self.pattern), f"The {subject} on your turn")
        is_place = type(self.pattern) in {LosingNumbers, RaceCount}
        return Strip(caption, on_line=is_place, cells=tuple(map(self._cell, sorted(self.positions))))

    @property
    def introduction(self) -> str:
        """Text that explains the strip to a learner who hasn't seen one."""
        if self.race:
            first = self.order[0]
            place, need = SecondPersonPhrases(self.book).place(first.key), pluralize(first.jumps, "jump")
            goes = f"From {place}, you need {need}, so it shows a {first.jumps} there."
            return f"A jump is one move. The strip shows the jumps you still need. {goes}"
        where = "where you can win on your turn, and where"
        if isinstance(self.pattern, BannedSteps):
            where = "after which of your opponent's moves you can win, and after which"
        return f"Next, you paint a strip, cell by cell. It shows {where} you can't."

    def _cell(self, key: int) -> Cell:
        positions = self.positions[key]
        label = self.book.stride(key) if isinstance(self.pattern, BannedSteps) else str(key)
        if self.race:
            turn = positions[0].turn
            side = "left" if key < self.book.nearest_goal(turn, key) else "right"
            is_gate = self.race.distance(turn, key) in self.race.gates
            return Cell(key, label, JUMPS, self.race.jumps[turn, key], side * is_gate)
        return Cell(key, label, mark_of([self.solution.worth(at) for at in positions]))

    @cached_property
    def order(self) -> tuple[Cell, ...]:
        """The cells in the order of painting; if possible, every move leads to an earlier cell."""
        cells = {cell.key: cell for cell in self.strip.cells} if self.strip else {}
        if race := self.race:
            turns = {key: min(at.turn for at in self.positions[key]) for key in cells}
            keys = sorted(cells, key=lambda key: (cells[key].jumps, race.distance(turns[key], key), turns[key]))
            return tuple(cells[key] for key in keys)
        for keys in (sorted(cells), sorted(cells, reverse=True)):
            if all(keys.index(after) < keys.index(key) for key in keys for after in self._next_keys(key)):
                return tuple(cells[key] for key in keys)
        soonest = {
            key: min(self.solution.distance(at) or UNREACHABLE_TURNS for at in self.positions[key]) for key in cells
        }
        first, *others = sorted(cells.values(), key=lambda cell: (cell.mark != WIN_NOW, soonest[cell.key], cell.key))
        return first, *sorted(others, key=lambda cell: (cell.mark != WIN_NOW, cell.mark != TRAP, cell.key))

    def _next_keys(self, key: int) -> set[int]:
        moved = (after for at in self.positions[key] for _, after in self.book.successors(at))
        return {self.pattern.key(after) or 0 for after in moved if not self.book.winner(after)} & {*self.positions}

    @cached_property
    def rounds(self) -> list[tuple[tuple[PaintQuestion[Position], ...], Strip]]:
        """The questions in each of the five steps, and the strip as painted after them; empty if there is no strip.

        The second step ends after the first trap, and the third after the second one. In a race, they end after the
        first places that need two and three jumps, and the first cell is painted in advance as an example.
        """
        if not self.strip:
            return []
        order, shown = self.order, int(self.race is not None)
        strips = [self.strip.painted({cell.key for cell in order[:count]}) for count in range(len(order) + 1)]
        found = [(tuple[PaintQuestion[Position], ...](), strips[shown])]
        stops = [n for n, cell in enumerate(order, 1) if cell.mark == TRAP][:2]
        if self.race:
            stops = [min(sum(cell.jumps <= jumps for cell in order) + 1, len(order)) for jumps in (1, 2)]
        for before, stop in pairwise([shown, *[*stops, len(order), len(order)][:2], len(order)]):
            questions, painted = [], before
            for cell in self._asked(order[before:stop], is_last=len(found) > 2):
                at = order.index(cell)
                questions.append(self._question(cell, strips[at], skipped=order[painted:at]))
                painted = at + 1
            if questions and len(found) > 2 and painted < stop:
                questions[-1] = questions[-1]._replace(text=f"{questions[-1].text} Now we paint the rest of the strip.")
            found.append((tuple(questions), strips[stop]))
        return [*found, ((), self.strip)]

    def _asked(self, cells: Sequence[Cell], *, is_last: bool) -> Sequence[Cell]:
        """Return the cells to ask about in a round: the last few or, in a race, the last one and its nearest gate.

        If `is_last` is true, return the cells at which the pattern changes instead.
        """
        clear = [*filter(self._is_clear, cells)]
        if is_last:
            return self._turns(clear)[:MAX_QUESTIONS]
        if not self.race or not clear:
            return clear[-MAX_QUESTIONS:]
        far = clear[-1]
        gates = sorted((cell for cell in clear if cell.gate), key=lambda cell: abs(cell.key - far.key))
        return [*gates[:1], *([] if far in gates[:1] else [far])]

    def _is_clear(self, cell: Cell) -> bool:
        """Return whether the cell makes a good question; in a race, player 1 must have a free way to the goal."""
        at = self._example(cell.key)
        return not self.race or (at.turn == 1 and self.race.count(at, 1) == cell.jumps)

    def _turns(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        """Return the cells at which the pattern changes: where a later band begins or an inner band without traps ends.

        If there are none, or too many bands, return only the first trap or gate.
        """
        bands = self.pattern.bands if isinstance(self.pattern, LosingNumbers) else ()
        ends = {band.numbers[0] for band in bands[1:]} | {band.numbers[-1] for band in bands[1:-1] if not band.step}
        found = [cell for cell in cells if cell.key in ends and len(bands) <= MAX_QUESTIONS + 1]
        return found or [cell for cell in cells if cell.gate or cell.mark == TRAP][:1]

    def gate_sentence(self, asked: Sequence[PaintQuestion[Position]]) -> str:
        """Compare a gate with a place further away, if both were asked about; otherwise, return an empty string."""
        words = SecondPersonPhrases(self.book)
        for gate, far in pairwise(question.cell for question in asked):
            if gate.gate and far.jumps > gate.jumps:
                here, there = (words.place(cell.key) for cell in (gate, far))
                need = f"from there you need {pluralize(gate.jumps, 'jump')}, but from {there} you need {far.jumps}"
                return words.sentence(f"{here} is a gate: {need}")
        return ""

    def _question(self, cell: Cell, strip: Strip, skipped: Sequence[Cell]) -> PaintQuestion[Position]:
        """Return the question about a cell.

        `skipped` are the cells that were painted without a question; the text mentions them if they are contiguous.
        """
        at = self._example(cell.key)
        words = SecondPersonPhrases(self.book, you=at.turn)
        asked = f"{words.your_turn(at)} Can you win?"
        if len(set(self.book.rules.goals)) == 1:
            asked = f"It's your turn. {words.situation_sentence(at)} Can you win?"
        options, right = [YES, NO], YES if self.solution.value(at) == WIN else NO
        if self.race:
            asked = f"You are on {words.place(cell.key)}. How many jumps do you still need?"
            options, right = [str(max(1, cell.jumps - 1) + more) for more in range(3)], str(cell.jumps)
        if skipped and abs(skipped[0].key - skipped[-1].key) == len(skipped) - 1:
            labels = [cell.label for cell in skipped]
            which = f"{labels[0]} to {labels[-1]}" if len(labels) > 2 else join_and(labels)
            asked = f"We painted {which} for you. {asked}"
        return PaintQuestion(cell, at, asked, tuple(options), right, self.claim(cell).sentence(words), strip)

    def _example(self, key: int) -> Position:
        """Return an example position for a key: if possible with a free way, player 1 to move, and many moves.

        With banned steps, the position for the n-th cell is, if possible, at least n turns from the end of the game.
        """
        middle, plies = sum(self.book.rules.line) // 2, 0
        if isinstance(self.pattern, BannedSteps):
            plies = [cell.key for cell in self.order].index(key) + 1

        def rank(at: Position) -> tuple[float, ...]:
            blocked = self.race is not None and self.race.count(at, at.turn) > self.race.jumps_from(at, at.turn)
            left = (self.solution.distance(at) or math.inf) if plies else 0
            from_middle = sum(abs(place - middle) for place in at.tokens)
            return blocked, left < plies, left, at.turn > 1, -len(self.book.moves(at)), from_middle

        return min(self.positions[key], key=rank)

    def claim(self, cell: Cell) -> Claim:
        """Return a claim about a cell's example position that explains how the cell is painted."""
        at = self._example(cell.key)
        jumps = Claim(claims.jumps_to_go, at, cell.jumps, gate=bool(cell.gate) and cell.jumps > 1)
        return jumps if self.race else briefly(self.solution, at)
