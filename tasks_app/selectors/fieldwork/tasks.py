"""The progress of each task of a study: its places, and the number of judgments of its units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks_app.models import Assignment, Study, Task
from tasks_app.selectors.pay import BOOKLETS_SAMPLED, FullSet
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.settings.checks import CheckSettings, checks_of

# Places and answers are sums over the counts of booklets and sets, which triggers keep. Answered units are counted in
# an index alone (assignment_answered). Counting the units with places takes as long as all the rest, and the count only
# changes with the plan: a process that knows it for these numbers of places and booklets does not count again. OFFSET 0
# has the database look in the index of places for each unit, instead of reading the places of all studies. Only few
# assignments are held, surplus or skipped: the task of each is looked up, since a join would read all units. A place is
# held while the lease of its set runs, whether or not somebody has come since who freed it.
_TASKS = """
SELECT t.*, COALESCE(planned.places, 0) AS places, COALESCE(answered.n, 0) AS submitted,
       COALESCE(beside.held, 0) AS held, COALESCE(beside.unanswered, 0) AS unanswered,
       COALESCE(beside.surplus, 0) AS surplus, COALESCE(beside.skipped, 0) AS skipped,
       COALESCE(judged.counts, '{}'::json) AS judged, full_set.units AS full_units,
       ARRAY(SELECT g.group_id FROM tasks_app_taskgroup g WHERE g.task_id = t.id) AS group_ids,
       (SELECT json_agg(json_build_array(g.id, g.share) ORDER BY g.id) FROM tasks_app_group g
        WHERE g.study_id = t.study_id) AS group_shares, planned.n_booklets,
       CASE WHEN t.until IS NULL AND (t.id, COALESCE(planned.places, 0), planned.n_booklets) NOT IN (
                SELECT * FROM unnest(%(tasks)s::bigint[], %(places)s::bigint[], %(booklets)s::bigint[]))
            THEN (SELECT count(*) FROM tasks_app_unit u WHERE u.task_id = t.id
                  AND EXISTS (SELECT 1 FROM tasks_app_place p WHERE p.unit_id = u.id OFFSET 0)) END AS n_units,
       (SELECT count(DISTINCT w.unit_id) FROM tasks_app_withdrawnunit w JOIN tasks_app_unit u ON u.id = w.unit_id
        WHERE u.task_id = t.id AND EXISTS (SELECT 1 FROM tasks_app_place p WHERE p.unit_id = u.id)) AS n_withdrawn
FROM tasks_app_task t
CROSS JOIN LATERAL (SELECT sum(b.n_places) AS places, count(*) AS n_booklets
                    FROM tasks_app_booklet b WHERE b.task_id = t.id) planned
CROSS JOIN LATERAL (SELECT sum(s.n_answered) AS n FROM tasks_app_raterset s WHERE s.task_id = t.id) answered
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE lease.runs) AS held,
           count(*) FILTER (WHERE lease.runs AND NOT EXISTS (
               SELECT 1 FROM tasks_app_assignment d WHERE d.rater_id = a.rater_id AND d.state = ANY(%(done)s))
           ) AS unanswered,
           count(*) FILTER (WHERE a.state = 'surplus') AS surplus,
           count(*) FILTER (WHERE a.state = 'skipped') AS skipped
    FROM tasks_app_assignment a
    CROSS JOIN LATERAL (SELECT a.state IN ('reserved', 'live') AND a.place_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM tasks_app_raterset s WHERE s.id = a.set_id AND s.lease_until > clock_timestamp()) AS runs) lease
    WHERE t.until IS NULL AND a.purpose = 'main' AND a.rater_kind <> 'sandbox' AND a.state = ANY(%(beside)s)
      AND (SELECT u.task_id FROM tasks_app_unit u WHERE u.id = a.unit_id) = t.id) beside
CROSS JOIN LATERAL (
    SELECT json_object_agg(n, units) AS counts FROM (
        SELECT units.n, count(*) AS units FROM (
            SELECT count(*) AS n FROM tasks_app_raterset s JOIN tasks_app_assignment a ON a.set_id = s.id
            WHERE s.task_id = t.id AND t.until IS NULL AND a.state = 'submitted' AND a.place_id IS NOT NULL
              AND a.unit_id NOT IN (SELECT w.unit_id FROM tasks_app_withdrawnunit w)
            GROUP BY a.unit_id) units
        GROUP BY units.n) counted) judged
CROSS JOIN LATERAL (
    SELECT CASE WHEN t.design = ANY(%(requested)s) THEN t.set_size
                ELSE LEAST(t.set_size, COALESCE(max(first.n_places), t.set_size)) END AS units
    FROM (SELECT n_places FROM tasks_app_booklet WHERE task_id = t.id ORDER BY number LIMIT %(looked)s) first) full_set
