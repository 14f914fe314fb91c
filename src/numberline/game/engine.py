"""The engine that plays every book, with four verbs: start, moves, after, outcome.

It knows nothing but the book's answers. All but `start` and `moves` take one position, or a column of positions with
the same player to move. (The fourth verb is `winner` here; `Book.outcome` puts the reason into words.)
Games that differ in nothing but their places are played together by one engine, whose places are columns too.
Only `Book` and `solver.batch` use it; everybody else asks the book.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

from numberline.game.bounds import player_bounds
from numberline.game.collisions import OtherTokens, stop_behind
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.legality import IllegalityCheck, MoveAttempt, illegality_checks
from numberline.game.moves import FORCED_MOVES, NO_STRIDE, OUT, Move, choices, forward_directions
from numberline.game.position import Position, active_count, eliminate, next_active
from numberline.game.rules import Rules
from numberline.game.victory import NO_WINNER, goal_winner, last_active_player


class MoveScan(NamedTuple):
    """All choices of a book, looked at in one position (or in a column of them)."""

    legal: list[BoolOrArray]
    """For each choice, whether it is allowed."""
    landings: list[IntOrArray | None]
    """For each choice, where the token would end; None where no token moves."""
    stuck: BoolOrArray
    """Whether nothing is allowed: then the player has no move left."""
    no_progress: BoolOrArray
    """Whether something is allowed, but nothing that would get anywhere: then the turn is lost."""


class Engine:
    """One book's answers, put to work."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.choices = choices(rules)
        self.bounds = player_bounds(rules)
        self._checks = illegality_checks(rules)
        self.shared_places = rules.shared_starts
        """The places where any number of tokens may stand."""
        self._stops = rules.meeting == "stops"
        self._loses = rules.overshoot == "loses"
        self._remembers = rules.repeat == "banned"
        self._meets = rules.meeting != "shares"
        self._all_block = len(self.start().tokens) == 2 and not self._stands_past_a_goal()

    # Many games at once

    @property
    def batch_key(self) -> Hashable:
        """What must be equal for games to be played together: everything but where their places are."""
        rules = self.rules
        met = (self._meets and self._all_block, self._stops and len(self.shared_places))
        return (
            replace(rules, line=(0, 0), starts=forward_directions(rules), goals=()),
            tuple(map(len, rules.goals)),
            met,
        )

    def batched_with(self, engines: Sequence[Self], column: Callable[[list[int]], IntOrArray]) -> Self:
        """An engine for several games of this shape, with columns for places: `column` makes one of a place of each."""
        engine = copy(self)
        engine.bounds = _stack_places([each.bounds for each in engines], column)
        engine.shared_places = _stack_places([each.shared_places for each in engines], column) if self._stops else ()
        places = [(each.rules.line, each.rules.starts, each.rules.goals) for each in engines]
        line, starts, goals = _stack_places(places, column)
        engine.rules = replace(self.rules, line=line, starts=starts, goals=goals)
        return engine

    # The four verbs

    def start(self, first: int = 1) -> Position:
        """The position before the first move."""
        rules = self.rules
        each = 1 if rules.shared else rules.tokens
        starts = rules.starts[:1] if rules.shared else rules.starts
        return Position(first, tuple(start for start in starts for _ in range(each)))

    def moves(self, position: Position) -> tuple[Move, ...]:
        """What the player to move may choose; `pass` or `out` where there is no choice; nothing when it is over."""
        survey = self.scan_moves(position)
        if self.winner(position, survey.stuck):
            return ()
        forced = self._forced_moves(survey)
        return forced or tuple(move for move, allowed in zip(self.choices, survey.legal, strict=True) if allowed)

    def expand(self, position: Position) -> tuple[int, list[tuple[Move, Position]]]:
        """Return the winner (0 if none) and each legal move with its successor; no moves when the game is over."""
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

    def successors_batch(self, position: Position) -> tuple[IntOrArray, Iterator[tuple[Move, BoolOrArray, Position]]]:
        """Who has won, and for every move whether it can be made and what it leads to: followers for columns."""
        survey = self.scan_moves(position)
        winner = self.winner(position, survey.stuck)
        return winner, self._spread(position, survey, winner == NO_WINNER)

    def _spread(
        self, position: Position, survey: MoveScan, live: BoolOrArray
    ) -> Iterator[tuple[Move, BoolOrArray, Position]]:
        free = logical_and(live, logical_not(survey.no_progress))
        for move, legal, landing in zip(self.choices, survey.legal, survey.landings, strict=True):
            yield move, logical_and(free, legal), self.apply_landing(position, move, landing)
        for move, happens in zip(FORCED_MOVES, self.forced_flags(survey), strict=True):
            if happens is not False:
                yield move, logical_and(happens, live), self.after(position, move)

    def after(self, position: Position, move: Move) -> Position:
        """The position once a legal move is played."""
        return self.apply_landing(position, move, None if move.token is None else self.landing(position, move))

    def winner(self, position: Position, stuck: BoolOrArray | None = None) -> IntOrArray:
        """Who has won, 0 while nobody has; `stuck` says whether the player to move has no move, where that is known."""
        rules = self.rules
        winner = goal_winner(rules, self.bounds, position)
        last = last_active_player(rules, position.out)
        if last is not NO_WINNER:
            winner = where(winner == 0, last, winner)
        if rules.stuck == "loses":
            stuck = self.scan_moves(position).stuck if stuck is None else stuck
            loses = (winner == 0) & (active_count(position.out, rules.players) == 2) & stuck
            winner = where(loses, next_active(position.turn, position.out, rules.players), winner)
        return winner

    # What they are made of

    def scan_moves(self, position: Position) -> MoveScan:
        """All choices looked at: which are allowed, where they end, and whether the player is stuck."""
        turn, tokens, last, _ = position
        stretch = self.bounds[turn]
        legal: list[BoolOrArray] = []
        landings: list[IntOrArray | None] = []
        stuck: BoolOrArray = not self.rules.skip
        nowhere: BoolOrArray = stuck
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
            landed = wanted = move.target(place, turn)
            allowed: BoolOrArray = True
            if self._checks:
                allowed = self.is_allowed(MoveAttempt(move, turn, place, wanted, stretch, last, others))
            stays: BoolOrArray = False
            if self._stops:
                landed = stop_behind(place, wanted, move.heading[turn], others, self.shared_places)
                # To come back to where it was, a token must find every place on its way taken.
                if not move.shift or abs(move.shift[turn]) <= len(others):
                    stays = landed == place
            if nowhere is not False:
                refused = logical_not(allowed)
                stuck = logical_and(stuck, refused)
                nowhere = logical_and(nowhere, logical_or(refused, stays))
            legal.append(allowed)
            landings.append(landed)
        return MoveScan(legal, landings, stuck, logical_and(nowhere, logical_not(stuck)))

    def forced_flags(self, survey: MoveScan) -> tuple[BoolOrArray, BoolOrArray]:
        """Whether a player who has no choice passes, and whether such a player is out."""
        if self.rules.stuck == "passes":
            return logical_or(survey.stuck, survey.no_progress), False
        return survey.no_progress, survey.stuck

    def _forced_moves(self, survey: MoveScan) -> tuple[Move, ...]:
        """What happens to the player to move of one position who has no choice."""
        return tuple(move for move, happens in zip(FORCED_MOVES, self.forced_flags(survey), strict=True) if happens)

    def attempt(self, position: Position, move: Move) -> MoveAttempt:
        """The move of a token, tried out."""
        turn = position.turn
        index = move.slot[turn]
        place = position.tokens[index]
        wanted = move.target(place, turn)
        return MoveAttempt(move, turn, place, wanted, self.bounds[turn], position.last, self._others(position, index))

    def is_allowed(self, attempt: MoveAttempt) -> BoolOrArray:
        """Whether nothing speaks against a token's move."""
        refused: BoolOrArray = False
        for objection in self._checks:
            refused = logical_or(refused, objection(attempt))
        return logical_not(refused)

    def failed_check(self, attempt: MoveAttempt) -> IllegalityCheck | None:
        """The first thing that speaks against a token's move, if anything does."""
        return next((objection for objection in self._checks if objection(attempt)), None)

    def landing(self, position: Position, move: Move) -> IntOrArray:
        """Where a token's move really ends."""
        turn, tokens, _, _ = position
        index = move.slot[turn]
        place = tokens[index]
        wanted = move.target(place, turn)
        if not self._stops:
            return wanted
        return stop_behind(place, wanted, move.heading[turn], self._others(position, index), self.shared_places)

    def apply_landing(self, position: Position, move: Move, place: IntOrArray | None) -> Position:
        """The position once the token of a legal move has got to this place."""
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
                moved = self._withdrawn(tokens, moved, turn, goes=past)
        last = move.stride if self._remembers else NO_STRIDE
        # The same as Position(…), in half the time: this line runs more often than any other.
        return tuple.__new__(Position, (next_active(turn, out, self.rules.players), moved, last, out))

    def eliminate_mover(self, position: Position) -> Position:
        """The position once the player to move is out."""
        turn, tokens, _, out = position
        out = eliminate(out, turn)
        tokens = self._withdrawn(tokens, tokens, turn, goes=True)
        return Position(next_active(turn, out, self.rules.players), tokens, NO_STRIDE, out)

    def _others(self, position: Position, index: int) -> OtherTokens:
        """The places of the other tokens, each with whether that token can be in the way of this one."""
        tokens = position.tokens
        if self._all_block:
            return [(tokens[1 - index], True)]
        mover = self.bounds[position.turn]
        others = [(n // self.rules.tokens + 1, place) for n, place in enumerate(tokens) if n != index]
        return [
            (
                place,
                logical_not(
                    self.bounds[player].has_reached_goal(place)
                    | position.is_out(player)
                    | mover.is_at_or_past_goal(place)
                ),
            )
            for player, place in others
        ]

    def _stands_past_a_goal(self) -> bool:
        """Whether a token can stand on or past the goal of another player while the game goes on."""
        walks = [stretch.open_range(self.rules.line) for stretch in self.bounds[1:]]
        return any(mover.is_at_or_past_goal(place) for mover in self.bounds[1:] for walk in walks for place in walk)

    def _withdrawn(
        self, before: tuple[IntOrArray, ...], after: tuple[IntOrArray, ...], player: int, *, goes: BoolOrArray
    ) -> tuple[IntOrArray, ...]:
        """The tokens, and where `goes` holds without this player's: put on their start, a shared marker put back."""
        if self.rules.shared:
            return (where(goes, before[0], after[0]),)
        each, start = self.rules.tokens, self.rules.starts[player - 1]
        return tuple(where(goes & (n // each + 1 == player), start, place) for n, place in enumerate(after))


def _stack_places(parts: Sequence[Any], column: Callable[[list[int]], IntOrArray]) -> Any:
    """What is built alike, put into one: a column for each place in it; one place for all games stays as it is."""
    first = parts[0]
    if isinstance(first, tuple):
        inside = [_stack_places(places, column) for places in zip(*parts, strict=True)]
        return tuple(inside) if first.__class__ is tuple else first.__class__(*inside)
    return first if parts.count(first) == len(parts) else column(list(parts))
