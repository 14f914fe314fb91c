"""`numberline measure --html` and `--plot`, and maps: pages that need nothing else, and pictures in files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

import numberline as nl
from numberline.explain.queries import build_value_map
from numberline.lab.measure import measure
from numberline.lab.metrics import METRICS, SkillPoint
from numberline.palette import PALETTE
from numberline.reports.charts import (
    PlotError,
    balance_chart,
    comparison_chart,
    heatmap_chart,
    length_chart,
    measure_charts,
    save_svg,
)
from numberline.reports.measure import MeasuredVariant, map_page, measure_page
from numberline.views.charts import HeatMap, compare_curves
from reports.test_review import Page
from support.commands import numberline
from support.variants import RULE_BOOKS

HEAT = HeatMap(
    "end",
    "start",
    rows=("8", "9"),
    columns=("1", "2", "3"),
    cells=((0.2, 0.5, 0.8), (None, "nobody", 0.551)),
    format_value=lambda figure: f"{100 * figure:.0f}",
    fair=(0.45, 0.55),
    note="How often the first player wins, in percent.",
)


def page_of(variant: str) -> str:
    book = nl.book(variant)
    return measure_page(MeasuredVariant(book, measure(book), build_value_map(nl.solve(book))))


def test_the_page_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    ran = numberline("measure", "reach-the-edge", "--html", str(target))
    assert (ran.code, ran.out, ran.err) == (0, "", f"Wrote the page to {target}.\n")
    parsed = Page(target.read_text())
    assert parsed.open == parsed.links == []
    assert not {"script", "link", "img"} & set(parsed.tags)
    assert not re.search(r"url\(|@import|https?:", target.read_text())


@pytest.mark.parametrize("variant", RULE_BOOKS)
def test_page_has_summary_metrics_balance_curve_and_value_map(variant: str) -> None:
    parsed = Page(page_of(variant))
    assert "With perfect play" in parsed.text
    assert parsed.tags.count("tr") == len(METRICS) + 1
    assert parsed.text.count("The first player wins") == 2
    assert "How often the first player wins" in parsed.text
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
    assert "A and B have 38 positions at matching distances from the goals: none changed" in parsed.text
    assert parsed.tags.count("td") == 5 * len(METRICS)


def test_what_a_book_of_ones_own_is_called_is_escaped_in_the_page(tmp_path: Path) -> None:
    source = (Path(__file__).parents[2] / "docs" / "example-book.toml").read_text()
    file, target = tmp_path / "own.toml", tmp_path / "page.html"
    file.write_text(source.replace('"Heron Pond"', '"<script>x</script>"'))
    assert numberline("measure", str(file), "--html", str(target)).code == 0
    assert "script" not in Page(target.read_text()).tags


def test_very_many_lengths_are_drawn_several_to_a_bar() -> None:
    lengths = (0.0,) * 100 + (1 / 1000,) * 1000
    figure = length_chart(measure("flag-chase")._replace(lengths=lengths, length_low=200, length_high=1000))
    assert len(list(figure.iter("rect"))) <= 120
    assert next(figure.iter("title")).text == "100 to 108 turns: 0.9%"


# Maps


def test_a_map_is_a_page_with_a_field_a_variant() -> None:
    parsed = Page(map_page("A map", ["A sentence."], heat=HEAT, titles=("end", "first"), rows=[("8", "0.2")]))
    assert (parsed.open, parsed.links) == ([], ["#row-0"])
    assert parsed.tags.count("td") == 2
    cells = [text.text for text in heatmap_chart(HEAT).iter("text") if text.get("class") in {"mid", "mid inverse"}]
    scale = ["20", "35", "50", "65", "80"]
    assert cells == ["20", "50", "80", "-", "nobody", "55", *scale]
    assert "Framed: fair, from 45 to 55." in parsed.text


def test_only_a_figure_that_is_fair_is_framed() -> None:
    cells = [list(group) for group in heatmap_chart(HEAT).iter("g")]
    framed = [cell[-1].text for cell in cells if any(part.get("class") == "frame" for part in cell)]
    assert framed == ["50", "50"]  # the second one is on the scale


def test_cell_of_a_map_names_its_variant_and_links_to_its_row() -> None:
    [link] = heatmap_chart(replace(HEAT, variants=["one", "two", "three", "four", "five", "six"]), linked_rows=1).iter(
        "a"
    )
    assert (link.get("href"), next(link.iter("title")).text) == ("#row-0", "one: 20")


def test_two_variants_are_compared_in_one_picture() -> None:
    curves = [[SkillPoint("slip:25", 0.7, 0.4)], [SkillPoint("slip:25", 0.45, 0.5)]]
    assert compare_curves(*curves) == [SkillPoint("slip:25", 0.7, 0.45)]
    one, other = (measure("flag-chase")._replace(curve=tuple(curve)) for curve in curves)
    drawn = comparison_chart(one, other)
    assert [dot.get("class") for dot in drawn.iter("circle")] == ["ring", "dot"]
    assert "70.0 · 45.0" in [text.text for text in drawn.iter("text")]


def test_the_figure_furthest_from_fair_has_the_strongest_colour() -> None:
    assert [round(HEAT.deviation(cell), 9) for cell in (0.2, 0.5, 0.8, None, "nobody")] == [-1, 0, 1, 0, 0]


# SVG files


def svg(path: Path) -> Element:
    return fromstring(path.read_text())  # noqa: S314 - our own file


def test_svg_has_title_charts_and_inlined_colours(tmp_path: Path) -> None:
    file = tmp_path / "chart.svg"
    measures = [measure("reach-the-edge"), measure("flag-chase")]
    save_svg(file, "a <title> & more", [chart for each in measures for chart in measure_charts(each)])
    text = file.read_text()
    assert "var(--" not in text
    assert PALETTE["one"].light in text
    assert not re.search(r"url\(|@import|href", text)
    words = " ".join(svg(file).itertext())
    assert "a <title> & more" in words
    assert "How often the first player wins" in words
    assert words.count("How many turns a game takes") == 2


def test_measure_prints_where_the_chart_is(tmp_path: Path) -> None:
    file = tmp_path / "chart.svg"
    ran = numberline("measure", "flag-chase", "--plot", str(file))
    assert (ran.code, ran.out, ran.err) == (0, "", f"Wrote the chart to {file}.\n")
    assert svg(file).tag.endswith("svg")


def test_three_player_game_has_no_chart() -> None:
    with pytest.raises(PlotError, match=r"^number-reach\(players=3\) has no chart: it is not a two-player game"):
        measure_charts(measure("number-reach(players=3)"))


def test_plot_rejects_other_file_types(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match=r"map.png: --plot writes SVG files; name it map.svg, or use --html"):
        save_svg(tmp_path / "map.png", "", [heatmap_chart(HEAT)])


@pytest.mark.parametrize(("first", "second"), [(0.75, 0.75), (0.25, 0.25), (0.25, 0.75), (0.6, 0.75)])
def test_balance_stem_joins_the_middle_and_the_dots(first: float, second: float) -> None:
    chart = balance_chart([SkillPoint("slip:25", first, second)])
    [stem] = [line for line in chart.iter("line") if line.get("class") == "stem"]
    [middle] = [text for text in chart.iter("text") if text.text == "50%"]
    marks = [float(middle.get("x", 0)), *(float(circle.get("cx", 0)) for circle in chart.iter("circle"))]
    assert len(marks) == 2 + (first != second)
    assert (float(stem.get("x1", 0)), float(stem.get("x2", 0))) == (min(marks), max(marks))


def test_balance_dot_lies_in_the_band_only_if_fair() -> None:
    for share in (0.0, 0.44, 0.46, 0.54, 0.56, 1.0):
        chart = balance_chart([SkillPoint("slip:25", share, share)])
        [band] = [rect for rect in chart.iter("rect") if rect.get("class") == "band"]
        [dot] = [circle for circle in chart.iter("circle") if circle.get("class") == "dot"]
        left, x = float(band.get("x", 0)), float(dot.get("cx", 0))
        assert (left <= x <= left + float(band.get("width", 0))) == (0.45 <= share <= 0.55)
