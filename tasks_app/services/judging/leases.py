"""Leases of sets: extended by every request of the rater, ended by silence, which frees the places.

Whoever frees places or takes them back holds the claims lock of the study. All times are the database's.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tasks_app import channels
from tasks_app.models import Assignment, Booklet, Invitation, Rater, RaterSet, is_withdrawn
from tasks_app.models.statements import Prepared, rows
from tasks_app.services.arrival import groups
from tasks_app.services.database import SUBMISSIONS
from tasks_app.services.judging import reservations

# For so long after enrolment, a rater who has answered nothing keeps their sets by opening pages.
OPENING_MINUTES = 30

# A set that was answered whole is finished when its lease ends; others are expired, with the later waves of who left.
_EXPIRE = Prepared(
    "expire_sets",
    """
WITH ended AS (
    SELECT s.id, s.rater_id, COALESCE(s.closes_at <= now(), false) AS closed, EXISTS (
               SELECT 1 FROM tasks_app_assignment a
               WHERE a.set_id = s.id AND a.state IN ('reserved', 'live')) AS unanswered
    FROM tasks_app_raterset s JOIN tasks_app_rater r ON r.id = s.rater_id
    WHERE r.study_id = %(study)s AND s.state = 'open' AND s.lease_until < now()),
left_early AS (
    SELECT s.id, true AS unanswered FROM tasks_app_raterset s WHERE s.state = 'open' AND s.opens_at > now()
    AND s.rater_id IN (SELECT rater_id FROM ended WHERE unanswered AND NOT closed)),
over AS (SELECT id, unanswered FROM ended UNION SELECT id, unanswered FROM left_early),
-- Locked in one order; a set whose lease was lengthened while this statement waited for its row is kept.
locked AS (
    SELECT s.id FROM tasks_app_raterset s WHERE s.id IN (SELECT id FROM over)
    AND s.state = 'open' AND (s.lease_until < now() OR s.opens_at > now()) ORDER BY s.id FOR NO KEY UPDATE)
UPDATE tasks_app_raterset s SET state = CASE WHEN o.unanswered THEN 'expired' ELSE 'finished' END
FROM over o WHERE o.id = s.id AND s.id IN (SELECT id FROM locked) RETURNING s.id, s.rater_id, s.state
""",
)


def free_expired(study_id: int) -> int:
    """Free the open places of every set with an expired lease; return the number of sets.

    Who stays away from what is open also leaves their later waves; who only let a wave close does not.
    """
    over = _EXPIRE.rows({"study": study_id})
    expired = [cast("int", set_id) for set_id, _rater, state in over if state == RaterSet.State.EXPIRED]
    if expired:
        leave(expired, Assignment.State.EXPIRED)
        groups.give_back([cast("int", rater) for _set, rater, _state in over])
    return len(expired)


def leave(sets: Sequence[int], state: str) -> None:
    """Free every place still open in these sets, and mark the booklets they came from as left.

    Places of withdrawn texts, which somebody was shown until now, are wanted no more.
    """
    rows(
        f"""WITH freed AS (
               UPDATE tasks_app_assignment SET state = %s
               WHERE set_id = ANY(%s) AND state IN ('reserved', 'live') RETURNING place_id),
           open AS (
               SELECT p.booklet_id, count(*) FILTER (WHERE {is_withdrawn("p.unit_id")}) AS unwanted
               FROM tasks_app_place p JOIN freed f ON f.place_id = p.id GROUP BY p.booklet_id)
           UPDATE tasks_app_booklet b SET state = 'left', n_places = b.n_places - o.unwanted
           FROM open o WHERE b.id = o.booklet_id RETURNING b.id""",  # noqa: S608  its parts are constants of the code
        [state, list(sets)],
    )


# The end of the leases of a rater's sets `s` after a sign of life. As long as a rater `r` has answered nothing, their
# sets are kept for some minutes at a time; for how long opening pages does that is bounded (docs/decisions/0087). A
# lease never outlives the closing of its wave, and is never made shorter: that of a later wave is long.
_UNTIL = """LEAST(GREATEST(s.lease_until, CASE
        WHEN %(unanswered_minutes)s::float IS NULL OR %(answers)s OR EXISTS (
            SELECT 1 FROM tasks_app_assignment d
            WHERE d.rater_id = r.id AND d.state IN ('submitted', 'surplus', 'skipped', 'replaced'))
        THEN now() + %(minutes)s * interval '1 minute'
        WHEN %(writes)s THEN now() + %(unanswered_minutes)s * interval '1 minute'
        ELSE LEAST(now() + %(unanswered_minutes)s * interval '1 minute',
                   r.enrolled_at + %(opening_minutes)s * interval '1 minute') END), s.closes_at)"""

# A sign of life keeps all sets of a rater that can be worked on now; their rows are locked in one order.
_RENEW = Prepared(
    "renew_leases",
    f"""
