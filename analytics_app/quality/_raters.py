"""Helpers of rules about raters: whom they examine, and how exclusions are recorded."""

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
    """Take out everything that some raters gave; the arrays have an entry for each of them."""
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


def not_tested(n: int, why: str) -> tuple[str, ...]:
    """Say of how many raters a rule knows nothing; they are kept."""
    if not n:
        return ()
    who, are = ("1 rater", "was") if n == 1 else (f"{n:,} raters", "were")
    return (f"{who} {are} not tested and kept: {why}.",)


def by_criterion(said: Mapping[str, str], all_of: int) -> list[str]:
    """Return what is to be said of criteria, each sentence once, with the names where it is not about all of them."""
    about: dict[str, list[str]] = {}
    for name, sentence in said.items():
        about.setdefault(sentence, []).append(name)
    return [
        sentence if len(names) == all_of > 1 else f"{', '.join(names)}: {sentence}" for sentence, names in about.items()
    ]


def share_in_words(share: float) -> str:
    """Return a share in per cent, with a digit where a whole number would not tell."""
    return f"{share * 100:.0f} %" if abs(share * 100 - round(share * 100)) < 0.05 else f"{share * 100:.1f} %"
