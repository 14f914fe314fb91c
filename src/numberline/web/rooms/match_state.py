"""State of one match, rebuilt by replaying its stored events, and validation of new events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from numberline.errors import MoveError, NumberlineError, RecordError, UnreadableMove
from numberline.game.book import Book
from numberline.game.match import RESIGN, Match, Ply, parse_legal_move
from numberline.game.moves import FORCED_MOVES
from numberline.game.notation import parse_position
from numberline.game.position import Outcome, Position
from numberline.text import quote
from numberline.views.board import placeholders
from numberline.views.match import match_outcome
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import ActionMessage, MoveMessage, OfferMessage
from numberline.web.store.store import Event, MatchRow, SeatRow

TAKEBACK, REMATCH, TIMEOUT, JOIN, NEXT = "takeback", "rematch", "timeout", "join", "next"
DEADLOCK_REASON = "Nobody has a move any more."
# After this many events, no more moves are accepted, so that a match can't fill the database.
MAX_EVENTS = 5_000
# Replaying damaged events can raise any of these.
REPLAY_ERRORS = (NumberlineError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Offer(NamedTuple):
    """A takeback or rematch offered by a player, and the seats that have agreed so far."""

    what: str
    seat: int
    agreed: frozenset[int]


class MatchState:
    """State of a match, computed from its events.

    New events are validated here, stored by the caller, then applied here.
    """

    def __init__(self, book: Book, row: MatchRow, seats: Sequence[SeatRow], events: Sequence[Event] = ()) -> None:
        self.book = book
        self.row = row
        self.seats = list(seats)
        joined = {event.seat for event in events if event.what == JOIN}
        self.taken_seats = {seat.seat for seat in seats if seat.bot or (seat.token_hash and seat.seat not in joined)}
        self.seq = 0
        self.updated_at = self._clock_at = row.created
        self.requests: dict[str, int] = {}
        """Event number of each stored request."""
        self.offers: list[Offer] = []
        self.rematch: str | None = None
        self.finished_rounds: list[Match] = []
        self.score = [0] * book.rules.players
        self._names = placeholders(book)
        self._clock: dict[str, int] | None = row.settings.get("clock")
        start = row.settings.get("start")
        self.start = parse_position(start) if start else None
        """Position in which every round starts; None for the book's starting position."""
        self._start_round()
        for event in events:
            self.apply(event)

    # Queries

    @property
    def round(self) -> int:
        """Number of the current round, counted from 1."""
        return len(self.finished_rounds) + 1

    @property
    def ended(self) -> bool:
        """Whether all rounds are over."""
        return self.outcome is not None and self.round >= self.row.rounds

    @property
    def assist(self) -> str:
        return str(self.row.settings.get("assist", "on"))

    @property
    def values_visible(self) -> bool:
        return self.assist == "on" or (self.assist == "after" and self.outcome is not None)

    @property
    def bot(self) -> str | None:
        """The bot to move, or None if a person must move, the move is forced or the round is over."""
        return None if self.outcome or self._legal[0] in FORCED_MOVES else self.seats[self.match.turn - 1].bot

    @property
    def human_seats(self) -> frozenset[int]:
        return frozenset(seat.seat for seat in self.seats if seat.seat in self.taken_seats and not seat.bot)

    @property
    def running_player(self) -> int:
        """The player whose clock is running, or 0."""
        stopped = self._clock is None or self.outcome is not None or len(self.taken_seats) < len(self.seats)
        return 0 if stopped else self.match.turn

    def remaining_ms(self, now: float) -> list[int]:
        running = self.running_player
        elapsed = self.elapsed_ms(now)
        return [max(0, ms - elapsed if player == running else ms) for player, ms in enumerate(self._left_ms, 1)]

    def elapsed_ms(self, now: float) -> int:
        """Return the milliseconds since the last event, excluding any time that `resume_clock` skipped."""
        return max(0, int((now - self._clock_at) * 1000))

    def resume_clock(self, now: float, earliest: float) -> None:
        """Measure elapsed time from the last event, but from no earlier than `earliest` and no later than `now`."""
        self._clock_at = min(max(self.updated_at, earliest), now)

    def is_out_of_time(self, now: float) -> bool:
        return bool(self.running_player) and self.remaining_ms(now)[self.running_player - 1] <= 0

    def clock_json(self, now: float) -> dict[str, object] | None:
        if self._clock is None:
            return None
        return {**self._clock, "left": self.remaining_ms(now), "running": self.running_player}

    def find_request(self, you: Iterable[int], request: str) -> int | None:
        """Return the event number of a stored request from one of the seats `you`, or None."""
        return next((seq for seat in you if (seq := self.requests.get(f"{seat}:{request}"))), None)

    def seats_of(self, token_hash: str) -> tuple[int, ...]:
        """Return the seats owned by the token with this hash; for several tokens, separate their hashes by spaces."""
        hashes = token_hash.split()
        return tuple(seat.seat for seat in self.seats if seat.token_hash in hashes)

    # Validation

    def validate_message(self, you: tuple[int, ...], message: ActionMessage, now: float, new_id: str = "") -> Event:
        """Return the event for a message from the seats `you`; raise `ApiError` if it is not allowed.

        `new_id` is the match id to use if the message starts a rematch.
        """
        if not you:
            raise ApiError("not_allowed", "You are watching this game. Only its players can do that.")
        if self.seq >= MAX_EVENTS and message.kind not in {"resign", "offer", "accept"}:
            raise ApiError("over", "This game has gone on for too long. Resign, or start a new one.")
        if isinstance(message, MoveMessage):
            seat, what = self._check_move(you, message.move)
        elif isinstance(message, OfferMessage):
            seat, what = self._check_offer_message(you, message, new_id)
        elif message.kind == "resign":
            seat, what = self._check_turn(you), RESIGN
        else:
            seat, what = self._check_next(you)
        return self.event(seat, what, f"{seat}:{message.request}", now)

    def event(self, seat: int, what: str, request: str, now: float) -> Event:
        """Return the next event; pass an empty `request` for an event created by the server."""
        seq = self.seq + 1
        spent_ms, at = self.elapsed_ms(now), max(now, self.updated_at)
        return Event(self.row.id, seq, seat, what, request or f"server-{seq}", spent_ms, at)

    def _check_turn(self, you: tuple[int, ...]) -> int:
        if self.outcome:
            raise ApiError("over", "The game is over. You can review it, or play again.")
        if self.match.turn not in you:
            raise ApiError("not_your_turn", f"It is {self._names[self.match.turn - 1]}'s turn. Wait for the move.")
        return self.match.turn

    def _check_move(self, you: tuple[int, ...], move: str) -> tuple[int, str]:
        turn = self._check_turn(you)
        if move in self._legal:
            return turn, move
        try:
            return turn, str(parse_legal_move(self.book, self.match.position, move))
        except UnreadableMove as error:
            raise ApiError("unreadable_move", str(error)) from None
        except MoveError as error:
            raise ApiError("illegal_move", str(error)) from None

    def _check_next(self, you: tuple[int, ...]) -> tuple[int, str]:
        if self.outcome is None:
            raise ApiError("not_allowed", "This round is not over yet. Finish it first.")
        if self.ended:
            raise ApiError("over", "All rounds are over. Offer a rematch to play again.")
        return you[0], NEXT

    def _check_offer_message(self, you: tuple[int, ...], message: OfferMessage, new_id: str) -> tuple[int, str]:
        kind, what = message.kind, message.what
        if kind == "offer":
            return self._check_offer(you, what, new_id)
        if kind == "accept":
            return self._check_accept(you, what, new_id)
        if kind == "decline":
            self._require_offer(you, what)
            return you[0], f"decline:{what}"
        for offer in self.offers:
            if offer.what == what and offer.seat in you:
                return offer.seat, f"withdraw:{what}"
        raise ApiError("not_allowed", "You have no open offer to withdraw.")

    def _check_offer(self, you: tuple[int, ...], what: str, new_id: str) -> tuple[int, str]:
        if what == TAKEBACK:
            seat = self._last_mover(you)
        else:
            if self.rematch:
                raise ApiError("not_allowed", "The new game has already started. Play there.")
            if not self.ended:
                raise ApiError("not_allowed", "The match is not over yet.")
            if self._find_offer(REMATCH, you):
                return self._check_accept(you, what, new_id)
            seat = you[0]
        if any(offer.what == what and offer.seat in you for offer in self.offers):
            raise ApiError("not_allowed", f"You have already asked for a {what}. Wait for the answer.")
        if self.human_seats <= set(you):
            return seat, TAKEBACK if what == TAKEBACK else f"accept:{REMATCH}:{new_id}"
        return seat, f"offer:{what}"

    def _last_mover(self, you: tuple[int, ...]) -> int:
        """Return the seat in `you` that moved last; raise `ApiError` if no move can be taken back."""
        if self.outcome:
            raise ApiError("over", "The game is over. You can't take a move back now.")
        for ply in reversed(self.match.plies):
            if ply.chosen and ply.player in you:
                return ply.player
        raise ApiError("not_allowed", "You have not played a move yet, so you can't take one back.")

    def _check_accept(self, you: tuple[int, ...], what: str, new_id: str) -> tuple[int, str]:
        offer = self._require_offer(you, what)
        starts_rematch = what == REMATCH and self._all_agree(offer.agreed | set(you))
        return you[0], f"accept:{what}:{new_id}" if starts_rematch else f"accept:{what}"

    def _require_offer(self, you: tuple[int, ...], what: str) -> Offer:
        if (offer := self._find_offer(what, you)) is None:
            raise ApiError("not_allowed", "That offer is no longer open.")
        return offer

    def _find_offer(self, what: str, you: tuple[int, ...]) -> Offer | None:
        """Return another player's offer of this kind, or None."""
        return next((offer for offer in self.offers if offer.what == what and offer.seat not in you), None)

    # Application

    def apply(self, event: Event) -> tuple[Ply, ...]:
        """Apply a stored event; return the resulting plies: a move and the forced turns after it, or none."""
        if running := self.running_player:
            self._left_ms[running - 1] -= event.spent_ms
        self.updated_at = self._clock_at = event.at
        self.seq = event.seq
        self.requests[event.request] = event.seq
        seat = event.seat
        word, _, what = event.what.partition(":")
        if word == JOIN:
            self.taken_seats.add(seat)
        elif word == NEXT:
            self.finished_rounds.append(self.match)
            self._start_round()
        elif word == TAKEBACK:
            self._take_back(seat)
        elif word == "offer":
            self.offers.append(Offer(what, seat, frozenset({seat})))
        elif word == "accept":
            self._accept(seat, *what.split(":", 1))
        elif word == "decline":
            own_seats = self._seats_of_owner(seat)
            self.offers = [offer for offer in self.offers if offer.what != what or offer.seat in own_seats]
        elif word == "withdraw":
            self.offers = [offer for offer in self.offers if (offer.what, offer.seat) != (what, seat)]
        else:
            return self._apply_move(event, running)
        return ()

    def fill_seat(self, row: SeatRow) -> None:
        """Replace the row of a seat after a player has joined."""
        self.seats[row.seat - 1] = row

    def _apply_move(self, event: Event, running: int) -> tuple[Ply, ...]:
        match = self.match
        if event.what == TIMEOUT:
            self.timeouts.add(match.length)
            self._left_ms[match.turn - 1] = 0
        ply = match.resign() if event.what in {RESIGN, TIMEOUT} else match.play(event.what)
        if running and self._clock and event.what != TIMEOUT:
            self._left_ms[running - 1] += self._clock["increment"] * 1000
        self.offers = []
        return ply, *self._play_forced_moves()

    def _start_round(self) -> None:
        first = (self.row.first + self.round - 2) % self.book.rules.players + 1
        self.match = Match(self.book, first, self._names, start=self.start)
        self.timeouts: set[int] = set()
        """Match lengths (in plies) at which a player ran out of time."""
        self._left_ms = [self._clock["seconds"] * 1000 if self._clock else 0] * self.book.rules.players
        self.offers = []
        self._play_forced_moves()

    def _play_forced_moves(self) -> list[Ply]:
        """Play forced turns, then update the legal moves, outcome and score; return the forced plies."""
        match, legal, plies = self.match, self.match.moves, []
        while legal and legal[0] in FORCED_MOVES and not self.book.is_deadlocked(match.position):
            plies.append(match.play(legal[0]))
            legal = match.moves
        self._legal = legal
        if legal:
            self.outcome: Outcome | None = Outcome(0, DEADLOCK_REASON) if legal[0] in FORCED_MOVES else None
        else:
            self.outcome = self._final_outcome()
        if self.outcome and self.outcome.winner:
            self.score[self.outcome.winner - 1] += 1
        return plies

    def _final_outcome(self) -> Outcome | None:
        outcome = match_outcome(self.match)
        if outcome and self.match.length - 1 in self.timeouts:
            return Outcome(outcome.winner, timeout_reason(self.match.plies[-1].player))
        return outcome

    def _accept(self, seat: int, what: str, new_id: str = "") -> None:
        if new_id:
            self.rematch, self.offers = new_id, []
            return
        offer = self._find_offer(what, tuple(self._seats_of_owner(seat)))
        if offer is None:
            return
        agreed = offer.agreed | {seat}
        self.offers[self.offers.index(offer)] = offer._replace(agreed=agreed)
        if what == TAKEBACK and self._all_agree(agreed):
            self._take_back(offer.seat)

    def _take_back(self, seat: int) -> None:
        """Undo all moves back to and including the last one by `seat`."""
        while (undone := self.match.undo()) and not any(ply.chosen and ply.player == seat for ply in undone):
            pass
        self.timeouts = {length for length in self.timeouts if length < self.match.length}
        self.offers = []
        self._legal = self.match.moves

    def _all_agree(self, seats: Iterable[int]) -> bool:
        """Return whether the owners of `seats` include every person in the match."""
        return self.human_seats <= {seat for agreed in seats for seat in self._seats_of_owner(agreed)}

    def _seats_of_owner(self, seat: int) -> frozenset[int]:
        token_hash = self.seats[seat - 1].token_hash
        return frozenset(self.seats_of(token_hash)) if token_hash else frozenset({seat})


def timeout_reason(player: int) -> str:
    return f"{{{player}}} ran out of time."


def parse_start_position(book: Book, text: str) -> Position:
    """Parse a position; raise `ApiError` if it is not a valid position in this book."""
    try:
        position = parse_position(text)
    except RecordError as error:
        raise ApiError("bad_message", f"{error}.") from None
    # When the game is over, the player to move may be out, so `out` is checked separately.
    if position.out >= 1 << len(book.players) or not book.is_valid_position(position._replace(out=0)):
        raise ApiError("bad_message", f"{quote(text)} is not a valid position in this game.")
    return position


def parse_start(book: Book, text: str) -> Position:
    """Parse the starting position of a match; raise `ApiError` if it is invalid or the game is already over."""
    position = parse_start_position(book, text)
    if position.is_out(position.turn) or not book.moves(position):
        raise ApiError("bad_message", f"The game is over at {quote(text)}. Choose another position.")
    return position
