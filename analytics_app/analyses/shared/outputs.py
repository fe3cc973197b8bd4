"""Ratings by system, as columns, for analyses of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.ratings import Floats, Mask
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.resampling.pair_sums import few_drawn

# Under so many raters an interval over raters says little (methods: units of resampling).
RATERS_NEEDED = 10

FEW_RATERS = f"Fewer than {RATERS_NEEDED} raters: this interval is rough."
ITEMS_ONLY = "Generalises to new {unit}, not to new raters."

# Beyond this distance between a rater's mix of systems and everybody's, z hides differences between systems.
MIX_LIMIT = 0.25


@dataclass(frozen=True, slots=True)
class Outputs:
    """One entry for every output a rating counts for; `system` is a code into `systems`, those that were rated.

    `cluster` is what intervals are over: the item, or the document where documents were shown whole.
    """

    value: Floats
    z: Floats
    rater: NDArray[np.int32]
    item: NDArray[np.int32]
    cluster: NDArray[np.int64]
    system: NDArray[np.int64]
    systems: tuple[str, ...]
    n_raters: tuple[int, ...]
    unit: str
    cluster_of_item: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample, *, by_document: bool) -> Outputs:
        """Take the rated outputs of a sample, without the systems it leaves out."""
        table, names = sample.table, sample.table.names
        row, system, item = table.by_system()
        keep = ~np.isnan(table.value[row])
        if sample.without:
            keep &= ~np.isin(system, sorted(sample.without))
        row, system, item = row[keep], system[keep], item[keep]
        known, code = np.unique(system, return_inverse=True)
        documents = names.document_of_item.astype(np.int64)
        of_item = np.arange(len(names.items), dtype=np.int64)
        # An item that is in no document is a document of its own.
        cluster_of_item = (
            np.where(documents >= 0, documents, len(names.documents) + of_item) if by_document else of_item
        )
        rater = table.rater[row]
        return cls(
            value=table.value[row],
            z=sample.z[row],
            rater=rater,
            item=item,
            cluster=cluster_of_item[item],
            system=code.astype(np.int64),
            systems=tuple(names.systems[one] for one in known),
            n_raters=tuple(len(np.unique(rater[code == one])) for one in range(len(known))),
            unit="documents" if by_document else "items",
            cluster_of_item=cluster_of_item,
        )

    def counts(self, code: int, rated: Mask | None = None) -> dict[str, int]:
        """Return the numbers of ratings, items and raters of a system."""
        mine = self.system == code if rated is None else (self.system == code) & rated
        return {
            "n_ratings": int(mine.sum()),
            "n_items": len(np.unique(self.item[mine])),
            "n_raters": len(np.unique(self.rater[mine])),
        }

    def clusters_of(self, items: NDArray[Any]) -> NDArray[np.int64] | None:
        """Return the cluster of each of these items, or None where every item is one of its own."""
        return self.cluster_of_item[items] if self.unit == "documents" else None

    def shared_items(self, a: int, b: int) -> int:
        """Return how many items two systems share."""
        return len(np.intersect1d(self.item[self.system == a], self.item[self.system == b]))


def interval_note(one: Estimate, over: str, n_raters: int = 0) -> str | None:
    """Say what the interval of a mean is good for: to what it generalises, and on how little it rests.

    `over` is what was drawn: items, documents or raters; `one.n_items` counts it.
    """
    if one.low is None:
        return None
    if over == "raters":
        return FEW_RATERS if n_raters < RATERS_NEEDED else None
    return joined(ITEMS_ONLY.format(unit=over), few_drawn(one.n_items or 0, over))


@dataclass(frozen=True, slots=True)
class MixNote:
    """Why z is to be read with care, or, where it `refuses`, means nothing."""

    sentence: str
    refuses: bool


def mix_note(outputs: Outputs) -> MixNote | None:
    """Compare the systems each rater saw with those that everybody saw; z supposes that they are about the same.

    The distance is the total variation between the two shares, its median over raters what counts: a quarter is the
    limit. Where most raters saw one system only, z has nothing to tell systems apart by and is refused.
    """
    n = len(outputs.systems)
    if n < 2 or not len(outputs.rater):
        return None
    known, rater = np.unique(outputs.rater, return_inverse=True)
    seen = np.bincount(rater * n + outputs.system, minlength=len(known) * n).reshape(len(known), n)
    shares = seen / seen.sum(axis=1, keepdims=True)
    if np.median((seen > 0).sum(axis=1)) <= 1:
        return MixNote("Most raters saw one system only, so z cannot tell systems apart and is not given.", True)
    distance = float(np.median(0.5 * np.abs(shares - seen.sum(axis=0) / seen.sum()).sum(axis=1)))
    if distance > MIX_LIMIT:
        return MixNote(
            f"Raters saw different mixes of systems (median distance {distance:.2f}), so z hides part of the real "
            "differences: read the raw means.",
            False,
        )
    return None
