"""What a lesson says of a whole game: its secret, its first moves, a perfect game."""

from __future__ import annotations

from collections.abc import Iterator

from numberline.explain.claims import Claim, PositionClaim, Refutations
from numberline.explain.explanation import MAX_LISTED_MOVES
from numberline.explain.losing_patterns import LosingPattern, describe_numbers
from numberline.explain.phrases import Phrases
from numberline.explain.queries import best_replies, immediate_win_places, moves_of, value_preserving
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN
from numberline.text import join_and


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


def immediate_win_claims(solution: Solution) -> Iterator[ImmediateWins]:
    """The places from which one wins at once, given once where they are the same for both players."""
    first, second = (immediate_win_places(solution, player) for player in (1, 2))
    if first and first == second:
        yield ImmediateWins((1, 2), first)
    else:
        yield from (ImmediateWins((player,), places) for player, places in ((1, first), (2, second)) if places)


def opening_claims(solution: Solution) -> Iterator[Claim]:
    """Who wins from the start, with which first moves, and how the others lose."""
    starts = solution.book.starts()
    first, second = (solution.worth(start).winner for start in starts)
    yield GameValue((first, second))
    right: dict[tuple[str, tuple[str, ...]], list[Position]] = {}
    for start in starts:
        kept = value_preserving(solution.evaluate_moves(start))
        right.setdefault((kept[0].value, moves_of(kept)), []).append(start)
    yield from (OpeningMoves(tuple(at), value, moves) for (value, moves), at in right.items() if value != LOSS)
    if len({moves for _, moves in right}) == 1:
        legal = solution.evaluate_moves(starts[0])
        losing = [judged for judged in legal if judged.value == LOSS]
        if 0 < len(losing) <= MAX_LISTED_MOVES:
            kept = value_preserving(legal)
            yield LosingOpenings(starts[0], best_replies(solution, losing), kept[0].value, len(kept))
