"""What things are called in a sentence: the players, the places, where everybody stands, and what a move does."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES, OUT, PASS, SKIP, Move
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize

VALUE_PHRASES = {WIN: "wins", LOSS: "loses", ENDLESS: "nobody can force a win", OPEN: "nobody can force a win"}
"""What each value says of the player to move."""
ORDINALS = ("first", "second", "third")
_IRREGULAR = {"be": ("are", "is"), "have": ("have", "has")}
_UNCHANGED = {"can", "could", "would"}
_WITHOUT_TOKEN = {SKIP: "gives up the turn", PASS: "loses the turn", OUT: "has no move left"}


class Phrases:
    """How one book's things are called. `you` is the player who is spoken to, 0 where nobody is."""

    def __init__(self, book: Book, names: Sequence[str] = (), you: int = 0) -> None:
        self.book = book
        self.names = book.player_names(names)
        self.you = you
        self.noun = book.noun("place")
        self.token = book.noun("token")
        self.two_players = book.rules.players == 2
        self.is_number = book.rules.shared and book.rules.moves == "operations"

    # Players

    def who(self, player: int) -> str:
        """The player as the one who does something: `you`, or the name."""
        return "you" if player == self.you else self.names[player - 1]

    def whose(self, player: int) -> str:
        """What stands before something that is the player's: `your`, or `Ann's`."""
        return "your" if player == self.you else f"{self.names[player - 1]}'s"

    def subject_verb(self, player: int, verb: str) -> str:
        """The player and the verb: `you win`, `Ann wins`."""
        return f"{self.who(player)} {self.verb(player, verb)}"

    def verb(self, player: int, verb: str) -> str:
        """The verb in the form that the player asks for."""
        if verb in _UNCHANGED:
            return verb
        return _IRREGULAR.get(verb, (verb, verb + "s"))[player != self.you]

    # Time

    def deadline_phrase(self, plies: int, first: int) -> str:
        """In how many turns, the player `first` having the first of them."""
        if plies == 1:
            return "at once"
        own = (plies + (first == self.you)) // 2
        yours = f" ({own:,} of them yours)" if self.you and self.two_players else ""
        return f"in at most {pluralize(plies, 'turn')}{yours}"

    # Places

    def place(self, number: int) -> str:
        """A place on the line: `tile 5`; a number is just that."""
        return str(number) if self.is_number else f"{self.noun} {number}"

    def places(self, numbers: Sequence[int]) -> str:
        """Several places: `tiles 3 and 5`."""
        listed = join_and(numbers)
        return listed if self.is_number else f"{self.noun}{'s' if len(numbers) > 1 else ''} {listed}"

    def any_place(self, numbers: Sequence[int]) -> str:
        """One of several places: `tile 3 or 5`, `10 to 19` where they lie side by side."""
        row = len(numbers) > 3 and numbers[-1] - numbers[0] == len(numbers) - 1
        listed = f"{numbers[0]} to {numbers[-1]}" if row else join_or(numbers)
        return listed if self.is_number else f"{self.noun} {listed}"

    def position_phrase(self, position: Position) -> str:
        """Where everything stands: `the marker on position 5`, `you on tile 3 and Player 2 on tile 8`."""
        return self._scene(position)

    def situation_sentence(self, position: Position) -> str:
        """The same in a sentence of its own, and what may not be done now."""
        ban = f", and {self.who(position.turn)} {self.banned(position)}" if position.last else ""
        return self.sentence(self._scene(position, verb="be") + ban)

    def _scene(self, position: Position, verb: str = "") -> str:
        if self.book.rules.shared:
            on = str(position.tokens[0]) if self.is_number else f"on {self.place(position.tokens[0])}"
            return f"the {'number' if self.is_number else self.token} {'is ' if verb else ''}{on}"
        players = sorted(self.book.players, key=lambda player: player != self.you)
        standings = [
            (self.subject_verb(player, verb) if verb else self.who(player))
            + f" on {self.places(self.book.tokens_of(position, player))}"
            for player in players
            if not position.is_out(player)
        ]
        # A list of lists needs commas.
        return join_and(standings) if self.book.rules.tokens == 1 else ", and ".join(standings)

    def banned(self, position: Position) -> str:
        """What the player to move may not do now: `may not move by 3`; nothing where nothing is banned."""
        return f"may not {self.stride(position.last)}" if position.last else ""

    def stride(self, last: int) -> str:
        """What a ban on repeating remembers, as something to do: `move by 3`, `use *2`."""
        return f"{'use' if self.book.rules.operations else 'move by'} {self.book.stride(last)}"

    # Moves

    def move_clause(self, player: int, move: str, verb: str = "play") -> str:
        """The player makes the move: `you play 3`, `Ann loses the turn`."""
        if move == PASS:
            return f"{self.subject_verb(player, 'lose')} the turn"
        if move == OUT:
            return f"{self.subject_verb(player, 'have')} no move and {self.verb(player, 'be')} out"
        return f"{self.subject_verb(player, verb)} {move}"

    def has_no_choice(self, position: Position) -> bool:
        """Whether the player to move has no move, so that the turn is lost or the player out."""
        return any(move in FORCED_MOVES for move in self.book.moves(position))

    def effect_phrase(self, position: Position, move: str) -> str:
        """What a legal move does, after the word `it`: `brings the marker to position 5`, `makes 7`."""
        found = self.book.read(move, position)
        if found.token is None:
            return _WITHOUT_TOKEN[found]
        place, wanted, landed = self.book.move_effect(position, found)
        if self.eliminates(position, move):
            return f"goes past {self.book.nearest_goal(position.turn, wanted)}"
        if self.is_number:
            return f"makes {landed}"
        moved = self._moved(position.turn, found)
        if landed == place:
            return f"leaves {moved} on {self.place(landed)}"
        if landed != wanted:
            return f"takes {moved} only to {self.place(landed)}"
        return f"{'brings' if self.book.rules.shared else 'takes'} {moved} to {self.place(landed)}"

    def ending(self, position: Position, move: str) -> str:
        """What a move does that ends the game, and why that ends it where the goal is not what does."""
        after = self.book.after(position, move)
        home = self.book.is_home(after, self.book.winner(after))
        effect = self.effect_phrase(position, move)
        if home or after.is_out(position.turn):
            return effect
        return f"{effect}, and {self.subject_verb(after.turn, 'have')} no move left"

    def eliminates(self, position: Position, move: str) -> bool:
        """Whether the player to move is out of the game after a move."""
        return bool(self.book.after(position, move).is_out(position.turn))

    def losing_verb(self, position: Position, moves: Sequence[str], *, one: bool) -> str:
        """What losing moves do, as a verb for one or for several: `loses`, `let somebody else win or put you out`."""
        s = "s" * one
        if self.two_players:
            return f"lose{s}"
        outs = [self.eliminates(position, move) for move in moves]
        ways = [f"let{s} somebody else win"] * (not all(outs)) + [f"put{s} {self.who(position.turn)} out"] * any(outs)
        return join_or(ways)

    def _moved(self, player: int, move: Move) -> str:
        """What a move moves."""
        if self.book.rules.shared:
            return f"the {self.token}"
        if self.book.rules.tokens == 1:
            return self.who(player)
        return f"{self.whose(player)} {ORDINALS[move.token or 0]} {self.token}"

    def sentence(self, text: str) -> str:
        """The text as a sentence; a name at its beginning stays as it is written."""
        named = any(text.startswith(name) for name in self.names)
        return (text if named else text[:1].upper() + text[1:]) + "."


def describe_worth(worth: Worth, words: Phrases) -> str:
    """What a move is worth, in a few words: `wins in at most 11 turns`."""
    when = "at once" if worth.ends_game else f"in at most {pluralize(worth.plies or 0, 'turn')}"
    if worth.value == WIN:
        return f"wins {when}"
    if worth.out:
        return "puts you out"
    if worth.value == LOSS:
        return f"loses {when}" if words.two_players else f"lets {words.who(worth.winner)} win {when}"
    return VALUE_PHRASES[ENDLESS] if words.two_players else "nobody alone can force a win"
