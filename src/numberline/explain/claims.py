"""Claims about a position, a move or a whole game: each is one fact of the solution and knows its sentence."""

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
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize, spell_number

MoveReplies = tuple[tuple[str, str], ...]
"""Moves with a reply to each; the reply is empty if the move ends the game."""


@dataclass_transform(frozen_default=True)
class Claim:
    """One statement about a game; each subclass is a dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(repr=False, eq=False)(cls)  # generating repr and eq for every class would slow down the import

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def _clause(self, words: Phrases) -> str:
        """Return the claim without its first capital and its full stop."""
        raise NotImplementedError

    def sentence(self, words: Phrases) -> str:
        """Return the claim as one or more sentences, or an empty string if it adds nothing."""
        text = self._clause(words)
        return words.sentence(text) if text else ""


class PositionClaim(Claim):
    """One statement about one position."""

    position: Position


class Explanation(NamedTuple):
    """A text and the claims it is made from."""

    text: str
    claims: tuple[Claim, ...]


def combine_claims(words: Phrases, claims: Iterable[Claim]) -> Explanation:
    claims = tuple(claims)
    return Explanation(" ".join(filter(None, (claim.sentence(words) for claim in claims))), claims)


def _value_verbs(value: str, who: str) -> tuple[str, str]:
    """Return what one move of this value does, and what several do."""
    return {
        WIN: ("wins", "win"),
        ENDLESS: ("doesn't lose", "don't lose"),
        OPEN: (f"keeps the game open for {who}", f"keep the game open for {who}"),
    }[value]


# Positions


class GameOverClaim(PositionClaim):
    """The game is over, and this player has won."""

    player: int

    def _clause(self, words: Phrases) -> str:
        return f"the game is over: {words.subject_verb(self.player, 'have')} won"


class ForcedMove(PositionClaim):
    """The player to move has no choice: this move happens automatically."""

    move: str

    def _clause(self, words: Phrases) -> str:
        return words.move_clause(self.position.turn, self.move)


class PositionValueClaim(PositionClaim):
    """The position has this worth for the player to move."""

    worth: Worth

    def _clause(self, words: Phrases) -> str:
        turn, winner, plies = self.position.turn, self.worth.winner, self.worth.plies
        if plies is None:
            why = (
                "if both play well, the game never ends" if words.two_players else "it depends on what the others play"
            )
            return f"{words.no_sure_win()} from here: {why}"
        when, sure_win = words.deadline_phrase(plies, turn), f"{words.subject_verb(winner, 'have')} a sure win"
        if winner == turn:
            against = "" if words.two_players else ", whatever the others play"
            return f"{sure_win} from here, {when}{against}" if plies > 1 else f"{words.who(winner)} can win at once"
        whatever = f"whatever {words.subject_verb(turn, 'play') if words.two_players else 'the others play'}, "
        if words.has_no_choice(self.position):
            whatever = ""
        if plies == 1:
            return f"{whatever}{words.subject_verb(winner, 'win')} at once"
        if words.two_players and plies == 2:
            return f"{whatever}{words.who(winner)} can win with the next move"
        return f"{whatever}{sure_win}, {when}"


class AllMovesLose(PositionClaim):
    """No player has a sure win, and yet every move loses; this needs at least three players."""

    def _clause(self, words: Phrases) -> str:
        moves = words.book.moves(self.position)
        which = f"the only move, {moves[0]}," if len(moves) == 1 else "every move"
        verb = words.losing_verb(self.position, moves, one=True)
        return f"{words.no_sure_win()} from here, but {which} {verb}"


class CorrectMoves(PositionClaim):
    """Exactly these moves have the best value of all moves in the position, which is this value."""

    value: str
    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        moves, legal = self.moves, words.book.moves(self.position)
        if len(legal) == 1:
            return f"the only move is {moves[0]}"
        if self.value == LOSS:
            return f"every move {words.losing_verb(self.position, moves, one=True)}"
        if self.value == ENDLESS and len(moves) == len(legal):
            return "no move loses"
        one, several = _value_verbs(self.value, words.who(self.position.turn))
        if len(moves) == len(legal):
            return f"every move {one}"
        return f"only {moves[0]} {one}" if len(moves) == 1 else f"here {join_and(moves)} {several}"


class BestMoves(PositionClaim):
    """Exactly these moves are best in value and in time."""

    value: str
    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        if self.value == WIN:
            return f"the quickest {'is' if len(self.moves) == 1 else 'are'} {join_and(self.moves)}"
        return f"{words.subject_verb(self.position.turn, 'last')} longest with {join_or(self.moves)}"


# Reasons why a position is losing. `after_move` says the same right after the move that leads to the position.


class LostForEitherSide(PositionClaim):
    """Either player loses when it is their turn in this position."""

    def _clause(self, words: Phrases) -> str:
        position = self.position
        ban = f" and {words.banned(position)}" if position.last else ""
        if words.is_number:
            return f"the player who must move from {position.tokens[0]}{ban} loses"
        return f"with {words.position_phrase(position)}, the player who must move{ban} loses"

    def after_move(self, words: Phrases) -> str:
        where = f" from {self.position.tokens[0]}" if words.is_number else ""
        return f"{'' if where else 'then '}the player who must move{where} loses"


class LostByPattern(PositionClaim):
    """The player to move loses by this pattern, which has no exceptions."""

    pattern: LosingPattern

    def _clause(self, words: Phrases) -> str:
        return self.pattern.short_reason(words).removesuffix(".")


class TurnsNeeded(PositionClaim):
    """The number of turns each player needs to the goal if the other stood still: the player to move, the opponent."""

    mine: int
    theirs: int

    def _clause(self, words: Phrases) -> str:
        turn = self.position.turn
        both = f"{words.subject_verb(turn, 'need')} {self.mine}, {words.subject_verb(3 - turn, 'need')} {self.theirs}"
        return f"it's {words.whose(turn)} turn. Count the turns to the goal as if the other player stood still: {both}"

    def after_move(self, words: Phrases) -> str:
        you, other = 3 - self.position.turn, self.position.turn
        own = f"{words.subject_verb(you, 'need')} {pluralize(self.theirs, 'more turn')} to the goal"
        return f"then {own} and {words.subject_verb(other, 'need')} {self.mine} (each as if the other stood still)"


class Unstoppable(PositionClaim):
    """The player to move loses to the player who just moved."""

    def _clause(self, words: Phrases) -> str:
        if not words.two_players:
            return "then no player can stop you"
        who = words.who(self.position.turn)
        if self.position.last:
            return f"{who}, who {words.banned(self.position)}, can't stop you"
        return f"then {who} can't stop you"

    after_move = _clause


class WinsNextMove(PositionClaim):
    """After every reply, the player who just moved wins with the next move, or the reply itself ends the game."""

    early: bool
    """Whether some reply ends the game."""

    def _clause(self, words: Phrases) -> str:
        turn = self.position.turn
        if words.has_no_choice(self.position):
            forced = words.move_clause(turn, words.book.moves(self.position)[0])
            return f"then {forced}, and you win with your next move"
        sooner = ", or even sooner" if self.early else ""
        return f"whatever {words.subject_verb(turn, 'answer')}, you win with your next move{sooner}"

    after_move = _clause


WinReason = LostForEitherSide | TurnsNeeded | Unstoppable | WinsNextMove


# Moves


class MoveValueClaim(PositionClaim):
    """The move has this worth for the player to move."""

    move: str
    worth: Worth

    def _clause(self, words: Phrases) -> str:
        if self.worth.plies is None and not self.worth.out:
            return f"after {self.move}, {words.no_sure_win()}"
        return f"with {self.move}, {self._consequence(words, self.worth.plies or 0)}"

    def _consequence(self, words: Phrases, plies: int) -> str:
        turn, winner = self.position.turn, self.worth.winner
        when = words.deadline_phrase(plies, turn)
        if self.worth.ends_game:
            result = words.subject_verb(turn, "win" if winner == turn else "lose")
            return f"{result} at once: it {words.ending(self.position, self.move)}"
        if self.worth.out:
            then = f", and {words.subject_verb(winner, 'have')} a sure win" if winner else ""
            return f"{words.subject_verb(turn, 'be')} out of the game{then}"
        if winner == turn:
            return f"{words.subject_verb(turn, 'have')} a sure win, {when}"
        if words.two_players and plies > 2:
            return f"{words.subject_verb(turn, 'lose')} {when} if {words.subject_verb(winner, 'play')} well"
        win = "win with the next move" if words.two_players else f"win for sure, {when}"
        return f"{words.subject_verb(turn, 'let')} {words.who(winner)} {win}"


class MoveEffectClaim(PositionClaim):
    """The move is legal and has the effect that the sentence describes."""

    move: str

    def _clause(self, words: Phrases) -> str:
        after = words.book.after(self.position, self.move)
        ban = f", and then {words.who(after.turn)} {words.banned(after)}" if after.last else ""
        return f"playing {self.move} {words.effect_phrase(self.position, self.move)}{ban}"


class BestReply(PositionClaim):
    """The move is a best one, and the player who makes it wins."""

    move: str

    def _clause(self, words: Phrases) -> str:
        position, turn, move = self.position, self.position.turn, self.move
        if words.has_no_choice(position):
            return f"then {words.move_clause(turn, move)}, but still {words.verb(turn, 'win')}"
        if words.book.winner(words.book.after(position, move)):
            return f"then {words.subject_verb(turn, 'win')} with {move}"
        answer = f"{words.whose(turn)} best answer is {move}"
        return f"{answer}, which {words.effect_phrase(position, move)}" if words.is_number else answer


class RepliesToAll(PositionClaim):
    """Every legal move with a best reply to it."""

    pairs: MoveReplies

    def _clause(self, words: Phrases) -> str:
        turn = self.position.turn
        replies = [_reply(words, self.position, *pair) for pair in self.pairs]
        moves = [move for move, _ in self.pairs]
        if len(moves) == 1:
            forced = words.has_no_choice(self.position)
            only = f"{words.subject_verb(turn, 'have')} only one move, {moves[0]}"
            return f"then {words.move_clause(turn, moves[0]) if forced else only}; {replies[0]}"
        if len(set(replies)) == 1:
            return f"whatever {words.subject_verb(turn, 'answer')}, {replies[0]}"
        heads = [f"if {words.subject_verb(turn, 'answer')} {moves[0]}", *(f"if {move}" for move in moves[1:])]
        return "; ".join(f"{head}, {reply}" for head, reply in zip(heads, replies, strict=True))


class Refutations(PositionClaim):
    """Losing moves with a best reply to each."""

    pairs: MoveReplies

    def _clause(self, words: Phrases) -> str:
        position = self.position
        replies = [_reply(words, position, *pair, verb="answer") for pair in self.pairs]
        if len(set(replies)) == 1 and len(replies) == len(words.book.moves(position)) > 1:
            return f"whatever {words.subject_verb(position.turn, 'play')}, {replies[0]}"
        return "; ".join(
            f"{'after' if answer else 'with'} {move}, {reply}"
            for (move, answer), reply in zip(self.pairs, replies, strict=True)
        )


def _reply(words: Phrases, position: Position, move: str, answer: str, verb: str = "play") -> str:
    """Return what happens after a losing move: the reply and its effect, or that the game is lost at once."""
    if not answer:
        return f"{words.subject_verb(position.turn, 'lose')} at once"
    after = words.book.after(position, move)
    final = words.book.after(after, answer)
    if words.book.winner(final):
        return f"{words.subject_verb(after.turn, 'win')} with {answer}"
    clause = words.move_clause(after.turn, answer, verb)
    if words.is_number and final.tokens != after.tokens:
        return f"{clause}, which {words.effect_phrase(after, answer)}"
    return clause


# Hints at level 1. They have no digits, because a number could be read as a move.


class PositionOutlook(PositionClaim):
    """The position has this value for the player to move; a win is an immediate one."""

    value: str

    def _clause(self, words: Phrases) -> str:
        if self.value == WIN:
            return "you can win at once"
        if self.value == LOSS:
            opponent = "your opponent" if words.two_players else "another player"
            return f"{opponent} has a sure win from here, whatever you play"
        return f"{words.no_sure_win()} from here"


class OnlyMove(PositionClaim):
    """The player to move has exactly this move."""

    move: str

    def _clause(self, words: Phrases) -> str:
        out = ", and it puts you out" if words.eliminates(self.position, self.move) else ""
        return f"you have only one move here{out}"


class WinningMoveCount(PositionClaim):
    """Exactly `right` moves have the best value of all moves in the position, which is this value."""

    value: str
    right: int
    equally: bool
    """Whether these moves also take equally long."""

    def _clause(self, words: Phrases) -> str:
        one, several = _value_verbs(self.value, "you")
        choices = len(words.book.moves(self.position))
        total = spell_number(choices)
        if self.right == 1 < choices:
            return f"exactly one of your {total} moves {one}"
        if self.right < choices:
            return f"{spell_number(self.right)} of your {total} moves {several}"
        if self.value == ENDLESS:
            return "none of your moves loses"
        but = "" if self.equally else ", but not equally fast"
        return f"{'both' if choices == 2 else f'all {total}'} of your moves {several}{but}"


class LosingMoves(PositionClaim):
    """Exactly these moves lose, or exactly these put the player to move out; `right` moves don't lose."""

    moves: tuple[str, ...]
    right: int

    def _clause(self, words: Phrases) -> str:
        count, choices = len(self.moves), len(words.book.moves(self.position))
        verb = words.losing_verb(self.position, self.moves, one=count in {1, choices})
        if count == choices:
            return f"but every move {verb}"
        if count + self.right == choices:
            return f"the other{' one' if count == 1 else 's'} {verb}"
        return f"{spell_number(count)} of your moves {verb}"


