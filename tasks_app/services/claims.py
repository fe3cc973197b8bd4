"""Giving out places: leases, remainders, booklets. Every function here expects the claims lock of the study.

What a rater leaves is claimed before any new booklet. Remainders are joined up to the size of a set; a shorter set is
what is left, and is announced as such. All times are the database's.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from django.db.models import Max

from tasks_app.designs import RATER
from tasks_app.models import Assignment, Booklet, Rater, RaterSet, Task, Unit
from tasks_app.services import plans, sets
from tasks_app.services.database import rows
from tasks_app.services.sets import Taken
from tasks_app.task_types.base import Criterion as Asked

# Remainders looked at for one set: more than enough to fill it around units that the rater has met.
LOOK_AT = 20


def free_expired(study_id: int) -> int:
    """Free the open places of every set whose lease is over; return how many sets that were."""
    expired = [
        cast("int", row[0])
        for row in rows(
            """UPDATE tasks_app_raterset s SET state = 'expired' FROM tasks_app_rater r
               WHERE r.id = s.rater_id AND r.study_id = %s AND s.state = 'open' AND s.lease_until < now()
               RETURNING s.id""",
            [study_id],
        )
    ]
    if expired:
        leave(expired, Assignment.State.EXPIRED)
    return len(expired)


def leave(sets: Sequence[int], state: str) -> None:
    """Free every place still open in these sets, and mark the booklets they came from as left."""
    rows(
        """WITH freed AS (
               UPDATE tasks_app_assignment SET state = %s
               WHERE set_id = ANY(%s) AND state IN ('reserved', 'live') RETURNING place_id)
           UPDATE tasks_app_booklet SET state = 'left'
           WHERE id IN (SELECT p.booklet_id FROM tasks_app_place p JOIN freed f ON f.place_id = p.id)
           RETURNING id""",
        [state, list(sets)],
    )


def claim(rater: Rater, task: Task, lease_minutes: float) -> RaterSet | None:
    """Reserve the next set of a task for a rater: remainders first, else the lowest free booklet; None when full.

    A task that is asked of everybody is never full: its units hold no places.
    """
    if task.stage != Task.Stage.MAIN:
        return _ask_everybody(rater, task, lease_minutes)
    taken = _remainders(rater, task)
    booklet_id = None
    if not taken:
        booklet_id, taken = _booklet(rater, task)
    if not taken:
        return None
    chosen = _new_set(rater, task, booklet_id if counts_for_the_plan(rater) else None, lease_minutes)
    _assign(rater, task, chosen, taken)
    if counts_for_the_plan(rater):
        settle(sorted({one.booklet for one in taken}), rater)
    return chosen


def _new_set(rater: Rater, task: Task, booklet_id: int | None, lease_minutes: float) -> RaterSet:
    number = 1 + (RaterSet.objects.filter(rater=rater).aggregate(last=Max("number"))["last"] or 0)
    chosen = RaterSet.objects.create(
        rater=rater, task=task, booklet_id=booklet_id, number=number, version=rater.version
    )
    renew(chosen.pk, lease_minutes)
    return chosen


def _ask_everybody(rater: Rater, task: Task, lease_minutes: float) -> RaterSet | None:
    """Give a rater every unit of a task that is asked of everybody; None where they have it already."""
    if RaterSet.objects.filter(rater=rater, task=task).exists():
        return None
    units = list(Unit.objects.filter(task=task, until=None).order_by("id").values_list("id", flat=True))
    chosen = _new_set(rater, task, None, lease_minutes)
    purpose = Assignment.Purpose.SCREENING if task.stage == Task.Stage.SCREENING else Assignment.Purpose.EXIT
    planned = tuple(sets.Planned(purpose, unit) for unit in units)
    sets.draw_arrangements(rater, task, planned)
    _write(rater, task, chosen, sets.Composed(planned))
    return chosen


def counts_for_the_plan(rater: Rater) -> bool:
    """Say whether a rater's judgments fill places: those of somebody trying the study out do not."""
    return rater.kind in {Rater.Kind.REAL, Rater.Kind.SIMULATED}


