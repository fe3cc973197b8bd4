"""Progress and cost of a project's studies, in a handful of queries for any number of studies."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum

from tasks_app.designs.filling import EVERYBODY, Sets, filled, full_sets
from tasks_app.models import (
    Booklet,
    Group,
    Judgment,
    Payment,
    Project,
    ProjectStep,
    ProjectWork,
    Rater,
    Study,
    Task,
    TaskGroup,
    Unit,
)
from tasks_app.pay import pay_for
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.selectors.studies import number_of, with_progress


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study of a project.

    `is_checked` is None for a study that was opened, `cost` what was recorded as due so far, and `expected` what all
    places come to; both are None where nothing is paid, `expected` also where no plan can be foreseen.
    """

    study: Study
    role: str | None
    is_checked: bool | None
    places: int
    answered: int
    raters: int
    judgments: int
    last_judged: datetime | None
    cost: Decimal | None
    expected: Decimal | None

    @property
    def currency(self) -> str:
        """The currency that raters are paid in."""
        return self.study.options.currency


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the studies of a project; money by currency: so far, and expected."""

    studies: int
    places: int
    answered: int
    raters: int
    judgments: int
    last_judged: datetime | None
    money: Mapping[str, tuple[Decimal, Decimal]]


def rows_of(studies: QuerySet[Study]) -> list[StudyRow]:
    """Return the rows of studies that have an `own_role`, by title; seven queries."""
    listed: list[Study] = list(
        with_progress(studies)
        .annotate(
            revision=F("setup__revision"),
            stored_revision=F("setup__stored_revision"),
            n_tasks=number_of(
                Task.objects.filter(study=OuterRef("pk"), until=None).order_by().values("study"), Count("id")
            ),
        )
        .order_by("title", "pk")
    )
    keys = [study.pk for study in listed]
    judged, paid, sets = _judged(keys), _paid(keys), _full_sets(keys)
    rows = []
    for study in listed:
        n, last = judged.get(study.pk, (0, None))
        numbers = vars(study)  # columns that the query adds
        amount = study.options.amount
        rows.append(
            StudyRow(
                study=study,
                role=numbers["own_role"],
                is_checked=None if study.is_frozen else _is_checked(study),
                places=numbers["places"],
                answered=numbers["answered"],
                raters=numbers["n_raters"],
                judgments=n,
                last_judged=last,
                cost=paid.get(study.pk, Decimal(0)) if amount or study.pk in paid else None,
                expected=pay_for(sets[study.pk], amount) if amount and study.pk in sets else None,
            )
        )
    return rows


def _is_checked(study: Study) -> bool:
    """Return whether a draft is as its set-up says, and has a task."""
    numbers = vars(study)
    return bool(numbers["n_tasks"] > 0 and numbers["revision"] == numbers["stored_revision"])


def totals_of(rows: Sequence[StudyRow]) -> Totals:
    """Add up the rows of a project."""
    money: dict[str, tuple[Decimal, Decimal]] = {}
    for row in rows:
        if row.cost is not None or row.expected is not None:
            so_far, expected = money.get(row.currency, (Decimal(0), Decimal(0)))
            money[row.currency] = (so_far + (row.cost or 0), expected + (row.expected or 0))
    return Totals(
        studies=len(rows),
        places=sum(row.places for row in rows),
        answered=sum(row.answered for row in rows),
        raters=sum(row.raters for row in rows),
        judgments=sum(row.judgments for row in rows),
        last_judged=max((row.last_judged for row in rows if row.last_judged is not None), default=None),
        money=money,
    )


def _judged(keys: Sequence[int]) -> dict[int, tuple[int, datetime | None]]:
    """Count the answers of each study, without those of people who tried it out, and return when the last one came."""
    rows = (
        Judgment.objects.filter(assignment__rater__study__in=keys, replaces=None)
        .exclude(assignment__rater_kind=Rater.Kind.SANDBOX)
        .order_by()
        .values_list("assignment__rater__study")
        .annotate(n=Count("id"), last=Max("submitted_at"))
    )
    return {study: (n, last) for study, n, last in rows}


def _paid(keys: Sequence[int]) -> dict[int, Decimal]:
    """Return the pay that was recorded as due, by study: pay and bonuses less withheld amounts."""
    withheld = Q(kind=Payment.Kind.WITHHELD)
    rows = (
        Payment.objects.filter(rater__study__in=keys)
        .order_by()
        .values_list("rater__study")
        .annotate(due=Sum("amount", filter=~withheld, default=Decimal(0)))
        .annotate(taken=Sum("amount", filter=withheld, default=Decimal(0)))
    )
    return {study: due - taken for study, due, taken in rows}


def _full_sets(studies: Sequence[int]) -> dict[int, Fraction]:
    """Count the full sets that raters are paid for until all places are answered, by study, as Plan counts them.

    The sets of a plan that is drawn are its booklets; otherwise as many as the units to judge come to. A rater takes a
    set of each task, tasks of different groups are for different raters, and a shorter set counts in proportion.
    """
    tasks = Task.objects.filter(study__in=studies, until=None, stage=Task.Stage.MAIN).exclude(design__in=ON_REQUEST)
    units = Unit.objects.filter(task=OuterRef("pk"), until=None, gold=None).order_by().values("task")
    booklets = Booklet.objects.filter(task=OuterRef("pk")).order_by().values("task")
    counted = tasks.annotate(
        n_units=number_of(units, Count("id")),
        wanted=number_of(units, Sum("k")),
        n_booklets=number_of(booklets, Count("id")),
        n_places=number_of(booklets, Sum("n_places")),
        longest=number_of(booklets, Max("n_places")),
    )
    groups: dict[int, list[int]] = defaultdict(list)
    for task_id, group in TaskGroup.objects.filter(task__in=tasks.values("pk")).values_list("task", "group"):
        groups[task_id].append(group)
    shares: dict[int, dict[int, int]] = defaultdict(dict)
    for study, group, share in Group.objects.filter(study__in=studies).values_list("study", "pk", "share"):
        shares[study][group] = share
    by_study: dict[int, list[Sets]] = defaultdict(list)
    for task in counted:
        by_study[task.study_id].append(_sets_of(task, tuple(sorted(groups[task.pk]))))
    return {
        study: full_sets(filled(shares[study] or {EVERYBODY: 1}, of_study), of_study)
        for study, of_study in by_study.items()
        if any(sets.booklets for sets in of_study)
    }


def _sets_of(task: Task, groups: tuple[int, ...]) -> Sets:
    """Return the sets of a task that `_full_sets` has counted."""
    counts = vars(task)  # columns that the query adds
    full = min(task.set_size, counts["longest"] or counts["n_units"]) or 1
    places = counts["n_places"] or counts["wanted"] or 0
    booklets = counts["n_booklets"] or math.ceil(places / full)
    return Sets(task.pk, booklets, full, Fraction(places, max(1, booklets)), groups)


def works_under_way(project: Project) -> QuerySet[ProjectWork]:
    """Return the works on studies of a project that are not over yet."""
    waiting = ProjectStep.objects.filter(work=OuterRef("pk"), state=ProjectStep.State.WAITING)
    return ProjectWork.objects.filter(Exists(waiting), project=project).order_by("pk")


def steps_of(work: ProjectWork, studies: QuerySet[Study]) -> list[ProjectStep]:
    """Return the steps of work on those of its studies that somebody may see, by title."""
    steps = ProjectStep.objects.filter(work=work, study__in=studies.order_by().values("pk"))
    return list(steps.select_related("study").order_by("study__title", "pk"))
