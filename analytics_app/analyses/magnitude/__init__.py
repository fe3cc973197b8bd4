"""Magnitude estimates: geometric means, z of logarithms, ratios of systems."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed import Statistics, crossed_rows
from analytics_app.analyses.shared.families import Differing, cannot_differ, flips
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs, mix_note, or_no_z
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import item_means, paired
from analytics_app.stats.scales.magnitude import Normalised, normalised, ratio_of, taken_back
from analytics_app.stats.scales.standardise import judge_wise_z
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import choice_field
from tasks_app.task_types.base import Scale

NOT_POSITIVE = "Ratings of zero or below have no logarithm and are left out: {n:,}."
NO_RANGE = "Raters who gave one number only have no range and are left out: {n:,}."

# The value of the standard if a study does not give it.
USUAL = 100.0


@register
class Magnitude(FilteredAnalysis):
    """Magnitudes on logarithms: geometric means with intervals over items and over raters, and ratios of systems.

    Systems are compared on the mean logarithms of the items that both have: ratio with bootstrap interval, sign-flip
    test, all pairs of one criterion being a family. The type takes whole numbers from 1; imported ratings of zero or
    below are left out, and counted in the note.
    """

    label = _("Magnitudes")
    summary = _("Geometric means and z of logarithms of each system, and how many times better one is than another.")
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: reliable human ratings for natural language generation. NAACL. "
        "ISO 11056:2021. Sensory analysis, methodology, magnitude estimation method."
    )
    scales = frozenset({Scale.RATIO})
    task_types = frozenset({"magnitude"})
    distinguishing_settings = ("normalisation",)
    statistics = {
        "geometric_mean": _("Geometric mean"),
        "geometric_mean_over_raters": _("Geometric mean, interval over raters"),
        "geometric_mean_crossed": _("Geometric mean, for further raters and texts"),
        "log_mean_z": _("Mean z of logarithms"),
        "log_mean_z_over_raters": _("Mean z of logarithms, interval over raters"),
        "magnitude_ratio": _("Ratio of two systems"),
        "magnitude_ratio_crossed": _("Ratio of two systems, for further raters and texts"),
        "range_mean": _("Mean position in the rater's range"),
        "range_mean_over_raters": _("Mean position in the rater's range, interval over raters"),
        "range_mean_crossed": _("Mean position in the rater's range, for further raters and texts"),
        "range_difference": _("Difference of positions in the rater's range"),
        "range_difference_crossed": _("Difference of positions in the rater's range, for further raters and texts"),
        "at_standard": _("Share of ratings equal to the standard"),
    }

    normalisation = choice_field(
        _("Normalisation"),
        (
            ("log", _("logarithms")),
            ("standard", _("divided by the value of the standard")),
            ("modulus", _("modulus equalisation: each rater moved to the mean of all")),
            ("range", _("range of each rater, from 0 to 1")),
        ),
        _("Modulus equalisation suits raters who judged the same texts only."),
        initial="log",
    )

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of all slices, after normalising within raters over all ratings."""
        table, normalisation = sample.table, self.normalisation
        estimates = normalised(table.value, table.rater, normalisation, standard=_standard(sample))
        z = judge_wise_z(estimates.values, table.rater, **sample.common.of_z).z
        note = _left_out(estimates)
        for row in super().rows(replace(sample, table=replace(table, value=estimates.values), z=z)):
            # Undefined values already have a note with the reason.
            yield replace(row, note=joined(row.note, note)) if note and row.value is not None else row

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "range_difference" if self.normalisation == "range" else "magnitude_ratio"}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every system and of every pair."""
        outputs = Outputs.of(sample, by_document=sample.question.by_document)
        if not len(outputs.systems):
            return
        normalisation = self.normalisation
        make = Rows(self.name, sample)
        yield from _means(make, outputs, normalisation)
        yield from _at_standard(make, normalisation)
        pairs = outputs.pairs(sample)
        if sample.common.generalise_to == "raters_and_texts":
            yield from _crossed(make, outputs, pairs, normalisation)
        if pairs:
            yield from _ratios(make, outputs, pairs, normalisation)


def _standard(sample: Sample) -> float:
    return float(sample.question.params.get("reference_value") or USUAL)


def _at_standard(make: Rows, normalisation: str) -> Iterator[Row]:
    """Yield the share of ratings that equal the standard; if nearly all do, they carry little information."""
    table, standard = make.sample.table, _standard(make.sample)
    logs = table.value[~np.isnan(table.value)]
    if normalisation not in {"log", "standard"} or not len(logs):
        return
    yield make.row(
        "at_standard",
        value=float(np.mean(logs == (np.log(standard) if normalisation == "log" else 0.0))),
        n_ratings=len(logs),
        n_items=table.n_texts,
        n_raters=table.n_raters,
        settings={"normalisation": normalisation, "standard": standard},
    )


def _left_out(estimates: Normalised) -> str | None:
    return joined(
        NOT_POSITIVE.format(n=estimates.not_positive) if estimates.not_positive else None,
        NO_RANGE.format(n=len(estimates.without)) if estimates.without else None,
    )


def _means(make: Rows, outputs: Outputs, normalisation: str) -> Iterator[Row]:
    """Yield means of values and of z, with intervals over items and over raters."""
    common, reason = make.sample.common, mix_note(outputs)
    first = "range_mean" if normalisation == "range" else "geometric_mean"
    kinds = ((first, outputs.value), *(() if normalisation == "range" else (("log_mean_z", outputs.z),)))
    for name, values in kinds:
        for suffix in ("", "_over_raters"):
            means, drawn = outputs.means(make.sample, values, over_raters=bool(suffix))
            for code, mean in enumerate(map(or_no_z, means) if name == "log_mean_z" else means):
                about: dict[str, Any] = outputs.counts(code, rated=~np.isnan(values))
                note = joined(
                    mean.note, outputs.interval_note(make.sample, mean, about["n_raters"], over_raters=bool(suffix))
                )
                estimate = taken_back(mean) if name == "geometric_mean" else mean
                if name == "log_mean_z" and reason is not None:
                    note = joined(reason.sentence, None if reason.refuses else note)
                    estimate = Estimate(None, note=note) if reason.refuses else estimate
                yield make.row(
                    f"{name}{suffix}",
                    estimate,
                    system=outputs.systems[code],
                    note=note,
                    settings={
                        "normalisation": normalisation,
                        **drawn,
                        **(common.of_z if name == "log_mean_z" else {}),
                    },
                    **about,
                )


def _crossed(make: Rows, outputs: Outputs, pairs: list[tuple[int, int]], normalisation: str) -> Iterator[Row]:
    """Yield means and ratios, or differences of places in the range, with raters and items both random."""
    of_range = normalisation == "range"
    mean, difference = ("range_mean", "range_difference") if of_range else ("geometric_mean", "magnitude_ratio")
    yield from crossed_rows(
        make,
        outputs,
        pairs,
        Statistics(f"{mean}_crossed", f"{difference}_crossed"),
        family=f"{len(pairs)} pairs of one criterion",
        settings={"normalisation": normalisation},
        of_logs=not of_range,
    )


def _ratios(make: Rows, outputs: Outputs, pairs: list[tuple[int, int]], normalisation: str) -> Iterator[Row]:
    """Yield the ratio of every two systems, or the difference of their places in the range, with a test."""
    common = make.sample.common
    matrix, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
    drawn = bootstrap(make.sample, "ratios", outputs.unit)
    options: dict[str, Any] = {
        "clusters": outputs.clusters_of(items),
        "n_permutations": flips(common, len(pairs)),
        **drawn.options,
    }
    compared = paired(matrix, pairs, **options)
    if normalisation == "range":
        estimates = [replace(result.difference, p=result.permutation_p) for result in compared]
    else:
        estimates = [ratio_of(result) for result in compared]
    adjusted = adjust([estimate.p for estimate in estimates], common.correction)
    tests = [Differing.of(result) if result.permutation_p is not None else None for result in compared]
    of_family = cannot_differ(common, tests, flips(common, len(pairs)), unit=outputs.unit)
    values = "places in the range" if normalisation == "range" else "logarithms"
    for (a, b), estimate, p, test in zip(pairs, estimates, adjusted, tests, strict=True):
        reason = test.reason(common, outputs.unit) if test is not None else None
        reasons = dict.fromkeys((reason, of_family.get("cannot_differ")))
        yield make.row(
            "range_difference" if normalisation == "range" else "magnitude_ratio",
            estimate,
            **outputs.names(a, b),
            p_adjusted=p,
            note=joined(estimate.note, *reasons),
            settings={
                "normalisation": normalisation,
                "means": f"of {values} of items",
                **drawn.settings,
                "test": f"sign-flip permutation over {outputs.unit}, {flips(common, len(pairs))} draws",
                "correction": common.correction,
                "family": f"{len(pairs)} pairs of one criterion",
                **of_family,
                **(test.settings(common) if test is not None else {}),
            },
        )
