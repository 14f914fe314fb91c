"""Phrases for players, places, positions, moves and values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import NamedTuple

from numberline.explain.rule_words import MOVES_WITHOUT_TOKEN, past_phrase
from numberline.explain.text_board import token_mark
from numberline.game.book import Book
from numberline.game.match import Match, Ply
from numberline.game.move_text import token_letter
from numberline.game.moves import FORCED_MOVES, OUT, PASS, Move
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize, spell_ordinal

VALUE_PHRASES = {
    WIN: "wins",
    LOSS: "loses",
    ENDLESS: "neither player has a sure win",
    OPEN: "no player alone has a sure win",
}
MAX_LISTED_NUMBERS = 7
MAX_BAND_STEP = 30
MIN_PROGRESSION_LENGTH = 3
_IRREGULAR_VERBS = {"be": ("are", "is"), "have": ("have", "has"), "miss": ("miss", "misses")}


class Phrases:
    """Phrases about one book; `you` is the player whom the sentences address, or 0 if they address no player."""

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
        """Return `you`, or the player's name."""
        return "you" if player == self.you else self.names[player - 1]

    def whose(self, player: int) -> str:
        """Return `your`, or the player's name in the possessive."""
        return "your" if player == self.you else f"{self.who(player)}'s"

    def subject_verb(self, player: int, verb: str) -> str:
        """Return the player and the verb: `you win`, `Ann wins`."""
        return f"{self.who(player)} {self.verb(player, verb)}"

    def verb(self, player: int, verb: str) -> str:
        """Return the verb in the form that agrees with `you` or the player's name."""
        return _IRREGULAR_VERBS.get(verb, (verb, verb + "s"))[player != self.you]

    # Plies

    def describe_ply(self, ply: Ply, *, past: bool = False) -> str:
        """Return a sentence about a ply, without its period: `you move to tile 3`, or with `past`, `Ann just played 3`.

        It also says what stopped a move short, or why there was no move.
        """
        who, book = self.who(ply.player), self.book
        if ply.move in {PASS, OUT}:
            return self.lost_turn(ply.before, ply.move, past=past)
        if ply.move in MOVES_WITHOUT_TOKEN:
            return f"{who} {past_phrase(ply.move)}" if past else self.move_clause(ply.player, ply.move)
        move = book.read(ply.move, ply.before)
        place, wanted, landed = book.move_effect(ply.before, move)
        if landed != wanted:
            verb, past_verb = ("stay", "stayed") if landed == place else ("stop", "stopped")
            then = past_verb if past else self.verb(ply.player, verb)
            return f"{who} wanted {wanted}, but {self._in_the_way(ply, move, past=past)}, so {who} {then} on {landed}"
        return f"{who} just {past_phrase(move)}" if past else self._told_move(ply, move, wanted, landed)

    def _told_move(self, ply: Ply, move: Move, wanted: int, landed: int) -> str:
        book = self.book
        if ply.after.is_out(ply.player):
            price = self.verb(ply.player, "lose") if self.two_players else f"{self.verb(ply.player, 'be')} out"
            return f"{self.subject_verb(ply.player, 'move')} past {book.nearest_goal(ply.player, wanted)} and {price}"
        if self.is_number:
            return f"{self.subject_verb(ply.player, 'play')} {move}: the {self.token} is now {landed}"
        several = f" {token_mark(book, ply.player, move.token or 0)}" * (book.rules.tokens > 1)
        token = f" the {self.token}" if book.rules.shared else several
        to = landed if book.rules.shared else self.place(landed)
        return f"{self.subject_verb(ply.player, 'move')}{token}{' back' * move.endswith('back')} to {to}"

    def _in_the_way(self, ply: Ply, move: Move, *, past: bool) -> str:
        occupant = self.book.occupant(ply.before, move)
        if not occupant or self.book.rules.tokens > 1:
            return f"another {self.token} {'stood' if past else 'is'} there"
        return f"{self.who(occupant[0])} {'stood' if past else self.verb(occupant[0], 'be')} there"

    def lost_turn(self, position: Position, move: str, *, past: bool = False) -> str:
        """Return a sentence, without its period, about a forced move of a player who has no legal move, and why."""
        turn = position.turn
        missed = f", so {self.who(turn)} {'missed' if past else self.verb(turn, 'miss')} a turn" * (move == PASS)
        return self.no_move(position, out=move == OUT, past=past) + missed

    def no_move(self, position: Position, *, out: bool = False, past: bool = False) -> str:
        """Return a sentence, without its period, that says why the player to move has no move."""
        player, cannot = position.turn, "couldn't" if past else "can't"
        is_out = f" and {'is' if past else self.verb(player, 'be')} out" * out
        return f"{self.who(player)} {cannot} move{is_out}: {self.book.why_stuck(position, past=past)}"

    def stranded(self, match: Match) -> str:
        """Return why the player to move has no move if that is how they lost the match, else an empty string."""
        outcome, position = match.outcome, match.position
        if not outcome or position.turn == outcome.winner or self.book.is_home(position, outcome.winner):
            return ""
        return self.no_move(position)

    # Time and value

    def deadline_phrase(self, plies: int, first: int) -> str:
        """Return a phrase for when the game ends if player `first` takes the next turn: `within 5 turns`."""
        if plies == 1:
            return "at once"
        own = (plies + (first == self.you)) // 2
        yours = f" ({own:,} of them yours)" if self.you and self.two_players else ""
        return f"within {pluralize(plies, 'turn')}{yours}"

    def no_sure_win(self, *, past: bool = False) -> str:
        phrase = VALUE_PHRASES[ENDLESS if self.two_players else OPEN]
        return phrase.replace("has", "had") if past else phrase

    # Places

    def place(self, number: int) -> str:
        """Return a phrase for a place on the line, such as `tile 5`; in a game of arithmetic, just the number."""
        return str(number) if self.is_number else f"{self.noun} {number}"

    def places(self, numbers: Sequence[int]) -> str:
        """Return a phrase for several places: `tiles 3 and 5`."""
        listed = join_and(numbers)
        return listed if self.is_number else f"{self.noun}{'s' if len(numbers) > 1 else ''} {listed}"

    def your_turn(self, position: Position) -> str:
        """Return sentences that introduce a question to the player to move."""
        return f"You are {self.names[self.you - 1]}, and it's your turn. {self.situation_sentence(position)}"

    def situation_sentence(self, position: Position) -> str:
        """Return one or two sentences with the places of all tokens and the banned step, if any."""
        ban = f"{self.who(position.turn)} {self.banned(position)}" if position.last else ""
        where = self.position_phrase(position, verb="be")
        if ban and self.book.rules.tokens > 1:  # two sentences, because one would be too long
            return f"{self.sentence(where)} {self.sentence(ban)}"
        return self.sentence(f"{where}, and {ban}" if ban else where)

    def position_phrase(self, position: Position, verb: str = "") -> str:
        """Return the places of all tokens: `the marker on position 5`, `you on tile 3 and Ann on tile 8`."""
        if self.book.rules.shared:
            on = str(position.tokens[0]) if self.is_number else f"on {self.place(position.tokens[0])}"
            return f"the {'number' if self.is_number else self.token} {'is ' if verb else ''}{on}"
        players = sorted(self.book.players, key=lambda player: player != self.you)
        phrases = [
            (self.subject_verb(player, verb) if verb else self.who(player))
            + f" on {self.places(self.book.tokens_of(position, player))}"
            for player in players
            if not position.is_out(player)
        ]
        # A list of lists needs commas to be unambiguous.
        return join_and(phrases) if self.book.rules.tokens == 1 else ", and ".join(phrases)

    def banned(self, position: Position) -> str:
        """Return what the player to move is banned from doing, such as `can't move by 3`, or an empty string."""
        return f"can't {self.stride(position.last)}" if position.last else ""

    def stride(self, last: int) -> str:
        """Return the step stored in `last` as a verb phrase: `move by 3`, `use *2`."""
        return f"{'use' if self.book.rules.operations else 'move by'} {self.book.stride(last)}"

    # Moves

    def move_clause(self, player: int, move: str, verb: str = "play") -> str:
        """Return a clause for a player's move: `you play 3`, `Ann has no move and loses the turn`."""
        if move in MOVES_WITHOUT_TOKEN:
            words = MOVES_WITHOUT_TOKEN[move]
            return f"{self.who(player)} {words.you if player == self.you else words.other}"
        return f"{self.subject_verb(player, verb)} {move}"

    def has_no_choice(self, position: Position) -> bool:
        """Return whether the player to move has no legal move, and so loses the turn or is eliminated."""
        return any(move in FORCED_MOVES for move in self.book.moves(position))

    def effect_phrase(self, position: Position, move: str) -> str:
        """Return the effect of a legal move as a predicate: `brings the marker to position 5`, `makes 7`."""
        found = self.book.read(move, position)
        if found.token is None:
            return MOVES_WITHOUT_TOKEN[found].other
        place, target, landing = self.book.move_effect(position, found)
        if self.eliminates(position, move):
            return f"goes past {self.book.nearest_goal(position.turn, target)}"
        if self.is_number:
            return f"makes {landing}"
        token = self._moved_token(position.turn, found)
        if landing == place:
            return f"leaves {token} on {self.place(landing)}"
        if landing != target:
            return f"takes {token} only to {self.place(landing)}"
        return f"{'brings' if self.book.rules.shared else 'takes'} {token} to {self.place(landing)}"

    def ending(self, position: Position, move: str) -> str:
        """Return the effect of a game-ending move, with a remark if it leaves the next player without a move."""
        after = self.book.after(position, move)
        home = self.book.is_home(after, self.book.winner(after))
        effect = self.effect_phrase(position, move)
        if home or after.is_out(position.turn):
            return effect
        return f"{effect}, and {self.who(after.turn)} can't move"

    def eliminates(self, position: Position, move: str) -> bool:
        """Return whether the move eliminates the player who makes it."""
        return bool(self.book.after(position, move).is_out(position.turn))

    def losing_verb(self, position: Position, moves: Sequence[str], *, one: bool) -> str:
        """Return the verb phrase for one or several losing moves: `loses`, `let another player win or put you out`."""
        s = "s" * one
        if self.two_players:
            return f"lose{s}"
        outs = [self.eliminates(position, move) for move in moves]
        ways = [f"let{s} another player win"] * (not all(outs)) + [f"put{s} {self.who(position.turn)} out"] * any(outs)
        return join_or(ways)

    def _moved_token(self, player: int, move: Move) -> str:
        if self.book.rules.shared:
            return f"the {self.token}"
        if self.book.rules.tokens == 1:
            return self.who(player)
        return f"{self.whose(player)} {self.token} {token_letter(move.token or 0)}"

    def sentence(self, text: str) -> str:
        """Return the text with an initial capital and a full stop; a name at the start keeps its capitalization."""
        starts_with_name = any(text.startswith(name) for name in self.names)
        return (text if starts_with_name else text[:1].upper() + text[1:]) + "."


