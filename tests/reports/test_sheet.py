"""`numberline print`: a game on paper, with a worksheet whose answers are the solution's."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.explain.losing_patterns import turns_to_goal
from numberline.explain.rules_text import describe_rules
from numberline.explain.worksheet import with_token_at, worksheets
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
    """Each line to colour: the position, the token, the places asked about and those coloured in the answers."""
    answers = top.with_attribute("data-answer")
    for number, task in top.with_attribute("data-task").items():
        if "data-slot" in task.attributes:
            position = parse_position(task.attributes["data-position"])
            asked = [int(_numbered(spot)) for spot in task.of_kind("asked")]
            coloured = [int(_numbered(spot)) for spot in answers[number].of_kind("coloured")]
            yield position, int(task.attributes["data-slot"]), asked, coloured


def _numbered(spot: Node) -> str:
    return next(node.text for node in spot.every() if node.name == "b")


def check_the_key(solution: nl.Solution, page: str) -> int:
    """Compares every answer on a page with the solution; how many there were."""
    top, count = read_page(page), 0
    for position, right in the_key(top, solution.book):
        won = {str(judged.move) for judged in solution.evaluate_moves(position) if judged.value == "win"}
        assert right == won, position
        count += 1
    wanted = "loss" if "Colour the traps" in page else "win"
    for position, slot, asked, coloured in the_marks(top):
        values = {place: solution.value(with_token_at(position, slot, place)) for place in asked}
        assert coloured == [place for place in asked if values[place] == wanted], position
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
        answers = Counter(task.right for task in worksheets(solved(name), random.Random(seed), 1, 8)[0].moves)
        assert answers.total() == 8
        assert max(answers.values()) <= 4
        assert len(answers) >= 3


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_in_some_exercises_no_move_wins(name: str) -> None:
    tasks = worksheets(solved(name), random.Random(1), 1, 8)[0].moves
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


def drawn_strips(paper: str, variant: str) -> list[list[int]]:
    """The places on each strip of a printed board, from left to right; each strip but the first has a glue tab."""
    strips: dict[tuple[int, str], list[int]] = {}
    pieces = read_page(sheet_page(make_sheet(solved(variant), paper), ["board"])).of_kind("board")
    for number, piece in enumerate(pieces):
        for place, field in piece.with_attribute("data-place").items():
            strips.setdefault((number, field.of_kind("field")[0].attributes["y"]), []).append(int(place))
    assert sum(len(piece.of_kind("glue")) for piece in pieces) == len(strips) - 1
    return [*strips.values()]


@pytest.mark.parametrize(("paper", "longest"), [("a4", 15), ("letter", 14)])
def test_a_short_line_is_straight_and_a_longer_one_strips(paper: str, longest: int) -> None:
    assert drawn_strips(paper, f"line-runner(end={longest - 1})") == [[*range(longest)]]
    longer = drawn_strips(paper, f"line-runner(end={longest})")
    assert len(longer) == 2
    assert [*chain(*longer)] == [*range(longest + 1)]


def test_a_long_line_is_strips_to_glue_on_several_pages() -> None:
    strips = drawn_strips("a4", "number-reach(target=300)")
    assert [*chain(*strips)] == [*range(1, 301)]
    assert len({len(strip) for strip in strips[:-1]}) == 1
    assert "page 2 of 4" in sheet_page(make_sheet(solved("number-reach(target=300)")))


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("length", [2, 11, 14, 21, 48, 60, 200])
def test_a_field_is_large_enough_for_a_token(length: int, paper: str) -> None:
    assert board_layout(nl.book(f"line-runner(end={length})"), PAPERS[paper].inner_height - 2).size >= 17.75


def test_winning_move_of_many_players_wins_against_any_reply() -> None:
    page = sheet_page(make_sheet(nl.solve(nl.book("line-runner(players=4, end=5)"))))
    assert "no matter what the others play" in page
    assert "Colour the winning places" in page


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


def strip_of(variant: str, kind: str) -> dict[int, Node]:
    """The boxes of the strip to paint, by label: in the exercise, or solved in the answers."""
    strip = read_page(sheet_page(make_sheet(solved(variant)))).with_attribute("data-strip")[kind]
    return {int(spot.of_kind("stack")[0].text): spot for spot in strip.of_kind("spot")}


def test_the_last_exercise_is_to_colour_every_trap() -> None:
    solution = solved("number-reach")
    traps = {number for number, spot in strip_of("number-reach", "answer").items() if spot.of_kind("hatching")}
    assert traps == {number for number in range(1, 20) if solution.value(nl.Position(1, (number,))) == "loss"}
    assert {_numbered(spot) for spot in strip_of("number-reach", "task").values()} == {""}


def test_the_last_exercise_of_a_race_is_to_count_the_jumps() -> None:
    book = nl.book("line-runner")
    jumps = {place: int(_numbered(spot).strip("│")) for place, spot in strip_of("line-runner", "answer").items()}
    assert jumps == {place: turns_to_goal(book, nl.Position(1, (place, 0)), 1) for place in range(20)}


@pytest.mark.parametrize("name", nl.NAMES)
def test_copies_differ_and_so_do_the_positions_in_each(name: str) -> None:
    copies = worksheets(solved(name), random.Random(1), 24, 8)
    assert len(set(copies)) == 24
    for tasks in copies:
        assert len({task.position.tokens for task in tasks.moves}) >= 7


def test_copies_share_one_answer_key() -> None:
    top = read_page(sheet_page(make_sheet(solved("flag-chase"), copies=3), ["worksheet", "answers"]))
    parts = [node for node in top.every() if node.name == "article"]
    assert [part.attributes["id"] for part in parts] == ["worksheet-1", "worksheet-2", "worksheet-3", "answers"]
    for number, sheet in enumerate(parts[:3], 1):
        asked = [part for part in parts[3].of_kind("key") if part.attributes.get("data-copy") == str(number)]
        tasks = sheet.with_attribute("data-task")
        answers = [li.text for li in asked[0].every() if li.name == "li"]
        assert len(answers) == len(tasks)
        for (task, node), said in zip(tasks.items(), answers, strict=True):
            position = parse_position(node.attributes["data-position"])
            won = [e.move for e in solved("flag-chase").evaluate_moves(position) if e.value == "win"]
            if "data-slot" not in node.attributes and len(won) == 1 < len(nl.book("flag-chase").moves(position)):
                assert said == f"{task}{won[0]}"


def test_running_head_has_the_game_a_name_and_the_page() -> None:
    page = sheet_page(make_sheet(solved("flag-chase")))
    heads = [node for node in read_page(page).every() if node.name == "header"]
    assert all("Flag Chase" in head.text for head in heads)
    assert ["Name:" in head.text for head in heads] == [False, False, True, False]
    assert re.search(r"\.part > header \{ display: table-header-group;", page)  # browsers repeat it on every page
    assert re.search(r"@bottom-right \{ content: \"Page \" counter\(page\)", page)


def test_a_game_that_the_first_player_always_loses_says_so() -> None:
    page = sheet_page(make_sheet(nl.solve(nl.book('number-reach(start=19, target=20, operations="+2 *2")'))))
    assert "The player who starts always loses. So there is no winning move to find." in page
    assert "No player can always win" not in page


def test_introduction_of_a_custom_book_is_kept_when_it_is_tuned() -> None:
    frogs = book_from_toml(f"about = 'Two frogs and a pond.'{ODD}", "frogs", source_name="frogs")
    assert "Two frogs and a pond." in sheet_page(make_sheet(nl.solve(frogs.vary("steps=1", "tokens=1"))))


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
    assert (first.code, second.code) == (0, 1)
    assert "flag-chase-end-12.html: already exists" in second.err
    assert target.read_text() == before


def test_a_named_page_is_replaced_but_no_other_file(tmp_path: Path) -> None:
    page, other = tmp_path / "sheet.html", tmp_path / "other.html"
    other.write_text("<!doctype html><title>Not a sheet</title>")
    for name in ("flag-chase", "line-runner"):
        assert numberline("print", name, "-o", str(page), "--only", "rules").code == 0
    assert "Line Runner" in page.read_text()
    ran = numberline("print", "flag-chase", "-o", str(other))
    assert (ran.code, ran.err) == (1, f"Error: {other}: already exists with other content; choose another file\n")
    assert other.read_text() == "<!doctype html><title>Not a sheet</title>"


def test_unknown_part_is_rejected_with_a_suggestion(tmp_path: Path) -> None:
    ran = numberline("print", "flag-chase", "--only", "worksheets", "-o", str(tmp_path / "sheet.html"))
    assert ran.code == 2
    assert "unknown part 'worksheets' (did you mean worksheet?)" in ran.err


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
    assert re.search(r"has only \d+ find-the-winning-move exercises?\.", ran.err)


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