class OthersLoseImmediately(PositionClaim):
    """After every move that doesn't win, the opponent can win at once."""

    def _clause(self, words: Phrases) -> str:
        return "after any other move, your opponent can win at once"


class LongestMoveLoses(PositionClaim):
    """Exactly these moves are the longest, and none of them wins."""

    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        longest = "largest" if words.is_number else "longest"
        return f"the {longest} move doesn't win" if len(self.moves) == 1 else f"the {longest} moves don't win"


class UnequalDefences(PositionClaim):
    """The player to move loses, but later with some moves than with others."""

    def _clause(self, words: Phrases) -> str:
        return "some of your moves last longer than others"


class Trap(PositionClaim):
    """The player to move loses, but exactly these moves, a best one among them, leave only one right reply."""

    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        count, choices = len(self.moves), len(words.book.moves(self.position))
        which = "each" if count == choices else spell_number(count)
        leave = "leaves" if count in {1, choices} else "leave"
        return f"but {which} of your moves {leave} just one right answer: hope for a mistake"


class StrategyHint(PositionClaim):
    """Advice to a player who can win, but not at once."""

    counts: bool
    """Whether counting turns tells the winning moves from the others."""

    def _clause(self, words: Phrases) -> str:
        if words.book.rules.repeat == "banned":
            opponent = "your opponent" if words.two_players else "the next player"
            return f"think about what {opponent} can't do after your move"
        if words.is_number and words.two_players:
            return "look for a number from which your opponent can't win"
        return "count the turns that each of you still needs" if self.counts else ""


