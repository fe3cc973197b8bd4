"""Helpers of rules about raters: exclusions of raters, and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.quality.base import Removal, RuleSample


def remove_raters(
    sample: RuleSample,
    raters: NDArray[np.integer],
    reasons: Sequence[str],
    *,
    values: ArrayLike,
    limits: ArrayLike,
    notes: Sequence[str] = (),
) -> Removal:
    """Remove all ratings of some raters; the arrays have an entry for each of these raters."""
    names = sample.table.names
    return Removal(
        mask=np.isin(sample.table.rater, raters),
        target="rater",
        ids=names.rater_ids[raters],
        reasons=tuple(reasons),
        values=np.broadcast_to(np.asarray(values, dtype=np.float64), raters.shape),
        limits=np.broadcast_to(np.asarray(limits, dtype=np.float64), raters.shape),
        notes=tuple(notes),
    )


def not_tested(n: int, reason: str) -> tuple[str, ...]:
    """Return a note on how many raters a rule could not test and kept."""
    if not n:
        return ()
    raters, verb = ("1 rater", "was") if n == 1 else (f"{n:,} raters", "were")
    return (f"{raters} {verb} not tested and kept: {reason}.",)


def by_criterion(sentences: Mapping[str, str], all_of: int) -> list[str]:
    """Return each sentence about criteria once, with their names unless it is about all of them."""
    criteria_by_sentence: dict[str, list[str]] = {}
    for name, sentence in sentences.items():
        criteria_by_sentence.setdefault(sentence, []).append(name)
    return [
        sentence if len(names) == all_of > 1 else f"{', '.join(names)}: {sentence}"
        for sentence, names in criteria_by_sentence.items()
    ]


def share_in_words(share: float) -> str:
    """Write a share in per cent, with a decimal unless it is a whole number."""
    return f"{share * 100:.0f} %" if abs(share * 100 - round(share * 100)) < 0.05 else f"{share * 100:.1f} %"
