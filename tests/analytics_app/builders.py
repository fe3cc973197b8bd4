"""Result rows as the analyses write them, for tests of charts and pages: invented numbers, the real columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models.functions import Now

from analytics_app import charts
from analytics_app.models import Exclusion, Plan, Plot, ResultRow, Run
from analytics_app.results import COLUMNS, Row
from analytics_app.runs.store import ROW_COLUMNS, copy_in
from tasks_app.models import Rater, Study

OVER_ITEMS: Mapping[str, object] = {"interval": "bootstrap over items", "n_resamples": 1000}
OVER_RATERS: Mapping[str, object] = {"interval": "bootstrap over raters", "n_resamples": 1000}
TESTS: Mapping[str, object] = {**OVER_ITEMS, "correction": "holm", "family": "6 pairs of one criterion"}
SLIDER = {"HIGH": 92.4, "NIU": 84.1, "BART": 83.2, "LUO": 31.8}
LIKERT = {"north": 4.2, "south": 3.1, "west": 2.9}
STEPS = ("1", "2", "3", "4", "5")

SETTINGS = {
    "rules": [{"rule": "iqr", "factor": 1.5}],
    "analyses": [{"analysis": "systems"}, {"analysis": "krippendorff"}, {"analysis": "correlation"}],
    "primary": None,
    "comparisons": "all",
    "correction": "holm",
    "confidence": 0.95,
    "n_resamples": 1000,
    "n_permutations": 9999,
    "ddof": 1,
    "surplus": False,
}


def funnel(task: str = "main", systems: Sequence[str] = ("HIGH", "LUO")) -> Iterator[Row]:
    """Make the steps from what was collected to what was kept."""
    row = {"analysis": "funnel", "task": task, "basis": "all"}
    yield Row(**row, statistic="collected", value=1.0, n_ratings=720, n_items=20, n_raters=12)
    yield Row(**row, statistic="removed", label="iqr", value=0.0125, n_ratings=9, n_items=7, n_raters=4)
    yield Row(**row, statistic="removed_low", label="iqr", value=8.0, n_ratings=8)
    yield Row(**row, statistic="removed_high", label="iqr", value=1.0, n_ratings=1)
    for n, system in zip((2, 7), systems, strict=True):
        yield Row(**row, statistic="removed_by_system", label="iqr", system=system, n_ratings=n, by_system=True)
    yield Row(**row, statistic="kept", value=0.9875, n_ratings=711, n_items=20, n_raters=12)


def slider_rows(criterion: str = "content", *, task: str = "main", basis: str = "kept") -> list[Row]:
    """Make every row of a criterion judged on a slider from 0 to 100."""
    place = {"task": task, "criterion": criterion, "basis": basis}
    rows = list(_systems(SLIDER, place, width=4.0, scale=40.0))
    for low in range(0, 100, 10):
        share = {"label": f"{low} to {low + 10}", "value": 0.41 if low == 90 else 0.59 / 9, "n_ratings": 960}
        rows.append(Row(**place, analysis="distribution", statistic="distribution", **share))
    return [*rows, *_agreement(place, "interval", 0.712)]


def likert_rows(criterion: str = "fluency", *, task: str = "main", basis: str = "kept") -> list[Row]:
    """Make every row of a criterion judged in five steps."""
    place = {"task": task, "criterion": criterion, "basis": basis}
    rows = list(_systems(LIKERT, place, width=0.3, scale=1.2))
    for system, mean in LIKERT.items():
        weights = [1 / (1 + abs(step - mean)) ** 3 for step in range(1, 6)]
        for step, weight in zip(STEPS, weights, strict=True):
            n = {"n_ratings": 240, "n_items": 20, "n_raters": 12}
            value = weight / sum(weights)
            share = {"statistic": "share", "system": system, "label": step, "value": value, "by_system": True}
            rows.append(Row(**place, analysis="systems", **share, **n))
    for step, value in zip(STEPS, (0.05, 0.15, 0.3, 0.3, 0.2), strict=True):
        rows.append(
            Row(**place, analysis="distribution", statistic="distribution", label=step, value=value, n_ratings=720)
        )
    for a, b in combinations(LIKERT, 2):
        apart = LIKERT[a] - LIKERT[b]
        value = 0.5 + apart / 5
        pair = {"statistic": "superiority", "system": a, "system_b": b, "by_system": True, "settings": TESTS}
        rows.append(
            Row(**place, analysis="systems", **pair, value=value, low=value - 0.06, high=value + 0.05, n_items=20)
        )
    return [*rows, *_agreement(place, "ordinal", 0.48)]


def _systems(means: Mapping[str, float], place: Mapping[str, str], *, width: float, scale: float) -> Iterator[Row]:
    middle = sum(means.values()) / len(means)
    n = {"n_ratings": 240, "n_items": 20, "n_raters": 12}
    for system, mean in means.items():
        row = {**place, "analysis": "systems", "system": system, "by_system": True}
        yield Row(**row, **n, statistic="mean", value=mean, low=mean - width, high=mean + width, se=width / 2)
        ends = {"low": mean - 2 * width, "high": mean + 1.5 * width}
        yield Row(**row, **n, statistic="mean_over_raters", value=mean, **ends, settings=OVER_RATERS)
        z, wide = (mean - middle) / scale, width / scale
        yield Row(**row, **n, statistic="mean_z", value=z, low=z - wide, high=z + wide, settings=OVER_ITEMS)
        yield Row(**row, **n, statistic="mean_z_over_raters", value=z, low=z - 2 * wide, high=z + 2 * wide)
        yield Row(**row, **n, statistic="median", value=round(mean))
        yield Row(**row, **n, statistic="sd", value=width * 2.5)
    for a, b in combinations(means, 2):
        apart = means[a] - means[b]
        p = 0.0001 if apart > 2 * width else 0.21
        pair = {**place, "analysis": "systems", "system": a, "system_b": b, "by_system": True, "settings": TESTS}
        ends = {"low": apart - width, "high": apart + width, "n_items": 20}
        yield Row(**pair, **ends, statistic="difference", value=apart, p=p, p_adjusted=min(1, p * 6))
        yield Row(**pair, statistic="wilcoxon", value=12.5, p=p * 2, p_adjusted=min(1, p * 12), n_items=20)
        yield Row(**pair, statistic="effect_size", value=apart / (width * 2.5), n_items=20)


def _agreement(place: Mapping[str, str], level: str, alpha: float) -> Iterator[Row]:
    n = {"n_ratings": 720, "n_items": 80, "n_raters": 12}
    settings = {"level": level, "interval": "bootstrap over texts", "n_resamples": 1000}
    ends = {"low": alpha - 0.06, "high": alpha + 0.05}
    yield Row(**place, **n, analysis="krippendorff", statistic="alpha", value=alpha, **ends, settings=settings)
    for statistic in ("pearson", "pearson_mean", "spearman"):
        yield Row(**place, analysis="correlation", statistic=statistic, value=alpha + 0.03, n_ratings=720)
    pair = {"statistic": "pearson_pair", "label": "R-0001 and R-0002", "value": 0.66, "n_items": 40}
    yield Row(**place, analysis="correlation", **pair)
    for number in (1, 2, 3):
        row = {**place, "analysis": "raters", "rater": f"R-{number:04}", "n_ratings": 80}
        yield Row(**row, statistic="rater_mean", value=60.0 + number)
        sd = {"value": 20.0} if number < 3 else {"note": "All ratings of this rater are the same, so z is undefined."}
        yield Row(**row, statistic="rater_sd", **sd)


def build_run(
    study: Study,
    rows: Sequence[Row] = (),
    *,
    by: User | None = None,
    planned: bool = False,
    state: str = Run.State.DONE,
    **changes: object,
) -> Run:
    """Store a run with result rows."""
    number = study.runs.count() + 1
    plan = Plan.objects.get_or_create(study=study, version=1, defaults={"document": SETTINGS})[0] if planned else None
    over = state == Run.State.DONE
    run = Run.objects.create(
        **{
            "study": study,
            "number": number,
            "version": 1,
            "plan": plan,
            "planned": planned,
            "by": by,
            "settings": SETTINGS,
            "facts": {"simulated_raters": 0},
            "seed": 20_261_121,
            "high_water": 10**9,
            "judgment_high_water": 10**9,
            "n_seen": 720,
            "digest": f"{number:064x}",
            "code_version": settings.EVALWEB_CODE_VERSION,
            "state": state,
            "started": Now() if over else None,
            "finished": Now() if over else None,
            **changes,
        }
    )
    store(run, rows)
    return run


def store(run: Run, rows: Sequence[Row]) -> None:
    """Store result rows of a run in their order."""
    first = run.rows.count()
    columns = ({name: getattr(row, name) for name in (*COLUMNS, "by_system")} for row in rows)
    given = ({**one, "order": order, "planned": run.planned} for order, one in enumerate(columns, start=first))
    copy_in((ResultRow(run_id=run.pk, **one) for one in given), ROW_COLUMNS)


@cache
def drawn(criterion: str) -> list[charts.Drawn]:
    """Draw a criterion's charts once for all tests."""
    rows = slider_rows(criterion) if criterion == "content" else likert_rows(criterion)
    return charts.draw(rows, "main", criterion)


