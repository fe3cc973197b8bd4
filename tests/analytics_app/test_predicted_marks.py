"""Marks of metrics beside those of people, imported and analysed by the commands a user has, worked out by hand."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analytics_app import methods_text
from analytics_app.models import Exclusion, ResultRow, Run
from analytics_app.selectors.project_raters import raters_of_project
from analytics_app.show.shown import tables_for
from tasks_app.models import Judgment, Rater, Rating, Study, Task
from tasks_app.selectors.earlier_marks import earlier_marks, outline_of
from tasks_app.selectors.progress import count_judgments
from tasks_app.setup.reannotating import kind_in_draft
from tasks_app.task_types.error_spans import ErrorSpans
from tests.analytics_app.by_commands import analysed, load, one, write
from tests.once import ModuleRows
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

TEXT = "One two three four five."
ITEMS = [
    {"item": f"i{number}", "system": system, "output": f"{system} {TEXT}", "source": f"source {number}"}
    for number in (1, 2, 3) for system in ("A", "B")
]  # fmt: skip


def mark(rater: str, text: str, start: int, end: int, severity: str = "minor", side: str = "output") -> dict[str, Any]:
    """One mark in a text such as 1A."""
    return {
        "rater": rater, "item": f"i{text[0]}", "system": text[1], "criterion": "errors", "severity": severity,
        "span_side": side, "span_start": start, "span_end": end,
    }  # fmt: skip


def nothing(rater: str, text: str) -> dict[str, Any]:
    return {"rater": rater, "item": f"i{text[0]}", "system": text[1], "criterion": "errors", "label": "none"}


def score(rater: str, text: str, value: float) -> dict[str, Any]:
    return {"rater": rater, "item": f"i{text[0]}", "system": text[1], "criterion": "score", "value": value}


# Two people judged 1A, 1B and 2A, one judged 2B. Nobody judged the texts of item 3.
PEOPLE = [
    mark("r1", "1A", 0, 10), mark("r2", "1A", 5, 10, "major"),
    score("r1", "1A", 60), score("r2", "1A", 40),
    nothing("r1", "1B"), nothing("r2", "1B"), score("r1", "1B", 90), score("r2", "1B", 80),
    nothing("r1", "2A"), mark("r2", "2A", 0, 4), score("r1", "2A", 85), score("r2", "2A", 84),
    mark("r1", "2B", 3, 6, side="source"), score("r1", "2B", 70),
]  # fmt: skip
# The metric marked 1A and 2A, the source of 2B is out of its sight, and it has an answer to 3A that nobody judged.
METRIC = [
    mark("x", "1A", 0, 10, "major"), mark("x", "1A", 12, 14), nothing("x", "1B"), mark("x", "2A", 0, 2),
    mark("x", "2B", 3, 6), nothing("x", "3A"),
]  # fmt: skip
ESA = {"type": "error_spans", "params": {"scheme": "esa"}, "k": 2}


def add_metric(folder: Path, rows: list[dict[str, Any]], name: str) -> str:
    """Import marks of a metric, and return the output of the command."""
    out = StringIO()
    call_command("import_ratings", "small", str(write(folder / f"{name}.csv", rows)), metric=name, stdout=out)
    return out.getvalue()


def test_marks_of_a_metric_need_no_criterion_and_are_never_given_to_raters(tmp_path: Path) -> None:
    """The file is the one of docs/metrics-file.md: no column names the criterion, though a score is asked as well."""
    load(tmp_path, ESA, ITEMS, PEOPLE)
    columns = ("item", "system", "label", "severity", "span_side", "span_start", "span_end")
    rows = [{name: row.get(name, "") for name in columns} for row in METRIC]
    assert "Stored: small: 6 rows" in add_metric(tmp_path, rows, "GEMBA")
    stored = Rating.objects.filter(judgment__assignment__rater__pseudonym="metric:GEMBA")
    assert sorted(stored.values_list("criterion__key", "severity")) == [("errors", "major"), *[("errors", "minor")] * 3]
    task = Task.objects.get(study__slug="small")
    outline = outline_of(task)
    assert (outline.raters, outline.judged, outline.judgments) == (2, 4, 7)
    kind = task.kind
    assert isinstance(kind, ErrorSpans)
    people = set(Rater.objects.filter(pk__in=earlier_marks(task, kind).raters).values_list("pseudonym", flat=True))
    assert people == {"r1", "r2"}


@pytest.fixture(scope="module")
def rows_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Load the study, import marks of people and of a metric, and analyse it."""
    folder = tmp_path_factory.mktemp("study")
    load(folder, ESA, ITEMS, PEOPLE)
    add_metric(folder, METRIC, "GEMBA")
    with undrawn():
        return analysed(folder, {"analysis": "predicted_marks"}, {"analysis": "error_spans"}, {"analysis": "raters"})


