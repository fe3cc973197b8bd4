"""Metrics taken apart: how well a metric tells adjacent levels of people's answers apart, and agrees by system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.scores import OfMetric, metrics_of
from analytics_app.analyses.metrics.selected import SelectedTexts, unknown_criterion
from analytics_app.analyses.metrics.tables import shaped, unknown_directions
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, value_of
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.show import cells, labels
from analytics_app.show.formats import digits, interval, items, p, p_adjusted
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.metrics.adjacent_levels import AdjacentLevels, adjacent_levels
from analytics_app.stats.metrics.equal_systems import systems_differ
from analytics_app.stats.metrics.metric_meta import over_texts
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types.base import ORDERED_SCALES

UNKNOWN = "The plan names this metric, and no scores of that name were imported."
# The most texts times permutations of all tests whether systems differ: more would take minutes.
MOST_EXCHANGES = 200_000_000
# The most pairs of texts of one system, over all systems and metrics, for an interval of tau: about half a minute.
MOST_TAU_PAIRS = 200_000_000
FEWEST_PERMUTATIONS = 199
# The most steps of a scale that are levels of their own.
MOST_STEPS = 21
COEFFICIENTS = ("pearson", "spearman", "tau_b")
OF_SYSTEM = tuple(f"metric_{name}_of_system" for name in COEFFICIENTS)
DIFFER = ("metric_pearson_systems_differ", "metric_spearman_systems_differ")


@register
class MetricsApart(SelectedTexts):
    """Where a metric agrees with people: at which levels of their answers, and on the texts of which systems.

    A text has the level of the step that is nearest to the mean of its ratings. For each two adjacent levels, the area
    under the ROC curve is the probability that the metric gives a text of the upper level the higher score. Within each
    system the metric is correlated with people over its texts. Tests ask whether areas differ between levels, and
    correlations between systems.
    """

    label = _("Automatic metrics taken apart")
    summary = _(
        "At which levels of people's answers a metric tells better from worse texts, and on the texts of which systems "
        "it agrees with people. Needs scores: manage.py import_scores or compute_scores."
    )
    source = (
        "Zhu and Bhat (2020). GRUEN for evaluating linguistic quality of generated text. Findings of EMNLP, 94-108. "
        "Rony et al. (2022). RoMe: a robust metric for evaluating natural language generation. ACL, 5645-5657. "
        "Obuchowski (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53(2), 567-578."
    )
    scales = ORDERED_SCALES
    needs: ClassVar[frozenset[type[Extra]]] = SelectedTexts.needs | {Scores}
    splits = False
    leads = False
    statistics: ClassVar[Mapping[str, Words]] = {
        "metric_level_mean": _("Mean of the metric by level of the human answer"),
        "metric_level_area": _("Probability that the metric orders two adjacent levels rightly (AUC)"),
        "metric_levels_differ": _("Differences between adjacent levels (F)"),
        "metric_pearson_of_system": _("Pearson's r over the texts of a system"),
        "metric_spearman_of_system": _("Spearman's rho over the texts of a system"),
        "metric_tau_b_of_system": _("Kendall's tau-b over the texts of a system"),
        "metric_pearson_systems_differ": _("Largest less least r of a system"),
        "metric_spearman_systems_differ": _("Largest less least rho of a system"),
    }

    by_level = YesNoField(
        initial=True,
        label=_("By level of the human answer"),
        help_text=_("The metric's scores at each level, and how well it tells adjacent levels apart."),
    )
    parts_of_scale = whole_field(
        _("Levels of a scale without steps"),
        _("A slider is cut into this many equally long parts."),
        within=(2, 20),
        initial=5,
    )
    by_system = YesNoField(
        initial=True,
        label=_("By system"),
        help_text=_("The correlation with people over the texts of each system, and whether systems differ."),
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every metric."""
        scores = sample.extras[Scores]
        make = Rows(self.name, sample)
        if not scores.metrics:
            return
        if unknown := unknown_criterion(self, sample):
            yield make.row("metric_level_mean", note=unknown, by_system=True)
            return
        for name in sorted(self.named_metrics - {*scores.metrics, *(made.name for made in scores.composites)}):
            yield make.row("metric_level_mean", metric=name, note=UNKNOWN, by_system=True)
        outputs = Outputs.of(sample, by_document=sample.question.by_document)
        if not outputs.systems:
            return
        human, rated = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
        metrics = [
            metric
            for metric in metrics_of(sample, outputs.systems, rated, self.metrics, self.directed)
            if metric.of_texts is not None
        ]
        documents = outputs.clusters_of(rated)
        if self.by_level:
            yield from _levels(make, human, metrics, documents, self.parts_of_scale)
        if self.by_system:
            yield from _systems(make, outputs.systems, human, metrics, documents)


