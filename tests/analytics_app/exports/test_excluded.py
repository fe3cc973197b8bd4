"""The column `excluded_by`: what the run that is read first leaves out, and what was excluded by hand."""

import pytest

from analytics_app.models import Exclusion, Run
from tasks_app.models import Judgment, Rater, Rating, Study, Task
from tests.analytics_app.builders import build_run
from tests.analytics_app.exports.conftest import as_csv, as_json

pytestmark = pytest.mark.django_db


def exclude(study: Study, rule: str, run: Run | None = None, **columns: object) -> Exclusion:
    return Exclusion.objects.create(study=study, run=run, rule=rule, reason="Because.", **columns)


def rules(study: Study) -> dict[int, str | None]:
    """The rules of each rating."""
    return {row["rating"]: row["excluded_by"] for row in as_json(study) if row["rating"]}


def test_without_exclusions_the_column_is_empty(rated: Study) -> None:
    assert set(rules(rated).values()) == {None}
    assert {row["excluded_by"] for row in as_csv(rated)} == {""}


def test_raters_judgments_and_ratings_are_excluded_each_by_its_rules(rated: Study) -> None:
    run = build_run(rated)
    first, second = Rater.objects.filter(study=rated, pseudonym__startswith="R-").order_by("pseudonym")
    judgment = Judgment.objects.filter(assignment__rater=second).order_by("id").first()
    rating = Rating.objects.filter(judgment=judgment).order_by("id").first()
    exclude(rated, "skips", run, rater=first, task=Task.objects.get(study=rated))
    exclude(rated, "working_time", run, judgment=judgment)
    exclude(rated, "iqr", run, rating=rating)
    exclude(rated, "iqr", run, judgment=judgment)
    exclude(rated, "manual", rater=second)
    found = rules(rated)
    for one in Rating.objects.filter(task__study=rated):
        expected = {
            one.rater_id == first.pk: "skips",
            one.rater_id == second.pk: "manual",
            one.judgment_id == judgment.pk: "iqr,manual,working_time",
        }[True]
        assert found[one.pk] == expected
    silent = {row["rater"]: row["excluded_by"] for row in as_json(rated) if row["rating"] is None}
    assert silent == {"R-0001": "skips", "R-0002": "manual"}
    assert "iqr,manual,working_time" in {row["excluded_by"] for row in as_csv(rated)}


def test_a_rater_is_excluded_in_the_task_it_was_found_in_only(rated: Study) -> None:
    run = build_run(rated)
    other = Task.objects.create(study=rated, key="second", type="likert", order=2, since=2)
    rater = Rater.objects.filter(study=rated).first()
    exclude(rated, "skips", run, rater=rater, task=other)
    assert set(rules(rated).values()) == {None}
    # A later version of the task has another row and the same key.
    later = Task.objects.create(study=rated, key="third", type="likert", order=3, since=2)
    Task.objects.filter(study=rated, key="main").update(until=1)
    Task.objects.filter(pk=later.pk).update(key="main")
    exclude(rated, "trust", run, rater=rater, task=later)
    assert set(rules(rated).values()) == {None, "trust"}


def test_the_newest_planned_run_counts_else_the_newest(rated: Study) -> None:
    rater = Rater.objects.filter(study=rated).first()
    old, new = build_run(rated), build_run(rated)
    exclude(rated, "burn_in", old, rater=rater)
    exclude(rated, "iqr", new, rater=rater)
    assert set(rules(rated).values()) == {None, "iqr"}
    planned = build_run(rated, planned=True)
    build_run(rated)
    assert set(rules(rated).values()) == {None}
    exclude(rated, "skips", planned, rater=rater)
    assert set(rules(rated).values()) == {None, "skips"}
    failed = build_run(rated, planned=True, state=Run.State.FAILED)
    exclude(rated, "trust", failed, rater=rater)
    assert set(rules(rated).values()) == {None, "skips"}


def test_what_was_taken_back_excludes_no_more(rated: Study) -> None:
    first, second = Rater.objects.filter(study=rated, pseudonym__startswith="R-").order_by("pseudonym")
    row = exclude(rated, "manual", rater=first)
    assert set(rules(rated).values()) == {None, "manual"}
    row.lifted_at = row.at
    row.save()
    assert set(rules(rated).values()) == {None}
    exclude(rated, "manual", rater=second)
    assert {row["rater"] for row in as_json(rated) if row["excluded_by"]} == {"R-0002"}
