"""The raters of a project, including invited people who have not begun: their progress and their agreement."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from analytics_app.models import ResultRow
from analytics_app.selectors.project_labels import KAPPA
from analytics_app.selectors.projects import read_first
from tasks_app.models import Assignment, Invitation, Rater, Study
from tasks_app.models.judgments import is_current
from tasks_app.models.statements import rows
from tasks_app.services import contact

KAPPA_OF_PAIR = "cohen_kappa_pair"

# The most raters for whom results list pairs.
MOST_PAIRED = 10

# Assignments of each rater that were not given back, and the current answers to them; skipped texts have none.
_WORK = f"""
SELECT a.rater_id, count(*) FILTER (WHERE a.state <> ALL(%(gone)s)), count(j.id) FILTER (WHERE j.skip_reason = ''),
       max(j.submitted_at),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY j.seconds_active) FILTER (WHERE j.skip_reason = '')
  FROM tasks_app_assignment a LEFT JOIN tasks_app_judgment j ON j.assignment_id = a.id AND {is_current("j")}
 WHERE a.rater_id = ANY(%(raters)s) AND a.purpose = 'main'
 GROUP BY a.rater_id
"""  # noqa: S608  a condition of ours


@dataclass(frozen=True, slots=True)
class Kappas:
    """Cohen's kappa of a rater with others of the study: the least, the greatest, and the number of others."""

    least: float
    greatest: float
    others: int


@dataclass(slots=True)
class RaterRow:
    """A rater of a study, or a person who is invited and has not begun.

    `name` is from the invitation; it is empty for raters without one, and for viewers who may not read names.
    """

    study: Study
    rater: Rater | None = None
    invitation: Invitation | None = None
    answered: int = 0
    given: int = 0
    seconds: float | None = None
    last: datetime | None = None
    kappas: Kappas | None = None

    @property
    def name(self) -> str:
        """Return the name in the person's invitation."""
        return self.invitation.name if self.invitation is not None else ""

    @property
    def unread(self) -> int:
        """Return the number of messages that the rater has not read yet."""
        return len(contact.unread(self.rater)) if self.rater is not None else 0


def raters_of_project(studies: Sequence[Study], *, named: Sequence[Study]) -> list[RaterRow]:
    """Return the raters of studies, study by study; five queries.

    In the studies `named`, invited people are named, and those who have not begun are listed. Sandbox raters and erased
    raters are left out.
    """
    by_study: dict[int, list[RaterRow]] = defaultdict(list)
    people = _people(studies, named)
    for study in studies:
        for rater in people.raters[study.pk]:
            by_study[study.pk].append(RaterRow(study, rater, people.of_raters.get(rater.pk)))
        by_study[study.pk] += [RaterRow(study, None, invitation) for invitation in people.waiting[study.pk]]
    listed = [row for study in studies for row in by_study[study.pk]]
    _fill(listed)
    _compare(by_study)
    return listed


@dataclass(frozen=True, slots=True)
class People:
    """Raters by study; invitations by rater, and by study for people who have not begun."""

    raters: Mapping[int, list[Rater]]
    of_raters: Mapping[int, Invitation]
    waiting: Mapping[int, list[Invitation]]


def _people(studies: Sequence[Study], named: Sequence[Study]) -> People:
    """Return the raters of studies, and the invitations of those who may be named."""
    raters: dict[int, list[Rater]] = defaultdict(list)
    known = Rater.objects.filter(study__in=studies, erased_at=None)
    known = known.exclude(kind=Rater.Kind.SANDBOX).exclude(Rater.METRICS)
    for rater in known.order_by("study", "id"):
        raters[rater.study_id].append(rater)
    of_raters: dict[int, Invitation] = {}
    waiting: dict[int, list[Invitation]] = defaultdict(list)
    invitations = Invitation.objects.filter(study__in=named).select_related("booklet__task", "user")
    for invitation in invitations.order_by("study", "id"):
        if invitation.rater_id is not None:
            of_raters[invitation.rater_id] = invitation
        elif invitation.revoked_at is None:
            waiting[invitation.study_id].append(invitation)
    return People(raters, of_raters, waiting)


def _fill(listed: Sequence[RaterRow]) -> None:
    """Add the progress of raters; for people who have not begun, the size of the set reserved for them."""
    of_raters = {row.rater.pk: row for row in listed if row.rater is not None}
    given_back = ["expired", *Assignment.State.OVER]
    for key, given, answered, last, seconds in rows(_WORK, {"raters": list(of_raters), "gone": given_back}):
        row = of_raters[key]
        row.given, row.answered, row.last, row.seconds = given, answered, last, seconds
    for row in listed:
        if row.rater is None and row.invitation is not None and row.invitation.booklet is not None:
            row.given = row.invitation.booklet.n_places


def _compare(by_study: Mapping[int, Sequence[RaterRow]]) -> None:
    """Add Cohen's kappa with the other raters from the best run of each study."""
    runs = read_first(list(by_study))
    kappa_rows = ResultRow.objects.filter(
        run__in=list(runs), analysis=KAPPA[0], basis="kept", value__isnull=False, slice=None, group=None, wave=None,
        statistic__in=[KAPPA[1], KAPPA_OF_PAIR],
    )  # fmt: skip
    of_run: dict[int, list[ResultRow]] = defaultdict(list)
    for row in kappa_rows.order_by("run", "order"):
        of_run[row.run_id].append(row)
    for key, run in runs.items():
        raters = {row.rater.pseudonym: row for row in by_study[run.study_id] if row.rater is not None}
        for name, values in _kappas(of_run[key], list(raters)).items():
            raters[name].kappas = Kappas(min(values), max(values), len(values))


def _kappas(kappa_rows: Sequence[ResultRow], names: Sequence[str]) -> dict[str, list[float]]:
    """Return the kappas of each rater with others, on the first criterion that has any."""
    few = names if len(names) <= MOST_PAIRED else []
    pairs = {
        f"{a} and {b}": (a, b) for first, second in combinations(few, 2) for a, b in ((first, second), (second, first))
    }
    place = next(((row.task, row.criterion) for row in kappa_rows), None)
    mine = [row for row in kappa_rows if (row.task, row.criterion) == place]
    of_pairs = [(pairs[row.label], row.value) for row in mine if row.label in pairs]
    if len(names) == 2 and not of_pairs:
        # Two raters are one pair, whose kappa is the mean over pairs.
        of_pairs = [((names[0], names[1]), row.value) for row in mine[:1]]
    kappas: dict[str, list[float]] = defaultdict(list)
    for pair, value in of_pairs:
        for name in pair:
            kappas[name].append(float(value or 0))
    return kappas
