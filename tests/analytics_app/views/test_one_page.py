"""The summary of a run as files: the forest, and one page as PDF that fits whatever was found."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.charts.forest import forest
from analytics_app.charts.sheet import lines_of, whole, width_of
from analytics_app.models import Run
from analytics_app.results import Row
from analytics_app.show.tracks import Track, Tracks
from analytics_app.views.one_page import MARGIN, PAGE_HEIGHT, PAGE_WIDTH, drawn_page
from analytics_app.views.run_words import simulated_in_words
from tasks_app.models import Study
from tests.analytics_app.builders import SLIDER, build_run, funnel, likert_rows, slider_rows
from tests.analytics_app.views.reading import page, results

pytestmark = pytest.mark.django_db

TRANSLATE = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")


def words(drawing: str) -> str:
    """Return all words of a drawing, without breaks between lines."""
    return " ".join(element.text or "" for element in ET.fromstring(drawing).iter() if element.tag.endswith("}text"))


def boxes(element: ET.Element, x: float = 0.0, y: float = 0.0) -> list[tuple[float, float, float, float, str]]:
    """Return left, top, right, bottom and text of each line of text, of a drawing whose groups are only moved."""
    if moved := TRANSLATE.fullmatch(element.get("transform", "")):
        x, y = x + float(moved[1]), y + float(moved[2])
    placed = []
    if element.tag.endswith("}text") and element.text:
        size, left, base = (float(element.get(name, "nan")) for name in ("font-size", "x", "y"))
        width = width_of(element.text, size)
        left = x + left - (width if element.get("text-anchor") == "end" else 0)
        placed.append((left, y + base - size, left + width, y + base, element.text))
    return placed + [box for child in element for box in boxes(child, x, y)]


def systems_of(count: int, name: str = "System {n} with a name that is rather long for a gutter") -> list[Row]:
    """Make means of many systems."""
    own = {"analysis": "systems", "statistic": "mean", "task": "main", "criterion": "content", "basis": "kept"}
    return [
        Row(**own, system=name.format(n=n), by_system=True, value=50 + n / 3, low=48 + n / 3, high=52 + n / 3)
        for n in range(count)
    ]


def study_run(study: Study, rows: list[Row]) -> Run:
    """Store a run with a funnel and some rows."""
    return Run.objects.get(pk=build_run(study, [*funnel(), *rows]).pk)


def test_the_page_links_to_its_summary_and_its_forest(
    rosas_browser: Client, closed: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    study_run(closed, slider_rows())
    shown = page(rosas_browser, results(closed))
    begins = {"forest.svg": b"<svg", "forest.png": b"\x89PNG", "forest.pdf": b"%PDF", "summary.pdf": b"%PDF"}
    for name, begin in begins.items():
        address = results(closed, f"1/{name}")
        assert f'href="{address}" download' in shown
        with django_assert_max_num_queries(15):
            answer = rosas_browser.get(address)
        assert answer.content.startswith(begin)
        assert f'filename="{closed.slug}-run-1-{name}"' in answer["Content-Disposition"]


def test_the_pdf_is_one_a4_page(rosas_browser: Client, closed: Study) -> None:
    study_run(closed, slider_rows())
    body = rosas_browser.get(results(closed, "1/summary.pdf")).content
    assert len(re.findall(rb"/Type\s*/Page\b", body)) == 1
    assert re.search(rb"/MediaBox\s*\[0 0 595 842\]", body)


def test_the_page_says_what_was_found_and_of_what(closed: Study) -> None:
    run = study_run(closed, slider_rows())
    Run.objects.filter(pk=run.pk).update(facts={"raters": 12, "simulated_raters": 11}, erased_since=2)
    said = words(drawn_page(closed, Run.objects.get(), systems=True))
    for expected in (
        closed.title,
        "Results of run 1, ",
        *SLIDER,
        "92.4",
        "11 of the 12 raters are simulated; these are not human results.",
        "2 ratings were erased at raters' request since this run",
        "9 of 720 ratings excluded (",
        "p is adjusted; values in bold are significant",
        f"Study {closed.slug}, run 1, computed by evalweb",
    ):
        assert expected in said, expected


def test_the_only_rater_is_simulated() -> None:
    assert simulated_in_words(1, 1) == "The only rater is simulated; these are not human results."
    assert simulated_in_words(2, 2) == "All 2 raters are simulated; these are not human results."


def test_the_forest_has_every_criterion_and_every_name_whole(rosas_browser: Client, closed: Study) -> None:
    study_run(closed, [*slider_rows(), *likert_rows("fluency")])
    drawing = rosas_browser.get(results(closed, "1/forest.svg")).content.decode()
    for name in (*SLIDER, "north", "south", "west"):
        assert name in words(drawing).split()


NAMES = {
    "words": "System {n} with a name that is rather long for a gutter",
    "chinese": "系统{n}" + "很长" * 11,
    "one-word": "x{n}" * 30,
}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param(
            name,
            count,
            id=f"{count}-{id}",
            marks=() if (id, count) in zip(NAMES, (2, 9, 60), strict=True) else pytest.mark.exhaustive,
        )
        for count in (2, 9, 60)
        for id, name in NAMES.items()
    ],
)
def test_nothing_leaves_the_page_or_lies_on_something_else(closed: Study, name: str, count: int) -> None:
    run = study_run(closed, [*systems_of(count, name), *(replace(row, system=None) for row in likert_rows("fluency"))])
    root = ET.fromstring(drawn_page(closed, run, systems=True))
    placed = boxes(root)
    assert len(placed) > count / 2
    for left, top, right, bottom, text in placed:
        assert left >= MARGIN - 1, text
        assert right <= PAGE_WIDTH - MARGIN + 1, text
        assert top >= MARGIN - 1, text
        assert bottom <= PAGE_HEIGHT - MARGIN + 1, text
    for n, (left, top, right, bottom, text) in enumerate(placed):
        for other_left, other_top, other_right, other_bottom, other in placed[n + 1 :]:
            apart = right <= other_left or other_right <= left or bottom <= other_top + 1 or other_bottom <= top + 1
            assert apart, (text, other)


def test_what_does_not_fit_is_counted(closed: Study) -> None:
    said = words(drawn_page(closed, study_run(closed, systems_of(60)), systems=True))
    assert re.search(r"The first \d+ of 60 systems; all of them are on the results page\.", said)
    Run.objects.all().delete()
    many = [row for n in range(10) for row in likert_rows(f"criterion-{n}")]
    said = words(drawn_page(closed, study_run(closed, many), systems=True))
    drawn = len(set(re.findall(r"criterion-\d", said)))
    assert f"{10 - drawn} more criteria on the results page." in said or drawn == 10


def test_while_systems_are_hidden_no_file_tells_them_apart(rosas_browser: Client, study: Study) -> None:
    run = study_run(study, slider_rows())
    assert rosas_browser.get(results(study, "1/forest.svg")).status_code == 404
    assert rosas_browser.get(results(study, "1/summary.pdf")).status_code == 200
    said = words(drawn_page(study, run, systems=False))
    assert "Results by system are hidden until the study is closed." in said
    assert not any(system in said for system in SLIDER)


def test_a_run_without_systems_has_a_summary_and_no_forest(rosas_browser: Client, closed: Study) -> None:
    study_run(closed, [row for row in slider_rows() if not row.by_system])
    assert rosas_browser.get(results(closed, "1/forest.pdf")).status_code == 404
    assert "forest.svg" not in page(rosas_browser, results(closed))
    assert rosas_browser.get(results(closed, "1/summary.pdf")).content.startswith(b"%PDF")


def test_signs_that_xml_cannot_hold_do_no_harm(rosas_browser: Client, closed: Study) -> None:
    study_run(closed, systems_of(3, "a\x01 <{n}> & \ufffe"))
    drawing = rosas_browser.get(results(closed, "1/forest.svg")).content.decode()
    assert "\ufffd <2> & \ufffd" in words(drawing)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("one two three", ["one two", "three"]), ("", [""]), ("a" * 20, ["a" * 9, "a" * 9, "aa"])],
    ids=["at spaces", "empty", "a long word"],
)
def test_lines_are_as_wide_as_they_may_be(text: str, lines: list[str]) -> None:
    assert lines_of(text, width_of("a" * 9, 10), 10) == lines


def test_words_of_an_axis_that_would_touch_are_left_out() -> None:
    line = Track(name="a", value="1", interval="", at=50.0)
    ticks = [(10.0, "1000000"), (14.0, "2000000"), (90.0, "3000000")]
    tracks = Tracks(caption="Fluency", measure="Mean", lines=[line], ticks=ticks)
    said = words(whole(forest(tracks, 400.0), title="", margin=0.0)).split()
    assert [word for word in said if word.endswith("000000")] == ["1000000", "3000000"]


def test_names_from_right_to_left_have_a_font_of_their_own() -> None:
    """Else they would be painted in any font with their letters, bold or not."""
    line = Track(name="نظام ملء القوالب (الإصدار ٢)", value="1", interval="", at=50.0)
    tracks = Tracks(caption="Fluency", measure="Mean", lines=[line], ticks=[(10.0, "0")])
    page = ET.fromstring(whole(forest(tracks, 400.0), title="", margin=0.0))
    named = {text.text for text in page.findall(".//{*}text") if "DejaVu Sans" in text.get("font-family", "")}
    assert " ".join(sorted(named, key=line.name.index)) == line.name
    assert "Fluency" in {text.text for text in page.findall(".//{*}text")} - named
