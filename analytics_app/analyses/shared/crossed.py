"""Comparisons of systems with raters and items both random, and the settings that describe them in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.shared.outputs import EQUAL_STEPS, Outputs
from analytics_app.ratings import Floats
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.mixed.crossed import CrossedComparison, compare_crossed
from analytics_app.stats.mixed.results import MIXED_MODEL
from analytics_app.stats.scales.magnitude import taken_back
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.base import Scale

ONE_RATER = "One rater only: nothing can be said about further raters."
ONE_ITEM = "One text only: nothing can be said about further texts."
UNKNOWN_TOTAL = "The method has no variance of a single rating, so the effect size is undefined."

Fit = TypeVar("Fit")

# Terms of the model as R writes them.
FORMULA = {
    "item": "(1|item)",
    "system_item": "(1|item:system)",
    "rater": "(1|rater)",
    "rater_system": "(1|rater:system)",
    "cluster": "(1|document)",
    "cluster_system": "(1|document:system)",
}
IN_WORDS = {
    "item": "items",
    "system_item": "systems on items",
    "rater": "raters",
    "rater_system": "raters by system",
    "cluster": "documents",
    "cluster_system": "systems on documents",
    "residual": "single ratings",
}

# The comparisons that were computed last, by a digest of their data, and how many are kept.
_FITS: dict[bytes, Any] = {}
MOST_FITS = 16

# The most raters whose own differences have rows; of more, they are spread evenly over the order.
MOST_RATERS = 40


@dataclass(frozen=True, slots=True)
class Statistics:
    """The names of the statistics of a comparison: of systems, of pairs, of effect sizes, of raters' differences."""

    mean: str
    difference: str
    effect_size: str | None = None
    of_rater: str | None = None


def crossed(sample: Sample, outputs: Outputs) -> CrossedComparison:
    """Compare all pairs of a sample with raters and items both random; documents shown whole have their own terms."""
    clusters = outputs.cluster if outputs.unit == "documents" else None
    pairs, confidence = outputs.pairs(sample), sample.common.confidence
    columns: list[NDArray[Any]] = [outputs.value, outputs.system, outputs.item, outputs.rater]
    value, system, item, rater = columns

    def compute() -> CrossedComparison:
        return compare_crossed(
            value,
            system,
            item,
            rater,
            n_systems=len(outputs.systems),
            pairs=pairs,
            confidence=confidence,
            clusters=clusters,
        )

    about = ("compare_crossed", outputs.systems, pairs, confidence)
    return kept_fit(about, [*columns, *([] if clusters is None else [clusters])], compute)


def kept_fit(about: object, columns: Sequence[NDArray[Any]], compute: Callable[[], Fit]) -> Fit:
    """Return the fit of some columns: a recent one of the same columns if there is one, else a computed one.

    Two analyses of a criterion, and its ratings before and after the rules, may need the same fit, which takes seconds
    for 100,000 ratings: the last ones are kept. `about` says what is computed of the columns.
    """
    digest = sha256(repr((about, [column.shape for column in columns])).encode())
    for column in columns:
        digest.update(np.ascontiguousarray(column).data)
    key = digest.digest()
    if key not in _FITS:
        while len(_FITS) >= MOST_FITS:
            _FITS.pop(next(iter(_FITS)), None)
        _FITS[key] = compute()
    fit: Fit = _FITS[key]
    return fit


def crossed_rows(
    make: Rows,
    outputs: Outputs,
    pairs: Sequence[tuple[int, int]],
    statistics: Statistics,
    *,
    family: str,
    settings: dict[str, Any],
    of_logs: bool = False,
    said: str | None = None,
) -> Iterator[Row]:
    """Yield the rows of a comparison with raters and items both random: systems, pairs, effect sizes, raters.

    Where there is one rater, or one item, each row is without a value and says so. `family` names the family of tests,
    such as "3 pairs of one criterion", and `said` begins the note of each pair. Rows of values that are logarithms have
    geometric means and ratios.
    """
    if reason := refusal(outputs):
        for a, b in pairs:
            yield make.row(statistics.difference, note=reason, **outputs.names(a, b))
        return
    comparison = crossed(make.sample, outputs)
    about = {**settings, **settings_of(comparison)}
    note = note_of(make.sample, comparison)
    for code, mean in enumerate(comparison.means):
        shown = replace(_taken_back(mean) if of_logs else mean, n_ratings=None, n_items=None, n_raters=None)
        counts: dict[str, Any] = outputs.counts(code, rated=~np.isnan(outputs.value))
        yield make.row(
            statistics.mean, shown, system=outputs.systems[code], settings=about, note=_both(mean.note, note), **counts
        )
    adjusted = adjust([pair.difference.p for pair in comparison.pairs], make.sample.common.correction)
    test = {"test": test_of(comparison), "correction": make.sample.common.correction, "family": family}
    for pair, p in zip(comparison.pairs, adjusted, strict=True):
        names = outputs.names(pair.a, pair.b)
        yield make.row(
            statistics.difference,
            _taken_back(pair.difference) if of_logs else pair.difference,
            **names,
            p_adjusted=p,
            settings={**about, **test, **({"se_of_logs": pair.difference.se} if of_logs else {})},
            note=joined(said, _both(pair.difference.note, note)),
        )
        if statistics.effect_size is not None:
            size = pair.effect_size
            estimate = Estimate(size) if size is not None else Estimate(None, note=UNKNOWN_TOTAL)
            effect = {**settings, "d": "difference over the SD of a single rating in the model"}
            yield make.row(statistics.effect_size, estimate, **names, settings=effect)
    if statistics.of_rater is not None:
        yield from _of_raters(make, outputs, comparison, statistics.of_rater)


