"""Marks given beforehand: what raters kept, changed, removed and added, worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analytics_app.models import ResultRow
from analytics_app.show.shown import tables_for
from tasks_app.models import Prefill
from tests.analytics_app import by_commands
from tests.analytics_app.by_commands import analysed, load, one, write
from tests.once import ModuleRows
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

ITEMS = [
    *({"item": item, "system": system, "output": f"{system} text {item} with words", "source": f"source {item}"}
      for item in ("i1", "i2") for system in ("A", "B")),
    {"item": "check", "system": "gold", "output": "A check text with words", "source": "source of the check"},
]  # fmt: skip
# Each text comes with two marks, that of the check with three: the first is an error, the others are none.
PLACES = {"check": ((0, 1), (2, 7), (8, 12))}
TWO = ((0, 1), (2, 6))


def prefill() -> list[dict[str, object]]:
    """The rows of prefill.csv."""
    rows = []
    for of in ITEMS:
        marks = [{"start": start, "end": end, "severity": "minor"} for start, end in PLACES.get(of["item"], TWO)]
        rows.append({"task": "main", "unit": f"{of['item']}/{of['system']}", "part": 1, "payload": json.dumps(marks)})
    return rows


def mark(
    rater: str, item: str, system: str, start: int, end: int, origin: str, of: int | None = None
) -> dict[str, Any]:
    """One mark that a rater left."""
    return {
        "rater": rater, "item": item, "system": system, "criterion": "errors", "severity": "minor",
        "span_side": "output", "span_start": start, "span_end": end, "mark_origin": origin, "mark_of": of,
        "seconds": 12, "purpose": "control" if item == "check" else "main", "judgment": f"{rater}/{item}/{system}",
    }  # fmt: skip


def nothing(rater: str, item: str, system: str) -> dict[str, Any]:
    """A rater's answer that a text has no errors."""
    return {
        "rater": rater, "item": item, "system": system, "label": "none", "seconds": 12, "purpose": "main",
        "judgment": f"{rater}/{item}/{system}",
    }  # fmt: skip