@pytest.fixture
def rows(rows_once: list[dict[str, Any]], db: None) -> list[dict[str, Any]]:
    """The results; the study and its run are there."""
    return rows_once


def newest() -> Run:
    """The run that was started last."""
    return Run.objects.latest("pk")


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def test_marks_of_a_metric_are_compared_with_each_person(rows: list[dict[str, Any]]) -> None:
    # Comparisons: 1A with r1 (10 of 10 in common) and r2 (5 of 10, 5 of 5); 1B with both, empty; 2A with r1, who marked
    # nothing, and r2 (2 of 2, 2 of 4); 2B with r1, whose mark is in the source.
    precision = (1 + 0.5 + 1) / (2 + 2 + 1 + 1 + 1)
    recall = (1 + 1 + 0.5) / (1 + 1 + 1 + 1)
    row = one(rows, "metric_marks_f1", metric="GEMBA")
    assert one(rows, "metric_marks_precision", metric="GEMBA")["value"] == pytest.approx(precision)
    assert one(rows, "metric_marks_recall", metric="GEMBA")["value"] == pytest.approx(recall)
    assert row["value"] == pytest.approx(f1(precision, recall))
    assert (row["n_items"], row["n_ratings"], row["n_raters"]) == (4, 4, 2)
    assert "1 answers of GEMBA are about texts that people did not judge here" in row["note"]
    # Of the other severity is r1's mark in 1A: half of the credit. r2's is major too, and so preferred by nobody else.
    severe = f1((0.5 + 0.5 + 1) / 7, (0.5 + 1 + 0.5) / 4)
    assert one(rows, "metric_marks_f1", metric="GEMBA", label="same severity")["value"] == pytest.approx(severe)
    assert one(rows, "metric_marks_f1", metric="GEMBA", label="exact match")["value"] == pytest.approx(f1(1 / 7, 1 / 4))
    characters = f1((10 + 5 + 2) / (12 + 12 + 2 + 2 + 3), (10 + 5 + 2) / (10 + 5 + 4 + 3))
    assert one(rows, "metric_marks_f1", metric="GEMBA", label="characters")["value"] == pytest.approx(characters)


def test_each_system_has_its_own_figures(rows: list[dict[str, Any]]) -> None:
    a = one(rows, "metric_marks_f1", metric="GEMBA", system="A")
    assert a["value"] == pytest.approx(f1(2.5 / 6, 2.5 / 3))
    assert (a["n_items"], a["n_ratings"]) == (2, 3)
    b = one(rows, "metric_marks_precision", metric="GEMBA", system="B")
    assert (b["value"], b["n_items"]) == (0, 2)


def test_the_human_ceiling_is_on_the_same_texts(rows: list[dict[str, Any]]) -> None:
    # Texts of two people: 1A, 1B, 2A. Each of them is compared with the other: 5 of 10 and 5 of 5 in 1A, nothing else.
    people = one(rows, "people_marks_f1_shared", metric="GEMBA")
    assert people["value"] == pytest.approx((0.5 + 1) / (2 + 1))
    metric = one(rows, "metric_marks_f1_shared", metric="GEMBA")
    assert metric["value"] == pytest.approx(f1(2.5 / 6, 2.5 / 3))
    difference = one(rows, "metric_marks_f1_difference", metric="GEMBA")
    assert difference["value"] == pytest.approx(metric["value"] - people["value"])
    assert {row["n_items"] for row in (people, metric, difference)} == {3}
    severe = one(rows, "people_marks_f1_shared", metric="GEMBA", label="same severity")
    assert severe["value"] == pytest.approx((0.5 + 1) / 2 / 3)
    assert one(rows, "people_marks_f1_shared", metric="GEMBA", label="exact match")["value"] == 0
    assert one(rows, "people_marks_f1_shared", metric="GEMBA", system="A")["value"] == pytest.approx(1.5 / 3)
    assert one(rows, "people_marks_f1_shared", metric="GEMBA", system="B")["value"] is None


