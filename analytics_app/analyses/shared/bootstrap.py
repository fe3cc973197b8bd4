"""How bootstrap intervals are drawn, and how rows say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from analytics_app.analyses.base import Sample

# What rows call the three ways from resamples to limits; docs/methods/intervals.md says what they are.
PERCENTILES, EXPANDED, FISHER = "percentiles", "expanded percentiles", "percentiles on Fisher's scale, widened"


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What a statistic draws with, as keyword arguments, and the same as rows say it."""

    options: dict[str, Any]
    said: dict[str, Any]


def bootstrap(sample: Sample, purpose: str, over: str, *, of: Literal["means", "agreement"] = "means") -> Bootstrap:
    """Return how the intervals of a sample are drawn for a purpose, over items, documents, raters or texts."""
    common = sample.common
    adjusted = FISHER if of == "agreement" else EXPANDED
    return Bootstrap(
        options={"n_resamples": common.n_resamples, "confidence": common.limits, "rng": sample.rng(purpose)},
        said={
            "interval": f"bootstrap over {over}",
            "method": adjusted if common.intervals == "adjusted" else PERCENTILES,
            "n_resamples": common.n_resamples,
            "seed": sample.seed(purpose),
        },
    )