class SecondPersonPhrases(Phrases):
    """Phrases for lessons, puzzles and worksheets, with `your opponent` instead of a name."""

    def who(self, player: int) -> str:
        return "you" if player == self.you else "your opponent"


def describe_worth(worth: Worth, words: Phrases) -> str:
    """Return the value of a move or position in a few words: `wins within 11 turns`."""
    when = "at once" if worth.ends_game else f"within {pluralize(worth.plies or 0, 'turn')}"
    if worth.value == WIN:
        return f"wins {when}"
    if worth.out:
        return "puts you out"
    if worth.value == LOSS:
        return f"loses {when}" if words.two_players else f"lets {words.who(worth.winner)} win {when}"
    return words.no_sure_win()


# Lists of numbers in words


class Band(NamedTuple):
    """Run of numbers in which every `step`-th number is marked, or none if `step` is 0."""

    numbers: tuple[int, ...]
    step: int
    marked: tuple[int, ...]


def split_into_bands(numbers: Sequence[int], marked: Collection[int]) -> tuple[Band, ...]:
    """Split equally spaced numbers into the longest possible bands of regularly marked numbers.

    >>> [(band.numbers[0], band.numbers[-1], band.step) for band in split_into_bands(range(9, 0, -1), {8, 6, 4})]
    [(9, 3, 2), (2, 1, 0)]
    """
    bands: list[Band] = []
    while numbers:
        runs = [_regular_run(numbers, marked, step) for step in range(MAX_BAND_STEP)]
        bands.append(max(runs, key=lambda band: len(band.numbers)))
        numbers = numbers[len(bands[-1].numbers) :]
    return tuple(bands)


