"""Two metrics compared by how well they agree with people: Williams' test, swapped scores, and rank groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.metrics.scores import OfMetric, column_means
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.metrics.metric_meta import kendall, pearson, spearman, williams
from analytics_app.stats.metrics.perm_both import MetricTest, compared_accuracies, perm_both, rank_groups
from analytics_app.stats.metrics.tie_calibration import equal_accuracy, right_by_item
from analytics_app.stats.values import Estimate, joined

# What Williams' test is worth with coefficients that it was not derived for: docs/methods/metrics-apart.md.
OF_RANKS = {
    "pearson": None,
    "spearman": (
        "Williams' test was derived for Pearson's r. With Spearman's rho, as papers use it, it is approximate: it "
        "rejects somewhat too often."
    ),
    "kendall": (
        "Williams' test was derived for Pearson's r. With Kendall's tau, as papers use it, it hardly ever rejects: a "
        "large p says nothing."
    ),
}
DEPENDENT = "Texts of one item are not independent, so p is too small: read the intervals beside it."
SINGLE_TEXTS = (
    "Single texts are swapped: p is too small where a metric errs alike on the texts of an item. Read the test that "
    "swaps items (PERM-INPUT)."
)
NOT_SIGNIFICANT = "With {n} no p is below {least:.2g}, so none of the {pairs} can be significant after the correction."
TOO_MANY = "{n} metrics are too many to compare each with each other: name up to {most} under “metrics”."

# The coefficients by which two metrics are compared with Williams' test.
COEFFICIENTS: Mapping[str, Callable[[Floats, Floats], float | None]] = {
    "pearson": pearson, "spearman": spearman, "kendall": kendall,
}  # fmt: skip
# The published names of the tests, by what is swapped together.
PERM_BOTH, PERM_INPUT = "PERM-BOTH", "PERM-INPUT"
# How rank groups come about: uncorrected as WMT prints them, or from corrected tests.
AS_WMT, CORRECTED = "as WMT", "corrected"
# A metric beats another with a one-sided p below it, as at WMT.
LIMIT = 0.05
# The most metrics that are compared: more have thousands of pairs.
MOST_METRICS = 40


def williams_tests(
    make: Rows, human: Floats, metrics: list[OfMetric], settings: Mapping[str, Any], *, ranks: bool = False
) -> Iterator[Row]:
    """Yield Williams' test of each pair of metrics, over texts and over systems; with `ranks` also by rho and tau."""
    over_texts = [(metric, metric.of_texts.ravel()) for metric in metrics if metric.of_texts is not None]
    people, over_systems = column_means(human), _over_systems(human, metrics)
    for name in COEFFICIENTS if ranks else ("pearson",):
        kind = "" if name == "pearson" else f"{name}_"
        about = {**settings, "coefficient": name} if ranks else settings
        by = _Williams(make, name, OF_RANKS[name])
        yield from by.rows(
            f"metric_williams_{kind}texts", human.ravel(), over_texts, {**about, "level": "texts"}, DEPENDENT
        )
        yield from by.rows(f"metric_williams_{kind}systems", people, over_systems, {**about, "level": "systems"}, None)


def _over_systems(human: Floats, metrics: Sequence[OfMetric]) -> list[tuple[OfMetric, Floats]]:
    """Return the metrics with their score of each system: as a whole, else the mean over rated texts."""
    columns = []
    for metric in metrics:
        if metric.of_systems is not None:
            columns.append((metric, metric.of_systems))
        elif metric.of_texts is not None:
            columns.append((metric, column_means(np.where(np.isnan(human), np.nan, metric.of_texts))))
    return columns