# Hints at level 2


class Advice(PositionClaim):
    """The move is a best one and has this worth; exactly the moves in `as_good` are equally good."""

    move: str
    worth: Worth
    reason: WinReason | None
    as_good: tuple[str, ...] = ()

    def _clause(self, words: Phrases) -> str:
        verb = "is" if len(self.as_good) == 1 else "are"
        others = f" ({join_and(self.as_good)} {verb} just as good)" if self.as_good else ""
        return f"play {self.move}{others}: it {self._why(words)}"

    def _why(self, words: Phrases) -> str:
        if self.worth.ends_game:
            verb = "wins" if self.worth.value == WIN else "loses"
            return f"{words.ending(self.position, self.move)} and {verb} at once"
        effect = words.effect_phrase(self.position, self.move)
        if self.reason:
            return f"{effect}, and {self.reason.after_move(words)}"
        if self.worth.value != LOSS:
            return f"{effect}, and then {words.no_sure_win()}"
        moves = words.book.moves(self.position)
        other = "no move lasts longer" if len(moves) > 1 else "there is no other move"
        if words.two_players:
            return f"{effect}; you lose if {words.subject_verb(self.worth.winner, 'play')} well, but {other}"
        verb = words.losing_verb(self.position, moves, one=True)
        return f"{effect}; every move {verb}, but {other}" if len(moves) > 1 else f"{effect} and {verb}, but {other}"