def _regular_run(numbers: Sequence[int], marked: Collection[int], step: int) -> Band:
    """Return the longest initial run in which every `step`-th number is marked.

    Unless `step` is 1, the run is empty if it would contain exactly one marked number.
    """
    first = next((number for number in numbers if number in marked), numbers[0])
    run = tuple(takewhile(lambda n: (n in marked) == (step > 0 and (n - first) % (step or 1) == 0), numbers))
    found = tuple(number for number in run if number in marked)
    return Band(run if len(found) != 1 or step == 1 else (), step, found)


def describe_numbers(numbers: Sequence[int]) -> str:
    """Return a description of increasing numbers, or an empty string if it would be too long.

    >>> describe_numbers([1, 3, 5, 12, 14, 16, 18])
    '1, 3, 5, 12, 14, 16, and 18'
    >>> describe_numbers(list(range(2, 40, 3)))
    'every third number from 2 to 38'
    >>> describe_numbers([1, 2, 4, 8, 16, 32, 64, 128, 256])
    ''
    """
    if len(numbers) <= MAX_LISTED_NUMBERS:
        return join_and(numbers) if numbers else "none"
    parts: list[object] = []
    for _, step, marked in split_into_bands(range(numbers[0], numbers[-1] + 1), numbers):
        is_long = len(marked) > MIN_PROGRESSION_LENGTH
        parts += [describe_progression(range(marked[0], marked[-1] + 1, step))] if is_long else marked
    return join_and(parts) if len(parts) <= MAX_LISTED_NUMBERS else ""


def describe_progression(numbers: range) -> str:
    """Return a description of equally spaced, increasing numbers.

    >>> describe_progression(range(4, 21, 4))
    'the multiples of 4 up to 20'
    """
    if len(numbers) == 1:
        return str(numbers[0])
    first, step, last = numbers[0], numbers.step, numbers[-1]
    if step == 1 or (step > 2 and first % step):
        which = "every number" if step == 1 else f"every {spell_ordinal(step)} number"
        return f"{which} from {first} to {last}"
    which = f"multiples of {step}" if step > 2 else "odd numbers" if first % 2 else "even numbers"
    return f"the {which} up to {last}" if 0 < first <= step else f"the {which} from {first} to {last}"
