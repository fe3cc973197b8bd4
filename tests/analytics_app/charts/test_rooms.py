"""Drawings for a desk and for a telephone: whole names, lines of limits, colours."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from analytics_app import charts
from analytics_app.charts.bars import stacked_chart
from analytics_app.charts.drawing import Sketch, in_order
from analytics_app.charts.paints import CATEGORIES, SHADES
from analytics_app.charts.picking import Material
from analytics_app.charts.room import NARROW, WIDE, gutter_for
from analytics_app.charts.stacks import sums_chart
from analytics_app.charts.svg import COLOURS
from analytics_app.results import Row
from tests.analytics_app.builders import likert_rows, slider_rows
from tests.analytics_app.charts.test_charts import SVG, drawn


def test_names_are_escaped_and_whole_in_drawings_and_in_the_table() -> None:
    long = "system-" + "x" * 90
    rows = [replace(row, system={"HIGH": "<b>&", "NIU": "مترجم", "BART": long}.get(row.system, row.system))
            for row in slider_rows() if row.statistic == "mean"]  # fmt: skip
    one = drawn(rows, "content")["means"]
    for drawing in (one.svg, one.narrow):
        assert "<b>" not in drawing
        assert "&lt;b&gt;&amp;" in drawing
        assert "مترجم" in drawing
        assert long in {"".join(words) for words in lines_of(drawing)}
    assert [row[0] for row in charts.numbers(one.spec)[1]] == ["<b>&", "مترجم", long, "LUO"]
    assert len(one.title) <= 300


def lines_of(drawing: str) -> list[list[str]]:
    """Return the lines of all words in a drawing."""
    texts = ET.fromstring(drawing).iter(f"{SVG}text")
    return [[line.text or "" for line in text.iter() if line.text] for text in texts]


def test_both_names_of_a_pair_are_whole_and_no_row_touches_another() -> None:
    named = {"HIGH": "Rule-based writer of the second generation", "NIU": "Fine-tuned model with retrieval"}
    rows = [replace(row, system=named.get(row.system, row.system), system_b=named.get(row.system_b, row.system_b))
            for row in slider_rows() if row.statistic == "difference"]  # fmt: skip
    one = drawn(rows, "content")["differences"]
    for drawing in (one.svg, one.narrow):
        pair = "Rule-based writer of the second generation − Fine-tuned model with retrieval"
        assert pair in {" ".join(words) for words in lines_of(drawing)}
    for room in (WIDE, NARROW):
        chart = next(sketch for sketch in sketches(rows) if sketch.kind == "differences").chart(room)
        middles = [(point["named"], len(point["lines"]) * room.line) for point in chart.data.values]
        for (above, high), (below, low) in pairwise(middles):
            assert above + high / 2 < below - low / 2


def test_a_limit_is_one_line_from_top_to_bottom_with_its_word() -> None:
    slider = drawn(slider_rows(), "content")
    for drawing in (slider["differences"].svg, slider["differences"].narrow):
        root = ET.fromstring(drawing)
        (line,) = [one for one in root.iter(f"{SVG}line") if one.get("class") == "s-limit"]
        grid = [one for one in root.iter(f"{SVG}line") if one.get("class") == "s-line"]
        assert abs(float(line.get("y2", "0"))) == max(abs(float(one.get("y2", "0"))) for one in grid)
        assert ["none"] in lines_of(drawing)


def test_labels_without_an_order_have_a_colour_each_and_steps_have_shades() -> None:
    def painted(drawing: str) -> set[str]:
        return set(re.findall(r'fill="(#[0-9a-f]{6})"', drawing))

    likert = drawn(likert_rows(), "fluency")
    assert painted(likert["shares"].svg) & {shade for shade, _words in SHADES}
    assert not painted(likert["shares"].svg) & {colour for colour, _words in CATEGORIES}
    words = {str(step): name for step, name in enumerate(("awful", "bad", "so-so", "good", "great"), start=1)}
    rows = [replace(row, label=words.get(row.label or "", row.label)) for row in likert_rows()]
    assert painted(drawn(rows, "fluency")["shares"].svg) >= {colour for colour, _words in CATEGORIES[:5]}


def test_a_piece_of_a_bar_has_its_number_where_the_number_is_narrower() -> None:
    shares = {"north": {"fits": 0.15, "narrow": 0.02, "rest": 0.83}}
    sums = {"north": {"fits": 15.0, "narrow": 1.0, "rest": 84.0}}
    shared = stacked_chart(shares, ["fits", "narrow", "rest"], measure="Errors", ordered=True)
    summed = sums_chart(sums, ["fits", "narrow", "rest"], measure="Errors")
    assert words_of(shared(WIDE)) == ["15\u00a0%", "", "83\u00a0%"]
    assert words_of(shared(NARROW)) == ["", "", "83\u00a0%"]
    assert words_of(summed(WIDE)) == ["15.0", "", "84.0"]


def words_of(chart: Any) -> list[str]:
    """Return the number written in each piece of the bars of a chart."""
    return [piece["text"] for piece in chart.data.values]


def test_a_page_paints_every_class_of_a_drawing_and_a_file_has_its_own_colours() -> None:
    sheet = (settings.BASE_DIR / "static" / "css" / "results.css").read_text(encoding="utf-8")
    on_page = set(re.findall(r"\.ew-plot \.([fs]-[a-z]+)", sheet))
    for one in (*drawn(slider_rows(), "content").values(), *drawn(likert_rows(), "fluency").values()):
        for drawing in (one.svg, one.narrow):
            classes = {name for shape in ET.fromstring(drawing).iter() for name in shape.get("class", "").split()}
            assert "f-quiet" in classes
            assert classes <= on_page
            assert not set(COLOURS.values()) & set(re.findall(r"#[0-9a-f]{6}", drawing))
            file = charts.standing_alone(drawing, title=one.title, subtitle=one.subtitle)
            texts = list(ET.fromstring(file).iter(f"{SVG}text"))
            assert all(text.get("fill") for text in texts)
            assert {text.get("stroke") for text in texts if "s-ground" in text.get("class", "")} <= {"#ffffff"}
            shapes = [one for tag in ("path", "line", "rect") for one in ET.fromstring(file).iter(f"{SVG}{tag}")]
            assert all(shape.get("fill", "none") != "none" or shape.get("stroke") for shape in shapes)


def sketches(rows: Sequence[Row]) -> list[Sketch]:
    """Return the drawings of the rows of a criterion."""
    return [sketch for one in in_order() for sketch in one.kind(Material(rows, "content", 0.95))]


@pytest.mark.parametrize("name", ["museum-clocks", "hotel-aurora", "An ordinary name"])
def test_a_name_that_has_room_is_not_broken(name: str) -> None:
    assert gutter_for(WIDE, [name, "b"]).lines[0] == [name]


def test_channels_are_given_by_their_class() -> None:
    """Drawing would take half as long again: see analytics_app/charts/drawing.py."""
    bare = []
    for path in sorted(Path(settings.BASE_DIR, "analytics_app", "charts").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".encode"):
                given = [keyword.value for keyword in node.keywords]
                bare += [f"{path.name}:{one.lineno}" for one in given if isinstance(one, ast.Constant | ast.JoinedStr)]
            if ast.unparse(node) == "alt.value":
                bare.append(f"{path.name}:{node.lineno}")
    assert bare == []
