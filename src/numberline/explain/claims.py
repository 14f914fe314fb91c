"""Claims about a position, a move or a whole game, each stating one fact proved by the solution.

Each kind of claim is a function in this module that returns the sentence without its initial capital and full stop.
The function's docstring says what must be true of its arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec

from numberline.explain.phrases import Phrases, describe_numbers
from numberline.game.position import Position
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN, Worth
from numberline.text import join_and, join_or, pluralize, spell_number, spell_ordinal

if TYPE_CHECKING:
    from numberline.explain.losing_patterns import LosingNumbers, LosingPattern, RaceCount

Moves = tuple[str, ...]
MoveReplies = tuple[tuple[str, str], ...]
"""Pairs of a move and a reply to it; the reply is empty if the move ends the game."""
MAX_SENTENCE_WORDS = 20
P = ParamSpec("P")
MAX_CLAUSE_WORDS = 17
"""Maximum number of words when two clauses are joined; longer clauses become two sentences."""


class Claim:
    """Statement about a game: the function that puts it into words, and the facts passed to that function."""

    def __init__(self, kind: Callable[Concatenate[Phrases, P], str], *args: P.args, **kwargs: P.kwargs) -> None:
        self.kind: Callable[..., str] = kind
        self.facts = SimpleNamespace(**dict(zip(_fact_names(kind), args, strict=False)), **kwargs)

    def __repr__(self) -> str:
        return f"{self.kind.__name__}{self.facts}"

    def sentence(self, words: Phrases) -> str:
        """Return the claim as one or more sentences, or an empty string if there is nothing to say."""
        text = self.kind(words, **vars(self.facts))
        return words.sentence(text) if text else ""

    def is_short(self, words: Phrases) -> bool:
        """Return whether the claim is short enough for a child."""
        return len(self.sentence(words).split()) <= MAX_SENTENCE_WORDS


@cache
def _fact_names(kind: Callable[..., str]) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)[1:]


class Explanation(NamedTuple):
    """Text and the claims that it makes."""

    text: str = ""
    claims: tuple[Claim, ...] = ()


def combine_claims(words: Phrases, claims: Iterable[Claim]) -> Explanation:
    claims = tuple(claims)
    return Explanation(" ".join(filter(None, (claim.sentence(words) for claim in claims))), claims)


def _value_verbs(value: str, who: str) -> tuple[str, str]:
    """Return the singular and the plural verb phrase for moves with this value."""
    return {
        WIN: ("wins", "win"),
        ENDLESS: ("doesn't lose", "don't lose"),
        OPEN: (f"keeps {who} in the game", f"keep {who} in the game"),
    }[value]


# Positions


def game_over(words: Phrases, position: Position, player: int) -> str:
    """State that the game is over and `player` has won."""
    return f"the game is over: {words.subject_verb(player, 'have')} won"


def forced_move(words: Phrases, position: Position, move: str) -> str:
    """State that the player to move has no choice: `move` is played automatically."""
    return words.lost_turn(position, move)


def position_value(words: Phrases, position: Position, worth: Worth) -> str:
    """State who has a sure win, if any, and how soon; `worth` is the value of the position for the player to move."""
    turn, winner, plies = position.turn, worth.winner, worth.plies
    if plies is None:
        why = "if both play well, the game never ends" if words.two_players else "it depends on what the others play"
        return f"{words.no_sure_win()} from here: {why}"
    when, sure_win = words.deadline_phrase(plies, turn), f"{words.subject_verb(winner, 'have')} a sure win"
    if winner == turn:
        against = "" if words.two_players else ", whatever the others play"
        return f"{sure_win} from here, {when}{against}" if plies > 1 else f"{words.who(winner)} can win at once"
    whatever = f"whatever {words.subject_verb(turn, 'play') if words.two_players else 'the others play'}, "
    if words.has_no_choice(position):
        whatever = ""
    if plies == 1:
        return f"{whatever}{words.subject_verb(winner, 'win')} at once"
    if words.two_players and plies == 2:
        return f"{whatever}{words.who(winner)} can win with the next move"
    return f"{whatever}{sure_win}, {when}"


def all_moves_lose(words: Phrases, position: Position) -> str:
    """State that every move loses although no player has a sure win, as can happen with three or more players."""
    moves = words.book.moves(position)
    which = f"the only move, {moves[0]}," if len(moves) == 1 else "every move"
    return f"{words.no_sure_win()} from here, but {which} {words.losing_verb(position, moves, one=True)}"


def correct_moves(words: Phrases, position: Position, value: str, moves: Moves) -> str:
    """State that no move has a better value than `value`, and that exactly `moves` have that value."""
    legal = words.book.moves(position)
    if len(legal) == 1:
        return f"the only move is {moves[0]}"
    if value == LOSS:
        return f"every move {words.losing_verb(position, moves, one=True)}"
    if value == ENDLESS and len(moves) == len(legal):
        return "no move loses"
    one, several = _value_verbs(value, words.who(position.turn))
    if len(moves) == len(legal):
        return f"every move {one}"
    return f"only {moves[0]} {one}" if len(moves) == 1 else f"here {join_and(moves)} {several}"


def best_moves(words: Phrases, position: Position, value: str, moves: Moves) -> str:
    """State that exactly `moves` are best in terms of both value and number of turns."""
    if value == WIN:
        return f"the quickest {'is' if len(moves) == 1 else 'are'} {join_and(moves)}"
    return f"{words.subject_verb(position.turn, 'last')} longest with {join_or(moves)}"


# Reasons why a position is losing


def lost_for_either_side(words: Phrases, position: Position) -> str:
    """State that the player to move loses in this position, whichever player that is."""
    ban = f" and {words.banned(position)}" if position.last else ""
    if words.is_number:
        return f"the player who must move from {position.tokens[0]}{ban} loses"
    return f"with {words.position_phrase(position)}, the player who must move{ban} loses"


def lost_by_pattern(words: Phrases, position: Position, pattern: LosingPattern) -> str:
    """State that the player to move loses according to `pattern`."""
    return pattern.short_reason(words).removesuffix(".")


def turns_needed(words: Phrases, position: Position, mine: int, theirs: int) -> str:
    """State how many turns each player would need to reach the goal if the other stood still.

    The player to move would need `mine` turns, and the opponent `theirs`.
    """
    turn = position.turn
    both = f"{words.subject_verb(turn, 'need')} {mine}, {words.subject_verb(3 - turn, 'need')} {theirs}"
    return f"it's {words.whose(turn)} turn. Count the turns to the goal as if the other player stood still: {both}"


def unstoppable(words: Phrases, position: Position) -> str:
    """State that the player who just moved has a sure win."""
    if not words.two_players:
        return "then no player can stop you"
    who = words.who(position.turn)
    if position.last:
        return f"{who}, who {words.banned(position)}, can't stop you"
    return f"then {who} can't stop you"


def wins_next_move(words: Phrases, position: Position, *, early: bool) -> str:
    """State that the player who just moved wins with their next move, or sooner if the reply ends the game.

    `early` is true if at least one reply ends the game.
    """
    turn = position.turn
    if words.has_no_choice(position):
        return f"then {words.move_clause(turn, words.book.moves(position)[0])}, and you win with your next move"
    sooner = ", or even sooner" if early else ""
    return f"whatever {words.subject_verb(turn, 'answer')}, you win with your next move{sooner}"


def _lost_after_move(words: Phrases, position: Position) -> str:
    where = f" from {position.tokens[0]}" if words.is_number else ""
    return f"{'' if where else 'then '}the player who must move{where} loses"


def _turns_left_after_move(words: Phrases, position: Position, mine: int, theirs: int) -> str:
    you, other = 3 - position.turn, position.turn
    own = f"{words.subject_verb(you, 'need')} {pluralize(theirs, 'more turn')} to the goal"
    return f"then, with the other player standing still, {own} and {words.subject_verb(other, 'need')} {mine}"


_AFTER_MOVE: dict[Callable[..., str], Callable[..., str]] = {
    lost_for_either_side: _lost_after_move,
    turns_needed: _turns_left_after_move,
}
"""Alternative wordings of some reasons, used directly after the move that leads to the position."""


# Moves


def move_value(words: Phrases, position: Position, move: str, worth: Worth) -> str:
    """State what the move leads to; `worth` is its value for the player to move."""
    if worth.plies is None and not worth.out:
        return f"after {move}, {words.no_sure_win()}"
    return f"with {move}, {_consequence(words, position, move, worth)}"


def _consequence(words: Phrases, position: Position, move: str, worth: Worth) -> str:
    turn, winner, plies = position.turn, worth.winner, worth.plies or 0
    when = words.deadline_phrase(plies, turn)
    if worth.ends_game:
        result = words.subject_verb(turn, "win" if winner == turn else "lose")
        return f"{result} at once: it {words.ending(position, move)}"
    if worth.out:
        then = f", and {words.subject_verb(winner, 'have')} a sure win" if winner else ""
        return f"{words.subject_verb(turn, 'be')} out of the game{then}"
    if winner == turn:
        return f"{words.subject_verb(turn, 'have')} a sure win, {when}"
    if words.two_players and plies > 2:
        return f"{words.subject_verb(turn, 'lose')} {when} if {words.subject_verb(winner, 'play')} well"
    win = "win with the next move" if words.two_players else f"win for sure, {when}"
    return f"{words.subject_verb(turn, 'let')} {words.who(winner)} {win}"


def move_effect(words: Phrases, position: Position, move: str) -> str:
    """State the effect of a legal move."""
    after = words.book.after(position, move)
    ban = f", and then {words.who(after.turn)} {words.banned(after)}" if after.last else ""
    return f"playing {move} {words.effect_phrase(position, move)}{ban}"


def refutations(words: Phrases, position: Position, pairs: MoveReplies, *, trapped: bool = False) -> str:
    """State that each move in `pairs` loses to the reply that is paired with it.

    If `trapped` is true, also state that if a reply doesn't win at once, every move that can follow it loses too.
    """
    then = ", and then every move loses" if trapped else ""
    replies = [_reply(words, position, *pair, then) for pair in pairs]
    if words.has_no_choice(position):
        return f"{words.lost_turn(position, pairs[0][0])}; {replies[0]}"
    if len(set(replies)) == 1 and len(replies) == len(words.book.moves(position)) > 1:
        return f"whatever {words.subject_verb(position.turn, 'play')}, {replies[0]}"
    return "; ".join(
        f"{'after' if answer else 'with'} {move}, {reply}" for (move, answer), reply in zip(pairs, replies, strict=True)
    )


def _reply(words: Phrases, position: Position, move: str, answer: str, then: str) -> str:
    """Return a clause that says how a losing move is answered, followed by `then` unless the game ends."""
    if not answer:
        return f"{words.subject_verb(position.turn, 'lose')} at once"
    after = words.book.after(position, move)
    final = words.book.after(after, answer)
    if words.book.winner(final):
        return f"{words.subject_verb(after.turn, 'win')} with {answer}"
    lost = words.has_no_choice(after)
    clause = words.lost_turn(after, answer) if lost else words.move_clause(after.turn, answer, "answer")
    if words.is_number and final.tokens != after.tokens:
        clause = f"{clause}, which {words.effect_phrase(after, answer)}"
    return f"{clause}{then}"


# Short explanations for exercises, puzzles and strips


def sets_trap(words: Phrases, position: Position, move: str) -> str:
    """State that the move leads to a position in which the opponent loses."""
    after = words.book.after(position, move)
    opponent = words.who(after.turn)
    if after.last:
        return f"play {move}: then {opponent} {words.banned(after)} and is trapped"
    return f"play {move}: it {words.effect_phrase(position, move)} and traps {opponent}"


def trapped_again(words: Phrases, position: Position) -> str:
    """State that every move loses at once, or allows a reply that wins or sets another trap."""
    return f"whatever you play, {words.who(3 - position.turn)} wins or traps you again"


def jumps_to_go(words: Phrases, position: Position, jumps: int, *, gate: bool) -> str:
    """State how many jumps the player to move needs to reach the goal if no token is in the way.

    If `gate` is true, also state that they would need more jumps from further away.
    """
    (place,) = words.book.tokens_of(position, position.turn)
    text = f"from {words.place(int(place))}, you need {pluralize(jumps, 'jump')}"
    return f"{text}. It's a gate: from further away, you need more jumps" if gate else text


# Hints at level 1. They contain no digits, because a number could be mistaken for a move.


def position_outlook(words: Phrases, position: Position, value: str) -> str:
    """State the value of the position for the player to move; if it is a win, the win must be immediate."""
    if value == WIN:
        home = any(words.book.is_home(after, position.turn) for _, after in words.book.successors(position))
        how = f"count the {words.noun}s to your goal" if home and not words.is_number else "try each move in your head"
        return f"you can win at once: {how}"
    if value == LOSS:
        opponent = "your opponent" if words.two_players else "another player"
        return f"{opponent} has a sure win from here, whatever you play"
    return f"{words.no_sure_win()} from here"


def only_move(words: Phrases, position: Position, move: str) -> str:
    """State that `move` is the only legal move."""
    out = ", and it puts you out" if words.eliminates(position, move) else ""
    return f"you have only one move here{out}"


def winning_move_count(words: Phrases, position: Position, value: str, right: int, *, equally: bool) -> str:
    """State that no move has a better value than `value`, and that exactly `right` moves have that value.

    `equally` is true if these moves also take the same number of turns.
    """
    one, several = _value_verbs(value, "you")
    choices = len(words.book.moves(position))
    total = spell_number(choices)
    if right == 1 < choices:
        return f"exactly one of your {total} moves {one}"
    but = "" if equally else ", but not equally fast"
    if right < choices:
        return f"{spell_number(right)} of your {total} moves {several}{but}"
    if value == ENDLESS:
        return "none of your moves loses"
    return f"{'both' if choices == 2 else f'all {total}'} of your moves {several}{but}"


def losing_moves(words: Phrases, position: Position, moves: Moves, right: int) -> str:
    """State that exactly `moves` lose the game or eliminate the player; `right` is the number of right moves."""
    count, choices = len(moves), len(words.book.moves(position))
    verb = words.losing_verb(position, moves, one=count in {1, choices})
    if count == choices:
        return f"but every move {verb}"
    if count + right == choices:
        return f"the other{' one' if count == 1 else 's'} {verb}"
    return f"{spell_number(count)} of your moves {verb}"


def others_lose_immediately(words: Phrases, position: Position) -> str:
    """State that the opponent can win at once after every move that doesn't win."""
    other = "the other" if len(words.book.moves(position)) == 2 else "any other"
    return f"after {other} move, your opponent can win at once"


