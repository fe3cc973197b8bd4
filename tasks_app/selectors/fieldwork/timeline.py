"""The units that one rater saw, when and for how long: without answers and without systems."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BooleanField, Count, Exists, F, Func, OuterRef, Q, QuerySet, Subquery

from tasks_app.models import Assignment, ControlResult, Judgment, Rater

Purpose, State = Assignment.Purpose, Assignment.State

# Least time without a sign of life between two units that is shown as a gap.
GAP = timedelta(minutes=10)


class _AllTrue(Func):
    """PostgreSQL's bool_and: whether every row holds."""

    function = "bool_and"
    output_field = BooleanField()


@dataclass(frozen=True, slots=True)
class SeenUnit:
    """One unit that a rater saw.

    `seconds` is active time, `changes` how often the answer was changed, `passed` whether it agreed with everything
    that is known about the unit, None where nothing is or where it was skipped. `gap` is how long the rater was away
    before it, None where that was short.
    """

    order: int
    purpose: str
    state: str
    task: str
    item: str
    shown_at: datetime | None
    answered_at: datetime | None
    seconds: float | None
    skip_reason: str
    comment: str
    changes: int
    passed: bool | None
    gap: timedelta | None = None

    @property
    def is_open(self) -> bool:
        """Whether the unit was shown and not answered yet."""
        return self.answered_at is None and self.state in State.WAITING


@dataclass(frozen=True, slots=True)
class _Signs:
    """The times at which a rater is known to have been there, each list in order of time."""

    instructed_at: datetime | None
    shown: Sequence[datetime]
    answered: Sequence[datetime]  # changed answers too

    @classmethod
    def of(cls, rater: Rater) -> _Signs:
        """Read the times when a rater was shown units and answered them; two queries."""
        shown = Assignment.objects.filter(rater=rater).order_by("first_shown").values_list("first_shown", flat=True)
        answered = Judgment.objects.filter(assignment__rater=rater).order_by("submitted_at")
        return cls(
            instructed_at=rater.instructed_at,
            shown=[moment for moment in shown if moment is not None],
            answered=list(answered.values_list("submitted_at", flat=True)),
        )

    def last_before(self, moment: datetime) -> datetime | None:
        """Return the last sign of life before a unit was shown; an answer of that very moment is one."""
        signs = [
            *self.shown[: bisect_left(self.shown, moment)][-1:],
            *self.answered[: bisect_right(self.answered, moment)][-1:],
        ]
        if self.instructed_at is not None and self.instructed_at <= moment:
            signs.append(self.instructed_at)
        return max(signs, default=None)


def seen_by(rater: Rater) -> QuerySet[Assignment]:
    """Return the units that a rater saw or answered, in the order in which they came."""
    judgments = Judgment.objects.filter(assignment=OuterRef("pk")).order_by("-id")
    results = ControlResult.objects.filter(judgment=OuterRef("judgment")).order_by().values("judgment")
    assignments = Assignment.objects.filter(rater=rater).filter(
        Q(first_shown__isnull=False) | Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
    )
    return (
        assignments.annotate(
            judgment=Subquery(judgments.values("pk")[:1]),
            answered_at=Subquery(judgments.values("submitted_at")[:1]),
            seconds=Subquery(judgments.values("seconds_active")[:1]),
            skip_reason=Subquery(judgments.values("skip_reason")[:1]),
            comment=Subquery(judgments.values("comment")[:1]),
            n_answers=Count("judgments"),
        )
        .annotate(passed=Subquery(results.annotate(n=_AllTrue("passed")).values("n"), output_field=BooleanField()))
        .select_related("unit__task", "unit__item")
        .order_by(F("first_shown").asc(nulls_first=True), "order")
    )


def seen_units(rater: Rater, rows: Sequence[Any]) -> list[SeenUnit]:
    """Return the units of a page of `seen_by`, with the absences before them; two queries."""
    signs = _Signs.of(rater)
    units = []
    for row in rows:
        last = signs.last_before(row.first_shown) if row.first_shown else None
        away = row.first_shown - last if last else None
        units.append(
            SeenUnit(
                order=row.order,
                purpose=row.purpose,
                state=row.state,
                task=str(row.unit.task),
                item=row.unit.item.key if row.unit.item else "",
                shown_at=row.first_shown,
                answered_at=row.answered_at,
                seconds=row.seconds,
                skip_reason=row.skip_reason or "",
                comment=row.comment or "",
                changes=max(0, row.n_answers - 1),
                passed=row.passed,
                gap=away if away is not None and away >= GAP else None,
            )
        )
    return units
