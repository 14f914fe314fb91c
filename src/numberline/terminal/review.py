"""Text rendering of a game review: move values, a chart, the turning point and the players' accuracy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from rich.text import Text

from numberline.explain.narrator import Narrator
from numberline.explain.phrases import VALUE_PHRASES, Phrases
from numberline.explain.review import Accuracy, ChartBar, MoveMark, Review, ReviewedPly, chart_bars
from numberline.explain.rule_words import past_phrase
from numberline.game.match import Match
from numberline.game.move_text import letter_tokens
from numberline.solver.worth import LOSS, WIN, Worth
from numberline.terminal.board import PLAYER_COLORS
from numberline.terminal.console import TextConsole, wrap_text
from numberline.terminal.prompt import MatchPrompt, as_sentence, ask, match_word
from numberline.text import pluralize
from numberline.views.game_over import RetryView

UNFINISHED_MESSAGE = "\nThe record ends here. The game is unfinished.\n"
_WORDS = ["next", "back", "stop"]
_DEFAULT_CHART_COLUMNS = 80
_MIN_COMMENT_COLUMNS = 26
"""Minimum width for wrapping a comment beside its move; a long comment with less space is printed below the move."""
_MAX_NAME_COLUMNS = 12
_BAR_COLUMNS = 10
_ROWS_PER_SIDE = 4
_MAX_PLY_COLUMNS = 3
_MARK_STYLES = {
    MoveMark.ONLY_WIN: "bold green",
    MoveMark.ONLY_SAVE: "green",
    MoveMark.INEXACT: "yellow",
    MoveMark.SLIP: "bold red",
    MoveMark.MISSED: "bold red",
    MoveMark.NO_CHOICE: "dim",
    MoveMark.RESIGNED: "bold",
}


def render_review(review: Review, width: int | None, *, notation: bool = False) -> list[Text]:
    """Return the review as lines of at most `width` columns (None means unlimited), with a bar and a comment per move.

    With `notation`, show values such as `W▲13` instead of bars, and add a chart.
    """
    lines = [*_lines(_result(review), width), Text()]
    if review.plies:
        lines += [*_MoveTable(review, width, notation=notation).lines(), Text()]
    if review.plies and notation:
        chart = render_review_chart(review.curve, review.names, review.mistakes, width or _DEFAULT_CHART_COLUMNS)
        lines += [*chart, Text()]
    lines += _lines(review.turning_sentence(), width)
    for accuracy in review.accuracies if review.plies else ():
        lines += _accuracy(review, accuracy, width)
    return lines


def show_review(review: Review, screen: TextConsole, *, notation: bool = False) -> None:
    """Print the review; in plain mode, print it as sentences."""
    sentences = [*map(Text, review_in_sentences(review))] if screen.plain else []
    screen.show(sentences or render_review(review, screen.width, notation=notation))


def step_through(match: Match, screen: TextConsole, you: int, review: Review | None = None) -> RetryView | None:
    """Show one move at a time and let the player step forwards and backwards.

    Address player `you`, if it is not 0. With a review, add a remark to each move and, for a mistake, also show the
    board before that move. Return the point from which the player wants to play on, or None if the player leaves.
    """
    words, shown = Phrases(match.book, match.names, you), 0
    positions = [*(ply.before for ply in match.plies[:1]), *(ply.after for ply in match.plies)] or [match.position]

    def show_board(number: int, caption: str) -> None:
        MatchPrompt(Match(match.book, names=match.names, start=positions[number]), screen).board(caption)

    while True:
        screen.clear()
        ply = review.plies[shown - 1] if review and shown else None
        if ply and ply.mark.is_mistake:
            who = words.who(ply.player)
            show_board(shown - 1, f"{as_sentence(f'{who} {past_phrase(ply.move)} here')} {as_sentence(ply.comment)}")
            screen.say("\n")
        show_board(shown, as_sentence(words.describe_ply(match.plies[shown - 1])) if shown else "")
        if review and ply:
            screen.say(_remark(review, ply, you, plain=screen.plain))
        if shown == match.length:
            screen.say(Narrator(match).ending() if match.outcome else UNFINISHED_MESSAGE)
        start = shown - bool(ply and ply.mark.is_mistake)
        plays = review is not None and (start < match.length or not match.outcome)
        question = f"\nMove {shown} of {match.length} (Enter for next, back{', play from here' * plays}, or stop): "
        known = [*_WORDS, "play"] if plays else _WORDS
        word = ask(screen, question, partial(match_word, known, default="next"), words=known, back_quits=False)
        if word == "play":
            return RetryView(start + 1, "", (), f"You play {'on' if you else 'both sides'} from here.")
        shown = max(0, shown + {"next": 1, "back": -1}.get(word, 0))
        if word == "stop" or shown > match.length:
            return None


def _remark(review: Review, ply: ReviewedPly, you: int, *, plain: bool) -> str:
    """Return the comment on one move or, without one, who has a sure win; unless `plain`, add a bar and its legend."""
    winner = ply.after.winner
    value = f"{review.names[winner - 1]} has a sure win" if winner else "neither player has a sure win"
    words = (not ply.mark.is_mistake and ply.comment) or value  # a mistake is explained above the board
    if plain:
        return f"{as_sentence(words)}\n"
    return f"\n{value_bar(winner, you or 1)} {words}\n{_bar_legend(review.names, you or 1)}\n"


def value_bar(winner: int, side: int = 1) -> str:
    """Return a bar: full if player `side` has a sure win, empty if the opponent does, and half full if neither does."""
    filled = _BAR_COLUMNS if winner == side else 0 if winner else _BAR_COLUMNS // 2
    return "█" * filled + "░" * (_BAR_COLUMNS - filled)


def _bar_legend(names: Sequence[str], side: int = 1) -> str:
    return f"Full bar: {names[side - 1]} has a sure win. Empty bar: {names[2 - side]} has one. Half full: neither has."


def review_in_sentences(review: Review) -> list[str]:
    """Return the review as sentences, one line per move, for screen readers."""
    lines = [_result(review), *(_describe_ply(review, ply) for ply in review.plies), review.turning_sentence()]
    accuracies = [_accuracy(review, accuracy, None)[0].plain for accuracy in review.accuracies if review.plies]
    return [*lines, *(f"{accuracy}." for accuracy in accuracies)]


def _describe_ply(review: Review, ply: ReviewedPly) -> str:
    before, after = map(_describe_worth, (ply.before, ply.after))
    sentence = f" {as_sentence(ply.comment)}" if ply.comment else ""
    name = review.names[ply.player - 1]
    return f"Move {ply.number}: {name} {past_phrase(ply.move)}. Before: {before}. After: {after}.{sentence}"


def _describe_worth(worth: Worth) -> str:
    if not worth.plies:
        return {WIN: "won", LOSS: "lost"}.get(worth.value, VALUE_PHRASES[worth.value])
    return f"{VALUE_PHRASES[worth.value]} within {pluralize(worth.plies, 'turn')}"


def _result(review: Review) -> str:
    names, after = review.names, pluralize(len(review.plies), "turn")
    result = f"{names[review.outcome.winner - 1]} won" if review.outcome else "unfinished"
    return f"{names[0]} against {names[1]}: {result} after {after}."


def _accuracy(review: Review, accuracy: Accuracy, width: int | None) -> list[Text]:
    """Return a player's accuracy on one line, or on several in a narrow window."""
    text = accuracy.phrase
    name = Text(review.names[accuracy.player - 1], f"bold {PLAYER_COLORS[accuracy.player]}")
    if not width or len(name) + len(text) + 2 <= width:
        return [name.append(f": {text}", "not bold default")]
    name.truncate(width - 1)
    return [name.append(":", "not bold default"), *_lines(text, width)]