def longest_move_loses(words: Phrases, position: Position, moves: Moves) -> str:
    """State that exactly `moves` are the longest moves and that none of them wins."""
    longest = "largest" if words.is_number else "longest"
    return f"the {longest} move doesn't win" if len(moves) == 1 else f"the {longest} moves don't win"


def unequal_defences(words: Phrases, position: Position) -> str:
    """State that the player to move loses, but that some moves delay the loss longer than others."""
    return "some moves make the game last longer"


def trap(words: Phrases, position: Position, moves: Moves) -> str:
    """State that exactly `moves` leave the opponent only one right reply.

    The position must be losing, and `moves` must include a best move.
    """
    which = "each" if len(moves) == len(words.book.moves(position)) else spell_number(len(moves))
    return f"but after {which} of your moves, only one answer is right"


def strategy_hint(words: Phrases, position: Position, *, counts: bool) -> str:
    """Suggest how to find a win that isn't immediate; `counts` is true if counting turns reveals it."""
    if words.book.rules.repeat == "banned":
        opponent = "your opponent" if words.two_players else "the next player"
        return f"think about what {opponent} can't do after your move"
    if words.is_number and words.two_players:
        return "look for a number from which your opponent can't win"
    return "count the turns that each of you still needs" if counts else ""


# Hints at level 2


