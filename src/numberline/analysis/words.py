"""What things are called in a sentence: the players, the places, where everybody stands, and what a move does."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.book.book import Book
from numberline.book.voice import WORDS
from numberline.rules.ending import finished
from numberline.rules.moves import FORCED, OUT, PASS, SKIP, Move
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.rules.wording import any_of

ORDINALS = ("first", "second", "third")
_SMALL = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_IRREGULAR = {"be": ("are", "is"), "have": ("have", "has")}
_UNCHANGED = {"can", "could", "would"}
_WITHOUT_TOKEN = {SKIP.text: "gives up the turn", PASS.text: "loses the turn", OUT.text: "has no move left"}


class Words:
    """How one book's things are called. `you` is the player who is spoken to, 0 where nobody is."""

    def __init__(self, book: Book, names: Sequence[str] = (), you: int = 0) -> None:
        called = [book.player_name(player) for player in range(1, book.rules.players + 1)]
        self.book = book
        self.names = (*names, *called[len(names) :])
        self.you = you
        self.noun = book.voice.get("place", WORDS["place"])
        self.token = book.voice.get("token", WORDS["token"])
        self.two = book.rules.players == 2
        self.a_number = book.rules.shared and book.rules.moves == "operations"

    # Players

    def who(self, player: int) -> str:
        """The player as the one who does something: `you`, or the name."""
        return "you" if player == self.you else self.names[player - 1]

    def whose(self, player: int) -> str:
        """What stands before something that is the player's: `your`, or `Ann's`."""
        return "your" if player == self.you else f"{self.names[player - 1]}'s"

    def does(self, player: int, verb: str) -> str:
        """The player and the verb: `you win`, `Ann wins`."""
        return f"{self.who(player)} {self.verb(player, verb)}"

    def verb(self, player: int, verb: str) -> str:
        """The verb in the form that the player asks for."""
        if verb in _UNCHANGED:
            return verb
        return _IRREGULAR.get(verb, (verb, verb + "s"))[player != self.you]

    # Time

    def within(self, plies: int, first: int) -> str:
        """In how many turns, the player `first` having the first of them."""
        if plies == 1:
            return "at once"
        told = f"in at most {turns(plies)}"
        if not (self.you and self.two):
            return told
        own = (plies + (first == self.you)) // 2
        return f"{told} ({own:,} of them yours)"

    # Places

    def place(self, number: int) -> str:
        """A place on the line: `tile 5`; a number is just that."""
        return str(number) if self.a_number else f"{self.noun} {number}"

    def places(self, numbers: Sequence[int]) -> str:
        """Several places: `tiles 3 and 5`."""
        listed = all_of([str(number) for number in numbers])
        return listed if self.a_number else f"{self.noun}{'s' if len(numbers) > 1 else ''} {listed}"

    def any_place(self, numbers: Sequence[int]) -> str:
        """One of several places: `tile 3 or 5`, `10 to 19` where they lie side by side."""
        row = len(numbers) > 3 and numbers[-1] - numbers[0] == len(numbers) - 1
        told = f"{numbers[0]} to {numbers[-1]}" if row else any_of([str(number) for number in numbers])
        return told if self.a_number else f"{self.noun} {told}"

    def scene(self, position: Position) -> str:
        """Where everything stands: `the marker on position 5`, `you on tile 3 and Player 2 on tile 8`."""
        if self.a_number:
            return f"the number {position.tokens[0]}"
        if self.book.rules.shared:
            return f"the {self.token} on {self.place(position.tokens[0])}"
        return all_of([f"{self.who(player)} on {self._own(position, player)}" for player in self._in(position)])

    def situation(self, position: Position) -> str:
        """The same in a sentence of its own, and what may not be done now."""
        if self.a_number:
            told = f"The number is {position.tokens[0]}"
        elif self.book.rules.shared:
            told = f"The {self.token} is on {self.place(position.tokens[0])}"
        else:
            told = all_of(
                [f"{self.does(player, 'be')} on {self._own(position, player)}" for player in self._in(position)]
            )
        ban = f", and {self.who(position.turn)} {self.banned(position)}" if position.last else ""
        return self.sentence(told + ban)

    def banned(self, position: Position) -> str:
        """What the player to move may not do now: `may not move by 3`; nothing where nothing is banned."""
        if not position.last:
            return ""
        return f"may not {self.stride(position.last)}"

    def stride(self, last: int) -> str:
        """What a ban on repeating remembers, as something to do: `move by 3`, `use *2`."""
        operations = self.book.rules.operations
        return f"use {operations[last - 1]}" if operations else f"move by {last}"

    # Moves

    def plays(self, player: int, move: str, verb: str = "play") -> str:
        """The player makes the move: `you play 3`, `Ann loses the turn`."""
        if move == PASS.text:
            return f"{self.does(player, 'lose')} the turn"
        if move == OUT.text:
            return f"{self.does(player, 'have')} no move and {self.verb(player, 'be')} out"
        return f"{self.does(player, verb)} {move}"

    def no_choice(self, position: Position) -> bool:
        """Whether the player to move has no move, so that the turn is lost or the player out."""
        return self.book.moves(position) in {(move.text,) for move in FORCED}

    def effect(self, position: Position, move: str) -> str:
        """What a legal move does, after the word `it`: `brings the marker to position 5`, `makes 7`."""
        found = self.book.read(move, position)
        if found.token is None:
            return _WITHOUT_TOKEN[found.text]
        attempt = self.book.engine.attempt(position, found)
        if is_out(self.book.after(position, move).out, position.turn):
            stretch = attempt.stretch
            return f"goes past {stretch.right_goal if attempt.wanted > stretch.right_goal else stretch.left_goal}"
        landed = self.book.engine.landing(position, found)
        if self.a_number:
            return f"makes {landed}"
        moved = self._moved(position.turn, found)
        if landed == attempt.place:
            return f"leaves {moved} on {self.place(landed)}"
        if landed != attempt.wanted:
            return f"takes {moved} only to {self.place(landed)}"
        return f"{'brings' if self.book.rules.shared else 'takes'} {moved} to {self.place(landed)}"

    def ending(self, position: Position, move: str) -> str:
        """What a move does that ends the game, and why that ends it where the goal is not what does."""
        after = self.book.after(position, move)
        winner = self.book.engine.winner(after)
        home = finished(self.book.rules, self.book.engine.stretches, after, winner)
        stranded = not home and not is_out(after.out, position.turn)
        told = self.effect(position, move)
        return f"{told}, and {self.does(after.turn, 'have')} no move left" if stranded else told

    def _in(self, position: Position) -> list[int]:
        """Who is still in, the player who is spoken to first."""
        players = [player for player in range(1, self.book.rules.players + 1) if not is_out(position.out, player)]
        return sorted(players, key=lambda player: player != self.you)

    def _own(self, position: Position, player: int) -> str:
        return self.places(self.book.own(position, player))

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


