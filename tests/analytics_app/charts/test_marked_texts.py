"""Where raters marked errors: stretches against marks counted character by character; texts escaped and folded."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from analytics_app import charts
from analytics_app.models import Plot
from analytics_app.services import sharing
from tasks_app.models import Membership, Study
from tests.analytics_app.by_commands import analysed, load
from tests.analytics_app.views.reading import page, results, table
from tests.once import ModuleRows

pytestmark = [pytest.mark.django_db, pytest.mark.charts]

Rows: TypeAlias = Sequence[Mapping[str, str]]

TEXTS = {
    ("i1", "A"): "The <b>cat</b> sat & slept.",
    ("i1", "B"): "السلام عليكم يا صديقي العزيز",
    ("i2", "A"): "Two\nlines of text.",
    ("i2", "B"): "Nobody marks this one.",
}
# rater, item, system, severity, start, end; the last is the word [missing], one character behind the text.
MARKS = [
    ("r1", "i1", "A", "major", 4, 14), ("r2", "i1", "A", "minor", 7, 20), ("r3", "i1", "A", "major", 7, 10),
    ("r1", "i1", "A", "minor", 8, 9),
    ("r1", "i1", "B", "major", 0, 6), ("r2", "i1", "B", "major", 3, 28),
    ("r1", "i2", "A", "minor", 18, 19),
]  # fmt: skip
RATERS = ("r1", "r2", "r3")


def ratings() -> list[dict[str, Any]]:
    given = [
        {"rater": rater, "item": item, "system": system, "severity": severity, "category": "accuracy/mistranslation",
         "span_side": "output", "span_start": start, "span_end": end}
        for rater, item, system, severity, start, end in MARKS
    ]  # fmt: skip
    marked = {(rater, item, system) for rater, item, system, *_place in MARKS}
    silent = [
        {"rater": rater, "item": item, "system": system, "label": "none"}
        for item, system in TEXTS
        for rater in RATERS
        if (rater, item, system) not in marked
    ]
    return [*given, *silent]


def marked_by(item: str, system: str, character: int) -> set[tuple[str, str]]:
    """Return who marked a character, and as how serious."""
    return {
        (rater, severity)
        for rater, of_item, of_system, severity, start, end in MARKS
        if (of_item, of_system) == (item, system) and start <= character < end
    }


@pytest.fixture(scope="module")
def rows_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Load the study and analyse it."""
    folder = tmp_path_factory.mktemp("study")
    items = [{"item": item, "system": system, "output": text} for (item, system), text in TEXTS.items()]
    load(folder, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 3}, items, ratings())
    return analysed(folder, {"analysis": "error_spans"}, {"analysis": "marked_texts"})


@pytest.fixture
def rows(rows_once: list[dict[str, Any]], db: None) -> list[dict[str, Any]]:
    """The results; the study and its run are there."""
    return rows_once


@pytest.fixture
def plot(rows: list[dict[str, Any]]) -> Plot:
    return Plot.objects.get(key__endswith="/marks-in-text")


def test_every_character_has_the_raters_who_marked_it(rows: list[dict[str, Any]]) -> None:
    found: dict[tuple[str, str], str] = {}
    for row in rows:
        if row["statistic"] != "marks_in_text":
            continue
        said = row["settings"]
        text = found.setdefault((said["item"], row["system"]), "")
        assert said["start"] == len(text)
        for character in range(said["start"], said["end"]):
            by = marked_by(said["item"], row["system"], character)
            assert row["value"] == len({rater for rater, _severity in by})
            of_severity = {one: len({r for r, s in by if s == one}) for _r, one in by}
            assert said["severities"] == of_severity
        assert row["n_raters"] == 3
        found[said["item"], row["system"]] = text + ("." if said["words"] == "[missing]" else said["words"])
    # Whole texts, the word [missing] as one character; not the one without a mark.
    expected = {key: text for key, text in TEXTS.items() if key != ("i2", "B")}
    assert found == expected | {("i2", "A"): expected["i2", "A"] + "."}


