"""Magnitude estimates: geometric means, z of logarithms, ratios of systems."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed import Statistics, crossed_rows
from analytics_app.analyses.shared.families import Differing, cannot_differ, flips
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs, mix_note, or_no_z
from analytics_app.charts import words
from analytics_app.charts.compared import corrected, strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, counted, pair_point, pairs_of, setting, value_of, why_not
from analytics_app.charts.points import points_chart
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.cells import digits_for
from analytics_app.show.comparisons import Comparison, Verb, compares
from analytics_app.show.formats import digits, interval, items, p, p_below, ratings, share
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Shown, StoredRows, by_pair, by_system, facts, subsets, tables_of
from analytics_app.show.table import Table
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
    for (a, b), estimate, adjusted_p, test in zip(pairs, estimates, adjusted, tests, strict=True):
        reason = test.reason(common, outputs.unit) if test is not None else None
        reasons = dict.fromkeys((reason, of_family.get("cannot_differ")))
        yield make.row(
            "range_difference" if normalisation == "range" else "magnitude_ratio",
            estimate,
            **outputs.names(a, b),
            p_adjusted=adjusted_p,
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


# Tables of magnitudes: systems, and ratios of systems.


@tables_of("magnitude")
def magnitude(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of systems by geometric mean, and of ratios, for each normalisation in the plan."""
    for normalisation in dict.fromkeys(_normalisation(row) for row in rows.rows):
        yield from _normalised(
            RowIndex([row for row in rows.rows if _normalisation(row) == normalisation]), limit, normalisation
        )


def _normalisation(row: ResultRow) -> str:
    return str((row.settings or {}).get("normalisation"))


def _normalised(rows: StoredRows, limit: float, normalisation: str) -> Iterator[Table]:
    mean = "range_mean" if normalisation == "range" else "geometric_mean"
    ratio = "range_difference" if normalisation == "range" else "magnitude_ratio"
    n = digits_for(row.value for row in rows.whole.of(mean))
    suffix = "" if normalisation == "log" else f" ({normalisation})"
    columns = [
        Shown(gettext("Ratings"), mean, ratings),
        Shown(
            gettext("Mean place in the range") if normalisation == "range" else gettext("Geometric mean"),
            mean,
            digits(n),
        ),
        Shown(gettext("Over items"), mean, interval(n)),
        Shown(gettext("Over raters"), f"{mean}_over_raters", interval(n)),
        Shown(gettext("By the model"), f"{mean}_crossed", digits(n)),
        Shown(gettext("For further texts and raters"), f"{mean}_crossed", interval(n)),
        Shown(gettext("Mean z of logarithms"), "log_mean_z", digits(3)),
        Shown(gettext("z over items"), "log_mean_z", interval(3)),
        Shown(gettext("z over raters"), "log_mean_z_over_raters", interval(3)),
    ]
    yield from by_system(rows.whole, gettext("Magnitudes%(how)s") % {"how": suffix}, columns, lead=mean)
    measure, crossed = (gettext("Difference") if normalisation == "range" else gettext("Ratio")), f"{ratio}_crossed"
    pairs = [
        Shown(gettext("Items"), ratio, items),
        Shown(measure, crossed, digits(2)),
        Shown(gettext("For further texts and raters"), crossed, interval(2)),
        Shown(gettext("p"), crossed, p),
        Shown(gettext("Adjusted p"), crossed, p_below(limit)),
        Shown(gettext("%(measure)s, these raters") % {"measure": measure}, ratio, digits(2)),
        Shown(gettext("Over items, these raters"), ratio, interval(2)),
        Shown(gettext("p, these raters"), ratio, p),
        Shown(gettext("Adjusted p, these raters"), ratio, p_below(limit)),
    ]
    sign = "−" if normalisation == "range" else "/"
    yield from by_pair(rows.whole, gettext("Ratios of systems%(how)s") % {"how": suffix}, pairs, lead=ratio, sign=sign)
    yield from facts(rows.whole, gettext("Ratings equal to the standard"), {"at_standard": share})
    yield from subsets(rows, limit, gettext("Magnitudes by subset"))


# Charts of magnitudes: geometric means, and ratios of systems.


@chart(order=4)
def ratios(material: Material) -> Iterator[Sketch]:
    """Draw the ratio of the first system to the second for every pair, on a logarithmic axis."""
    rows = material.of("magnitude_ratio_crossed") or material.of("magnitude_ratio")
    if not rows:
        return
    pairs = pairs_of(rows, lambda value: abs(log(value)), material.is_significant)
    points = [pair_point(row, f"×{value_of(row):.2f}", sign="/") for row in pairs.rows]
    yield Sketch(
        kind="ratios",
        title=_times(pairs.clear, len(rows), material.name, possible=setting(rows, "cannot_differ") is None),
        subtitle=(
            f"Ratio of the first system to the second for {material.name}, from mean logarithms"
            f"{_over(rows)}{pairs.left_off}; {material.basis(rows)}. Line: "
            f"{material.interval(rows, 'items')}. To differ: p below {material.alpha:g}"
            f"{corrected(rows)}.{why_not(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Ratio of two systems", limits=[(1.0, "equal")], log=True),
        columns=(("name", "Pair"), ("value", "Ratio"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _over(rows: Sequence[Row]) -> str:
    return " over the items both have" if rows[0].statistic == "magnitude_ratio" else ""


def _times(clear: Sequence[Row], n: int, criterion: str, *, possible: bool) -> str:
    if not clear and not possible:
        return f"No difference can be significant for {criterion}"
    if not clear:
        return f"No two systems differ significantly for {criterion}"
    if len(clear) == 1:
        row = clear[0]
        times = f"{value_of(row):.2f} times"
        return f"{words.short(row.system)} gets {times} the number of {words.short(row.system_b)} for {criterion}"
    return f"{'All' if len(clear) == n else f'{len(clear)} of'} {n} pairs of systems differ for {criterion}"


@chart(order=5)
def geometric_means(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their geometric mean, on a logarithmic axis as their ratios."""
    yield from strengths_of(
        material,
        "geometric_mean_crossed" if material.of("geometric_mean_crossed") else "geometric_mean",
        "geometric-means",
        "Geometric mean",
        ("gets the highest numbers", "geometric means"),
        log=True,
    )


# The finding that the tests of magnitudes support.

compares(
    Comparison(
        analysis="magnitude",
        level="geometric_mean",
        tested="magnitude_ratio",
        even=1.0,
        unit="ratio",
        measure=_("Geometric mean"),
        pair_measure=_("Ratio over the texts that both have, row to column"),
        verbs={"": Verb(_("gets higher numbers than"), _("get higher numbers than"))},
        order=10,
    )
)
