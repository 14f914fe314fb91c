"""Series of games: participants, options, score, and options for a rematch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from numberline.characters import CHARACTERS, NAMED
from numberline.game.book import Book
from numberline.game.loader import book as load_book
from numberline.game.match import Match
from numberline.progress.ladder import LadderStep, stored_steps
from numberline.progress.rules import MAX_LEVEL, MIN_LEVEL, next_first
from numberline.terminal.console import TextConsole
from numberline.terminal.session import Session
from numberline.text import join_and

if TYPE_CHECKING:
    from numberline.views.game_over import EndingView, RetryView

SWAP, HARDER, EASIER = "swap", "harder", "easier"
_COMPUTER = " (computer)"
"""Added to the name of a bot if a person has the same name."""
_LEVEL_BOTS = tuple(f"level:{level}" for level in range(MIN_LEVEL, MAX_LEVEL + 1))


@dataclass(frozen=True, slots=True)
class Participant:
    """A person, or a bot that is named as on the command line, such as `easy`."""

    name: str
    bot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesOptions:
    """Options of a series, fixed before its first game."""

    book: Book
    participants: tuple[Participant, ...]
    """Participants in the order of their seats in the first game."""
    first: int = 1
    """Player who starts the first game."""
    games: int = 1
    decides_early: bool = False
    """Whether the series ends once a participant has won more than half of the games."""
    alternates: bool = True
    """Whether the players take turns going first."""
    swaps: bool = False
    """Whether all participants move to the next seat after each game."""
    seed: int = 0
    assist: bool = False
    """Whether the value of every move is shown at every turn."""
    reviews: bool = False
    adaptive: bool = False
    """Whether the level of the bots adapts to the results."""
    takes_turns: bool = False
    """Whether the starting player is announced before each game and changes with each rematch."""
    step: str = ""
    """Id of the ladder step that is played; empty if the series isn't part of a ladder."""
    practice: bool = False
    """Whether the series continues an earlier game and therefore earns no stars."""
    record: Path | None = None

    def participants_in(self, game: int) -> tuple[Participant, ...]:
        """Return the participants in the order of their seats in game number `game`, counted from 0."""
        shift = game % len(self.participants) if self.swaps else 0
        return (*self.participants[-shift:], *self.participants[:-shift]) if shift else self.participants

    def you(self, game: int = 0) -> int:
        """Return the seat of the only person in game number `game`; 0 if there isn't exactly one."""
        people = [seat for seat, participant in enumerate(self.participants_in(game), 1) if not participant.bot]
        return people[0] if len(people) == 1 else 0

    def starting_player(self, game: int) -> int:
        if not self.alternates:
            return self.first
        return (self.first - 1 + game) % len(self.participants) + 1

    def match(self, game: int) -> Match:
        names = [participant.name for participant in self.participants_in(game)]
        return Match(self.book, self.starting_player(game), names)

    def rematch(self, choice: str, bot: str = "") -> SeriesOptions:
        """Return the options for a rematch: apply `choice` and, if `bot` is given, replace the bots with it."""
        old = self.participants
        participants = (*old[1:], old[0]) if choice == SWAP else old
        bot = bot or self.other_bot(choice)
        bots = [participant.bot and (bot or participant.bot) for participant in participants]
        names = [self._name_in_seat(one, seat) for seat, one in enumerate(participants, 1) if not one.bot]
        seated = make_participants(self.book, bots, names)
        # Players with default names are interchangeable, so swapping only changes who starts.
        changes = seated == old if choice == SWAP else self.takes_turns
        first = next_first(self.first, len(seated)) if changes else self.first
        step = self.step if seated == old and first == self.first else ""
        return replace(self, participants=seated, first=first, step=step, practice=False, seed=self.seed + 1)

    def for_step(self, step: LadderStep) -> SeriesOptions:
        """Return the options for another step of a ladder, with the same person as player 1."""
        book = load_book(step.variant)
        names = [self._name_in_seat(one, 1) for one in self.participants if not one.bot]
        seated = make_participants(book, [None, step.character], names)
        options = replace(self, book=book, participants=seated, first=step.first, step=step.id, practice=False)
        return replace(options, seed=self.seed + 1)

    def _name_in_seat(self, person: Participant, seat: int) -> str:
        """Return the name of a person or, if no person was given a name, the default name for that seat."""
        seats = enumerate(self.participants, 1)
        unnamed = all(each.bot or each.name == self.book.player_name(old) for old, each in seats)
        return self.book.player_name(seat) if unnamed else person.name

    def other_bot(self, choice: str) -> str:
        """Return the next stronger or weaker character or level; empty if there is none, or in a ladder step."""
        bots = {participant.bot for participant in self.participants if participant.bot}
        bot = bots.pop() if len(bots) == 1 else ""
        ladder = NAMED if bot in NAMED else _LEVEL_BOTS
        bot = ladder[-1] if bot == "perfect" else bot
        if self.step or choice not in {HARDER, EASIER} or bot not in ladder:
            return ""
        number = ladder.index(bot) + (1 if choice == HARDER else -1)
        return ladder[number] if 0 <= number < len(ladder) else ""