def test_each_person_is_held_out(rows: list[dict[str, Any]]) -> None:
    assert one(rows, "people_marks_precision", rater="r1")["value"] == pytest.approx(0.5 / 1)
    assert one(rows, "people_marks_recall", rater="r1")["value"] == pytest.approx(1 / 2)
    assert one(rows, "people_marks_precision", rater="r2")["value"] == pytest.approx(1 / 2)
    assert one(rows, "people_marks_f1")["value"] == pytest.approx(1.5 / 3)
    assert one(rows, "people_marks_f1")["n_items"] == 3


def test_error_free_texts(rows: list[dict[str, Any]]) -> None:
    """No mark and 85 or more: 1B for r1, 2A for r1. For the metric: 1B, as its answers have no score."""
    shares = [one(rows, "error_free_share", system=system) for system in "AB"]
    assert [row["value"] for row in shares] == pytest.approx([(0 + 0.5) / 2, (0.5 + 0) / 2])
    assert shares[0]["settings"]["score"] == 85
    of_metric = [one(rows, "error_free_share", system=system, metric="GEMBA")["value"] for system in "AB"]
    assert of_metric == [0, 0.5]
    assert one(rows, "error_free_agreement")["value"] == pytest.approx(1 / 3)
    assert one(rows, "error_free_alpha")["value"] == pytest.approx(1 - 5 * 4 / (36 - 16 - 4))
    # 1B is predicted twice and right once; of the two that people have, one is found.
    assert one(rows, "error_free_precision", metric="GEMBA")["value"] == pytest.approx(1 / 2)
    assert one(rows, "error_free_recall", metric="GEMBA")["value"] == pytest.approx(1 / 2)
    assert one(rows, "people_error_free_f1_shared", metric="GEMBA")["value"] == 0
    assert one(rows, "error_free_f1_difference", metric="GEMBA")["value"] == pytest.approx(0.5)


def test_a_metric_is_nobody_among_people(rows: list[dict[str, Any]]) -> None:
    """Its marks change no figure of people, and the funnel says that they were left out."""
    assert {row["rater"] for row in rows} <= {None, "r1", "r2"}
    assert one(rows, "errors_per_text", system="A")["value"] == pytest.approx((1 + 0.5) / 2)
    assert one(rows, "span_f1_partial")["n_raters"] == 2
    run = newest()
    assert (run.n_seen, run.facts["raters"]) == (11, 2)
    left_out = ResultRow.objects.filter(run=run, analysis="funnel", label="metric")
    assert [row.n_ratings for row in left_out] == [4]
    metric = Rater.objects.get(pseudonym="metric:GEMBA")
    assert metric.is_metric
    task = Task.objects.get()
    given = earlier_marks(task, kind_in_draft(task))
    people = set(Rater.objects.exclude(pk=metric.pk).values_list("pk", flat=True))
    assert set(given.raters) == people, "raters of a second study go over marks of people"
    assert outline_of(task).raters == len(people)
    listed = {row.rater.pk for row in raters_of_project([metric.study], named=[]) if row.rater is not None}
    assert listed == people
    assert count_judgments(metric.study) == Judgment.objects.exclude(assignment__rater=metric).count()