# Whole games


class ImmediateWins(Claim):
    """From exactly these places, each of these players always wins at once on their turn."""

    players: tuple[int, ...]
    places: tuple[int, ...]

    def _clause(self, words: Phrases) -> str:
        places = words.any_place(self.places)
        if len(self.players) > 1:
            return f"from {places}, you can win at once if it's your turn"
        (player,) = self.players
        return f"if it's {words.whose(player)} turn, {words.who(player)} can win at once from {places}"


class PatternStatement(Claim):
    """The pattern describes the losing positions, with the number of exceptions it states."""

    pattern: LosingPattern

    def _clause(self, words: Phrases) -> str:
        return self.pattern.full_text(words).removesuffix(".")


class LosingPlaces(Claim):
    """These places, and no others as near to the goal, lose for the player who must move from them."""

    places: tuple[int, ...]

    def _clause(self, words: Phrases) -> str:
        noun = "number" if words.is_number else words.noun
        return f"the losing {noun}s nearest to the goal are {describe_numbers(self.places) or join_and(self.places)}"


class LostExamples(Claim):
    """The player to move loses in each of these positions."""

    positions: tuple[Position, ...]

    def _clause(self, words: Phrases) -> str:
        return f"here are some traps: {'; '.join(_scene(words, position) for position in self.positions)}"


