"""Options of bootstrap intervals, and the settings that describe them in rows."""

from dataclasses import dataclass
from typing import Any, Literal

from analytics_app.analyses.base import Sample

# The names in rows of the three ways from resamples to limits; docs/methods/intervals.md explains them.
PERCENTILES, EXPANDED, FISHER = "percentiles", "expanded percentiles", "percentiles on Fisher's scale, widened"

# The units whose rows say to what an interval over them generalises.
GENERALISED = ("items", "documents", "raters")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Options of a bootstrap as keyword arguments of a statistic, and the settings that describe them in rows."""

    options: dict[str, Any]
    settings: dict[str, Any]


def bootstrap(sample: Sample, purpose: str, over: str, *, of: Literal["means", "agreement"] = "means") -> Bootstrap:
    """Return the options of the intervals of a sample for a purpose, over items, documents, raters or texts."""
    common = sample.common
    adjusted = FISHER if of == "agreement" else EXPANDED
    return Bootstrap(
        options={"n_resamples": common.n_resamples, "confidence": common.limits, "rng": sample.rng(purpose)},
        settings={
            "interval": f"bootstrap over {over}",
            "method": adjusted if common.intervals == "adjusted" else PERCENTILES,
            "n_resamples": common.n_resamples,
            "seed": sample.seed(purpose),
            **(common.scope(over) if over in GENERALISED else {}),
        },
    )
