"""A hint for the player to move: first a nudge that names no move, then a move and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numberline.analysis.claims import Claim, Kind, lost_for_whoever
from numberline.analysis.race import turns_alone
from numberline.analysis.values import AnalysisError, MoveValue, keeping, recommended, standing, values
from numberline.analysis.words import Words
from numberline.rules.moves import PASS
from numberline.rules.position import Position
from numberline.rules.wording import number_word
from numberline.solver.solution import Solution


class Hint(NamedTuple):
    """What a player is told who asks for help."""

    text: str
    move: str
    """The move that is named; empty in a nudge."""
    claims: tuple[Claim, ...]
    """What is said of the position and its moves, to be held against the solution."""


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
    if solution.book.engine.winner(position):
        raise AnalysisError("the game is over: there is no move left to give a hint on")
    adviser = _Adviser(solution, position, Words(solution.book, names, you=position.turn))
    return adviser.nudge() if level <= 1 else adviser.move()


class _Adviser:
    """Everything that a hint on one position is made of."""

    def __init__(self, solution: Solution, position: Position, words: Words) -> None:
        self.solution = solution
        self.position = position
        self.words = words
        self.rules = solution.book.rules
        self.legal = values(solution, position)
        self.kept = keeping(self.legal)
        self.worth = standing(solution, position)

    # A nudge. It has no digits: a number might be taken for a move.

    def nudge(self) -> Hint:
        """What there is to look for."""
        claims = (
            Claim(Kind.STANDS, self.position, *self.worth),
            Claim(Kind.KEEPS, self.position, self.kept[0].value, moves=tuple(value.move for value in self.kept)),
        )
        return Hint(" ".join(self._nudges()), "", claims)

    def _nudges(self) -> Iterator[str]:
        if self.words.no_choice(self.position):
            yield self._no_choice()
        elif len(self.legal) == 1:
            yield "You have only one move here."
        elif self.worth.value == "win":
            yield "You can win at once." if self.worth.plies == 1 else self._how_many("wins", "win")
            yield from self._clues()
        elif self.worth.value == "loss":
            yield from self._lost()
        else:
            yield "Nobody can force a win from here." if self.words.two else "Nobody alone can force a win from here."
            yield from self._how_to_keep()

    def _how_many(self, one: str, some: str) -> str:
        kept, legal = len(self.kept), len(self.legal)
        if kept == legal:
            equally = "" if all(value.best for value in self.legal) else ", but not equally fast"
            return f"{'Both' if legal == 2 else f'All {number_word(legal)}'} of your moves {some}{equally}."
        if kept == 1:
            return f"Exactly one of your {number_word(legal)} moves {one}."
        return f"{number_word(kept).capitalize()} of your {number_word(legal)} moves {some}."

    def _how_to_keep(self) -> Iterator[str]:
        if self.kept[0].value == "loss":
            yield "But every move of yours lets somebody else win."
        elif len(self.kept) == len(self.legal):
            yield "None of your moves changes that."
        else:
            yield self._how_many("keeps it so", "keep it so")
            one = len(self.legal) - len(self.kept) == 1
            loses, lose = ("loses", "lose") if self.words.two else ("lets somebody else win", "let somebody else win")
            yield f"The other one {loses}." if one else f"The others {lose}."

    def _clues(self) -> Iterator[str]:
        """Something to look at, for who can win but not at once."""
        wrong = [value for value in self.legal if value.value != "win"]
        if self.worth.plies == 1:
            return
        if self.words.two and wrong and all(value.plies == 2 for value in wrong):
            yield "After any other move your opponent wins at once."
        elif self.rules.repeat == "banned":
            yield "Think of what your opponent may not do after your move."
        elif self.words.a_number and self.words.two:
            yield "Look for a number from which your opponent cannot win."
        elif not self.rules.shared and self.words.two:
            yield "Count the turns that each of you still needs."
        if wrong and len(self.legal) > 2 and not self._longest() & {value.move for value in self.kept}:
            yield "The longest move is not the right one."

    def _longest(self) -> set[str]:
        """The moves that take a token furthest."""
        far = {value.move: _distance(self.position, value.after) for value in self.legal}
        return {move for move, distance in far.items() if distance == max(far.values())}

    def _lost(self) -> Iterator[str]:
        if not self.words.two:
            yield "Another player can force a win from here, whatever you play."
            return
        yield "Your opponent can force a win from here, whatever you play."
        best = recommended(self.solution, self.position)
        answers = values(self.solution, best.after)
        if not all(value.best for value in self.legal):
            yield "Not all of your moves hold out equally long."
        if len(answers) > 1 and len(keeping(answers)) == 1:
            yield "But one of your moves leaves just one right answer: hope for a mistake."

    def _no_choice(self) -> str:
        if self.legal[0].move == PASS.text:
            return "You have no choice here: the turn is lost."
        return "You have no move left here."

    # A move

    def move(self) -> Hint:
        """A best move, and one sentence on why."""
        best = recommended(self.solution, self.position)
        kind = Kind.ENDS if best.ends else Kind.MOVE
        claims = [Claim(kind, self.position, *best.standing, move=best.move), *self._reason_claims(best)]
        if self.words.no_choice(self.position):
            return Hint(self._no_choice(), best.move, tuple(claims))
        return Hint(f"Play {best.move}: {self._why(best, claims)}.", best.move, tuple(claims))

    def _reason_claims(self, best: MoveValue) -> Iterator[Claim]:
        """What makes a winning move win, where one fact tells it."""
        if best.ends or best.value != "win" or not self.words.two:
            return
        after = best.after
        if not after.last and lost_for_whoever(self.solution, after):
            yield Claim(Kind.WHOEVER, after)
        elif not self.rules.shared and self.rules.repeat == "free" and best.plies != 3:
            both = after.turn, self.position.turn
            theirs, mine = (turns_alone(self.solution.book, after, player) for player in both)
            if mine and theirs and theirs > mine:
                yield Claim(Kind.RACE, after, numbers=(theirs, mine))

    def _why(self, best: MoveValue, claims: Sequence[Claim]) -> str:
        if best.ends:
            ending = self.words.ending(self.position, best.move)
            return f"it {ending} and {'wins' if best.value == 'win' else 'loses'} at once"
        does = f"it {self.words.effect(self.position, best.move)}"
        if best.value == "win":
            return f"{does}, and {self._because(best, claims)}"
        if best.value != "loss":
            return f"{does}, and nobody{'' if self.words.two else ' alone'} can force a win after it"
        if not self.words.two:
            return f"{does}; somebody else can win whatever you play, but no move puts it off longer"
        longest = "no move holds out longer" if len(self.legal) > 1 else "there is no other move"
        return f"{does}; you are lost if {self.words.does(self.worth.winner, 'play')} well, but {longest}"

    def _because(self, best: MoveValue, claims: Sequence[Claim]) -> str:
        """Why a move wins that does not end the game."""
        after, words = best.after, self.words
        opponent = words.who(after.turn)
        told = {claim.kind: claim for claim in claims}
        if not words.two:
            return "then nobody can stop you"
        if Kind.WHOEVER in told:
            return f"whoever must move {f'from {after.tokens[0]}' if words.a_number else 'then'} loses"
        if best.plies == 3:
            early = any(reply.ends for reply in values(self.solution, after))
            latest = " at the latest" if early else ""
            return f"whatever {words.does(after.turn, 'answer')}, you win with your next move{latest}"
        if after.last:
            return f"{opponent}, who {words.banned(after)}, cannot stop you"
        if Kind.RACE in told:
            theirs, mine = told[Kind.RACE].numbers
            counted = (
                f"you need {mine} more turn{'s' * (mine > 1)} to the goal and {words.does(after.turn, 'need')} {theirs}"
            )
            return f"then {counted} (each as if the other stood still)"
        return f"then {opponent} cannot stop you"


def _distance(before: Position, after: Position) -> int:
    """How far a move has taken a token."""
    return sum(abs(new - old) for old, new in zip(before.tokens, after.tokens, strict=True))
