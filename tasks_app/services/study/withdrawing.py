"""Withdraw a wrong text from an open study: raters are not given it any more, and its judgments stay, marked.

A unit that shows the text is withdrawn whole, be it beside others or alone, as are the checks that were made of it:
what was said of the others was said beside a wrong text. docs/decisions/0098 gives the reasons.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, Func, OuterRef, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app.models import (
    Assignment,
    Item,
    Judgment,
    Output,
    Rater,
    RaterSet,
    Study,
    Withdrawal,
    WithdrawnUnit,
)
from tasks_app.models.statements import rows
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments, leases
from tasks_app.texts.plaintext import problem_in

LONGEST_REASON = 500

State = Assignment.State

WITHDREW, TOOK_BACK = "withdrew a text", "took back a withdrawal"


# The time at this very moment, under the lock of the study: a run that does not see the withdrawal was begun before.
_CLOCK = Func(function="clock_timestamp")


class NotWithdrawn(ValueError):
    """Nothing was changed; the message gives the reason and the way to fix it."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The result of a withdrawal: its units, their judgments, and the raters with shortened sets."""

    withdrawal: Withdrawal
    units: int
    judgments: int
    raters: int


# The units that show an output, or any output of an item, and the degraded copies of these units. An item may also be
# shown without an output of its own.
_UNITS = """
WITH shown AS (
    SELECT DISTINCT p.unit_id AS id FROM tasks_app_output o
      JOIN tasks_app_partoutput po ON po.output_id = o.id JOIN tasks_app_part p ON p.id = po.part_id
     WHERE o.item_id = %(item)s AND (%(output)s::bigint IS NULL OR o.id = %(output)s)
    UNION
    SELECT u.id FROM tasks_app_unit u WHERE u.item_id = %(item)s AND %(output)s::bigint IS NULL)
SELECT id FROM shown
UNION
SELECT u.id FROM tasks_app_unit u JOIN tasks_app_task t ON t.id = u.task_id
 WHERE t.study_id = %(study)s AND u.features ? 'degraded_of'
   AND (u.features->>'degraded_of')::bigint IN (SELECT id FROM shown)
ORDER BY 1
"""


def units_of(withdrawal: Withdrawal) -> list[int]:
    """Return the ids of the units that a withdrawal concerns, ascending."""
    about = {"study": withdrawal.study_id, "item": withdrawal.item_id, "output": withdrawal.output_id}
    return [unit for (unit,) in rows(_UNITS, about)]


def withdraw(*, study_id: int, item: int, output: int | None = None, reason: str, by: events.Actor) -> Withdrawn:
    """Withdraw an item, or one output of it: it is given to nobody from now on, and its judgments are marked.

    Whoever has the text before them may finish it. In sets where it comes later it is passed over, and paid as if it
    had been answered; a rater who has nothing left after that has completed.

    Raises
    ------
    NotWithdrawn
        Where the study is neither open nor paused or has no such text, where it is withdrawn already, or where the
        reason is missing, too long or cannot be stored.
    """
    withdrawal, units, raters = _withdraw(study_id=study_id, item=item, output=output, reason=reason, by=by)
    own = Assignment.objects.filter(rater=OuterRef("pk"))
    judged, expired = own.filter(purpose=Assignment.Purpose.MAIN, judgments__isnull=False), own.filter(state="expired")
    # Whoever let a lease run out may still come back for the rest.
    at_work = Rater.objects.filter(Exists(judged), ~Exists(expired), pk__in=raters).select_related("study")
    for rater in at_work.order_by("pk"):
        assignments.end_if_done(rater=rater)
    return Withdrawn(withdrawal, len(units), _n_judgments(units), len(raters))


@atomically
def _withdraw(
    *, study_id: int, item: int, output: int | None, reason: str, by: events.Actor
) -> tuple[Withdrawal, list[int], list[int]]:
    """Store a withdrawal and pass its units over; return it with its units and the raters with shortened sets."""
    study = _locked(study_id)
    reason = _checked_reason(reason)
    row = Item.objects.filter(study=study, pk=item, until=None).first()
    shown = Output.objects.filter(item=row, pk=output, until=None).first() if output is not None else None
    if row is None or (shown is None and output is not None):
        raise NotWithdrawn(_("There is no such text in this study. Reload the page."))
    if Withdrawal.objects.filter(Q(output=None) | Q(output=shown), Withdrawal.IN_FORCE, item=row).exists():
        raise NotWithdrawn(_("This text is withdrawn already."))
    withdrawal = Withdrawal.objects.create(
        study=study, item=row, output=shown, reason=reason, by_id=getattr(by, "pk", None), at=_CLOCK
    )
    units = units_of(withdrawal)
    WithdrawnUnit.objects.bulk_create(WithdrawnUnit(withdrawal=withdrawal, unit_id=unit) for unit in units)
    raters = _pass_over(units)
    leases.recount(units)
    after = {"reason": reason, "units": len(units), "judgments": _n_judgments(units), "raters": len(raters)}
    events.log(study, by, WITHDREW, about=str(withdrawal)[:200], after=after)
    return withdrawal, units, raters


