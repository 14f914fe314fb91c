"""Events for a player's progress, made from finished games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numberline.explain.review import review, turning_sentence
from numberline.explain.rules_text import describe_changes
from numberline.explain.text_board import iter_tokens
from numberline.game.match import RESIGN, Match
from numberline.game.notation import format_record
from numberline.progress.document import MAX_TEXT_CHARS, Game
from numberline.progress.events import GameFinished
from numberline.solver.solution import Solution
from numberline.views.board import book_view


def game_finished(match: Match, you: int, solution: Solution | None, game: Game, **facts: Any) -> GameFinished:
    """Return the event for a finished game of player `you`: `game` and `facts` with what the match tells.

    Without a solution it is not known whether the player made a mistake, so the star for that is not given. A game that
    the player resigned before making a move doesn't count as a game against that bot.
    """
    reviewed = review(solution, match) if solution else None
    replayable = match.plies[0].before == match.book.start(match.first)
    record = format_record(match) if replayable else ""
    view = book_view(match.book, with_goal=False)
    tokens = [f"{player}:{place}" for player, _, place in iter_tokens(match.book, match.position)]
    goals = [f"{goal.player}:{goal.place}" for goal in view.goals]
    game = replace(
        game,
        variant=view.variant,
        title=view.title,
        changes=describe_changes(match.book),
        board=f"{' '.join(map(str, view.line))}|{' '.join(tokens)}|{' '.join(goals)}",
        won=match.outcome.winner == you if match.outcome and match.outcome.winner else None,
        moment=turning_sentence(reviewed, you) if reviewed else "",
        record=record if len(record) <= MAX_TEXT_CHARS else "",
    )
    mistakes = sum(ply.player == you and ply.mark.is_mistake for ply in reviewed.plies) if reviewed else 1
    if not any(ply.player == you and ply.move != RESIGN for ply in match.plies):
        facts["bot"] = ""
    return GameFinished(game, mistakes=mistakes, **facts)