def advice(
    words: Phrases, position: Position, move: str, worth: Worth, reason: Claim | None, *, as_good: Moves, easier: Moves
) -> str:
    """Recommend `move`, a best move with value `worth`; `as_good` and `easier` contain all other best moves.

    Those in `easier` lose just as late as `move`, but leave the opponent a larger fraction of right replies.
    """
    others = {"just as good": as_good, "easier to answer": easier}.items()
    listed = [f"{join_and(moves)} {'is' if len(moves) == 1 else 'are'} {rank}" for rank, moves in others if moves]
    advised = f"play {move}: it {_why(words, position, move, worth, reason)}"
    return f"{advised}. {', but '.join(listed)}" if listed else advised


def _join_clauses(words: Phrases, first: str, conjunction: str, second: str) -> str:
    """Join two clauses, or make two sentences of them if they are long."""
    clause = f"{first}, {conjunction} {second}"
    return clause if len(clause.split()) <= MAX_CLAUSE_WORDS else f"{first}. {words.sentence(second)[:-1]}"


def _why(words: Phrases, position: Position, move: str, worth: Worth, reason: Claim | None) -> str:
    if worth.ends_game:
        result = f"you {'win' if worth.value == WIN else 'lose'} at once"
        return _join_clauses(words, words.ending(position, move), "so", result)
    effect = words.effect_phrase(position, move)
    if reason:
        why = _AFTER_MOVE.get(reason.kind, reason.kind)(words, **vars(reason.facts))
        return _join_clauses(words, effect, "and", why)
    if worth.value != LOSS:
        return f"{effect}, and then {words.no_sure_win()}"
    moves = words.book.moves(position)
    if words.two_players:
        other = "no other move is better" if len(moves) > 1 else "there is no other move"
        return f"{effect}. You lose if {words.subject_verb(worth.winner, 'play')} well, but {other}"
    verb = words.losing_verb(position, moves, one=True)
    if len(moves) == 1:
        return f"{effect}. That {verb}, but there is no other move"
    return f"{effect}. Every move {verb}, so no other move is better"