# Levels ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cut:
    """The levels of a scale: the code of each text's level (-1 for none), and the names of levels, the lowest first."""

    code: NDArray[np.int64]
    names: tuple[str, ...]
    rule: str

    @classmethod
    def of(cls, sample: Sample, human: Floats, n: int) -> "Cut":
        """Return the levels of people's mean answers, shape (n_items, n_systems), by the scale of the question."""
        question, means = sample.question, human.ravel()
        known = ~np.isnan(means)
        code = np.full(means.size, -1, dtype=np.int64)
        if 1 < len(question.domain) <= MOST_STEPS:
            steps = np.sort(np.array(question.domain))
            # Halfway between two steps a text belongs to the lower one; means differ from halves by rounding.
            middles = (steps[1:] + steps[:-1]) / 2 + 1e-9 * np.ptp(steps)
            code[known] = np.searchsorted(middles, means[known], side="left")
            return cls(code, tuple(f"{step:g}" for step in steps), "the step nearest to the mean rating")
        low, high = question.limits or (float(means[known].min(initial=0)), float(means[known].max(initial=1)))
        if question.limits is None:
            edges = np.unique(np.quantile(means[known], np.linspace(0, 1, n + 1)))
            rule = f"{len(edges) - 1} parts of the mean ratings with about equally many texts"
        else:
            edges = np.linspace(low, high, n + 1)
            rule = f"{n} equally long parts of the scale, by the mean rating"
        code[known] = np.clip(np.searchsorted(edges, means[known], side="left") - 1, 0, max(len(edges) - 2, 0))
        return cls(code, tuple(f"{a:g} to {b:g}" for a, b in pairwise(edges)), rule)


def _levels(
    make: Rows, human: Floats, metrics: Sequence[OfMetric], documents: NDArray[np.int64] | None, n: int
) -> Iterator[Row]:
    """Yield the scores of each metric by level, the areas of adjacent levels, and the tests whether areas differ."""
    cut = Cut.of(make.sample, human, n)
    item = np.repeat(np.arange(len(human)) if documents is None else documents, human.shape[1])
    rated = cut.code >= 0
    unit = "items" if documents is None else "documents"
    differing: list[tuple[OfMetric, AdjacentLevels, str | None]] = []
    for metric in metrics:
        scores = np.zeros(0) if metric.of_texts is None else metric.of_texts.ravel()[rated]
        found = adjacent_levels(cut.code[rated], scores, item[rated], confidence=make.sample.common.confidence)
        yield from _of_level(make, metric, found, cut)
        pairs = [f"{cut.names[a.level]} | {cut.names[b.level]}" for a, b in pairwise(found.levels)]
        correction = make.sample.common.correction
        adjusted = adjust([area.p for area in found.areas], correction)
        settings = metric.settings(
            {"levels": cut.rule}, n_ratings="texts", interval=f"logit, clustered by {unit}",
            method="Obuchowski (1997)", test="t of the area less 0.5", correction=correction,
            family=f"{len(pairs)} pairs of adjacent levels of one metric",
        )  # fmt: skip
        for pair, area, adjusted_p in zip(pairs, found.areas, adjusted, strict=True):
            yield make.row(
                "metric_level_area", area, metric=metric.name, label=pair, p_adjusted=adjusted_p, by_system=True,
                settings=settings,
            )  # fmt: skip
        alpha = 1 - make.sample.common.confidence
        differing.append((metric, found, _told_apart(pairs, found.areas, adjusted, alpha)))
    yield from _differing_levels(make, differing, cut.rule)


def _of_level(make: Rows, metric: OfMetric, found: AdjacentLevels, cut: Cut) -> Iterator[Row]:
    """Yield the mean and the quartiles of a metric at each level, with the metric's own sign."""
    for level in found.levels:
        quartiles = sorted(metric.sign * value for value in (level.low_quartile, level.median, level.high_quartile))
        yield make.row(
            "metric_level_mean", value=metric.sign * level.mean, metric=metric.name, label=cut.names[level.level],
            n_ratings=level.n, by_system=True,
            settings=metric.settings(
                {"levels": cut.rule}, n_ratings="texts", low_quartile=quartiles[0], median=quartiles[1],
                high_quartile=quartiles[2],
            ),
        )  # fmt: skip


