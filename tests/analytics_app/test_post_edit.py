"""Post-edits by the commands a user has, worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from analytics_app import charts
from analytics_app.analyses import registry
from analytics_app.analyses.shared.rated_texts import BetweenRaters
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.errors.edits import edit_distance
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one
from tests.once import ModuleRows
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

TEXTS = {
    "i1": {"A": "the cat sat on the mat", "B": "a cat sits on a mat"},
    "i2": {"A": "hello world", "B": "hello there big world"},
    "i3": {"A": "good night", "B": "good evening to all"},
}
ITEMS = [
    {"item": item, "system": system, "output": text, "source": "s"}
    for item, texts in TEXTS.items()
    for system, text in texts.items()
]
# Item, chosen system and its side, the edited text, keys, seconds.
EDITS = [
    ("ann", "i1", "A", 1, "the cat is on the mat", 4, 12.0),
    ("ann", "i2", "B", 2, "hello big world", 6, 6.0),
    ("ann", "i3", "A", 1, "good night", 0, 2.0),
    ("bob", "i1", "A", 2, "the cat sat on a mat", 3, 10.0),
]


def ratings() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for rater, item, system, side, text, keys, seconds in EDITS:
        about = {"rater": rater, "item": item}
        for other in ("A", "B"):
            chosen = other == system
            rows.append(
                {
                    **about, "system": other, "criterion": "choice", "label": "chosen" if chosen else "not chosen",
                    "shown_value": side if chosen else 3 - side,
                }
            )  # fmt: skip
        rows.append({**about, "system": system, "criterion": "edited-text", "text": text})
        rows.append({**about, "system": system, "criterion": "keystrokes", "value": keys})
        rows.append({**about, "system": system, "criterion": "edit-seconds", "value": seconds})
    return rows


@pytest.fixture(scope="module")
def rows_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Load the study and analyse it."""
    folder = tmp_path_factory.mktemp("study")
    load(folder, {"type": "post_edit", "params": {"suggestions": 2}, "k": 2}, ITEMS, ratings())
    with undrawn():
        return analysed(folder, {"analysis": "post_edit"})


@pytest.fixture
def rows(rows_once: list[dict[str, Any]], db: None) -> list[dict[str, Any]]:
    """The results; the study and its run are there."""
    return rows_once


def test_choices(rows: list[dict[str, Any]]) -> None:
    a, b = (one(rows, "suggestion_chosen", system=system) for system in "AB")
    assert (a["value"], b["value"]) == (0.75, 0.25)
    assert a["p"] == pytest.approx(binomtest(3, 4, 0.5).pvalue)
    assert (a["n_ratings"], a["n_items"], a["n_raters"]) == (4, 3, 2)
    # Of two systems one is chosen where the other is not: one test, and nothing to correct for.
    assert a["p_adjusted"] == a["p"]
    assert b["p_adjusted"] == pytest.approx(b["p"])
    assert a["settings"]["family"] == "1 pair"
    first = one(rows, "first_suggestion_chosen", label="1")
    assert (first["value"], first["n_ratings"]) == (0.5, 4)
    # Rows of a document are in the order in which the analysis declares its statistics.
    order = [row["statistic"] for row in rows if "suggestion" in row["statistic"] and row["basis"] == "kept"]
    assert order == ["suggestion_chosen"] * 2 + ["identical_suggestions", "first_suggestion_chosen"]


def test_distances_to_every_suggestion(rows: list[dict[str, Any]]) -> None:
    def distance(item: str, system: str, text: str) -> float:
        return edit_distance(TEXTS[item][system], text) / max(len(TEXTS[item][system]), len(text))

    for system in "AB":
        every = [distance(item, system, text) for _rater, item, _chosen, _side, text, _keys, _seconds in EDITS]
        row = one(rows, "edit_distance", system=system)
        assert row["value"] == pytest.approx(sum(every) / 4)
        assert "writes a text near to it" in row["note"]
    chosen = [distance(item, system, text) for _rater, item, system, _side, text, _keys, _seconds in EDITS]
    assert one(rows, "edit_distance", system="A", label="chosen")["value"] == pytest.approx(
        (chosen[0] + chosen[2] + chosen[3]) / 3
    )
    # Words: 1 of 6, 0 of 2, 1 of 6 edits.
    hter = one(rows, "hter", system="A", label="chosen")
    assert hter["value"] == pytest.approx(2 / 14)
    assert hter["settings"]["ter"].startswith("nrefs:1|case:lc")
    assert one(rows, "hter", system="B", label="chosen")["value"] == pytest.approx(1 / 3)


