"""Assign places to raters: leases, returned places, booklets. Every function expects the study's claims lock.

What a rater leaves is claimed before any new booklet. Remainders are joined up to the size of a set; a shorter set is
what is left, and is announced as such. All times are the database's.
"""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, cast

from django.db.models import Max

from tasks_app import designs
from tasks_app.designs import RATER
from tasks_app.models import Assignment, Booklet, Rater, RaterSet, Task, Unit
from tasks_app.services.database import rows
from tasks_app.services.judging import leases, sets
from tasks_app.services.judging.sets import Taken
from tasks_app.services.plan import plans
from tasks_app.services.waves import schedule
from tasks_app.task_types.base import Criterion as Asked

# Remainders looked at for one set: more than enough to fill it around units that the rater has met.
LOOK_AT = 20


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
        leases.settle(sorted({one.booklet for one in taken}), rater)
    return chosen


def _new_set(rater: Rater, task: Task, booklet_id: int | None, lease_minutes: float) -> RaterSet:
    number = 1 + (RaterSet.objects.filter(rater=rater).aggregate(last=Max("number"))["last"] or 0)
    times = schedule.times_of(rater, task)
    chosen = RaterSet.objects.create(
        rater=rater,
        task=task,
        booklet_id=booklet_id,
        number=number,
        version=rater.version,
        wave=times.wave,
        opens_at=times.opens_at,
        closes_at=times.closes_at,
        lease_until=times.lease_until,
    )
    leases.renew(chosen.pk, lease_minutes)
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
    return rater.kind in Rater.Kind.COUNTED


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
        room = task.set_size - len(chosen)
        in_order = designs.registry[task.design].keeps_order
        chosen += whole_remainders(of_one, room) if in_order else spaced(of_one, room, task.spacing)
    return chosen


def whole_remainders(free: Sequence[Taken], size: int) -> list[Taken]:
    """Choose up to `size` places in their order, the remainder of one booklet after the other, none torn needlessly.

    For designs whose order must stay, such as documents: nothing is moved to keep outputs of one item apart.
    """
    chosen: list[Taken] = []
    for _booklet, places in groupby(free, key=lambda one: one.booklet):
        met = {one.unit for one in chosen}
        fresh = [one for one in places if one.unit not in met]
        if len(chosen) + len(fresh) <= size or not chosen:
            chosen += fresh[: size - len(chosen)]
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
    own = task.kind.arrange_for_rater(criteria, rng)
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
            attempt=one.attempt,
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