# Whole games


def pattern_statement(words: Phrases, pattern: LosingPattern) -> str:
    """State the pattern; it must be valid for every position of the book."""
    return pattern.full_text(words).removesuffix(".")


def losing_places(words: Phrases, places: tuple[int, ...]) -> str:
    """State that `places` are the losing places nearest to the goal: a player who must move from one of them loses."""
    noun = "number" if words.is_number else words.noun
    return f"the losing {noun}s nearest to the goal are {describe_numbers(places) or join_and(places)}"


def no_pattern_found(words: Phrases, *, too_large: bool) -> str:
    """State that no known rule describes the losing positions or, if `too_large`, that the game is too large."""
    if too_large:
        return "this game is too big for us to find a rule that fits every position"
    return "this game has no short rule that we know of"


def no_decisions(words: Phrases) -> str:
    """State that all moves have the same value in every position."""
    return "you can't make a mistake in this game: no move changes who can win"


def traps_explained(words: Phrases) -> str:
    """State that every move in a losing position loses at once, or allows a reply that wins or sets another trap."""
    return (
        "all traps work the same way. Whatever you play, your opponent has an answer that wins or "
        "traps you again. So before you move, look at the answers your opponent will have"
    )


def always_wins(words: Phrases, move: str) -> str:
    """State that the move wins in every position in which it is legal."""
    return f"the move {move} wins whenever you can play it"


