"""Counts: mean counts of systems, their ratios, and how far counts vary more than by chance."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed import kept_fit, note_of, refusal, settings_of, test_of
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs, interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.charts.compared import corrected
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, counted, pair_point, pairs_of, value_of, why_not
from analytics_app.charts.points import points_chart
from analytics_app.results import Row
from analytics_app.show.comparisons import Comparison, Verb, compares
from analytics_app.show.formats import digits, interval, items, p, p_below, percent, ratings
from analytics_app.show.shown import Shown, StoredRows, by_pair, by_system, subsets, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.ratios import group_ratios
from analytics_app.stats.mixed.rates import compare_rates
from analytics_app.stats.mixed.results import CrossedComparison
from analytics_app.stats.scales.magnitude import taken_back
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale


@register
class Counts(FilteredAnalysis):
    """The mean count of each system, and for every two systems the ratio of their means (rate ratio).

    Ratios are those of Poisson regression; their variance is estimated from the counts, so that counts may vary more
    than a Poisson distribution allows, and unless the plan says otherwise with raters and items both random. Beside
    these are intervals and sign-flip tests over items (documents, where these were shown whole). `count_dispersion` is
    the variance of a system's counts over their mean, 1 where they vary by chance alone.
    """

    label = _("Counts")
    summary = _("Mean counts of systems and their ratios, with intervals and tests, and how much counts vary.")
    source = (
        "Wedderburn (1974). Quasi-likelihood functions, generalized linear models, and the Gauss-Newton method. "
        "Biometrika 61(3), 439-447."
    )
    scales = frozenset({Scale.INTERVAL})
    task_types = frozenset({"counting"})
    statistics = {
        "count_mean": _("Mean count"),
        "count_mean_crossed": _("Mean count, for further raters and texts"),
        "count_ratio": _("Ratio of mean counts"),
        "count_ratio_crossed": _("Ratio of mean counts, for further raters and texts"),
        "count_zero": _("Share of counts that are 0"),
        "count_dispersion": _("Variance of counts over their mean"),
    }

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "count_ratio"}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every system and of every pair."""
        outputs = Outputs.of(sample, by_document=sample.question.by_document)
        if not len(outputs.systems):
            return
        make, pairs = Rows(self.name, sample), outputs.pairs(sample)
        yield from _of_systems(make, outputs)
        if sample.common.generalise_to == "raters_and_texts":
            yield from _crossed(make, outputs, pairs)
        if pairs:
            yield from _ratios(make, outputs, pairs)


