"""Hints and explanations of a position or a move, composed of claims proved by the solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain import claims, queries
from numberline.explain.claims import Claim, Explanation, combine_claims
from numberline.explain.losing_patterns import RaceCount, find_losing_pattern, turns_to_goal
from numberline.explain.phrases import Phrases, SecondPersonPhrases
from numberline.game.book import Book
from numberline.game.move_text import legal_moves_sentence
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN, MoveEvaluation
from numberline.text import join_or, quote

MAX_PATTERN_SEARCH_POSITIONS = 1_500
"""Maximum number of positions in a game for which hints search for a pattern; a larger game would take too long."""


def explain_position(solution: Solution, position: Position, names: Sequence[str] = (), you: int = 0) -> Explanation:
    """Explain who wins from this position and why, addressing player `you`, by default the player to move.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> print(explain_position(nl.solve(book), nl.Position(1, (0, 7)), names=["Ann", "Bob"]).text)
    Whatever you play, Bob wins with 2.
    """
    words = Phrases(solution.book, names, you=you or position.turn)
    return combine_claims(words, _Explainer(solution, position).of_position())


def explain_move(solution: Solution, position: Position, move: str, names: Sequence[str] = ()) -> Explanation:
    """Explain to the player to move what a move leads to; raise `AnalysisError` if the move is illegal."""
    words = Phrases(solution.book, names, you=position.turn)
    return combine_claims(words, _Explainer(solution, position).of_move(move))


def explain_briefly(solution: Solution, position: Position, names: Sequence[str] = ()) -> str:
    """Recommend a move in short sentences: say what a wrong move leads to or, without one, why this move is good.

    >>> import numberline as nl
    >>> explain_briefly(nl.solve(nl.book("flag-chase")), nl.Position(1, (0, 10)), names=["Ann", "Fox"])
    'If you play 1, Fox can always win. Play 3.'
    """
    words, best = Phrases(solution.book, names, you=position.turn), queries.recommended_move(solution, position)
    wrong = [option for option in solution.evaluate_moves(position) if not option.keeps_value]
    worth = wrong[0].worth if wrong else solution.worth(position)
    winner = words.who(worth.winner) if worth.winner else "another player"
    play = f"Play {best.move}"
    if best.value == WIN and best.worth.ends_game:
        return f"{play}: you win at once."
    if best.value == LOSS:
        is_harder = len(solution.hardest_to_answer(position)) < len(solution.book.moves(position))
        return f"Whatever you play, {winner} can win." + f" {play} to make it harder." * is_harder
    if not wrong:
        return hint(solution, position, 2, names).text
    lost = "you are out" if worth.out else f"{winner} can always win"
    alike = [each.move for each in wrong if (each.worth.winner, each.worth.out) == (worth.winner, worth.out)]
    named = alike if len(alike) <= queries.MAX_LISTED_MOVES else alike[:1]
    return f"If you play {join_or(named)}, {lost if worth.value == LOSS else 'your sure win is gone'}. {play}."


class Hint(NamedTuple):
    text: str
    move: str
    """Recommended move; empty at level 1."""
    claims: tuple[Claim, ...]


def hint(solution: Solution, position: Position, level: int = 1, names: Sequence[str] = ()) -> Hint:
    """Return a hint that names no move (level 1), or one that gives a best move and the reason (any higher level).

    >>> import numberline as nl
    >>> book = nl.book("number-reach")
    >>> solution = nl.solve(book)
    >>> position = nl.Position(1, (8,))
    >>> print(hint(solution, position).text)
    Exactly one of your two moves wins. Look for a number from which your opponent can't win.
    >>> print(hint(solution, position, level=2).text)
    Play *2: it makes 16, and the player who must move from 16 loses.
    """
    words = Phrases(solution.book, names, you=position.turn)
    builder = _Explainer(solution, position)
    if not builder.legal:
        raise queries.AnalysisError("the game is over: there are no hints to give")
    if level <= 1:
        text, nudges = combine_claims(words, builder.nudges())
        return Hint(text, "", nudges)
    advice = builder.advice()
    return Hint(advice.sentence(words), advice.facts.move, (advice,))


def briefly(solution: Solution, position: Position, move: MoveEvaluation | None = None) -> Claim:
    """Return one short claim that explains why the player to move can or can't win.

    If they can win, the claim is about `move`, by default the recommended move.
    """
    legal, best = solution.evaluate_moves(position), move or queries.recommended_move(solution, position)
    if best.value == WIN:
        value = Claim(claims.move_value, position, best.move, best.worth)
        return value if best.worth.ends_game else Claim(claims.sets_trap, position, best.move)
    if best.value == LOSS:
        replies = Claim(claims.refutations, position, queries.best_replies(solution, legal))
        short = replies.is_short(SecondPersonPhrases(solution.book, you=position.turn))
        return replies if short else Claim(claims.trapped_again, position)
    correct = queries.value_preserving(legal)
    return Claim(claims.correct_moves, position, correct[0].value, queries.moves_of(correct))


def _race_claims(solution: Solution, lost: Position) -> Iterator[Claim]:
    """Yield a claim comparing turns to the goal if the player to move is behind in a race that isn't about to end."""
    rules = solution.book.rules
    if rules.shared or rules.repeat == "banned" or solution.distance(lost) == 2:
        return
    mine, theirs = (turns_to_goal(solution.book, lost, player) for player in (lost.turn, 3 - lost.turn))
    if mine and theirs and mine > theirs:
        yield Claim(claims.turns_needed, lost, mine, theirs)


