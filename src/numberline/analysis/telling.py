"""The sentence for each thing that an explanation claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from numberline.analysis.claims import Claim, Explanation, Kind
from numberline.analysis.words import Words
from numberline.rules.moves import OUT
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.rules.wording import all_of, any_of


def explained(words: Words, claims: Iterable[Claim]) -> Explanation:
    """The claims, told one after the other."""
    made = tuple(claims)
    return Explanation(" ".join(filter(None, (told(words, claim) for claim in made))), made)


def told(words: Words, claim: Claim) -> str:
    """The sentence that a claim makes, or two; nothing where it need not be said."""
    text = _TOLD[claim.kind](words, claim)
    return words.sentence(text) if text else ""


def _over(words: Words, claim: Claim) -> str:
    return f"the game is over: {words.does(claim.player, 'have')} won"


def _lost_turn(words: Words, claim: Claim) -> str:
    player = claim.position.turn
    if claim.move == OUT.text:
        return f"{words.does(player, 'have')} no move here and {words.verb(player, 'be')} out"
    return f"{words.does(player, 'have')} no choice here: the turn is lost"


def _stands(words: Words, claim: Claim) -> str:
    turn, winner = claim.position.turn, claim.player
    if claim.plies is None:
        if words.two:
            return "nobody can force a win from here: if both play well, the game goes on for ever"
        return "no player alone can force a win from here: it depends on what the others play"
    when, can = words.within(claim.plies, turn), words.does(winner, "can")
    if winner == turn:
        against = "" if words.two else ", whatever the others play"
        return f"{can} force a win from here, {when}{against}" if claim.plies > 1 else f"{can} win at once"
    whatever = f"whatever {words.does(turn, 'play') if words.two else 'the others play'}, "
    if words.no_choice(claim.position):
        whatever = ""
    if claim.plies == 1:
        return f"{whatever}{words.does(winner, 'win')} at once"
    next_move = words.two and claim.plies == 2
    return f"{whatever}{can} win with the next move" if next_move else f"{whatever}{can} force a win, {when}"


def _move(words: Words, claim: Claim) -> str:
    turn, winner = claim.position.turn, claim.player
    if is_out(words.book.after(claim.position, claim.move).out, turn):
        then = f", and {words.does(winner, 'can')} force a win" if winner else ""
        return f"with {claim.move} {words.does(turn, 'be')} out of the game{then}"
    if claim.plies is None:
        return f"after {claim.move} nobody{'' if words.two else ' alone'} can force a win"
    when = words.within(claim.plies, turn)
    if winner == turn:
        return f"with {claim.move} {words.does(turn, 'can')} force a win, {when}"
    if words.two and claim.plies == 2:
        return f"with {claim.move} {words.does(turn, 'let')} {words.who(winner)} win with the next move"
    if words.two:
        return f"with {claim.move} {words.does(turn, 'lose')} {when} if {words.does(winner, 'play')} well"
    return f"with {claim.move} {words.does(turn, 'let')} {words.who(winner)} force a win, {when}"


def _ends(words: Words, claim: Claim) -> str:
    turn = claim.position.turn
    does = words.does(turn, "win" if claim.value == "win" else "lose")
    return f"with {claim.move} {does} at once: it {words.ending(claim.position, claim.move)}"


def _leads(words: Words, claim: Claim) -> str:
    after = words.book.after(claim.position, claim.move)
    ban = f", and then {words.who(after.turn)} {words.banned(after)}" if after.last else ""
    return f"playing {claim.move} {words.effect(claim.position, claim.move)}{ban}"


def _whoever(words: Words, claim: Claim) -> str:
    if words.a_number:
        told = f"whoever must move from {claim.position.tokens[0]}"
    else:
        told = f"with {words.scene(claim.position)}, whoever must move"
    ban = f" and {words.banned(claim.position)}" if claim.position.last else ""
    return f"{told}{ban} loses"


def _law(words: Words, claim: Claim) -> str:
    return claim.law.beside(words).removesuffix(".") if claim.law else ""


def _race(words: Words, claim: Claim) -> str:
    turn = claim.position.turn
    mine, theirs = claim.numbers
    counted = f"{words.does(turn, 'need')} {mine}, {words.does(3 - turn, 'need')} {theirs}"
    return f"with {words.who(turn)} to move, count the turns to the goal as if the other stood still: {counted}"


def _keeps(words: Words, claim: Claim) -> str:
    moves, legal = claim.moves, words.book.moves(claim.position)
    if len(legal) == 1:
        return f"there is only one move, {moves[0]}"
    every, one, some = _KEEPING[claim.value]
    if len(moves) == len(legal):
        return every
    return f"only {moves[0]} {one}" if len(moves) == 1 else f"here {all_of(moves)} {some}"


_KEEPING = {
    "win": ("every move wins", "wins", "win"),
    "endless": ("no move loses", "does not lose", "do not lose"),
    "open": ("no move changes that", "keeps it so", "keep it so"),
    "loss": ("every move loses", "", ""),
}
"""What is said where every move, one move or some moves keep a value."""


def _best(words: Words, claim: Claim) -> str:
    if claim.value == "win":
        return f"the quickest {'is' if len(claim.moves) == 1 else 'are'} {all_of(claim.moves)}"
    return f"{words.does(claim.position.turn, 'hold')} out longest with {any_of(claim.moves)}"


def _answer(words: Words, claim: Claim) -> str:
    position, turn = claim.position, claim.position.turn
    if words.no_choice(position):
        return f"then {words.does(turn, 'lose')} the turn, but still {words.verb(turn, 'win')}"
    if words.book.engine.winner(words.book.after(position, claim.move)):
        return f"then {words.does(turn, 'win')} with {claim.move}"
    told = f"{words.does(turn, 'answer')} best with {claim.move}"
    return f"{told}, which {words.effect(position, claim.move)}" if words.a_number else told


def _answers(words: Words, claim: Claim) -> str:
    turn = claim.position.turn
    replies = [_reply(words, claim.position, *pair) for pair in claim.pairs]
    moves = [move for move, _ in claim.pairs]
    if len(moves) == 1:
        forced = words.no_choice(claim.position)
        what = f"no move and {words.verb(turn, 'lose')} the turn" if forced else f"only one move, {moves[0]}"
        return f"then {words.does(turn, 'have')} {what}; {replies[0]}"
    if len(set(replies)) == 1:
        return f"whatever {words.does(turn, 'answer')}, {replies[0]}"
    heads = [f"if {words.does(turn, 'answer')} {moves[0]}", *(f"if {move}" for move in moves[1:])]
    return "; ".join(f"{head}, {reply}" for head, reply in zip(heads, replies, strict=True))


def _refuted(words: Words, claim: Claim) -> str:
    position = claim.position
    answers = [_reply(words, position, *pair, verb="answer") for pair in claim.pairs]
    if len(set(answers)) == 1 and len(answers) == len(words.book.moves(position)) > 1:
        return f"whatever {words.does(position.turn, 'play')}, {answers[0]}"
    return "; ".join(
        f"after {move} {told}" if answer else f"with {move} {told}"
        for (move, answer), told in zip(claim.pairs, answers, strict=True)
    )


def _rule(words: Words, claim: Claim) -> str:
    return claim.law.told(words).removesuffix(".") if claim.law else ""


def _at_once(words: Words, claim: Claim) -> str:
    turn = f"if it is {words.whose(claim.player)} turn"
    return f"{turn}, {words.does(claim.player, 'win')} at once from {words.any_place(claim.numbers)}"


def _always(_: Words, claim: Claim) -> str:
    return f"the move {claim.move} wins wherever it is allowed"


def _reply(words: Words, position: Position, move: str, answer: str, verb: str = "play") -> str:
    """What happens after a losing move: the answer, with what it makes or that it wins; or that it has lost at once."""
    if not answer:
        return f"{words.does(position.turn, 'lose')} at once"
    after = words.book.after(position, move)
    final = words.book.after(after, answer)
    if words.book.engine.winner(final):
        return f"{words.does(after.turn, 'win')} with {answer}"
    does = words.plays(after.turn, answer, verb)
    return f"{does}, which {words.effect(after, answer)}" if words.a_number and final.tokens != after.tokens else does


_TOLD: dict[Kind, Callable[[Words, Claim], str]] = {
    Kind.OVER: _over,
    Kind.LOST_TURN: _lost_turn,
    Kind.STANDS: _stands,
    Kind.MOVE: _move,
    Kind.ENDS: _ends,
    Kind.LEADS: _leads,
    Kind.WHOEVER: _whoever,
    Kind.LAW: _law,
    Kind.RACE: _race,
    Kind.KEEPS: _keeps,
    Kind.BEST: _best,
    Kind.ANSWER: _answer,
    Kind.ANSWERS: _answers,
    Kind.REFUTED: _refuted,
    Kind.RULE: _rule,
    Kind.AT_ONCE: _at_once,
    Kind.ALWAYS: _always,
    Kind.LINE: lambda _, claim: f"best play goes {', '.join(claim.moves)}",
}
