"""What results and files say of tasks on another site: a planted difference in events, seconds, and reported ends."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from analytics_app.models import ResultRow
from analytics_app.runs import start
from analytics_app.show.shown import tables_for
from tasks_app.models import Assignment, Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, elsewhere, judgments
from tests.analytics_app.exports.conftest import as_json
from tests.builders import build_study
from tests.elsewhere import study_elsewhere
from tests.once import study_made_once
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db

# The events of a task, with their seconds, by system; the second tool reports no end.
EVENTS = {
    "alpha-mt": [("query", 10.0), ("done", 30.0)],
    "beta-mt": [("query", 10.0), ("query", 20.0), ("query", 50.0), ("click", 60.0)],
}


def judge(study: Study, *, skips: bool) -> None:
    """Have a new rater do a whole set; who skips the last task has never opened it."""
    rater = arrive(study, Rater.Kind.REAL)
    assignments.start(rater=rater)
    for place, screen in enumerate(screens_of(rater)):
        is_last = skips and place == 3
        if not is_last:
            do(screen)
        form = screen.form(dict.fromkeys(screen.form().fields, "4"))
        assert form.is_valid()
        sent = judgments.Submission(
            uuid4(), {} if is_last else form.cleaned_data, skip_reason="technical" if is_last else ""
        )
        judgments.submit(screen=screen, submission=sent)


def screens_of(rater: Rater) -> Iterator[RaterScreen]:
    while (assignment := next_for(rater=rater)) is not None:
        yield RaterScreen(rater, assignment)


def do(screen: RaterScreen) -> None:
    """Open a task, and have its events reported at their times."""
    assert "evalweb_token=" in elsewhere.open_task(screen=screen)
    system = "alpha-mt" if "alpha-mt" in screen.assignment.unit.key else "beta-mt"
    for event, _at in EVENTS[system]:
        assert elsewhere.report(assignment=screen.assignment, event=event) == elsewhere.Reported.STORED
    at = [{"event": event, "at": at} for event, at in EVENTS[system]]
    Assignment.objects.filter(pk=screen.assignment.pk).update(elsewhere_events=at)


def build_searched(owner: User) -> Study:
    """Make a study of two search tools, with a run over the tasks of two raters."""
    study = study_elsewhere(owner)
    for skips in (False, True):
        judge(study, skips=skips)
    start.compute_here(run=start.start(study=study, by=None, trigger="command"), drawn=False)
    return study


searched_once, searched = study_made_once("searched", build_searched)


def test_events_and_seconds_are_counted_by_system(searched: Study) -> None:
    rows = ResultRow.objects.filter(run__study=searched, analysis="elsewhere", basis="kept")
    about = {(row.statistic, row.system, row.label): (row.value, row.n_ratings) for row in rows}
    done = {row["judgment"]: row["system"] for row in as_json(searched) if row["elsewhere"]}
    alpha, beta = (sum(system == key for system in done.values()) for key in EVENTS)
    assert (alpha + beta, min(alpha, beta) > 0) == (7, True)
    assert about["elsewhere_events", "alpha-mt", "query"] == (1.0, alpha)
    assert about["elsewhere_events", "beta-mt", "query"] == (3.0, beta)
    assert about["elsewhere_events", "alpha-mt", "click"] == (0.0, alpha)
    mean, n_tasks = about["elsewhere_events", None, "query"]
    assert (mean, n_tasks) == ((alpha + 3 * beta) / 7, 7)
    assert about["elsewhere_seconds", "alpha-mt", None] == (30.0, alpha)
    assert about["elsewhere_seconds", "beta-mt", None] == (60.0, beta)
    assert about["elsewhere_reported", "alpha-mt", None] == (1.0, alpha)
    assert about["elsewhere_reported", "beta-mt", None] == (0.0, beta)
    (table,) = tables_for("elsewhere", list(rows), limit=0.05)
    assert str(table.caption) == "Tasks on another site, by system"
    said = [str(column.label) for column in table.columns]
    assert "“query” in a task" in said


def test_the_export_has_the_events_of_each_answer(searched: Study) -> None:
    rows = as_json(searched)
    opened = [row for row in rows if row["elsewhere"]]
    for row in opened:
        told = [(event["event"], event["at"]) for event in row["elsewhere"]["events"]]
        assert told == EVENTS[row["system"]]
        assert row["elsewhere"]["answered"] >= 0
    assert {row["label"] for row in rows if not row["elsewhere"]} == {"skip"}


def test_a_task_that_raters_read_has_no_such_rows(rosa: User) -> None:
    study = build_study(rosa, items=2)
    start.compute_here(run=start.start(study=study, by=None, trigger="command"), drawn=False)
    assert not ResultRow.objects.filter(run__study=study, analysis="elsewhere").exists()
