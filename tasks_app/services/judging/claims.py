"""Assign places to raters: leases, returned places, booklets. Every function expects the study's claims lock.

What a rater leaves is claimed before any new booklet. Remainders are joined up to the size of a set; a shorter set is
what is left, and is announced as such. All times are the database's.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

from django.db.models import Prefetch, prefetch_related_objects

from tasks_app import designs
from tasks_app.designs import RATER
from tasks_app.models import Assignment, OwnUnit, Rater, RaterSet, Study, Task, TaskCriterion, Unit, is_withdrawn
from tasks_app.models.statements import Prepared, rows
from tasks_app.services.arrival.own_texts import IS_OWN
from tasks_app.services.judging import leases, reservations, sets, suggestions
from tasks_app.services.judging.sets import ClaimedPlace
from tasks_app.services.plan import plans
from tasks_app.services.waves import schedule
from tasks_app.services.waves.schedule import Scheduled
from tasks_app.task_types.base import WORDINGS
from tasks_app.task_types.base import Criterion as AskedCriterion

# The limit of places read for one set, in sets: more than enough to fill it around units that the rater has met.
LOOK_AT = 20


@dataclass(frozen=True, slots=True)
class NewRater:
    """Facts about a rater who is enrolling, which are read for every other: their invitation and their tasks by id."""

    invitation: int | None
    scheduled: Mapping[int, Scheduled]


def tasks_to_claim(study: Study) -> list[Task]:
    """Read the tasks of a study with all that claiming their sets needs of them, before the claims lock is taken."""
    return list(schedule.tasks_in_order(study.pk).prefetch_related(_CRITERIA))


# The criteria of tasks, in their order.
_CRITERIA = Prefetch("task_criteria", TaskCriterion.objects.select_related("criterion"))


def claim(rater: Rater, task: Task, new: NewRater | None = None) -> RaterSet | None:
    """Reserve the next set of a task for a rater: remainders first, else the lowest free booklet; None when full.

    A rater who was invited to a certain set gets that set, and no other of the task.

    A task that is asked of everybody is never full: its units hold no places.
    """
    task.study = rater.study
    if task.stage != Task.Stage.MAIN:
        return _ask_everybody(rater, task, new)
    invitation = reservations.invitation_of(rater) if new is None else new.invitation
    wordings = _own_wordings(rater, task)
    booklet_id = reservations.reserved_set(invitation, task)
    if booklet_id is not None:
        places = _places_left(rater, booklet_id)
    else:
        places = _remainders(rater, task, invitation, wordings)
        if not places:
            booklet_id, places = _booklet(rater, task, invitation, wordings)
    if not places:
        return None
    last = _last_numbers(rater)
    rater_set = _new_set(rater, task, booklet_id if counts_for_the_plan(rater) else None, last, new)
    composed = sets.compose(rater, task, places, places[0].booklet_number, is_first=not last.order)
    if wordings := wordings or places[0].wordings:
        for planned in composed.planned:
            planned.arrangement[WORDINGS] = wordings
    _write(rater, task, rater_set, composed, last)
    if counts_for_the_plan(rater):
        leases.settle(sorted({place.booklet for place in places}), rater)
    return rater_set


@dataclass(frozen=True, slots=True)
class _Last:
    """The number of a rater's last set, and the position of their last assignment; 0 where there is none."""

    number: int
    order: int


_LAST = Prepared(
    "last_of_rater",
    """
SELECT COALESCE((SELECT max(number) FROM tasks_app_raterset WHERE rater_id = %(rater)s), 0),
       COALESCE((SELECT max("order") FROM tasks_app_assignment WHERE rater_id = %(rater)s), 0)
""",
)


def _last_numbers(rater: Rater) -> _Last:
    return _Last(*_LAST.rows({"rater": rater.pk})[0])


def _new_set(rater: Rater, task: Task, booklet_id: int | None, last: _Last, new: NewRater | None) -> RaterSet:
    if new is None:
        times = schedule.times_of(rater, task)
    else:
        times = new.scheduled[task.pk].times(rater.study, rater.enrolled_at)
    rater_set = RaterSet.objects.create(
        rater=rater,
        task=task,
        booklet_id=booklet_id,
        number=last.number + 1,
        version=rater.version,
        wave=times.wave,
        opens_at=times.opens_at,
        closes_at=times.closes_at,
        lease_until=times.lease_until,
    )
    leases.renew(rater)
    return rater_set


