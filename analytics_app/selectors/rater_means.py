"""The mean and the standard deviation of each rater's ratings, as a run computed them."""

from collections.abc import Sequence

from django.db.models import QuerySet

from analytics_app.models import ResultRow, Run
from analytics_app.selectors.results import rows_of


def means_of_raters(run: Run) -> QuerySet[ResultRow]:
    """Return the mean of each rater for each criterion, of the kept ratings."""
    return rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_mean", basis="kept", slice=None, group=None, wave=None
    )


def spread_of(run: Run, means: Sequence[ResultRow]) -> list[tuple[ResultRow, ResultRow | None]]:
    """Return the means of raters, each with its standard deviation."""
    spread = rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_sd", basis="kept", slice=None, rater__in={row.rater for row in means}
    )
    by_rater = {(row.task, row.criterion, row.rater): row for row in spread}
    return [(row, by_rater.get((row.task, row.criterion, row.rater))) for row in means]