# A sign of life keeps all sets of a rater that can be worked on now, of which one is named; their rows are locked in
# one order. The leases of later waves end with their waves.
_RENEW = """
WITH own AS (
    SELECT s.id FROM tasks_app_raterset s JOIN tasks_app_raterset named ON named.rater_id = s.rater_id
    WHERE named.id = %(set)s AND s.state = 'open' AND (s.opens_at IS NULL OR s.opens_at <= now())
    ORDER BY s.id FOR UPDATE OF s)
UPDATE tasks_app_raterset SET lease_until = now() + %(minutes)s * interval '1 minute'
WHERE id IN (SELECT id FROM own) RETURNING id
"""

_SHOW = """
WITH own AS (
    SELECT s.id FROM tasks_app_raterset s JOIN tasks_app_raterset named ON named.rater_id = s.rater_id
    WHERE named.id = %(set)s AND s.state = 'open' AND (s.opens_at IS NULL OR s.opens_at <= now())
    ORDER BY s.id FOR UPDATE OF s),
held AS (
    UPDATE tasks_app_raterset SET lease_until = now() + %(minutes)s * interval '1 minute'
    WHERE id IN (SELECT id FROM own) RETURNING id)
UPDATE tasks_app_assignment SET state = 'live', first_shown = COALESCE(first_shown, now()), renewed_at = now()
WHERE id = %(assignment)s AND set_id IN (SELECT id FROM held) AND state IN ('reserved', 'live') RETURNING id
"""


def renew(set_id: int, lease_minutes: float) -> bool:
    """Lengthen the leases of a rater's sets and lock their rows; False where the named one is not open any more."""
    return (set_id,) in rows(_RENEW, {"set": set_id, "minutes": lease_minutes})


def show(assignment: Assignment, lease_minutes: float) -> bool:
    """Mark a unit as shown and lengthen the rater's leases; False where it was freed meanwhile.

    One statement: the sets' rows are locked before the assignment's, as everywhere.
    """
    given = {"set": assignment.set_id, "minutes": lease_minutes, "assignment": assignment.pk}
    return bool(rows(_SHOW, given))


def finish(assignment_id: int, rater_id: int, state: str) -> bool:
    """Write down what became of a unit and drop its draft; say whether the rater has anything left to answer."""
    left = rows(
        """WITH written AS (UPDATE tasks_app_assignment SET state = %s WHERE id = %s),
                dropped AS (DELETE FROM tasks_app_draft WHERE assignment_id = %s)
           SELECT EXISTS (SELECT 1 FROM tasks_app_assignment WHERE rater_id = %s AND id <> %s
                          AND state IN ('reserved', 'live', 'expired'))""",
        [state, assignment_id, assignment_id, rater_id, assignment_id],
    )
    return bool(left[0][0])


def revive(set_id: int, lease_minutes: float) -> int:
    """Give a rater who comes back late whatever of an expired set is still free; return how many units that is."""
    revived = rows(
        """UPDATE tasks_app_assignment a SET state = CASE WHEN first_shown IS NULL THEN 'reserved' ELSE 'live' END
           WHERE a.set_id = %s AND a.state = 'expired' AND (a.place_id IS NULL OR NOT EXISTS (
               SELECT 1 FROM tasks_app_assignment o
               WHERE o.place_id = a.place_id AND o.state IN ('reserved', 'live', 'submitted')))
           RETURNING a.place_id""",
        [set_id],
    )
    if revived:
        _drop_orphans(set_id)
        RaterSet.objects.filter(pk=set_id, state=RaterSet.State.EXPIRED).update(state=RaterSet.State.OPEN)
        renew(set_id, lease_minutes)
        places = [row[0] for row in revived if row[0] is not None]
        settle(list(Booklet.objects.filter(places__in=places).values_list("pk", flat=True).distinct()), None)
    return len(revived)


def _drop_orphans(set_id: int) -> None:
    """Take what has lost its sense out of a set: checks without a unit to judge, repeats of what was not answered."""
    rows(
        """UPDATE tasks_app_assignment a SET state = 'returned'
           WHERE a.set_id = %s AND a.state IN ('reserved', 'live', 'expired') AND (
               a.purpose = 'repeat' AND EXISTS (
                   SELECT 1 FROM tasks_app_assignment o WHERE o.id = a.repeat_of_id
                   AND o.state NOT IN ('reserved', 'live', 'submitted', 'surplus'))
               OR a.purpose IN ('training', 'exam', 'warm_up', 'control', 'attention') AND NOT EXISTS (
                   SELECT 1 FROM tasks_app_assignment o WHERE o.set_id = a.set_id AND o.purpose = 'main'
                   AND o.state IN ('reserved', 'live')))
           RETURNING a.id""",
        [set_id],
    )