def _ask_everybody(rater: Rater, task: Task, new: NewRater | None) -> RaterSet | None:
    """Give a rater every unit of a task that is asked of everybody; None where they have it already."""
    if new is None and RaterSet.objects.filter(rater=rater, task=task).exists():
        return None
    units = list(Unit.objects.filter(task=task, until=None, withdrawn=None).order_by("id").values_list("id", flat=True))
    last = _last_numbers(rater)
    rater_set = _new_set(rater, task, None, last, new)
    purpose = Assignment.Purpose.SCREENING if task.stage == Task.Stage.SCREENING else Assignment.Purpose.EXIT
    planned = tuple(sets.Planned(purpose, unit) for unit in units)
    sets.draw_arrangements(rater, task, planned)
    _write(rater, task, rater_set, sets.Composed(planned), last)
    return rater_set


def counts_for_the_plan(rater: Rater) -> bool:
    """Return whether a rater's judgments fill places: those of somebody trying the study out do not."""
    return rater.kind in Rater.Kind.COUNTED


# Condition on a place `p`: nobody is given it, since its text is withdrawn.
_WITHDRAWN = is_withdrawn("p.unit_id")

# Query that is true if a new rater could get a place of the task.
_ROOM = f"""
SELECT EXISTS (SELECT 1 FROM tasks_app_booklet b
               WHERE b.task_id = %(task)s AND b.state = 'free' AND NOT {reservations.SET_KEPT} AND EXISTS (
                   SELECT 1 FROM tasks_app_place p WHERE p.booklet_id = b.id AND NOT {_WITHDRAWN}))
    OR EXISTS (SELECT 1 FROM tasks_app_booklet b JOIN tasks_app_place p ON p.booklet_id = b.id
               WHERE b.task_id = %(task)s AND b.state = 'left' AND NOT {reservations.PLACE_KEPT} AND NOT {_WITHDRAWN}
               AND NOT EXISTS (
                   SELECT 1 FROM tasks_app_assignment a
                   WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted')))
    OR EXISTS (SELECT 1 FROM tasks_app_raterset s JOIN tasks_app_assignment a ON a.set_id = s.id
               LEFT JOIN tasks_app_place p ON p.id = a.place_id LEFT JOIN tasks_app_booklet b ON b.id = p.booklet_id
               WHERE s.task_id = %(task)s AND s.state = 'open' AND s.lease_until < now()
               AND a.state IN ('reserved', 'live') AND NOT {reservations.PLACE_KEPT} AND NOT {_WITHDRAWN})
"""  # noqa: S608  its parts are constants of the code


def has_room(task: Task, invitation: int | None = None) -> bool:
    """Return whether a task has a place that somebody new could have, expired leases counted as free.

    With an `invitation`, whether its person could have one: of the set that is kept for them, if one is.
    """
    if task.stage != Task.Stage.MAIN:
        return True
    booklet = reservations.reserved_set(invitation, task)
    if booklet is not None and invitation is not None:
        return reservations.has_places(booklet, invitation)
    return bool(rows(_ROOM, {"task": task.pk, "own": invitation})[0][0])


# Places that others left, without units that the rater has met. The limit is more than enough to fill a set.
_REMAINDERS = Prepared(
    "remainders",
    f"""
SELECT p.id, p.unit_id, u.item_id, p.booklet_id, b.number, COALESCE(u.features->>'criterion', ''), p.arrangement
FROM tasks_app_place p JOIN tasks_app_booklet b ON b.id = p.booklet_id
JOIN tasks_app_unit u ON u.id = p.unit_id
WHERE b.task_id = %(task)s AND b.state = 'left' AND (b.group_id IS NULL OR b.group_id = %(group)s)
  AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                  WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))
  AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                  WHERE a.rater_id = %(rater)s AND a.unit_id = p.unit_id
                    AND a.purpose IN ('main', 'warm_up'))
  AND NOT (%(counts)s AND {reservations.PLACE_KEPT}) AND NOT {IS_OWN} AND NOT {_WITHDRAWN}
ORDER BY b.number, p."order" LIMIT %(most)s
""",  # noqa: S608  its parts are constants of the code
)


def _remainders(rater: Rater, task: Task, invitation: int | None, wordings: Mapping[str, str]) -> list[ClaimedPlace]:
    """Return free places that others left, up to a set, none of a unit the rater has met, well spaced.

    All are of the same wordings: those that the rater has read, or else those of the first place.
    """
    found = _REMAINDERS.rows({**_asking(rater, task, invitation), "most": task.set_size * LOOK_AT})
    free_places = [_free(row) for row in found]
    if not free_places:
        return []
    wordings = wordings or free_places[0].wordings
    alike = [place for place in free_places if place.wordings == wordings]
    return joined(alike, task, _own_criterion(rater, task))


def _asking(rater: Rater, task: Task, invitation: int | None) -> dict[str, object]:
    """Return the parameters of the statements that look for places of a task for a rater."""
    return {
        "task": task.pk,
        "group": rater.group_id,
        "rater": rater.pk,
        "counts": counts_for_the_plan(rater),
        "own": invitation,
    }