def game_value(words: Phrases, winners: tuple[int, int]) -> str:
    """State who has a sure win, depending on who starts.

    `winners` contains the winner if player 1 starts and the winner if player 2 starts; 0 means neither player.
    """
    symmetric = {
        (1, 2): "the player who starts has a sure win",
        (2, 1): "the player who starts loses if the other player makes no mistake",
        (0, 0): "neither player has a sure win from the start: if the game ends, a mistake decides it",
    }.get(winners)
    if symmetric:
        return symmetric
    first, second = winners
    names = ["neither player", *words.names]
    if first == second:
        return f"{names[first]} has a sure win, no matter who starts"
    return f"if {names[1]} starts, {names[first]} has a sure win; if {names[2]} starts, {names[second]} does"


def opening_moves(words: Phrases, starts: tuple[Position, ...], value: str, moves: Moves) -> str:
    """State that exactly `moves` are right in each of `starts`; their value is `value`, which is not a loss."""
    condition = "" if len(starts) > 1 else f"if {words.names[starts[0].turn - 1]} starts, "
    if len(moves) == len(words.book.moves(starts[0])):
        return f"{condition}{'every first move wins' if value == WIN else 'no first move loses'}"
    one, several = _value_verbs(value, "you")
    if len(moves) == 1:
        return f"{condition}the only first move that {one} is {moves[0]}"
    return f"{condition}the first moves that {several} are {join_and(moves)}"


