"""Why a rule of a game holds: each reason is looked for in every position, and given only if it is true in all."""

from __future__ import annotations

from collections.abc import Iterator

from numberline.explain.claims import Claim
from numberline.explain.losing_patterns import (
    UNREACHABLE_TURNS,
    BannedSteps,
    LosingNumbers,
    LosingPattern,
    NoLosingPositions,
    RaceCount,
)
from numberline.explain.phrases import Phrases
from numberline.explain.queries import MAX_ANALYSED_POSITIONS, all_positions, move_distance, moves_of, value_preserving
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN
from numberline.text import pluralize

MIN_RULE_OF_THUMB_SHARE = 2 / 3
"""A habit is worth learning if it is right in at least this share of the positions."""


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


def explain_pattern(solution: Solution, law: LosingPattern) -> Iterator[Claim]:
    """Why the law holds; an exception instead where it has some."""
    if isinstance(law, NoLosingPositions):
        return
    if isinstance(law, RaceCount) and law.exceptions:
        wrong = (
            at
            for at in all_positions(solution, MAX_ANALYSED_POSITIONS)
            if law.is_lost(at) != (solution.value(at) == LOSS)
        )
        yield RaceException(law, next(wrong))
        return
    found: Claim | None = None
    if isinstance(law, BannedSteps) and len(law.strides) == 1:
        found = _gains(solution, law, law.strides[0])
    elif isinstance(law, RaceCount):
        found = _stays_ahead(solution, law)
    yield found or PatternInvariant(law)


def rule_of_thumb(solution: Solution) -> Iterator[RuleOfThumb]:
    """The habit that is right most often, where it is right often enough."""
    tries = {True: 0, False: 0}
    of = 0
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        legal = solution.evaluate_moves(position)
        kept = moves_of(value_preserving(legal))
        far = {judged.move: move_distance(solution.book, position, judged.move) for judged in legal}
        if value_preserving(legal)[0].value == LOSS or len(kept) == len(legal) or len(set(far.values())) == 1:
            continue
        of += 1
        for longest, pick in ((True, max), (False, min)):
            tries[longest] += all(move in kept for move in far if far[move] == pick(far.values()))
    longest = tries[True] >= tries[False]
    if of and tries[longest] >= MIN_RULE_OF_THUMB_SHARE * of:
        yield RuleOfThumb(longest, tries[longest], of)


def _gains(solution: Solution, law: BannedSteps, stride: int) -> GainsGround | None:
    """What is gained by playing the stride again and again; None where that is not why it works."""
    book = solution.book
    if not book.rules.shared or book.rules.moves == "operations":
        return None
    most = 0
    found: list[int] = []
    for lost in filter(law.is_lost, all_positions(solution, MAX_ANALYSED_POSITIONS)):
        you = 3 - lost.turn
        for move, after in book.successors(lost):
            most = max(most, move_distance(book, lost, move))
            if book.winner(after) == lost.turn:
                return None
            answers = book.successors(after)
            if book.winner(after) or any(book.winner(final) == you for _, final in answers):
                continue
            again = [final for answer, final in answers if final.last == stride and answer.token is not None]
            if not again:
                return None
            found.append(book.distance_to_goal(you, lost.tokens[0]) - book.distance_to_goal(you, again[0].tokens[0]))
    gain = min(found, default=0)
    return GainsGround(stride, most, gain) if gain > 0 and most > 0 else None


def _stays_ahead(solution: Solution, law: RaceCount) -> StaysAhead | None:
    """Why counting works; None where it works for another reason."""
    if not law.all_else_wins or law.ignores_bans:
        return None
    blocks = False
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        me, other = position.turn, 3 - position.turn
        mine, theirs, behind = law.count(position, me), law.count(position, other), law.is_lost(position)
        nearer = False
        for judged in solution.evaluate_moves(position):
            if judged.worth.ends_game:
                nearer = nearer or judged.value == WIN
                continue
            longer = law.count(judged.after, other) > theirs
            smaller = law.count(judged.after, me) < mine
            if (behind and longer) or (smaller and not behind and not law.is_lost(judged.after)):
                return None
            blocks, nearer = blocks or longer, nearer or smaller
        if not behind and not nearer:
            return None
    return StaysAhead(law, blocks)
