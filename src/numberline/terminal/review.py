"""A reviewed game at the prompt: each move with its worth, the chart, the turning point, and how well each played."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Span, Text

from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.review import (
    Accuracy,
    MoveMark,
    Review,
    ReviewedPly,
    comment,
    counted_moves_phrase,
    turning_sentence,
)
from numberline.explain.rule_words import past_phrase
from numberline.solver.worth import LOSS, VALUE_STYLES, WIN, Worth
from numberline.terminal.board import PLAYER_COLORS
from numberline.terminal.console import can_encode, wrap_text
from numberline.terminal.review_chart import render_review_chart
from numberline.text import pluralize

DEFAULT_CHART_COLUMNS = 80
"""How wide the chart is where nothing wraps."""
MIN_COMMENT_COLUMNS = 26
"""A comment with fewer columns than this left goes on a line of its own."""
MAX_NAME_COLUMNS = 12
MARK_STYLES = {
    MoveMark.ONLY_WIN: "bold green",
    MoveMark.ONLY_SAVE: "green",
    MoveMark.INEXACT: "yellow",
    MoveMark.SLIP: "bold red",
    MoveMark.MISSED: "bold red",
    MoveMark.NO_CHOICE: "dim",
    MoveMark.RESIGNED: "bold",
}


def render_review(review: Review, width: int | None) -> list[Text]:
    """The whole review in lines no wider than the window; where there is none, comments are not folded."""
    lines = [*_lines(_result(review), width), Text()]
    if review.plies:
        lines += [*_Moves(review, width).lines(), Text(), *_chart(review, width), Text()]
    lines += _lines(turning_sentence(review), width)
    for accuracy in review.accuracies if review.plies else ():
        lines += _accuracy(review, accuracy, width)
    return lines


def review_in_sentences(review: Review) -> list[str]:
    """The whole review in sentences, a line a move, for somebody who listens."""
    lines = [_result(review), *(_in_sentences(review, ply) for ply in review.plies), turning_sentence(review)]
    shares = [_accuracy(review, accuracy, None)[0].plain for accuracy in review.accuracies if review.plies]
    return [*lines, *(f"{share}." for share in shares)]


def _in_sentences(review: Review, ply: ReviewedPly) -> str:
    """One ply in sentences."""
    before, after = map(_worth_in_words, (ply.before, ply.after))
    remark = comment(ply)
    said = f" {remark[0].upper()}{remark[1:]}." if remark else ""
    name = review.names[ply.player - 1]
    return f"Move {ply.number}: {name} {past_phrase(ply.move)}. Worth before: {before}. Worth after: {after}.{said}"


def _worth_in_words(worth: Worth) -> str:
    if not worth.plies:
        return {WIN: "won", LOSS: "lost"}.get(worth.value, VALUE_PHRASES[worth.value])
    return f"{VALUE_PHRASES[worth.value]} in at most {pluralize(worth.plies, 'turn')}"


def _result(review: Review) -> str:
    names, after = review.names, pluralize(len(review.plies), "turn")
    if not review.outcome:
        return f"{names[0]} against {names[1]}: unfinished after {after}."
    return f"{names[0]} against {names[1]}: {names[review.outcome.winner - 1]} won after {after}."


def _chart(review: Review, width: int | None) -> list[Text]:
    return render_review_chart(review.curve, review.names, review.mistakes, width or DEFAULT_CHART_COLUMNS)


def _accuracy(review: Review, accuracy: Accuracy, width: int | None) -> list[Text]:
    """How well a player played, in a line, or in two where the window is too narrow for one."""
    moves = counted_moves_phrase(accuracy)
    share = f"accuracy {accuracy.percent} % ({moves})" if accuracy.counted else moves
    name = Text(review.names[accuracy.player - 1], f"bold {PLAYER_COLORS[accuracy.player]}")
    if not width or len(name) + len(share) + 2 <= width:
        return [name.append(f": {share}", "not bold default")]
    name.truncate(width - 1)
    return [name.append(":", "not bold default"), *_lines(share, width)]


class _Widths(NamedTuple):
    number: int
    name: int
    move: int
    worth: int

    @property
    def before_comment(self) -> int:
        """The columns up to the comment, the gaps between them and the mark counted."""
        return self.number + self.name + self.move + 2 * self.worth + 7


class _Moves:
    """The table of the moves, and below it what its signs mean."""

    def __init__(self, review: Review, width: int | None) -> None:
        self.review = review
        self.width = width
        self.fine = can_encode("".join(sign.shape for sign in VALUE_STYLES.values()))
        worths = {self._worth(worth) for ply in review.plies for worth in (ply.before, ply.after)}
        self.widths = _Widths(
            max(len(str(len(review.plies))), 2),
            min(max(map(len, review.names)), MAX_NAME_COLUMNS if not width or width >= 60 else 8),
            max(4, *(len(ply.move) for ply in review.plies)),
            max(6, *map(len, worths)),
        )
        self.names = [self._name(player) for player in (1, 2)]
        self.symbols = {mark: mark.symbol if can_encode(mark.symbol) else "." for mark in MoveMark}

    def lines(self) -> list[Text]:
        """The rows, with a heading and the legend."""
        number, name, move, worth = self.widths
        head = f"{'':{number}} {'':{name}} {'move':{move}} {'before':{worth}} {'after':{worth}}"
        rows = [row for ply in self.review.plies for row in self._row(ply)]
        return [Text(head.rstrip(), "dim"), *rows, Text(), *self._legend()]

    def _row(self, ply: ReviewedPly) -> list[Text]:
        """One ply: its number, who played what, its worth before and after, the mark and the remark."""
        at = self.widths.before_comment
        plain = f"{ply.number:>{self.widths.number}} {self._cells(ply)} {self.symbols[ply.mark]:2} "
        style, remark = MARK_STYLES.get(ply.mark, ""), comment(ply)
        beside, below = self._placed(remark) if remark else ("", [])
        row = (plain + beside).rstrip()
        spans = [*self._spans(ply), Span(at - 3, at + len(beside), style)]
        clipped = [span._replace(end=min(span.end, len(row))) for span in spans if span.start < len(row)]
        return [Text(row, spans=clipped), *(Text(line, style) for line in below)]

    def _cells(self, ply: ReviewedPly) -> str:
        _, _, move, worth = self.widths
        worths = f"{self._worth(ply.before):{worth}} {self._worth(ply.after):{worth}}"
        return f"{self.names[ply.player - 1]} {ply.move:{move}} {worths}"

    def _spans(self, ply: ReviewedPly) -> list[Span]:
        """The colours of the cells."""
        number, _, move, worth = self.widths
        name = len(self.names[ply.player - 1])
        before = number + name + move + 3
        after = before + worth + 1
        return [
            Span(number + 1, number + 1 + name, PLAYER_COLORS[ply.player]),
            Span(before, before + worth, ply.before.colour),
            Span(after, after + worth, ply.after.colour),
        ]

    def _placed(self, remark: str) -> tuple[str, list[str]]:
        """A comment in two: what goes beside the move, and the lines below it."""
        if self.width is None:
            return remark, []
        left = self.width - self.widths.before_comment
        if left >= MIN_COMMENT_COLUMNS or len(remark) <= left:
            beside, *below = wrap_text(remark, left).split("\n")
            return beside, [" " * self.widths.before_comment + line for line in below]
        indent = " " * (self.widths.number + 1)
        return "", wrap_text(remark, self.width, indent).split("\n")

    def _name(self, player: int) -> str:
        name = Text(self.review.names[player - 1])
        name.truncate(self.widths.name, pad=True)
        return name.plain

    def _worth(self, worth: Worth) -> str:
        shape = worth.shape if self.fine else worth.style.plain
        return f"{worth.letter}{shape}{'' if worth.plies is None else worth.plies}"

    def _legend(self) -> list[Text]:
        """What the signs and marks of this game mean."""
        values = dict.fromkeys(worth.value for ply in self.review.plies for worth in (ply.before, ply.after))
        signs = [f"{self._worth(Worth(value))} {VALUE_PHRASES[value]}" for value in values]
        when = " (for the player who moved; the number: in so many turns at most)"
        used = {ply.mark for ply in self.review.plies}
        marks = [f"{self.symbols[mark]} {mark.word}" for mark in MoveMark if mark in used and mark.symbol]
        meanings = _lines(", ".join(signs) + when, self.width, "dim")
        return [*meanings, *(_lines(", ".join(marks), self.width, "dim") if marks else [])]


def _lines(text: str, width: int | None, style: str = "") -> list[Text]:
    return [Text(line, style) for line in wrap_text(text, width).split("\n")]
