"""One match at a table: what was agreed on, and everything that has happened since, played again event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from numberline.errors import MoveError, NumberlineError, UnreadableMove
from numberline.game.book import Book
from numberline.game.match import RESIGN, Match, Ply, parse_legal_move
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.notation import parse_position
from numberline.game.position import Outcome, Position
from numberline.views.board import placeholders
from numberline.views.match import match_outcome
from numberline.web.protocol.commands import ClientMessage
from numberline.web.protocol.errors import ApiError
from numberline.web.store.store import Event, MatchRow, SeatRow

TAKEBACK, REMATCH, TIMEOUT, JOIN, NEXT = "takeback", "rematch", "timeout", "join", "next"
DEADLOCK_REASON = "Nobody has a move any more."
MAX_EVENTS = 5_000
"""After so many events only the end of a game is accepted, so that nobody's game fills the server."""
REPLAY_ERRORS = (NumberlineError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What can come of playing again what nobody has ever played."""


class Offer(NamedTuple):
    """Something that a player has proposed, and the seats that agree to it so far."""

    what: str
    seat: int
    agreed: frozenset[int]


class MatchState:
    """A match as its events have left it; each new one is first checked, then stored by others, then applied."""

    def __init__(
        self,
        book: Book,
        row: MatchRow,
        seats: Sequence[SeatRow],
        events: Iterable[Event] = (),
        moves: Callable[[Position], Sequence[Move]] | None = None,
    ) -> None:
        self.book = book
        self._moves = moves or book.moves
        """The legal moves of a position; those who have many tables remember them."""
        self.row = row
        self.seats = list(seats)
        events = list(events)
        came = {event.seat for event in events if event.what == JOIN}
        self.taken_seats = {each.seat for each in seats if each.bot or (each.token_hash and each.seat not in came)}
        self.seq = 0
        self.at = row.created
        """When the last event happened."""
        self.requests: dict[str, int] = {}
        """What was asked for and done, each with the number of its event."""
        self.offers: list[Offer] = []
        self.rematch: str | None = None
        self.finished_rounds: list[Match] = []
        """The rounds before this one."""
        self.score = [0] * book.rules.players
        self._names = placeholders(book)
        self._clock: dict[str, int] | None = row.settings.get("clock")
        self._begin()
        for event in events:
            self.apply(event)

    # What can be seen

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return len(self.finished_rounds) + 1

    @property
    def ended(self) -> bool:
        """Whether all rounds are over."""
        return self.outcome is not None and self.round >= self.row.rounds

    @property
    def assist(self) -> str:
        """Whether the worth of moves is shown: `off`, `after` or `on`."""
        return str(self.row.settings.get("assist", "on"))

    @property
    def values_visible(self) -> bool:
        """Whether the worth of moves may be seen now."""
        return self.assist == "on" or (self.assist == "after" and self.outcome is not None)

    @property
    def bot(self) -> str | None:
        """The program whose turn it is, if it is one's and there is something to choose."""
        return None if self.outcome or self._legal[0] in FORCED_MOVES else self.seats[self.match.turn - 1].bot

    @property
    def running_player(self) -> int:
        """The player whose clock runs; 0 where none does."""
        waits = self._clock is None or self.outcome is not None or len(self.taken_seats) < len(self.seats)
        return 0 if waits else self.match.turn

    def remaining_ms(self, now: float) -> list[int]:
        """The milliseconds that each player has left."""
        running = self.running_player
        spent = self.elapsed_ms(now)
        return [max(0, ms - spent if player == running else ms) for player, ms in enumerate(self._left, 1)]

    def elapsed_ms(self, now: float) -> int:
        """The milliseconds since the last event."""
        return max(0, int((now - self.at) * 1000))

    def is_out_of_time(self, now: float) -> bool:
        """Whether the player to move has run out of time."""
        return bool(self.running_player) and self.remaining_ms(now)[self.running_player - 1] <= 0

    def clock(self, now: float) -> dict[str, object] | None:
        """The clock as it is shown."""
        return (
            None
            if self._clock is None
            else {**self._clock, "left": self.remaining_ms(now), "running": self.running_player}
        )

    def find_request(self, you: Iterable[int], request: str) -> int | None:
        """The number of the event that this request has led to, if it has."""
        for seat in you:
            done = self.requests.get(f"{seat}:{request}")
            if done is not None:
                return done
        return None

    def seats_of(self, token_hash: str) -> tuple[int, ...]:
        """The seats that somebody with this token has."""
        return tuple(each.seat for each in self.seats if each.token_hash == token_hash)

    @property
    def human_seats(self) -> frozenset[int]:
        """The seats in which people sit."""
        return frozenset(each.seat for each in self.seats if each.seat in self.taken_seats and not each.bot)

    # What is asked for

    def validate_message(self, you: tuple[int, ...], message: ClientMessage, now: float, new: str = "") -> Event:
        """The event that a message of these seats leads to; raises `ApiError` where nothing may come of it.

        `new` is the name of the match that a rematch would have.
        """
        if not you:
            raise ApiError("not_allowed", "You are watching this game. Only those who play can do that.")
        if self.seq >= MAX_EVENTS and message.kind not in {"resign", "offer", "accept"}:
            raise ApiError("over", "This game has gone on for too long. Resign it, or begin a new one.")
        seat, what = _CHECKS[message.kind](self, you, message, new)
        return self.event(seat, what, f"{seat}:{message.request}", now)

    def event(self, seat: int, what: str, request: str, now: float) -> Event:
        """The next event; the server's own have no request."""
        seq = self.seq + 1
        now = max(now, self.at)
        return Event(self.row.id, seq, seat, what, request or f"server-{seq}", self.elapsed_ms(now), now)

    def _need_turn(self, you: tuple[int, ...]) -> int:
        if self.outcome:
            raise ApiError("over", "The game is over. You can look back at it, or play again.")
        if self.match.turn not in you:
            raise ApiError("not_your_turn", f"It is {self._names[self.match.turn - 1]}'s turn. Wait for the move.")
        return self.match.turn

    def _check_move(self, you: tuple[int, ...], message: ClientMessage, _: str) -> tuple[int, str]:
        turn = self._need_turn(you)
        if message.move in self._legal:
            return turn, message.move
        try:
            return turn, str(parse_legal_move(self.book, self.match.position, message.move))
        except UnreadableMove as error:
            raise ApiError("unreadable_move", str(error)) from None
        except MoveError as error:
            raise ApiError("illegal_move", str(error)) from None

    def _check_resign(self, you: tuple[int, ...], _: ClientMessage, __: str) -> tuple[int, str]:
        return self._need_turn(you), RESIGN

    def _check_next(self, you: tuple[int, ...], _: ClientMessage, __: str) -> tuple[int, str]:
        if self.outcome is None:
            raise ApiError("not_allowed", "This round is not over yet. Play it to its end first.")
        if self.ended:
            raise ApiError("over", "All rounds are played. Offer a rematch to play again.")
        return you[0], NEXT

    def _check_offer(self, you: tuple[int, ...], message: ClientMessage, new: str) -> tuple[int, str]:
        what = message.what
        if what == TAKEBACK:
            seat = self._last_mover(you)
        elif what == REMATCH:
            if not self.ended or self.rematch:
                said = "There is a new game already; go on there." if self.rematch else "The match is not over yet."
                raise ApiError("not_allowed", said)
            if self._offered(REMATCH, you):
                return self._check_accept(you, message, new)
            seat = you[0]
        else:
            raise ApiError("bad_message", "Only a takeback or a rematch can be offered.")
        if any(offer.what == what and offer.seat in you for offer in self.offers):
            raise ApiError("not_allowed", f"You have asked for a {what} already. Wait for the answer.")
        if self.human_seats <= set(you):
            return seat, TAKEBACK if what == TAKEBACK else f"accept:{REMATCH}:{new}"
        return seat, f"offer:{what}"

    def _last_mover(self, you: tuple[int, ...]) -> int:
        """Which of these seats has played last, and so can take a move back."""
        if self.outcome:
            raise ApiError("over", "The game is over. Nothing can be taken back any more.")
        for ply in reversed(self.match.plies):
            if ply.chosen and ply.player in you:
                return ply.player
        raise ApiError("not_allowed", "You have not played a move yet, so there is none to take back.")

    def _check_accept(self, you: tuple[int, ...], message: ClientMessage, new: str) -> tuple[int, str]:
        offer = self._need_offer(you, message.what)
        settles = self._all_agree(offer.agreed | set(you))
        return you[0], f"accept:{offer.what}" + f":{new}" * (settles and offer.what == REMATCH)

    def _check_decline(self, you: tuple[int, ...], message: ClientMessage, _: str) -> tuple[int, str]:
        return you[0], f"decline:{self._need_offer(you, message.what).what}"

    def _check_withdraw(self, you: tuple[int, ...], message: ClientMessage, _: str) -> tuple[int, str]:
        for offer in self.offers:
            if offer.what == message.what and offer.seat in you:
                return offer.seat, f"withdraw:{offer.what}"
        raise ApiError("not_allowed", "You have no such offer to take back.")

    def _need_offer(self, you: tuple[int, ...], what: str) -> Offer:
        offer = self._offered(what, you)
        if offer is None:
            raise ApiError("not_allowed", "There is no such offer any more.")
        return offer

    def _offered(self, what: str, you: tuple[int, ...]) -> Offer | None:
        """What somebody else has offered."""
        return next((offer for offer in self.offers if offer.what == what and offer.seat not in you), None)

    # What happens

    def apply(self, event: Event) -> tuple[Ply, ...]:
        """The plies that a stored event has led to: a move and the lost turns after it; none for other events."""
        running = self.running_player
        if running:
            self._left[running - 1] -= event.spent_ms
        self.at = event.at
        self.seq = event.seq
        self.requests[event.request] = event.seq
        word, _, rest = event.what.partition(":")
        if word in _APPLIERS:
            _APPLIERS[word](self, event.seat, rest)
            return ()
        return self._play(event, running)

    def fill_seat(self, row: SeatRow) -> None:
        """Puts in the name and the token of somebody who has come."""
        self.seats[row.seat - 1] = row

    def _play(self, event: Event, running: int) -> tuple[Ply, ...]:
        match = self.match
        if event.what == TIMEOUT:
            self.timeouts.add(match.length)
            self._left[match.turn - 1] = 0
        ply = match.resign() if event.what in {RESIGN, TIMEOUT} else match.play(event.what)
        if running and self._clock and event.what != TIMEOUT:
            self._left[running - 1] += self._clock["increment"] * 1000
        self.offers = []
        return ply, *self._settle()

    def _begin(self) -> None:
        """Begins a round: with the agreed position, or with each player in turn."""
        start = self.row.settings.get("start")
        first = (self.row.first + self.round - 2) % self.book.rules.players + 1
        self.match = Match(self.book, first, self._names, start=parse_position(start) if start else None)
        self.timeouts: set[int] = set()
        """After how many plies somebody ran out of time."""
        self._left = [self._clock["seconds"] * 1000 if self._clock else 0] * self.book.rules.players
        self.offers = []
        self._settle()

    def _settle(self) -> list[Ply]:
        """Plays the turns that are lost by themselves, and sees who has won: nobody where no move will ever come."""
        match, legal, plies = self.match, self._moves(self.match.position), []
        while legal and legal[0] in FORCED_MOVES and not self.book.is_deadlocked(match.position):
            plies.append(match.play(legal[0]))
            legal = self._moves(match.position)
        still = bool(legal) and legal[0] in FORCED_MOVES
        self._legal = legal
        self.outcome = Outcome(0, DEADLOCK_REASON) if still else None if legal else self._ending()
        if self.outcome and self.outcome.winner:
            self.score[self.outcome.winner - 1] += 1
        return plies

    def _ending(self) -> Outcome | None:
        """The outcome with placeholders for names, by time where it was that."""
        outcome = match_outcome(self.match)
        if outcome and self.match.length - 1 in self.timeouts:
            return Outcome(outcome.winner, timeout_reason(self.match.plies[-1].player))
        return outcome

    def _join(self, seat: int, _: str) -> None:
        self.taken_seats.add(seat)

    def _next(self, _: int, __: str) -> None:
        self.finished_rounds.append(self.match)
        self._begin()

    def _offer(self, seat: int, what: str) -> None:
        self.offers.append(Offer(what, seat, frozenset({seat})))

    def _accept(self, seat: int, rest: str) -> None:
        what, _, new = rest.partition(":")
        if new:
            self.rematch, self.offers = new, []
            return
        offer = self._offered(what, tuple(self._same(seat)))
        if offer is None:
            return
        agreed = offer.agreed | {seat}
        self.offers[self.offers.index(offer)] = offer._replace(agreed=agreed)
        if what == TAKEBACK and self._all_agree(agreed):
            self._takeback(offer.seat, "")

    def _decline(self, seat: int, what: str) -> None:
        own = self._same(seat)
        self.offers = [offer for offer in self.offers if offer.what != what or offer.seat in own]

    def _withdraw(self, seat: int, what: str) -> None:
        self.offers = [offer for offer in self.offers if (offer.what, offer.seat) != (what, seat)]

    def _takeback(self, seat: int, _: str) -> None:
        """Takes moves back until this player's last one is gone."""
        while (taken := self.match.undo()) and not any(ply.chosen and ply.player == seat for ply in taken):
            pass
        self.timeouts = {length for length in self.timeouts if length < self.match.length}
        self.offers = []
        self._legal = self._moves(self.match.position)

    def _all_agree(self, seats: Iterable[int]) -> bool:
        """Whether these seats' owners are all the people at the table."""
        return self.human_seats <= {own for seat in seats for own in self._same(seat)}

    def _same(self, seat: int) -> frozenset[int]:
        """All seats of whoever sits there."""
        token = self.seats[seat - 1].token_hash
        return frozenset(self.seats_of(token)) if token else frozenset({seat})


def timeout_reason(player: int) -> str:
    """What is said of somebody who was too slow."""
    return f"{{{player}}} ran out of time."


_CHECKS = {
    "move": MatchState._check_move,  # noqa: SLF001 - the table's own, by kind
    "resign": MatchState._check_resign,  # noqa: SLF001
    "next": MatchState._check_next,  # noqa: SLF001
    "offer": MatchState._check_offer,  # noqa: SLF001
    "accept": MatchState._check_accept,  # noqa: SLF001
    "decline": MatchState._check_decline,  # noqa: SLF001
    "withdraw": MatchState._check_withdraw,  # noqa: SLF001
}
_APPLIERS = {
    JOIN: MatchState._join,  # noqa: SLF001 - the table's own, by what has happened
    NEXT: MatchState._next,  # noqa: SLF001
    TAKEBACK: MatchState._takeback,  # noqa: SLF001
    "offer": MatchState._offer,  # noqa: SLF001
    "accept": MatchState._accept,  # noqa: SLF001
    "decline": MatchState._decline,  # noqa: SLF001
    "withdraw": MatchState._withdraw,  # noqa: SLF001
}
