"""The effect of the random order at the start on the final order."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.analyses.shared.over_raters import rough, with_limits
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.friedman import mid_ranks
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.resampling.permutation import sign_flip_p
from analytics_app.stats.values import Estimate, joined


def start_order(make: Rows) -> Iterator[Row]:
    """Yield the correlation of ranks with the places of texts at the start, and the mean rank by place."""
    sample = make.sample
    table, common = sample.table, sample.common
    known = ~np.isnan(table.value) & ~np.isnan(table.shown)
    if not known.any():
        return
    screen, rater = table.judgment[known], table.rater[known]
    start, rank = table.shown[known], mid_ranks(table.value[known], screen)
    r, of_screen = _within(start, rank, screen)
    of_rater = np.zeros(len(r), dtype=np.intp)
    of_rater[of_screen] = rater
    drawn = bootstrap(sample, "start order", "raters")
    estimate, interval = _mean_r(sample, r, of_rater, drawn)
    yield make.row(
        "start_order_r",
        estimate,
        n_ratings=int(known.sum()),
        settings={
            "r": "Spearman within a screen, mean over screens",
            **interval,
            "test": f"sign-flip permutation over raters, {common.n_permutations} draws",
            "seed_of_test": sample.seed("start order test"),
        },
    )
    for place in np.unique(start).tolist():
        starts_here = start == place
        yield make.row(
            "rank_by_start", value=float(rank[starts_here].mean()), label=f"{place:g}", n_ratings=int(starts_here.sum())
        )


def _within(start: Floats, rank: Floats, screen: NDArray[Any]) -> tuple[Floats, NDArray[np.intp]]:
    """Return Spearman's correlation of each screen, NaN if a side does not vary, and each entry's screen."""
    _known, place = np.unique(screen, return_inverse=True)
    n = int(place.max()) + 1
    counts = np.bincount(place, minlength=n)
    sides = [
        values - (np.bincount(place, weights=values, minlength=n) / counts)[place]
        for values in (mid_ranks(start, screen), rank)
    ]
    xx, yy, xy = (np.bincount(place, weights=sides[a] * sides[b], minlength=n) for a, b in ((0, 0), (1, 1), (0, 1)))
    fine = (xx > 0) & (yy > 0)
    r: Floats = np.divide(xy, np.sqrt(xx * yy), out=np.full(n, np.nan), where=fine)
    return r, place


def _mean_r(sample: Sample, r: Floats, of_rater: NDArray[np.intp], drawn: Bootstrap) -> tuple[Estimate, dict[str, Any]]:
    common = sample.common
    (mean,) = group_means(
        r,
        np.zeros(len(r), dtype=np.intp),
        of_rater,
        n_groups=1,
        **drawn.options,
    )
    if mean.value is None:
        return Estimate(None, note="No screen has ranks and places that vary."), drawn.settings
    mean, interval = with_limits(sample, mean, r, of_rater, drawn.settings)
    defined = ~np.isnan(r)
    sums: Floats = np.bincount(of_rater[defined], weights=r[defined]).astype(np.float64)
    raters = np.unique(of_rater[defined])
    (p,) = sign_flip_p(sums[raters][:, np.newaxis], max(common.n_permutations, 1), sample.rng("start order test"))
    estimate = replace(
        mean,
        p=p if len(raters) > 1 else None,
        n_ratings=None,
        n_items=int(defined.sum()),
        n_raters=len(raters),
        note=joined(mean.note, rough(common, len(raters))),
    )
    return estimate, interval
