"""The consequence of failed checks for the results of a study: whether quality rules leave out raters who fail them.

Every page that mentions failed checks takes its sentence from here: Monitor, the list of raters, the answers to checks,
and the results.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import JSONObject

from analytics_app import quality
from analytics_app.plan import DEFAULT_RULES, plans_of
from tasks_app.models import Gold, Study, Task
from tasks_app.selectors import check_results
from tasks_app.settings.checks import checks_of, failing_in_words

# The checks among the units to judge that have a right answer.
_KINDS = frozenset({"control", "attention", "degraded"})


@dataclass(frozen=True, slots=True)
class Failing:
    """The checks that a rater meets in each task, and the consequence of failing them for the results.

    `is_limited` says that a rater can meet enough checks for the limit on failed checks to apply.
    """

    words: str
    one_attention_check: bool
    is_limited: bool


def failing_in(study: Study, rules: Iterable[Mapping[str, Any]] | None = None) -> Failing | None:
    """Return the consequence of failed checks, None where raters meet none; one query.

    `rules` are those of a run. Without them, the rules of the analysis plan count.
    """
    met, plan = _met_and_planned(study)
    if not any(sum(kinds.values()) for kinds, _fail_after in met):
        return None
    members = _members(plan.get("rules", DEFAULT_RULES) if rules is None else rules)
    total = sum(sum(kinds.values()) for kinds, _fail_after in met)
    is_one = total == 1 == sum(kinds["attention"] for kinds, _fail_after in met)
    left_out = any(
        0 < rule.least_checks <= sum(n for kind, n in kinds.items() if kind in rule.checks)
        for kinds, _fail_after in met
        for rule in members
        if rule.checks & _KINDS
    )
    return Failing(
        words=failing_in_words(left_out=left_out, one_attention_check=is_one),
        one_attention_check=is_one,
        is_limited=any(sum(kinds.values()) >= fail_after for kinds, fail_after in met),
    )


def consequence(study: Study) -> str:
    """Return the consequence of failed checks for the results of a study as a sentence, "" where raters meet none."""
    failing = failing_in(study)
    return failing.words if failing is not None else ""


def register() -> None:
    """Have the page of answers to checks state the consequence for the results."""
    check_results.register_consequence(consequence)


def _met_and_planned(study: Study) -> tuple[list[tuple[dict[str, int], int]], Mapping[str, Any]]:
    """Return the checks that a rater meets in all sets of each main task, and the analysis plan of the study.

    The checks are counted by kind, each task's with the number of checks from which the limit applies.
    """
    gold = Gold.objects.filter(unit__task=OuterRef("pk"), unit__until=None, purpose__in=Gold.Purpose.WATCHED)
    by_purpose = gold.filter(unit__withdrawn=None).exclude(kind=Gold.Kind.WORSE).order_by().values("purpose")
    counted = by_purpose.annotate(n=Count("unit", distinct=True)).values(pair=JSONObject(purpose="purpose", n="n"))
    tasks = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).annotate(
        known=ArraySubquery(counted), plan=Subquery(plans_of(study).values("document")[:1])
    )
    sets = study.options.sets_per_rater or 1
    read = list(tasks.values_list("checks", "set_size", "known", "plan"))
    met = []
    for contents, set_size, known, _plan in read:
        checks, there = checks_of(contents), {pair["purpose"]: pair["n"] for pair in known}
        kinds = {
            "control": sets * checks.controls_among(set_size, there.get("control", 0)),
            "attention": sets * checks.attention_among(there.get("attention", 0)),
            "degraded": sets * checks.degraded,
        }
        met.append((kinds, checks.limit_after))
    return met, (read[0][3] if read else None) or {}


def _members(rules: Iterable[Mapping[str, Any]]) -> list[quality.Rule]:
    """Return the rules with their settings; one that is no longer registered is left out."""
    return [
        quality.registry[entry["rule"]]({name: value for name, value in entry.items() if name != "rule"})
        for entry in rules
        if entry["rule"] in quality.registry
    ]
