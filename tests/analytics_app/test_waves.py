"""PANAS in a study of two groups and three waves, each a task: imported, analysed, and drawn as one course."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from django.core.management import call_command
from django.db import transaction
from pytest_django import DjangoDbBlocker

from analytics_app.models import Plot, RunPart
from analytics_app.services import exclusions
from tasks_app import studyfile
from tasks_app.models import Judgment, Study
from tasks_app.task_types.questionnaire.panas import POSITIVE, PREFIX, WORDS
from tests.analytics_app.scales import moods
from tests.undrawn import undrawn

# Once a module, so all of it goes to one worker.
pytestmark = pytest.mark.django_db

EXAMPLE = Path(__file__).parents[2] / "examples" / "panas_groups" / "study.yaml"
TASKS = ("before", "week-1", "week-2")
GROUPS = ("diary", "messages")
PEOPLE = 40


def answered(path: Path, n_words: int = 20) -> np.ndarray:
    """Write the answers of forty people to three questionnaires; four of them miss the last one, one has no score.

    Of the twenty words of each, the first `n_words` are written.
    """
    answers, columns = moods(PEOPLE, 3, rise=0.5)
    answers[2 * PEOPLE + np.array([3, 4, 7, 9])] = np.nan
    answers[PEOPLE + 5, [WORDS.index(word) for word in POSITIVE[:3]]] = np.nan
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "task", "unit", "criterion", "value", "group", "wave"])
        for row, values in enumerate(answers):
            about = [columns[name][row] for name in ("rater", "group", "wave")]
            for word, value in islice(zip(WORDS, values, strict=True), n_words):
                if not np.isnan(value):
                    task = TASKS[about[2] - 1]
                    key = f"{PREFIX}{word}"
                    writer.writerow([f"p{about[0]:02}", task, "once", key, int(value), GROUPS[about[1]], about[2]])
    return answers.reshape(3, PEOPLE, 20)


@dataclass(frozen=True)
class Course:
    """What came of it: answers (3, people, words), rows, plots by task, kinds of parts as they were done."""

    answers: np.ndarray
    rows: list[dict[str, Any]]
    plots: Mapping[str, Plot]
    done: list[str]
    without_one: list[dict[str, Any]]


@pytest.fixture(scope="module")
def course(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Course:
    """Load the example with forty people's answers and analyse it, then once more without one answer. Once a module."""
    folder = tmp_path_factory.mktemp("waves")
    text = EXAMPLE.read_text(encoding="utf-8") + "analysis:\n  n_resamples: 100\n  analyses: [{analysis: panas}]\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    with django_db_blocker.unblock(), transaction.atomic():
        study = studyfile.load(folder, owner=None)
        answers = answered(folder / "ratings.csv")
        call_command("import_ratings", study.slug, str(folder / "ratings.csv"), stdout=StringIO())
        rows = analysed(study, folder)
        plots = {plot.task: plot for plot in Plot.objects.filter(key__endswith="/affect")}
        done = list(RunPart.objects.order_by("heartbeat", "number").values_list("kind", flat=True))
        first = Judgment.objects.get(assignment__rater__pseudonym="p01", assignment__unit__task__key="before")
        exclusions.exclude_judgment(judgment=first, reason="Answered by somebody else.", by=None)
        with undrawn():
            without_one = analysed(study, folder)
        transaction.set_rollback(True)
    return Course(answers, rows, plots, done, without_one)


def analysed(study: Study, folder: Path) -> list[dict[str, Any]]:
    """Analyse a study by its command and return the rows of PANAS after the rules."""
    call_command("analyse", study.slug, json=str(folder / "results.json"), stdout=StringIO())
    rows: list[dict[str, Any]] = json.loads((folder / "results.json").read_text())["rows"]
    return [row for row in rows if row["analysis"] == "panas" and row["basis"] == "kept"]


def one(rows: list[dict[str, Any]], **columns: object) -> Mapping[str, Any]:
    found = [row for row in rows if all(row[name] == value for name, value in columns.items())]
    assert len(found) == 1, (columns, len(found))
    return found[0]


def test_change_goes_across_tasks(course: Course) -> None:
    rows, positive = course.rows, course.answers[:, :, :10].sum(axis=2)
    in_group = np.arange(PEOPLE) % 2 == 1
    there = ~np.isnan(positive[2])
    change = (positive[2] - positive[0])[in_group & there]
    test = scipy.stats.ttest_1samp(change, 0)
    whole = {"task": "week-2", "label": "PA", "metric": "before"}
    row = one(rows, statistic="affect_change", group="messages", **whole)
    assert row["wave"] == 3
    assert (row["value"], row["p"]) == (pytest.approx(change.mean()), pytest.approx(test.pvalue))
    assert row["settings"]["t"] == pytest.approx(test.statistic)
    assert (row["n_raters"], row["df"]) == (len(change), len(change) - 1)
    assert (row["settings"]["from"], row["settings"]["to"]) == ("before", "week-2")
    other = (positive[2] - positive[0])[~in_group & there]
    welch = scipy.stats.ttest_ind(change, other, equal_var=False)
    between = one(rows, statistic="affect_change_between", **whole)
    assert (between["group"], between["slice"]) == ("messages", "against=diary")
    assert (between["value"], between["p"]) == (
        pytest.approx(change.mean() - other.mean()),
        pytest.approx(welch.pvalue),
    )