# Reasons for a pattern


def gains_ground(words: Phrases, stride: int, most: int, gain: int) -> str:
    """State that playing `stride` whenever it is legal brings a player closer to the goal every two turns and so wins.

    In every losing position, the player to move can move by at most `most` and can't win at once. The other player
    then wins at once, or plays the stride again and is now at least `gain` places closer to the goal.
    """
    places = f"one {words.noun}" if gain == 1 else pluralize(gain, words.noun)
    return (
        f"why does it work? It's a tug of war: you pull {stride}, and your opponent can pull back no more than {most}. "
        f"Then you pull {stride} again, or win at once. So you gain at least {places} every two turns"
    )


def stays_ahead(words: Phrases, pattern: RaceCount, *, apart: bool) -> str:
    """State that a player who isn't behind in the race stays ahead by needing one jump fewer after every turn.

    No turn saves more than one jump. A player who isn't behind has a move that wins or saves a jump, and is ahead
    after every such move. `apart` is true if tokens are never in each other's way.
    """
    free = "You are never in each other's way"
    if pattern.by_place and len(pattern.gates) == 1:
        near = f"Within {pattern.gates[0]} of {words.book.goal_name}, you win with your next jump"
        return f"why does it work? {near}, and from further away you can't{f'. {free}' * apart}"
    passes, jump = ("pass one gate", "reach or pass a gate") if pattern.gates else ("save one turn", "save one")
    if not apart:
        free = f"They can't block you. We checked every position: if you aren't behind, you can always {jump}, or win"
    text = f"why does it work? A jump can {passes}, never two. So if you aren't behind, {jump} with every jump"
    return f"{text}, and your opponent never catches up. {free}"


def pattern_invariant(words: Phrases, pattern: LosingPattern) -> str:
    """State why the pattern holds.

    If there are no endless positions, no move leads from one losing position to another, and every other position has
    a move that leads to a losing position or wins at once. If there are, every move from a losing position lets the
    other player win, and every other position has a move that doesn't lose.
    """
    if not pattern.all_else_wins:
        return (
            "why? Whatever you play in a losing position, your opponent can then win. In all other "
            "positions, you have a move that doesn't lose"
        )
    noun = pattern.place_noun(words)
    return (
        f"why does it work? From a trap, no move leads to another trap. From any other {noun}, you can win at once or "
        "leave your opponent a trap. So once they are in a trap, you can trap them again and again, until you win"
    )


def together(words: Phrases, pattern: LosingNumbers) -> str:
    """State that each move from a losing place has a right answer such that the two add up to `pattern.together`.

    The answer wins at once or leads to another losing place. A move that ends the game needs no answer.
    """
    verb = "close the gap by" if pattern.place_noun(words) == "gap" else "add up to"
    theirs, yours = pattern.example
    whole = f"Your opponent's move and yours always {verb} {pattern.together}"
    return f"why does it work? {whole}: if your opponent plays {theirs}, you play {yours}"


def band_reason(words: Phrases, moves: Moves, numbers: tuple[int, ...], step: int) -> str:
    """State that from `numbers`, none of `moves` wins at once or leads to a trap, so every `step`-th number is a trap.

    If `step` is 0, `moves` contains one move. State instead that it always wins at once or leads to a trap, so that
    none of the numbers is a trap.
    """
    noun, on = ("number", "") if words.is_number else (words.noun, "on ")
    where, played = f"from {noun}s {min(numbers)} to {max(numbers)}", join_or(moves)
    if not step:
        so = f"So none of these {noun}s is a trap"
        return f"{where}, playing {played} wins at once or leaves your opponent {on}a trap. {so}"
    return f"{where}, {played} never helps, so every {spell_ordinal(step)} {noun} is a trap"
