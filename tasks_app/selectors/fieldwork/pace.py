"""The times of judgments, by the quarter of an hour: counted once, since they never change."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db import connection

from tasks_app.models import Study

# The offset of every time zone is a whole number of quarters of an hour, so that these add up to its hours and days.
QUARTER = timedelta(minutes=15)
_SECONDS = int(QUARTER.total_seconds())

# Judgments submitted longer ago than this are committed: every transaction ends sooner.
_SETTLED_SECONDS = 1800
_MOST_STUDIES = 200

# First answers to what is judged, of raters who take places. Surplus and replaced ones were work at their time, too.
# `date_part` returns a float; EXTRACT would make a numeric of each moment, which takes longer.
_JUDGMENTS = """
WITH newer AS (
    SELECT j.id, floor(date_part('epoch', j.submitted_at) / %(quarter)s)::bigint AS quarter,
           j.submitted_at < clock_timestamp() - %(settled)s * interval '1 second' AS settled
    FROM tasks_app_judgment j
    JOIN tasks_app_assignment a ON a.id = j.assignment_id
    JOIN tasks_app_rater r ON r.id = a.rater_id
    WHERE r.study_id = %(study)s AND j.id > %(mark)s AND a.purpose = 'main'
      AND a.rater_kind IN ('real', 'simulated') AND j.replaces_id IS NULL AND j.skip_reason = ''),
lasting AS (SELECT COALESCE(min(id) FILTER (WHERE NOT settled), 9223372036854775807) AS below FROM newer),
counted AS (SELECT quarter, id < below AS lasts, count(*) AS n, max(id) AS last FROM newer, lasting GROUP BY 1, 2)
SELECT EXTRACT(EPOCH FROM clock_timestamp())::float8,
       (SELECT count(*) FROM tasks_app_erasure e WHERE e.study_id = %(study)s),
       (SELECT count(*) FROM tasks_app_invitation i WHERE i.study_id = %(study)s AND i.revoked_at IS NULL),
       (SELECT max(last) FROM counted WHERE lasts),
       (SELECT json_object_agg(quarter, n) FROM counted WHERE lasts),
       (SELECT json_object_agg(quarter, n) FROM counted WHERE NOT lasts)
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """The number of judgments in each quarter of an hour, by its beginning. `now` is the database's."""

    now: datetime
    quarters: Mapping[datetime, int]
    invited: int

    @property
    def total(self) -> int:
        """Judgments in all."""
        return sum(self.quarters.values())

    @property
    def first(self) -> datetime | None:
        """Beginning of the first quarter of an hour with a judgment."""
        return min(self.quarters, default=None)

    @property
    def last(self) -> datetime | None:
        """Beginning of the last quarter of an hour with a judgment."""
        return max(self.quarters, default=None)

    def since(self, moment: datetime) -> int:
        """Count judgments from a quarter of an hour on."""
        return sum(n for quarter, n in self.quarters.items() if quarter >= moment)


@dataclass(slots=True)
class _Known:
    """Judgments of a study that a process has counted: up to a judgment, before a number of erasures."""

    mark: int = 0
    erasures: int = 0
    quarters: Counter[int] = field(default_factory=Counter)


_known: dict[int, _Known] = {}


def quarter_of(moment: datetime) -> datetime:
    """Return the beginning of the quarter of an hour that a moment is in."""
    return _moment(int(moment.timestamp() // _SECONDS))


def pace_of(study: Study) -> Pace:
    """Count the judgments of a study by quarter of an hour: one query, a second one after an erasure."""
    known = _known.get(study.pk, _Known())
    now, erasures, invited, mark, lasting, recent = _read(study, known.mark)
    if erasures != known.erasures and known.mark:
        known = _Known()
        now, erasures, invited, mark, lasting, recent = _read(study, 0)
    quarters = known.quarters + lasting
    if len(_known) > _MOST_STUDIES:
        _known.clear()
    _known[study.pk] = _Known(mark or known.mark, erasures, quarters)
    return Pace(
        now=datetime.fromtimestamp(now, UTC),
        quarters={_moment(quarter): n for quarter, n in sorted((quarters + recent).items())},
        invited=invited,
    )


def _read(study: Study, mark: int) -> tuple[float, int, int, int | None, Counter[int], Counter[int]]:
    params = {"study": study.pk, "mark": mark, "quarter": _SECONDS, "settled": _SETTLED_SECONDS}
    with connection.cursor() as cursor:
        cursor.execute(_JUDGMENTS, params)
        now, erasures, invited, last, lasting, recent = cursor.fetchone()
    return now, erasures, invited, last, _counter(lasting), _counter(recent)


def _counter(counts: dict[str, int] | None) -> Counter[int]:
    return Counter({int(quarter): n for quarter, n in (counts or {}).items()})


def _moment(quarter: int) -> datetime:
    return datetime.fromtimestamp(quarter * _SECONDS, UTC)
