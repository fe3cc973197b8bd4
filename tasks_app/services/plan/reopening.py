"""Free the places of answers that are not analysed, so that other raters judge them."""

from collections.abc import Collection

from tasks_app.models import Assignment, Place, Rater, Study
from tasks_app.models.statements import rows
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import leases


@atomically
def reopen(*, study: Study, judgments: Collection[int], rule: str, by: events.Actor = None) -> int:
    """Free the places of these answers while a study can still collect; return how many that is.

    The answers stay as they are and are said to be replaced; each place is given to somebody who has not met the unit.
    Nothing happens to answers whose place went to somebody else already, to imported ones, and in a closed study.
    """
    lock_claims(study.pk)
    study.refresh_from_db(fields=["state"])
    if study.state not in Study.State.UNDER_WAY or not judgments:
        return 0
    # Sets before assignments, as everywhere: the trigger that counts answered places writes to the sets.
    rows(
        """SELECT s.id FROM tasks_app_raterset s WHERE s.id IN (
               SELECT a.set_id FROM tasks_app_assignment a JOIN tasks_app_judgment j ON j.assignment_id = a.id
               WHERE j.id = ANY(%s)) ORDER BY s.id FOR NO KEY UPDATE""",
        [list(judgments)],
    )
    freed = rows(
        """UPDATE tasks_app_assignment a SET state = %s FROM tasks_app_judgment j, tasks_app_rater r
           WHERE j.assignment_id = a.id AND j.id = ANY(%s) AND r.id = a.rater_id AND r.study_id = %s
             AND a.state = %s AND a.place_id IS NOT NULL AND a.rater_kind = ANY(%s)
           RETURNING a.place_id""",
        [
            Assignment.State.REPLACED,
            list(judgments),
            study.pk,
            Assignment.State.SUBMITTED,
            list(Rater.Kind.COUNTED),
        ],
    )
    if freed:
        booklets = Place.objects.filter(pk__in={place for (place,) in freed}).values_list("booklet_id", flat=True)
        leases.settle(list(booklets.distinct()), None)
        events.log(study, by, "reopened", about=rule, after={"places": len(freed)})
    return len(freed)
