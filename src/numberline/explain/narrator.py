"""Narration of a match in the book's own words, from the welcome to the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from numberline.explain.text_board import STYLES, iter_tokens, marks_by_place, token_mark
from numberline.game.match import RESIGN, Match, Ply
from numberline.game.messages import MAX_PLAYERS, MESSAGE_TYPES, SLOT_PATTERN, VOICE_OPTIONS
from numberline.game.moves import OUT, PASS, SKIP, Move
from numberline.game.position import Position
from numberline.text import join_or

MAX_LISTED_CHOICES = 9


class Narrator:
    """Messages about a match; all of them except the question end with a newline."""

    def __init__(self, match: Match, bots: Collection[int] = ()) -> None:
        self.match = match
        self.book = match.book
        self._bots = bots

    @property
    def draws(self) -> bool:
        """Whether the book's messages include a drawing of the line."""
        return self._style in STYLES

    @property
    def _style(self) -> str:
        return self.book.voice.get("style", VOICE_OPTIONS["style"][0])

    def opening(self) -> str:
        return self._say("opening")

    def starts(self) -> str:
        return self._say("starts")

    def board(self) -> str:
        """Return the line with its tokens, or an empty string if the book doesn't draw it."""
        if not self.draws:
            return ""
        waiting = "".join(self._waiting())
        placed = marks_by_place(self.book, self.match.position, skip_starts=bool(waiting))
        template = self._text("board")
        indent = " " * len(template.split("{line}")[0].rsplit("\n", 1)[-1])
        line = STYLES[self._style](self.book, placed).replace("\n", "\n" + indent)
        return self._say("board", line=line) + waiting

    def turn(self) -> str:
        turn = self.match.turn
        return f"\n{self._name(turn)}'s turn.\n" if turn in self._bots else self._say("turn")

    def ask(self, *, only_legal: bool = False) -> str:
        """Return the question without a newline. If `only_legal` is true, it lists only moves that are legal now."""
        legal = self.match.moves
        restricted = only_legal and len(legal) < len(self.book.choices)
        return self._say("ask", choices=_short_list(legal) if restricted else self._choices()).removesuffix("\n")

    def legal(self) -> str:
        """Return a sentence about the legal moves, or an empty string if every move is legal."""
        if len(self.match.moves) == len(self.book.choices):
            return ""
        return f"{self.book.restriction_sentence(self.match.position, self.match.names)}\n"

    def event(self, ply: Ply) -> str:
        """Return the book's message about a ply.

        If the message about a bot's move doesn't name the bot, it may address the player as `you`, so a neutral message
        replaces it.
        """
        text = self._event(ply)
        if ply.player not in self._bots or ply.move in _MESSAGES_WITHOUT_TOKEN:
            return text
        if self._name(ply.player) in text:
            return text.lstrip("\n")
        from numberline.explain.phrases import Phrases  # imports the solver

        return f"{Phrases(self.book, self.match.names).describe_ply(ply)}.\n"

    def ending(self) -> str:
        """Return the result and the final places, or an empty string if the match is not over."""
        outcome = self.match.outcome
        if not outcome:
            return ""
        winner, position = outcome.winner, self.match.position
        final = self._say("final", player=winner, places=self._places())
        if self.book.is_home(position, winner):
            return self._say("won", player=winner) + final
        # A player who loses by having no move is still to move; after an elimination, it is the winner's turn.
        why = self._say("stranded") if position.turn != winner else ""
        return why + self._say("wins", player=winner) + final

    def _event(self, ply: Ply) -> str:
        if ply.move in _MESSAGES_WITHOUT_TOKEN:
            return self._say(_MESSAGES_WITHOUT_TOKEN[ply.move], position=ply.before, player=ply.player)
        move = self.book.read(ply.move, ply.before)
        place, wanted, landed = self.book.move_effect(ply.before, move)
        if ply.after.is_out(ply.player):
            moment = "out"
        elif landed == wanted:
            moment = "back" if move.endswith("back") else "moved"
        else:
            moment = "stayed" if landed == place else "stopped"
        return self._say(
            moment,
            position=ply.before,
            player=ply.player,
            mover=self._token_name(ply.player, move.token or 0),
            place=str(place),
            to=str(landed),
            wanted=str(wanted),
            occupant=self._occupant(ply.before, move),
            direction="Right" if move.heading[ply.player] > 0 else "Left",
            stride=str(move.stride),
            move=move,
        )

    def _say(
        self, moment: str, *, position: Position | None = None, player: int = 0, mover: str = "", **facts: str
    ) -> str:
        position = position or self.match.position
        player = player or position.turn
        if not (text := self._text(moment)):
            return ""
        if mover:
            facts["player"] = mover
        computed = self._facts(position, player)

        def fill(slot: re.Match[str]) -> str:
            fact = facts[slot[1]] if slot[1] in facts else computed[slot[1]]()
            return fact if slot[2] is None else slot[2 if fact == "1" else 3]

        return SLOT_PATTERN.sub(fill, text) + "\n"

    def _text(self, moment: str) -> str:
        return self.book.voice.get(moment, MESSAGE_TYPES[moment].default)

    def _facts(self, position: Position, player: int) -> dict[str, Callable[[], str]]:
        """Return a function for each slot, so that only the slots in a message are computed."""
        book = self.book
        return {
            "title": lambda: book.title,
            "player": lambda: self._name(player),
            "place": lambda: self._place(position, player),
            "goal": lambda: self._goal(player),
            "last": self._last,
            "choices": self._choices,
            "legal": lambda: join_or(legal) if (legal := book.moves(position)) else "",
            "moves": lambda: ", ".join(book.moves(position)),
            "steps": lambda: _short_list(book.rules.steps) if book.rules.steps else "",
            **{f"player{number}": partial(self._name, number) for number in _NUMBERS},
            **{f"goal{number}": partial(self._goal, number) for number in _NUMBERS},
        }

    def _name(self, player: int) -> str:
        """Return a player's name, even if the variant has no such player, since a message may mention that player."""
        return self.match.names[player - 1] if player in self.book.players else self.book.player_name(player)

    def _goal(self, player: int) -> str:
        return join_or(self.book.rules.goals[player - 1]) if player in self.book.players else "none"

    def _last(self) -> str:
        """Return the last move if it moved a token, else `N/A`."""
        plies = self.match.plies
        return plies[-1].move if plies and plies[-1].move not in _MESSAGES_WITHOUT_TOKEN else "N/A"

    def _choices(self) -> str:
        """Return all moves of the book as listed in a prompt."""
        rules, choices = self.book.rules, self.book.choices
        if rules.tokens > 1:
            return join_or(choices)
        if rules.moves == "both ways":
            return f"L/R followed by {_short_list(rules.steps)}{f', or {SKIP}' if rules.skip else ''}"
        extras = [move for move in choices if move in ("back", SKIP)]
        return _short_list(choices[: len(choices) - len(extras)], extras)

    def _waiting(self) -> Iterator[str]:
        """Yield a sentence for each token still at its start, empty if the book has no such message."""
        for player, token, place in iter_tokens(self.book, self.match.position):
            if player and place == self.book.rules.starts[player - 1]:
                yield self._say("waiting", player=player, mover=self._token_name(player, token), place=str(place))

    def _token_name(self, player: int, token: int) -> str:
        """Return the player's name, followed by the token's mark if each player has several tokens."""
        name = self._name(player)
        return f"{name} ({token_mark(self.book, player, token)})" if self.book.rules.tokens > 1 else name

    def _occupant(self, position: Position, move: Move) -> str:
        occupant = self.book.occupant(position, move)
        return self._token_name(*occupant) if occupant else "nobody"

    def _places(self) -> str:
        """Return the places of all players, one player per line."""
        position = self.match.position
        return "\n".join(
            f"{name}: {'out' if position.is_out(player) else self._place(position, player)}"
            for player, name in enumerate(self.match.names, 1)
        )

    def _place(self, position: Position, player: int) -> str:
        return " and ".join(map(str, self.book.tokens_of(position, player)))


_NUMBERS = range(1, MAX_PLAYERS + 1)
_MESSAGES_WITHOUT_TOKEN = {SKIP: "skipped", PASS: "lost", OUT: "stranded", RESIGN: "resigned"}


def _short_list(choices: Sequence[object], extras: Sequence[object] = ()) -> str:
    """Return the choices as listed in a prompt, abbreviating a long list.

    >>> _short_list([1, 2]), _short_list(range(1, 31)), _short_list([1, 2], ["back"])
    ('1 or 2', '1, 2, …, or 30', '1, 2, or back')
    """
    few = choices if len(choices) <= MAX_LISTED_CHOICES else [choices[0], choices[1], "…", choices[-1]]
    return join_or([*few, *extras])
