"""What can be said of a position or a move: each claim is one fact of the solution, and knows its sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, dataclass_transform

from numberline.explain.losing_patterns import (
    UNREACHABLE_TURNS,
    LosingNumbers,
    LosingPattern,
    RaceCount,
    describe_numbers,
)
from numberline.explain.phrases import Phrases
from numberline.game.moves import OUT
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize, spell_number

MoveReplies = tuple[tuple[str, str], ...]
"""Moves, each with an answer to it; an empty one where the game is over."""


@dataclass_transform(frozen_default=True)
class Claim:
    """One thing that is said of a game; each kind of claim is a dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(repr=False, eq=False)(cls)  # the rest is below: made anew for each class, it takes longer to load

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def _says(self, words: Phrases) -> str:
        """The claim without capital and full stop."""
        raise NotImplementedError

    def sentence(self, words: Phrases) -> str:
        """The claim as a sentence, or two; nothing where it need not be said."""
        text = self._says(words)
        return words.sentence(text) if text else ""


class PositionClaim(Claim):
    """One thing that is said of one position."""

    position: Position


class Explanation(NamedTuple):
    """A few sentences, and the claims that they are made from."""

    text: str
    claims: tuple[Claim, ...]


def combine_claims(words: Phrases, claims: Iterable[Claim]) -> Explanation:
    """The claims, one after the other."""
    made = tuple(claims)
    return Explanation(" ".join(filter(None, (claim.sentence(words) for claim in made))), made)


# A position


class GameOverClaim(PositionClaim):
    """The game is over, and this player has won."""

    player: int

    def _says(self, words: Phrases) -> str:
        return f"the game is over: {words.subject_verb(self.player, 'have')} won"


class ForcedMove(PositionClaim):
    """The player to move can't choose: this move just happens."""

    move: str

    def _says(self, words: Phrases) -> str:
        player = self.position.turn
        if self.move == OUT:
            return f"{words.subject_verb(player, 'have')} no move here and {words.verb(player, 'be')} out"
        return f"{words.subject_verb(player, 'have')} no choice here: the turn is lost"


class PositionValueClaim(PositionClaim):
    """The position is worth this to the player to move."""

    worth: Worth

    def _says(self, words: Phrases) -> str:
        turn, winner, plies = self.position.turn, self.worth.winner, self.worth.plies
        if plies is None:
            if words.two_players:
                return "nobody can force a win from here: if both play well, the game goes on for ever"
            return "no player alone can force a win from here: it depends on what the others play"
        when, can = words.deadline_phrase(plies, turn), words.subject_verb(winner, "can")
        if winner == turn:
            against = "" if words.two_players else ", whatever the others play"
            return f"{can} force a win from here, {when}{against}" if plies > 1 else f"{can} win at once"
        whatever = f"whatever {words.subject_verb(turn, 'play') if words.two_players else 'the others play'}, "
        if words.has_no_choice(self.position):
            whatever = ""
        if plies == 1:
            return f"{whatever}{words.subject_verb(winner, 'win')} at once"
        next_move = words.two_players and plies == 2
        return f"{whatever}{can} win with the next move" if next_move else f"{whatever}{can} force a win, {when}"


class AllMovesLose(PositionClaim):
    """Nobody can force a win, and yet every move loses; that takes three players."""

    def _says(self, words: Phrases) -> str:
        moves = words.book.moves(self.position)
        which = f"the only move, {moves[0]}," if len(moves) == 1 else "every move"
        verb = words.losing_verb(self.position, moves, one=True)
        return f"no player alone can force a win from here, but {which} {verb}"


class CorrectMoves(PositionClaim):
    """Exactly these moves have the best value that a move has here, which is this one."""

    value: str
    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        moves, legal, turn = self.moves, words.book.moves(self.position), self.position.turn
        if len(legal) == 1:
            return f"there is only one move, {moves[0]}"
        if self.value == LOSS:
            return f"every move {words.losing_verb(self.position, moves, one=True)}"
        if self.value == ENDLESS and len(moves) == len(legal):
            return "no move loses"
        one = {WIN: "wins", ENDLESS: "does not lose", OPEN: f"keeps the game open for {words.who(turn)}"}[self.value]
        some = {WIN: "win", ENDLESS: "do not lose", OPEN: f"keep the game open for {words.who(turn)}"}[self.value]
        if len(moves) == len(legal):
            return f"every move {one}"
        return f"only {moves[0]} {one}" if len(moves) == 1 else f"here {join_and(moves)} {some}"