def _told_apart(
    pairs: Sequence[str], areas: Sequence[Estimate], adjusted: Sequence[float | None], alpha: float
) -> str | None:
    """Return sentences about the levels that the metric tells apart, and those that it does not."""
    apart, together, reversed_pairs = [], [], []
    for pair, area, p_value in zip(pairs, areas, adjusted, strict=True):
        if p_value is None or area.value is None:
            continue
        if p_value >= alpha:
            together.append(pair)
        elif area.value > 0.5:
            apart.append(pair)
        else:
            reversed_pairs.append(pair)
    named_pairs = (
        ("Told apart", apart), ("Not clearly told apart", together), ("In the wrong order", reversed_pairs),
    )  # fmt: skip
    return joined(*(f"{start}: {', '.join(each)}." for start, each in named_pairs if each))


def _differing_levels(
    make: Rows, differing: Sequence[tuple[OfMetric, AdjacentLevels, str | None]], rule: str
) -> Iterator[Row]:
    correction = make.sample.common.correction
    adjusted = adjust([found.differ.p for _metric, found, _told in differing], correction)
    family = f"{len(differing)} metrics"
    for (metric, found, told), adjusted_p in zip(differing, adjusted, strict=True):
        settings = metric.settings(
            {"levels": rule}, n_ratings="areas", test="Wald test of equal areas, F", correction=correction,
            family=family,
        )  # fmt: skip
        yield make.row(
            "metric_levels_differ", replace(found.differ, note=joined(told, found.differ.note)), metric=metric.name,
            p_adjusted=adjusted_p, by_system=True, settings=settings,
        )  # fmt: skip


# Systems --------------------------------------------------------------------------------------------------


def _systems(
    make: Rows,
    systems: Sequence[str],
    human: Floats,
    metrics: Sequence[OfMetric],
    documents: NDArray[np.int64] | None,
) -> Iterator[Row]:
    """Yield the correlations of each metric over the texts of each system, and the tests whether systems differ."""
    units = np.arange(len(human)) if documents is None else documents
    pairs = len(metrics) * int(((~np.isnan(human)).sum(axis=0) ** 2).sum())
    drawn = bootstrap(make.sample, "metrics of a system", "items" if documents is None else "documents")
    for metric in metrics:
        if metric.of_texts is None:
            continue
        settings = metric.settings({"human": "raw"}, n_ratings="texts", **drawn.settings)
        for code, key in enumerate(systems):
            # The same resamples for every system and metric.
            options = bootstrap(make.sample, "metrics of a system", "items").options
            found = over_texts(
                human[:, code], metric.of_texts[:, code], units, tau_interval=pairs <= MOST_TAU_PAIRS, **options
            )
            for name, estimate in zip(OF_SYSTEM, (found.pearson, found.spearman, found.third), strict=True):
                yield make.row(name, estimate, metric=metric.name, system=key, settings=settings)
    if len(systems) > 1:
        yield from _differing_systems(make, human, metrics, documents)


def _differing_systems(
    make: Rows, human: Floats, metrics: Sequence[OfMetric], documents: NDArray[np.int64] | None
) -> Iterator[Row]:
    common, purpose = make.sample.common, "correlations of systems"
    most = MOST_EXCHANGES // max(len(DIFFER) * len(metrics) * human.size, 1)
    n = min(common.n_permutations, max(most, FEWEST_PERMUTATIONS))
    exchanged = "items" if documents is None else "documents"
    for statistic, ranks in zip(DIFFER, (False, True), strict=True):
        tests = [
            systems_differ(
                human, metric.of_texts, ranks=ranks, clusters=documents, n_permutations=n,
                rng=make.sample.rng(purpose),
            )
            for metric in metrics if metric.of_texts is not None
        ]  # fmt: skip
        adjusted = adjust([test.p for test in tests], common.correction)
        for metric, test, adjusted_p in zip(metrics, tests, adjusted, strict=True):
            settings = metric.settings(
                {"human": "raw"}, n_ratings="systems", test=f"permutation of systems within {exchanged}",
                n_permutations=n, seed=make.sample.seed(purpose), correction=common.correction,
                family=f"{len(tests)} metrics",
            )  # fmt: skip
            yield make.row(
                statistic, test, metric=metric.name, p_adjusted=adjusted_p, by_system=True, settings=settings
            )


# Tables of metrics taken apart ----------------------------------------------------------------------------

