"""End of a match: a view with headline, stars and deciding moment, and the event for a player's progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from numberline.explain.review import ReviewedPly, review
from numberline.explain.rule_words import past_phrase
from numberline.explain.rules_text import describe_changes
from numberline.explain.text_board import iter_tokens
from numberline.game.match import RESIGN, Match
from numberline.game.notation import format_position, format_record
from numberline.progress.document import MAX_TEXT_CHARS, Game
from numberline.progress.events import GameFinished
from numberline.progress.rules import PRACTICE, TWO_STARS, missing_stars, stars_for
from numberline.solver.solution import Solution
from numberline.views.board import book_view

_WON = ("You win!", "Well played, you win!", "Yes, you win!")
_CLOSE = ("So close!", "Nearly!")
_LOST = ("Good game!", "Thanks for the game!")
_MAX_CLOSE_PLIES = 3
"""A game was close if, at their last move, the loser could still have won within this number of turns."""


class RetryView(NamedTuple):
    """Point from which a finished match can be played again, usually the mistake that decided it."""

    ply: int
    """Number of the first ply to play again, counted from 1."""
    position: str
    """Position before that ply, as text; empty if the client doesn't need it."""
    better: tuple[str, ...]
    """All moves that aren't mistakes, the recommended one first; empty if any move will do."""
    said: str
    """Instruction for the player."""

    def judge(self, move: str, *, tried: bool) -> tuple[str, str]:
        """Return the move to play and a comment; the move is empty if the player should try once more.

        >>> retry = RetryView(1, "1 0 10 0 0", ("3",), "You played 1 here. Find something better.")
        >>> retry.judge("2", tried=False)
        ('', 'Not 2. Try once more.')
        """
        if move in self.better:
            return move, f"Yes, {move} is better."
        if not tried:
            return "", f"Not {move}. Try once more."
        return self.better[0], f"Not {move} either. {self.better[0]} is better, so I'll play it for you."


class EndingView(NamedTuple):
    """End of a match, as shown to one player or to everyone at the same screen."""

    winner: int
    """Number of the winner; 0 if there is none."""
    headline: str
    stars: int | None
    """Number of stars earned; None if the match can't earn stars."""
    missing: str
    """Sentence on how to earn the missing stars; empty if none are missing."""
    moment: str
    """Sentence on the deciding moment; may be empty."""
    retry: RetryView | None
    """The mistake that the player can correct, or None."""


def ending_view(
    match: Match,
    solution: Solution | None,
    *,
    you: int = 0,
    against_bots: bool = False,
    helped: bool = False,
    practice: bool = False,
) -> EndingView:
    """Return the view of a match that is over, for player `you` (0 for several people or none).

    Without a `solution`, or with more than two players, there is no deciding moment. Only a match against bots earns
    stars and can be retried: up to three stars, two with more than two players, none without a `solution` for two
    players. `helped` says whether `you` used a hint or an undo. A
    `practice` match continues an earlier one or starts from a position; it earns no stars, and a win in it has no
    deciding moment and, with help, no praise.
    """
    winner = match.outcome.winner if match.outcome else 0
    reviewed = review(solution, match) if solution and match.book.rules.players == 2 else None
    point = reviewed.turning_point if reviewed and winner else None
    mistake = point if point and winner == 3 - you and point.move != RESIGN else None
    several = match.book.rules.players > 2
    scored = bool((reviewed or several) and you and against_bots)
    mistakes = [n for n, ply in enumerate(reviewed.chosen_plies(you) if reviewed else (), 1) if ply.mark.is_mistake]
    won = winner == you
    stars = None if practice else stars_for(won=won, helped=helped, mistakes=len(mistakes) + several)
    missing = PRACTICE if practice else missing_stars(won=won, helped=helped, mistakes=mistakes) or TWO_STARS * several
    praise = ("You win, with some help!",) if practice and helped else _WON
    comforts = _CLOSE if mistake and _is_close(match, mistake) else _LOST
    return EndingView(
        winner,
        _headline(match, winner, you, praise if won else comforts),
        stars=stars if scored else None,
        missing=missing if scored else "",
        moment=reviewed.turning_sentence(you) if reviewed and winner and not (practice and won) else "",
        retry=_retry(match, mistake) if mistake and scored else None,
    )


def _is_close(match: Match, mistake: ReviewedPly) -> bool:
    """Return whether `mistake` was the loser's last move, and without it they could have won very soon."""
    soon = mistake.before.winner == mistake.player and (mistake.before.plies or 0) <= _MAX_CLOSE_PLIES
    return soon and match.length - mistake.number <= 1


def _retry(match: Match, mistake: ReviewedPly) -> RetryView:
    before = format_position(match.plies[mistake.number - 1].before)
    better = tuple(sorted(map(str, mistake.better), key=lambda move: move != mistake.best))
    return RetryView(mistake.number, before, better, f"You {past_phrase(mistake.move)} here. Find something better.")


def _headline(match: Match, winner: int, you: int, remarks: Sequence[str]) -> str:
    """Return a headline with a remark that varies with the length of the match."""
    if not winner:
        return "No winner this time."
    remark = remarks[match.length % len(remarks)]
    if you == winner:
        return remark
    return f"{remark} {match.names[winner - 1]} wins." if you else f"{match.names[winner - 1]} wins!"


def game_finished(match: Match, you: int, solution: Solution | None, game: Game, **facts: Any) -> GameFinished:
    """Return the event for a game finished by player `you`, made from `game`, `facts` and the match.

    Without a solution, the player's mistakes are unknown, so the star for a game without mistakes is not given. A game
    that the player resigned before making a move doesn't count as a game against that bot.
    """
    reviewed = review(solution, match) if solution else None
    record = format_record(match) if match.plies[0].before == match.book.start(match.first) else ""
    view = book_view(match.book, with_goal=False)
    tokens = [f"{player}:{place}" for player, _, place in iter_tokens(match.book, match.position)]
    goals = [f"{goal.player}:{goal.place}" for goal in view.goals]
    won = match.outcome.winner == you if match.outcome and match.outcome.winner else None
    game = replace(
        game,
        variant=view.variant,
        title=view.title,
        changes=describe_changes(match.book),
        board=f"{' '.join(map(str, view.line))}|{' '.join(tokens)}|{' '.join(goals)}",
        won=won,
        moment=reviewed.turning_sentence(you) if reviewed and not (game.practice and won) else "",
        record=record if len(record) <= MAX_TEXT_CHARS else "",
    )
    mistakes = sum(ply.player == you and ply.mark.is_mistake for ply in reviewed.plies) if reviewed else 1
    if not any(ply.player == you and ply.move != RESIGN for ply in match.plies):
        facts["bot"] = ""
    return GameFinished(game, mistakes=mistakes, **facts)
