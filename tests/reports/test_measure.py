"""`numberline measure --html` and `--plot`, and maps: pages that need nothing else, and pictures in files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import numberline as nl
from numberline.explain.value_map import build_value_map
from numberline.lab.measure import measure
from numberline.lab.metrics import METRICS
from numberline.reports.charts import length_chart
from numberline.reports.map import HeatMap, map_page
from numberline.reports.measure import MeasuredVariant, measure_page
from numberline.reports.plots import PlotError, save_heatmap, save_measurements
from reports.test_review import Page
from support.commands import numberline

HEAT = HeatMap(
    "end",
    "start",
    rows=("8", "9"),
    columns=("1", "2", "3"),
    cells=((0.2, 0.5, 0.8), (None, "nobody", 0.551)),
    format_value=lambda figure: f"{100 * figure:.0f}",
    fair=(0.45, 0.55),
    note="Who begins wins so often, in percent.",
)


def page_of(variant: str) -> str:
    book = nl.book(variant)
    return measure_page(MeasuredVariant(book, measure(book), build_value_map(nl.solve(book))))


def test_the_page_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    ran = numberline("measure", "reach-the-edge", "--html", str(target))
    assert (ran.code, ran.out, ran.err) == (0, "", f"The page is in {target}.\n")
    parsed = Page(target.read_text())
    assert parsed.open == parsed.links == []
    assert not {"script", "link", "img"} & set(parsed.tags)
    assert not re.search(r"url\(|@import|https?:", target.read_text())


@pytest.mark.parametrize("variant", nl.NAMES)
def test_the_page_has_the_answer_every_metric_the_curve_and_the_places(variant: str) -> None:
    parsed = Page(page_of(variant))
    assert "With perfect play" in parsed.text
    assert parsed.tags.count("tr") == len(METRICS) + 1
    assert parsed.text.count("Who begins wins") == 3  # two figures above the curve, and the curve's own title
    assert "How long games take" in parsed.text
    assert "What each place is worth" in parsed.text


def test_the_page_of_a_game_for_three_says_why_there_are_no_metrics() -> None:
    parsed = Page(page_of("number-reach(players=3)"))
    assert "for two players only" in parsed.text
    assert "tr" not in parsed.tags


def test_the_page_of_two_variants_has_both_figures_of_each_metric(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert numberline("measure", "flag-chase", "flag-chase(end=12)", "--html", str(target)).code == 0
    parsed = Page(target.read_text())
    assert parsed.open == []
    assert "38 positions in common; none of them changed" in parsed.text
    assert parsed.tags.count("td") == 4 * len(METRICS)


def test_what_a_book_of_ones_own_is_called_is_escaped_in_the_page(tmp_path: Path) -> None:
    source = (Path(__file__).parents[2] / "docs" / "example-book.toml").read_text()
    file, target = tmp_path / "own.toml", tmp_path / "page.html"
    file.write_text(source.replace('"Heron Pond"', '"<script>x</script>"'))
    assert numberline("measure", str(file), "--html", str(target)).code == 0
    assert "script" not in Page(target.read_text()).tags


def test_very_many_lengths_are_drawn_several_to_a_bar() -> None:
    figure = length_chart([0.0] * 100 + [1 / 1000] * 1000, 200, 1000)
    assert len(list(figure.iter("rect"))) <= 120
    assert next(figure.iter("title")).text == "100 to 108 turns: 0.9 %"


# Maps


def test_a_map_is_a_page_with_a_field_a_variant() -> None:
    parsed = Page(map_page("A map", ["A sentence."], heat=HEAT, titles=("end", "first"), rows=[("8", "0.2")]))
    assert parsed.open == parsed.links == []
    assert parsed.tags.count("td") == 6 + 2
    assert "Framed: fair, from 45 to 55." in parsed.text


def test_only_a_figure_that_is_fair_is_framed() -> None:
    page = map_page("A map", [], heat=HEAT)
    assert re.findall(r'<td class="fair"[^>]*>([^<]*)<', page) == ["50"]


def test_the_figure_furthest_from_fair_has_the_strongest_colour() -> None:
    assert [round(HEAT.deviation(cell), 9) for cell in (0.2, 0.5, 0.8, None, "nobody")] == [-1, 0, 1, 0, 0]


# Pictures


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_curve_and_lengths_are_drawn_as_a_picture(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    file = tmp_path / f"picture.{ending}"
    save_measurements([measure("reach-the-edge"), measure("flag-chase")], "a $title^", file)
    assert file.stat().st_size > 5_000


def test_the_command_says_where_the_picture_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    file = tmp_path / "picture.png"
    ran = numberline("measure", "flag-chase", "--plot", str(file))
    assert (ran.code, ran.out, ran.err) == (0, "", f"The picture is in {file}.\n")
    assert file.read_bytes()[:4] == b"\x89PNG"


def test_a_game_without_a_curve_has_no_picture(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match=r"^number-reach\(players=3\) has no curve to draw: expected a game for two"):
        save_measurements([measure("number-reach(players=3)")], "", tmp_path / "picture.png")


def test_a_heat_map_is_drawn_as_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    file = tmp_path / "picture.svg"
    save_heatmap(HEAT, "Reach the Edge", file)
    assert "<svg" in file.read_text()