MOST_LINES_OF_A_TABLE = 200
# The most metrics with a column of their own, as in RoMe's table: more would not fit on a page.
MOST_COLUMNS = 8
MORE = _("Further lines in the file of results: %(n)s.")


@tables_of("metrics_apart")
def metrics_apart(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables by level, then those by system."""
    yield from shaped(rows, _tables, limit, caption=gettext("Metrics on parts of the texts"))


def _tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    yield from _by_level(rows)
    yield from _areas(rows, limit)
    yield from _levels_differ(rows, limit)
    yield from _matrix(rows)
    yield from _of_systems(rows)
    yield from _systems_differ(rows, limit)


def _by_level(rows: StoredRows) -> Iterator[Table]:
    def quartile(name: str) -> Any:
        return lambda row: cells.number((row.settings or {}).get(name) if row else None, 3)

    columns = [
        named(gettext("Metric"), lambda row: row.metric),
        named(gettext("Human answer"), lambda row: row.label),
        own(gettext("Texts"), lambda row: cells.whole(row.n_ratings if row else None)),
        own(gettext("Mean"), digits(3)),
        own(gettext("Lower quartile"), quartile("low_quartile")),
        own(gettext("Median"), quartile("median")),
        own(gettext("Upper quartile"), quartile("high_quartile")),
    ]
    lines = rows.of("metric_level_mean")
    notes = list(dict.fromkeys(
        gettext("Human answer: %(rule)s.") % {"rule": (row.settings or {})["levels"]} for row in lines if row.label
    ))  # fmt: skip
    notes += list(dict.fromkeys(row.note for row in lines if row.note))
    caption = gettext("Metrics by level of the human answer")
    yield from table_of(rows, caption, columns, lines, notes=notes, most=MOST_LINES_OF_A_TABLE, more=str(MORE))


def _areas(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(gettext("Metric"), lambda row: row.metric),
        named(gettext("Levels"), lambda row: row.label),
        own("AUC", digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("p"), p),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        own(gettext("Texts"), lambda row: cells.whole(row.n_ratings if row else None)),
        own(gettext("Items"), items),
    ]
    lines = rows.of("metric_level_area")
    explained = gettext(
        "AUC: the probability that the metric gives a text of the upper level a higher score than one of the lower "
        "level. 0.5 is what guessing gives, 1 is complete separation."
    )
    caption = gettext("How well metrics tell adjacent levels apart")
    notes = [*([explained] if lines else []), *dict.fromkeys(row.note for row in lines if row.note)]
    notes += unknown_directions(lines_of(lines, "metric"))
    yield from table_of(rows, caption, columns, lines, notes=notes, most=MOST_LINES_OF_A_TABLE, more=str(MORE))


def _levels_differ(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(gettext("Metric"), lambda row: row.metric),
        own("F", digits(2)),
        own("df", lambda row: cells.number(row.df if row else None, 0)),
        own(gettext("p"), p),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        named(gettext("Levels that the metric tells apart"), lambda row: row.note or cells.DASH),
    ]
    caption = gettext("Whether metrics are equally good at all levels")
    explained = gettext("A small p says that the metric tells some adjacent levels apart better than others.")
    yield from table_of(rows, caption, columns, rows.of("metric_levels_differ"), notes=[explained])


def _matrix(rows: StoredRows) -> Iterator[Table]:
    """Yield Spearman's rho with a line for each system and a column for each metric, as RoMe prints it."""
    statistic = "metric_spearman_of_system"
    metrics = rows.values("metric", statistic)
    if not 1 < len(metrics) <= MOST_COLUMNS:
        return
    columns = [named(gettext("System"), lambda row: row.system)]
    columns += [Shown(str(metric), statistic, digits(2), {"metric": metric}) for metric in metrics]
    lines = lines_of(rows.of(statistic), "system")
    caption = gettext("Spearman's rho over the texts of each system")
    yield from table_of(rows, caption, columns, lines, by=("system",), notes=[])


def _of_systems(rows: StoredRows) -> Iterator[Table]:
    by = ("metric", "system")
    columns = [named(gettext("Metric"), lambda row: row.metric), named(gettext("System"), lambda row: row.system)]
    for statistic in OF_SYSTEM:
        columns += [
            Shown(labels.statistic(statistic), statistic, digits(3)),
            Shown(gettext("Interval"), statistic, interval(3)),
        ]
    columns.append(own(gettext("Texts"), lambda row: cells.whole(row.n_ratings if row else None)))
    lines = lines_of(rows.of(*OF_SYSTEM), *by)
    caption = gettext("Metrics on the texts of each system")
    notes = [*notes_of(rows.of(*OF_SYSTEM)), *unknown_directions(lines_of(lines, "metric"))]
    yield from table_of(rows, caption, columns, lines, by=by, notes=notes, most=MOST_LINES_OF_A_TABLE, more=str(MORE))


def _systems_differ(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [named(gettext("Metric"), lambda row: row.metric)]
    for statistic in DIFFER:
        columns += [
            Shown(labels.statistic(statistic), statistic, digits(3)),
            Shown(gettext("p"), statistic, p),
            Shown(gettext("Adjusted p"), statistic, p_adjusted(limit)),
        ]
    columns.append(own(gettext("Systems"), lambda row: cells.whole(row.n_ratings if row else None)))
    caption = gettext("Whether metrics agree with people equally well on all systems")
    yield from table_of(rows, caption, columns, lines_of(rows.of(*DIFFER), "metric"), by=("metric",))


# The charts: a panel for each metric with its scores by level, and a line for each metric over adjacent levels.

# The most metrics with a panel of their own.
MOST_PANELS = 6


@chart(order=84)
def levels_chart(material: Material) -> Iterator[Sketch]:
    """Draw the median and the quartiles of each metric at each level."""
    rows = [row for row in material.of("metric_level_mean") if row.label]
    levels, metrics = (list(dict.fromkeys(str(getattr(row, name)) for row in rows)) for name in ("label", "metric"))
    if len(levels) < 2:
        return
    shown_metrics = metrics[:MOST_PANELS]
    only = f", {len(shown_metrics)} of {len(metrics)} metrics" if len(shown_metrics) < len(metrics) else ""
    points = []
    for row in rows:
        if row.metric in shown_metrics:
            found = row.settings or {}
            points.append({
                "panel": str(row.metric), "time": str(row.label), "name": "Median", "value": found["median"],
                "low": found["low_quartile"], "high": found["high_quartile"], "n": row.n_ratings or 0,
            })  # fmt: skip
    yield Sketch(
        kind="metrics-by-level",
        title="Scores of metrics by level of the human answer",
        subtitle=(
            f"Median, and lines from the lower to the upper quartile{only}; {material.basis(rows)}. Level: "
            f"{(rows[0].settings or {})['levels']}."
        ),
        by_system=True,
        chart=course_chart([(name, words.short(name, 30)) for name in shown_metrics], points, ["Median"], levels),
        columns=(
            ("panel", "Metric"), ("time", "Level"), ("value", "Median"), ("low", "Lower quartile"),
            ("high", "Upper quartile"), ("n", "Texts"),
        ),
        further=True,
    )  # fmt: skip


@chart(order=85)
def adjacent_levels_chart(material: Material) -> Iterator[Sketch]:
    """Draw how well metrics tell each two adjacent levels apart."""
    rows = material.of("metric_level_area")
    pairs = list(dict.fromkeys(str(row.label) for row in rows))
    metrics = list(dict.fromkeys(str(row.metric) for row in rows))
    if len(pairs) < 2:
        return
    shown_metrics = metrics[:MOST_LINES]
    only = f", {len(shown_metrics)} of {len(metrics)} metrics" if len(shown_metrics) < len(metrics) else ""
    points = [
        {
            "panel": "auc", "time": str(row.label), "name": str(row.metric), "value": value_of(row), "low": row.low,
            "high": row.high,
        }
        for row in rows if row.metric in shown_metrics
    ]  # fmt: skip
    tests = [row for row in material.of("metric_levels_differ") if row.metric in shown_metrics]
    unequal = [words.short(row.metric) for row in tests if material.is_significant(row)]
    title = "How well metrics tell adjacent levels of the human answer apart"
    if len(unequal) == 1:
        title = f"{unequal[0]} tells some levels of the human answer apart better than others"
    yield Sketch(
        kind="metrics-levels",
        title=title,
        subtitle=(
            f"AUC: the probability that the metric gives a text of the upper level the higher score{only}; "
            f"0.5 is what guessing gives; {material.basis(rows)}. Lines: {material.confidence * 100:g}{words.SPACE}% "
            f"intervals over items."
        ),
        by_system=True,
        chart=course_chart([("auc", "AUC")], points, shown_metrics, pairs),
        columns=(("name", "Metric"), ("time", "Levels"), ("value", "AUC"), *INTERVAL),
        further=True,
    )
