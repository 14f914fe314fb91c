"""Interactive match: asks people and bots for moves, prints what happens and handles commands."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from numberline.explain.rule_words import key_rule
from numberline.game.match import RESIGN, Match, Ply, parse_legal_move
from numberline.game.moves import FORCED_MOVES
from numberline.progress.rules import MAX_STARS, draw_stars
from numberline.terminal.board import PLAYER_COLORS
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.prompt import Command, MatchPrompt, as_sentence, report_errors
from numberline.text import join_and, join_or, pluralize
from numberline.views.board import ChoiceView

if TYPE_CHECKING:
    from numberline.bots.seats import Seats
    from numberline.explain.phrases import Phrases
    from numberline.views.game_over import EndingView, RetryView

_MAX_BOT_GAME_TURNS = 1_000
_DEADLOCK_MESSAGE = "No player can move any more, so there is no winner."
_RESULT_PHRASES = {"wins": "wins", "loses": "loses", "out": "puts you out"}


class Session(MatchPrompt):
    """Match played by people at one keyboard, by bots, or by both.

    `changed` is called at the start and after every change. `seats` contains the bots; it is None if all players are
    people. `known` is the announcement of new rules that a ladder step has already shown. With `retry`, the match
    continues an earlier one; if `retry` lists better moves, the player gets two tries to find one of them.
    """

    def __init__(
        self,
        match: Match,
        screen: TextConsole,
        changed: Callable[[], None] = lambda: None,
        *,
        seats: Seats | None = None,
        assist: bool = False,
        reviews: bool = False,
        practice: bool = False,
        known: str = "",
        retry: RetryView | None = None,
    ) -> None:
        people = seats.people if seats else tuple(match.book.players)
        super().__init__(match, screen, [player for player in match.book.players if player not in people])
        screen.names = {name: PLAYER_COLORS[player] for player, name in enumerate(match.names, 1)}
        self._changed = changed
        self._given_seats = seats
        self._people = people
        self._assist = assist
        self._reviews = reviews
        self.helped = False
        """Whether a player has asked for a hint, an explanation or move values, or has undone a move."""
        self.ending: EndingView | None = None
        """View of the end of the match; None until it has been shown to a person."""
        self._you = people[0] if len(people) == 1 else 0
        self._retry = retry
        self._practice = practice
        self._known = known
        self._tried = False
        self.commands |= {
            "rules": Command("the rules of this game", lambda: self.rules(self._you)),
            "moves": Command("the moves you can play", self._moves),
            "hint": Command("a hint (ask again for the move)", lambda: self._help(self.coach.hint())),
            "why": Command("what to play, and why", lambda: self._help(self.coach.why(of_best=bool(self._retry)))),
            "values": Command("how good each move is", self._values),
            "undo": Command("take back your last move", self._undo),
            "resign": Command("give up this game", self._resign),
        }

    def play(self) -> None:
        """Play the match to its end; raise `Quit` or `EndOfInput` if the player leaves early."""
        self._changed()
        self._open()
        limit = math.inf if self._people else _MAX_BOT_GAME_TURNS
        while not self.match.outcome and self.match.length < limit and not self._is_deadlocked:
            self._turn()
        if not self.match.outcome:
            stops = f"No winner after {limit:,} turns: the game stops."
            self.screen.say(f"\n{_DEADLOCK_MESSAGE if self._is_deadlocked else stops}\n")
        elif not self.screen.draws or not self._people:
            self.screen.say(self.narrator.ending())
        elif stranded := self._phrases.stranded(self.match):
            self.screen.say(f"\n{as_sentence(stranded)}\n")
        with report_errors(self.screen):
            self._end()

    @property
    def _is_deadlocked(self) -> bool:
        """Whether no player can ever move again; false until the first lost turn has been printed."""
        match = self.match
        return bool(match.length) and match.plies[-1].move in FORCED_MOVES and match.book.is_deadlocked(match.position)

    def _open(self) -> None:
        """Print the introduction, or the current position of a resumed match."""
        if self.match.length or self._retry:
            self.board(self._retry.said if self._retry else f"Resuming after {pluralize(self.match.length, 'turn')}.")
            return
        if self.screen.draws:
            goals = self.match.book.rules.goals
            yours = f"Your goal is {join_or(goals[self._you - 1])}." if self._you and len(set(goals)) > 1 else ""
            self.board(yours or self.match.book.title)
        else:
            self.screen.say(self.narrator.opening())
            self.board()
            self.screen.say(self.narrator.starts())
        if self.screen.shows_help and self._people:
            self.screen.say(f"\n{self._key_rule()}When it's your turn, type a move. Type rules or ? for help.\n")

    def _key_rule(self) -> str:
        """Return a line with the key rule and the variant's changes, except those that a ladder step has announced."""
        book = self.match.book
        if book.variant == book.name and not self._known:
            return f"{key_rule(book)}\n"
        from numberline.explain.rules_text import describe_key_rules  # slow to import

        return f"{describe_key_rules(book, self.match.names, self._you, known=self._known)}\n".lstrip()

    def _turn(self) -> None:
        """Play one turn, asking for input (a move or a command) unless a bot moves or the turn is lost."""
        lost = self.match.moves[0] in FORCED_MOVES
        self.screen.say(self._announce_turn(lost=lost))
        if lost or self.match.turn not in self._people:
            self._play_automatic_turn()
            return
        if self._assist:
            with report_errors(self.screen):
                self._values()
        if self.screen.shows_help:
            self.screen.say(self.narrator.legal())
        self.ask(self.narrator.ask(only_legal=self.screen.shows_help), self._play_typed)

    def _announce_turn(self, *, lost: bool) -> str:
        """Return the book's message about the turn or, at a terminal, only whose turn it is if several people play."""
        if not self.screen.draws:
            return "" if lost else self.narrator.turn()
        is_news = not lost and not self._you and self.match.turn in self._people
        return f"\n{self.match.names[self.match.turn - 1]}'s turn.\n" if is_news else "\n"

    def _play_typed(self, typed: str) -> Ply | None:
        """Play a move; in a retry, reject one wrong move (return None) and replace a second one with a better move."""
        if (retry := self._retry) and retry.better:
            move = parse_legal_move(self.match.book, self.match.position, typed, self.match.moves, self.match.names)
            typed, said = retry.judge(move, tried=self._tried)
            self._tried = True
            self.screen.say(f"\n{said}\n" if typed else f"{said}\n")
            if not typed:
                return None
            self._retry = None
            if typed != move:
                self.helped = True
                self.screen.pause()
        return self._report(self.match.play(typed))

    def _play_automatic_turn(self) -> None:
        """Pass a lost turn or let the bot move; a bot that returns no legal move forfeits."""
        from numberline.bots.seats import iter_bot_turns  # not needed unless a bot plays or a turn is lost

        player, seats = self.match.turn - 1, self._seats  # solves the book, which has its own progress bar
        with progress_bar(f"{self.match.names[player]} is thinking") as progress:
            if bot := seats.bots[player]:
                bot.progress = progress
                self.screen.pause()
            forfeit = next(iter_bot_turns(self.match, seats))
        if forfeit:
            self.screen.say(f"{as_sentence(str(forfeit))}\n")
        self._report(self.match.plies[-1])

    @cached_property
    def _phrases(self) -> Phrases:
        from numberline.explain.phrases import Phrases  # imports the solver

        return Phrases(self.match.book, self.match.names, self._you)

    @cached_property
    def _seats(self) -> Seats:
        """Seats with bots ready to play; prepared on first use, so that the first prompt appears without delay."""
        from numberline.bots.seats import Seats

        seats = self._given_seats or Seats(self.match.book, [None] * len(self._people))
        with progress_bar(f"Solving {self.match.book.variant}") as progress:
            seats.prepare(progress)
        for note in {bot.note for bot in seats.bots if bot and bot.note and self.screen.draws}:
            self.screen.say(f"{note}\n")
        return seats

    def _report(self, ply: Ply) -> Ply:
        self._changed()
        caption = as_sentence(self._phrases.describe_ply(ply)) if self.screen.draws else ""
        if caption and ply.move != RESIGN:
            self.board(caption)
        else:
            self.screen.say(f"\n{caption}\n" if caption else self.narrator.event(ply))
            if not self.match.outcome:  # transcripts omit the board after the last move
                self.board()
        return ply

    def _end(self) -> None:
        """Show the review if requested, then the ending.

        Without a terminal, the ending is just the deciding moment; it is shown if one person played against bots and no
        review was requested.
        """
        if self._reviews:
            from numberline.terminal.review import show_review  # imports the solver

            self.screen.say("\n")
            show_review(self.coach.review(), self.screen)
        bots = self._given_seats is not None
        if not self._people or not (self.screen.draws or (bots and self._you and not self._reviews)):
            return
        from numberline.views.game_over import ending_view  # imports the solver

        facts = {"against_bots": bots, "helped": self.helped, "practice": self._practice}
        view = ending_view(self.match, self.coach.quick_solution, you=self._you, **facts)
        self.ending = view
        if self.screen.draws:
            self.screen.discard_typed()
            self.screen.say(f"\n{view.headline}\n")
        if self.screen.draws and (view.missing or view.stars is not None):
            stars = f"{view.stars} of {MAX_STARS} stars." if self.screen.plain else draw_stars(view.stars or 0)
            self.screen.say(f"{stars if view.stars is not None else ''} {view.missing}".strip() + "\n")
        if view.moment:
            self.screen.say(f"{'' if self.screen.draws else chr(10)}{view.moment}\n")

    def _help(self, text: str) -> None:
        self._note_help()
        self.screen.say(f"{text}\n")

    def _note_help(self) -> None:
        """Remember that a player used help, also after quitting and resuming."""
        self.helped = True
        self._changed()

    # Commands

    def _moves(self) -> None:
        self.screen.say("".join(f"  {choice.move:<6} {_effect(choice)}\n" for choice in self.view.legal))

    def _values(self) -> None:
        lines = self.coach.values(plain=self.screen.plain)
        self._note_help()
        self.screen.show(lines)

    def _resign(self) -> Ply | None:
        """Resign; at a terminal, ask for confirmation first."""
        sure = not self.screen.draws or self.screen.ask("Give up this game? (y/n) ").strip().lower().startswith("y")
        return self._report(self.match.resign()) if sure else None

    def _undo(self) -> tuple[Ply, ...] | None:
        """Undo the last move and any bot replies to it."""
        undone = self.match.undo()
        while undone and self.match.turn not in self._people and (earlier := self.match.undo()):
            undone = (*earlier, *undone)
        if not undone:
            self.screen.say("There is nothing to undo.\n")
            return None
        self.helped, self._retry = True, None
        self._changed()
        moves = [f"{ply.move} by {self.match.names[ply.player - 1]}" for ply in undone if ply.chosen]
        self.screen.say(f"Undone: {join_and(moves)}.\n")
        self.board()
        return undone


def _effect(choice: ChoiceView) -> str:
    if choice.result:
        return _RESULT_PHRASES[choice.result]
    return "changes nothing" if choice.lands == choice.place else f"from {choice.place} to {choice.lands}"
