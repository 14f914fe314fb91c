"""A game at the table: asks for moves, tells what happens, and does what is typed besides a move."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from numberline.game.match import RESIGN, Match, Ply
from numberline.game.moves import FORCED_MOVES
from numberline.terminal.board import PLAYER_COLORS
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.prompt import Command, MatchPrompt, as_sentence, report_errors
from numberline.text import join_and, pluralize
from numberline.views.board import ChoiceView

if TYPE_CHECKING:
    from numberline.bots.seats import Seats

MAX_BOT_GAME_TURNS = 1_000
"""A game that only programs play is stopped after so many turns; they would not tire of it."""
DEADLOCK_MESSAGE = "Nobody has a move any more, so nobody wins."
RESULT_PHRASES = {"wins": "wins", "loses": "loses", "out": "puts you out"}


class Session(MatchPrompt):
    """One match, played by people at one keyboard and by programs."""

    def __init__(
        self,
        match: Match,
        screen: TextConsole,
        changed: Callable[[], None] = lambda: None,
        *,
        seats: Seats | None = None,
        assist: bool = False,
        reviews: bool = False,
    ) -> None:
        people = seats.people if seats else tuple(match.book.players)
        super().__init__(match, screen, [player for player in match.book.players if player not in people])
        screen.names = {name: PLAYER_COLORS[player] for player, name in enumerate(match.names, 1)}
        self._changed = changed
        """Called whenever something has happened in the match."""
        self._seats = seats
        """Who sits where, if a program plays; None where only people do."""
        self._people = people
        self._assist = assist
        """Whether the worth of every move is shown at every turn."""
        self._reviews = reviews
        """Whether the whole game is looked back at when it is over."""
        self.commands |= {
            "rules": Command("the rules of this game", self.rules),
            "moves": Command("what you can play now, and where it leads", self._moves),
            "hint": Command("a nudge; asked again, the move", self.hint),
            "why": Command("what this position is worth, and why", self._why),
            "values": Command("what each move is worth", self._values),
            "undo": Command("take back the last move", self._undo),
            "resign": Command("give the game up", self._resign),
        }

    def play(self) -> None:
        """Plays the match to its end; raises `Quit` or `EndOfInput` where it is left before."""
        self._changed()
        self._open()
        limit = math.inf if self._people else MAX_BOT_GAME_TURNS
        while not self.match.outcome and self.match.length < limit and not self._stands_still:
            self._turn()
        stopped = (
            DEADLOCK_MESSAGE if self._stands_still else f"Nobody has won after {limit:,} turns: the game is stopped."
        )
        self.screen.say(self.narrator.ending() or f"\n{stopped}\n")
        with report_errors(self.screen):
            self._look_back()

    @property
    def _stands_still(self) -> bool:
        """Whether nobody has a move ever again; that is said after the first turn that is lost by it."""
        match = self.match
        return bool(match.length) and match.plies[-1].move in FORCED_MOVES and match.book.is_deadlocked(match.position)

    def _open(self) -> None:
        """The welcome; for a match that was left, where it stands."""
        if self.match.length:
            self.screen.say(f"Going on after {pluralize(self.match.length, 'turn')}.\n")
            self.board()
            return
        self.screen.say(self.narrator.opening())
        if self.narrator.draws or not self.screen.draws:
            self.board()
        self.screen.say(self.narrator.starts())
        if self.screen.draws and not self.narrator.draws:
            self.board()
        if self.screen.shows_help and self._people:
            self.screen.say("\nType a move when it is your turn, or ? for help.\n")

    def _turn(self) -> None:
        """One turn, or its being taken back: a person is asked, anything else happens by itself."""
        lost = self.match.moves[0] in FORCED_MOVES
        if not lost:
            self.screen.say(self.narrator.turn())
        if lost or self.match.turn not in self._people:
            self._go_on()
            return
        if self._assist:
            with report_errors(self.screen):
                self._values()
        if self.screen.shows_help:
            self.screen.say(self.narrator.legal())
        self.ask(self.narrator.ask(), lambda typed: self._tell(self.match.play(typed)))

    def _go_on(self) -> None:
        """Lets a lost turn pass, or the program whose turn it is move; one that makes no legal move resigns."""
        from numberline.bots.seats import iter_bot_turns  # not needed where people play and lose no turn

        player = self.match.turn - 1
        with progress_bar(f"{self.match.names[player]} is thinking") as progress:
            if bot := self._ready.bots[player]:
                bot.progress = progress
            forfeit = next(iter_bot_turns(self.match, self._ready))
        ply = self.match.plies[-1]
        if forfeit:
            self.screen.say(f"{as_sentence(str(forfeit))}\n")
        self._tell(ply)

    @cached_property
    def _ready(self) -> Seats:
        """Who plays, with programs that are ready: nobody waits for that before the first question."""
        from numberline.bots.seats import Seats

        seats = self._seats or Seats(self.match.book, [None] * len(self._people))
        with progress_bar(f"Solving {self.match.book.variant}") as progress:
            seats.prepare(progress)
        return seats

    def _tell(self, ply: Ply) -> Ply:
        """Says what has just happened."""
        self._changed()
        self.screen.say(self.narrator.event(ply))
        shown = self.screen.draws or not self.match.outcome  # from a pipe the line is not drawn after the last move
        if shown and ply.move != RESIGN and ply.before.tokens != ply.after.tokens:
            self.board()
        return ply

    def _look_back(self) -> None:
        """After a game: the whole review if it was asked for; else, against a program, where it was won or lost."""
        if self._reviews:
            self.screen.say("\n")
            self.screen.show(self.coach.review(self.screen))
        elif self.match.outcome and self._seats and len(self._people) == 1 and len(self.match.names) == 2:
            self._turning_point(self._people[0])

    def _turning_point(self, you: int) -> None:
        """Where the game was won or lost: the sentence, the board there, and why."""
        said, earlier, reason = self.coach.summarize_for(you)
        self.screen.say(f"\n{said}\n")
        if earlier:
            self.screen.say("Before that move:\n")
            before = MatchPrompt(earlier, self.screen)
            if self.screen.draws or before.narrator.draws:
                before.board()
            else:
                self.screen.say(f"{before.view.said}\n")
        if reason:
            self.screen.say(f"\n{reason}\n")

    # What can be typed besides a move

    def _moves(self) -> None:
        for choice in self.view.legal:
            self.screen.say(f"  {choice.move:<6} {_effect(choice)}\n")

    def _why(self) -> None:
        self.screen.say(f"{self.coach.why()}\n")

    def _values(self) -> None:
        self.screen.show(self.coach.values())

    def _undo(self) -> tuple[Ply, ...] | None:
        """Takes back the last move, and against a program its answer too."""
        taken = self.match.undo()
        while taken and self.match.turn not in self._people and (earlier := self.match.undo()):
            taken = (*earlier, *taken)
        if not taken:
            self.screen.say("There is nothing to take back.\n")
            return None
        self._changed()
        moves = [f"{ply.move} by {self.match.names[ply.player - 1]}" for ply in taken if ply.chosen]
        self.screen.say(f"Taken back: {join_and(moves)}.\n")
        self.board()
        return taken

    def _resign(self) -> Ply:
        return self._tell(self.match.resign())


def _effect(choice: ChoiceView) -> str:
    """What a legal move does, in a few words."""
    if choice.result:
        return RESULT_PHRASES[choice.result]
    return "changes nothing" if choice.lands == choice.place else f"from {choice.place} to {choice.lands}"