def drop_repeat(assignment_id: int) -> None:
    """Take the repeat of a unit that was skipped out of the set."""
    Assignment.objects.filter(repeat_of=assignment_id, state__in=("reserved", "live", "expired")).update(
        state=Assignment.State.RETURNED
    )


def has_room(task: Task) -> bool:
    """Say whether a task has a place that somebody new could have, expired leases counted as free."""
    if task.stage != Task.Stage.MAIN:
        return True
    return bool(
        rows(
            """SELECT EXISTS (SELECT 1 FROM tasks_app_booklet WHERE task_id = %(task)s AND state = 'free')
                   OR EXISTS (SELECT 1 FROM tasks_app_booklet b JOIN tasks_app_place p ON p.booklet_id = b.id
                              WHERE b.task_id = %(task)s AND b.state = 'left' AND NOT EXISTS (
                                  SELECT 1 FROM tasks_app_assignment a WHERE a.place_id = p.id
                                  AND a.state IN ('reserved', 'live', 'submitted')))
                   OR EXISTS (SELECT 1 FROM tasks_app_raterset s JOIN tasks_app_assignment a ON a.set_id = s.id
                              WHERE s.task_id = %(task)s AND s.state = 'open' AND s.lease_until < now()
                              AND a.state IN ('reserved', 'live'))""",
            {"task": task.pk},
        )[0][0]
    )


def _remainders(rater: Rater, task: Task) -> list[Taken]:
    """Join free places that others left, up to a set, none of a unit the rater has met, well spaced."""
    found = rows(
        """SELECT p.id, p.unit_id, u.item_id, p.booklet_id, COALESCE(u.features->>'criterion', ''), p.arrangement
           FROM tasks_app_place p JOIN tasks_app_booklet b ON b.id = p.booklet_id
           JOIN tasks_app_unit u ON u.id = p.unit_id
           WHERE b.task_id = %s AND b.state = 'left' AND (b.group_id IS NULL OR b.group_id = %s)
             AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                             WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))
             AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                             WHERE a.rater_id = %s AND a.unit_id = p.unit_id
                               AND a.purpose IN ('main', 'warm_up'))
           ORDER BY b.number, p."order" LIMIT %s""",
        [task.pk, rater.group_id, rater.pk, task.set_size * LOOK_AT],
    )
    return joined([_free(row) for row in found], task, _own_criterion(rater, task))


def _own_criterion(rater: Rater, task: Task) -> str:
    """Return the criterion that a rater judges by, where each rater has one; empty before the first set."""
    if task.criteria_mode != RATER:
        return ""
    met = Assignment.objects.filter(rater=rater, unit__task=task).values_list("unit__features__criterion", flat=True)
    return met.first() or ""


def joined(free: Sequence[Taken], task: Task, own: str) -> list[Taken]:
    """Join free places to a set: of one criterion where a rater has one, else of one criterion after the other."""
    criteria = list(dict.fromkeys(one.criterion for one in free if own in {"", one.criterion}))
    if task.criteria_mode == RATER:
        criteria = criteria[:1]
    chosen: list[Taken] = []
    for criterion in criteria:
        of_one = [one for one in free if one.criterion == criterion]
        chosen += spaced(of_one, task.set_size - len(chosen), task.spacing)
    return chosen


def spaced(free: Sequence[Taken], size: int, spacing: int) -> list[Taken]:
    """Choose up to `size` places in their order, no unit twice, outputs of one item `spacing` apart.

    A place that comes too early waits until enough others stand before it; what cannot stand anywhere is left to
    somebody else. At least one place is chosen where there is one.
    """
    waiting, chosen = list(free), list[Taken]()
    units: set[int] = set()
    last: dict[int, int] = {}

    def fits(one: Taken) -> bool:
        far_enough = one.item is None or one.item not in last or len(chosen) - last[one.item] >= spacing
        return one.unit not in units and far_enough

    while len(chosen) < size and (found := next((one for one in waiting if fits(one)), None)) is not None:
        waiting.remove(found)
        if found.item is not None:
            last[found.item] = len(chosen)
        units.add(found.unit)
        chosen.append(found)
    return chosen


