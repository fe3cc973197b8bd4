"""Two scores of the same systems, at least one of them of texts: means of systems, also in resamples of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analytics_app.stats.metrics.coefficients import column_means
from analytics_app.stats.metrics.metric_samples import mean_samples
from analytics_app.stats.values import Codes, Floats

# With fewer systems one outlier can determine the correlation.
FEW_SYSTEMS = 8


@dataclass(frozen=True, slots=True)
class ScoredSystems:
    """Scores of the systems that have both, on the items that have any; `units` are drawn in resamples.

    `texts` has shape (n_items, n_systems), `other` the same or, for scores of whole systems, (n_systems,).
    """

    texts: Floats
    other: Floats
    units: Codes

    @classmethod
    def of(cls, texts: Floats, other: Floats, clusters: Codes | None) -> ScoredSystems:
        """Return the scores; if both are of texts, those of the texts that have both.

        `clusters` are codes from 0 of the documents of items that are resampled together, shape (n_items,).
        """
        of_texts = other.ndim == 2
        if of_texts:
            texts, other = np.where(np.isnan(other), np.nan, texts), np.where(np.isnan(texts), np.nan, other)
        judged = ~np.isnan(texts).all(axis=1)
        texts, other = texts[judged], other[judged] if of_texts else other
        units = np.arange(len(texts), dtype=np.intp) if clusters is None else clusters[judged]
        scored = ~np.isnan(texts).all(axis=0) & ~np.isnan(np.atleast_2d(other)).all(axis=0)
        return cls(texts[:, scored], other[..., scored], units)

    @property
    def means(self) -> tuple[Floats, Floats]:
        """Return both scores of each system, shape (n_systems,)."""
        return column_means(self.texts), column_means(self.other) if self.other.ndim == 2 else self.other

    @property
    def n_units(self) -> int:
        """Return the number of units that are resampled."""
        return np.unique(self.units).size

    def drawn(self, n_resamples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the means in each resample, shape (n_resamples, n_systems); none if there is a single unit."""
        return mean_samples(self.texts, self.other, n_resamples if self.n_units > 1 else 0, rng, self.units)


def few_note(n_systems: int) -> str | None:
    """Return the note of a correlation over few systems."""
    return f"{n_systems} systems are few: one of them can make a correlation." if n_systems < FEW_SYSTEMS else None