class BestMoves(PositionClaim):
    """Exactly these moves are best, in value and in time."""

    value: str
    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        if self.value == WIN:
            return f"the quickest {'is' if len(self.moves) == 1 else 'are'} {join_and(self.moves)}"
        return f"{words.subject_verb(self.position.turn, 'hold')} out longest with {join_or(self.moves)}"


# Why a position is lost


class LostForEitherSide(PositionClaim):
    """The position is lost for either player who has to move in it."""

    def _says(self, words: Phrases) -> str:
        position = self.position
        must = f"whoever must move from {position.tokens[0]}"
        if not words.is_number:
            must = f"with {words.position_phrase(position)}, whoever must move"
        ban = f" and {words.banned(position)}" if position.last else ""
        return f"{must}{ban} loses"

    def then(self, words: Phrases) -> str:
        """The same, right after the move that leads there."""
        return f"whoever must move {f'from {self.position.tokens[0]}' if words.is_number else 'then'} loses"


class LostByPattern(PositionClaim):
    """The position is lost for the player to move by this law, which has no exceptions."""

    pattern: LosingPattern

    def _says(self, words: Phrases) -> str:
        return self.pattern.short_reason(words).removesuffix(".")


class TurnsNeeded(PositionClaim):
    """So many turns home the player to move needs, and so many the other, each as if the other stood still."""

    mine: int
    theirs: int

    def _says(self, words: Phrases) -> str:
        turn = self.position.turn
        both = f"{words.subject_verb(turn, 'need')} {self.mine}, {words.subject_verb(3 - turn, 'need')} {self.theirs}"
        return f"with {words.who(turn)} to move, count the turns to the goal as if the other stood still: {both}"

    def then(self, words: Phrases) -> str:
        """The same, right after the move that leads there, to the player who made it."""
        you, other = 3 - self.position.turn, self.position.turn
        own = f"{words.subject_verb(you, 'need')} {pluralize(self.theirs, 'more turn')} to the goal"
        return f"then {own} and {words.subject_verb(other, 'need')} {self.mine} (each as if the other stood still)"


# A move


class MoveValueClaim(PositionClaim):
    """The move is worth this to the player to move."""

    move: str
    worth: Worth

    def _says(self, words: Phrases) -> str:
        turn, winner, plies = self.position.turn, self.worth.winner, self.worth.plies
        if plies is None and not self.worth.out:
            return f"after {self.move}, nobody{'' if words.two_players else ' alone'} can force a win"
        return f"with {self.move}, {self._happens(words, turn, winner, plies or 0)}"

    def _happens(self, words: Phrases, turn: int, winner: int, plies: int) -> str:
        when = words.deadline_phrase(plies, turn)
        if self.worth.ends_game:
            does = words.subject_verb(turn, "win" if winner == turn else "lose")
            return f"{does} at once: it {words.ending(self.position, self.move)}"
        if self.worth.out:
            then = f", and {words.subject_verb(winner, 'can')} force a win" if winner else ""
            return f"{words.subject_verb(turn, 'be')} out of the game{then}"
        if winner == turn:
            return f"{words.subject_verb(turn, 'can')} force a win, {when}"
        if words.two_players and plies > 2:
            return f"{words.subject_verb(turn, 'lose')} {when} if {words.subject_verb(winner, 'play')} well"
        win = "win with the next move" if words.two_players else f"force a win, {when}"
        return f"{words.subject_verb(turn, 'let')} {words.who(winner)} {win}"


class MoveEffectClaim(PositionClaim):
    """The move is legal, and does what is said of it."""

    move: str

    def _says(self, words: Phrases) -> str:
        after = words.book.after(self.position, self.move)
        ban = f", and then {words.who(after.turn)} {words.banned(after)}" if after.last else ""
        return f"playing {self.move} {words.effect_phrase(self.position, self.move)}{ban}"


