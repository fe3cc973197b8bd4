"""Ratings by system, as columns, for analyses of systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.over_raters import rough, system_means_over_raters
from analytics_app.analyses.shared.pairs import OfSystems, clusters_of
from analytics_app.ratings import Floats, Mask
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.resampling.pair_sums import few_drawn
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import OneOfField, choice_field

EQUAL_STEPS = "The steps of the scale are treated as equally far apart."

NO_Z = (
    "z is undefined here: every rater of this system gave the same rating throughout, or a single one, so there is no "
    "spread to divide by."
)
NO_Z_OF_BOTH = (
    "z is undefined here: too many raters gave the same rating throughout, so fewer than two items have it for both "
    "systems."
)
ITEMS_ONLY = "Generalises to new {unit}, not to new raters."

# With a larger distance between a rater's mix of systems and that of all raters, z hides differences between systems.
MIX_LIMIT = 0.25


@dataclass(frozen=True, slots=True)
class Outputs(OfSystems):
    """One entry for every output a rating counts for; `system` is a code into `systems`, those that were rated.

    `cluster` is what intervals are over: the item, or the document where documents were shown whole.
    """

    value: Floats
    z: Floats
    rater: NDArray[np.int32]
    item: NDArray[np.int32]
    cluster: NDArray[np.int64]
    system: NDArray[np.int64]
    n_raters: tuple[int, ...]

    @classmethod
    def of(cls, sample: Sample, *, by_document: bool) -> Outputs:
        """Return the rated outputs of a sample, without the systems it leaves out."""
        table, names = sample.table, sample.table.names
        row, system, item = table.by_system()
        keep = ~np.isnan(table.value[row])
        if sample.without:
            keep &= ~np.isin(system, sorted(sample.without))
        row, system, item = row[keep], system[keep], item[keep]
        known, code = np.unique(system, return_inverse=True)
        cluster_of_item = clusters_of(names, by_document=by_document)
        rater = table.rater[row]
        return cls(
            value=table.value[row],
            z=sample.z[row],
            rater=rater,
            item=item,
            cluster=cluster_of_item[item],
            system=code.astype(np.int64),
            systems=tuple(names.systems[system_code] for system_code in known),
            n_raters=tuple(len(np.unique(rater[code == place])) for place in range(len(known))),
            unit="documents" if by_document else "items",
            cluster_of_item=cluster_of_item,
        )

    def counts(self, code: int, rated: Mask | None = None) -> dict[str, int]:
        """Return the numbers of ratings, items and raters of a system."""
        of_system = self.system == code if rated is None else (self.system == code) & rated
        return {
            "n_ratings": int(of_system.sum()),
            "n_items": len(np.unique(self.item[of_system])),
            "n_raters": len(np.unique(self.rater[of_system])),
        }

    def means(self, sample: Sample, values: Floats, *, over_raters: bool) -> tuple[list[Estimate], dict[str, Any]]:
        """Return the mean of each system with an interval over the unit or over raters, and the interval's settings.

        `values` has one entry for each output, NaN where there is none.
        """
        over, n = "raters" if over_raters else self.unit, len(self.systems)
        purpose = f"means over {over}"
        if over_raters:
            return system_means_over_raters(sample, purpose, values, self.system, self.rater, n_systems=n)
        drawn = bootstrap(sample, purpose, over)
        return group_means(values, self.system, self.cluster, n_groups=n, **drawn.options), drawn.settings

    def interval_note(self, sample: Sample, mean: Estimate, n_raters: int, *, over_raters: bool) -> str | None:
        """Return a note about the interval of a system's mean, over that many raters or over the unit."""
        if not over_raters:
            return interval_note(mean, self.unit)
        return rough(sample.common, n_raters) if mean.low is not None else None

    def shared_items(self, a: int, b: int) -> int:
        """Return the number of items that two systems share."""
        return len(np.intersect1d(self.item[self.system == a], self.item[self.system == b]))


def or_no_z(mean: Estimate) -> Estimate:
    """Return the mean z of rated outputs; where there is none, with the reason, since ratings there are."""
    return mean if mean.value is not None else replace(mean, note=NO_Z)


def resample_field() -> OneOfField[str]:
    """Return the setting `resample`: which units intervals of systems are over."""
    units = (("auto", _("items, or documents shown whole")), ("items", _("items")), ("documents", _("documents")))
    return choice_field(_("Intervals are over"), units, initial="auto")


def by_document(sample: Sample, resample: str) -> bool:
    """Return whether intervals resample documents, by the setting `resample`."""
    return sample.question.by_document if resample == "auto" else resample == "documents"


def interval_note(estimate: Estimate, over: str) -> str | None:
    """Return a note about the interval of a mean: the units it generalises to, and a warning if they are few.

    `over` names the resampled units: items or documents; `estimate.n_items` counts them.
    """
    if estimate.low is None:
        return None
    return joined(ITEMS_ONLY.format(unit=over), few_drawn(estimate.n_items or 0, over))


@dataclass(frozen=True, slots=True)
class MixNote:
    """The reason why z needs care or, if it `refuses`, is not given."""

    sentence: str
    refuses: bool


def mix_note(outputs: Outputs) -> MixNote | None:
    """Return a note if raters saw different mixes of systems; z supposes that these are about the same.

    The distance is the total variation between the shares of a rater and of all raters; its median over raters may be
    at most a quarter. If most raters saw only one system, z cannot distinguish systems and is refused.
    """
    n = len(outputs.systems)
    if n < 2 or not len(outputs.rater):
        return None
    known, rater = np.unique(outputs.rater, return_inverse=True)
    counts = np.bincount(rater * n + outputs.system, minlength=len(known) * n).reshape(len(known), n)
    shares = counts / counts.sum(axis=1, keepdims=True)
    if np.median((counts > 0).sum(axis=1)) <= 1:
        return MixNote("Most raters saw one system only, so z cannot tell systems apart and is not given.", True)
    distance = float(np.median(0.5 * np.abs(shares - counts.sum(axis=0) / counts.sum()).sum(axis=1)))
    if distance > MIX_LIMIT:
        return MixNote(
            f"Raters saw different mixes of systems (median distance {distance:.2f}), so z hides part of the real "
            "differences: read the raw means.",
            False,
        )
    return None