def are_rendered(drawings: Iterable[charts.Drawn]) -> bool:
    """Render charts for wide screens and for a telephone; return whether each has a drawing and each view a size."""
    return all(one.svg and one.narrow and has_sizes(one.spec) for one in drawings)


def has_sizes(spec: Mapping[str, Any]) -> bool:
    """Return whether each view of a specification has a width and a height of its own, as its data need."""
    views = spec.get("vconcat") or spec.get("hconcat")
    return all(map(has_sizes, views)) if views else {"width", "height"} <= spec.keys()


def add_plots(run: Run, *criteria: str) -> None:
    """Store the plots of some criteria of a run."""
    for criterion in criteria:
        store_plots(run, criterion, drawn(criterion))


def store_plots(run: Run, criterion: str, drawings: Sequence[charts.Drawn]) -> None:
    """Store drawings as the plots of a criterion of a run."""
    Plot.objects.bulk_create(
        Plot(
            run=run,
            key=f"main/{criterion}/{one.key}",
            order=order,
            task="main",
            criterion=criterion,
            title=one.title,
            by_system=one.by_system,
            spec=one.spec,
            svg=one.svg,
            narrow=one.narrow,
            digest=one.digest,
        )
        for order, one in enumerate(drawings)
    )


def results_of(study: Study) -> dict[str, str]:
    """Store a run with a plot that may always be seen, a rater and an exclusion; returns how addresses name them."""
    run = build_run(study, slider_rows())
    add_plots(run, "content")
    rater = Rater.objects.create(study=study, pseudonym="r-1", seed=1, token_hash=f"r-1 of {study.pk}", version=1)
    exclusion = Exclusion.objects.create(study=study, rater=rater, rule="manual", reason="Asked for it.")
    plot = run.plots.filter(by_system=False).first()
    return {
        "RUN": str(run.number),
        "PLOT": str(plot.pk),
        "RATER": rater.pseudonym,
        "EXCLUSION": str(exclusion.pk),
    }