@dataclass(frozen=True, slots=True)
class _Williams:
    """Williams' test by one coefficient, with the caveat that its rows have."""

    make: Rows
    coefficient: str
    caveat: str | None

    def rows(
        self,
        statistic: str,
        human: Floats,
        columns: list[tuple[OfMetric, Floats]],
        settings: Mapping[str, Any],
        note: str | None,
    ) -> Iterator[Row]:
        """Yield the test of each pair of metrics, with p adjusted over all of them."""
        pairs = list(combinations(columns, 2))
        known: dict[tuple[int, bytes], float | None] = {}
        tests = [self._test(human, a, b, known) for (_one, a), (_two, b) in pairs]
        correction = self.make.sample.common.correction
        adjusted = adjust([test.p for test in tests], correction)
        family = {"test": "Williams' t", "correction": correction, "family": f"{len(pairs)} pairs of metrics"}
        notes = joined(note, self.caveat)
        for ((first, _a), (second, _b)), test, p in zip(pairs, tests, adjusted, strict=True):
            yield self.make.row(
                statistic, test, metric=first.name, metric_b=second.name, by_system=True, p_adjusted=p,
                note=joined(test.note, notes if test.value is not None else None), settings={**settings, **family},
            )  # fmt: skip

    def _test(self, human: Floats, a: Floats, b: Floats, known: dict[tuple[int, bytes], float | None]) -> Estimate:
        """Return the test of two metrics; `known` keeps the correlations with people by metric and scored texts."""
        correlate = COEFFICIENTS[self.coefficient]
        scored: NDArray[np.bool_] = ~(np.isnan(human) | np.isnan(a) | np.isnan(b))
        x, y, z = human[scored], a[scored], b[scored]
        texts = scored.tobytes()
        for metric, scores in ((a, y), (b, z)):
            if (id(metric), texts) not in known:
                known[id(metric), texts] = correlate(x, scores)
        with_a, with_b, both = known[id(a), texts], known[id(b), texts], correlate(y, z)
        if with_a is None or with_b is None or both is None:
            return Estimate(None, n_ratings=len(x), note="A correlation is undefined, so nothing can be compared.")
        return williams(with_a, with_b, both, len(x))


@dataclass(frozen=True, slots=True)
class _Level:
    """Metrics on one level: their agreement with people, None where undefined, and the end of names of statistics."""

    end: str
    metrics: list[OfMetric]
    agreement: list[float | None]


@dataclass(frozen=True, slots=True)
class _Swapping:
    """Metrics with swapped scores, and the judgments by item and system that they are held against.

    `documents` are those of the items where documents are swapped, and not items; `settings` those of the rows.
    """

    make: Rows
    human: Floats
    metrics: list[OfMetric]
    documents: NDArray[np.int64] | None
    settings: Mapping[str, Any]

    @property
    def together(self) -> str:
        """The name of the unit that is swapped as a whole."""
        return "items" if self.documents is None else "documents"


def swap_tests(
    make: Rows,
    human: Floats,
    metrics: list[OfMetric],
    documents: NDArray[np.int64] | None,
    settings: Mapping[str, Any],
) -> Iterator[Row]:
    """Yield the tests of pairs of metrics by swapping their scores, and the rank groups, on each level."""
    if len(metrics) > MOST_METRICS:
        note = TOO_MANY.format(n=len(metrics), most=MOST_METRICS)
        yield make.row("metric_perm_texts", note=note, by_system=True, settings=dict(settings))
        return
    of_texts = [metric for metric in metrics if metric.of_texts is not None]
    if len(of_texts) > 1:
        swapping = _Swapping(make, human, of_texts, documents, settings)
        yield from _over_texts(swapping)
        yield from _accuracies(swapping)
    columns = _over_systems(human, metrics)
    if len(columns) > 1:
        people, table = column_means(human), np.column_stack([column for _metric, column in columns])
        tests = perm_both(people, table, units="systems", **_options(make, "swapped systems"))
        level = _Level("systems", [metric for metric, _column in columns], _correlations(people, table))
        about = {**settings, "level": "systems", "swapped": "systems"}
        yield from _tests(make, level, PERM_BOTH, tests, about, "swapped systems", None)
        yield from _groups(make, level, tests, tests, settings)


def _over_texts(swapping: _Swapping) -> Iterator[Row]:
    """Yield the tests of each pair of metrics over texts, with single texts swapped and with items or documents."""
    make, metrics, people = swapping.make, swapping.metrics, swapping.human.ravel()
    table = np.column_stack([metric.of_texts.ravel() for metric in metrics if metric.of_texts is not None])
    item = np.repeat(
        np.arange(len(swapping.human)) if swapping.documents is None else swapping.documents, swapping.human.shape[1]
    )
    level = _Level("texts", metrics, _correlations(people, table))
    by_text = perm_both(people, table, **_options(make, "swapped texts"))
    by_item = perm_both(people, table, swapped=item, **_options(make, "swapped items"))
    about = {**swapping.settings, "level": "texts"}
    yield from _tests(make, level, PERM_BOTH, by_text, {**about, "swapped": "texts"}, "swapped texts", SINGLE_TEXTS)
    yield from _tests(make, level, PERM_INPUT, by_item, {**about, "swapped": swapping.together}, "swapped items", None)
    yield from _groups(make, level, by_text, by_item, swapping.settings)


