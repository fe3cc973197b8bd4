"""Results of earlier studies as assumptions for planning: rows of finished runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from analytics_app.models import ResultRow, Run, RunState
from tasks_app.models import Study, System

# The newest studies; nobody would look through a longer list.
MOST_STUDIES, MOST_PILOTS = 50, 200

SPREADS = ("sd_item", "sd_system_item", "sd_rater", "sd_rater_system", "sd_residual")
ALPHA = ("alpha",)
# The share of wins of a pair, whose settings have the standard deviations of its model, and the counts beside it.
SHARE, COUNTS = "win_rate_crossed", ("pair_wins", "pair_losses", "pair_ties", "pair_both_bad")

# Usual differences and standard deviations on scales of five steps, as shares of the range.
OF_THE_RANGE = {
    "difference": 0.075,
    "sd_item": 0.125,
    "sd_system_item": 0.1,
    "sd_rater": 0.125,
    "sd_rater_system": 0.05,
    "sd_residual": 0.2,
}


@dataclass(frozen=True, slots=True)
class Pilot:
    """Results of one run for one criterion (and level of measurement, or pair of systems): rows by statistic.

    `pair` has the names of the two systems of a preference.
    """

    key: str
    slug: str
    study: str
    run: int
    task: str
    criterion: str
    level: str
    rows: dict[str, ResultRow] = field(default_factory=dict)
    pair: tuple[str, str] | None = None

    def __str__(self) -> str:
        pair = (
            _("%(first)s and %(second)s") % dict(zip(("first", "second"), self.pair, strict=True)) if self.pair else ""
        )
        about = " / ".join(filter(None, (self.task, self.criterion, pair or self.level)))
        return f"{self.study}, {about}"


def pilots(studies: QuerySet[Study], statistics: Iterable[str]) -> dict[str, Pilot]:
    """Return these statistics from the newest finished run of each study, by a key for forms."""
    runs = _newest_runs(studies)
    rows = _rows(runs, statistics).filter(by_system=False)
    return _by_key(runs, rows, lambda row: str((row.settings or {}).get("level", "")))


def pilots_of_pairs(studies: QuerySet[Study]) -> dict[str, Pilot]:
    """Return the pairs of systems in the newest finished run of each study that have a mixed model of preferences.

    The rows are `SHARE` and `COUNTS`. A pair is left out if its run has no standard deviations of items and raters:
    where all its judgments are alike, one rater judged it, or the two-way robust method took the model's place.
    """
    runs = _newest_runs(studies)
    rows = _rows(runs, (SHARE, *COUNTS)).filter(analysis="pairwise")
    by_pair = _by_key(runs, rows, lambda row: f"{row.system}/{row.system_b}")
    modelled = {
        key: pilot
        for key, pilot in by_pair.items()
        if SHARE in pilot.rows and "residual" in (pilot.rows[SHARE].settings or {}).get("sd", {})
    }
    slugs = {pilot.slug for pilot in modelled.values()}
    names = {
        (slug, key): name or key
        for slug, key, name in System.objects.filter(study__slug__in=slugs).values_list("study__slug", "key", "name")
    }
    return {key: replace(pilot, pair=_named(pilot, names)) for key, pilot in modelled.items()}


def _named(pilot: Pilot, names: dict[tuple[str, str], str]) -> tuple[str, str]:
    row = pilot.rows[SHARE]
    first, second = row.system or "", row.system_b or ""
    return names.get((pilot.slug, first), first), names.get((pilot.slug, second), second)


def _newest_runs(studies: QuerySet[Study]) -> dict[int, Run]:
    """Return the newest finished run of each of the newest studies, by primary key."""
    newest = (
        Run.objects.filter(study__in=studies, state=RunState.DONE)
        .values("study")
        .annotate(newest=Max("number"), last=Max("pk"))
        .order_by("-last")[:MOST_STUDIES]
    )
    numbers = {row["study"]: row["newest"] for row in newest}
    done = Run.objects.filter(study__in=numbers, state=RunState.DONE).select_related("study").order_by("-pk")
    return {run.pk: run for run in done if numbers[run.study_id] == run.number}


def _rows(runs: dict[int, Run], statistics: Iterable[str]) -> QuerySet[ResultRow]:
    return ResultRow.objects.filter(
        run__in=runs.values(), statistic__in=list(statistics), basis="kept", slice=None, group=None, wave=None
    ).order_by("order")


def _by_key(runs: dict[int, Run], rows: Iterable[ResultRow], apart: Callable[[ResultRow], str]) -> dict[str, Pilot]:
    """Gather rows by study, task, criterion, and the result of `apart`."""
    gathered: dict[str, Pilot] = {}
    for row in sorted(rows, key=lambda result_row: -result_row.run_id):
        run = runs[row.run_id]
        about = (row.task or "", row.criterion or "", apart(row))
        key = "/".join((run.study.slug, *about))
        if key not in gathered and len(gathered) == MOST_PILOTS:
            break
        pilot = gathered.setdefault(key, Pilot(key, run.study.slug, run.study.title, run.number, *about))
        pilot.rows.setdefault(row.statistic, row)
    return gathered


def systems_of(pilot: Pilot) -> int:
    """Return how many systems the results of an earlier study compare; 1 if its rows name none."""
    run = next((row.run_id for row in pilot.rows.values()), None)
    named = ResultRow.objects.filter(run=run, task=pilot.task, criterion=pilot.criterion, basis="kept")
    return max(1, named.exclude(system=None).order_by().values("system").distinct().count())
