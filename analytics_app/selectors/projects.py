"""The main result of each study of a project, side by side: a handful of queries, however many studies there are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analytics_app.models import ResultLift, ResultRow, Run, RunState
from tasks_app.models import Criterion, Study, System

# What says most about a system, by analysis and statistic; the first that a run has counts.
SCORES = (
    ("systems", "mean"),
    ("magnitude", "geometric_mean"),
    ("ranking", "rank_mean"),
    ("best_worst", "bw_score"),
    ("pairwise", "bt_strength"),
    ("error_spans", "mqm_score"),
    ("error_spans", "esa_score"),
)


@dataclass(slots=True)
class MainResult:
    """The scores of the systems of a study, by the system's key, in the run that is read first.

    Without a run there are none; `is_hidden` says that they are not shown while the study is open.
    """

    study: Study
    is_hidden: bool
    run: Run | None = None
    score: tuple[str, str] | None = None
    criterion: str = ""
    scores: dict[str, ResultRow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The results of studies, the systems of any of them with their names, in the order of the keys."""

    results: Sequence[MainResult]
    systems: Mapping[str, str]


def side_by_side(studies: Sequence[Study]) -> SideBySide:
    """Return the main result of each study; five queries."""
    hidden = hidden_among(studies)
    results = {study.pk: MainResult(study, study.pk in hidden) for study in studies}
    shown = [key for key, result in results.items() if not result.is_hidden]
    runs = read_first(shown)
    rows: dict[int, list[ResultRow]] = defaultdict(list)
    for row in _rows(list(runs)):
        rows[row.run_id].append(row)
    for key, run in runs.items():
        result = results[run.study_id]
        result.run = run
        _fill(result, rows[key], str(run.settings.get("primary") or ""))
    names = criterion_names([(result.study.pk, result.criterion) for result in results.values()])
    for result in results.values():
        result.criterion = names.get((result.study.pk, result.criterion), result.criterion)
    keys = sorted({key for result in results.values() for key in result.scores})
    return SideBySide(list(results.values()), _names(shown, keys))


def hidden_among(studies: Sequence[Study]) -> set[int]:
    """Return the keys of the studies with results by system that are hidden."""
    under_way = {study.pk for study in studies if study.state in Study.State.UNDER_WAY}
    return under_way - set(ResultLift.objects.filter(study__in=under_way).values_list("study", flat=True))


def read_first(studies: Sequence[int]) -> dict[int, Run]:
    """Return the best run of each study by its key: the newest planned run, else the newest."""
    done = Run.objects.filter(study__in=studies, state=RunState.DONE)
    return {run.pk: run for run in done.order_by("study_id", "-planned", "-number").distinct("study_id")}


def _rows(runs: Sequence[int]) -> list[ResultRow]:
    """Return the rows of scores of systems, of the kept ratings."""
    scores = ResultRow.objects.filter(
        run__in=runs,
        basis="kept",
        by_system=True,
        system_b=None,
        slice=None,
        group=None,
        wave=None,
        rater=None,
        label=None,
        metric=None,
        statistic__in={statistic for _analysis, statistic in SCORES},
    )
    return list(scores.exclude(system=None).order_by("run", "order"))


def _fill(result: MainResult, rows: Sequence[ResultRow], primary: str) -> None:
    """Add the scores of the primary criterion, or of the first criterion that has any."""
    for score in SCORES:
        of_score = [row for row in rows if (row.analysis, row.statistic) == score]
        first = next((row for row in of_score if row.criterion == primary), of_score[0] if of_score else None)
        if first is None:
            continue
        place = (first.task, first.criterion)
        result.score, result.criterion = score, first.criterion or ""
        result.scores = {str(row.system): row for row in of_score if (row.task, row.criterion) == place}
        return


def criterion_names(places: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Return the names of criteria, by study and key."""
    studies = [study for study, key in places if key]
    live = Criterion.objects.filter(study__in=studies, until=None).values_list("study", "key", "name")
    return {(study, key): name for study, key, name in live}


def _names(studies: Sequence[int], keys: Sequence[str]) -> dict[str, str]:
    """Return the names of systems; the key of a system if studies have different names for it, or none."""
    called: dict[str, set[str]] = defaultdict(set)
    for key, name in System.objects.filter(study__in=studies, key__in=keys).exclude(name="").values_list("key", "name"):
        called[key].add(name)
    return {key: next(iter(called[key])) if len(called[key]) == 1 else key for key in keys}
