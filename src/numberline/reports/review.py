"""A review as one web page that needs nothing else: it reads on a phone and on paper, by day and by night."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from numberline import __version__
from numberline.analysis.review import Accuracy, Mark, Review, Reviewed
from numberline.analysis.turning import comment, one_sentence
from numberline.analysis.values import SIGNS, Standing
from numberline.cli.rules import title
from numberline.reports.style import STYLE
from numberline.terminal.chart import Bar, bars_of, heights
from numberline.terminal.review import MEANINGS

MOST_BARS = 400
"""A longer game has several plies in a bar."""
WIDE = 800
"""How wide the chart is, in its own units."""
HIGH = 100
"""How high the chart is on each side of its line, in its own units."""
KINDS = {
    Mark.ONLY_WIN: "good",
    Mark.ONLY_SAVE: "good",
    Mark.INEXACT: "inexact",
    Mark.SLIP: "bad",
    Mark.MISSED: "bad",
    Mark.NO_CHOICE: "quiet",
    Mark.RESIGNED: "quiet",
}


def page(reviews: Sequence[Review]) -> str:
    """The page with all these games."""
    titles = dict.fromkeys(title(review.solution.book) for review in reviews)
    games = "".join(_game(review, number, len(reviews)) for number, review in enumerate(reviews, 1))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Review: {escape(', '.join(titles))}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{games}</main>\n"
        f"<footer>Made by numberline {escape(__version__)}.</footer>\n</body>\n</html>\n"
    )


def _game(review: Review, number: int, games: int) -> str:
    count = f"<p class='eyebrow'>Game {number} of {games}</p>" if games > 1 else ""
    head = f"{count}<h1>{escape(title(review.solution.book))}</h1>\n<p class='result'>{_result(review)}</p>\n"
    turned = f"<p class='turning'>{escape(one_sentence(review))}</p>\n"
    if not review.plies:
        return f"<article>\n{head}{turned}</article>\n"
    players = "".join(_player(review, accuracy) for accuracy in review.accuracies)
    parts = f"<div class='players'>\n{players}</div>\n{_chart(review)}{_moves(review)}{_legend(review)}"
    return f"<article>\n{head}{turned}{parts}</article>\n"


def _result(review: Review) -> str:
    first, second = (f"<b class='p{player}'>{escape(review.names[player - 1])}</b>" for player in (1, 2))
    count = len(review.plies)
    plies = f"{count:,} {'ply' if count == 1 else 'plies'}"
    if not review.outcome:
        return f"{first} against {second}, unfinished after {plies}."
    return f"{first} against {second}. {(first, second)[review.outcome.winner - 1]} won after {plies}."


def _player(review: Review, accuracy: Accuracy) -> str:
    name = escape(review.names[accuracy.player - 1])
    moves = f"{accuracy.counted:,} {'move' if accuracy.counted == 1 else 'moves'} counted"
    told = f"{accuracy.percent} %" if accuracy.counted else "-"
    meter = f"<div class='meter'><i style='width:{accuracy.percent if accuracy.counted else 0}%'></i></div>"
    return (
        f"<section class='player p{accuracy.player}'><h2>{name}</h2><strong>{told}</strong>"
        f"<span>accuracy, {moves if accuracy.counted else 'no move could be got wrong'}</span>{meter}</section>\n"
    )


# The chart


def _chart(review: Review) -> str:
    curve = heights(review.series)
    each = -(-len(curve) // MOST_BARS)
    bars = bars_of(curve, {ply.number for ply in review.plies if ply.mark.bad}, each)
    wide = WIDE / len(bars)
    drawn = "".join(_bar(review, bar, column, each, wide) for column, bar in enumerate(bars))
    first, second = (escape(name) for name in review.names[:2])
    mistakes = "<span class='loss'>▬ a mistake</span>" if any(bar.mistake for bar in bars) else ""
    return (
        f"<figure><figcaption><b class='p1'>▲ {first} can force a win</b></figcaption>\n"
        f"<svg viewBox='0 {-HIGH - 4} {WIDE} {2 * HIGH + 24}' role='img' preserveAspectRatio='none' "
        f"aria-label='The value along the game: above the line for {first}, below it for {second}'>\n"
        f"{drawn}<line class='axis' x1='0' x2='{WIDE}' y1='0' y2='0'/>\n</svg>\n"
        f"<div class='scale'><span>start</span>{mistakes}<span>{len(review.plies):,} plies</span></div>\n"
        f"<figcaption><b class='p2'>▼ {second} can force a win</b></figcaption></figure>\n"
    )


def _bar(review: Review, bar: Bar, column: int, each: int, wide: float) -> str:
    left, size = column * wide, wide * (0.84 if each == 1 else 1)
    shapes = ""
    for player, side in ((1, bar.up), (2, bar.down)):
        top = -side * HIGH if player == 1 else 0
        if side:
            shapes += _box(left, top, size, side * HIGH, f"p{player}")
    if not shapes:
        shapes = _box(left, -2, size, 4, "nobody")
    if bar.mistake:
        shapes += _box(left, HIGH + 8, size, 8, "bad")
    return f"<g><title>{escape(_tip(review, column, each))}</title>{shapes}</g>\n"


def _box(left: float, top: float, wide: float, high: float, kind: str) -> str:
    return f"<rect class='{kind}' x='{left:.2f}' y='{top:.2f}' width='{wide:.2f}' height='{high:.2f}'/>"


def _tip(review: Review, column: int, each: int) -> str:
    """What a bar says when it is pointed at."""
    if each > 1:
        return f"Plies {column * each:,} to {min((column + 1) * each - 1, len(review.plies)):,}"
    point = review.series[column]
    who = f"{review.names[point.winner - 1]} can force a win" if point.winner else "nobody can force a win"
    if point.plies == 0:
        who = f"{review.names[point.winner - 1]} has won"
    if not column:
        return f"Start: {who}"
    ply = review.plies[column - 1]
    return f"{ply.number}. {review.names[ply.player - 1]} played {ply.move}: {who}"


# The moves


def _moves(review: Review) -> str:
    rows = "".join(_rows(review))
    head = "<th>#</th><th>player</th><th>move</th><th>before</th><th>after</th><th>remark</th>"
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"


def _rows(review: Review) -> Iterator[str]:
    for ply in review.plies:
        name = escape(review.names[ply.player - 1])
        yield (
            f"<tr class='{KINDS.get(ply.mark, '')}'><td class='number'>{ply.number}</td>"
            f"<td class='name p{ply.player}'>{name}</td><td class='move'>{escape(ply.move)}</td>"
            f"<td>{_worth(ply.before)}</td><td>{_worth(ply.after)}</td><td class='remark'>{_remark(ply)}</td></tr>\n"
        )


def _remark(ply: Reviewed) -> str:
    mark = f"<b>{escape(ply.mark.symbol)}</b> " if ply.mark.symbol else ""
    return f"{mark}{escape(comment(ply))}"


def _worth(standing: Standing) -> str:
    sign = SIGNS[standing.value]
    turns = "" if standing.plies is None else f" {standing.plies}"
    return f"<span class='{standing.value}'>{sign.letter}{sign.shape}{turns}</span>"


def _legend(review: Review) -> str:
    values = dict.fromkeys(worth.value for ply in review.plies for worth in (ply.before, ply.after))
    signs = "".join(f"<li>{_worth(Standing(value))} {MEANINGS[value]}</li>" for value in values)
    used = {ply.mark for ply in review.plies}
    marks = "".join(
        f"<li><b>{escape(mark.symbol)}</b> {mark.word}</li>" for mark in Mark if mark in used and mark.symbol
    )
    note = "<p>What a move is worth is told for the player who made it. The number says in how many turns at most.</p>"
    return f"<aside><ul>{signs}{marks}</ul>{note}</aside>\n"