def _booklet(rater: Rater, task: Task) -> tuple[int | None, list[Taken]]:
    """Find the lowest free booklet without a unit that the rater has met, on the criterion the rater judges by."""
    own = _own_criterion(rater, task)
    found = rows(
        """SELECT b.id FROM tasks_app_booklet b
           WHERE b.task_id = %s AND b.state = 'free' AND (b.group_id IS NULL OR b.group_id = %s)
             AND NOT EXISTS (SELECT 1 FROM tasks_app_place p JOIN tasks_app_assignment a
                             ON a.unit_id = p.unit_id AND a.rater_id = %s
                             AND a.purpose IN ('main', 'warm_up')
                             WHERE p.booklet_id = b.id)
             AND (%s = '' OR EXISTS (SELECT 1 FROM tasks_app_place p JOIN tasks_app_unit u ON u.id = p.unit_id
                                     WHERE p.booklet_id = b.id AND u.features->>'criterion' = %s))
           ORDER BY b.number LIMIT 1""",
        [task.pk, rater.group_id, rater.pk, own, own],
    )
    if not found:
        return None, []
    booklet_id = cast("int", found[0][0])
    places = rows(
        """SELECT p.id, p.unit_id, u.item_id, p.booklet_id, COALESCE(u.features->>'criterion', ''), p.arrangement
           FROM tasks_app_place p JOIN tasks_app_unit u ON u.id = p.unit_id
           WHERE p.booklet_id = %s ORDER BY p."order" """,
        [booklet_id],
    )
    return booklet_id, [_free(row) for row in places]


def _free(row: tuple[Any, ...]) -> Taken:
    place, unit, item, booklet, criterion, arrangement = row
    drawn = json.loads(arrangement) if isinstance(arrangement, str) else arrangement
    return Taken(place, unit, item, booklet, criterion, drawn)


def _assign(rater: Rater, task: Task, chosen: RaterSet, taken: Sequence[Taken]) -> None:
    """Write the assignments of a set: the units to judge with their places, and what belongs to them."""
    number = Booklet.objects.values_list("number", flat=True).get(pk=taken[0].booklet)
    _write(rater, task, chosen, sets.compose(rater, task, taken, number))


def _write(rater: Rater, task: Task, chosen: RaterSet, composed: sets.Composed) -> None:
    """Write assignments in their order, each with its unit's arrangement and the rater's own."""
    last = Assignment.objects.filter(rater=rater).aggregate(last=Max("order"))["last"] or 0
    criteria = [Asked(one.criterion.key, one.criterion.name) for one in task.task_criteria.select_related("criterion")]
    rng = plans.seeded(task.study, "rater", rater.seed, task.key)
    own = task.kind.arrange_for_rater(criteria, task.kind.params(task.params), rng)
    counted = counts_for_the_plan(rater)
    rows_of = [
        Assignment(
            rater=rater,
            rater_kind=rater.kind,
            set=chosen,
            unit_id=one.unit,
            purpose=one.purpose,
            place_id=one.place if counted else None,
            order=last + number + (composed.gap if number > composed.gap_after else 0),
            arrangement={**one.arrangement, **own},
            wave=chosen.wave,
            version=rater.version,
        )
        for number, one in enumerate(composed.planned, start=1)
    ]
    originals = [row for row, one in zip(rows_of, composed.planned, strict=True) if one.repeats is None]
    Assignment.objects.bulk_create(originals)
    repeats = []
    for row, one in zip(rows_of, composed.planned, strict=True):
        if one.repeats is not None:
            row.repeat_of = rows_of[one.repeats]
            repeats.append(row)
    Assignment.objects.bulk_create(repeats)


def settle(booklets: Sequence[int], rater: Rater | None) -> None:
    """Write down which of these booklets are taken whole and which have open places left."""
    rows(
        """UPDATE tasks_app_booklet b SET claimed_by_id = COALESCE(%s, b.claimed_by_id), state = CASE WHEN EXISTS (
               SELECT 1 FROM tasks_app_place p WHERE p.booklet_id = b.id AND NOT EXISTS (
                   SELECT 1 FROM tasks_app_assignment a
                   WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted')))
               THEN 'left' ELSE 'taken' END
           WHERE b.id = ANY(%s) RETURNING b.id""",
        [rater.pk if rater else None, list(booklets)],
    )
