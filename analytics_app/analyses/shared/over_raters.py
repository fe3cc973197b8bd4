"""Means of systems with intervals over raters: Student's t or, for earlier plans, percentiles of resampled raters."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.analyses.base import Common, Sample
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.over_raters import means_over_raters
from analytics_app.stats.values import Estimate

# With fewer raters than this, percentiles of resampled raters say little (methods: units of resampling).
RATERS_NEEDED = 10
FEW_RATERS = f"Fewer than {RATERS_NEEDED} raters: this interval is rough."


def t_over_raters(common: Common) -> dict[str, str]:
    """Return the settings of rows with Student's t over raters."""
    return {"interval": "Student's t over raters", **common.scope("raters")}


def rough(common: Common, n_raters: int) -> str | None:
    """Return a warning about percentiles of few resampled raters, if these are the limits."""
    return FEW_RATERS if common.over_raters == "percentile" and n_raters < RATERS_NEEDED else None


def system_means_over_raters(
    sample: Sample, purpose: str, values: ArrayLike, systems: ArrayLike, raters: ArrayLike, *, n_systems: int
) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the mean of each system with its interval over raters, and the settings of the interval.

    `values`, `systems` and `raters` have shape (n,); systems are codes from 0 to n_systems - 1. `purpose` seeds the
    resamples.
    """
    common = sample.common
    if common.over_raters == "t":
        means = means_over_raters(values, systems, raters, n_groups=n_systems, confidence=common.confidence)
        return means, t_over_raters(common)
    drawn = bootstrap(sample, purpose, "raters")
    return group_means(values, systems, raters, n_groups=n_systems, **drawn.options), drawn.settings


def with_limits(
    sample: Sample,
    drawn: Estimate,
    values: ArrayLike,
    raters: ArrayLike,
    settings: dict[str, Any],
    *,
    share: bool = False,
) -> tuple[Estimate, dict[str, Any]]:
    """Return the mean of all values with its interval over raters, and the settings of the interval.

    `drawn` is the mean with percentiles of resampled raters, and `settings` are those of the resamples: both stay where
    the plan has percentiles, else Student's t takes their place. The limits of a `share` are between 0 and 1. `values`
    and `raters` have shape (n,).
    """
    common = sample.common
    if common.over_raters != "t" or drawn.value is None:
        return drawn, settings
    numbers = np.asarray(values, dtype=np.float64)
    single_group = np.zeros(numbers.size, dtype=np.intp)
    (mean,) = means_over_raters(numbers, single_group, raters, n_groups=1, confidence=common.confidence)
    low, high = mean.low, mean.high
    if share and low is not None and high is not None:
        low, high = max(0.0, low), min(1.0, high)
    interval = replace(drawn, low=low, high=high, se=mean.se, df=mean.df, note=mean.note, exact=False)
    return interval, t_over_raters(common)
