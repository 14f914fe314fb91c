"""What can be said of a position or a move: each claim is one fact of the solution, and knows its sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, dataclass_transform

from numberline.explain.losing_patterns import LosingPattern
from numberline.explain.phrases import Phrases
from numberline.game.moves import OUT
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize

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