def test_work_by_system_and_editor(rows: list[dict[str, Any]]) -> None:
    assert one(rows, "unedited_share", system="A")["value"] == pytest.approx(1 / 3)
    assert one(rows, "seconds_per_word", system="A")["value"] == pytest.approx((12 + 2 + 10) / (6 + 2 + 6))
    assert one(rows, "keystrokes_per_character", system="B")["value"] == pytest.approx(6 / len("hello big world"))
    assert one(rows, "seconds_per_word_of_editor", rater="ann")["value"] == pytest.approx((12 + 6 + 2) / (6 + 3 + 2))
    assert one(rows, "unedited_of_editor", rater="bob")["value"] == 0


def test_raters_agree_on_what_they_judged_and_not_on_keys_and_seconds(tmp_path: Path) -> None:
    load(tmp_path, {"type": "post_edit", "params": {"suggestions": 2}, "k": 2}, ITEMS, ratings())
    of_raters = [name for name, member in registry.items() if issubclass(member, BetweenRaters)]
    found = analysed(tmp_path, *({"analysis": name} for name in of_raters))
    compared = {row["criterion"] for row in found if row["analysis"] in of_raters}
    assert compared == {"choice"}
    # How fast each worked, and the spread of it, are figures of their own.
    assert {row["criterion"] for row in analysed(tmp_path, {"analysis": "systems"})} >= {"keystrokes", "edit-seconds"}


def test_charts_and_tables_of_it(rows: list[dict[str, Any]]) -> None:
    own = [Row(**row) for row in rows if row["analysis"] == "post_edit"]
    drawn = {chart.key: chart for chart in charts.draw_task(own, "main")}
    assert set(drawn) == {"chosen", "edit-distances"}
    assert are_rendered(drawn.values())
    assert drawn["chosen"].title == "No system's suggestion is chosen clearly more often than the other"
    stored = [ResultRow(**row) for row in rows if row["analysis"] == "post_edit"]
    made = tables_for("post_edit", stored, 0.05)
    assert [str(table.caption) for table in made][:2] == [
        "Choices and work by system", "From suggestions to the edited text: lower is better",
    ]  # fmt: skip
    assert all(len(cells) == len(table.columns) for table in made for cells in table.rows)


def test_one_suggestion_leaves_nothing_to_choose(tmp_path: Path) -> None:
    kept = [row for row in ratings() if row["criterion"] != "choice" and row["rater"] == "ann"]
    load(tmp_path, {"type": "post_edit", "params": {"suggestions": 1}, "k": 1}, ITEMS, kept)
    found = analysed(tmp_path, {"analysis": "post_edit"})
    assert not [row for row in found if row["statistic"].startswith("suggestion")]
    assert one(found, "hter", system="A")["value"] == pytest.approx(1 / 8)
    assert one(found, "hter", system="A")["note"].endswith("The interval rests on 2 items only.")


@pytest.mark.parametrize("kept", [True, False])
def test_identical_suggestions_are_a_figure_of_their_own_and_no_choice(tmp_path: Path, kept: bool) -> None:
    same = [{"item": "i4", "system": system, "output": "as it is", "source": "s"} for system in "AB"]
    given = ratings()
    if kept:
        about = {"rater": "ann", "item": "i4"}
        for side, system in enumerate("BA", start=1):
            label = "chosen" if system == "B" else "not chosen"
            given.append({**about, "system": system, "criterion": "choice", "label": label, "shown_value": side})
        given.append({**about, "system": "B", "criterion": "edited-text", "text": "as it was"})
    task = {"type": "post_edit", "params": {"suggestions": 2}, "k": 2, "keep_identical": kept}
    load(tmp_path, task, [*ITEMS, *same], given)
    found = analysed(tmp_path, {"analysis": "post_edit"})
    row = one(found, "identical_suggestions", system="A", system_b="B")
    assert (row["value"], row["n_items"]) == (0.25, 4)
    assert ("shown the same text twice" if kept else "were not shown these items") in row["note"]
    # Shares of choices are as without these items; the side of the screen counts whatever stood there.
    choice = one(found, "suggestion_chosen", system="A")
    assert (choice["value"], choice["n_ratings"]) == (0.75, 4)
    assert ("1 choice between suggestions with the same text left out." in choice["note"]) is kept
    assert one(found, "first_suggestion_chosen", label="1")["n_ratings"] == (5 if kept else 4)
    # The edited text is compared with both suggestions.
    assert one(found, "hter", system="A")["n_ratings"] == (5 if kept else 4)
    stored = [ResultRow(**row) for row in found if row["analysis"] == "post_edit"]
    made = {str(table.caption): table for table in tables_for("post_edit", stored, 0.05)}
    (line,) = made["Items with the same suggestion by both systems"].rows
    assert [cell.text for cell in line] == ["A = B", "4", "25.0\u00a0%"]
