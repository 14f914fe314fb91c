"""View of the end of a match: headline, stars, the deciding moment, and what the player can do next."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.queries import recommended_move
from numberline.explain.review import deciding_sentence, review, turning_point
from numberline.explain.rule_words import past_phrase
from numberline.game.match import Match
from numberline.game.notation import format_position
from numberline.progress.stars import missing_stars, stars_for
from numberline.solver.solution import Solution

AGAIN, NEXT_STEP, RETRY, REVIEW, MENU = "again", "next", "retry", "review", "menu"

_WON = ("You win!", "Well played, you win!", "Yes, you win!")
_MISSED = ("So close!", "Nearly!", "Good try!")
_LOST = ("Good game!", "Well fought!", "Good try!")


class RetryView(NamedTuple):
    """The mistake that decided a match, for a player who wants to try that move again."""

    ply: int
    """Number of the ply, counted from 1."""
    position: str
    """Position before the mistake, as text."""
    better: tuple[str, ...]
    """All moves that aren't mistakes, the recommended one first."""
    said: str
    """Task for the player."""


class EndingView(NamedTuple):
    """End of a match as one player sees it, or everyone at the same screen."""

    winner: int
    """0 if there is no winner."""
    headline: str
    stars: int | None = None
    """None if the match earns no stars."""
    missing: str = ""
    """What the missing stars need; empty if none is missing."""
    moment: str = ""
    """Sentence on the deciding moment; may be empty."""
    retry: RetryView | None = None
    choices: tuple[str, ...] = (AGAIN, MENU)
    """What the player can do next: `again`, `next` (step of a ladder), `retry`, `review` and `menu`."""


def ending_view(
    match: Match,
    solution: Solution | None,
    *,
    you: int = 0,
    against_bots: bool = False,
    helped: bool = False,
    next_step: bool = False,
) -> EndingView:
    """Return the view of a match that is over, for player `you` (0 for several people or none).

    Without a `solution`, or with more than two players, there are no stars and there is no deciding moment. Only a
    match against bots earns stars and can be retried. `helped` says whether `you` used a hint or an undo.
    """
    winner = match.outcome.winner if match.outcome else 0
    following = (AGAIN, *(NEXT_STEP,) * next_step)
    if solution is None or match.book.rules.players > 2:
        return EndingView(winner, _headline(match, winner, you, close=False), choices=(*following, MENU))
    reviewed = review(solution, match)
    point = turning_point(reviewed)
    missed = bool(you and winner and winner != you and point)
    view = EndingView(
        winner, _headline(match, winner, you, close=missed), moment=deciding_sentence(reviewed, match, you)
    )
    if you and against_bots:
        mistakes = sum(ply.player == you and ply.mark.is_mistake for ply in reviewed.plies)
        won = winner == you
        view = view._replace(
            stars=stars_for(won=won, helped=helped, mistakes=mistakes),
            missing=missing_stars(won=won, helped=helped, mistakes=mistakes),
        )
        if missed and point:
            before = match.plies[point.number - 1].before
            best = recommended_move(solution, before).move
            better = tuple(sorted(map(str, point.better), key=lambda move: move != best))
            said = f"You {past_phrase(point.move)} here. Find something better."
            view = view._replace(retry=RetryView(point.number, format_position(before), better, said))
    return view._replace(choices=(*following, *(RETRY,) * bool(view.retry), REVIEW, MENU))


def _headline(match: Match, winner: int, you: int, *, close: bool) -> str:
    """Return a headline that varies with the length of the match."""
    if not winner:
        return "No winner this time."
    if you == winner:
        return _WON[match.length % len(_WON)]
    name = match.names[winner - 1]
    if not you:
        return f"{name} wins!"
    comfort = _MISSED if close else _LOST
    return f"{comfort[match.length % len(comfort)]} {name} wins."
