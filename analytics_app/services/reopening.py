"""Reopen the places of excluded judgments for other raters, while the study is open."""

from django.db import transaction
from django.db.models import Q

from analytics_app.models import Exclusion, Run, RunState
from tasks_app.models import Judgment, Study
from tasks_app.models.statements import rows
from tasks_app.services.database import lock_claims
from tasks_app.services.events import Actor
from tasks_app.services.plan import reopening

# The newest run by the frozen plan of each open study.
_DUE = """
SELECT DISTINCT ON (r.study_id) r.id, r.study_id
  FROM analytics_app_run r JOIN tasks_app_study s ON s.id = r.study_id
 WHERE r.state = 'done' AND r.plan_id IS NOT NULL AND s.state IN ('open', 'paused')
   AND jsonb_array_length(COALESCE(r.settings->'reopen', '[]')) > 0
 ORDER BY r.study_id, r.id DESC
"""

# Judgments that rules excluded from a run; for an excluded rater, all that the run saw in that task.
_JUDGMENTS = """
SELECT DISTINCT j.id
  FROM analytics_app_exclusion e
  JOIN tasks_app_judgment j ON j.id <= %(high)s
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE e.run_id = %(run)s AND e.rule = ANY(%(rules)s) AND a.purpose = 'main' AND a.state = 'submitted'
   AND (e.judgment_id = j.id OR e.rater_id = a.rater_id AND u.task_id = e.task_id
        OR j.id = (SELECT g.judgment_id FROM tasks_app_rating g WHERE g.id = e.rating_id))
"""


def reopen_due() -> int:
    """Reopen the places that the rules of plans excluded, once per run; return how many places."""
    return sum(_reopen(run_id, study_id) for run_id, study_id in rows(_DUE, []))


@transaction.atomic
def _reopen(run_id: int, study_id: int) -> int:
    # Lock order: claims before the run, as in erasure.
    lock_claims(study_id)
    run = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    if run.state != RunState.DONE or "places_reopened" in run.facts:
        return 0
    rules = list(run.settings["reopen"])
    judgment_rows = rows(_JUDGMENTS, {"run": run.pk, "high": run.judgment_high_water, "rules": rules})
    reopened = reopening.reopen(study=run.study, judgments=[pk for (pk,) in judgment_rows], rule=", ".join(rules))
    run.facts = {**run.facts, "places_reopened": reopened}
    run.save(update_fields=["facts"])
    return reopened


def ask_again(*, exclusion: Exclusion, by: Actor) -> int:
    """Reopen the places of a rater or judgment that was excluded by hand; return how many places."""
    condition = (
        Q(assignment__rater=exclusion.rater) if exclusion.rater is not None else Q(pk=exclusion.judgment_id or 0)
    )
    judgments = Judgment.objects.filter(condition)
    study: Study = exclusion.study
    return reopening.reopen(study=study, judgments=list(judgments.values_list("pk", flat=True)), rule="manual", by=by)