def test_the_tables(rows: list[dict[str, Any]]) -> None:
    stored = list(ResultRow.objects.filter(run=newest(), analysis="predicted_marks"))
    assert {row.by_system for row in stored if row.statistic == "metric_marks_f1" and row.system is None} == {False}
    against, ceiling, systems, free, shares, raters, agreement = tables_for("predicted_marks", stored, 0.05)
    assert [cell.text for cell in against.rows[0][:4]] == ["GEMBA", "0.36", "0.62", "0.45"]
    assert [line[1].text for line in ceiling.rows] == [
        "marks, partial credit", "marks, same severity", "marks, exact match", "marked characters",
        "error-free texts",
    ]  # fmt: skip
    assert [ceiling.rows[0][column].text for column in (0, 2, 4, 6)] == ["GEMBA", "0.56", "0.50", "0.06"]
    assert [line[0].text for line in systems.rows] == ["A", "B"]
    assert [cell.text for cell in free.rows[0][:4]] == ["GEMBA", "50\xa0%", "50\xa0%", "50\xa0%"]
    assert shares.notes[0] == "A text is error-free if it has no mark and a score of at least 85."
    assert [line[0].text for line in raters.rows] == ["All raters", "r1", "r2"]
    assert len(agreement.rows) == 2


def test_the_methods_text_tells_of_metrics_and_the_ceiling(rows: list[dict[str, Any]]) -> None:
    run = newest()
    section = methods_text.write(run.study, run, standing="Exploratory.", systems=False)
    told = [sentence.text for paragraph in section.paragraphs for sentence in paragraph.sentences]
    assert any(
        text.startswith("Error spans predicted by GEMBA were compared with those of each person") for text in told
    )
    assert any(text.startswith("As the human ceiling, each person was held out") for text in told)
    assert "perrella-2026" in {reference.key for reference in section.references}


def test_a_text_that_the_file_leaves_out_is_no_error_free_text(tmp_path: Path) -> None:
    load(tmp_path, ESA, ITEMS, PEOPLE)
    # A skipped text, and an answer to a text as a check, are no answers either.
    skipped, check = {**nothing("x", "1B"), "label": "skip"}, {**nothing("x", "2A"), "purpose": "control"}
    printed = add_metric(tmp_path, [mark("x", "1A", 0, 10), nothing("x", "2B"), skipped, check], "few")
    assert "A text that the file does not name counts as not judged by the metric" in printed
    add_metric(tmp_path, [nothing("x", text) for text in ("1A", "1B", "2A", "2B")], "silent")
    add_metric(tmp_path, [nothing("x", "2B")], "alone")
    add_metric(tmp_path, [nothing("x", "3A")], "elsewhere")
    add_metric(tmp_path, METRIC, "excluded")
    study = Study.objects.get(slug="small")
    rater = Rater.objects.get(study=study, pseudonym="metric:excluded")
    Exclusion.objects.create(study=study, rule="manual", rater=rater, reason="An old version.")
    found = analysed(tmp_path, {"analysis": "predicted_marks"})
    assert {row["metric"] for row in found} == {None, "few", "silent", "alone", "elsewhere"}
    few = one(found, "metric_marks_f1", metric="few")
    assert few["value"] == pytest.approx(f1((1 + 0.5) / 2, (1 + 1) / 3))
    assert "few has no answer for 2 of 4 texts that people judged; these are left out." in few["note"]
    # Nothing predicted: no precision, no recall, and an F1 of 0, not of 1.
    silent = [one(found, f"metric_marks_{part}", metric="silent") for part in ("precision", "recall", "f1")]
    assert [row["value"] for row in silent] == [None, 0, 0]
    assert silent[0]["note"].startswith("Nothing was predicted")
    assert not [row for row in found if (row["metric"], row["label"]) == ("silent", "same severity")]
    # One person judged the only text of this metric.
    assert one(found, "people_marks_f1_shared", metric="alone")["note"].startswith("No two people judged the same text")
    assert one(found, "metric_marks_f1", metric="elsewhere")["note"] == (
        "elsewhere has no answer for these texts. 1 answers of elsewhere are about texts that people did not judge "
        "here, and are left out."
    )