class _MoveTable:
    """Table of the moves, with a legend."""

    def __init__(self, review: Review, width: int | None, *, notation: bool) -> None:
        self.review = review
        self.width = width
        self.notation = notation
        worths = {self._worth(worth) for ply in review.plies for worth in (ply.before, ply.after)}
        number = max(len(str(len(review.plies))), 2)
        name = min(max(map(len, review.names)), _MAX_NAME_COLUMNS if not width or width >= 60 else 8)
        move = max(4, *(len(ply.move) for ply in review.plies))
        worth = max(6, *map(len, worths))
        self.widths = number, name, move, worth
        self.before_comment = number + name + move + (2 * worth + 7 if notation else _BAR_COLUMNS + 4)
        """Columns before the comment, including the gaps and the mark."""

    def lines(self) -> list[Text]:
        number, name, move, worth = self.widths
        columns = f"{'before':{worth}} {'after':{worth}}" if self.notation else "who wins"
        head = f"{'':{number}} {'':{name}} {'move':{move}} {columns}"
        rows = [row for ply in self.review.plies for row in self._row(ply)]
        return [Text(head.rstrip(), "dim"), *rows, Text(), *self._legend()]

    def _row(self, ply: ReviewedPly) -> list[Text]:
        number, name, move, worth = self.widths
        style, remark = _MARK_STYLES.get(ply.mark, ""), ply.comment
        beside, below = self._split_comment(remark) if remark else ("", [])
        player = Text(self.review.names[ply.player - 1], PLAYER_COLORS[ply.player])
        player.truncate(name, pad=True)
        row = Text(f"{ply.number:>{number}} ").append_text(player).append(f" {letter_tokens(ply.move):{move}} ")
        if self.notation:
            for value in (ply.before, ply.after):
                row.append(f"{self._worth(value):{worth}}", value.colour).append(" ")
            row.append(f"{ply.mark.symbol:2} ", style)
        else:
            row.append(value_bar(ply.after.winner), PLAYER_COLORS[ply.after.winner]).append(" ")
        row.append(beside, style).rstrip()
        return [row, *(Text(line, style) for line in below)]

    def _split_comment(self, remark: str) -> tuple[str, list[str]]:
        """Return the part of a comment to print beside its move, and the lines to print below."""
        if self.width is None:
            return remark, []
        left = self.width - self.before_comment
        if left >= _MIN_COMMENT_COLUMNS or len(remark) <= left:
            beside, *below = wrap_text(remark, left).split("\n")
            return beside, [" " * self.before_comment + line for line in below]
        return "", wrap_text(remark, self.width, indent=" " * (self.widths[0] + 1)).split("\n")

    def _worth(self, worth: Worth) -> str:
        return f"{worth.letter}{worth.shape}{'' if worth.plies is None else worth.plies}"

    def _legend(self) -> list[Text]:
        """Return an explanation of the bars or, with notation, of the symbols and marks that occur in this review."""
        if not self.notation:
            return _lines(_bar_legend(self.review.names), self.width, "dim")
        values = dict.fromkeys(worth.value for ply in self.review.plies for worth in (ply.before, ply.after))
        signs = [f"{self._worth(Worth(value))} {VALUE_PHRASES[value]}" for value in values]
        note = " (for the player who moved; the number counts the turns left)"
        used = {ply.mark for ply in self.review.plies}
        marks = [f"{mark.symbol} {mark.word}" for mark in MoveMark if mark in used and mark.symbol]
        meanings = _lines(", ".join(signs) + note, self.width, "dim")
        return [*meanings, *(_lines(", ".join(marks), self.width, "dim") if marks else [])]


