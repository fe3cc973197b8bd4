"""Charts: what they show of which rows, what they claim, and that they are fit for a page with a strict policy."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from analytics_app import charts
from analytics_app.charts.paints import CATEGORIES, SHADES, paints_for
from analytics_app.charts.room import NARROW, WIDE
from analytics_app.charts.svg import NAMES
from analytics_app.charts.words import LONGEST, SPACE, bare, names, number, short
from analytics_app.results import Row
from tests.analytics_app.builders import LIKERT, SLIDER, has_sizes, likert_rows, slider_rows
from tests.look.test_css import contrast

SVG = "{http://www.w3.org/2000/svg}"


def drawn(rows: Sequence[Row], criterion: str | None, **options: Any) -> dict[str, charts.Drawn]:
    """Draw and return the charts by key."""
    return {one.key: plain(one) for one in charts.draw(rows, "main", criterion, **options)}


def plain(one: charts.Drawn) -> charts.Drawn:
    """Write the space before a per cent sign as any other, for comparing."""
    return replace(one, title=one.title.replace(SPACE, " "), subtitle=one.subtitle.replace(SPACE, " "))


def changed(rows: Sequence[Row], change: Callable[[Row], dict[str, object]], **picked: str) -> list[Row]:
    """Change the rows that have the given columns."""
    return [
        replace(row, **change(row)) if all(getattr(row, name) == value for name, value in picked.items()) else row
        for row in rows
    ]


@pytest.fixture(scope="module")
def slider() -> dict[str, charts.Drawn]:
    """The charts of a criterion judged on a slider."""
    return drawn(slider_rows(), "content")


@pytest.fixture(scope="module")
def likert() -> dict[str, charts.Drawn]:
    """The charts of a criterion judged in steps."""
    return drawn(likert_rows(), "fluency")


def test_each_scale_has_its_charts_in_the_order_of_reading(
    slider: dict[str, charts.Drawn], likert: dict[str, charts.Drawn]
) -> None:
    assert list(slider) == ["means", "means-z", "differences", "distribution", "agreement"]
    assert list(likert) == ["shares", "superiority", "means", "means-z", "differences", "distribution", "agreement"]


def test_systems_stand_sorted_with_the_numbers_of_their_rows(slider: dict[str, charts.Drawn]) -> None:
    columns, rows = charts.numbers(slider["means"].spec)
    assert [head for _field, head in columns] == [
        "System",
        "Mean rating",
        "Low",
        "High",
        "Low over raters",
        "High over raters",
        "Ratings",
    ]
    assert [row[0] for row in rows] == sorted(SLIDER, key=SLIDER.__getitem__, reverse=True)
    first = next(row for row in slider_rows() if row.statistic == "mean" and row.system == "HIGH")
    second = next(row for row in slider_rows() if row.statistic == "mean_over_raters" and row.system == "HIGH")
    assert rows[0] == ["HIGH", first.value, first.low, first.high, second.low, second.high, 240]


def test_points_lie_where_the_axis_says(slider: dict[str, charts.Drawn]) -> None:
    root = ET.fromstring(slider["means"].svg)
    marks = [one for one in root.iter(f"{SVG}path") if one.get("class") == "f-mark"]
    across = [float(re.findall(r"[\d.]+", one.attrib["transform"])[0]) for one in marks]
    ticks = {one.text: one for one in root.iter(f"{SVG}text") if one.get("class") == "f-quiet"}
    forty, eighty = (float(re.findall(r"[\d.]+", ticks[tick].attrib["transform"])[0]) for tick in ("40", "80"))
    values = sorted(SLIDER.values(), reverse=True)
    wanted = [forty + (value - 40) / 40 * (eighty - forty) for value in values]
    assert across == pytest.approx(wanted, abs=1)


def test_a_title_names_the_highest_only_where_its_intervals_stand_apart(likert: dict[str, charts.Drawn]) -> None:
    apart = {"HIGH": (90.0, 94.0), "NIU": (80.0, 88.0), "BART": (80.0, 87.0), "LUO": (28.0, 35.0)}
    rows = [row for row in slider_rows() if row.statistic == "mean"]
    rows = [replace(row, low=apart[str(row.system)][0], high=apart[str(row.system)][1]) for row in rows]
    assert drawn(rows, "content")["means"].title == "HIGH is rated highest for content (92.4)"
    near = changed(rows, lambda _row: {"high": 90.0}, system="NIU")
    assert drawn(near, "content")["means"].title == "At the top for content, no clear difference between HIGH and NIU"
    # The interval over raters is as good a reason for doubt.
    doubt = [replace(row, statistic="mean_over_raters", low=row.low - 9, high=row.high + 9) for row in rows]
    assert "no clear difference between HIGH, NIU and BART" in drawn([*rows, *doubt], "content")["means"].title
    # Nobody between the first and the last that is not clearly apart is skipped.
    skipped = changed(rows, lambda _row: {"high": 90.5}, system="BART")
    said = "At the top for content, no clear difference between HIGH, NIU and BART"
    assert drawn(skipped, "content")["means"].title == said
    # Nor is one called the highest that the test of its pair does not tell from another.
    alike = Row(analysis="systems", statistic="difference", task="main", criterion="content", system="NIU",
                system_b="HIGH", value=-8.0, p=0.06, p_adjusted=0.12)  # fmt: skip
    assert "no clear difference between HIGH and NIU" in drawn([*rows, alike], "content")["means"].title
    unknown = changed(rows, lambda _row: {"low": None, "high": None}, system="LUO")
    assert drawn(unknown, "content")["means"].title == "Systems by their mean for content"
    assert likert["means"].title == "north is rated highest for fluency (4.20)"


def test_pairs_stand_as_in_their_rows_and_count_what_differs(slider: dict[str, charts.Drawn]) -> None:
    rows = changed(slider_rows(), lambda row: {"value": -row.value, "low": -row.high, "high": -row.low},
                   statistic="difference", system="HIGH", system_b="LUO")  # fmt: skip
    below = drawn(rows, "content")["differences"]
    assert charts.numbers(below.spec)[1][-1][:2] == ["HIGH − LUO", pytest.approx(SLIDER["LUO"] - SLIDER["HIGH"])]
    assert below.title == slider["differences"].title
    _columns, numbers = charts.numbers(slider["differences"].spec)
    assert numbers[0][:2] == ["HIGH − LUO", pytest.approx(SLIDER["HIGH"] - SLIDER["LUO"])]
    assert [row[1] for row in numbers] == sorted((row[1] for row in numbers), reverse=True)
    assert slider["differences"].title == "5 of 6 pairs of systems differ for content"
    strict = drawn(slider_rows(), "content", confidence=0.9999)["differences"]
    assert strict.title == "No two systems differ significantly for content"
    assert "99.99 % interval over items" in strict.subtitle
    reason = "With 99 permutations none of the 6 tests of this family can be significant after correction."
    few = changed(slider_rows(), lambda row: {"settings": {**(row.settings or {}), "cannot_differ": reason},
                                              "p_adjusted": 0.06}, statistic="difference")  # fmt: skip
    impossible = drawn(few, "content")["differences"]
    assert impossible.title == "No difference can be significant for content"
    assert reason in impossible.subtitle


def test_what_needs_no_equal_steps_is_said_of_steps(likert: dict[str, charts.Drawn]) -> None:
    assert (
        likert["superiority"].title == "Probability that north is rated above west for fluency: 76 % (ties count half)"
    )
    assert "steps taken as equal" in likert["means"].subtitle
    assert likert["shares"].title == "Top rating for fluency: 19 % north, 4 % south, 3 % west"
    _columns, rows = charts.numbers(likert["shares"].spec)
    for system in LIKERT:
        assert sum(row[2] for row in rows if row[0] == system) == pytest.approx(1)


def test_alpha_is_read_against_krippendorffs_bounds(slider: dict[str, charts.Drawn]) -> None:
    assert slider["agreement"].title == "Alpha for content is .71, below .8 (interval .65 to .76)"
    for low, high, said in ((0.81, 0.9, "lies above .8"), (0.1, 0.2, "lies below .667"), (0.7, 0.79, "lies between"),
                            (0.6, 0.9, ", below .8 (interval .60 to .90)")):  # fmt: skip
        rows = changed(
            slider_rows(), lambda _row, ends=(low, high): {"low": ends[0], "high": ends[1]}, statistic="alpha"
        )
        assert said in drawn(rows, "content")["agreement"].title
    both = drawn([*slider_rows(), *likert_rows()], None)
    assert both["agreement"].title == "Alpha goes from .48 (fluency) to .71 (content)"
    assert drawn(slider_rows(), None) == {}


def test_titles_call_a_criterion_by_its_name() -> None:
    called = drawn(slider_rows(), "content", name="Meaning kept")
    assert called["agreement"].title.startswith("Alpha for Meaning kept is")
    assert charts.numbers(called["agreement"].spec)[1][0][0] == "Meaning kept"
    assert all("Meaning kept" in one.title and "content" not in one.title for one in called.values())


def test_the_correction_is_named() -> None:
    rows = changed(slider_rows(), lambda _row: {"settings": {"correction": "fdr_bh"}}, statistic="difference")
    assert "after correction (Benjamini–Hochberg)" in drawn(rows, "content")["differences"].subtitle
    rows = changed(slider_rows(), lambda _row: {"settings": {"correction": "none"}}, statistic="difference")
    assert "p below 0.05, not corrected for several tests." in drawn(rows, "content")["differences"].subtitle


def test_charts_show_the_kept_ratings_where_rules_removed_some() -> None:
    assert "240 ratings each. 20 items, 12 raters." in drawn(slider_rows(), "content")["means"].subtitle
    everything = changed(slider_rows(basis="all"), lambda row: {"value": row.value + 1}, statistic="mean")
    one = drawn([*everything, *slider_rows()], "content")["means"]
    assert charts.numbers(one.spec)[1][0][1] == SLIDER["HIGH"]
    assert "ratings that the rules kept" in one.subtitle
    assert "all counted ratings" in drawn(slider_rows(), "content")["means"].subtitle


def test_what_was_before_the_rules_is_drawn_nowhere_even_if_they_left_nothing() -> None:
    """Else a page would say which system leads by ratings that the rules took out."""
    rows = [*likert_rows(basis="all"), *changed(likert_rows(), lambda _row: {"value": None, "n_ratings": 0})]
    assert drawn(rows, "fluency") == {}
    assert drawn(likert_rows(basis="all"), "fluency") == {}


def test_a_pair_that_is_clear_is_named_though_a_wider_one_is_not() -> None:
    rows = changed(likert_rows(), lambda _row: {"low": 0.4}, statistic="superiority", system="north", system_b="west")
    likely = "Probability that north is rated above south for fluency: 72 % (ties count half)"
    assert drawn(rows, "fluency")["superiority"].title == likely
    below = changed(likert_rows(), lambda row: {"value": 1 - row.value, "low": 1 - row.high, "high": 1 - row.low},
                    statistic="superiority", system="north", system_b="west")  # fmt: skip
    assert drawn(below, "fluency")["superiority"].title == (
        "Probability that north is rated above west for fluency: 24 % (ties count half)"
    )
    none = changed(likert_rows(), lambda _row: {"low": 0.4}, statistic="superiority")
    assert drawn(none, "fluency")["superiority"].title == "No system is rated clearly above another for fluency"


def test_lines_are_named_where_there_are_some() -> None:
    rows = [replace(row, low=None, high=None) if row.statistic.startswith("mean") else row for row in slider_rows()]
    said = drawn(rows, "content")["means"].subtitle
    assert "Too little for an interval." in said
    assert "line:" not in said.lower()


def test_a_name_is_cut_by_its_room_and_one_from_right_to_left_keeps_to_itself() -> None:
    assert short("x" * LONGEST) == "x" * LONGEST
    assert short("x" * (LONGEST + 1)) == "x" * (LONGEST - 1) + "…"
    assert short("大" * 21, 21) == "大" * 10 + "…"
    assert short("e\u0301" * 10, 10) == "e\u0301" * 10
    assert short("שם ארוך") == "\u2068שם ארוך\u2069"
    one = drawn(slider_rows(), "content", name="سلاسة النص")["means"]
    assert "Mean rating for \u2068سلاسة النص\u2069; all" in one.subtitle


def test_a_title_fits_its_column_whatever_it_names() -> None:
    rows = [replace(row, label="x" * 400) if row.statistic == "distribution" else row for row in likert_rows()]
    assert all(len(one.title) <= 300 for one in drawn(rows, "fluency").values())


def test_slices_undefined_values_and_other_criteria_stay_out() -> None:
    sliced = [replace(row, slice="system!=REF", value=1.0) for row in slider_rows() if row.value is not None]
    undefined = changed(slider_rows(), lambda _row: {"value": None, "note": "Nothing."}, system="LUO")
    one = drawn([*sliced, *undefined, *slider_rows("style"), *slider_rows(task="other")], "content")["means"]
    assert [row[0] for row in charts.numbers(one.spec)[1]] == ["HIGH", "NIU", "BART"]
    assert drawn([], "content") == {}
    assert drawn([replace(row, value=None) for row in slider_rows()], "content") == {}


def test_a_chart_tells_systems_apart_exactly_where_its_rows_do(
    slider: dict[str, charts.Drawn], likert: dict[str, charts.Drawn]
) -> None:
    for one in (*slider.values(), *likert.values()):
        assert one.by_system == (one.key not in {"distribution", "agreement"})
        named = any(system in f"{one.svg} {one.title} {one.spec}" for system in (*SLIDER, *LIKERT))
        assert named == one.by_system


def test_the_same_rows_give_the_same_drawing(slider: dict[str, charts.Drawn]) -> None:
    again = drawn(slider_rows(), "content")
    assert again == slider
    for key, one in slider.items():
        assert (again[key].svg, again[key].narrow, again[key].digest) == (one.svg, one.narrow, one.digest)


def test_every_spec_is_valid_vega_lite_and_carries_its_data(
    slider: dict[str, charts.Drawn], likert: dict[str, charts.Drawn]
) -> None:
    from altair import Chart

    for one in (*slider.values(), *likert.values()):
        Chart.from_dict(one.spec, validate=True)
        assert "url" not in str(one.spec)
        assert has_sizes(one.spec), one.key


def test_a_drawing_has_a_name_no_style_no_size_and_no_identifiers(
    slider: dict[str, charts.Drawn], likert: dict[str, charts.Drawn]
) -> None:
    for one, room in product((*slider.values(), *likert.values()), (WIDE, NARROW)):
        drawing = one.svg if room is WIDE else one.narrow
        root = ET.fromstring(drawing)
        assert root.get("role") == "img"
        assert (root[0].tag, root[0].text.replace(SPACE, " ")) == (f"{SVG}title", one.title)
        if room is WIDE:
            assert (root[1].tag, root[1].text.replace(SPACE, " ")) == (f"{SVG}desc", one.subtitle)
        assert not {"width", "height", "style", "id"} & set(root.attrib)
        for shape in list(root.iter())[1:]:
            assert not {"id", "style", "href", "role", "aria-label", "clip-path"} & set(shape.attrib)
            assert shape.tag.removeprefix(SVG) in {"svg", "title", "desc", "g", "path", "line", "rect", "text", "tspan"}
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', drawing)]
        width = float(root.attrib["viewBox"].split()[2])
        assert width < room.width + 8  # all drawings for one room have one scale
        assert min(sizes) * room.width / width >= 14


def test_very_many_systems_are_cut_and_it_is_said() -> None:
    model = next(row for row in slider_rows() if row.statistic == "mean")
    rows = [replace(model, system=f"s{number}", value=float(number)) for number in range(60)]
    one = drawn(rows, "content")["means"]
    assert len(charts.numbers(one.spec)[1]) == 40
    assert "the 40 highest of 60" in one.subtitle


def test_a_drawing_to_take_away_stands_alone(slider: dict[str, charts.Drawn]) -> None:
    one = slider["means"]
    root = ET.fromstring(charts.standing_alone(one.svg, title=one.title, subtitle=one.subtitle))
    said = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert one.title in said
    assert one.subtitle in said
    assert float(root.attrib["width"]) > 340
    ground = next(root.iter(f"{SVG}rect"))
    assert ground.get("fill") == "#ffffff"


def test_words_on_every_shade_can_be_read() -> None:
    for shade, words in (*SHADES, *CATEGORIES):
        assert contrast(shade, words) >= 4.5, shade
    for n in range(1, 8):
        for ordered in (True, False):
            assert len({shade for shade, _words in paints_for("x" * n, ordered=ordered)}) == n


def test_numbers_and_names_are_written_as_people_do() -> None:
    assert [number(-0.5, 1), number(92.44, 100), number(3.714, 5)] == ["−0.50", "92.4", "3.71"]
    assert [bare(0.714), bare(-0.05), bare(1)] == [".71", "−.05", "1.00"]
    assert [names(["A"]), names(["A", "B"]), names(list("ABCD")), names(list("ABCDE"))] == [
        "A",
        "A and B",
        "A, B, C and D",
        "A, B, C and 2 more",
    ]


def test_a_page_repaints_no_shade_of_bars() -> None:
    """On a dark page the fourth step would else be lighter than the third."""
    assert not {shade for shade, _words in (*SHADES, *CATEGORIES)} & set(NAMES)