WITH own AS (
    SELECT id FROM tasks_app_raterset
    WHERE rater_id = %(rater)s AND state = 'open' AND (opens_at IS NULL OR opens_at <= now())
    ORDER BY id FOR UPDATE)
UPDATE tasks_app_raterset s SET lease_until = {_UNTIL}
FROM tasks_app_rater r WHERE r.id = s.rater_id AND s.id IN (SELECT id FROM own) RETURNING s.id
""",  # noqa: S608  its parts are constants of the code
)

# The transaction does not wait for the disk: a crash of the database would lose when the units of the last moments were
# shown, and lengthen no lease by that page, while an answer waits as any other transaction does.
_SHOW = Prepared(
    "show_units",
    f"""
WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
own AS (
    SELECT id FROM tasks_app_raterset
    WHERE rater_id = %(rater)s AND state = 'open' AND (opens_at IS NULL OR opens_at <= now())
      AND (SELECT count(*) FROM unhurried) > 0
    ORDER BY id FOR UPDATE),
held AS (
    UPDATE tasks_app_raterset s SET lease_until = {_UNTIL}
    FROM tasks_app_rater r WHERE r.id = s.rater_id AND s.id IN (SELECT id FROM own) RETURNING s.id)
UPDATE tasks_app_assignment SET state = 'live', first_shown = COALESCE(first_shown, now()), renewed_at = now()
WHERE id = ANY(%(assignments)s) AND set_id IN (SELECT id FROM held) AND state IN ('reserved', 'live') RETURNING id
""",  # noqa: S608  its parts are constants of the code
)


# Takes every lock that storing an answer needs, in the order of `database.LOCK_ORDER`: each part reads the one before.
_LOCK = Prepared(
    "lock_to_answer",
    f"""
WITH shared AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(%(submissions)s, %(study)s)),
person AS MATERIALIZED (
    SELECT id, state, prefs, failed_checks_at FROM tasks_app_rater
    WHERE id = %(rater)s AND (SELECT count(*) FROM shared) > 0 FOR NO KEY UPDATE),
own AS MATERIALIZED (
    SELECT id FROM tasks_app_raterset WHERE rater_id = (SELECT id FROM person) ORDER BY id FOR NO KEY UPDATE),
held AS (
    UPDATE tasks_app_raterset s SET lease_until = {_UNTIL}
    FROM tasks_app_rater r WHERE r.id = s.rater_id AND s.id IN (SELECT id FROM own)
    AND s.state = 'open' AND (s.opens_at IS NULL OR s.opens_at <= now()) RETURNING s.id)
SELECT a.id, a.state, a.place_id, p.state, p.prefs, p.failed_checks_at IS NOT NULL
FROM tasks_app_assignment a, person p
WHERE a.id = ANY(%(assignments)s) AND (SELECT count(*) FROM held) >= 0 ORDER BY a.id FOR NO KEY UPDATE OF a
""",  # noqa: S608  its parts are constants of the code
)


@dataclass(frozen=True, slots=True)
class Locked:
    """The current state of an assignment and its rater, read while both are locked."""

    state: str
    place_id: int | None
    rater_state: str
    prefs: Mapping[str, Any]
    failed_checks: bool


def lock_to_answer(assignments: Sequence[Assignment], rater: Rater) -> list[Locked]:
    """Lock units of a rater to store answers to them, and lengthen the rater's leases; the locks last to the commit.

    One statement, the same for every purpose: no wait tells a rater what a unit is for.
    """
    params = {
        "submissions": SUBMISSIONS,
        "study": rater.study_id,
        **_sign_of_life(rater, answers=True),
        "assignments": [assignment.pk for assignment in assignments],
    }
    locked = {
        pk: Locked(state, place, rater_state, json.loads(prefs) if isinstance(prefs, str) else prefs, failed)
        for pk, state, place, rater_state, prefs, failed in _LOCK.rows(params)
    }
    return [locked[assignment.pk] for assignment in assignments]


def lock_rater(rater_id: int) -> Rater:
    """Lock a rater's row and then those of their sets, and return the rater as they stand, with the study."""
    rater = Rater.objects.select_for_update(of=("self",), no_key=True).select_related("study").get(pk=rater_id)
    sets = RaterSet.objects.select_for_update(no_key=True).filter(rater=rater).order_by("pk")
    list(sets.values_list("pk", flat=True))
    return rater