def _lines(text: str, width: int | None, style: str = "") -> list[Text]:
    return [Text(line, style) for line in wrap_text(text, width).split("\n")]


# Chart


def render_review_chart(
    curve: Sequence[float], names: Sequence[str], mistakes: Collection[int], width: int
) -> list[Text]:
    """Return a chart of the review: bars above the line mark sure wins for player 1, bars below it for player 2.

    Lines have at most `width` columns. The plies in `mistakes` are marked with a question mark below them.
    """
    plies_per_bar = -(-len(curve) // width)
    bars = chart_bars(curve, mistakes, plies_per_bar)
    size = max(1, min(_MAX_PLY_COLUMNS, width // len(bars)))
    up = [_chart_row([bar.up for bar in bars], row, size, "▄") for row in range(_ROWS_PER_SIDE, 0, -1)]
    down = [_chart_row([bar.down for bar in bars], row, size, "▀") for row in range(1, _ROWS_PER_SIDE + 1)]
    above, below = ([Text(row, PLAYER_COLORS[player]) for row in rows if row] for player, rows in ((1, up), (2, down)))
    first, second = (_chart_label(name, player, width) for player, name in enumerate(names, 1))
    return [first, *above, _chart_line(bars, size), *below, second, *_chart_foot(bars, size, plies_per_bar)]


def _chart_row(heights: Sequence[float], row: int, size: int, half_glyph: str) -> str:
    """Return one text row of the bars on one side of the line; row 1 is next to the line."""
    text = ""
    for height in heights:
        level = max(1, round(height * 2 * _ROWS_PER_SIDE)) if height else 0
        glyph = "█" if level >= 2 * row else half_glyph if level == 2 * row - 1 else " "
        text += glyph * max(1, size - 1) + " " * (size > 1)
    return text.rstrip()


def _chart_line(bars: Sequence[ChartBar], size: int) -> Text:
    line = Text()
    for bar in bars:
        if bar.up or bar.down:
            line.append("─" * size, "dim")
        else:
            line.append("●", "yellow").append("─" * (size - 1), "dim")
    return line


def _chart_label(name: str, player: int, width: int) -> Text:
    text = Text(f"{name} has a sure win", f"bold {PLAYER_COLORS[player]}")
    text.truncate(width)
    return text


def _chart_foot(bars: Sequence[ChartBar], size: int, plies_per_bar: int) -> list[Text]:
    """Return the lines below the chart: question marks under mistakes, and the numbers of some plies."""
    marks = "".join(("?" if bar.mistake else " ").ljust(size) for bar in bars).rstrip()
    numbers = ""
    for column in range(0, len(bars), 5 if size > 1 else 10):
        text = str(column * plies_per_bar)
        free = not numbers or len(numbers) + 2 <= column * size
        if free and column * size + len(text) <= len(bars) * size:
            numbers = numbers.ljust(column * size) + text
    return [*([Text(marks, "bold red")] if marks else []), Text(numbers, "dim")]