# Answers


class BestReply(PositionClaim):
    """The move is a best one here, and the position is won for the player who makes it."""

    move: str

    def _says(self, words: Phrases) -> str:
        position, turn, move = self.position, self.position.turn, self.move
        if words.has_no_choice(position):
            return f"then {words.subject_verb(turn, 'lose')} the turn, but still {words.verb(turn, 'win')}"
        if words.book.winner(words.book.after(position, move)):
            return f"then {words.subject_verb(turn, 'win')} with {move}"
        answer = f"{words.subject_verb(turn, 'answer')} best with {move}"
        return f"{answer}, which {words.effect_phrase(position, move)}" if words.is_number else answer


class RepliesToAll(PositionClaim):
    """Every move here, each with a best answer to it."""

    pairs: MoveReplies

    def _says(self, words: Phrases) -> str:
        turn = self.position.turn
        replies = [_reply(words, self.position, *pair) for pair in self.pairs]
        moves = [move for move, _ in self.pairs]
        if len(moves) == 1:
            forced = words.has_no_choice(self.position)
            what = f"no move and {words.verb(turn, 'lose')} the turn" if forced else f"only one move, {moves[0]}"
            return f"then {words.subject_verb(turn, 'have')} {what}; {replies[0]}"
        if len(set(replies)) == 1:
            return f"whatever {words.subject_verb(turn, 'answer')}, {replies[0]}"
        heads = [f"if {words.subject_verb(turn, 'answer')} {moves[0]}", *(f"if {move}" for move in moves[1:])]
        return "; ".join(f"{head}, {reply}" for head, reply in zip(heads, replies, strict=True))


class Refutations(PositionClaim):
    """Each of these moves loses here, and has a best answer to it."""

    pairs: MoveReplies

    def _says(self, words: Phrases) -> str:
        position = self.position
        replies = [_reply(words, position, *pair, verb="answer") for pair in self.pairs]
        if len(set(replies)) == 1 and len(replies) == len(words.book.moves(position)) > 1:
            return f"whatever {words.subject_verb(position.turn, 'play')}, {replies[0]}"
        return "; ".join(
            f"after {move}, {reply}" if answer else f"with {move}, {reply}"
            for (move, answer), reply in zip(self.pairs, replies, strict=True)
        )


def _reply(words: Phrases, position: Position, move: str, answer: str, verb: str = "play") -> str:
    """What happens after a losing move: the answer, with what it makes or that it wins; or that it has lost at once."""
    if not answer:
        return f"{words.subject_verb(position.turn, 'lose')} at once"
    after = words.book.after(position, move)
    final = words.book.after(after, answer)
    if words.book.winner(final):
        return f"{words.subject_verb(after.turn, 'win')} with {answer}"
    does = words.move_clause(after.turn, answer, verb)
    return (
        f"{does}, which {words.effect_phrase(after, answer)}"
        if words.is_number and final.tokens != after.tokens
        else does
    )


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


class ImmediateWins(Claim):
    """From exactly these places each of these players always wins at once, if it is that player's turn."""

    players: tuple[int, ...]
    places: tuple[int, ...]

    def _says(self, words: Phrases) -> str:
        places = words.any_place(self.places)
        if len(self.players) > 1:
            return f"whoever is to move from {places} wins at once"
        (player,) = self.players
        return f"if it is {words.whose(player)} turn, {words.subject_verb(player, 'win')} at once from {places}"


class PatternStatement(Claim):
    """The law tells the lost positions, with as many exceptions as it says."""

    pattern: LosingPattern

    def _says(self, words: Phrases) -> str:
        return self.pattern.full_text(words).removesuffix(".")


class LosingPlaces(Claim):
    """These places, and no others as near to the goal, are lost for whoever must move from them."""

    places: tuple[int, ...]

    def _says(self, words: Phrases) -> str:
        noun = "number" if words.is_number else words.noun
        return f"the losing {noun}s nearest to the goal are {describe_numbers(self.places) or join_and(self.places)}"