def _sign_of_life(rater: Rater, *, answers: bool = False, writes: bool = False) -> dict[str, object]:
    """Return the parameters of `_UNTIL`: the rater, the length of the lease, and the rater's action."""
    lease = channels.lease_of(rater.study.options, rater.channel)
    return {
        "rater": rater.pk,
        "minutes": lease.minutes,
        "unanswered_minutes": lease.unanswered_minutes,
        "opening_minutes": OPENING_MINUTES,
        "answers": answers,
        "writes": writes,
    }


def renew(rater: Rater, *, writes: bool = False) -> None:
    """Lengthen the leases of a rater's sets and lock their rows; `writes` says that the rater wrote, not only read."""
    _RENEW.rows(_sign_of_life(rater, writes=writes))


def show(assignments: Sequence[Assignment], rater: Rater) -> list[Assignment]:
    """Mark units of a rater as shown and lengthen the rater's leases; return those that were not freed meanwhile.

    One statement: the sets' rows are locked before the assignments', as everywhere.
    """
    params = {**_sign_of_life(rater), "assignments": [assignment.pk for assignment in assignments]}
    shown = {pk for (pk,) in _SHOW.rows(params)}
    return [assignment for assignment in assignments if assignment.pk in shown]


# Another free place of a unit whose own place went to somebody: one that others left, or a booklet of it alone.
_OTHER_PLACE = f"""
SELECT p.id FROM tasks_app_place p JOIN tasks_app_booklet b ON b.id = p.booklet_id
WHERE p.unit_id = %(unit)s AND NOT {reservations.PLACE_KEPT}
  AND (b.state = 'left' OR b.state = 'free' AND NOT EXISTS (
      SELECT 1 FROM tasks_app_place o WHERE o.booklet_id = b.id AND o.id <> p.id))
  AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                  WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))
ORDER BY b.state = 'free', b.number LIMIT 1
"""  # noqa: S608  its parts are constants of the code


def _move(set_id: int) -> None:
    """Give other free places to units of an expired set that lost their own places to other raters.

    Places of a questionnaire are all alike: who comes back late must not lose theirs while others are free.
    """
    lost = rows(
        """SELECT a.id, a.unit_id FROM tasks_app_assignment a
           WHERE a.set_id = %s AND a.state = 'expired' AND EXISTS (
               SELECT 1 FROM tasks_app_assignment o
               WHERE o.place_id = a.place_id AND o.state IN ('reserved', 'live', 'submitted'))
           ORDER BY a.id""",
        [set_id],
    )
    own = Invitation.objects.filter(rater__sets=set_id).values_list("pk", flat=True).first() if lost else None
    for assignment, unit in lost:
        for (place,) in rows(_OTHER_PLACE, {"unit": unit, "own": own}):
            # A unit that was shown keeps its arrangement, and every unit the wordings that its rater reads.
            rows(
                """UPDATE tasks_app_assignment a SET place_id = p.id, arrangement = CASE
                       WHEN a.first_shown IS NULL THEN a.arrangement || (p.arrangement - 'wordings')
                       ELSE a.arrangement END
                   FROM tasks_app_place p WHERE a.id = %s AND p.id = %s RETURNING a.id""",
                [assignment, place],
            )


def revive(set_id: int, rater: Rater) -> int:
    """Give a late rater the free units of an expired set; return the number of units.

    Texts that were withdrawn meanwhile are passed over.
    """
    rows(
        f"""UPDATE tasks_app_assignment a SET state = 'passed'
           WHERE a.set_id = %s AND a.state = 'expired' AND {is_withdrawn("a.unit_id")} RETURNING a.id""",  # noqa: S608  its parts are constants of the code
        [set_id],
    )
    _move(set_id)
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
        renew(rater)
        places = [row[0] for row in revived if row[0] is not None]
        settle(list(Booklet.objects.filter(places__in=places).values_list("pk", flat=True).distinct()), None)
    return len(revived)