def _taken_back(estimate: Estimate) -> Estimate:
    """Return a mean, or difference, of logarithms as a geometric mean, or ratio; the degrees of freedom stay."""
    return replace(taken_back(estimate), df=estimate.df)


def _both(own: str | None, note: str | None) -> str | None:
    """Return the note of a row and that of the comparison, without repeating sentences that both have."""
    return note if own is None or (note or "").find(own) >= 0 else joined(own, note)


def refusal(outputs: Outputs) -> str | None:
    """Return why further raters, or further texts, cannot be spoken of; None if they can."""
    rated = ~np.isnan(outputs.value)
    if len(np.unique(outputs.rater[rated])) < 2:
        return ONE_RATER
    return ONE_ITEM if len(np.unique(outputs.item[rated])) < 2 else None


def settings_of(comparison: CrossedComparison) -> dict[str, Any]:
    """Return the settings of rows of a comparison: method, model, its terms, and the population it generalises to."""
    described: dict[str, Any] = {"method": comparison.method, "interval": f"t of the {comparison.method}"}
    if comparison.method == MIXED_MODEL:
        terms = [FORMULA[name] for name in FORMULA if name in comparison.sd]
        described |= {
            "model": " + ".join(["value ~ system", *terms]),
            "estimation": "REML",
            "sd": {name: sd.value for name, sd in comparison.sd.items() if sd.value is not None},
        }
    if comparison.zero:
        described["zero"] = list(comparison.zero)
    if comparison.left_out:
        described["left_out"] = list(comparison.left_out)
    if comparison.df_rule:
        described["df"] = comparison.df_rule
    return {**described, "generalises_to": TO_RATERS_AND_TEXTS}


def note_of(sample: Sample, comparison: CrossedComparison) -> str | None:
    """Return the note of every row: steps, terms left out with the reason, and variances estimated as 0."""
    zero = ", ".join(IN_WORDS.get(name, name) for name in comparison.zero)
    return joined(
        EQUAL_STEPS if sample.question.scale is Scale.ORDINAL else None,
        comparison.note,
        *(f"Without {IN_WORDS.get(name, name)}: {reason}" for name, reason in comparison.left_out.items()),
        f"Variance estimated as 0: {zero}." if zero else None,
    )


def test_of(comparison: CrossedComparison) -> str:
    """Return the name of the test of a comparison."""
    if comparison.method == MIXED_MODEL:
        return "t of a linear mixed model with raters and items random"
    return "t with two-way robust standard errors, clustered by rater and by item"


def _of_raters(make: Rows, outputs: Outputs, comparison: CrossedComparison, statistic: str) -> Iterator[Row]:
    """Yield each rater's own difference between the two systems that are furthest apart, the highest first."""
    tested = [pair for pair in comparison.pairs if pair.difference.value is not None]
    if not tested:
        return
    widest = max(tested, key=lambda pair: abs(pair.difference.value or 0.0))
    raters, differences, n_ratings = own_differences(outputs, widest.a, widest.b)
    order = np.lexsort((raters, -differences))
    spread = np.linspace(0, len(order) - 1, min(len(order), MOST_RATERS))
    drawn = order[spread.round().astype(np.int64)]
    names, note = make.sample.table.names, None
    if len(drawn) < len(order):
        note = f"{in_words(MOST_RATERS, 'rater', 'raters')} of {len(order):,}, spread evenly over their order."
    counts = {"raters": len(order), "above": int((differences > 0).sum()), "below": int((differences < 0).sum())}
    settings = {"means": "of the rater's ratings", **counts}
    for place in drawn:
        yield make.row(
            statistic,
            value=float(differences[place]),
            **outputs.names(widest.a, widest.b),
            rater=names.raters[raters[place]],
            n_ratings=int(n_ratings[place]),
            settings=settings,
            note=note,
        )


def own_differences(outputs: Outputs, a: int, b: int) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Return the raters who judged two systems, the differences of their means, and the numbers of their ratings.

    Each has shape (n_raters,).
    """
    matrix, raters = item_means(outputs.value, outputs.system, outputs.rater, len(outputs.systems))
    differences = matrix[:, a] - matrix[:, b]
    both = ~np.isnan(differences)
    of_pair = ((outputs.system == a) | (outputs.system == b)) & ~np.isnan(outputs.value)
    n = np.bincount(outputs.rater[of_pair], minlength=int(raters.max(initial=0)) + 1)
    return raters[both].astype(np.int64), differences[both], n[raters[both]].astype(np.int64)
