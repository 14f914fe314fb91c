"""The engine that plays every book; its four main methods are `start`, `moves`, `after` and `winner`.

The engine depends only on the rules. `after`, `winner` and most other methods accept one position, or an array of
positions with the same player to move. Games that differ only in their places can share one engine whose places are
arrays. Outside this package, only the solver's batches use the engine directly; all other code uses `Book`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.legality import (
    MEETING,
    OVERSHOOT,
    IllegalityCheck,
    MoveAttempt,
    OtherTokens,
    illegality_checks,
    player_bounds,
    stop_behind,
)
from numberline.game.moves import FORCED_MOVES, NO_STRIDE, OUT, Move, choices, forward_directions
from numberline.game.position import Position, active_count, eliminate, next_active
from numberline.game.rules import Rules

NO_WINNER = 0


class MoveScan(NamedTuple):
    """Legality and landing place of every choice, in one position or in an array of positions."""

    legal: list[BoolOrArray]
    landings: list[IntOrArray | None]
    """Landing place of each choice; None if the choice moves no token."""
    stuck: BoolOrArray
    """Whether no choice is legal."""
    no_progress: BoolOrArray
    """Whether some choice is legal but every legal one leaves its token in place, so that the player must pass."""


class Engine:
    """Engine for the rules of one book, or for a batch of books with the same `batch_key`."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.choices = choices(rules)
        self.bounds = player_bounds(rules)
        self._checks = illegality_checks(rules)
        self.shared_places = rules.shared_starts
        """Places where any number of tokens can stand."""
        self._stops = MEETING[rules.meeting].stops
        self._loses = OVERSHOOT[rules.overshoot].eliminates
        self._remembers = rules.repeat == "banned"
        self._meets = any(MEETING[rules.meeting])
        self._all_block = len(self.start().tokens) == 2 and not self._stands_past_a_goal()

    # Batches of games

    @property
    def batch_key(self) -> Hashable:
        """Key shared by all games that can be batched together: all rules except the places themselves."""
        shape = replace(self.rules, line=(0, 0), starts=forward_directions(self.rules), goals=())
        collisions = (self._meets and self._all_block, self._stops and len(self.shared_places))
        return shape, tuple(map(len, self.rules.goals)), collisions

    def batched_with(self, engines: Sequence[Self], column: Callable[[list[int]], IntOrArray]) -> Self:
        """Return an engine for several games with the same `batch_key`; `column` converts lists of places to arrays."""
        batch = copy(self)
        batch.bounds = _stack_places([engine.bounds for engine in engines], column)
        batch.shared_places = _stack_places([engine.shared_places for engine in engines], column) if self._stops else ()
        places = [(engine.rules.line, engine.rules.starts, engine.rules.goals) for engine in engines]
        line, starts, goals = _stack_places(places, column)
        batch.rules = replace(self.rules, line=line, starts=starts, goals=goals)
        return batch

    # The four main methods

    def start(self, first: int = 1) -> Position:
        """Return the start position, with player `first` to move."""
        rules = self.rules
        each = 1 if rules.shared else rules.tokens
        starts = rules.starts[:1] if rules.shared else rules.starts
        return Position(first, tuple(start for start in starts for _ in range(each)))

    def moves(self, position: Position) -> tuple[Move, ...]:
        """Return the legal moves: `pass` or `out` if the player has no choice, nothing if the game is over."""
        scan = self.scan_moves(position)
        if self.winner(position, scan.stuck):
            return ()
        forced = self._forced_moves(scan)
        return forced or tuple(move for move, allowed in zip(self.choices, scan.legal, strict=True) if allowed)

    def expand(self, position: Position) -> tuple[int, list[tuple[Move, Position]]]:
        """Return the winner (0 if none) and each legal move with its successor; no moves if the game is over."""
        scan = self.scan_moves(position)
        if winner := self.winner(position, scan.stuck):
            return winner, []
        if scan.stuck or scan.no_progress:
            return NO_WINNER, [(move, self.after(position, move)) for move in self._forced_moves(scan)]
        return NO_WINNER, [
            (move, self.apply_landing(position, move, landing))
            for move, allowed, landing in zip(self.choices, scan.legal, scan.landings, strict=True)
            if allowed
        ]

    def successors_batch(
        self, position: Position, *, even_if_over: bool = False
    ) -> tuple[IntOrArray, Iterator[tuple[Move, BoolOrArray, Position]]]:
        """Return the winners of an array of positions, and an iterator over (move, legality, successors).

        No move is legal in a finished game unless `even_if_over` is true. With that option, legality is often a single
        bool instead of an array, which saves time.
        """
        scan = self.scan_moves(position)
        winner = self.winner(position, scan.stuck)
        return winner, self._iter_batch(position, scan, even_if_over or winner == NO_WINNER)

    def _iter_batch(
        self, position: Position, scan: MoveScan, live: BoolOrArray
    ) -> Iterator[tuple[Move, BoolOrArray, Position]]:
        if position.is_out(position.turn) is True:  # can't happen in a real game
            return
        free = logical_and(live, logical_not(scan.no_progress))
        for move, legal, landing in zip(self.choices, scan.legal, scan.landings, strict=True):
            yield move, logical_and(free, legal), self.apply_landing(position, move, landing)
        for move, happens in zip(FORCED_MOVES, self.forced_flags(scan), strict=True):
            if happens is not False:
                yield move, logical_and(happens, live), self.after(position, move)

    def after(self, position: Position, move: Move) -> Position:
        """Return the position after a legal move."""
        return self.apply_landing(position, move, None if move.token is None else self.landing(position, move))

    def winner(self, position: Position, stuck: BoolOrArray | None = None) -> IntOrArray:
        """Return the winner, or 0 if there is none; pass `stuck` from a `MoveScan` to avoid scanning again."""
        rules = self.rules
        winner = self._goal_winner(position)
        last = self._last_active_player(position.out)
        if last is not NO_WINNER:
            winner = where(winner == 0, last, winner)
        if rules.stuck == "loses":
            can_lose = (winner == 0) & (active_count(position.out, rules.players) == 2)
            if can_lose is not False:
                stuck = self.scan_moves(position, only_stuck=True).stuck if stuck is None else stuck
                winner = where(can_lose & stuck, next_active(position.turn, position.out, rules.players), winner)
        return winner

    # Winning conditions

    def player_tokens(self, position: Position, player: int) -> tuple[IntOrArray, ...]:
        """Return the places of the tokens that this player moves: the player's own tokens or the shared marker."""
        if self.rules.shared:
            return position.tokens
        return position.tokens[(player - 1) * self.rules.tokens : player * self.rules.tokens]

    def has_finished(self, position: Position, player: int) -> BoolOrArray:
        """Return whether enough of this player's tokens have reached a goal to win."""
        own = self.bounds[player]
        places = self.player_tokens(position, player)
        done = own.has_reached_goal(places[0])
        for place in places[1:]:
            reached = own.has_reached_goal(place)
            done = done & reached if self.rules.finish == "all" else done | reached
        return done

    def _goal_winner(self, position: Position) -> IntOrArray:
        """Return the active player who has reached a goal, or 0; if several have, prefer the one who just moved."""
        winner: IntOrArray = NO_WINNER
        # The player who just moved or, if that player is out, the nearest active player before them.
        mover = next_active(position.turn, position.out, self.rules.players, direction=-1)
        for player in range(1, self.rules.players + 1):
            done = logical_and(self.has_finished(position, player), logical_not(position.is_out(player)))
            first = logical_or(winner == NO_WINNER, mover == player)
            winner = where(logical_and(done, first), player, winner, narrow=True)
        return winner

    def _last_active_player(self, out: IntOrArray) -> IntOrArray:
        """Return the only player still in the game, or 0 if there are several."""
        everyone = (1 << self.rules.players) - 1
        last: IntOrArray = NO_WINNER
        for player in range(1, self.rules.players + 1):
            last = where(out == everyone - (1 << (player - 1)), player, last)
        return last

    # Building blocks

    def scan_moves(self, position: Position, *, only_stuck: bool = False) -> MoveScan:
        """Return which choices are legal, where they land, and whether the player is stuck.

        With `only_stuck`, stop at the first legal move of a single position; only `stuck` is then valid.
        """
        turn, tokens, last, _ = position
        bounds = self.bounds[turn]
        legal: list[BoolOrArray] = []
        landings: list[IntOrArray | None] = []
        stuck: BoolOrArray = not self.rules.skip
        no_progress: BoolOrArray = stuck
        slot = -1
        others: OtherTokens = ()
        for move in self.choices:
            if move.token is None:
                legal.append(True)
                landings.append(None)
                continue
            if move.slot[turn] != slot:
                slot = move.slot[turn]
                others = self._others(position, slot) if self._meets else ()
            place = tokens[slot]
            landed = target = move.target(place, turn)
            allowed: BoolOrArray = True
            if self._checks:
                allowed = self.is_allowed(MoveAttempt(move, turn, place, target, bounds, last, others))
            stays: BoolOrArray = False
            if self._stops:
                landed = stop_behind(place, target, move.heading[turn], others, self.shared_places)
                # A stopped token stays in place only if every place along the way is taken.
                if not move.shift or abs(move.shift[turn]) <= len(others):
                    stays = landed == place
            if no_progress is not False:
                illegal = logical_not(allowed)
                stuck = logical_and(stuck, illegal)
                if only_stuck and stuck is False:
                    break
                no_progress = logical_and(no_progress, logical_or(illegal, stays))
            legal.append(allowed)
            landings.append(landed)
        return MoveScan(legal, landings, stuck, logical_and(no_progress, logical_not(stuck)))

    def forced_flags(self, scan: MoveScan) -> tuple[BoolOrArray, BoolOrArray]:
        """Return whether the player must pass, and whether the player is eliminated."""
        if self.rules.stuck == "passes":
            return logical_or(scan.stuck, scan.no_progress), False
        return scan.no_progress, scan.stuck

    def _forced_moves(self, scan: MoveScan) -> tuple[Move, ...]:
        """Return the forced move as a tuple; empty if the player has a choice."""
        return tuple(move for move, happens in zip(FORCED_MOVES, self.forced_flags(scan), strict=True) if happens)

    def attempt(self, position: Position, move: Move) -> MoveAttempt:
        """Return the input to the legality checks for a move that moves a token."""
        turn, tokens, last, _ = position
        index = move.slot[turn]
        target = move.target(tokens[index], turn)
        return MoveAttempt(move, turn, tokens[index], target, self.bounds[turn], last, self._others(position, index))

    def is_allowed(self, attempt: MoveAttempt) -> BoolOrArray:
        """Return whether the attempted move passes all legality checks."""
        illegal: BoolOrArray = False
        for check in self._checks:
            illegal = logical_or(illegal, check(attempt))
        return logical_not(illegal)

    def failed_check(self, attempt: MoveAttempt) -> IllegalityCheck | None:
        """Return the first legality check that the attempted move fails, if any."""
        return next((check for check in self._checks if check(attempt)), None)

    def landing(self, position: Position, move: Move) -> IntOrArray:
        """Return where the move's token lands, taking `meeting=stops` into account."""
        turn, tokens, _, _ = position
        index = move.slot[turn]
        place = tokens[index]
        target = move.target(place, turn)
        if not self._stops:
            return target
        return stop_behind(place, target, move.heading[turn], self._others(position, index), self.shared_places)

    def apply_landing(self, position: Position, move: Move, place: IntOrArray | None) -> Position:
        """Return the position after a legal move whose token lands on `place`."""
        turn, tokens, _, out = position
        if move.token is None:
            passed = Position(next_active(turn, out, self.rules.players), tokens, NO_STRIDE, out)
            return self.eliminate_mover(position) if move is OUT else passed
        index = move.slot[turn]
        moved = (place,) if self.rules.shared else (*tokens[:index], place, *tokens[index + 1 :])
        if self._loses:
            past = self.bounds[turn].is_past_goal(place, move.heading[turn])
            if past is not False:
                out = eliminate(out, turn, condition=past)
                moved = self._remove_tokens(tokens, moved, turn, condition=past)
        last = move.stride if self._remembers else NO_STRIDE
        # Twice as fast as Position(…); this is the hottest line in the project.
        return tuple.__new__(Position, (next_active(turn, out, self.rules.players), moved, last, out))

    def eliminate_mover(self, position: Position) -> Position:
        """Return the position after the player to move is eliminated."""
        turn, tokens, _, out = position
        out = eliminate(out, turn)
        tokens = self._remove_tokens(tokens, tokens, turn, condition=True)
        return Position(next_active(turn, out, self.rules.players), tokens, NO_STRIDE, out)

    def _others(self, position: Position, index: int) -> OtherTokens:
        """Return the place of each other token, and whether it can be in the way of token `index`."""
        tokens = position.tokens
        if self._all_block:
            return [(tokens[1 - index], True)]
        mover, others = self.bounds[position.turn], []
        for n, place in enumerate(tokens):
            if n != index:
                player = n // self.rules.tokens + 1
                home = self.bounds[player].has_reached_goal(place) | mover.is_at_or_past_goal(place)
                others.append((place, logical_not(home | position.is_out(player))))
        return others

    def _stands_past_a_goal(self) -> bool:
        """Return whether a token can stand on or past another player's goal while the game goes on."""
        places = [place for bounds in self.bounds[1:] for place in bounds.open_range(self.rules.line)]
        return any(mover.is_at_or_past_goal(place) for mover in self.bounds[1:] for place in places)

    def _remove_tokens(
        self, before: tuple[IntOrArray, ...], after: tuple[IntOrArray, ...], player: int, *, condition: BoolOrArray
    ) -> tuple[IntOrArray, ...]:
        """If `condition` holds, move the player's tokens to their start, or the shared marker to its previous place."""
        if self.rules.shared:
            return (where(condition, before[0], after[0]),)
        each, start = self.rules.tokens, self.rules.starts[player - 1]
        return tuple(where(condition & (n // each + 1 == player), start, place) for n, place in enumerate(after))


def _stack_places(parts: Sequence[Any], column: Callable[[list[int]], IntOrArray]) -> Any:
    """Merge the nested tuples of several games into one; places that differ between games become arrays."""
    first = parts[0]
    if isinstance(first, tuple):
        inside = [_stack_places(places, column) for places in zip(*parts, strict=True)]
        return tuple(inside) if first.__class__ is tuple else first.__class__(*inside)
    return first if parts.count(first) == len(parts) else column(list(parts))
