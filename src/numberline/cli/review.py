"""`numberline review FILE`: the value of each move in a game, and the move that decided it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from numberline.cli import completion, options
from numberline.cli.play import start_menu
from numberline.explain.queries import require_two_players
from numberline.explain.review import Review, ReviewedPly, review
from numberline.explain.rules_text import title_in_words
from numberline.game import Match, format_position
from numberline.reports.charts import review_chart
from numberline.terminal.coach import solve_with_progress
from numberline.terminal.console import TextConsole
from numberline.terminal.menu import pick_from_review, play_with_rematches
from numberline.terminal.review import show_review
from numberline.terminal.series import recorded_series
from numberline.text import pluralize


@click.command("review", short_help="Review a game: how good was each move?")
@click.argument("given", metavar="[FILE|NUMBER]", required=False, shell_complete=completion.files)
@options.number_option("--game", 1, None, "Review only the Nth game of the file.")
@click.option("--plot", type=options.SVG_FILE, help="Write a chart to this SVG file.")
@click.option("--html", type=options.PAGE_FILE, help="Write the review to this HTML file.")
@click.option("--notation", is_flag=True, help="Show exact values such as W▲13, with a legend and a chart.")
@click.option("--step", is_flag=True, help="Show one move at a time, with the commands next, back, play and stop.")
@options.plain_option
@options.as_json
def command(
    given: str | None,
    game: int | None,
    plot: Path | None,
    html: Path | None,
    *,
    notation: bool,
    step: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Review a game: show the value of each move and the move that decided the game.

    FILE is a record with one or more games. NUMBER is the number of a game as listed by 'numberline games'. By
    default, review the last finished game.
    """
    file = options.find_record(given)
    matches = _select(options.read_record_file(file), game, file)
    if plot and len(matches) > 1:
        raise click.UsageError(f"--plot draws only one game, but {file} has {len(matches)}; choose one with --game N.")
    reviews = [_review(match) for match in matches]
    if plot:
        title = f"{reviews[0].solution.book.full_title}. {reviews[0].turning_sentence()}"
        options.write_chart(plot, title, [review_chart(reviews[0])])
    if html:
        from numberline.reports.review import review_page

        options.write_page(html, review_page(reviews))
    if as_json:
        options.print_json([report(match, reviewed) for match, reviewed in zip(matches, reviews, strict=True)])
    elif not (plot or html):
        screen = TextConsole(plain=plain)
        for number, (match, reviewed) in enumerate(zip(matches, reviews, strict=True), 1):
            if len(reviews) > 1:
                screen.say(f"\nGame {number} of {len(reviews)}\n\n")
            screen.say(f"{title_in_words(match.book)}\n")
            if step and screen.interactive:
                series = recorded_series(match)
                retry = pick_from_review(series, screen)
                if retry and play_with_rematches(series.retry_from(retry), screen):
                    start_menu(click.get_current_context(), screen)
            else:
                show_review(reviewed, screen, notation=notation)


def _select(matches: Sequence[Match], game: int | None, file: Path) -> Sequence[Match]:
    if game is None:
        return matches
    if game > len(matches):
        raise click.BadParameter(f"{game}: {file} has only {pluralize(len(matches), 'game')}.", param_hint="--game")
    return [matches[game - 1]]


def _review(match: Match) -> Review:
    require_two_players(match.book, "reviews")
    return review(solve_with_progress(match.book), match)


def report(match: Match, reviewed: Review) -> dict[str, object]:
    """Return the review as data for `--json`."""
    point = reviewed.turning_point
    return {
        **options.match_report(match),
        "plies": [
            _ply_report(ply_review, format_position(ply.after))
            for ply_review, ply in zip(reviewed.plies, match.plies, strict=True)
        ],
        "turning_point": {
            "ply": point.number if point else None,
            "instead": point.better if point else (),
            "sentence": reviewed.turning_sentence(),
        },
        "accuracy": [{**accuracy._asdict(), "share": float(accuracy.share)} for accuracy in reviewed.accuracies],
        "series": [{"ply": at.number, "winner": at.winner or None, "plies": at.plies} for at in reviewed.series],
    }


def _ply_report(ply: ReviewedPly, position: str) -> dict[str, object]:
    return {
        "number": ply.number,
        "player": ply.player,
        "move": ply.move,
        "position": position,
        "before": {"value": ply.before.value, "plies": ply.before.plies},
        "after": {"value": ply.after.value, "plies": ply.after.plies},
        "mark": {"symbol": ply.mark.symbol, "word": ply.mark.word},
        "better": ply.better,
        "credit": None if ply.credit is None else float(ply.credit),
        "comment": ply.comment,
    }
