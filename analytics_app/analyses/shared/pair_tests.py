"""Sign-flip tests of pairs of columns, and the rows of their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.analyses.shared.families import Differing, family_of, flips
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import Paired, paired
from analytics_app.stats.values import joined


@dataclass(frozen=True, slots=True)
class PairTest:
    """The comparison of a pair, its p after correction, and the settings of its family and of its own.

    `reason` says why the test cannot be significant even before correction, if so few units differ.
    """

    result: Paired
    p_adjusted: float | None
    settings: Mapping[str, Any]
    reason: str | None

    @property
    def note(self) -> str | None:
        """Return the note of the difference, with the reasons if the test, or its family, cannot be significant."""
        of_family = self.settings.get("cannot_differ")
        return joined(self.result.difference.note, self.reason, of_family if of_family != self.reason else None)

    def row(self, make: Rows, statistic: str, *, settings: Mapping[str, Any] | None = None, **columns: Any) -> Row:
        """Return the row of the difference; settings are added, columns given by name replace those of the test."""
        of_test = {
            "n_items": self.result.n_items,
            "p": self.result.permutation_p,
            "p_adjusted": self.p_adjusted,
            "note": self.note,
        }
        settings = {**self.settings, **(settings or {})}
        return make.row(statistic, self.result.difference, settings=settings, **{**of_test, **columns})


@dataclass(frozen=True, slots=True)
class Family:
    """Tests with p values that are corrected together, in the order of the pairs, with their settings."""

    tests: list[PairTest]
    settings: Mapping[str, Any]
    drawn: Bootstrap


def pair_tests(
    make: Rows,
    matrix: Floats,
    pairs: Sequence[tuple[int, int]],
    *,
    purpose: str,
    unit: str,
    clusters: NDArray[np.int64] | None,
    of: str,
    ranks: bool = False,
) -> Family:
    """Compare pairs of columns of a matrix, shape (n_items, n_columns), on the items of both.

    `unit` names what is resampled and flipped (items, documents), `clusters` has the documents of the items if it is
    documents, `of` names the family, such as "pairs of one criterion". With `ranks`, tests include Wilcoxon's.
    """
    common, drawn = make.sample.common, bootstrap(make.sample, purpose, unit)
    n_flips = flips(common, len(pairs))
    compared = paired(matrix, pairs, clusters=clusters, n_permutations=n_flips, ranks=ranks, **drawn.options)
    settings = {**drawn.settings, **family_of(common, compared, unit=unit, of=of)}
    adjusted = adjust([result.permutation_p for result in compared], common.correction)
    tests = []
    for result, p in zip(compared, adjusted, strict=True):
        differing = Differing.of(result) if result.permutation_p is not None else None
        own = differing.settings(common) if differing is not None else {}
        reason = differing.reason(common, unit) if differing is not None else None
        tests.append(PairTest(result, p, {**settings, **own}, reason))
    return Family(tests, settings, drawn)