def race_count_decides(solution: Solution, position: Position) -> bool:
    """Return whether each non-final move wins if and only if it leaves the opponent behind in the race."""
    book, turn = solution.book, position.turn
    if book.rules.players > 2 or book.rules.shared or book.rules.repeat == "banned":
        return False
    return all(
        option.worth.ends_game or (option.value == WIN) == _is_ahead(book, option.after, turn)
        for option in solution.evaluate_moves(position)
    )


def _is_ahead(book: Book, position: Position, player: int) -> bool:
    mine, theirs = (turns_to_goal(book, position, each) for each in (player, 3 - player))
    return mine is not None and (theirs is None or mine < theirs)


class _Explainer:
    """Builder of the claims that explain a position or one of its moves, or that give a hint."""

    def __init__(self, solution: Solution, position: Position) -> None:
        self.solution = solution
        self.book = solution.book
        self.position = position
        self.two_players = solution.book.rules.players == 2
        self.legal = solution.evaluate_moves(position)
        self.correct_moves = queries.value_preserving(self.legal)
        self.best = [option for option in self.legal if option.best]
        self.worth = solution.worth(position)

    # A position

    def of_position(self) -> Iterator[Claim]:
        if not self.legal:
            yield Claim(claims.game_over, self.position, self.book.winner(self.position))
            return
        worth = self.worth
        if self.legal[0].move in FORCED_MOVES:
            yield Claim(claims.forced_move, self.position, self.legal[0].move)
            yield Claim(claims.position_value, self.position, worth)
        elif worth.value == WIN and worth.plies == 1:
            yield from self.of_move(queries.recommended_move(self.solution, self.position).move)
        elif worth.value == LOSS and worth.plies == 2 and self._one_answer_to_all():
            yield from self._refutations(self.position, self.legal)
        elif self.correct_moves[0].value == LOSS != worth.value:
            yield Claim(claims.all_moves_lose, self.position)
            yield from self._longest(self.position, self.legal)
        else:
            yield Claim(claims.position_value, self.position, worth)
            if worth.value == LOSS:
                yield from self._reasons(self.position)
                yield from self._refutations(self.position, self.legal)
                yield from self._longest(self.position, self.legal)
            else:
                best = queries.recommended_move(self.solution, self.position)
                yield from self._right_moves()
                yield from self._winning(best) if worth.value == WIN else self._refutations(self.position, self.legal)

    def _right_moves(self) -> Iterator[Claim]:
        value = self.correct_moves[0].value
        yield Claim(claims.correct_moves, self.position, value, queries.moves_of(self.correct_moves))
        if len(self.best) < len(self.correct_moves):
            yield Claim(claims.best_moves, self.position, value, queries.moves_of(self.best))

    def _refutations(self, position: Position, legal: Sequence[MoveEvaluation]) -> Iterator[Claim]:
        """Yield a claim that refutes all losing moves, if there are few enough to list."""
        pairs = queries.best_replies(self.solution, [option for option in legal if option.value == LOSS])
        if self.two_players and pairs and queries.is_short(pairs):
            yield Claim(claims.refutations, position, pairs)

    def _one_answer_to_all(self) -> bool:
        """Return whether there are several moves and a single reply refutes all of them."""
        pairs = queries.best_replies(self.solution, self.legal)
        return self.two_players and len(pairs) > 1 and len({answer for _, answer in pairs}) == 1

    def _longest(self, position: Position, legal: Sequence[MoveEvaluation]) -> Iterator[Claim]:
        """Yield a claim about the moves that delay a loss longest, unless all moves delay it equally."""
        best = [option for option in legal if option.best]
        if len(best) < len(legal):
            yield Claim(claims.best_moves, position, LOSS, queries.moves_of(best))

    # A move

    def of_move(self, move: str) -> Iterator[Claim]:
        option = next((option for option in self.legal if option.move == move), None)
        if option is None:
            allowed = legal_moves_sentence(queries.moves_of(self.legal)) if self.legal else "The game is over."
            raise queries.AnalysisError(f"{quote(move)} is not allowed here. {allowed}")
        if option.move in FORCED_MOVES:
            yield from self.of_position()
            return
        yield Claim(claims.move_value, self.position, move, option.worth)
        if not option.worth.ends_game:
            yield from self._after(option)
        if len(self.legal) > 1:
            yield from self._right_moves()
        if option.value == ENDLESS:
            yield from self._refutations(self.position, self.legal)

    def _after(self, option: MoveEvaluation) -> Iterator[Claim]:
        """Yield claims about the consequences of a move that doesn't end the game."""
        if option.value == WIN:
            yield from self._winning(option)
            return
        if option.plies != 2:
            yield Claim(claims.move_effect, self.position, option.move)
        if self.two_players and option.value == LOSS:
            pairs = queries.best_replies(self.solution, [option])
            yield Claim(claims.refutations, self.position, pairs)
            yield from self._reasons(self.book.after(option.after, pairs[0][1]))

    def _winning(self, option: MoveEvaluation) -> Iterator[Claim]:
        """Yield claims that explain why a move wins without ending the game."""
        yield Claim(claims.move_effect, self.position, option.move)
        if not self.two_players:
            return
        yield from self._reasons(option.after)
        replies = self.solution.evaluate_moves(option.after)
        yield from self._refutations(option.after, replies)
        yield from self._longest(option.after, replies)

    def _reasons(self, lost: Position) -> Iterator[Claim]:
        """Yield claims that give general reasons why a position is losing."""
        if not self.two_players or self.book.winner(lost):
            return
        pattern = find_losing_pattern(self.solution) if self.solution.size <= MAX_PATTERN_SEARCH_POSITIONS else None
        explains = pattern and pattern.short_reason(Phrases(self.book))
        if not explains and queries.is_lost_for_either_side(self.solution, lost):
            yield Claim(claims.lost_for_either_side, lost)
        race = list(_race_claims(self.solution, lost))
        yield from race
        if pattern and pattern.is_lost(lost) and (race or not isinstance(pattern, RaceCount)):
            yield Claim(claims.lost_by_pattern, lost, pattern)

    # Hints at level 1

    def nudges(self) -> Iterator[Claim]:
        at, worth = self.position, self.worth
        if self.legal[0].move in FORCED_MOVES:
            yield Claim(claims.forced_move, at, self.legal[0].move)
        elif len(self.legal) == 1:
            yield Claim(claims.only_move, at, self.legal[0].move)
        elif worth.value == WIN:
            yield from [Claim(claims.position_outlook, at, WIN)] if worth.plies == 1 else self._clues()
        elif worth.value == LOSS:
            yield Claim(claims.position_outlook, at, LOSS)
            yield from self._consolations() if self.two_players else self._out()
        else:
            yield Claim(claims.position_outlook, at, worth.value)
            if self.correct_moves[0].value != LOSS:
                yield self._how_many()
            if not self.two_players:
                yield from self._danger(option for option in self.legal if option.value == LOSS)

    def _how_many(self) -> Claim:
        correct, equally = self.correct_moves, len(self.best) == len(self.correct_moves)
        return Claim(claims.winning_move_count, self.position, correct[0].value, len(correct), equally=equally)

    def _clues(self) -> Iterator[Claim]:
        """Yield claims that help a player who can win, but not at once."""
        yield self._how_many()
        wrong = [option for option in self.legal if not option.keeps_value]
        if self.two_players and wrong and all(option.plies == 2 for option in wrong):
            yield Claim(claims.others_lose_immediately, self.position)
        else:
            yield Claim(claims.strategy_hint, self.position, counts=race_count_decides(self.solution, self.position))
        lengths = {option.move: queries.move_distance(self.book, self.position, option.move) for option in self.legal}
        longest = tuple(move for move, length in lengths.items() if length == max(lengths.values()))
        if wrong and len(self.legal) > 2 and not set(longest) & set(queries.moves_of(self.correct_moves)):
            yield Claim(claims.longest_move_loses, self.position, longest)
        yield from self._out()

    def _consolations(self) -> Iterator[Claim]:
        """Yield claims about ways for a losing player to delay the loss or set a trap."""
        if len(self.best) < len(self.legal):
            yield Claim(claims.unequal_defences, self.position)
        traps = queries.moves_of(option for option in self.legal if self._is_trap(option))
        if self.solution.hardest_to_answer(self.position)[0].move in traps:
            yield Claim(claims.trap, self.position, traps)

    def _is_trap(self, option: MoveEvaluation) -> bool:
        answers = self.solution.evaluate_moves(option.after)
        return len(answers) > 1 and len(queries.value_preserving(answers)) == 1

    def _out(self) -> Iterator[Claim]:
        """Yield a claim about the moves that eliminate the player while the game continues."""
        yield from self._danger(option for option in self.legal if option.worth.out)

    def _danger(self, bad: Iterable[MoveEvaluation]) -> Iterator[Claim]:
        moves = queries.moves_of(bad)
        if moves:
            right = 0 if self.correct_moves[0].value == LOSS else len(self.correct_moves)
            yield Claim(claims.losing_moves, self.position, moves, right)

    # Hints at level 2

    def advice(self) -> Claim:
        best = queries.recommended_move(self.solution, self.position)
        if best.move in FORCED_MOVES:
            return Claim(claims.forced_move, self.position, best.move)
        tied = self.solution.hardest_to_answer(self.position) if self.two_players and best.value == LOSS else self.best
        as_good = queries.moves_of(option for option in tied if option.move != best.move)
        easier = queries.moves_of(option for option in self.best if option not in tied)
        facts = self.position, best.move, best.worth, self._reason(best)
        return Claim(claims.advice, *facts, as_good=as_good, easier=easier)

    def _reason(self, best: MoveEvaluation) -> Claim | None:
        """Return the reason why a move wins without ending the game; None for any other move."""
        after = best.after
        if best.value != WIN or best.worth.ends_game:
            return None
        if not self.two_players:
            return Claim(claims.unstoppable, after)
        if not after.last and queries.is_lost_for_either_side(self.solution, after):
            return Claim(claims.lost_for_either_side, after)
        if best.plies == 3:
            early = any(answer.worth.ends_game for answer in self.solution.evaluate_moves(after))
            return Claim(claims.wins_next_move, after, early=early)
        return next(_race_claims(self.solution, after), Claim(claims.unstoppable, after))
