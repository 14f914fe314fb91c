"""`numberline review FILE`: a recorded game looked back at, move by move, with where it was won and lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import as_json, find_record, plain_option, print_json, read_record_file
from numberline.explain.queries import require_two_players
from numberline.explain.review import Review, ReviewedPly, comment, review, turning_point, turning_sentence
from numberline.files import write_atomic
from numberline.game.match import Match
from numberline.game.notation import format_position
from numberline.reports.charts import require_svg, review_chart, save_svg
from numberline.terminal.coach import solve_with_progress
from numberline.terminal.console import TextConsole
from numberline.terminal.review import render_review, review_in_sentences
from numberline.text import pluralize


@click.command("review", short_help="Look back at a game: where was it decided?")
@click.argument("given", metavar="[FILE|NUMBER]", required=False, shell_complete=completion.files)
@click.option("--game", type=click.IntRange(1), metavar="N", help="Only the Nth game of the file.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Write a chart to this SVG file.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the review as one web page.")
@plain_option
@as_json
def command(
    given: str | None, game: int | None, plot: Path | None, html: Path | None, *, plain: bool, as_json: bool
) -> None:
    """Look back at a game: what each move was worth, and where it was decided.

    FILE is a record with one game or several; NUMBER is a game in the list that numberline games prints; without
    either it is the last game that you finished.
    """
    file = find_record(given)
    matches = _chosen(read_record_file(file), game, file)
    if plot and len(matches) > 1:
        raise click.UsageError(f"--plot draws one game, and {file} has {len(matches)}; choose one with --game N.")
    if plot:
        require_svg(plot)
    reviews = [_reviewed(match) for match in matches]
    if plot:
        _plot(reviews[0], plot)
        click.echo(f"The chart is in {plot}.", err=True)
    if html:
        _write_page(reviews, html)
        click.echo(f"The page is in {html}.", err=True)
    if as_json:
        print_json([report(match, one) for match, one in zip(matches, reviews, strict=True)])
    elif not (plot or html):
        _tell(reviews, plain=plain)


def _chosen(matches: Sequence[Match], game: int | None, file: Path) -> Sequence[Match]:
    if game is None:
        return matches
    if game > len(matches):
        raise click.BadParameter(f"{game}: {file} has {pluralize(len(matches), 'game')}.", param_hint="--game")
    return [matches[game - 1]]


def _reviewed(match: Match) -> Review:
    require_two_players(match.book, "reviews")
    return review(solve_with_progress(match.book), match)


# For people


def _tell(reviews: Sequence[Review], *, plain: bool) -> None:
    screen = TextConsole(plain=plain)
    for number, one in enumerate(reviews, 1):
        if len(reviews) > 1:
            gap = "\n" if number > 1 else ""
            screen.say(f"{gap}Game {number} of {len(reviews)}\n\n")
        screen.say(f"{one.solution.book.full_title}\n")
        if plain:
            screen.say("".join(f"{line}\n" for line in review_in_sentences(one)))
        else:
            screen.show(render_review(one, screen.width))


def _plot(one: Review, path: Path) -> None:
    save_svg(path, f"{one.solution.book.full_title}. {turning_sentence(one)}", [review_chart(one)])


def _write_page(reviews: Sequence[Review], path: Path) -> None:
    from numberline.reports.review import review_page  # needed only here

    write_atomic(path, review_page(reviews))


# For programs


def report(match: Match, one: Review) -> dict[str, object]:
    """The review for programs to read."""
    point = turning_point(one)
    return {
        "variant": match.book.variant,
        "first": match.first,
        "names": match.names,
        "outcome": match.outcome._asdict() if match.outcome else None,
        "plies": [
            _ply(reviewed, format_position(ply.after)) for reviewed, ply in zip(one.plies, match.plies, strict=True)
        ],
        "turning_point": {
            "ply": point.ply.number if point else None,
            "instead": point.better_moves if point else (),
            "sentence": turning_sentence(one),
        },
        "accuracy": [
            {"player": each.player, "share": float(each.share), "counted": each.counted} for each in one.accuracies
        ],
        "series": [{"ply": at.number, "winner": at.winner or None, "plies": at.plies} for at in one.series],
    }


def _ply(ply: ReviewedPly, position: str) -> dict[str, object]:
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
        "comment": comment(ply),
    }