def turns(count: int) -> str:
    """So many turns.

    >>> turns(1), turns(5)
    ('1 turn', '5 turns')
    """
    return f"{count:,} turn{'' if count == 1 else 's'}"


def all_of(things: Sequence[str]) -> str:
    """The things as a list in words.

    >>> all_of(["1"]), all_of(["1", "3"]), all_of(["1", "2", "3"])
    ('1', '1 and 3', '1, 2, and 3')
    """
    *most, last = things
    if not most:
        return last
    return f"{most[0]} and {last}" if len(most) == 1 else f"{', '.join(most)}, and {last}"


def number_word(number: int) -> str:
    """A number below a hundred in letters, so that nobody takes it for a move; a larger one is very many.

    >>> number_word(3), number_word(21), number_word(400)
    ('three', 'twenty-one', 'very many')
    """
    if number < len(_SMALL):
        return _SMALL[number]
    if number > 99:
        return "very many"
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


MEANINGS = {"win": "wins", "loss": "loses", "endless": "nobody can force a win", "open": "nobody can force a win"}


def worth_in_words(worth: object, words: Words) -> str:
    """Scaffold."""
    when = "at once" if worth.ends else f"in at most {turns(worth.plies or 0)}"
    if worth.value == "win":
        return f"wins {when}"
    if worth.out:
        return "puts you out"
    if worth.value == "loss":
        return f"loses {when}" if words.two else f"lets {words.who(worth.winner)} win {when}"
    return "nobody can force a win" if words.two else "nobody alone can force a win"