def _own_criterion(rater: Rater, task: Task) -> str:
    """Return the criterion that a rater judges by, where each rater has one; empty before the first set."""
    if task.criteria_mode != RATER:
        return ""
    assignments = Assignment.objects.filter(rater=rater, unit__task=task)
    return assignments.values_list("unit__features__criterion", flat=True).first() or ""


def _own_wordings(rater: Rater, task: Task) -> Mapping[str, str]:
    """Return the wordings in which a rater has been asked the questions of a task; empty before the first set."""
    prefetch_related_objects([task], _CRITERIA)
    if not any(task_criterion.criterion.ends.get("wordings") for task_criterion in task.task_criteria.all()):
        return {}
    assignments = Assignment.objects.filter(rater=rater, unit__task=task, arrangement__has_key=WORDINGS)
    own: Mapping[str, str] | None = assignments.values_list(f"arrangement__{WORDINGS}", flat=True).first()
    return own or {}


def joined(free: Sequence[ClaimedPlace], task: Task, own_criterion: str) -> list[ClaimedPlace]:
    """Join free places to a set: of a rater's own criterion where there is one, else of one criterion after another."""
    criteria = list(dict.fromkeys(place.criterion for place in free if own_criterion in {"", place.criterion}))
    if task.criteria_mode == RATER:
        criteria = criteria[:1]
    places: list[ClaimedPlace] = []
    for criterion in criteria:
        same_criterion = [place for place in free if place.criterion == criterion]
        room = task.set_size - len(places)
        in_order = designs.registry[task.design].keeps_order
        places += whole_remainders(same_criterion, room) if in_order else spaced(same_criterion, room, task.spacing)
    return places


def whole_remainders(free: Sequence[ClaimedPlace], size: int) -> list[ClaimedPlace]:
    """Choose up to `size` places in their order, the remainder of one booklet after the other, none torn needlessly.

    For designs whose order must stay, such as documents: nothing is moved to keep outputs of one item apart.
    """
    chosen: list[ClaimedPlace] = []
    for _booklet, places in groupby(free, key=lambda place: place.booklet):
        units = {place.unit for place in chosen}
        fresh = [place for place in places if place.unit not in units]
        if len(chosen) + len(fresh) <= size or not chosen:
            chosen += fresh[: size - len(chosen)]
    return chosen


def spaced(free: Sequence[ClaimedPlace], size: int, spacing: int) -> list[ClaimedPlace]:
    """Choose up to `size` places in their order, no unit twice, outputs of one item `spacing` apart.

    A place that comes too early waits until enough others stand before it; what cannot stand anywhere is left to
    somebody else. At least one place is chosen where there is one.
    """
    waiting, chosen = list(free), list[ClaimedPlace]()
    units: set[int] = set()
    last: dict[int, int] = {}

    def fits(place: ClaimedPlace) -> bool:
        far_enough = place.item is None or place.item not in last or len(chosen) - last[place.item] >= spacing
        return place.unit not in units and far_enough

    while len(chosen) < size and (fitting := next((place for place in waiting if fits(place)), None)) is not None:
        waiting.remove(fitting)
        if fitting.item is not None:
            last[fitting.item] = len(chosen)
        units.add(fitting.unit)
        chosen.append(fitting)
    return chosen


# A free booklet that a rater can be given: without a unit that the rater has met, on the criterion the rater judges by,
# in the wordings that the rater has read.
_FREE_BOOKLET = f"""
SELECT b.id FROM tasks_app_booklet b
WHERE b.task_id = %(task)s AND b.state = 'free' AND (b.group_id IS NULL OR b.group_id = %(group)s)
  AND NOT EXISTS (SELECT 1 FROM tasks_app_place p JOIN tasks_app_assignment a
                  ON a.unit_id = p.unit_id AND a.rater_id = %(rater)s
                  AND a.purpose IN ('main', 'warm_up')
                  WHERE p.booklet_id = b.id)
  AND (%(criterion)s = '' OR EXISTS (
      SELECT 1 FROM tasks_app_place p JOIN tasks_app_unit u ON u.id = p.unit_id
      WHERE p.booklet_id = b.id AND u.features->>'criterion' = %(criterion)s))
  AND (%(wordings)s = '' OR EXISTS (
      SELECT 1 FROM tasks_app_place p
      WHERE p.booklet_id = b.id AND p.arrangement->'wordings' = NULLIF(%(wordings)s, '')::jsonb))
  AND NOT (%(counts)s AND {reservations.SET_KEPT})
"""  # noqa: S608  its parts are constants of the code

