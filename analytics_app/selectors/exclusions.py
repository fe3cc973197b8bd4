"""Exclusions of a run, with reasons; neither systems nor answers are shown."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, QuerySet

from analytics_app.models import Exclusion, Run
from tasks_app.models import Assignment, Judgment, Rater, Study

# Only these are analysed, so that leaving out another changes nothing.


def rules_with_exclusions(run: Run) -> dict[str, int]:
    """Return how many exclusions each rule of a run wrote down, in the order of the rules."""
    counts = dict(Exclusion.objects.filter(run=run).values_list("rule").annotate(n=Count("id")).order_by())
    order = [entry["rule"] for entry in run.settings.get("rules", ())]
    known = dict.fromkeys([*(name for name in order if name in counts), *sorted(counts)])
    return {name: counts[name] for name in known}


def exclusions_of(run: Run, rule: str) -> QuerySet[Exclusion]:
    """Return what a rule of a run left out, in the order in which it was found."""
    found = Exclusion.objects.filter(run=run, rule=rule).order_by("pk")
    return found.select_related(
        "task",
        "rater",
        "judgment__assignment__rater",
        "judgment__assignment__unit__item",
        "rating__rater",
        "rating__unit__item",
        "rating__criterion",
    )


def judgments_of(rater: Rater) -> QuerySet[Judgment]:
    """Return the answers of a rater that are analysed, as they stand now, in the order in which they were shown."""
    own = Judgment.objects.filter(
        assignment__rater=rater, assignment__purpose__in=Assignment.Purpose.ANALYSED, skip_reason=""
    )
    found = own.current().order_by("assignment__order", "pk")
    return found.select_related("assignment__unit__item", "assignment__unit__task").defer("answer", "log")


def excluded_judgments(study: Study, judgments: Sequence[Judgment]) -> dict[int, Exclusion]:
    """Return the exclusions by hand that hold of some judgments, by judgment."""
    found = Exclusion.objects.filter(study=study, run=None, lifted_at=None, judgment__in=judgments).select_related("by")
    return {one.judgment_id: one for one in found if one.judgment_id is not None}