WHERE t.study_id = %(study)s
ORDER BY t."order", t.id
"""

# Number of units with places, by study, then by task, its number of places and its number of booklets.
_Plan = tuple[int, int, int]
_known_units: dict[int, dict[_Plan, int]] = {}
_MOST_STUDIES = 1000


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Progress of a task: its places by state, its other answers, and its units by their number of judgments.

    `unanswered` are the held places of raters who have answered nothing yet. `withdrawn` counts the units that show
    a withdrawn text; they are not among `units`, nor are their open places among `places`.
    """

    task: Task
    places: int
    submitted: int
    held: int
    unanswered: int
    surplus: int
    skipped: int
    units: Mapping[int, int]
    checks: CheckSettings
    withdrawn: int = 0

    @property
    def free(self) -> int:
        """Places that nobody holds."""
        return self.places - self.submitted - self.held

    @property
    def share(self) -> float:
        """Share of places with an answer, 0 to 1."""
        return self.submitted / self.places if self.places else 0.0

    @property
    def least(self) -> int:
        """Fewest judgments of a unit."""
        return min(self.units, default=0)

    @property
    def most(self) -> int:
        """Most judgments of a unit."""
        return max(self.units, default=0)


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Progress of a study: its tasks as they are now, and the full set of each task, in every version.

    `group_shares` is the share of raters that each group gets, by the id of the group; empty without groups.
    """

    tasks: tuple[TaskProgress, ...]
    full_sets: tuple[FullSet, ...]
    group_shares: Mapping[int | None, int] = field(default_factory=dict)

    @property
    def checks(self) -> dict[int, CheckSettings]:
        """The checks of each task."""
        return {task.task.pk: task.checks for task in self.tasks}

    @property
    def places(self) -> int:
        """Places of all tasks."""
        return sum(task.places for task in self.tasks)

    @property
    def submitted(self) -> int:
        """Places with an answer."""
        return sum(task.submitted for task in self.tasks)

    @property
    def withdrawn(self) -> int:
        """Units that are given to nobody, since they show a withdrawn text."""
        return sum(task.withdrawn for task in self.tasks)

    @property
    def unanswered(self) -> int:
        """Places held by raters who have answered nothing yet."""
        return sum(task.unanswered for task in self.tasks)

    @property
    def share(self) -> float:
        """Share of places with an answer, 0 to 1."""
        return self.submitted / self.places if self.places else 0.0

    @property
    def later(self) -> tuple[TaskProgress, ...]:
        """Tasks that open some days after a rater has enrolled, and have open places."""
        return tuple(task for task in self.tasks if task.task.opens_after_days and task.submitted < task.places)


def study_progress(study: Study) -> StudyProgress:
    """Count places, answers and units of a study's tasks in one query."""
    if len(_known_units) > _MOST_STUDIES:
        _known_units.clear()
    known = _known_units.setdefault(study.pk, {})
    params = {
        "study": study.pk,
        "requested": list(ON_REQUEST),
        "beside": sorted(Assignment.State.BESIDE),
        "done": sorted(Assignment.State.DONE),
        "looked": BOOKLETS_SAMPLED,
        "tasks": [task for task, _places, _booklets in known],
        "places": [places for _task, places, _booklets in known],
        "booklets": [booklets for _task, _places, booklets in known],
    }
    rows: list[Any] = list(Task.objects.raw(_TASKS, params))
    current = [row for row in rows if row.until is None]
    units = {
        (row.pk, row.places, row.n_booklets): known[row.pk, row.places, row.n_booklets]
        if row.n_units is None
        else row.n_units
        for row in current
    }
    _known_units[study.pk] = units
    return StudyProgress(
        tasks=tuple(_progress(row, units[row.pk, row.places, row.n_booklets]) for row in current),
        full_sets=tuple(
            FullSet(row.pk, row.since, row.until, row.full_units, frozenset(row.group_ids))
            for row in rows
            if row.stage == Task.Stage.MAIN
        ),
        group_shares=dict(rows[0].group_shares or ()) if rows else {},
    )


def _progress(row: Any, n_units: int) -> TaskProgress:
    judged = {int(n): units for n, units in row.judged.items()}
    unjudged = n_units - row.n_withdrawn - sum(judged.values())
    return TaskProgress(
        task=row,
        places=int(row.places),
        submitted=int(row.submitted),
        held=row.held,
        unanswered=row.unanswered,
        surplus=row.surplus,
        skipped=row.skipped,
        units=dict(sorted({**({0: unjudged} if unjudged > 0 else {}), **judged}.items())),
        checks=checks_of(row.checks),
        withdrawn=row.n_withdrawn,
    )