MARKS = [
    # r1 keeps both marks of A, changes one and removes one of B, and adds one.
    mark("r1", "i1", "A", 0, 1, "kept", 1), mark("r1", "i1", "A", 2, 6, "kept", 2),
    mark("r1", "i2", "A", 0, 1, "kept", 1), mark("r1", "i2", "A", 2, 6, "kept", 2),
    mark("r1", "i1", "B", 0, 6, "changed", 1), mark("r1", "i1", "B", 7, 9, "own"),
    mark("r1", "i2", "B", 0, 1, "kept", 1), mark("r1", "i2", "B", 2, 6, "kept", 2),
    # r2 removes every mark of B and one of A.
    mark("r2", "i1", "A", 0, 1, "kept", 1),
    mark("r2", "i2", "A", 0, 1, "kept", 1), mark("r2", "i2", "A", 2, 6, "kept", 2),
    nothing("r2", "i1", "B"), nothing("r2", "i2", "B"),
    # Of the two false marks of the check, r1 lets one stand and changes the other; r2 removes both.
    mark("r1", "check", "gold", 0, 1, "kept", 1), mark("r1", "check", "gold", 2, 7, "kept", 2),
    mark("r1", "check", "gold", 8, 10, "changed", 3),
    mark("r2", "check", "gold", 0, 1, "kept", 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def rows_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Load the study and analyse it."""
    folder = tmp_path_factory.mktemp("study")
    write(folder / "prefill.csv", prefill())
    write(folder / "controls.csv", [
        {"task": "main", "unit": "check/gold", "purpose": "control", "kind": "span",
         "answer": '{"start": 0, "end": 1}'},
    ])  # fmt: skip
    params = {"scheme": "esa", "score": "no", "given_marks": "edit"}
    load(folder, {"type": "error_spans", "params": params, "k": 2}, ITEMS, MARKS)
    with undrawn():
        return analysed(folder, {"analysis": "given_marks"}, {"analysis": "error_spans"})


@pytest.fixture
def rows(rows_once: list[dict[str, Any]], db: None) -> list[dict[str, Any]]:
    """The results; the study and its run are there."""
    return rows_once


@pytest.mark.parametrize(
    ("system", "kept", "changed", "removed", "added", "n"),
    [(None, 9, 1, 6, 1, 16), ("A", 7, 0, 1, 0, 8), ("B", 2, 1, 5, 1, 8)],
)
def test_given_marks_are_kept_changed_or_removed(
    rows: list[dict[str, Any]], system: str | None, kept: int, changed: int, removed: int, added: int, n: int
) -> None:
    shares = [one(rows, f"given_{fate}", system=system) for fate in ("kept", "changed", "removed")]
    assert [row["value"] for row in shares] == pytest.approx([kept / n, changed / n, removed / n])
    assert {row["n_ratings"] for row in shares} == {n}
    assert one(rows, "marks_added", system=system)["value"] == pytest.approx(added / (n / 2))


def test_each_rater_has_their_own_shares_and_time(rows: list[dict[str, Any]]) -> None:
    assert one(rows, "given_kept_of_rater", rater="r1")["value"] == pytest.approx(6 / 8)
    assert one(rows, "given_kept_of_rater", rater="r1")["note"] == "6 of 8 marks."
    assert one(rows, "given_removed_of_rater", rater="r2")["value"] == pytest.approx(5 / 8)
    assert one(rows, "marks_added_of_rater", rater="r1")["value"] == pytest.approx(1 / 4)
    # 48 seconds each, over the marks that they left.
    assert one(rows, "seconds_per_mark_of_rater", rater="r1")["value"] == pytest.approx(48 / 8)
    assert one(rows, "seconds_per_mark_of_rater", rater="r2")["value"] == pytest.approx(48 / 3)
    assert one(rows, "seconds_per_mark")["value"] == pytest.approx(96 / 11)


def test_false_marks_that_stand_show_how_far_raters_follow_what_is_given(rows: list[dict[str, Any]]) -> None:
    assert one(rows, "false_marks_kept_of_rater", rater="r1")["value"] == 1.0
    assert one(rows, "false_marks_kept_of_rater", rater="r2")["value"] == 0.0
    everybody = one(rows, "false_marks_kept")
    assert (everybody["value"], everybody["n_ratings"], everybody["n_raters"]) == (0.5, 4, 2)


def test_the_tables_show_systems_and_raters(rows: list[dict[str, Any]]) -> None:
    stored = ResultRow.objects.filter(run__study__slug="small", analysis="given_marks").order_by("id")
    tables = list(tables_for("given_marks", list(stored), 0.05))
    assert [table.caption for table in tables][:2] == ["Marks given beforehand", "Marks given beforehand, by rater"]


def test_texts_without_given_marks_have_no_rows(tmp_path: Path) -> None:
    plain = [{name: cell for name, cell in row.items() if not name.startswith("mark_")} for row in MARKS[:8]]
    load(tmp_path, {"type": "error_spans", "params": {"score": "no"}, "k": 1}, ITEMS[:4], plain)
    with undrawn():
        assert {row["analysis"] for row in analysed(tmp_path, {"analysis": "given_marks"})} == {"funnel"}


def test_marks_of_unknown_origin_are_said_and_nothing_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "prefill.csv", prefill()[:4])
    known = [row | {"mark_origin": "", "mark_of": ""} for row in MARKS[:8]]
    load(tmp_path, {"type": "error_spans", "params": {"score": "no"}, "k": 1}, ITEMS[:4], known)
    with undrawn():
        rows = [row for row in analysed(tmp_path, {"analysis": "given_marks"}) if row["analysis"] == "given_marks"]
    assert [(row["statistic"], row["value"]) for row in rows] == [("given_kept", None)]
    assert rows[0]["note"].startswith("Nothing is counted: 8 marks in texts that came with marks")


def test_a_text_whose_marks_an_archive_left_out_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Archives have an empty object in the place of words; the marks of all other texts count."""

    def withheld(name: str, *args: str, **options: Any) -> None:
        if name == "import_ratings":
            of_text = Prefill.objects.filter(part__unit__task__study__slug="small", part__unit__key="i1/A")
            assert of_text.update(payload={}) == 1
        call_command(name, *args, **options)

    write(tmp_path / "prefill.csv", prefill()[:4])
    monkeypatch.setattr(by_commands, "call_command", withheld)
    load(tmp_path, {"type": "error_spans", "params": {"score": "no"}, "k": 1}, ITEMS[:4], MARKS[:8])
    with undrawn():
        assert one(analysed(tmp_path, {"analysis": "given_marks"}), "given_kept")["n_ratings"] == 6