def _drop_orphans(set_id: int) -> None:
    """Return assignments that have become pointless: checks without a unit to judge, copies of unanswered units."""
    rows(
        """UPDATE tasks_app_assignment a SET state = 'returned'
           WHERE a.set_id = %s AND a.state IN ('reserved', 'live', 'expired') AND (
               a.purpose = 'repeat' AND EXISTS (
                   SELECT 1 FROM tasks_app_assignment o WHERE o.id = a.repeat_of_id
                   AND o.state NOT IN ('reserved', 'live', 'submitted', 'surplus', 'replaced'))
               OR a.purpose = 'control' AND EXISTS (
                   SELECT 1 FROM tasks_app_unit u WHERE u.id = a.unit_id AND u.features ? 'degraded_of'
                   AND NOT EXISTS (
                       SELECT 1 FROM tasks_app_assignment o WHERE o.rater_id = a.rater_id AND o.purpose = 'main'
                       AND o.unit_id = (u.features->>'degraded_of')::bigint
                       AND o.state IN ('reserved', 'live', 'submitted', 'surplus', 'replaced')))
               OR a.purpose IN ('training', 'exam', 'warm_up', 'control', 'attention') AND NOT EXISTS (
                   SELECT 1 FROM tasks_app_assignment o WHERE o.set_id = a.set_id AND o.purpose = 'main'
                   AND o.state IN ('reserved', 'live')))
           RETURNING a.id""",
        [set_id],
    )


def drop_repeats(assignments: Sequence[int]) -> None:
    """Take the repeats and the degraded copies of units that were skipped out of the set."""
    rows(
        """UPDATE tasks_app_assignment a SET state = 'returned' FROM tasks_app_assignment o, tasks_app_unit u
           WHERE o.id = ANY(%s) AND a.rater_id = o.rater_id AND u.id = a.unit_id
             AND a.state IN ('reserved', 'live', 'expired')
             AND (a.repeat_of_id = o.id OR a.purpose = 'control' AND (u.features->>'degraded_of')::bigint = o.unit_id)
           RETURNING a.id""",
        [list(assignments)],
    )


# Whether somebody holds a place `p`, by an answer or before it.
_HELD = """EXISTS (SELECT 1 FROM tasks_app_assignment a
    WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))"""

# The places of booklets: how many are wanted, and whether one of them is open. Open places of withdrawn texts are not.
_PLACES = f"""SELECT p.booklet_id, count(*) FILTER (WHERE {_HELD} OR NOT {is_withdrawn("p.unit_id")}) AS wanted,
           bool_or(NOT {_HELD} AND NOT {is_withdrawn("p.unit_id")}) AS is_left
      FROM tasks_app_place p"""  # noqa: S608  its parts are constants of the code

# Sets the state of booklets: claimed as a whole, or with open places left.
_SETTLE = f"""
UPDATE tasks_app_booklet b SET claimed_by_id = COALESCE(%(rater)s, b.claimed_by_id), n_places = now.wanted,
    state = CASE WHEN now.is_left THEN 'left' ELSE 'taken' END
FROM ({_PLACES} WHERE p.booklet_id IN ({{booklets}}) GROUP BY p.booklet_id) now
WHERE b.id = now.booklet_id RETURNING b.id
"""  # noqa: S608  its parts are constants of the code
_SETTLE_BOOKLETS = Prepared("settle_booklets", _SETTLE.format(booklets="SELECT unnest(%(booklets)s::bigint[])"))
_SETTLE_PLACES = _SETTLE.format(booklets="SELECT booklet_id FROM tasks_app_place WHERE id = ANY(%(places)s::bigint[])")

# Counts the places of booklets that are wanted, after texts were withdrawn or a withdrawal was taken back.
_RECOUNT = f"""
UPDATE tasks_app_booklet b SET n_places = now.wanted, state = CASE
    WHEN b.state = 'free' THEN 'free' WHEN now.is_left THEN 'left' ELSE 'taken' END
FROM ({_PLACES} WHERE p.booklet_id IN (
          SELECT q.booklet_id FROM tasks_app_place q WHERE q.unit_id = ANY(%s)) GROUP BY p.booklet_id) now
WHERE b.id = now.booklet_id RETURNING b.id
"""  # noqa: S608  its parts are constants of the code


def recount(units: Sequence[int]) -> None:
    """Count the wanted places of the booklets that show some units, and see which booklets have open places left."""
    rows(_RECOUNT, [list(units)])


def settle(booklets: Sequence[int], rater: Rater | None) -> None:
    """Store which of these booklets are completely taken and which have open places left."""
    _SETTLE_BOOKLETS.rows({"rater": rater.pk if rater else None, "booklets": list(booklets)})


def settle_places(places: Sequence[int | None]) -> None:
    """Do the same for the booklets of some places; for units without one nothing is changed, by the same statement."""
    rows(_SETTLE_PLACES, {"rater": None, "places": list(places)})
