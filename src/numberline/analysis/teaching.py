"""What a lesson says of a whole game: its secret, its first moves, a perfect game."""

from __future__ import annotations

from collections.abc import Iterator

from numberline.analysis.claims import Claim, OfPosition, Refuted
from numberline.analysis.explanation import FEW
from numberline.analysis.facts import best_answers, keeping, moves_of, places_won_at_once
from numberline.analysis.laws import Law, numbers_in_words
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.rules.wording import all_of
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN


class WinsFrom(Claim):
    """From exactly these places each of these players always wins at once, if it is that player's turn."""

    players: tuple[int, ...]
    places: tuple[int, ...]

    def _says(self, words: Words) -> str:
        places = words.any_place(self.places)
        if len(self.players) > 1:
            return f"whoever is to move from {places} wins at once"
        (player,) = self.players
        return f"if it is {words.whose(player)} turn, {words.does(player, 'win')} at once from {places}"


class Secret(Claim):
    """The law tells the lost positions, with as many exceptions as it says."""

    law: Law

    def _says(self, words: Words) -> str:
        return self.law.in_full(words).removesuffix(".")


class LostPlaces(Claim):
    """These places, and no others as near to the goal, are lost for whoever must move from them."""

    places: tuple[int, ...]

    def _says(self, words: Words) -> str:
        noun = "number" if words.a_number else words.noun
        return f"the losing {noun}s nearest to the goal are {numbers_in_words(self.places) or all_of(self.places)}"


class LostExamples(Claim):
    """Each of these positions is lost for the player to move."""

    positions: tuple[Position, ...]

    def _says(self, words: Words) -> str:
        return f"here are some traps: {'; '.join(self._example(words, position) for position in self.positions)}"

    def _example(self, words: Words, position: Position) -> str:
        ban = f", who {words.banned(position)}" if position.last else ""
        return f"{words.scene(position)} with {words.names[position.turn - 1]} to move{ban}"


class ThenLost(OfPosition):
    """The position is lost for the player to move."""

    def _says(self, words: Words) -> str:
        turn = self.position.turn
        return f"then {words.does(turn, 'be')} lost, if {words.does(3 - turn, 'make')} no mistake"


class NoRule(Claim):
    """No rule was found that tells the lost positions, or there are too many to look for one."""

    too_large: bool

    def _says(self, words: Words) -> str:
        if self.too_large:
            return "this game is too large to look for a rule that fits all positions"
        return "no short rule is known for this game"


class NothingToChoose(Claim):
    """In no position is one move worth more than another."""

    def _says(self, words: Words) -> str:
        return "nothing can go wrong in this game: wherever you are, none of your moves throws anything away"


class EveryTrap(Claim):
    """Whatever is played in a lost position loses at once, or has an answer that leaves a lost position or wins."""

    def _says(self, words: Words) -> str:
        return (
            "all traps work in the same way: whatever is played there, the other player has an answer that wins, "
            "or that makes a trap again. So before you move, look at the answers that your opponent will have"
        )


class AlwaysWins(Claim):
    """The move wins wherever it is allowed."""

    move: str

    def _says(self, words: Words) -> str:
        return f"the move {self.move} wins wherever it is allowed"


class WaysToLost(Claim):
    """In each of these positions the move is the only one that wins, and leaves a place that is lost for whoever."""

    ways: tuple[tuple[Position, str], ...]

    def _says(self, words: Words) -> str:
        ways = [f"from {position.tokens[0]}, {move} {words.effect(position, move)}" for position, move in self.ways]
        return f"leave your opponent one of them: {'; '.join(ways)}"


class WhoWins(Claim):
    """Who can force a win where player 1 starts, and where player 2 does; 0 for nobody."""

    winners: tuple[int, int]

    def _says(self, words: Words) -> str:
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


class FirstMoves(Claim):
    """In each of these starts exactly these moves are right; they have this value, which is not a loss."""

    starts: tuple[Position, ...]
    value: str
    moves: tuple[str, ...]

    def _says(self, words: Words) -> str:
        if_starts = "" if len(self.starts) > 1 else f"if {words.names[self.starts[0].turn - 1]} starts, "
        return if_starts + self._right(all_right=len(self.moves) == len(words.book.moves(self.starts[0])))

    def _right(self, *, all_right: bool) -> str:
        wins = self.value == WIN
        if all_right:
            return "every first move wins" if wins else "no first move loses"
        if len(self.moves) == 1:
            return f"the only first move that {'wins' if wins else 'does not lose'} is {self.moves[0]}"
        return f"the first moves that {'win' if wins else 'do not lose'} are {all_of(self.moves)}"


class WrongFirstMoves(Refuted):
    """The same of first moves, beside right ones that have this value; a loss where no move is right."""

    value: str
    right: int

    def _says(self, words: Words) -> str:
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

    def _says(self, words: Words) -> str:
        name = words.names[self.start.turn - 1]
        return f"if {name} starts and nobody makes a mistake, the game can go {', '.join(self.moves)}"


def near_wins(solution: Solution) -> Iterator[WinsFrom]:
    """The places from which one wins at once, given once where they are the same for both players."""
    first, second = (places_won_at_once(solution, player) for player in (1, 2))
    if first and first == second:
        yield WinsFrom((1, 2), first)
    else:
        yield from (WinsFrom((player,), places) for player, places in ((1, first), (2, second)) if places)


def first_moves(solution: Solution) -> Iterator[Claim]:
    """Who wins from the start, with which first moves, and how the others lose."""
    starts = solution.book.starts()
    first, second = (solution.worth(start).winner for start in starts)
    yield WhoWins((first, second))
    right: dict[tuple[str, tuple[str, ...]], list[Position]] = {}
    for start in starts:
        kept = keeping(solution.judged(start))
        right.setdefault((kept[0].value, moves_of(kept)), []).append(start)
    yield from (FirstMoves(tuple(at), value, moves) for (value, moves), at in right.items() if value != LOSS)
    if len({moves for _, moves in right}) == 1:
        legal = solution.judged(starts[0])
        losing = [judged for judged in legal if judged.value == LOSS]
        if 0 < len(losing) <= FEW:
            kept = keeping(legal)
            yield WrongFirstMoves(starts[0], best_answers(solution, losing), kept[0].value, len(kept))