def _accuracies(swapping: _Swapping) -> Iterator[Row]:
    """Yield the tests of each pair of metrics by their accuracies, with items or documents swapped."""
    make, purpose = swapping.make, "swapped accuracies"
    columns, agreement = [], []
    for metric in swapping.metrics:
        scores = metric.of_texts if metric.of_texts is not None else np.full(swapping.human.shape, np.nan)
        rng, confidence = make.sample.rng("accuracy by item"), make.sample.common.confidence
        accuracy = equal_accuracy(
            swapping.human, scores, grouping="item", n_resamples=0, confidence=confidence, rng=rng
        )
        columns.append(right_by_item(swapping.human, scores, accuracy.epsilon))
        agreement.append(accuracy.calibrated.value)
    tests = compared_accuracies(np.column_stack(columns), swapped=swapping.documents, **_options(make, purpose))
    level = _Level("acc_eq", swapping.metrics, agreement)
    about = {**swapping.settings, "level": "items", "swapped": swapping.together}
    yield from _tests(make, level, PERM_INPUT, tests, about, purpose, None)
    yield from _groups(make, level, tests, tests, swapping.settings)


def _options(make: Rows, purpose: str) -> dict[str, Any]:
    return {"n_permutations": make.sample.common.n_permutations, "rng": make.sample.rng(purpose)}


def _correlations(human: Floats, table: Floats) -> list[float | None]:
    correlations = []
    for column in table.T:
        scored = ~(np.isnan(human) | np.isnan(column))
        correlations.append(pearson(human[scored], column[scored]))
    return correlations


def _tests(
    make: Rows,
    level: _Level,
    test: str,
    tests: list[MetricTest],
    settings: Mapping[str, Any],
    purpose: str,
    note: str | None,
) -> Iterator[Row]:
    """Yield the difference of each pair of metrics, with p adjusted over all of them."""
    common = make.sample.common
    adjusted = adjust([pair.difference.p for pair in tests], common.correction)
    pairs = in_words(len(tests), "pair of metrics", "pairs of metrics")
    row_settings = {
        **settings,
        "test": f"{test}, two-sided",
        "n_permutations": common.n_permutations,
        "seed": make.sample.seed(purpose),
        "correction": common.correction,
        "family": pairs,
    }
    for pair, p in zip(tests, adjusted, strict=True):
        own_note = note
        n = pair.difference.n_ratings
        if level.end == "systems" and n is not None and _never(n, len(tests), common.correction):
            own_note = NOT_SIGNIFICANT.format(n=in_words(n, "system", "systems"), least=2 / 2**n, pairs=pairs)
        yield make.row(
            f"metric_perm_{level.end}", pair.difference, metric=level.metrics[pair.a].name,
            metric_b=level.metrics[pair.b].name, label=test, by_system=True, p_adjusted=p, settings=row_settings,
            note=joined(pair.difference.note, own_note if pair.difference.value is not None else None),
        )  # fmt: skip


def _never(n_systems: int, n_tests: int, correction: str) -> bool:
    """Return whether no corrected p of a family over so few systems can be below the limit."""
    least = adjust([2 / 2**n_systems, *([1.0] * (n_tests - 1))], correction)[0]
    return least is not None and least >= LIMIT


def _groups(
    make: Rows,
    level: _Level,
    published: list[MetricTest],
    own: list[MetricTest],
    settings: Mapping[str, Any],
) -> Iterator[Row]:
    """Yield the rank group of each metric, as WMT prints them and from corrected tests.

    Groups rest on one-sided tests, whose p is half of the two-sided one.
    """
    known = [place for place, value in enumerate(level.agreement) if value is not None]
    order = sorted(known, key=lambda place: (-(level.agreement[place] or 0.0), level.metrics[place].name))
    correction = make.sample.common.correction
    for label, tests, method in ((AS_WMT, published, "none"), (CORRECTED, own, correction)):
        halves = [None if pair.difference.p is None else pair.difference.p / 2 for pair in tests]
        table = np.full((len(level.metrics), len(level.metrics)), np.nan)
        for pair, p in zip(tests, adjust(halves, method), strict=True):
            if p is not None and pair.difference.value is not None:
                better, worse = (pair.a, pair.b) if pair.difference.value > 0 else (pair.b, pair.a)
                table[better, worse] = p
        about = {**settings, "limit": LIMIT, "correction": method, "sides": 1}
        for place, group in zip(order, rank_groups(order, table, LIMIT), strict=True):
            yield make.row(
                f"metric_group_{level.end}", value=float(group), metric=level.metrics[place].name, label=label,
                by_system=True, settings=about,
            )  # fmt: skip
