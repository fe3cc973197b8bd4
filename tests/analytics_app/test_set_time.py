"""What results, files and the datasheet say of a set time: a planted difference in lapses, who had more time."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from analytics_app.heds.answers import in_words
from analytics_app.heds.filling import known_of
from analytics_app.heds.questions import questions
from analytics_app.methods_text import write
from analytics_app.models import ResultRow, Run
from analytics_app.runs import start
from analytics_app.show.shown import tables_for
from tasks_app.models import Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tasks_app.task_types.clock import Clock, SetTime, TimedPart
from tests.analytics_app.exports.conftest import as_json
from tests.builders import build_study
from tests.once import study_made_once
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db

TIME = SetTime(20.0, TimedPart.ANSWERING)


def judge(study: Study, *, slow_on: str, choice: str = "usual") -> Rater:
    """Have a new rater answer a whole set; the time for texts of one system is over before the answer."""
    rater = arrive(study, Rater.Kind.REAL)
    assignments.start(rater=rater)
    while (assignment := next_for(rater=rater)) is not None:
        screen = RaterScreen(rater, assignment)
        allowed = TIME.allowed(choice)
        lapsed = slow_on in assignment.unit.key and allowed is not None
        seconds = allowed if lapsed and allowed is not None else 12.0
        timing = Clock(TIME, allowed, seconds).record(sent_by_clock=lapsed, shown=seconds)
        form = screen.form(dict.fromkeys(screen.form().fields, "4"))
        assert form.is_valid()
        sent = judgments.Submission(
            uuid=uuid4(),
            answer={} if lapsed else form.cleaned_data,
            skip_reason="time_over" if lapsed else "",
            seconds_active=seconds,
            timing={**timing, "unfinished": {"p1-fluency": 4}} if lapsed else timing,
        )
        judgments.submit(screen=screen, submission=sent)
    return rater


def build_timed(owner: User) -> Study:
    """Make a study whose raters run out of time on one system, but for one who has chosen no limit."""
    params = {"set_seconds": 20, "set_time_for": "answering"}
    study = build_study(owner, slug="timed", items=2, k=3, params=params, criteria=("fluency", "style"))
    for choice in ("usual", "usual", "none"):
        judge(study, slow_on="beta-mt", choice=choice)
    start.compute_here(run=start.start(study=study, by=None, trigger="command"), drawn=False)
    return study


timed_once, timed = study_made_once("timed", build_timed)


def test_lapses_and_more_time_are_counted_by_system_and_by_rater(timed: Study) -> None:
    """The first rater judges four texts, the others the two that the raters before them ran out of time on."""
    rows = ResultRow.objects.filter(run__study=timed, analysis="set_time", basis="kept")
    about: dict[tuple[str, str | None], Any] = {
        (row.statistic, row.label or row.system or row.rater): (row.value, row.n_ratings) for row in rows
    }
    assert about["time_lapses", "all"] == (4 / 8, 8)
    assert about["time_lapses", "beta-mt"] == (4 / 6, 6)
    assert about["time_lapses", "alpha-mt"] == (0.0, 2)
    assert about["time_more", "all"] == (2 / 8, 8)
    assert about["time_shown", "beta-mt"] == (pytest.approx((4 * 20 + 2 * 12) / 6), 6)
    raters = Rater.objects.order_by("pk").values_list("pseudonym", flat=True)
    assert [about["time_lapses", rater] for rater in raters] == [(0.5, 4), (1.0, 2), (0.0, 2)]
    assert [about["time_more", rater][0] for rater in raters] == [0.0, 0.0, 1.0]
    overall = rows.get(statistic="raters_with_more_time")
    assert overall.value == pytest.approx(1 / 3)
    assert overall.n_raters == 3
    titles = [str(table.caption) for table in tables_for("set_time", list(rows), limit=0.05)]
    assert titles == ["Set time by system", "Set time by rater"]


def test_a_lapse_gives_its_place_back_and_is_a_row_of_the_export(timed: Study) -> None:
    rows = as_json(timed)
    lapsed = [row for row in rows if row["text"] == "time_over"]
    assert len(lapsed) == 4
    assert {row["system"] for row in lapsed} == {"beta-mt"}
    assert all(row["label"] == "skip" and row["state"] == "skipped" for row in lapsed)
    assert lapsed[0]["timing"] == {
        "for": "answering", "set": 20.0, "choice": "usual", "allowed": 20.0, "shown": 20.0, "arrived": 20.0,
        "lapsed": True, "unfinished": {"p1-fluency": 4},
    }  # fmt: skip
    assert all(row["timing"]["lapsed"] is False for row in rows if row not in lapsed)


def test_the_datasheet_says_it(timed: Study) -> None:
    answer = known_of(timed).answers["3.3.5"].answer
    said = in_words(questions()["3.3.5"], answer)
    assert "each text and its questions had 20 seconds" in said
    assert "Every evaluator could take twice the time or no limit, without a reason." in said
    assert "1 of 3 evaluators chose more time at least once." in said
    assert "The time was over before 4 of 8 answers." in said
    assert "There is no limit" not in said


def test_the_methods_section_says_it(timed: Study) -> None:
    text = write(timed, Run.objects.get(study=timed), standing="exploratory", systems=False)
    said = [sentence.text for paragraph in text.paragraphs for sentence in paragraph.sentences]
    assert "Raters had 20 seconds for each text and its questions" in said
    assert (
        "Every rater could take twice the time or no limit, without giving a reason; 1 of 3 raters did so at least once"
    ) in said
    assert "The time was over before 4 of 8 answers" in said