class LostAfter(PositionClaim):
    """The player to move loses in this position."""

    def _clause(self, words: Phrases) -> str:
        turn = self.position.turn
        return f"then {words.subject_verb(turn, 'lose')} if {words.subject_verb(3 - turn, 'make')} no mistake"


class NoPatternFound(Claim):
    """No rule describes the losing positions, or there are too many positions to look for one."""

    too_large: bool

    def _clause(self, words: Phrases) -> str:
        if self.too_large:
            return "this game is too large to look for a rule that fits every position"
        return "this game has no short rule that we know of"


class NoDecisions(Claim):
    """All moves have the same value in every position."""

    def _clause(self, words: Phrases) -> str:
        return "nothing can go wrong in this game: none of your moves ever gives anything away"


class TrapsExplained(Claim):
    """Every move in a losing position loses at once or has a reply that wins or leaves a losing position."""

    def _clause(self, words: Phrases) -> str:
        return (
            "all traps work the same way: whatever you play in one, your opponent has an answer that wins or that "
            "traps you again. So before you move, look at the answers your opponent will have"
        )


class AlwaysWins(Claim):
    """The move wins in every position in which it is legal."""

    move: str

    def _clause(self, words: Phrases) -> str:
        return f"the move {self.move} wins whenever you can play it"


class WinningRoutes(Claim):
    """In each of these positions the move is the only winning one, and leaves a place that loses for either player."""

    ways: tuple[tuple[Position, str], ...]

    def _clause(self, words: Phrases) -> str:
        ways = [
            f"from {position.tokens[0]}, {move} {words.effect_phrase(position, move)}" for position, move in self.ways
        ]
        return f"leave your opponent one of them: {'; '.join(ways)}"


class GameValue(Claim):
    """The player with a sure win if player 1 starts, and if player 2 starts; 0 for neither."""

    winners: tuple[int, int]

    def _clause(self, words: Phrases) -> str:
        symmetric = {
            (1, 2): "the player who starts has a sure win",
            (2, 1): "the player who starts loses if the other player makes no mistake",
            (0, 0): "neither player has a sure win from the start: if the game ends, a mistake decides it",
        }.get(self.winners)
        if symmetric:
            return symmetric
        first, second = self.winners
        names = ["neither player", *words.names]
        if first == second:
            return f"{names[first]} has a sure win, no matter who starts"
        return f"if {names[1]} starts, {names[first]} has a sure win; if {names[2]} starts, {names[second]} does"


class OpeningMoves(Claim):
    """In each of these starts, exactly these moves are right; they have this value, which isn't a loss."""

    starts: tuple[Position, ...]
    value: str
    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        condition = "" if len(self.starts) > 1 else f"if {words.names[self.starts[0].turn - 1]} starts, "
        if len(self.moves) == len(words.book.moves(self.starts[0])):
            return f"{condition}{'every first move wins' if self.value == WIN else 'no first move loses'}"
        one, several = _value_verbs(self.value, "you")
        if len(self.moves) == 1:
            return f"{condition}the only first move that {one} is {self.moves[0]}"
        return f"{condition}the first moves that {several} are {join_and(self.moves)}"


class LosingOpenings(Refutations):
    """Losing first moves with a best reply to each, and the value and number of the right ones."""

    value: str
    right: int

    def _clause(self, words: Phrases) -> str:
        replies = super()._clause(words)
        if self.value == LOSS:
            return replies
        wrong = len(words.book.moves(self.position)) - self.right
        which = "the others lose" if wrong > 1 else "the other one loses"
        return f"{which if len(self.pairs) == wrong else 'some of the others lose'}: {replies}"