def test_the_chart_has_the_same_numbers_and_tells_systems_apart(plot: Plot) -> None:
    assert plot.by_system
    columns, numbers = charts.numbers(plot.spec)
    assert [head for _field, head in columns][:2] == ["System", "Text"]
    cat = next(row for row in numbers if row[1:4] == ["i1", 8, 9])
    assert cat == ["A", "i1", 8, 9, TEXTS["i1", "A"][8:9], 3, 3, "minor 2, major 2"]
    assert (
        plot.title == "In 2 of 3 texts shown that had two or more raters, more than half of them marked the same words"
    )
    assert "The texts with the most marks for each system: 3 of the 3 texts with marks" in charts.subtitle(plot.spec)
    # Strips have the colour that a page repaints, and more of it where more raters marked.
    by_share = sorted({(row["share"], row["strength"]) for row in plot.spec["data"]["values"]})
    assert [strength for _share, strength in by_share] == [0.0, 0.35, 0.65, 1.0]
    assert plot.svg.count('class="f-line"') == 3


def test_the_page_has_the_texts_folded_escaped_and_in_their_own_direction(
    plot: Plot, rosa: User, client: Client
) -> None:
    study = Study.objects.get(slug="small")
    Membership.objects.create(study=study, user=rosa, role="viewer")
    client.force_login(rosa)
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    hidden = page(client, results(study))
    assert "ew-marked" not in hidden
    assert "lines of text" not in hidden
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    html = page(client, results(study))
    texts = re.findall(r'<p class="ew-marked" dir="auto">(.*?)</p>', html, flags=re.DOTALL)
    assert len(texts) == 3
    assert "<b>" not in "".join(texts)
    bare = [unescape(re.sub(r"<[^>]+>", "", re.sub(r"<span.*?</span>", "", one, flags=re.DOTALL))) for one in texts]
    assert set(bare) == {TEXTS["i1", "A"], TEXTS["i1", "B"], f"{TEXTS['i2', 'A']}[missing]"}
    # All raters marked the three characters from 7 on, and r1 the second of them once more.
    said = "3 of 3 raters: minor 2, major 2"
    assert f'<mark class="ew-level-3" title="{said}">a<span class="ew-hidden"> ({said}) </span></mark>' in html
    shown = [one for one in table_of_plot(html) if one["Text"] == "i2" and one["Words"] == "[missing]"]
    assert [(one["Raters who marked"], one["Raters"], one["Severity (raters)"]) for one in shown] == [
        ("1", "3", "minor 1")
    ]


def test_who_reads_results_by_a_link_sees_the_strips_and_no_text_of_the_study(
    plot: Plot, rosa: User, client: Client
) -> None:
    study = Study.objects.get(slug="small")
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    token = sharing.share(run=plot.run, by=rosa, name="Kim", days=7).token
    html = page(client, reverse("shared:results", args=[token]))
    assert "In 2 of 3 texts shown that had two or more raters, more than half of them marked the same words" in html
    shown = next(one for one in tables_of_plots(html) if one and "Raters who marked" in one[0])
    assert "Words" not in shown[0]
    assert len(shown) == len(charts.numbers(plot.spec)[1])
    assert "lines of text" not in html
    assert TEXTS["i1", "B"][:5] not in html


def table_of_plot(html: str) -> Rows:
    """Return the numbers behind the plot of marks, with the words."""
    return next(one for one in tables_of_plots(html) if one and "Words" in one[0])


def tables_of_plots(html: str) -> list[Rows]:
    count = html.count('<caption class="ew-caption">Numbers behind this plot</caption>')
    return [table(html, "Numbers behind this plot", number) for number in range(count)]


def test_of_many_marked_texts_a_few_of_each_system_are_shown_and_long_ones_are_left_out(tmp_path: Path) -> None:
    items = [
        {"item": f"i{number}", "system": system, "output": "x" * (1501 if number == 9 else 100)}
        for number in range(10)
        for system in "ABC"
    ]
    marks = [
        {"rater": "r1", "item": one["item"], "system": one["system"], "severity": "minor",
         "category": "style/awkward", "span_side": "output", "span_start": start, "span_end": start + 1}
        for one in items
        for start in range(int(one["item"][1:]) + 1)
    ]  # fmt: skip
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 1}, items, marks)
    rows = analysed(tmp_path, {"analysis": "marked_texts"})
    shown = dict.fromkeys((row["system"], row["settings"]["item"]) for row in rows if row["settings"])
    assert list(shown) == [(system, item) for system in "ABC" for item in ("i8", "i7", "i6")]
    plot = Plot.objects.get(run__study__slug="small", key__endswith="/marks-in-text")
    assert plot.title == "Where raters marked errors in the texts with the most marks"
    assert "The texts with the most marks for each system: 9 of the 30 texts with marks" in charts.subtitle(plot.spec)
    assert "3 longer texts are left out." in charts.subtitle(plot.spec)
    assert charts.subtitle(plot.spec).startswith("What the one rater of each text marked")
