"""Which ratings a run sees: an exact set, read while nobody stores any."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import OperationalError, connection, transaction

from analytics_app.ratings import pooled_versions
from tasks_app.models import Study
from tasks_app.services.database import lock_submissions, rows

# Raters of the study wait as long as this lock is waited for: behind an import, which may take minutes, not at all.
PATIENCE = "1s"
LOCK_NOT_AVAILABLE = "55P03"


class Busy(Exception):
    """Somebody stores many ratings in one transaction, so that it cannot be said now which ratings there are."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The ratings of counted judgments up to both marks, and how many there are."""

    high_water: int
    judgment_high_water: int
    n_seen: int


# Marks of the study itself, so that what happens in other studies does not make its runs differ. Its judgments are
# gathered before its ratings, of which there are many times as many: joined the other way it takes five times as long.
# They are the judgments that analytics_app.ratings reads; a test compares the two.
_SEEN = """
WITH own AS MATERIALIZED (
    SELECT j.id, j.replaces_id,
           a.purpose IN ('main', 'screening', 'exit') AND a.rater_kind <> 'sandbox' AND j.skip_reason = ''
           AND j.version = ANY(%(versions)s)
           AND a.state NOT IN ('withdrawn', 'returned') AND (%(surplus)s OR a.state <> 'surplus') AS counts
      FROM tasks_app_rater ra
      JOIN tasks_app_assignment a ON a.rater_id = ra.id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE ra.study_id = %(study)s AND j.id <= %(judgment)s),
counted AS MATERIALIZED (
    SELECT id, counts AND NOT EXISTS (SELECT 1 FROM own n WHERE n.replaces_id = own.id) AS counts FROM own)
SELECT COALESCE(max(r.id), 0), COALESCE((SELECT max(id) FROM own), 0), count(*) FILTER (WHERE counts)
  FROM counted JOIN tasks_app_rating r ON r.judgment_id = counted.id
 WHERE r.id <= %(rating)s
"""


def look(study: Study, *, surplus: bool) -> Seen:
    """Fix which ratings of a study there are now: every later one has a greater id, and none below is missing.

    Raises
    ------
    Busy
        Where an import holds the submissions lock.
    """
    rating, judgment = _marks(study.pk)
    versions = list(pooled_versions(study.pk, study.current_version))
    up_to = {"study": study.pk, "rating": rating, "judgment": judgment, "versions": versions, "surplus": surplus}
    ((high_water, judgment_high_water, n_seen),) = rows(_SEEN, up_to)
    return Seen(high_water, judgment_high_water, n_seen)


def _marks(study_id: int) -> tuple[int, int]:
    """Read the greatest ids of all studies under the study's lock, and give the lock back at once.

    A transaction lock lives to the end of the transaction, or of the savepoint that is rolled back. Counting the
    ratings of the study comes afterwards, when raters go on: what they add then is above the marks.
    """
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
            lock_submissions(study_id)
            ((rating, judgment),) = rows(
                "SELECT COALESCE((SELECT max(id) FROM tasks_app_rating), 0),"
                " COALESCE((SELECT max(id) FROM tasks_app_judgment), 0)",
                [],
            )
            transaction.set_rollback(True)
    except OperationalError as error:
        if getattr(error.__cause__, "pgcode", None) == LOCK_NOT_AVAILABLE:
            raise Busy from error
        raise
    return int(rating), int(judgment)
