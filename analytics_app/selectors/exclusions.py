"""Exclusions by rules of a run and by hand, with reasons; neither systems nor answers are shown."""

from collections.abc import Sequence

from django.db.models import Count, QuerySet

from analytics_app.models import Exclusion, Run
from tasks_app.models import Assignment, Judgment, Rater, Study


def rules_with_exclusions(run: Run) -> dict[str, int]:
    """Return the number of exclusions by each rule of a run, in the order of the rules."""
    counts = dict(Exclusion.objects.filter(run=run).values_list("rule").annotate(n=Count("id")).order_by())
    order = [entry["rule"] for entry in run.settings.get("rules", ())]
    rules = dict.fromkeys([*(name for name in order if name in counts), *sorted(counts)])
    return {name: counts[name] for name in rules}


def exclusions_of(run: Run, rule: str) -> QuerySet[Exclusion]:
    """Return the exclusions by a rule of a run, in the order of their creation."""
    exclusions = Exclusion.objects.filter(run=run, rule=rule).order_by("pk")
    return exclusions.select_related(
        "task",
        "rater",
        "judgment__assignment__rater",
        "judgment__assignment__unit__item",
        "rating__rater",
        "rating__unit__item",
        "rating__criterion",
    )


def judgments_of(rater: Rater) -> QuerySet[Judgment]:
    """Return the current answers of a rater that are analysed, in the order in which they were shown."""
    judgments = Judgment.objects.filter(
        assignment__rater=rater, assignment__purpose__in=Assignment.Purpose.ANALYSED, skip_reason=""
    )
    current = judgments.current().order_by("assignment__order", "pk")
    return current.select_related("assignment__unit__item", "assignment__unit__task").defer("answer", "log")


def excluded_judgments(study: Study, judgments: Sequence[Judgment]) -> dict[int, Exclusion]:
    """Return the current manual exclusions of some judgments, by judgment id."""
    exclusions = Exclusion.objects.filter(study=study, run=None, lifted_at=None, judgment__in=judgments).select_related(
        "by"
    )
    return {exclusion.judgment_id: exclusion for exclusion in exclusions if exclusion.judgment_id is not None}


def exclusions_by_hand(study: Study, raters: Sequence[Rater]) -> dict[int, Exclusion]:
    """Return the current manual exclusions of raters, by rater."""
    exclusions = Exclusion.objects.filter(study=study, run=None, lifted_at=None, rater__in=raters).select_related("by")
    return {exclusion.rater_id: exclusion for exclusion in exclusions if exclusion.rater_id is not None}


def raters_left_out(run: Run | None, raters: Sequence[Rater]) -> dict[int, Exclusion]:
    """Return the first exclusion of each rater whom a rule of a run left out with all ratings of a task, by rater."""
    if run is None:
        return {}
    exclusions = Exclusion.objects.filter(run=run, rater__in=raters, judgment=None, rating=None).exclude(rule="manual")
    return {exclusion.rater_id: exclusion for exclusion in exclusions.order_by("-pk") if exclusion.rater_id is not None}