# The lowest without a text that the rater wrote. PostgreSQL walks along the index of free booklets and stops at the
# first that fits, however many there are: the order must be that of the index.
_LOWEST_BOOKLET = Prepared(
    "lowest_booklet",
    f"""{_FREE_BOOKLET}
  AND EXISTS (SELECT 1 FROM tasks_app_place p WHERE p.booklet_id = b.id AND NOT {_WITHDRAWN})
  AND NOT EXISTS (SELECT 1 FROM tasks_app_place p JOIN tasks_app_unit u ON u.id = p.unit_id
                  WHERE p.booklet_id = b.id AND {IS_OWN})
ORDER BY b.number LIMIT 1
""",  # noqa: S608  its parts are constants of the code
)

# The lowest of the others.
_LOWEST_WITH_OWN_TEXT = f"""{_FREE_BOOKLET}
  AND EXISTS (SELECT 1 FROM tasks_app_place p JOIN tasks_app_unit u ON u.id = p.unit_id
              WHERE p.booklet_id = b.id AND NOT {IS_OWN} AND NOT {_WITHDRAWN})
ORDER BY b.number LIMIT 1
"""  # noqa: S608  its parts are constants of the code


def _booklet(
    rater: Rater, task: Task, invitation: int | None, wordings: Mapping[str, str]
) -> tuple[int | None, list[ClaimedPlace]]:
    """Find the lowest free booklet without a unit that the rater has met, on the criterion the rater judges by.

    Booklets with a text that the rater wrote come last; such a text is left to others.
    """
    asking = {
        **_asking(rater, task, invitation),
        "criterion": _own_criterion(rater, task),
        "wordings": json.dumps(wordings) if wordings else "",
    }
    booklets = _LOWEST_BOOKLET.rows(asking)
    if not booklets and OwnUnit.objects.filter(rater=rater).exists():
        booklets = rows(_LOWEST_WITH_OWN_TEXT, asking)
    if not booklets:
        return None, []
    booklet_id = cast("int", booklets[0][0])
    return booklet_id, _places_left(rater, booklet_id)


_PLACES_LEFT = Prepared(
    "places_left",
    f"""
SELECT p.id, p.unit_id, u.item_id, p.booklet_id, b.number, COALESCE(u.features->>'criterion', ''), p.arrangement
FROM tasks_app_place p JOIN tasks_app_booklet b ON b.id = p.booklet_id JOIN tasks_app_unit u ON u.id = p.unit_id
WHERE p.booklet_id = %(booklet)s AND NOT {IS_OWN} AND NOT {_WITHDRAWN}
  AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                  WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))
  AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                  WHERE a.rater_id = %(rater)s AND a.unit_id = p.unit_id
                    AND a.purpose IN ('main', 'warm_up'))
ORDER BY p."order"
""",  # noqa: S608  its parts are constants of the code
)


def _places_left(rater: Rater, booklet_id: int) -> list[ClaimedPlace]:
    """Return the free places of a booklet in their order, without units that the rater has met or wrote a text of."""
    return [_free(row) for row in _PLACES_LEFT.rows({"booklet": booklet_id, "rater": rater.pk})]


def _free(row: tuple[Any, ...]) -> ClaimedPlace:
    place, unit, item, booklet, number, criterion, arrangement = row
    drawn = json.loads(arrangement) if isinstance(arrangement, str) else arrangement
    return ClaimedPlace(place, unit, item, booklet, number, criterion, drawn)


def _write(rater: Rater, task: Task, rater_set: RaterSet, composed: sets.Composed, last: _Last) -> None:
    """Write assignments in their order, each with its unit's arrangement and the rater's own."""
    prefetch_related_objects([task], _CRITERIA)
    suggestions.choose(rater, task, composed.planned)
    criteria = [
        AskedCriterion(task_criterion.criterion.key, task_criterion.criterion.name)
        for task_criterion in task.task_criteria.all()
    ]
    rng = plans.seeded(task.study, "rater", rater.seed, task.key)
    own_arrangement = task.kind.arrange_for_rater(criteria, rng)
    counted = counts_for_the_plan(rater)
    rows_of = [
        Assignment(
            rater=rater,
            rater_kind=rater.kind,
            set=rater_set,
            unit_id=planned.unit,
            purpose=planned.purpose,
            place_id=planned.place if counted else None,
            order=last.order + number + (composed.gap if number > composed.gap_after else 0),
            arrangement={**planned.arrangement, **own_arrangement},
            wave=rater_set.wave,
            attempt=planned.attempt,
            version=rater.version,
        )
        for number, planned in enumerate(composed.planned, start=1)
    ]
    originals = [row for row, planned in zip(rows_of, composed.planned, strict=True) if planned.repeats is None]
    Assignment.objects.bulk_create(originals)
    repeats = []
    for row, planned in zip(rows_of, composed.planned, strict=True):
        if planned.repeats is not None:
            row.repeat_of = rows_of[planned.repeats]
            repeats.append(row)
    Assignment.objects.bulk_create(repeats)
