"""A review as one web page that needs nothing else: it reads on a phone and on paper, by day and by night."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.review import (
    Accuracy,
    ChartBar,
    MoveMark,
    Review,
    chart_bars,
    comment,
    counted_moves_phrase,
    turning_sentence,
)
from numberline.explain.wording import past_phrase
from numberline.reports.html import page, table, tag
from numberline.solver.worth import Worth
from numberline.text import pluralize

MAX_BARS = 400
"""A longer game has several turns in a bar."""
CHART_WIDTH, CHART_SIDE_HEIGHT = 800, 100
"""How wide the chart is, and how high on each side of its line, in its own units."""
MARK_CLASSES = {
    MoveMark.ONLY_WIN: "good",
    MoveMark.ONLY_SAVE: "good",
    MoveMark.INEXACT: "inexact",
    MoveMark.SLIP: "bad",
    MoveMark.MISSED: "bad",
    MoveMark.NO_CHOICE: "quiet",
    MoveMark.RESIGNED: "quiet",
}


def review_page(reviews: Sequence[Review]) -> str:
    """The page with all these games."""
    titles = dict.fromkeys(review.solution.book.full_title for review in reviews)
    games = (_game(review, number, len(reviews)) for number, review in enumerate(reviews, 1))
    return page(f"Review: {', '.join(titles)}", games)


def _game(review: Review, number: int, games: int) -> Element:
    head = (
        tag("p", f"Game {number} of {games}", cls="eyebrow") if games > 1 else None,
        tag("h1", review.solution.book.full_title),
        _result(review),
        tag("p", turning_sentence(review), cls="turning"),
    )
    if not review.plies:
        return tag("article", *head)
    players = tag("div", *(_player(review, accuracy) for accuracy in review.accuracies), cls="players")
    return tag("article", *head, players, _chart(review), _moves(review), _legend(review))


def _result(review: Review) -> Element:
    first, second = (_name(review, player) for player in (1, 2))
    after = pluralize(len(review.plies), "turn")
    ending = (". ", _name(review, review.outcome.winner), " won") if review.outcome else (", unfinished",)
    return tag("p", first, " against ", second, *ending, f" after {after}.", cls="lead")


def _name(review: Review, player: int) -> Element:
    return tag("b", review.names[player - 1], cls=f"player-{player}")


def _player(review: Review, accuracy: Accuracy) -> Element:
    share = accuracy.percent if accuracy.counted else 0
    return tag(
        "section",
        tag("h2", review.names[accuracy.player - 1]),
        tag("strong", f"{share} %" if accuracy.counted else "-"),
        tag("span", f"accuracy, {counted_moves_phrase(accuracy)}"),
        tag("div", tag("i", style=f"width: {share}%"), cls="meter"),
        cls=f"player-{accuracy.player}",
    )


# The chart


def _chart(review: Review) -> Element:
    each = -(-len(review.series) // MAX_BARS)
    bars = chart_bars(review.curve, review.mistakes, each)
    first, second = review.names[:2]
    drawn = tag(
        "svg",
        *(_bar(review, bar, column, each, CHART_WIDTH / len(bars)) for column, bar in enumerate(bars)),
        tag("line", cls="axis", x1=0, x2=CHART_WIDTH, y1=0, y2=0),
        cls="chart",
        viewBox=f"0 {-CHART_SIDE_HEIGHT - 4} {CHART_WIDTH} {2 * CHART_SIDE_HEIGHT + 24}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"The value along the game: above the line for {first}, below it for {second}",
    )
    mistakes = tag("span", "▬ a mistake", cls="loss") if review.mistakes else None
    ends = tag("span", "start"), tag("span", pluralize(len(review.plies), "turn"))
    return tag(
        "figure",
        tag("figcaption", tag("b", f"▲ {first} can force a win", cls="player-1")),
        drawn,
        tag("div", ends[0], mistakes, ends[1], cls="scale"),
        tag("figcaption", tag("b", f"▼ {second} can force a win", cls="player-2")),
    )


def _bar(review: Review, bar: ChartBar, column: int, each: int, wide: float) -> Element:
    left, size = column * wide, wide * (0.84 if each == 1 else 1)
    boxes = (
        ("player-1", -bar.up * CHART_SIDE_HEIGHT, bar.up * CHART_SIDE_HEIGHT),
        ("player-2", 0.0, bar.down * CHART_SIDE_HEIGHT),
        ("endless", -2.0, 0.0 if bar.up or bar.down else 4.0),
        ("loss", CHART_SIDE_HEIGHT + 8.0, 8.0 if bar.mistake else 0.0),
    )
    drawn = (tag("rect", cls=kind, x=left, y=top, width=size, height=high) for kind, top, high in boxes if high)
    return tag("g", tag("title", _tip(review, column, each)), *drawn)


def _tip(review: Review, column: int, each: int) -> str:
    """What a bar says when it is pointed at."""
    if each > 1:
        return f"Turns {column * each:,} to {min((column + 1) * each - 1, len(review.plies)):,}"
    point = review.series[column]
    who = f"{review.names[point.winner - 1]} can force a win" if point.winner else "nobody can force a win"
    if point.plies == 0:
        who = f"{review.names[point.winner - 1]} has won"
    if not column:
        return f"Start: {who}"
    ply = review.plies[column - 1]
    return f"{ply.number}. {review.names[ply.player - 1]} {past_phrase(ply.move)}: {who}"


# The moves


def _moves(review: Review) -> Element:
    rows = (
        tag(
            "tr",
            tag("td", str(ply.number), cls="number"),
            tag("td", review.names[ply.player - 1], cls=f"player-{ply.player}"),
            tag("td", ply.move, cls="move"),
            tag("td", _worth(ply.before)),
            tag("td", _worth(ply.after)),
            tag("td", *_marked(ply.mark, comment(ply)), cls="remark"),
            cls=MARK_CLASSES.get(ply.mark, ""),
        )
        for ply in review.plies
    )
    return table(("#", "player", "move", "before", "after", "remark"), rows, cls="moves")


def _marked(mark: MoveMark, words: str) -> tuple[Element | str, ...]:
    """The words with the mark before them, where it has a symbol."""
    return (tag("b", mark.symbol), f" {words}") if mark.symbol else (words,)


def _worth(worth: Worth) -> Element:
    plies = "" if worth.plies is None else f" {worth.plies}"
    return tag("span", f"{worth.letter}{worth.shape}{plies}", cls=f"worth {worth.value}")


def _legend(review: Review) -> Element:
    values = dict.fromkeys(worth.value for ply in review.plies for worth in (ply.before, ply.after))
    signs = (tag("li", _worth(Worth(value)), f" {VALUE_PHRASES[value]}") for value in values)
    used = {ply.mark for ply in review.plies}
    marks = (tag("li", *_marked(mark, mark.word)) for mark in MoveMark if mark in used and mark.symbol)
    note = "Each value is for the player who made the move. The number says in how many turns at most."
    return tag("aside", tag("ul", *signs, *marks), tag("p", note, cls="note"))