def _of_systems(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield the mean count of each system, the share of zeros, and the variance over the mean."""
    means, drawn = outputs.means(make.sample, outputs.value, over_raters=False)
    for code, mean in enumerate(means):
        system, mine = outputs.systems[code], outputs.value[outputs.system == code]
        about: dict[str, Any] = outputs.counts(code)
        note = joined(mean.note, interval_note(mean, outputs.unit))
        yield make.row("count_mean", mean, system=system, note=note, settings=drawn, **about)
        yield make.row("count_zero", value=float(np.mean(mine == 0)), system=system, **about)
        average = float(mine.mean())
        if len(mine) < 2 or average <= 0:
            why = "There is no count above 0." if average <= 0 else "A variance takes at least two counts."
            yield make.row("count_dispersion", note=why, system=system, **about)
        else:
            yield make.row("count_dispersion", value=float(mine.var(ddof=1)) / average, system=system, **about)


def _crossed(make: Rows, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield means and ratios with raters and items both random; with one rater or one text the reason why not."""
    if reason := refusal(outputs):
        for a, b in pairs:
            yield make.row("count_ratio_crossed", note=reason, **outputs.names(a, b))
        return
    comparison = _compared(make.sample, outputs, pairs)
    note = note_of(make.sample, comparison)
    about = settings_of(comparison)
    if "model" in about:
        about["model"] = str(about["model"]).replace("value ~", "count / mean of the system ~")
    for code, mean in enumerate(comparison.means):
        shown = replace(mean, n_ratings=None, n_items=None, n_raters=None)
        counts: dict[str, Any] = outputs.counts(code)
        yield make.row(
            "count_mean_crossed",
            shown,
            system=outputs.systems[code],
            settings={
                "method": comparison.method,
                "generalises_to": about["generalises_to"],
                "interval": about["interval"],
            },
            note=joined(mean.note),
            **counts,
        )
    correction = make.sample.common.correction
    adjusted = adjust([pair.difference.p for pair in comparison.pairs], correction)
    family = {"correction": correction, "family": f"{len(pairs)} pairs of one criterion"}
    for pair, p_adjusted in zip(comparison.pairs, adjusted, strict=True):
        ratio = replace(taken_back(pair.difference), df=pair.difference.df)
        own = {**about, "test": test_of(comparison), **family, "se_of_logs": pair.difference.se}
        yield make.row(
            "count_ratio_crossed",
            ratio,
            **outputs.names(pair.a, pair.b),
            p_adjusted=p_adjusted,
            settings=own if ratio.p is not None else family,
            note=joined(ratio.note, note if note != ratio.note else None),
        )


def _compared(sample: Sample, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> CrossedComparison:
    clusters = outputs.cluster if outputs.unit == "documents" else None
    columns: list[NDArray[Any]] = [outputs.value, outputs.system, outputs.item, outputs.rater]
    n, confidence = len(outputs.systems), sample.common.confidence
    fit = partial(compare_rates, *columns, n_systems=n, pairs=pairs, confidence=confidence, clusters=clusters)
    about = ("compare_rates", outputs.systems, pairs, confidence)
    return kept_fit(about, [*columns, *([] if clusters is None else [clusters])], fit)


def _ratios(make: Rows, outputs: Outputs, pairs: list[tuple[int, int]]) -> Iterator[Row]:
    """Yield the ratio of every two systems on the items of both, with the sign-flip test of their difference."""
    matrix, item = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    clusters, of = outputs.clusters_of(item), "pairs of one criterion"
    family = pair_tests(make, matrix, pairs, purpose="counts", unit=outputs.unit, clusters=clusters, of=of)
    for (a, b), test in zip(pairs, family.tests, strict=True):
        both = ~np.isnan(matrix[:, [a, b]]).any(axis=1)
        drawn = bootstrap(make.sample, f"count ratio {a} {b}", outputs.unit)
        units = np.flatnonzero(both) if clusters is None else clusters[both]
        (ratio,) = group_ratios(
            matrix[both, a],
            matrix[both, b],
            np.zeros(int(both.sum()), dtype=np.int64),
            units,
            n_groups=1,
            **drawn.options,
        )
        # Without a ratio there is nothing that p would be about.
        of_test = (test.result.permutation_p, test.p_adjusted) if ratio.value is not None else (None, None)
        about = dict(zip(("p", "p_adjusted"), of_test, strict=True))
        yield make.row(
            "count_ratio",
            replace(ratio, n_ratings=None),
            **outputs.names(a, b),
            **about,
            n_items=test.result.n_items,
            note=joined(ratio.note, test.reason),
            settings={**test.settings, **drawn.settings, "means": f"of {outputs.unit}"},
        )


# Tables of counts: systems, and ratios of systems.


@tables_of("counts")
def counts(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of systems, of pairs, and of subsets."""
    columns = [
        Shown(gettext("Counts"), "count_mean", ratings),
        Shown(gettext("Mean count"), "count_mean", digits(2)),
        Shown(gettext("For further texts and raters"), "count_mean_crossed", interval(2)),
        Shown(gettext("Over items, these raters"), "count_mean", interval(2)),
        Shown(gettext("Counts of 0"), "count_zero", percent(0)),
        Shown(gettext("Variance over mean"), "count_dispersion", digits(2)),
    ]
    yield from by_system(rows.whole, gettext("Counts"), columns, lead="count_mean")
    ratio, crossed = "count_ratio", "count_ratio_crossed"
    pairs = [
        Shown(gettext("Items"), ratio, items),
        Shown(gettext("Ratio"), crossed, digits(2)),
        Shown(gettext("For further texts and raters"), crossed, interval(2)),
        Shown(gettext("p"), crossed, p),
        Shown(gettext("Adjusted p"), crossed, p_below(limit)),
        Shown(gettext("%(measure)s, these raters") % {"measure": gettext("Ratio")}, ratio, digits(2)),
        Shown(gettext("Over items, these raters"), ratio, interval(2)),
        Shown(gettext("p, these raters"), ratio, p),
        Shown(gettext("Adjusted p, these raters"), ratio, p_below(limit)),
    ]
    yield from by_pair(rows.whole, gettext("Ratios of mean counts"), pairs, lead=ratio, sign="/")
    yield from subsets(rows, limit, gettext("Counts by subset"))


# The chart of counts: ratios of systems.


@chart(order=6)
def count_ratios(material: Material) -> Iterator[Sketch]:
    """Draw the ratio of mean counts of every pair, on a logarithmic axis."""
    found = material.of("count_ratio_crossed") or material.of("count_ratio")
    rows = [row for row in found if row.value]
    if not rows:
        return
    pairs = pairs_of(rows, lambda value: abs(log(value)), material.is_significant)
    points = [pair_point(row, f"×{value_of(row):.2f}", sign="/") for row in pairs.rows]
    yield Sketch(
        kind="count-ratios",
        title=f"{len(pairs.clear) or 'No'} of {len(rows)} ratios of mean counts of {material.name} are clearly not 1",
        subtitle=(
            f"Ratio of the mean count of the first system to that of the second{pairs.left_off}; "
            f"{material.basis(rows)}. Line: {material.interval(rows, 'items')}. To differ: p below {material.alpha:g}"
            f"{corrected(rows)}.{why_not(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Ratio of mean counts", limits=[(1.0, "equal")], log=True),
        columns=(("name", "Pair"), ("value", "Ratio"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


# The finding that the tests of counts support.

compares(
    Comparison(
        analysis="counts",
        level="count_mean",
        tested="count_ratio",
        even=1.0,
        unit="ratio",
        measure=_("Mean count"),
        pair_measure=_("Ratio of mean counts over the texts that both have, row to column"),
        verbs={"": Verb(_("has higher counts than"), _("have higher counts than"))},
        order=9,
    )
)
