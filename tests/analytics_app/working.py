"""Raters who judge through services, for tests of pages that watch them."""

from itertools import count
from uuid import uuid4

from django.db import connection

from tasks_app.models import Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tests.walk import arrive, next_for


def judge(rater: Rater, n: int | None = None, *, right: bool = True) -> None:
    """Answer so many units of a rater, or all: those with known answers as told, the others with a 4."""
    assignments.start(rater=rater)
    for _unit in range(n) if n is not None else count():
        assignment = next_for(rater=rater)
        if assignment is None:
            return
        screen = RaterScreen(rater, assignment)
        value = 1 if assignment.purpose in {"control", "attention", "exam"} and not right else 4
        form = screen.form({name: str(value) for name in screen.form().fields})
        assert form.is_valid(), form.errors
        sent = judgments.Submission(uuid=uuid4(), answer=form.cleaned_data, seconds_active=4.5)
        judgments.submit(screen=screen, submission=sent)


def finish(study: Study, *, right: bool = True, kind: str = Rater.Kind.REAL) -> Rater:
    """Have a new rater answer a whole set."""
    rater = arrive(study, kind)
    judge(rater, right=right)
    rater.refresh_from_db()
    assert rater.outcome == Rater.Outcome.COMPLETED
    return rater


def two_hours_pass() -> None:
    """Move all judgments into the past."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE tasks_app_judgment DISABLE TRIGGER USER")
        cursor.execute("UPDATE tasks_app_judgment SET submitted_at = now() - interval '2 hours'")
        cursor.execute("ALTER TABLE tasks_app_judgment ENABLE TRIGGER USER")