def _pass_over(units: Sequence[int]) -> list[int]:
    """Take units that raters have not seen yet out of their sets, with their repeats; return the raters' ids.

    A set of which nothing is left, and nothing was answered, is given back: its rater gets another one, and is paid for
    that. So is what somebody left when their lease ran out.
    """
    passed = rows(
        """UPDATE tasks_app_assignment SET state = CASE WHEN state = 'expired' THEN 'returned' ELSE 'passed' END
           WHERE id IN (
               SELECT a.id FROM tasks_app_assignment a LEFT JOIN tasks_app_assignment o ON o.id = a.repeat_of_id
               WHERE (a.unit_id = ANY(%(units)s) OR o.unit_id = ANY(%(units)s))
                 AND (a.state IN ('reserved', 'live', 'expired') AND a.first_shown IS NULL)
               ORDER BY a.id FOR UPDATE OF a)
           RETURNING rater_id, set_id, state""",
        {"units": list(units)},
    )
    sets = sorted({set_id for _rater, set_id, state in passed if set_id is not None and state == State.PASSED_OVER})
    main = Q(assignments__purpose=Assignment.Purpose.MAIN)
    left = RaterSet.objects.filter(pk__in=sets).annotate(
        n=Count("assignments", filter=main & Q(assignments__state__in=(*State.DONE, *State.WAITING)))
    )
    empty = list(left.filter(n=0).values_list("pk", flat=True))
    Assignment.objects.filter(set__in=empty, state__in=(*State.WAITING, State.PASSED_OVER)).update(state=State.RETURNED)
    return sorted({rater for rater, set_id, _state in passed if set_id in set(sets)})


@atomically
def take_back(*, withdrawal_id: int, by: events.Actor) -> Withdrawal:
    """Take a withdrawal back: the text is given to raters again, and runs count its judgments.

    Sets in which it was passed over stay as they are.

    Raises
    ------
    NotWithdrawn
        Where the study is neither open nor paused, or the withdrawal has been taken back already.
    """
    study_id = Withdrawal.objects.values_list("study_id", flat=True).get(pk=withdrawal_id)
    study = _locked(study_id)
    withdrawal = Withdrawal.objects.select_related("item", "output__system", "output__item").get(pk=withdrawal_id)
    if withdrawal.taken_back_at is not None:
        raise NotWithdrawn(_("This withdrawal has been taken back already."))
    units = list(withdrawal.units.values_list("unit_id", flat=True))
    withdrawal.units.all().delete()
    Withdrawal.objects.filter(pk=withdrawal.pk).update(taken_back_by=getattr(by, "pk", None), taken_back_at=Now())
    leases.recount(units)
    events.log(study, by, TOOK_BACK, about=str(withdrawal)[:200], after={"units": len(units)})
    withdrawal.refresh_from_db()
    return withdrawal


def withdrawals_of(study: Study) -> list[Withdrawal]:
    """Return the withdrawals of a study, the first one first, those that were taken back among them; one query."""
    rows_of = Withdrawal.objects.filter(study=study).order_by("pk")
    return list(rows_of.select_related("item", "output__system", "output__item", "by", "taken_back_by"))


def _locked(study_id: int) -> Study:
    """Return an open or paused study, with its claims and then its row locked; runs wait for it, and raters who come.

    Raises
    ------
    NotWithdrawn
        Where it is neither open nor paused.
    """
    lock_claims(study_id)
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.state not in Study.State.UNDER_WAY:
        raise NotWithdrawn(_("Texts are withdrawn while a study is open or paused. This study is neither."))
    return study


def _checked_reason(reason: str) -> str:
    reason = " ".join(reason.split())
    if not reason:
        raise NotWithdrawn(_("Enter a reason: it stands in the log and with the results."))
    if len(reason) > LONGEST_REASON:
        raise NotWithdrawn(_("A reason has at most %(n)s characters.") % {"n": LONGEST_REASON})
    if fault := problem_in(reason):
        raise NotWithdrawn(fault)
    return reason


def _n_judgments(units: Sequence[int]) -> int:
    """Count the current judgments of units, without those of metrics and of people who only tried the study out."""
    judged = Judgment.objects.current().filter(assignment__unit__in=units)
    judged = judged.exclude(assignment__rater__in=Rater.objects.filter(Rater.METRICS))
    return judged.exclude(assignment__rater_kind=Rater.Kind.SANDBOX).count()
