"""The data of a study that are newer than a run: ratings, and the other data that a run uses."""

from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from analytics_app.models import Exclusion, MeasuredOutcome, MetricScore, Run
from analytics_app.ratings import WITHDRAWN
from analytics_app.selectors.runs import ANALYSED
from tasks_app.models import Rating, Study, Withdrawal


@dataclass(frozen=True, slots=True)
class OtherData:
    """The data that a run uses beside ratings: exclusions by hand, scores, outcomes, withdrawals of texts."""

    excluded: frozenset[int]
    scores: tuple[int | None, int]
    outcomes: tuple[int | None, int]
    withdrawn: frozenset[int]


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since a run beside the ratings: in exclusions, scores, outcomes and withdrawals of texts."""

    excluded: int = 0
    lifted: int = 0
    scores: bool = False
    outcomes: bool = False
    withdrawn: bool = False

    def __bool__(self) -> bool:
        """Return whether anything has changed."""
        return bool(self.excluded or self.lifted or self.scores or self.outcomes or self.withdrawn)


def changes_since(run: Run, now: OtherData) -> Changes:
    """Return the changes of other data since a run; exclusions only if one of its rules heeds them."""
    used = frozenset(run.facts.get("manual_exclusions", ()))
    excluded, lifted = (len(now.excluded - used), len(used - now.excluded)) if run.heeds_exclusions else (0, 0)

    def differs(name: str, there: tuple[int | None, int]) -> bool:
        known = run.facts.get(name, {"high": None, "n": 0})
        return (known["high"], known["n"]) != there

    withdrawn = frozenset(run.facts.get(WITHDRAWN, {}).get("withdrawals", ())) != now.withdrawn
    return Changes(excluded, lifted, differs("scores", now.scores), differs("outcomes", now.outcomes), withdrawn)


def data_after(study: Study, run: Run) -> tuple[int, OtherData]:
    """Return the number of ratings since those a run saw, and the other data a run would use now; one query.

    Ratings are counted without joining each to its rater: all ratings, less the few that no run analyses.
    """
    own = OuterRef("pk")
    ratings = Rating.objects.filter(id__gt=run.high_water)
    by_hand = Exclusion.objects.filter(study=own, run=None, lifted_at=None)
    scores, outcomes = (model.objects.filter(study=own).order_by() for model in (MetricScore, MeasuredOutcome))
    counted = Study.objects.filter(pk=study.pk).annotate(
        everything=_number(ratings.filter(task__study=own).values("task__study")),
        not_analysed=_number(ratings.filter(~ANALYSED, rater__study=own).values("rater__study")),
        by_hand=ArraySubquery(by_hand.order_by().values("pk")),
        n_scores=_number(scores.values("study")),
        high_score=Subquery(scores.order_by("-pk").values("pk")[:1]),
        n_outcomes=_number(outcomes.values("study")),
        high_outcome=Subquery(outcomes.order_by("-pk").values("pk")[:1]),
        withdrawn=ArraySubquery(Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=own).order_by().values("pk")),
    )
    names = (
        "everything",
        "not_analysed",
        "by_hand",
        "high_score",
        "n_scores",
        "high_outcome",
        "n_outcomes",
        "withdrawn",
    )
    total, not_analysed, excluded, high_score, n_scores, high_outcome, n_outcomes, withdrawn = counted.values_list(
        *names
    ).get()
    other = OtherData(frozenset(excluded), (high_score, n_scores), (high_outcome, n_outcomes), frozenset(withdrawn))
    return int(total - not_analysed), other


def _number(rows: QuerySet[Any, Any]) -> Coalesce:
    counted = rows.order_by().annotate(n=Count("id")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