def test_an_answer_without_a_score_is_neither_error_free_nor_not(tmp_path: Path) -> None:
    """Without r2's score of 2A, nobody is left there to be compared with r1: neither for people nor for the metric."""
    load(tmp_path, ESA, ITEMS, [row for row in PEOPLE if row.get("value") != 84])
    add_metric(tmp_path, METRIC, "GEMBA")
    found = analysed(tmp_path, {"analysis": "predicted_marks"})
    share = one(found, "error_free_share", system="A")
    assert (share["value"], share["n_ratings"]) == (pytest.approx((0 + 1) / 2), 3)
    assert "1 answers without a score are left out." in share["note"]
    shared = one(found, "error_free_f1_shared", metric="GEMBA")
    assert (shared["value"], shared["n_items"]) == (pytest.approx(f1(1 / 2, 1)), 2)
    assert one(found, "people_error_free_f1_shared", metric="GEMBA")["n_items"] == 2


def test_people_alone_have_their_figures(tmp_path: Path) -> None:
    load(
        tmp_path,
        {**ESA, "params": {"scheme": "esa", "score": "no"}},
        ITEMS,
        [row for row in PEOPLE if "value" not in row],
    )
    found = analysed(tmp_path, {"analysis": "predicted_marks"})
    assert one(found, "error_free_share", system="B")["value"] == pytest.approx((1 + 0) / 2)
    assert one(found, "error_free_share", system="B")["settings"]["error-free"] == "no mark"
    assert not [row for row in found if row["metric"]]
    stored = list(ResultRow.objects.filter(run=newest(), analysis="predicted_marks"))
    tables = tables_for("predicted_marks", stored, 0.05)
    assert [str(table.caption) for table in tables] == [
        "Error-free texts by system", "Marks of each person against those of the others, partial credit",
        "Agreement of raters on error-free texts",
    ]  # fmt: skip
    assert tables[0].notes[0] == "A text is error-free if it has no mark."


def test_metrics_are_imported_again_as_metrics(tmp_path: Path) -> None:
    """An export names the metric in the pseudonym; with a mapping the file may say something else."""
    load(tmp_path, ESA, ITEMS, PEOPLE)
    named = [{**row, "rater": "metric:xCOMET"} for row in METRIC]
    call_command("import_ratings", "small", str(write(tmp_path / "again.csv", named)), stdout=StringIO())
    (tmp_path / "map.yaml").write_text("metric: other\n", encoding="utf-8")
    file = str(write(tmp_path / "other.csv", METRIC))
    call_command("import_ratings", "small", file, map=str(tmp_path / "map.yaml"), stdout=StringIO())
    found = analysed(tmp_path, {"analysis": "predicted_marks"})
    values = [one(found, "metric_marks_f1", metric=name)["value"] for name in ("xCOMET", "other")]
    assert values[0] == values[1] is not None


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ("metric: x\nunknown_raters: true\n", "The mapping says that nobody knows who rated"),
        (f"metric: {'x' * 34}\n", "metric"),
        ("metric: '  '\n", "Give the name of the metric alone"),
        ("metric: metric:xCOMET\n", "Give the name of the metric alone"),
    ],
)
def test_what_cannot_be_a_metric_is_refused(tmp_path: Path, mapping: str, sentence: str) -> None:
    load(tmp_path, ESA, ITEMS, PEOPLE)
    (tmp_path / "map.yaml").write_text(mapping, encoding="utf-8")
    file, said = str(write(tmp_path / "metric.csv", METRIC)), StringIO()
    with pytest.raises(CommandError):
        call_command("import_ratings", "small", file, map=str(tmp_path / "map.yaml"), stderr=said, stdout=StringIO())
    assert sentence in said.getvalue()


def test_scores_are_no_marks_of_a_metric(tmp_path: Path) -> None:
    likert = {"type": "likert", "params": {"points": 5}, "criteria": ["q"], "k": 1}
    criteria = [{"key": "q", "name": "Q", "question": "Good?"}]
    ratings = [{"rater": "r1", "item": "i1", "system": "A", "value": 3}]
    load(tmp_path, likert, ITEMS, ratings, criteria=criteria)
    said = StringIO()
    with pytest.raises(CommandError):
        call_command(
            "import_ratings", "small", str(write(tmp_path / "judge.csv", ratings)), metric="judge", stderr=said,
            stdout=StringIO(),
        )  # fmt: skip
    assert "Import scores of a metric as scores" in said.getvalue()
