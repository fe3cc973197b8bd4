"""The exact set of ratings that a run analyses, determined while nobody stores any."""

from __future__ import annotations

from dataclasses import dataclass

from analytics_app.ratings import pooled_versions
from analytics_app.ratings.conditions import is_given
from tasks_app.models import Study
from tasks_app.services.database import rows
from tasks_app.services.marks import Busy, marks_of

__all__ = ["Busy", "Seen", "look"]


@dataclass(frozen=True, slots=True)
class Seen:
    """The ratings of counted judgments up to both marks, how many there are, and from how many raters."""

    high_water: int
    judgment_high_water: int
    n_seen: int
    n_raters: int
    n_simulated: int


# Marks of the study itself, so that what happens in other studies does not make its runs differ. Its judgments are
# gathered before its ratings, of which there are many times as many: joined the other way it takes five times as long.
# They are the judgments that analytics_app.ratings reads; a test compares the two.
_SEEN = """
WITH own AS MATERIALIZED (
    SELECT j.id, j.replaces_id, a.rater_id, a.rater_kind = 'simulated' AS simulated,
           a.purpose IN ('main', 'screening', 'exit') AND {given} AS counts
      FROM tasks_app_rater ra
      JOIN tasks_app_assignment a ON a.rater_id = ra.id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE ra.study_id = %(study)s AND j.id <= %(judgment_high)s),
counted AS MATERIALIZED (
    SELECT id, rater_id, simulated, counts AND NOT EXISTS (SELECT 1 FROM own n WHERE n.replaces_id = own.id) AS counts
      FROM own)
SELECT COALESCE(max(r.id), 0), COALESCE((SELECT max(id) FROM own), 0), count(*) FILTER (WHERE counts),
       (SELECT count(DISTINCT rater_id) FROM counted WHERE counts),
       (SELECT count(DISTINCT rater_id) FROM counted WHERE counts AND simulated)
  FROM counted JOIN tasks_app_rating r ON r.judgment_id = counted.id
 WHERE r.id <= %(high)s
"""


def look(study: Study, *, surplus: bool) -> Seen:
    """Fix which ratings of a study there are now: every later one has a greater id, and none below is missing.

    They are counted after the lock is given back, when raters go on: what they add then is above the marks.

    Raises
    ------
    Busy
        Where an import holds the submissions lock.
    """
    marks = marks_of(study.pk)
    versions = list(pooled_versions(study.pk, study.current_version))
    up_to = {"high": marks.rating, "judgment_high": marks.judgment}
    given = {"study": study.pk, **up_to, "versions": versions, "surplus": surplus}
    (found,) = rows(_SEEN.format(given=is_given()), given)
    return Seen(*found)
