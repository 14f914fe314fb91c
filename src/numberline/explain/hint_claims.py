"""What a hint says: nudges that name no move, and the advice to play one."""

from __future__ import annotations

from numberline.explain.claims import LostForEitherSide, PositionClaim, TurnsNeeded
from numberline.explain.phrases import Phrases
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, spell_number

# What a nudge says. It has no digits: a number might be taken for a move.


class PositionOutlook(PositionClaim):
    """The position has this value for the player to move; a won one is won at once."""

    value: str

    def _says(self, words: Phrases) -> str:
        if self.value == WIN:
            return "you can win at once"
        if self.value == LOSS:
            opponent = "your opponent" if words.two_players else "another player"
            return f"{opponent} can force a win from here, whatever you play"
        return "nobody can force a win from here" if words.two_players else "nobody alone can force a win from here"


class OnlyMove(PositionClaim):
    """The player to move has this move and no other."""

    move: str

    def _says(self, words: Phrases) -> str:
        out = ", and it puts you out" if words.eliminates(self.position, self.move) else ""
        return f"you have only one move here{out}"


class WinningMoveCount(PositionClaim):
    """So many moves have the best value that a move has here, which is this one."""

    value: str
    right: int
    equally: bool
    """Whether the right ones are equally good."""

    def _says(self, words: Phrases) -> str:
        one, some = {
            WIN: ("wins", "win"),
            ENDLESS: ("does not lose", "do not lose"),
            OPEN: ("keeps the game open for you", "keep the game open for you"),
        }[self.value]
        choices = len(words.book.moves(self.position))
        if self.right < choices:
            right = f"exactly one of your {spell_number(choices)} moves {one}"
            return (
                right if self.right == 1 else f"{spell_number(self.right)} of your {spell_number(choices)} moves {some}"
            )
        if self.value == ENDLESS:
            return "none of your moves loses"
        but = "" if self.equally else ", but not equally fast"
        return f"{'both' if choices == 2 else f'all {spell_number(choices)}'} of your moves {some}{but}"


class LosingMoves(PositionClaim):
    """Exactly these moves lose, or exactly these put the player to move out; so many do not lose."""

    moves: tuple[str, ...]
    right: int

    def _says(self, words: Phrases) -> str:
        count, choices = len(self.moves), len(words.book.moves(self.position))
        fate = words.losing_verb(self.position, self.moves, one=count in {1, choices})
        if count == choices:
            return f"but every move of yours {fate}"
        if count + self.right == choices:
            return f"the other{' one' if count == 1 else 's'} {fate}"
        return f"{spell_number(count)} of your moves {fate}"


class OthersLoseImmediately(PositionClaim):
    """After every move that does not win here, the opponent can win at once."""

    def _says(self, words: Phrases) -> str:
        return "after any other move, your opponent can win at once"


class LongestMoveLoses(PositionClaim):
    """Exactly these moves are the longest, and none of them wins here."""

    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        longest = "largest" if words.is_number else "longest"
        return f"the {longest} move does not win" if len(self.moves) == 1 else f"the {longest} moves do not win"


class UnequalDefences(PositionClaim):
    """The position is lost, and some moves hold out longer than others."""

    def _says(self, words: Phrases) -> str:
        return "not all of your moves hold out equally long"


class Trap(PositionClaim):
    """The position is lost, and after exactly these moves, a best one among them, one of several answers is right."""

    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        count, choices = len(self.moves), len(words.book.moves(self.position))
        which = "each" if count == choices else spell_number(count)
        leave = "leaves" if count in {1, choices} else "leave"
        return f"but {which} of your moves {leave} just one right answer: hope for a mistake"


class StrategyHint(PositionClaim):
    """Something to look at for a player who can win here, but not at once."""

    counts: bool
    """Whether counting turns tells the moves that win from the others."""

    def _says(self, words: Phrases) -> str:
        rules = words.book.rules
        if rules.repeat == "banned":
            opponent = "your opponent" if words.two_players else "the next player"
            return f"think of what {opponent} may not do after your move"
        if words.is_number and words.two_players:
            return "look for a number from which your opponent cannot win"
        return "count the turns that each of you still needs" if self.counts else ""


# What the second hint says


class Unstoppable(PositionClaim):
    """The position is lost for the player to move, against the one who has just moved."""

    def _says(self, words: Phrases) -> str:
        who = words.who(self.position.turn) if words.two_players else "nobody"
        if words.two_players and self.position.last:
            return f"{who}, who {words.banned(self.position)}, cannot stop you"
        return f"then {who} can{'not' if words.two_players else ''} stop you"

    then = _says


class WinsNextMove(PositionClaim):
    """Whatever is answered, the player who has just moved wins with the next move, or the answer ends the game."""

    early: bool
    """Whether there is an answer that ends it."""

    def _says(self, words: Phrases) -> str:
        if words.has_no_choice(self.position):
            return f"then {words.subject_verb(self.position.turn, 'lose')} the turn, and you win with your next move"
        latest = " at the latest" if self.early else ""
        return f"whatever {words.subject_verb(self.position.turn, 'answer')}, you win with your next move{latest}"

    then = _says


Reason = LostForEitherSide | TurnsNeeded | Unstoppable | WinsNextMove
"""Why a move wins that does not end the game: what is true of the position after it."""


class Advice(PositionClaim):
    """The move is a best one, and is worth this; exactly these others are as good."""

    move: str
    worth: Worth
    reason: Reason | None
    as_good: tuple[str, ...] = ()

    def _says(self, words: Phrases) -> str:
        others = (
            f" ({join_and(self.as_good)} {'is' if len(self.as_good) == 1 else 'are'} as good)" if self.as_good else ""
        )
        return f"play {self.move}{others}: it {self._why(words)}"

    def _why(self, words: Phrases) -> str:
        if self.worth.ends_game:
            does = "wins" if self.worth.value == WIN else "loses"
            return f"{words.ending(self.position, self.move)} and {does} at once"
        effect = words.effect_phrase(self.position, self.move)
        if self.reason:
            return f"{effect}, and {self.reason.then(words)}"
        if self.worth.value != LOSS:
            return f"{effect}, and nobody{'' if words.two_players else ' alone'} can force a win after it"
        moves = words.book.moves(self.position)
        other = "no move holds out longer" if len(moves) > 1 else "there is no other move"
        if words.two_players:
            return f"{effect}; you are lost if {words.subject_verb(self.worth.winner, 'play')} well, but {other}"
        fate = words.losing_verb(self.position, moves, one=True)
        return f"{effect}; every move {fate}, but {other}" if len(moves) > 1 else f"{effect} and {fate}, but {other}"