class LostExamples(Claim):
    """Each of these positions is lost for the player to move."""

    positions: tuple[Position, ...]

    def _says(self, words: Phrases) -> str:
        return f"here are some traps: {'; '.join(self._example(words, position) for position in self.positions)}"

    def _example(self, words: Phrases, position: Position) -> str:
        ban = f", who {words.banned(position)}" if position.last else ""
        return f"{words.position_phrase(position)} with {words.names[position.turn - 1]} to move{ban}"


class LostAfter(PositionClaim):
    """The position is lost for the player to move."""

    def _says(self, words: Phrases) -> str:
        turn = self.position.turn
        return f"then {words.subject_verb(turn, 'be')} lost, if {words.subject_verb(3 - turn, 'make')} no mistake"


class NoPatternFound(Claim):
    """No rule was found that tells the lost positions, or there are too many to look for one."""

    too_large: bool

    def _says(self, words: Phrases) -> str:
        if self.too_large:
            return "this game is too large to look for a rule that fits all positions"
        return "no short rule is known for this game"


class NoDecisions(Claim):
    """In no position is one move worth more than another."""

    def _says(self, words: Phrases) -> str:
        return "nothing can go wrong in this game: wherever you are, none of your moves throws anything away"


class TrapsExplained(Claim):
    """Whatever is played in a lost position loses at once, or has an answer that leaves a lost position or wins."""

    def _says(self, words: Phrases) -> str:
        return (
            "all traps work in the same way: whatever is played there, the other player has an answer that wins, "
            "or that makes a trap again. So before you move, look at the answers that your opponent will have"
        )


class AlwaysWins(Claim):
    """The move wins wherever it is allowed."""

    move: str

    def _says(self, words: Phrases) -> str:
        return f"the move {self.move} wins wherever it is allowed"


class WinningRoutes(Claim):
    """In each of these positions the move is the only one that wins, and leaves a place that is lost for whoever."""

    ways: tuple[tuple[Position, str], ...]

    def _says(self, words: Phrases) -> str:
        ways = [
            f"from {position.tokens[0]}, {move} {words.effect_phrase(position, move)}" for position, move in self.ways
        ]
        return f"leave your opponent one of them: {'; '.join(ways)}"


class GameValue(Claim):
    """Who can force a win where player 1 starts, and where player 2 does; 0 for nobody."""

    winners: tuple[int, int]

    def _says(self, words: Phrases) -> str:
        alike = {
            (1, 2): "whoever starts can force a win",
            (2, 1): "whoever starts is lost if the other player makes no mistake",
            (0, 0): "nobody can force a win from the start: the game is decided by the first mistake, if at all",
        }.get(self.winners)
        if alike:
            return alike
        first, second = self.winners
        names = ["nobody", *words.names]
        if first == second:
            return f"{names[first]} can force a win, whoever starts"
        return f"if {names[1]} starts, {names[first]} can force a win; if {names[2]} starts, {names[second]} can"


class OpeningMoves(Claim):
    """In each of these starts exactly these moves are right; they have this value, which is not a loss."""

    starts: tuple[Position, ...]
    value: str
    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        if_starts = "" if len(self.starts) > 1 else f"if {words.names[self.starts[0].turn - 1]} starts, "
        return if_starts + self._right(all_right=len(self.moves) == len(words.book.moves(self.starts[0])))

    def _right(self, *, all_right: bool) -> str:
        wins = self.value == WIN
        if all_right:
            return "every first move wins" if wins else "no first move loses"
        if len(self.moves) == 1:
            return f"the only first move that {'wins' if wins else 'does not lose'} is {self.moves[0]}"
        return f"the first moves that {'win' if wins else 'do not lose'} are {join_and(self.moves)}"


class LosingOpenings(Refutations):
    """The same of first moves, beside right ones that have this value; a loss where no move is right."""

    value: str
    right: int

    def _says(self, words: Phrases) -> str:
        how = super()._says(words)
        if self.value == LOSS:
            return how
        wrong = len(words.book.moves(self.position)) - self.right
        which = "the others lose" if wrong > 1 else "the other one loses"
        return f"{which if len(self.pairs) == wrong else 'some of the others lose'}: {how}"


