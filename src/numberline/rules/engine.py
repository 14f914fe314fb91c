"""The engine that plays every book, with four verbs: start, moves, after, outcome.

It knows nothing but the book's answers. All but `start` and `moves` take one position, or a column of positions with
the same player to move. (The fourth verb is `winner` here; `Book.outcome` puts the reason into words.)
Only `Book` uses it; everybody else asks the book.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth, both, either, no, where
from numberline.rules.ending import NOBODY, at_goal, last_left
from numberline.rules.legality import Attempt, Objection, objections
from numberline.rules.meeting import Others, just_behind
from numberline.rules.moves import FORCED, NOTHING, OUT, Move, choices, sides
from numberline.rules.overshooting import stretches
from numberline.rules.position import Position, next_in, still_in, with_out


class Survey(NamedTuple):
    """All choices of a book, looked at in one position (or in a column of them)."""

    legal: list[Truth]
    """For each choice, whether it is allowed."""
    landings: list[Number | None]
    """For each choice, where the token would end; None where no token moves."""
    stuck: Truth
    """Whether nothing is allowed: then the player has no move left."""
    idle: Truth
    """Whether something is allowed, but nothing that would get anywhere: then the turn is lost."""


class Engine:
    """One book's answers, put to work."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.choices = choices(rules)
        self.stretches = stretches(rules)
        self._objections = objections(rules)
        self.free = rules.shared_starts
        """The places where any number of tokens may stand."""
        self._stops = rules.meeting == "stops"
        self._loses = rules.overshoot == "loses"
        self._remembers = rules.repeat == "banned"
        self._meets = rules.meeting != "shares"
        self._all_count = len(self.start().tokens) == 2 and not self._stands_past_a_goal()

    # Many games at once

    @property
    def shape(self) -> Hashable:
        """What must be equal for games to be played together: everything but where their places are."""
        rules = self.rules
        met = (self._meets and self._all_count, self._stops and len(self.free))
        return replace(rules, line=(0, 0), starts=sides(rules), goals=()), tuple(map(len, rules.goals)), met

    def with_places_of(self, engines: Sequence[Self], column: Callable[[list[int]], Number]) -> Self:
        """An engine for several games of this shape, with columns for places: `column` makes one of a place of each."""
        engine = copy(self)
        engine.stretches = _side_by_side([each.stretches for each in engines], column)
        engine.free = _side_by_side([each.free for each in engines], column) if self._stops else ()
        places = [(each.rules.line, each.rules.starts, each.rules.goals) for each in engines]
        line, starts, goals = _side_by_side(places, column)
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
        survey = self.survey(position)
        if self.winner(position, survey.stuck):
            return ()
        forced = self._forced(survey)
        return forced or tuple(move for move, allowed in zip(self.choices, survey.legal, strict=True) if allowed)

    def followers(self, position: Position) -> list[tuple[Move, Position]]:
        """Each move that can be made in a position, and what it leads to; nothing when it is over."""
        survey = self.survey(position)
        if self.winner(position, survey.stuck):
            return []
        if survey.stuck or survey.idle:
            return [(move, self.after(position, move)) for move in self._forced(survey)]
        return [
            (move, self.landed(position, move, landing))
            for move, allowed, landing in zip(self.choices, survey.legal, survey.landings, strict=True)
            if allowed
        ]

    def spread(self, position: Position) -> tuple[Number, Iterator[tuple[Move, Truth, Position]]]:
        """Who has won, and for every move whether it can be made and what it leads to: followers for columns."""
        survey = self.survey(position)
        winner = self.winner(position, survey.stuck)
        return winner, self._spread(position, survey, winner == NOBODY)

    def _spread(self, position: Position, survey: Survey, live: Truth) -> Iterator[tuple[Move, Truth, Position]]:
        free = both(live, no(survey.idle))
        for move, legal, landing in zip(self.choices, survey.legal, survey.landings, strict=True):
            yield move, both(free, legal), self.landed(position, move, landing)
        for move, happens in zip(FORCED, self.forced(survey), strict=True):
            if happens is not False:
                yield move, both(happens, live), self.after(position, move)

    def after(self, position: Position, move: Move) -> Position:
        """The position once a legal move is played."""
        return self.landed(position, move, None if move.token is None else self.landing(position, move))

    def winner(self, position: Position, stuck: Truth | None = None) -> Number:
        """Who has won, 0 while nobody has; `stuck` says whether the player to move has no move, where that is known."""
        rules = self.rules
        winner = at_goal(rules, self.stretches, position)
        last = last_left(rules, position.out)
        if last is not NOBODY:
            winner = where(winner == 0, last, winner)
        if rules.stuck == "loses":
            stuck = self.survey(position).stuck if stuck is None else stuck
            loses = (winner == 0) & (still_in(position.out, rules.players) == 2) & stuck
            winner = where(loses, next_in(position.turn, position.out, rules.players), winner)
        return winner

    # What they are made of

    def survey(self, position: Position) -> Survey:
        """All choices looked at: which are allowed, where they end, and whether the player is stuck."""
        turn, tokens, last, _ = position
        stretch = self.stretches[turn]
        legal: list[Truth] = []
        landings: list[Number | None] = []
        stuck: Truth = not self.rules.skip
        nowhere: Truth = stuck
        slot = -1
        others: Others = ()
        for move in self.choices:
            if move.token is None:
                legal.append(True)
                landings.append(None)
                continue
            if move.slot[turn] != slot:
                slot = move.slot[turn]
                others = self._others(position, slot) if self._meets else ()
            place = tokens[slot]
            landed = wanted = move.wanted(place, turn)
            allowed: Truth = True
            if self._objections:
                allowed = self.allows(Attempt(move, turn, place, wanted, stretch, last, others))
            stays: Truth = False
            if self._stops:
                landed = just_behind(place, wanted, move.heading[turn], others, self.free)
                # To come back to where it was, a token must find every place on its way taken.
                if not move.shift or abs(move.shift[turn]) <= len(others):
                    stays = landed == place
            if nowhere is not False:
                refused = no(allowed)
                stuck = both(stuck, refused)
                nowhere = both(nowhere, either(refused, stays))
            legal.append(allowed)
            landings.append(landed)
        return Survey(legal, landings, stuck, both(nowhere, no(stuck)))

    def forced(self, survey: Survey) -> tuple[Truth, Truth]:
        """Whether a player who has no choice passes, and whether such a player is out."""
        if self.rules.stuck == "passes":
            return either(survey.stuck, survey.idle), False
        return survey.idle, survey.stuck

    def _forced(self, survey: Survey) -> tuple[Move, ...]:
        """What happens to the player to move of one position who has no choice."""
        return tuple(move for move, happens in zip(FORCED, self.forced(survey), strict=True) if happens)

    def attempt(self, position: Position, move: Move) -> Attempt:
        """The move of a token, tried out."""
        turn = position.turn
        index = move.slot[turn]
        place = position.tokens[index]
        wanted = move.wanted(place, turn)
        return Attempt(move, turn, place, wanted, self.stretches[turn], position.last, self._others(position, index))

    def allows(self, attempt: Attempt) -> Truth:
        """Whether nothing speaks against a token's move."""
        refused: Truth = False
        for objection in self._objections:
            refused = either(refused, objection(attempt))
        return no(refused)

    def objection(self, attempt: Attempt) -> Objection | None:
        """The first thing that speaks against a token's move, if anything does."""
        return next((objection for objection in self._objections if objection(attempt)), None)

    def landing(self, position: Position, move: Move) -> Number:
        """Where a token's move really ends."""
        turn, tokens, _, _ = position
        index = move.slot[turn]
        place = tokens[index]
        wanted = move.wanted(place, turn)
        if not self._stops:
            return wanted
        return just_behind(place, wanted, move.heading[turn], self._others(position, index), self.free)

    def landed(self, position: Position, move: Move, place: Number | None) -> Position:
        """The position once the token of a legal move has got to this place."""
        turn, tokens, _, out = position
        if move.token is None:
            passed = Position(next_in(turn, out, self.rules.players), tokens, NOTHING, out)
            return self.without_mover(position) if move is OUT else passed
        index = move.slot[turn]
        moved = (place,) if self.rules.shared else (*tokens[:index], place, *tokens[index + 1 :])
        if self._loses:
            past = self.stretches[turn].past(place, move.heading[turn])
            if past is not False:
                out = with_out(out, turn, goes=past)
                moved = self._withdrawn(tokens, moved, turn, goes=past)
        last = move.stride if self._remembers else NOTHING
        # The same as Position(…), in half the time: this line runs more often than any other.
        return tuple.__new__(Position, (next_in(turn, out, self.rules.players), moved, last, out))

    def without_mover(self, position: Position) -> Position:
        """The position once the player to move is out."""
        turn, tokens, _, out = position
        out = with_out(out, turn)
        tokens = self._withdrawn(tokens, tokens, turn, goes=True)
        return Position(next_in(turn, out, self.rules.players), tokens, NOTHING, out)

    def _others(self, position: Position, index: int) -> Others:
        """The places of the other tokens, each with whether that token can be in the way of this one."""
        tokens = position.tokens
        if self._all_count:
            return [(tokens[1 - index], True)]
        mover = self.stretches[position.turn]
        others = [(n // self.rules.tokens + 1, place) for n, place in enumerate(tokens) if n != index]
        return [
            (place, no(self.stretches[player].home(place) | position.is_out(player) | mover.at_or_past(place)))
            for player, place in others
        ]

    def _stands_past_a_goal(self) -> bool:
        """Whether a token can stand on or past the goal of another player while the game goes on."""
        walks = [stretch.in_play(self.rules.line) for stretch in self.stretches[1:]]
        return any(mover.at_or_past(place) for mover in self.stretches[1:] for walk in walks for place in walk)

    def _withdrawn(
        self, before: tuple[Number, ...], after: tuple[Number, ...], player: int, *, goes: Truth
    ) -> tuple[Number, ...]:
        """The tokens, and where `goes` holds without this player's: put on their start, a shared marker put back."""
        if self.rules.shared:
            return (where(goes, before[0], after[0]),)
        each, start = self.rules.tokens, self.rules.starts[player - 1]
        return tuple(where(goes & (n // each + 1 == player), start, place) for n, place in enumerate(after))


def _side_by_side(parts: Sequence[Any], column: Callable[[list[int]], Number]) -> Any:
    """What is built alike, put into one: a column for each place in it; one place for all games stays as it is."""
    first = parts[0]
    if isinstance(first, tuple):
        inside = [_side_by_side(places, column) for places in zip(*parts, strict=True)]
        return tuple(inside) if first.__class__ is tuple else first.__class__(*inside)
    return first if parts.count(first) == len(parts) else column(list(parts))