@dataclass(slots=True)
class Series:
    """The finished games of a series, and the current one."""

    options: SeriesOptions
    finished: list[Match] = field(default_factory=list)
    current: Match | None = None
    helped: bool = False
    """Whether a player has used help in the current game."""
    ending: EndingView | None = None
    """Ending of the last game, if it was shown to a person."""
    retry: RetryView | None = None
    """Point at which the current game continues an earlier one, usually a mistake to correct; None for a new game."""

    def play(
        self,
        screen: TextConsole,
        changed: Callable[[], None] = lambda: None,
        ended: Callable[[Match], None] = lambda _: None,
    ) -> None:
        """Play the remaining games, calling `changed` after every move and `ended` after every game."""
        several = self.options.games > 1
        while not self.over:
            number = len(self.finished)
            if several:
                screen.say(f"\nGame {number + 1} of {self.options.games}\n\n")
            self.current = self.current or self.options.match(number)
            self._play_game(self.current, number, screen, changed)
            ended(self.current)
            self.finished.append(self.current)
            self.current, self.helped = None, False
            if several:
                screen.say(f"\nScore: {', '.join(f'{name}: {won}' for name, won in self.wins.items())}\n")
        if several:
            screen.say(format_series_result(self.wins) + self._wins_by_seat())

    def _play_game(self, match: Match, number: int, screen: TextConsole, changed: Callable[[], None]) -> None:
        options, seats = self.options, None

        def update() -> None:
            self.helped = session.helped
            changed()

        with ExitStack() as stack:
            if any(bots := [participant.bot for participant in options.participants_in(number)]):
                from numberline.bots.seats import Seats  # not needed without bots

                seats = stack.enter_context(closing(Seats(options.book, bots, seed=f"{options.seed}/{number}")))
                seats.new_game(f"{options.seed}/{number}")
            if options.takes_turns and not match.length and not self.retry:
                starter = options.participants_in(number)[match.first - 1]
                screen.say(f"{starter.name} starts this time.\n\n" if starter.bot else "You start this time.\n\n")
            shown = {"assist": options.assist, "reviews": options.reviews, "practice": options.practice}
            step = stored_steps().get(options.step) if options.step else None
            known = step.new if step else ""
            session = Session(match, screen, update, seats=seats, known=known, retry=self.retry, **shown)
            session.helped = self.helped
            session.play()
            self.helped, self.ending = session.helped, session.ending

    @property
    def wins(self) -> dict[str, int]:
        winners = [winner_of(match)[0] for match in self.finished]
        return {participant.name: winners.count(participant.name) for participant in self.options.participants}

    @property
    def over(self) -> bool:
        decided = self.options.decides_early and max(self.wins.values()) > self.options.games // 2
        return decided or len(self.finished) >= self.options.games

    def _wins_by_seat(self) -> str:
        """Return sentences with each participant's wins in each seat, or an empty string if seats don't swap."""
        if not self.options.swaps:
            return ""
        book, winners, text = self.options.book, [winner_of(match) for match in self.finished], ""
        for name in self.wins:
            wins = [f"{winners.count((name, player))} as {book.player_name(player)}" for player in book.players]
            text += f"{name} won {join_and(wins)}.\n"
        return text

    def retry_from(self, retry: RetryView) -> Series:
        """Return a series that continues the last game from just before ply `retry.ply`, with the same participants."""
        match, options = self.finished[-1].copy(), self.options
        while match.length >= retry.ply:
            match.undo()
        seated = options.participants_in(len(self.finished) - 1)
        seed = options.seed + 1
        options = replace(options, participants=seated, first=match.first, games=1, practice=True, seed=seed)
        return Series(options, current=match, retry=retry)


def recorded_series(match: Match) -> Series:
    """Return a series that consists of a recorded game; players who are named like a bot are treated as bots."""
    from numberline.bots.bot import bot_names  # not needed without a record

    bots = {_bot_name(bot) + end: bot for bot in (*_LEVEL_BOTS, *bot_names(), *CHARACTERS) for end in ("", _COMPUTER)}
    people = {name for name in match.names if name + _COMPUTER in match.names}
    participants = tuple(Participant(name, None if name in people else bots.get(name)) for name in match.names)
    return Series(SeriesOptions(book=match.book, participants=participants, first=match.first), finished=[match])


def winner_of(match: Match) -> tuple[str, int]:
    """Return the name and number of the winner, or `("", 0)` if there is none."""
    return (match.names[match.outcome.winner - 1], match.outcome.winner) if match.outcome else ("", 0)


def format_series_result(wins: dict[str, int]) -> str:
    r"""Return a sentence stating the result of a series.

    >>> format_series_result({"Ann": 2, "Bob": 1})
    'Ann wins the match 2 to 1.\n'
    """
    ranked = sorted(wins.values(), reverse=True)
    best = [name for name, count in wins.items() if count == ranked[0]]
    score = " to ".join(map(str, ranked))
    return f"{best[0]} wins the match {score}.\n" if len(best) == 1 else f"The match is drawn {score}.\n"


def make_participants(book: Book, seats: Sequence[str | None], names: Sequence[str]) -> tuple[Participant, ...]:
    """Return a participant for each seat; a person (None) gets the next name in `names`, or else a default name."""
    given = iter(names)
    unique: list[str] = []
    for player, bot in enumerate(seats, 1):
        bot_name = _bot_name(bot) if bot else ""
        name = bot_name + _COMPUTER * (bot_name in names) if bot else next(given, book.player_name(player))
        unique.append(name if name not in unique else f"{name} ({book.label(player)})")
    return tuple(Participant(name, bot) for name, bot in zip(unique, seats, strict=True))


def _bot_name(bot: str) -> str:
    from numberline.bots.bot import bot_display_name  # not needed without bots

    return bot_display_name(bot)
