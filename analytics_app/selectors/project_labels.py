"""Agreement and labels of the studies of a project, side by side as in the table of a data paper."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from analytics_app.models import ResultRow, Run
from analytics_app.selectors.projects import criterion_names, hidden_among, read_first
from tasks_app.models import Study

# Measures of agreement, by analysis and statistic: each has a column.
KAPPA, ALPHA, SAME = ("kappa", "cohen_kappa"), ("krippendorff", "alpha"), ("agreement", "percent_agreement")
AGREEMENT = (KAPPA, ALPHA, SAME)

# Shares of labels, over all raters.
SHARES = (("error_labels", "overall_share"), ("labels", "distribution"))

# Statistics of single raters.
RATER_SHARE, RATER_SECONDS = ("error_labels", "rater_share"), ("error_labels", "seconds_median")

# Slices for a text, an answer or a second rater, which are no parts of the texts of a study.
NO_PARTS = ("after=", "second=", "text=")

ALL_TEXTS = ""


@dataclass(slots=True)
class Annotations:
    """The results of one study for a criterion: agreement by statistic, shares by label, and both by rater.

    `run` is the best run, None if there is none.
    """

    study: Study
    run: Run | None = None
    criterion: str = ""
    agreement: dict[tuple[str, str], ResultRow] = field(default_factory=dict)
    shares: dict[str, ResultRow] = field(default_factory=dict)
    of_raters: dict[str, dict[str, ResultRow]] = field(default_factory=lambda: defaultdict(dict))
    seconds: dict[str, ResultRow] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to show."""
        return not (self.agreement or self.shares)


@dataclass(frozen=True, slots=True)
class AnnotationsSideBySide:
    """The annotations of studies in one part of their texts, the parts of any study, and the labels in order.

    `part` is the condition or slice in the spelling of results, empty for all texts.
    """

    results: Sequence[Annotations]
    labels: Sequence[str]
    parts: Sequence[str]
    part: str


def annotations_side_by_side(studies: Sequence[Study], part: str) -> AnnotationsSideBySide:
    """Return agreement and labels of each study, of all its texts or of a part; four queries.

    An unknown part means all texts.
    """
    results = {study.pk: Annotations(study) for study in studies}
    runs = read_first(list(results))
    rows = _rows(runs, hidden_among(studies))
    parts = _parts(rows)
    part = part if part in parts else ALL_TEXTS
    by_run: dict[int, list[ResultRow]] = defaultdict(list)
    for row in rows:
        if (row.slice or ALL_TEXTS) == part or _is_seconds(row):
            by_run[row.run_id].append(row)
    for key, run in runs.items():
        result = results[run.study_id]
        result.run = run
        _fill(result, by_run[key], str(run.settings.get("primary") or ""))
    names = criterion_names([(result.study.pk, result.criterion) for result in results.values()])
    for result in results.values():
        result.criterion = names.get((result.study.pk, result.criterion), result.criterion)
    return AnnotationsSideBySide(list(results.values()), _labels(results.values()), parts, part)


def _rows(runs: Iterable[int], hidden: set[int]) -> list[ResultRow]:
    """Return the rows of agreement and labels on kept ratings, without hidden ones."""
    kept_rows = ResultRow.objects.filter(
        run__in=list(runs), basis="kept", system=None, group=None, wave=None, metric=None
    )
    of_all = Q(rater=None, statistic__in={statistic for _analysis, statistic in (*AGREEMENT, *SHARES)})
    of_raters = Q(rater__isnull=False, statistic__in={RATER_SHARE[1], RATER_SECONDS[1]})
    shown = kept_rows.filter(of_all | of_raters).exclude(by_system=True, run__study__in=hidden)
    known = {*AGREEMENT, *SHARES, RATER_SHARE, RATER_SECONDS}
    rows = [row for row in shown.order_by("run", "order") if (row.analysis, row.statistic) in known]
    return [row for row in rows if not (row.slice or "").startswith(NO_PARTS)]


def _is_seconds(row: ResultRow) -> bool:
    """Return whether a row is about seconds, which results have only for all texts."""
    return (row.analysis, row.statistic) == RATER_SECONDS and not row.slice


def _parts(rows: Sequence[ResultRow]) -> list[str]:
    """Return the parts of texts in rows: all texts first, then the parts of most studies first."""
    runs: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row.slice and row.rater is None:
            runs[row.slice].add(row.run_id)
    return [ALL_TEXTS, *sorted(runs, key=lambda part: (-len(runs[part]), part))]


def _fill(result: Annotations, rows: Sequence[ResultRow], primary: str) -> None:
    """Add the rows of the primary criterion, or of the first with labels, or of the first."""
    places = [(row.task, row.criterion) for row in rows if not _is_seconds(row) and row.criterion]
    labelled = [(row.task, row.criterion) for row in rows if (row.analysis, row.statistic) in SHARES and row.criterion]
    of_primary = [place for place in places if place[1] == primary]
    chosen = next(iter(of_primary or labelled or places), None)
    if chosen is None:
        return
    result.criterion = chosen[1] or ""
    for row in rows:
        if (row.task, row.criterion) == chosen:
            _take(result, row)


def _take(result: Annotations, row: ResultRow) -> None:
    """Add a row to the annotations; of several rows for one place the first counts."""
    kind = (row.analysis, row.statistic)
    if kind in AGREEMENT:
        result.agreement.setdefault(kind, row)
    elif kind == RATER_SECONDS:
        result.seconds.setdefault(str(row.rater), row)
    elif kind == RATER_SHARE:
        result.of_raters[str(row.rater)].setdefault(str(row.label), row)
    elif row.label is not None:
        result.shares.setdefault(row.label, row)


def _labels(results: Iterable[Annotations]) -> list[str]:
    """Return all labels in the order of the study that has most, then the labels of other studies."""
    counts: Counter[str] = Counter()
    for result in sorted(results, key=lambda result: -len(result.shares)):
        counts.update(dict.fromkeys(result.shares, 1))
    return list(counts)
