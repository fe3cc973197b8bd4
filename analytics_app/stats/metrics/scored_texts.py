"""Two scores of the same texts: their correlations, with intervals over items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.coefficients import r_of, with_interval
from analytics_app.stats.metrics.metric_samples import moment_samples, tau_samples
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, compressed


@dataclass(frozen=True, slots=True)
class ScoredTexts:
    """The texts that have both scores, with the code of the item (or document) of each, from 0."""

    x: Floats
    y: Floats
    item: Codes
    n_items: int

    @classmethod
    def of(cls, x: Floats, y: Floats, items: ArrayLike) -> ScoredTexts:
        """Return the texts without NaN on either side, shape (n,) all three."""
        codes = checked_codes(items, x.size)
        scored = ~(np.isnan(x) | np.isnan(y))
        _codes, item = compressed(codes[scored])
        return cls(x[scored], y[scored], item, int(item.max()) + 1 if item.size else 0)

    def estimate(self, value: float | None, note: str | None) -> Estimate:
        """Return an estimate over these texts without an interval."""
        return Estimate(value, n_ratings=self.x.size, n_items=self.n_items, note=note)

    def correlations(
        self,
        *,
        tying: Floats,
        no_tau_interval: str | None,
        n_resamples: int,
        confidence: float,
        rng: np.random.Generator,
    ) -> tuple[Estimate, Estimate, Estimate]:
        """Return Pearson's r, Spearman's rho and Kendall's tau-b of two scores that vary.

        `tying` replaces x in ranks. With the note `no_tau_interval` tau has no interval, whose time grows with the
        square of the number of texts.
        """
        from scipy.stats import kendalltau, rankdata  # noqa: PLC0415  takes a second to load

        n_drawn = n_resamples if self.n_items > 1 else 0
        of_moments, of_tau = rng.spawn(2)
        sides = [(self.x, self.y), (rankdata(tying), rankdata(self.y))]
        pearson, spearman = (
            with_interval(r_of(*side), drawn, self.x.size, self.n_items, confidence)
            for side, drawn in zip(sides, moment_samples(sides, self.item, n_drawn, of_moments), strict=True)
        )
        tau = float(kendalltau(tying, self.y).statistic)
        if n_drawn and no_tau_interval:
            return pearson, spearman, self.estimate(tau, no_tau_interval)
        taus = tau_samples(tying, self.y, self.item, self.n_items, n_drawn, of_tau)
        return pearson, spearman, with_interval(tau, taus, self.x.size, self.n_items, confidence)