def test_change_goes_between_any_two_times(course: Course) -> None:
    """The figure of Balloccu and Reiter (2022): from the first week to the second, by Welch's t test."""
    positive, there = course.answers[:, :, :10].sum(axis=2), ~np.isnan(course.answers[:, :, :10]).any(axis=(0, 2))
    change, in_group = positive[2] - positive[1], np.arange(PEOPLE) % 2 == 1
    weeks = {"task": "week-2", "label": "PA", "metric": "week-1", "metric_b": "week-2"}
    row = one(course.rows, statistic="affect_change_between", **weeks)
    # p05 left three of the words out in the first week, and has no score there.
    assert np.flatnonzero(~there & ~np.isnan(positive[2])).tolist() == [5]
    welch = scipy.stats.ttest_ind(change[in_group & there], change[~in_group & there], equal_var=False)
    assert (row["settings"]["t"], row["p"]) == (pytest.approx(welch.statistic), pytest.approx(welch.pvalue))
    assert (row["n_raters"], row["settings"]["dropped_out"]) == (35, 4)
    within = one(course.rows, statistic="affect_change", group="messages", **weeks)
    assert (within["n_raters"], within["settings"]["dropped_out"]) == (16, 3)
    effect = one(course.rows, statistic="affect_change_effect", group="messages", **weeks)
    assert effect["low"] < effect["value"] < effect["high"]


def test_families_are_over_all_waves_and_scores(course: Course) -> None:
    rows = course.rows
    for statistic, size in (("affect_change", 12), ("affect_change_between", 6), ("affect_change_adjusted", 6)):
        mine = [row for row in rows if row["statistic"] == statistic]
        assert {row["task"] for row in mine} == {"week-1", "week-2"}
        assert len(mine) == size
        for row in mine:
            assert row["p_adjusted"] == pytest.approx(1 - (1 - row["p"]) ** size)


def test_who_is_missing_is_counted(course: Course) -> None:
    rows = course.rows
    gone = one(rows, statistic="affect_attrition", task="week-2", group="messages")
    assert (gone["value"], gone["n_raters"]) == (pytest.approx(3 / 20), 20)
    nothing = one(rows, statistic="affect_attrition", task="week-1", group="messages")
    assert nothing["value"] == 0
    without = one(rows, statistic="affect_missing", task="week-1", label="PA", group="messages")
    assert (without["value"], without["n_raters"]) == (1, 20)
    assert one(rows, statistic="affect_mean", task="week-1", label="PA", group="messages")["n_raters"] == 19


def test_the_first_wave_has_no_change(course: Course) -> None:
    rows = [row for row in course.rows if row["task"] == "before"]
    assert {row["statistic"] for row in rows} == {
        "affect_mean", "affect_sd", "affect_alpha", "affect_missing", "affect_prorated", "affect_baseline",
        "affect_baseline_effect",
    }  # fmt: skip
    positive, in_group = course.answers[0, :, :10].sum(axis=1), np.arange(PEOPLE) % 2 == 1
    row = one(rows, statistic="affect_baseline", label="PA")
    welch = scipy.stats.ttest_ind(positive[in_group], positive[~in_group], equal_var=False)
    assert (row["group"], row["slice"], row["p"]) == ("messages", "against=diary", pytest.approx(welch.pvalue))
    assert row["p_adjusted"] == pytest.approx(1 - (1 - row["p"]) ** 2)


def test_each_wave_draws_the_course_up_to_it(course: Course) -> None:
    plots = course.plots
    times = {task: {point.get("time") for point in plot.spec["data"]["values"]} for task, plot in plots.items()}
    assert times["week-1"] == {"before", "week-1"}
    assert times["week-2"] == set(TASKS)
    assert (
        plots["week-2"].title == "At week-2, positive affect was higher in messages than in diary (adjusted for before)"
    )


def test_parts_of_whole_tasks_wait_for_the_rules_of_all(course: Course) -> None:
    done = course.done
    assert done.index(RunPart.Kind.TASK) > max(place for place, kind in enumerate(done) if kind == RunPart.Kind.QUALITY)


def test_who_was_excluded_before_is_no_beginning(course: Course) -> None:
    """What a rule removes in one task is gone from changes that another task tells of."""
    rows = course.without_one
    row = one(rows, statistic="affect_change", task="week-2", label="PA", group="messages", metric="before")
    assert row["n_raters"] == 16
    assert one(rows, statistic="affect_mean", task="week-2", label="PA", group="messages")["n_raters"] == 17
