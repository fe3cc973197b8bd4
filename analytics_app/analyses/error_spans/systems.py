"""Penalties of systems, and their comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.error_spans.looks import Weights
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.families import family_of, flips
from analytics_app.analyses.shared.outputs import FEW_RATERS, RATERS_NEEDED, Outputs, interval_note, mix_note
from analytics_app.analyses.shared.pairs import chosen_pairs
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means, paired
from analytics_app.stats.estimate import Estimate, joined

LOWER = "Lower is better."


def by_document(sample: Sample, settings: Mapping[str, Any]) -> bool:
    """Say whether documents are what intervals draw."""
    wanted = settings["resample"]
    return sample.question.by_document if wanted == "auto" else bool(wanted == "documents")


def outputs_of(sample: Sample, settings: Mapping[str, Any]) -> Outputs:
    """Return the looks of a sample by system; their values are penalties."""
    looks = sample.where((sample.table.number == 0) & (sample.table.id < 0))
    return Outputs.of(looks, by_document=by_document(sample, settings))


def segment_means(make: Rows, outputs: Outputs, values: Floats, purpose: str) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the mean over segments of each system with its interval, and how rows say the interval.

    A segment that several raters saw counts once, with the mean of what they gave.
    """
    drawn, n = bootstrap(make.sample, purpose, outputs.unit), len(outputs.systems)
    matrix, items = item_means(values, outputs.system, outputs.item, n)
    found = group_means(
        matrix.ravel(),
        np.tile(np.arange(n), len(items)),
        np.repeat(outputs.cluster_of_item[items], n),
        n_groups=n,
        **drawn.options,
    )
    return found, drawn.said


def penalties(make: Rows, settings: Mapping[str, Any], weights: Weights) -> Iterator[Row]:
    """Yield the penalty of each system: with intervals over items and over raters, and as z within raters."""
    outputs = outputs_of(make.sample, settings)
    if not outputs.systems:
        return
    unknown = f"{weights.unknown:,} marks fit no weight and count 0." if weights.unknown else None
    said = {"weights": weights.called, "segment": "sum, mean over raters", "system": "mean over segments"}
    found, drawn = segment_means(make, outputs, outputs.value, f"penalties over {outputs.unit}")
    for code, one in enumerate(found):
        note = joined(LOWER, one.note, interval_note(one, outputs.unit), unknown)
        yield _row(make, "mqm_score", outputs, code, one, note, {**said, **drawn})
    by_rater = bootstrap(make.sample, "penalties over raters", "raters")
    over_raters = group_means(
        outputs.value, outputs.system, outputs.rater.astype(np.int64), n_groups=len(outputs.systems), **by_rater.options
    )
    for code, one in enumerate(over_raters):
        rough = FEW_RATERS if outputs.n_raters[code] < RATERS_NEEDED else None
        about = {**said, "system": "mean over texts as raters saw them", **by_rater.said}
        note = joined(LOWER, one.note, rough)
        yield _row(make, "mqm_score_over_raters", outputs, code, one, note, about)
    yield from _as_z(make, outputs, said)


def _as_z(make: Rows, outputs: Outputs, said: Mapping[str, Any]) -> Iterator[Row]:
    reason = mix_note(outputs)
    found, drawn = segment_means(make, outputs, outputs.z, f"penalties as z over {outputs.unit}")
    about = {**said, **drawn, "z": "of segments, within rater", **make.sample.common.of_z}
    for code, one in enumerate(found):
        refused = reason is not None and reason.refuses
        estimate = Estimate(None, note=reason.sentence) if reason is not None and refused else one
        note = estimate.note if refused else joined(LOWER, one.note, reason.sentence if reason is not None else None)
        yield _row(make, "mqm_score_z", outputs, code, estimate, note, about)


def _row(
    make: Rows, statistic: str, outputs: Outputs, code: int, one: Estimate, note: str | None, said: Mapping[str, Any]
) -> Row:
    return make.row(
        statistic, one, system=outputs.systems[code], by_system=True, note=note, settings=dict(said),
        **outputs.counts(code),
    )  # fmt: skip


def comparisons(make: Rows, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield how penalties differ, pair by pair, with adjusted p."""
    outputs, common = outputs_of(make.sample, settings), make.sample.common
    pairs = chosen_pairs(outputs.systems, common.pairs)
    if not pairs:
        return
    matrix, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    drawn = bootstrap(make.sample, "differences of penalties", outputs.unit)
    found = paired(
        matrix,
        pairs,
        clusters=outputs.clusters_of(items),
        n_permutations=flips(common, len(pairs)),
        **drawn.options,
    )
    family = family_of(common, found, unit=outputs.unit, of="pairs of one task")
    of_ranks = {name: family[name] for name in ("correction", "family")}
    adjusted = adjust([one.permutation_p for one in found], common.correction)
    by_ranks = adjust([one.wilcoxon.p for one in found], common.correction)
    said = {
        "means": f"of {outputs.unit}",
        **drawn.said,
        **family,
    }
    for (a, b), one, p, p_rank in zip(pairs, found, adjusted, by_ranks, strict=True):
        about: dict[str, Any] = {
            "system": outputs.systems[a], "system_b": outputs.systems[b], "by_system": True,
        }  # fmt: skip
        note = joined(
            "Below zero the first has the lower penalty, which is better.",
            one.difference.note,
            family.get("cannot_differ"),
        )
        yield make.row(
            "mqm_difference",
            replace(one.difference, note=note),
            p=one.permutation_p,
            p_adjusted=p,
            settings=said,
            **about,
        )
        yield make.row(
            "mqm_wilcoxon", one.wilcoxon, p_adjusted=p_rank, settings={"zero_method": "wilcox", **of_ranks}, **about
        )


def segments(make: Rows, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the penalty of every text, over everything and no part of it, where a plan asks for that."""
    sample = make.sample
    if not settings["segments"] or (sample.slice, sample.group, sample.wave) != (None, None, None):
        return
    outputs, names = outputs_of(sample, settings), sample.table.names
    matrix, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    for row, item in enumerate(items.tolist()):
        for code, key in enumerate(outputs.systems):
            if not np.isnan(matrix[row, code]):
                yield make.row(
                    "mqm_segment", value=float(matrix[row, code]), system=key,
                    label=names.items[item], by_system=True,
                )  # fmt: skip
