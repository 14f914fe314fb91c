"""Self-contained HTML page of reviewed games, for phones, desktops and print."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.review import Accuracy, MoveMark, Review
from numberline.explain.rule_words import past_phrase
from numberline.game.move_text import letter_tokens
from numberline.reports.charts import review_chart
from numberline.reports.html import page, panel, scrollable, table, tag
from numberline.solver.worth import Worth
from numberline.text import pluralize

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
    """Return an HTML page with all reviewed games."""
    titles = dict.fromkeys(review.solution.book.full_title for review in reviews)
    games = (_game(review, number, len(reviews)) for number, review in enumerate(reviews, 1))
    return page(f"Review: {', '.join(titles)}", games)


def _game(review: Review, number: int, games: int) -> Element:
    head = (
        tag("p", f"Game {number} of {games}", cls="eyebrow") if games > 1 else None,
        tag("h1", review.solution.book.full_title),
        _result(review),
        tag("p", review.turning_sentence(), cls="turning"),
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
    share = accuracy.percent if accuracy.is_meaningful else 0
    value = f"{share}%" if accuracy.is_meaningful else "-"
    caption = f"accuracy, {accuracy.counted_moves}"
    return panel(review.names[accuracy.player - 1], value, caption, str(share), accuracy.player)


# The chart


def _chart(review: Review) -> Element:
    tips = [_tip(review, number) for number in range(len(review.series))]
    return tag("figure", scrollable(review_chart(review, tips)))


def _tip(review: Review, number: int) -> str:
    """Return the tooltip for the bar that shows the position after `number` plies."""
    point = review.series[number]
    winner = review.names[point.winner - 1] if point.winner else ""
    value = f"{winner} {'has won' if point.plies == 0 else 'can win'}" if winner else "neither player is winning"
    if not number:
        return f"Start: {value}"
    ply = review.plies[number - 1]
    return f"{ply.number}. {review.names[ply.player - 1]} {past_phrase(ply.move)}: {value}"


# The moves


def _moves(review: Review) -> Element:
    rows = (
        tag(
            "tr",
            tag("td", str(ply.number), cls="number"),
            tag("td", review.names[ply.player - 1], cls=f"player-{ply.player}"),
            tag("td", letter_tokens(ply.move), cls="move"),
            tag("td", _worth(ply.before)),
            tag("td", _worth(ply.after)),
            tag("td", *_marked(ply.mark, ply.comment), cls="remark"),
            cls=MARK_CLASSES.get(ply.mark, ""),
        )
        for ply in review.plies
    )
    return table(("#", "player", "move", "before", "after", "remark"), rows, cls="moves")


def _marked(mark: MoveMark, words: str) -> tuple[Element | str, ...]:
    """Return `words`, preceded by the symbol of the mark if it has one."""
    return (tag("b", mark.symbol), f" {words}") if mark.symbol else (words,)


def _worth(worth: Worth) -> Element:
    plies = "" if worth.plies is None else f" {worth.plies}"
    return tag("span", f"{worth.letter}{worth.shape}{plies}", cls=f"worth {worth.value}")


def _legend(review: Review) -> Element:
    values = dict.fromkeys(worth.value for ply in review.plies for worth in (ply.before, ply.after))
    signs = (tag("li", _worth(Worth(value)), f" {VALUE_PHRASES[value]}") for value in values)
    used = {ply.mark for ply in review.plies}
    marks = (tag("li", *_marked(mark, mark.word)) for mark in MoveMark if mark in used and mark.symbol)
    note = "Each value is for the player who made the move. The number is the maximum number of turns until the win."
    return tag("aside", tag("ul", *signs, *marks), tag("p", note, cls="note"))