class PerfectGame(Claim):
    """Best play from this start to the end."""

    start: Position
    moves: tuple[str, ...]

    def _clause(self, words: Phrases) -> str:
        name = words.names[self.start.turn - 1]
        return f"if {name} starts and neither player makes a mistake, the game can go {', '.join(self.moves)}"


# Reasons for a pattern


class GainsGround(Claim):
    """Playing the banned stride whenever it is legal comes nearer to the goal every two turns, and so wins.

    In every losing position the player to move goes no further than `most` and doesn't win. The other player then wins
    at once or plays the stride again, and is by then at least `gain` nearer to the goal.
    """

    stride: int
    most: int
    gain: int

    def _clause(self, words: Phrases) -> str:
        places = f"one {words.noun}" if self.gain == 1 else pluralize(self.gain, words.noun)
        return (
            f"why does it work? After your {self.stride}, your opponent can't play {self.stride} and takes back "
            f"no more than {self.most}. Then you play {self.stride} again, or win at once. So every two turns bring "
            f"you at least {places} nearer to your goal, and your opponent can't stop it"
        )


class StaysAhead(Claim):
    """A player who isn't behind in the race, and makes their own count smaller every turn, stays ahead.

    No turn makes a player's own count smaller by more than one. A player who isn't behind has a move that does so and
    is ahead after each such move. A player who is behind has no move that makes the other's count larger.
    """

    pattern: RaceCount
    blocks: bool
    """Whether a player who isn't behind has moves that make the other's count larger."""

    def _clause(self, words: Phrases) -> str:
        text = (
            "why does it work? A turn can make your own count smaller by one, never by two. So if you aren't behind, "
            "make yours smaller turn after turn, and your opponent never catches up"
        )
        if not self.blocks:
            return f"{text}. Neither player can make the other's way longer"
        return (
            f"{text}. Getting in the way can cost the other player turns. But only a player who isn't behind can do "
            "that, so it never saves the one who is"
        )


class PatternInvariant(Claim):
    """Every move from a losing position leaves them, and from every other position a move leads back or wins at once.

    With endless positions: every move from a losing position lets the other player win, and every other position has
    a move that doesn't lose.
    """

    pattern: LosingPattern

    def _clause(self, words: Phrases) -> str:
        if not self.pattern.all_else_wins:
            return (
                "why? Whatever you play in a losing position, your opponent can win after it. In every other "
                "position, you have a move that doesn't lose"
            )
        noun = "position"
        if isinstance(self.pattern, LosingNumbers):
            noun = "number" if words.is_number else words.noun
        return (
            f"why does it work? From a losing {noun}, every move leads to a {noun} that isn't losing, or loses at "
            "once. From every other one, you can win at once or leave your opponent a losing one. So once your "
            "opponent is in the trap, you can close it again after every move, until you win"
        )


class RuleOfThumb(Claim):
    """The longest (or shortest) steps are right in this many of the positions in which a move can be wrong."""

    longest: bool
    right: int
    of: int

    def _clause(self, words: Phrases) -> str:
        which = "longest" if self.longest else "shortest"
        return (
            f"a good habit is the {which} step: it's right in {self.right:,} of {self.of:,} positions where it matters"
        )


class RaceException(Claim):
    """The race count is wrong in this position."""

    pattern: RaceCount
    position: Position

    def _clause(self, words: Phrases) -> str:
        turn = self.position.turn
        mine, theirs = (self.pattern.count(self.position, player) for player in (turn, 3 - turn))
        need = " and ".join(
            f"{name} {f'needs {turns}' if turns < UNREACHABLE_TURNS else 'never gets there'}"
            for name, turns in ((words.names[turn - 1], mine), (words.names[2 - turn], theirs))
        )
        result = "doesn't lose" if self.pattern.is_lost(self.position) else "loses"
        return f"here's an exception: {_scene(words, self.position)}. {need}, and yet {words.names[turn - 1]} {result}"


def _scene(words: Phrases, position: Position) -> str:
    """Return a position and whose turn it is: `the marker on position 5 on Ann's turn, when Ann can't move by 3`."""
    name = words.names[position.turn - 1]
    ban = f", when {name} {words.banned(position)}" if position.last else ""
    return f"{words.position_phrase(position)} on {name}'s turn{ban}"
