"""`numberline print`: a game on paper, with a worksheet whose answers are the solution's."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.explain.rules_text import describe_rules
from numberline.explain.worksheet import with_token_at, worksheet
from numberline.game.loader import book_from_toml
from numberline.game.notation import parse_position
from numberline.reports.sheet import PAPERS, make_sheet, sheet_page
from numberline.reports.sheet_board import board_layout
from support.commands import numberline
from support.mixtures import book_of, mixtures
from support.variants import EVERY, RULE_BOOKS

ODD = """
title = 'Älg & <b>"Ünï"</b> ∑ 漢字 <script>alert(1)</script> with a rather long name'
[rules]
line = [-3, 4]
tokens = 2
start = [-3, 4, 0]
goal = [4, -3, 3]
moves = "forward"
players = 3
steps = [1, 2]
"""


class Node:
    """An element of a page."""

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.inside: list[Node | str] = []

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(each if isinstance(each, str) else each.text for each in self.inside)

    @property
    def kinds(self) -> list[str]:
        """Its classes."""
        return self.attributes.get("class", "").split()

    def every(self) -> Iterator[Node]:
        """It and all elements in it."""
        yield self
        for each in self.inside:
            if isinstance(each, Node):
                yield from each.every()

    def of_kind(self, kind: str) -> list[Node]:
        """The elements of this class."""
        return [node for node in self.every() if kind in node.kinds]

    def with_attribute(self, name: str) -> dict[str, Node]:
        """The elements that have this attribute, by its value."""
        return {node.attributes[name]: node for node in self.every() if name in node.attributes}


class _Reader(HTMLParser):
    VOID = ("meta", "rect", "line", "path", "circle", "polygon")

    def __init__(self) -> None:
        super().__init__()
        self.top = Node("", {})
        self.open = [self.top]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(node)
        if tag not in self.VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def read_page(text: str) -> Node:
    """The page as a tree; what is opened has to be closed."""
    reader = _Reader()
    reader.feed(text)
    assert reader.open == [reader.top]
    return reader.top


@cache
def solved(variant: str) -> nl.Solution:
    return nl.solve(nl.book(variant))


def the_key(top: Node, book: nl.Book) -> Iterator[tuple[nl.Position, set[str]]]:
    """Each position whose winning moves are asked, with those that the answers name, in words as they are printed."""
    tasks, answers = top.with_attribute("data-task"), top.with_attribute("data-answer")
    assert list(tasks) == list(answers)
    for number, task in tasks.items():
        if "data-slot" in task.attributes:
            continue
        position = parse_position(task.attributes["data-position"])
        boxes = [each.text for each in task.every() if each.name == "li"]
        moves = dict(zip(boxes, book.moves(position), strict=False))
        assert not boxes or boxes[-1] == "no move wins"
        assert not boxes or len(boxes) == len(book.moves(position)) + 1
        said = next(iter(answers[number].of_kind("answer"))).text
        if not boxes:  # more moves than can be ticked are written down
            yield position, set(answers[number].attributes["data-right"].split())
        elif said in {"no move wins", "all of them"}:
            yield position, set(moves.values()) if said == "all of them" else set()
        else:
            yield position, {str(moves[each]) for each in re.split(r", and |, | and ", said)}


def the_marks(top: Node) -> Iterator[tuple[nl.Position, int, list[int], list[int]]]:
    """Each line to mark places on: the position, the token, the places asked about and those crossed in the answers."""
    answers = top.with_attribute("data-answer")
    for number, task in top.with_attribute("data-task").items():
        if "data-slot" in task.attributes:
            position = parse_position(task.attributes["data-position"])
            asked = [int(_numbered(spot)) for spot in task.of_kind("asked")]
            crossed = [int(_numbered(spot)) for spot in answers[number].of_kind("crossed")]
            yield position, int(task.attributes["data-slot"]), asked, crossed


def _numbered(spot: Node) -> str:
    return next(node.text for node in spot.every() if node.name == "b")


def check_the_key(solution: nl.Solution, page: str) -> int:
    """Compares every answer on a page with the solution; how many there were."""
    top, count = read_page(page), 0
    for position, right in the_key(top, solution.book):
        won = {str(judged.move) for judged in solution.evaluate_moves(position) if judged.value == "win"}
        assert right == won, position
        count += 1
    wanted = "loss" if "Mark the losing places" in page else "win"
    for position, slot, asked, crossed in the_marks(top):
        values = {place: solution.value(with_token_at(position, slot, place)) for place in asked}
        assert crossed == [place for place in asked if values[place] == wanted], position
        count += 1
    return count


@pytest.mark.parametrize("variant", EVERY)
def test_the_answers_on_the_page_are_those_of_the_solution(variant: str) -> None:
    solution = solved(variant)
    assert check_the_key(solution, sheet_page(make_sheet(solution, seed=len(variant)))) > 0


@given(mixtures(largest=400))
@settings(max_examples=25)
def test_any_mixture_of_rules_can_be_printed_with_the_right_answers(text: str) -> None:
    solution = nl.solve(book_of(text))
    page = sheet_page(make_sheet(solution, seed=3, exercises=5))
    check_the_key(solution, page)
    for section in describe_rules(solution.book):
        assert section.heading == "The goal" or section.heading in page


@pytest.mark.soak
@given(mixtures())
@settings(max_examples=1_000)
def test_a_thousand_rule_mixtures_print_with_correct_answers(text: str) -> None:
    solution = nl.solve(book_of(text))
    check_the_key(solution, sheet_page(make_sheet(solution, seed=len(text), exercises=12)))


@pytest.mark.parametrize("name", nl.NAMES)
def test_no_answer_is_right_more_often_than_in_half_of_the_exercises(name: str) -> None:
    for seed in range(6):
        answers = Counter(task.right for task in worksheet(solved(name), random.Random(seed), 8).moves)
        assert answers.total() == 8
        assert max(answers.values()) <= 4
        assert len(answers) >= 3


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_in_some_exercises_no_move_wins(name: str) -> None:
    tasks = worksheet(solved(name), random.Random(1), 8).moves
    assert 1 <= sum(not task.right for task in tasks) <= 4


def test_same_seed_draws_the_same_sheet_and_another_seed_differs() -> None:
    one, again, other = (sheet_page(make_sheet(nl.solve(nl.book("line-runner")), seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one.replace("seed 1", "") != other.replace("seed 2", "")


def test_a_sheet_has_rules_board_worksheet_and_answers() -> None:
    book = nl.book("reach-the-edge")
    top = read_page(sheet_page(make_sheet(nl.solve(book))))
    parts = [node for node in top.every() if node.name == "article"]
    assert [part.attributes["id"] for part in parts] == ["rules", "board-1", "worksheet", "answers"]
    assert "lands exactly on your goal" in parts[0].text
    assert "An example" in parts[0].text
    assert [int(place) for place in parts[1].with_attribute("data-place")] == list(range(16))
    assert "START" in parts[1].with_attribute("data-place")["8"].text
    assert "GOAL 1" in parts[1].with_attribute("data-place")["0"].text
    assert "GOAL 2" in parts[1].with_attribute("data-place")["15"].text


@pytest.mark.parametrize(("variant", "tokens"), [("number-reach", 1), ("line-runner(tokens=3, end=2)", 6)])
def test_every_token_can_be_cut_out(variant: str, tokens: int) -> None:
    top = read_page(sheet_page(make_sheet(nl.solve(nl.book(variant)))))
    assert len(top.of_kind("cut")) == tokens


def test_a_long_line_goes_over_pages_with_a_strip_to_glue() -> None:
    top = read_page(sheet_page(make_sheet(nl.solve(nl.book("number-reach(target=300)")))))
    pieces = top.of_kind("board")
    drawn = [int(place) for piece in pieces for place in piece.with_attribute("data-place")]
    assert drawn == list(range(1, 301))
    assert [len(piece.of_kind("glue")) for piece in pieces] == [0, *[1] * (len(pieces) - 1)]


@pytest.mark.parametrize("length", [2, 11, 21, 48, 60, 200])
def test_a_field_is_large_enough_for_a_token(length: int) -> None:
    assert board_layout(nl.book(f"line-runner(end={length})")).size >= 17.8


def test_the_rows_of_a_board_wind_like_a_snake() -> None:
    layout = board_layout(nl.book("line-runner"))
    places = [layout.row_and_column(number) for number in range(len(layout.places))]
    for (row, column), (next_row, next_column) in pairwise(places):
        assert abs(row - next_row) + abs(column - next_column) == 1


def test_winning_move_of_many_players_wins_against_any_reply() -> None:
    page = sheet_page(make_sheet(nl.solve(nl.book("line-runner(players=4, end=5)"))))
    assert "whatever the others play" in page
    assert "Mark the winning places" in page


def test_many_moves_are_written_down_instead_of_ticked() -> None:
    solution = nl.solve(nl.book("line-runner(end=20, steps=1-16)"))
    page = sheet_page(make_sheet(solution))
    assert "Write down the winning moves" in page
    assert check_the_key(solution, page) > 0


def test_sums_are_written_as_at_school() -> None:
    text = read_page(sheet_page(make_sheet(nl.solve(nl.book("number-reach"))))).text
    assert "\N{MULTIPLICATION SIGN}2" in text
    assert "*2" not in text.partition("}")[2].rpartition("}")[2]


def test_odd_characters_in_a_title_stay_what_they_are() -> None:
    book = book_from_toml(ODD, "own", source_name="own")
    top = read_page(sheet_page(make_sheet(nl.solve(book))))
    assert "script" not in {node.name for node in top.every()}
    assert book.title in top.text


# The command


def test_the_sheet_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "sheet.html"
    ran = numberline("print", "flag-chase", "--set", "end=12", "--paper", "letter", "-o", str(target))
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"Wrote the page to {target}. Open it in a browser to print it.\n"
    text = target.read_text()
    assert not {"script", "link", "img"} & {node.name for node in read_page(text).every()}
    assert not re.search(r"url\(|@import|https?:", text)
    assert "215.9mm 279.4mm" in text


def test_default_file_name_is_the_variant_and_replaces_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = numberline("print", "flag-chase(end=12)")
    target = tmp_path / "flag-chase-end-12.html"
    before = target.read_text()
    second = numberline("print", "flag-chase(end=12)", "--seed", "2")
    assert (first.code, second.code) == (0, 2)
    assert "flag-chase-end-12.html already exists" in second.err
    assert target.read_text() == before


def test_a_file_that_is_named_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "sheet.html"
    target.write_text("old")
    assert numberline("print", "flag-chase", "-o", str(target)).code == 0
    assert "Flag Chase" in target.read_text()


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("line-runner(end=5000)", "has 5,001 places; a printed board has at most 400, so make the line shorter"),
        ("line-runner(end=390, steps=1, tokens=2)", "would need 1.6 TiB of memory"),
    ],
)
def test_too_large_sheet_is_rejected_and_nothing_is_written(tmp_path: Path, variant: str, said: str) -> None:
    target = tmp_path / "sheet.html"
    ran = numberline("print", variant, "-o", str(target))
    assert ran.code == 1
    assert said in ran.err
    assert len(re.findall("Error:", ran.err)) == 1
    assert list(tmp_path.iterdir()) == []


def test_fewer_exercises_than_asked_for_are_reported(tmp_path: Path) -> None:
    ran = numberline("print", "number-reach(target=4)", "--exercises", "40", "-o", str(tmp_path / "sheet.html"))
    assert re.search(r"has only \d+ exercises? of this kind\.", ran.err)


@pytest.mark.parametrize(
    ("paper", "rule"),
    [
        ("a4", "@page { size: 210.0mm 297.0mm; margin: 14mm 15.0mm; }"),
        ("letter", "@page { size: 215.9mm 279.4mm; margin: 14mm 17.95mm; }"),
    ],
)
def test_sheet_sets_page_size_and_margins(paper: str, rule: str) -> None:
    assert rule in PAPERS[paper].css
    assert PAPERS[paper].width - 2 * PAPERS[paper].side_margin == pytest.approx(180)
