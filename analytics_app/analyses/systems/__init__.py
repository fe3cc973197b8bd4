"""Systems: means raw and z, medians, distributions, and paired comparisons."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.crossed import Statistics, crossed_rows, refusal
from analytics_app.analyses.shared.outputs import (
    EQUAL_STEPS,
    NO_Z_OF_BOTH,
    Outputs,
    by_document,
    mix_note,
    or_no_z,
    resample_field,
)
from analytics_app.analyses.shared.over_raters import rough, t_over_raters
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.analyses.shared.steps import StepStatistics, has_steps, step_rows
from analytics_app.analyses.shared.transforms import Reducible, noted
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_medians
from analytics_app.stats.comparison.over_raters import differences_over_raters
from analytics_app.stats.comparison.paired import Paired, item_means, paired, superiority
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.base import ORDERED_SCALES, Scale

# The family of tests whose p values are corrected together.
PAIRS = "pairs of one criterion"

# The comparisons with raters and items both random: on steps, and as numbers.
STEPS = StepStatistics("log_odds", "superiority_latent")
CROSSED = Statistics("mean_crossed", "difference_crossed", "effect_size_crossed", "rater_difference")


@register
class Systems(Reducible):
    """Ratings of each system, and differences between systems.

    Means are over ratings, with bootstrap intervals over items (documents where they were shown whole) and
    beside them over raters. Systems are compared pair by pair: unless the plan says otherwise by a mixed model in
    which raters and items are both random (for steps beside it by a cumulative logit one), and on the means of items
    that both have, by bootstrap interval, sign-flip permutation test, Wilcoxon, Cohen's d of paired differences,
    probability of superiority. A family of tests is all pairs within one criterion.
    """

    label = _("Systems")
    summary = _(
        "Means raw and z with intervals, medians, distributions, and comparisons of pairs with correction, for further "
        "raters and texts, or for these raters alone."
    )
    source = (
        "Kuznetsova et al. (2017). lmerTest package: Tests in linear mixed effects models. Journal of Statistical "
        "Software 82(13), 1-26; Koehn (2004). Statistical significance tests for machine translation evaluation. "
        "EMNLP, 388-395."
    )
    scales = ORDERED_SCALES
    statistics = {
        "mean": _("Mean"),
        "mean_over_raters": _("Mean, interval over raters"),
        "mean_z": _("Mean z"),
        "mean_z_over_raters": _("Mean z, interval over raters"),
        "mean_crossed": _("Mean, for further raters and texts"),
        "median": _("Median"),
        "sd": _("SD"),
        "share": _("Share"),
        "difference": _("Difference"),
        "difference_crossed": _("Difference, for further raters and texts"),
        "difference_z": _("Difference of z"),
        "difference_over_raters": _("Difference, interval over raters"),
        "wilcoxon": _("Wilcoxon's statistic"),
        "effect_size": _("Effect size"),
        "effect_size_crossed": _("Effect size, for further raters and texts"),
        "effect_size_z": _("Effect size of z"),
        "superiority": _("Probability of superiority"),
        "log_odds": _("Log odds of a higher step, for further raters and texts"),
        "superiority_latent": _("Probability of superiority by the model of steps, for further raters and texts"),
        "rater_difference": _("Difference by a rater"),
    }
    only_drawn = frozenset({"rater_difference"})

    needs = frozenset({Kinds})
    distinguishing_settings = ("reduce",)

    resample = resample_field()

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the ratings are not ranks: their lowest is the best, and rankings have their own analysis."""
        return super().fits(question) and not low_is_good(question)

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "difference"}

    def pairs_without_ratings(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of planned pairs without ratings, with the slice of a reduced scale."""
        yield from super().pairs_without_ratings(self.on_its_scale(sample)[0])

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every system and of every pair."""
        sample, lost = self.on_its_scale(sample)
        yield from noted(self._rows(sample), lost)

    def _rows(self, sample: Sample) -> Iterator[Row]:
        outputs = Outputs.of(sample, by_document=by_document(sample, self.resample))
        if not len(outputs.systems):
            return
        make = Rows(self.name, sample)
        yield from _means(make, outputs)
        yield from _spread(make, outputs)
        if sample.question.domain:
            yield from _shares(make, outputs)
        pairs = outputs.pairs(sample)
        if sample.common.generalise_to == "raters_and_texts":
            yield from crossed_rows(make, outputs, pairs, CROSSED, family=_family(pairs), settings={})
            if pairs and has_steps(sample) and not refusal(outputs):
                yield from step_rows(make, outputs, pairs, STEPS, family=_family(pairs))
        if pairs:
            yield from _differences(make, outputs, pairs)


def _means(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield mean and mean of z, with intervals over items and over raters."""
    ordinal = make.sample.question.scale is Scale.ORDINAL
    reason = mix_note(outputs)
    for name, values in (("mean", outputs.value), ("mean_z", outputs.z)):
        for suffix in ("", "_over_raters"):
            means, drawn = outputs.means(make.sample, values, over_raters=bool(suffix))
            for code, mean in enumerate(map(or_no_z, means) if name == "mean_z" else means):
                counts: dict[str, Any] = {**outputs.counts(code, rated=~np.isnan(values))}
                estimate, note = mean, reason.sentence if reason is not None and name == "mean_z" else None
                if note is not None and reason is not None and reason.refuses:
                    estimate = Estimate(None, note=note)
                else:
                    steps = EQUAL_STEPS if ordinal and name == "mean" else None
                    n_raters: int = counts["n_raters"]
                    about = outputs.interval_note(make.sample, mean, n_raters, over_raters=bool(suffix))
                    note = joined(steps, mean.note, note, about)
                yield make.row(
                    f"{name}{suffix}",
                    estimate,
                    system=outputs.systems[code],
                    **counts,
                    note=note,
                    settings={"mean": "over ratings", **drawn, **(_z(make) if name == "mean_z" else {})},
                )


def _spread(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield median and standard deviation."""
    medians = group_medians(outputs.value, outputs.system, len(outputs.systems))
    for code, key in enumerate(outputs.systems):
        values = outputs.value[(outputs.system == code) & ~np.isnan(outputs.value)]
        counts = outputs.counts(code)
        about: dict[str, Any] = {"system": key, **counts}
        yield make.row("median", value=float(medians[code]), **about)
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        note = None if spread is not None else "One rating has no spread."
        yield make.row("sd", value=spread, note=note, settings={"ddof": 1}, **about)


def _shares(make: Rows, outputs: Outputs) -> Iterator[Row]:
    """Yield the share of each step of the scale."""
    for code, key in enumerate(outputs.systems):
        values = outputs.value[(outputs.system == code) & ~np.isnan(outputs.value)]
        counts: dict[str, Any] = {**outputs.counts(code)}
        for step in make.sample.question.domain:
            share = float(np.mean(values == step)) if len(values) else None
            yield make.row("share", value=share, system=key, label=f"{step:g}", **counts)


def _differences(make: Rows, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield the differences between systems, pair by pair, with adjusted p."""
    n_systems, reason = len(outputs.systems), mix_note(outputs)
    raw, items = item_means(outputs.value, outputs.system, outputs.item, n_systems)
    yield from _paired(make, outputs, pairs, raw, outputs.clusters_of(items), "")
    if reason is None or not reason.refuses:
        z, items_z = item_means(outputs.z, outputs.system, outputs.item, n_systems)
        note = reason.sentence if reason is not None else None
        yield from _paired(make, outputs, pairs, z, outputs.clusters_of(items_z), "_z", note=note)
    yield from _over_raters(make, outputs, pairs)
    yield from _superiority(make, outputs, pairs)


def _over_raters(make: Rows, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield the mean over raters of the difference of their means, with an interval over raters and its test."""
    common = make.sample.common
    by_rater, _raters = item_means(outputs.value, outputs.system, outputs.rater, len(outputs.systems))
    if common.over_raters == "t":
        estimates = differences_over_raters(by_rater, pairs, confidence=common.confidence)
        family = {"test": "Student's paired t over raters", "correction": common.correction, "family": _family(pairs)}
        settings = {**t_over_raters(common), **family}
    else:
        drawn = bootstrap(make.sample, "differences over raters", "raters")
        estimates = [
            pair.difference for pair in paired(by_rater, pairs, n_permutations=0, ranks=False, **drawn.options)
        ]
        settings = drawn.settings
    adjusted = adjust([estimate.p for estimate in estimates], common.correction)
    for (a, b), estimate, p in zip(pairs, estimates, adjusted, strict=True):
        n_raters = estimate.n_items or 0
        yield make.row(
            "difference_over_raters",
            estimate,
            **outputs.names(a, b),
            n_items=outputs.shared_items(a, b),
            n_raters=n_raters,
            p_adjusted=p,
            note=joined(estimate.note, rough(common, n_raters)),
            settings={"means": "of each rater", **settings},
        )


def _superiority(make: Rows, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield the probability that a rating of one system is above one of the other for the same item."""
    drawn = bootstrap(make.sample, "superiority", outputs.unit)
    above = superiority(
        outputs.value,
        outputs.system,
        outputs.item,
        pairs,
        clusters=outputs.cluster if outputs.unit == "documents" else None,
        **drawn.options,
    )
    for (a, b), estimate in zip(pairs, above, strict=True):
        yield make.row(
            "superiority",
            estimate,
            **outputs.names(a, b),
            settings={"ties": "one half", **drawn.settings},
        )


def _paired(
    make: Rows,
    outputs: Outputs,
    pairs: Sequence[tuple[int, int]],
    matrix: np.ndarray[Any, np.dtype[np.float64]],
    clusters: np.ndarray[Any, np.dtype[np.int64]] | None,
    suffix: str,
    note: str | None = None,
) -> Iterator[Row]:
    """Yield difference, Wilcoxon and effect size of each pair on the means of items."""
    purpose, of_z = f"differences{suffix}", _z(make) if suffix else {}
    family = pair_tests(
        make, matrix, pairs, purpose=purpose, unit=outputs.unit, clusters=clusters, of=PAIRS, ranks=not suffix
    )
    of_ranks = {name: family.settings[name] for name in ("correction", "family")} | make.sample.common.scope(
        outputs.unit
    )
    ranks = {"zero_method": "wilcox", "units": outputs.unit, **of_ranks}
    effects = {"d": "mean over sd of paired differences of items", **of_z}
    adjusted_rank = adjust([test.result.wilcoxon.p for test in family.tests], make.sample.common.correction)
    for (a, b), test, p_rank in zip(pairs, family.tests, adjusted_rank, strict=True):
        names = {**outputs.names(a, b), "n_items": test.result.n_items}
        no_z = suffix and test.result.difference.value is None and outputs.shared_items(a, b) > 1
        yield test.row(
            make,
            f"difference{suffix}",
            **names,
            note=NO_Z_OF_BOTH if no_z else joined(test.note, note),
            settings={"means": f"of {outputs.unit}", **of_z},
        )
        if not suffix:
            yield make.row("wilcoxon", test.result.wilcoxon, **names, p_adjusted=p_rank, settings=ranks)
        effect = Estimate(None, note=NO_Z_OF_BOTH) if no_z else _effect(test.result)
        yield make.row(f"effect_size{suffix}", effect, **names, settings=effects)


def _family(pairs: Sequence[tuple[int, int]]) -> str:
    return f"{len(pairs)} {PAIRS}"


def _effect(pair: Paired) -> Estimate:
    if pair.effect_size is not None:
        return Estimate(value=pair.effect_size)
    return Estimate(
        value=None, note=pair.difference.note or "The differences do not vary, so the effect size is undefined."
    )


def _z(make: Rows) -> dict[str, Any]:
    basis = "all ratings that count" if make.sample.basis == "all" else "ratings kept by rules not based on z"
    return {**make.sample.common.of_z, "z": "within rater and criterion", "z_of": f"{basis}, of all systems"}
