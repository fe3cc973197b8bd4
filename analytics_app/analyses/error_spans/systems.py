"""Penalties of systems, and their comparisons."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.error_spans.looks import Weights
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed import Statistics, crossed_rows
from analytics_app.analyses.shared.outputs import (
    Outputs,
    interval_note,
    mix_note,
    or_no_z,
)
from analytics_app.analyses.shared.over_raters import rough, system_means_over_raters
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.values import Estimate, joined

LOWER = "Lower is better."
BELOW_ZERO = "Below zero the first has the lower penalty, which is better."
CROSSED = Statistics("mqm_score_crossed", "mqm_difference_crossed")


def outputs_of(sample: Sample, *, by_document: bool) -> Outputs:
    """Return the looks of a sample by system; their values are penalties."""
    looks = sample.where((sample.table.number == 0) & (sample.table.id < 0))
    return Outputs.of(looks, by_document=by_document)


def segment_means(make: Rows, outputs: Outputs, values: Floats, purpose: str) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the mean over segments of each system with its interval, and the settings of the interval.

    A segment that several raters saw counts once, with the mean of their ratings.
    """
    drawn, n = bootstrap(make.sample, purpose, outputs.unit), len(outputs.systems)
    matrix, items = item_means(values, outputs.system, outputs.item, n)
    means = group_means(
        matrix.ravel(),
        np.tile(np.arange(n), len(items)),
        np.repeat(outputs.cluster_of_item[items], n),
        n_groups=n,
        **drawn.options,
    )
    return means, drawn.settings


def penalties(make: Rows, outputs: Outputs, weights: Weights) -> Iterator[Row]:
    """Yield the penalty of each system: with intervals over items and over raters, and as z within raters."""
    if not outputs.systems:
        return
    unknown = f"{weights.unknown:,} marks fit no weight and count 0." if weights.unknown else None
    row_settings = {"weights": weights.called, "segment": "sum, mean over raters", "system": "mean over segments"}
    means, drawn = segment_means(make, outputs, outputs.value, f"penalties over {outputs.unit}")
    for code, mean in enumerate(means):
        note = joined(LOWER, mean.note, interval_note(mean, outputs.unit), unknown)
        yield _row(make, "mqm_score", outputs, code, mean, note, {**row_settings, **drawn})
    raters, n = outputs.rater.astype(np.int64), len(outputs.systems)
    over_raters, interval = system_means_over_raters(
        make.sample, "penalties over raters", outputs.value, outputs.system, raters, n_systems=n
    )
    for code, mean in enumerate(over_raters):
        about = {**row_settings, "system": "mean over texts as raters saw them", **interval}
        note = joined(LOWER, mean.note, rough(make.sample.common, outputs.n_raters[code]))
        yield _row(make, "mqm_score_over_raters", outputs, code, mean, note, about)
    yield from _as_z(make, outputs, row_settings)


def _as_z(make: Rows, outputs: Outputs, row_settings: Mapping[str, Any]) -> Iterator[Row]:
    reason = mix_note(outputs)
    means, drawn = segment_means(make, outputs, outputs.z, f"penalties as z over {outputs.unit}")
    about = {**row_settings, **drawn, "z": "of segments, within rater", **make.sample.common.of_z}
    for code, mean in enumerate(map(or_no_z, means)):
        refused = reason is not None and reason.refuses
        estimate = Estimate(None, note=reason.sentence) if reason is not None and refused else mean
        note = estimate.note if refused else joined(LOWER, mean.note, reason.sentence if reason is not None else None)
        yield _row(make, "mqm_score_z", outputs, code, estimate, note, about)


def _row(
    make: Rows,
    statistic: str,
    outputs: Outputs,
    code: int,
    estimate: Estimate,
    note: str | None,
    settings: Mapping[str, Any],
) -> Row:
    return make.row(
        statistic, estimate, system=outputs.systems[code], note=note, settings=dict(settings), **outputs.counts(code)
    )


def comparisons(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield the differences of penalties, pair by pair, with adjusted p, for further raters and for these alone."""
    common, pairs = make.sample.common, outputs.pairs(make.sample)
    if not pairs:
        return
    if common.generalise_to == "raters_and_texts":
        family = f"{len(pairs)} pairs of one task"
        yield from crossed_rows(make, outputs, pairs, CROSSED, family=family, settings={}, said=BELOW_ZERO)
    yield from _over_texts(make, outputs, pairs)


def _over_texts(make: Rows, outputs: Outputs, pairs: list[tuple[int, int]]) -> Iterator[Row]:
    common = make.sample.common
    matrix, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    family = pair_tests(
        make,
        matrix,
        pairs,
        purpose="differences of penalties",
        unit=outputs.unit,
        clusters=outputs.clusters_of(items),
        of="pairs of one task",
        ranks=True,
    )
    of_ranks = {"zero_method": "wilcox", **{name: family.settings[name] for name in ("correction", "family")}}
    by_ranks = adjust([test.result.wilcoxon.p for test in family.tests], common.correction)
    for (a, b), test, p_rank in zip(pairs, family.tests, by_ranks, strict=True):
        about = outputs.names(a, b)
        yield test.row(
            make,
            "mqm_difference",
            n_items=test.result.difference.n_items,
            note=joined(BELOW_ZERO, test.note),
            settings={"means": f"of {outputs.unit}"},
            **about,
        )
        yield make.row("mqm_wilcoxon", test.result.wilcoxon, p_adjusted=p_rank, settings=of_ranks, **about)


def segments(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield the penalty of every text, for the whole sample only."""
    sample, names = make.sample, make.sample.table.names
    if (sample.slice, sample.group, sample.wave) != (None, None, None):
        return
    matrix, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    for row, item in enumerate(items.tolist()):
        for code, key in enumerate(outputs.systems):
            if not np.isnan(matrix[row, code]):
                yield make.row("mqm_segment", value=float(matrix[row, code]), system=key, label=names.items[item])
