"""Store the agreement of automatic runs, whose rows are deleted, so that a page can show its course."""

from django.db import connection

from analytics_app.models import AgreementPoint, ResultRow, Run, RunTrigger

# Runs of the study's own plan that nobody asked for. Those that people start have rules of their own.
AUTOMATIC = (RunTrigger.SCHEDULE, RunTrigger.CLOSING)

# The newest point moves on until ratings have grown by a twentieth since the one before it: some 240 points lead from
# ten ratings to a million, however often runs start.
GROWTH = 1.05

_MOVE_ON = """
DELETE FROM analytics_app_agreementpoint WHERE id IN (
    SELECT id FROM (SELECT id, n_ratings, row_number() OVER newest AS place, lead(n_ratings) OVER newest AS before
                    FROM analytics_app_agreementpoint WHERE study_id = %s
                    WINDOW newest AS (PARTITION BY task, criterion ORDER BY run_number DESC)) points
    WHERE place = 1 AND n_ratings < before * %s)
"""


def keep_agreement(run: Run) -> None:
    """Store the alpha of every criterion of an automatic run, in the transaction that finishes the run."""
    if run.trigger not in AUTOMATIC:
        return
    rows = ResultRow.objects.filter(
        run=run, analysis="krippendorff", statistic="alpha", basis="kept", by_system=False, slice=None, group=None,
        wave=None,
    )  # fmt: skip
    points = [
        AgreementPoint(
            study_id=run.study_id, task=row.task, criterion=row.criterion or "", run_number=run.number,
            value=row.value, low=row.low, high=row.high, n_ratings=row.n_ratings or 0,
        )
        for row in rows
        if row.task is not None and row.value is not None
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_MOVE_ON, [run.study_id, GROWTH])
    AgreementPoint.objects.bulk_create(points, ignore_conflicts=True)
