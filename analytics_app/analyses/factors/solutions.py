"""Fit factors to some scales, for the rows of a run and for each earlier step of a reduction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics_app.analyses.base import QuestionCriterion, Sample
from analytics_app.analyses.shared.scales_of_texts import Complete, complete_rows
from analytics_app.ratings import Floats
from analytics_app.stats.scales.factor import (
    NOT_CONVERGED,
    Extraction,
    Rotation,
    maximum_likelihood,
    most_factors,
    promax,
)
from analytics_app.stats.scales.factorability import (
    Factorability,
    Parallel,
    constant_columns,
    correlations,
    factorability,
    parallel_analysis,
    too_few_rows,
)
from analytics_app.stats.scales.reduction import matched_factors

DRAWS, QUANTILE = 1000, 0.95
PURPOSE = "parallel analysis"


@dataclass(frozen=True, slots=True)
class Factored:
    """Extracted and rotated factors, with the correlations from which they come."""

    correlations: Floats
    extraction: Extraction
    rotation: Rotation

    @property
    def communalities(self) -> Floats:
        """Return the share of the variance of each scale that the factors explain."""
        communalities: Floats = 1 - self.extraction.uniquenesses
        return communalities


@dataclass(frozen=True, slots=True)
class Solution:
    """A factor analysis as far as its data allow; the steps that were not reached are None.

    `rows` are without the scales whose ratings are all the same, which `note` names. `k` factors were fitted, at most
    `target`; `refusal` is the reason why there are none.
    """

    rows: Complete
    note: str | None
    suited: Factorability | None = None
    parallel: Parallel | None = None
    target: int = 0
    k: int = 0
    refusal: str | None = None
    extraction: Extraction | None = None
    factored: Factored | None = None

    @property
    def keys(self) -> list[str]:
        """Return the keys of its scales."""
        return [scale.key for scale in self.rows.scales]


def solve(sample: Sample, scales: tuple[QuestionCriterion, ...], n_factors: int | None) -> Solution:
    """Fit factors to the complete rows of some scales: as many as given, else as parallel analysis finds."""
    complete = complete_rows(sample, scales)
    alike = constant_columns(complete.values).tolist() if len(complete.values) else []
    rows, note = complete.without(alike), _left_out(complete, alike)
    n, p = rows.values.shape
    if n < 2 or p < 1:
        return Solution(rows, note, refusal=too_few_rows(n, max(p, 1)) or "No scale varies.")
    r = correlations(rows.values)
    suited = factorability(r, n)
    if n <= p:
        return Solution(rows, note, suited, refusal=suited.refusal)
    parallel = parallel_analysis(r, n, n_draws=DRAWS, quantile=QUANTILE, rng=sample.rng(PURPOSE))
    target = n_factors or parallel.n_factors
    k = min(target, most_factors(p))
    refusal = suited.refusal or (None if k else "Parallel analysis finds no factor above random data.")
    if refusal is not None:
        return Solution(rows, note, suited, parallel, target, k, refusal)
    extraction = maximum_likelihood(r, k, n)
    if not extraction.converged:
        return Solution(rows, note, suited, parallel, target, k, extraction=extraction)
    factored = Factored(r, extraction, promax(extraction.loadings))
    return Solution(rows, note, suited, parallel, target, k, extraction=extraction, factored=factored)


def why_none(solution: Solution) -> str:
    """Return the reason why a solution has no factors."""
    return solution.refusal or NOT_CONVERGED


def factor_names(k: int) -> list[str]:
    """Return the names of k factors, that of the factor with most variance first."""
    return [f"factor {number}" for number in range(1, k + 1)]


def _left_out(rows: Complete, alike: Sequence[int]) -> str | None:
    notes = []
    if rows.incomplete:
        notes.append(f"{rows.incomplete} of {rows.incomplete + len(rows.values)} rows lack a rating and are left out.")
    if alike:
        names = ", ".join(rows.scales[place].key for place in alike)
        notes.append(f"Left out, since all ratings are the same: {names}.")
    return " ".join(notes) or None


def aligned(earlier: Solution, later: Solution) -> tuple[list[str], Floats] | None:
    """Return the loadings of an earlier solution in the order and direction of the factors of a later one.

    Returns
    -------
    (names, loadings) or None
        The names of the later factors that match earlier ones, then names for the earlier factors without a match;
        loadings (p, k) of the earlier scales. None if either solution has no factors.
    """
    if earlier.factored is None or later.factored is None:
        return None
    before, after = earlier.factored.rotation.pattern, later.factored.rotation.pattern
    shared = [key for key in later.keys if key in earlier.keys]
    places = [earlier.keys.index(key) for key in shared], [later.keys.index(key) for key in shared]
    matched = matched_factors(before[places[0]], after[places[1]])
    columns = [
        (name, *matched_column)
        for name, matched_column in zip(factor_names(later.k), matched, strict=True)
        if matched_column[0] >= 0
    ]
    used = {column for _name, column, _sign in columns}
    columns += [(f"earlier factor {number + 1}", number, 1.0) for number in range(earlier.k) if number not in used]
    loadings: Floats = np.column_stack([sign * before[:, column] for _name, column, sign in columns])
    return [name for name, _column, _sign in columns], loadings
