"""A run on a full disk: nothing is half stored, the run says why it failed, and a new one can be started."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection

from analytics_app.models import Exclusion, ResultRow, RunPart
from analytics_app.runs import claim
from analytics_app.runs import start as runs
from analytics_app.runs.compute import Outcome
from tasks_app.models import Study
from tests.analytics_app.runs.conftest import Stand, small_outcome

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stand_in")]

# PostgreSQL refuses what finds no room with this code; here the second row of results finds none.
FULL_DISK = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM analytics_app_resultrow) THEN
        RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON analytics_app_resultrow FOR EACH ROW EXECUTE FUNCTION full_disk()
"""


def test_nothing_is_half_stored_the_reason_is_said_and_a_new_run_ends_well(
    rated: Study, rosa: User, rung: list[int], stand_in: Callable[[Stand], None]
) -> None:
    def twice(part: RunPart) -> Outcome:
        outcome = small_outcome(part)
        outcome.rows *= 2
        return outcome

    with connection.cursor() as cursor:
        cursor.execute(FULL_DISK)
    stand_in(twice)
    run = runs.start(study=rated, by=rosa)
    assert claim.work(run.parts.get(kind="quality").pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert run.error == (
        "quality rules of the task “Likert scale”: The disk of the database is full, so nothing of this part was "
        "stored. Make room there, then start a new run."
    )
    assert not ResultRow.objects.exists()
    assert not Exclusion.objects.filter(run=run).exists()

    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER full_disk ON analytics_app_resultrow")
    again = runs.start(study=rated, by=rosa)
    assert again.pk != run.pk
    for part in again.parts.order_by("number"):
        assert claim.work(part.pk)
    again.refresh_from_db()
    assert (again.state, ResultRow.objects.filter(run=run).count()) == ("done", 0)