class PerfectGame(Claim):
    """Best play from this start to the end."""

    start: Position
    moves: tuple[str, ...]

    def _says(self, words: Phrases) -> str:
        name = words.names[self.start.turn - 1]
        return f"if {name} starts and nobody makes a mistake, the game can go {', '.join(self.moves)}"


class GainsGround(Claim):
    """Whoever plays the banned stride whenever it is allowed comes nearer with every two turns, and so wins.

    In every lost position the player to move goes `most` at the most and does not win. The other player then wins at
    once or plays the stride again, and is by then at least `gain` nearer to the goal.
    """

    stride: int
    most: int
    gain: int

    def _says(self, words: Phrases) -> str:
        places = f"one {words.noun}" if self.gain == 1 else pluralize(self.gain, words.noun)
        return (
            f"why does it work? After your {self.stride} your opponent may not play {self.stride}, and takes back "
            f"{self.most} at the most. Then you play {self.stride} again, or win at once. So with every two turns you "
            f"come at least {places} nearer to your goal, and your opponent cannot stop it"
        )


class StaysAhead(Claim):
    """Whoever is not behind in the race and makes the own count smaller is never caught up with.

    No turn makes the own count smaller by more than one; whoever is not behind has a move that does it, and is ahead
    after each such move; and whoever is behind has no move that makes the other's count larger.
    """

    pattern: RaceCount
    blocks: bool
    """Whether there are moves that make the other's count larger, for a player who is not behind."""

    def _says(self, words: Phrases) -> str:
        text = (
            "why does it work? A turn can make your own count smaller by one, never by two. So if you are not behind, "
            "make yours smaller turn after turn, and your opponent never catches up"
        )
        if not self.blocks:
            return f"{text}. Nobody can make the other's way longer"
        return (
            f"{text}. Getting in the way can cost the other player turns, but only a player who is not behind can do "
            "that: it never saves the one who is behind"
        )


class PatternInvariant(Claim):
    """Every move from a lost position leads out of them, and from every other position one leads back or wins at once.

    Where some positions are endless: every move from a lost position lets the other player win, and in every other
    position there is a move that does not lose.
    """

    pattern: LosingPattern

    def _says(self, words: Phrases) -> str:
        if not self.pattern.all_else_wins:
            return (
                "why? Whatever you play in a lost position, your opponent can win after it. In every other position "
                "you have a move that does not lose"
            )
        lost, here, there = "a lost position", "one that is not lost", "a lost one"
        if isinstance(self.pattern, LosingNumbers):
            noun = "number" if words.is_number else words.noun
            lost, here, there = f"a losing {noun}", f"a {noun} that is not losing", "a losing one"
        return (
            f"why does it work? From {lost} every move leads to {here}, or loses at once. From every other you can "
            f"win at once or leave your opponent {there}. So once your opponent is in the trap, you can close it again "
            "after every move, until you win"
        )


class RuleOfThumb(Claim):
    """Of so many positions in which a move can be wrong, the longest (or the shortest) steps are right in so many."""

    longest: bool
    right: int
    of: int

    def _says(self, words: Phrases) -> str:
        which = "longest" if self.longest else "shortest"
        return (
            f"a good habit is the {which} step: it is right in {self.right:,} of {self.of:,} positions where it matters"
        )


class RaceException(Claim):
    """Here the count of a race is wrong: so many turns each needs, the player to move first, and yet it is so."""

    pattern: RaceCount
    position: Position

    def _says(self, words: Phrases) -> str:
        turn = self.position.turn
        mine, theirs = (self.pattern.count(self.position, player) for player in (turn, 3 - turn))
        need = " and ".join(
            f"{name} {f'needs {turns}' if turns < UNREACHABLE_TURNS else 'never gets there'}"
            for name, turns in ((words.names[turn - 1], mine), (words.names[2 - turn], theirs))
        )
        fate = "not lost" if self.pattern.is_lost(self.position) else "lost"
        ban = f", who {words.banned(self.position)}" if self.position.last else ""
        scene = f"{words.position_phrase(self.position)}, and {words.names[turn - 1]} to move{ban}"
        return f"an exception: with {scene}, {need}, and yet {words.names[turn - 1]} is {fate}"
