"""A hint for the player to move: first a nudge that names no move, then a move and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from numberline.analysis.claims import Claim, LostForWhoever, NoChoice, OfPosition, TurnsNeeded, explained
from numberline.analysis.explanation import race_of
from numberline.analysis.facts import AnalysisError, keeping, length, lost_for_whoever, trickiest
from numberline.analysis.words import Words
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.rules.wording import number_word
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Judged, Worth


class Hint(NamedTuple):
    """What a player is told who asks for help."""

    text: str
    move: str
    """The move that is named; empty in a nudge."""
    claims: tuple[Claim, ...]
    """What the text is made from."""


def hint(solution: Solution, position: Position, level: int = 1, names: Sequence[str] = ()) -> Hint:
    """At level 1 a nudge that names no move, at any higher level a best move and why; told to the player to move.

    >>> import numberline as nl
    >>> book = nl.book("number-reach")
    >>> solution = nl.solve(book)
    >>> position = nl.Position(1, (8,))
    >>> print(hint(solution, position).text)
    Exactly one of your two moves wins. Look for a number from which your opponent cannot win.
    >>> print(hint(solution, position, level=2).text)
    Play *2: it makes 16, and whoever must move from 16 loses.
    """
    words = Words(solution.book, names, you=position.turn)
    adviser = _Adviser(solution, position)
    if not adviser.legal:
        raise AnalysisError("the game is over: there is no move left to give a hint on")
    if level <= 1:
        text, claims = explained(words, adviser.nudges())
        return Hint(text, "", claims)
    advice = adviser.advice()
    return Hint(advice.sentence(words), advice.move, (advice,))


# What a nudge says. It has no digits: a number might be taken for a move.


@dataclass(frozen=True)
class Outlook(OfPosition):
    """The position has this value for the player to move; a won one is won at once."""

    value: str

    def _says(self, words: Words) -> str:
        if self.value == WIN:
            return "you can win at once"
        if self.value == LOSS:
            return f"{'your opponent' if words.two else 'another player'} can force a win from here, whatever you play"
        return "nobody can force a win from here" if words.two else "nobody alone can force a win from here"


@dataclass(frozen=True)
class OnlyMove(OfPosition):
    """The player to move has this move and no other."""

    move: str

    def _says(self, words: Words) -> str:
        out = ", and it puts you out" if words.puts_out(self.position, self.move) else ""
        return f"you have only one move here{out}"


@dataclass(frozen=True)
class HowMany(OfPosition):
    """Of so many moves so many have the best value that a move has here, which is this one."""

    value: str
    right: int
    of: int
    equally: bool
    """Whether the right ones are equally good."""

    def _says(self, words: Words) -> str:
        one, some = {
            WIN: ("wins", "win"),
            ENDLESS: ("does not lose", "do not lose"),
            OPEN: ("keeps the game open for you", "keep the game open for you"),
        }[self.value]
        if self.right == self.of:
            if self.value == ENDLESS:
                return "none of your moves loses"
            but = "" if self.equally else ", but not equally fast"
            return f"{'both' if self.of == 2 else f'all {number_word(self.of)}'} of your moves {some}{but}"
        if self.right == 1:
            return f"exactly one of your {number_word(self.of)} moves {one}"
        return f"{number_word(self.right)} of your {number_word(self.of)} moves {some}"


@dataclass(frozen=True)
class Danger(OfPosition):
    """Exactly these moves lose, or exactly these put the player to move out, of so many of which so many are right."""

    moves: tuple[str, ...]
    of: int
    right: int

    def _says(self, words: Words) -> str:
        count = len(self.moves)
        if count == self.of:
            return f"but every move of yours {words.fate(self.position, self.moves, one=True)}"
        fate = words.fate(self.position, self.moves, one=count == 1)
        if count + self.right == self.of:
            return f"the other{' one' if count == 1 else 's'} {fate}"
        return f"{number_word(count)} of your moves {fate}"


@dataclass(frozen=True)
class OthersLoseAtOnce(OfPosition):
    """After every move that does not win here, the opponent can win at once."""

    def _says(self, words: Words) -> str:
        return "after any other move, your opponent can win at once"


@dataclass(frozen=True)
class LongestFails(OfPosition):
    """Exactly these moves are the longest, and none of them wins here."""

    moves: tuple[str, ...]

    def _says(self, words: Words) -> str:
        return "the longest move does not win" if len(self.moves) == 1 else "the longest moves do not win"


@dataclass(frozen=True)
class Unequal(OfPosition):
    """The position is lost, and some moves hold out longer than others."""

    def _says(self, words: Words) -> str:
        return "not all of your moves hold out equally long"


@dataclass(frozen=True)
class Trap(OfPosition):
    """The position is lost, and after this move, a best one, exactly one of several answers is right."""

    move: str

    def _says(self, words: Words) -> str:
        return "but one of your moves leaves just one right answer: hope for a mistake"


@dataclass(frozen=True)
class Clue(OfPosition):
    """Something to look at for a player who can win here, but not at once."""

    def _says(self, words: Words) -> str:
        rules = words.book.rules
        if rules.repeat == "banned":
            return f"think of what {'your opponent' if words.two else 'the next player'} may not do after your move"
        if words.a_number and words.two:
            return "look for a number from which your opponent cannot win"
        return "count the turns that each of you still needs" if words.two and not rules.shared else ""


# What the second hint says


@dataclass(frozen=True)
class CannotStop(OfPosition):
    """The position is lost for the player to move, against the one who has just moved."""

    def _says(self, words: Words) -> str:
        position, who = self.position, words.who(self.position.turn)
        if not words.two:
            return "then nobody can stop you"
        return (
            f"{who}, who {words.banned(position)}, cannot stop you" if position.last else f"then {who} cannot stop you"
        )

    then = _says


@dataclass(frozen=True)
class NextMoveWins(OfPosition):
    """Whatever is answered, the player who has just moved wins with the next move, or the answer ends the game."""

    early: bool
    """Whether there is an answer that ends it."""

    def _says(self, words: Words) -> str:
        latest = " at the latest" if self.early else ""
        return f"whatever {words.does(self.position.turn, 'answer')}, you win with your next move{latest}"

    then = _says


Reason = LostForWhoever | TurnsNeeded | CannotStop | NextMoveWins
"""Why a move wins that does not end the game: what is true of the position after it."""


@dataclass(frozen=True)
class Advice(OfPosition):
    """The move is a best one of so many, and is worth this."""

    move: str
    worth: Worth
    of: int
    reason: Reason | None

    def _says(self, words: Words) -> str:
        return f"play {self.move}: it {self._why(words)}"

    def _why(self, words: Words) -> str:
        if self.worth.ends:
            does = "wins" if self.worth.value == WIN else "loses"
            return f"{words.ending(self.position, self.move)} and {does} at once"
        effect = words.effect(self.position, self.move)
        if self.reason:
            return f"{effect}, and {self.reason.then(words)}"
        if self.worth.value != LOSS:
            return f"{effect}, and nobody{'' if words.two else ' alone'} can force a win after it"
        other = "no move holds out longer" if self.of > 1 else "there is no other move"
        if words.two:
            return f"{effect}; you are lost if {words.does(self.worth.winner, 'play')} well, but {other}"
        if self.worth.out or self.of == 1:
            fate = words.fate(self.position, [self.move], one=True)
            return f"{effect} and {fate}, but {'so does every other move' if self.of > 1 else other}"
        return (
            f"{effect}; every move {words.fate(self.position, words.book.moves(self.position), one=True)}, but {other}"
        )


class _Adviser:
    """Chooses what to say of one position."""

    def __init__(self, solution: Solution, position: Position) -> None:
        self.solution = solution
        self.position = position
        self.rules = solution.book.rules
        self.two = self.rules.players == 2
        self.legal = solution.judged(position)
        self.kept = keeping(self.legal)
        self.worth = solution.worth(position)

    # A nudge

    def nudges(self) -> Iterator[Claim]:
        """What there is to look for."""
        at, worth = self.position, self.worth
        if self.legal[0].move in FORCED:
            yield NoChoice(at, self.legal[0].move)
        elif len(self.legal) == 1:
            yield OnlyMove(at, self.legal[0].move)
        elif worth.value == WIN:
            yield from [Outlook(at, WIN)] if worth.plies == 1 else self._clues()
        elif worth.value == LOSS:
            yield Outlook(at, LOSS)
            yield from self._consolations() if self.two else self._out()
        else:
            yield Outlook(at, worth.value)
            yield from self._ways_to_keep()

    def _how_many(self) -> HowMany:
        equally = all(judged.best for judged in self.kept)
        return HowMany(self.position, self.kept[0].value, len(self.kept), len(self.legal), equally)

    def _clues(self) -> Iterator[Claim]:
        """Something to look at, for a player who can win but not at once."""
        yield self._how_many()
        wrong = [judged for judged in self.legal if not judged.keeps]
        if self.two and wrong and all(judged.plies == 2 for judged in wrong):
            yield OthersLoseAtOnce(self.position)
        else:
            yield Clue(self.position)
        lengths = {judged.move: length(self.solution.book, self.position, judged.move) for judged in self.legal}
        longest = tuple(move for move, far in lengths.items() if far == max(lengths.values()))
        if wrong and len(self.legal) > 2 and not set(longest) & set(_moves(self.kept)):
            yield LongestFails(self.position, longest)
        yield from self._out()

    def _consolations(self) -> Iterator[Claim]:
        """What is left to hope for where all is lost."""
        if not all(judged.best for judged in self.legal):
            yield Unequal(self.position)
        best = trickiest(self.solution, self.position)[0]
        answers = self.solution.judged(best.after)
        if len(answers) > 1 and len(keeping(answers)) == 1:
            yield Trap(self.position, best.move)

    def _ways_to_keep(self) -> Iterator[Claim]:
        """How many moves let nobody win, and with three players what the others do."""
        if self.kept[0].value != LOSS:
            yield self._how_many()
        if not self.two:
            yield from self._danger(judged for judged in self.legal if judged.value == LOSS)

    def _out(self) -> Iterator[Claim]:
        """The moves that put the player out, while the others play on."""
        yield from self._danger(judged for judged in self.legal if judged.worth.out)

    def _danger(self, bad: Iterable[Judged]) -> Iterator[Claim]:
        moves = _moves(bad)
        if moves:
            right = 0 if self.kept[0].value == LOSS else len(self.kept)
            yield Danger(self.position, moves, len(self.legal), right)

    # A move

    def advice(self) -> Advice | NoChoice:
        """A best move, and one sentence on why."""
        best = trickiest(self.solution, self.position)[0]
        if best.move in FORCED:
            return NoChoice(self.position, best.move)
        return Advice(self.position, best.move, best.worth, len(self.legal), self._reason(best))

    def _reason(self, best: Judged) -> Reason | None:
        """What makes a winning move win that does not end the game."""
        after = best.after
        if best.value != WIN or best.worth.ends:
            return None
        if not self.two:
            return CannotStop(after)
        if not after.last and lost_for_whoever(self.solution, after):
            return LostForWhoever(after)
        if best.plies == 3:
            return NextMoveWins(after, any(answer.worth.ends for answer in self.solution.judged(after)))
        return next(race_of(self.solution, after), CannotStop(after))


def _moves(legal: Iterable[Judged]) -> tuple[str, ...]:
    return tuple(judged.move for judged in legal)
