"""Shift of ratings by the wording of a question, and whether it differs between systems.

Each rater reads one wording, and rates texts of every system: wordings are compared between raters, and the differences
of systems by wording within them. Raters, items and texts are random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.two_groups import difference_of_means
from analytics_app.stats.mixed.blocks import layout
from analytics_app.stats.mixed.crossed import MOST_COLUMNS, MOST_ENTRIES, MOST_WORK
from analytics_app.stats.mixed.design import Design, combined, design
from analytics_app.stats.mixed.reml import Fit, fitted
from analytics_app.stats.mixed.results import MIXED_MODEL, estimate
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed, joined, rated

# With fewer raters of a wording nothing is said about further raters.
FEWEST_RATERS = 3
RATER_MEANS = "means of raters"

NOT_READ = "Nobody who read this wording has rated anything."
TOO_FEW = (
    f"Fewer than {FEWEST_RATERS} raters read one of the wordings, so nothing can be said beyond these raters: the "
    "difference may be that of the raters."
)
ONE_SYSTEM = "Fewer than two systems were rated in every wording, so their differences cannot be compared."
NO_SYSTEM = "No system was rated in every wording."
NO_SPREAD = "All ratings of a system in a wording are the same, so there is no interval."
_BEYOND = "There are more texts and raters than the mixed model takes."
_NOT_FITTED = "The variances of the mixed model could not be estimated."
_INSTEAD = "The means of raters are compared instead, after the effects of texts are taken out."

# With fewer raters or items than this, a variance estimated as 0 may well be larger: see `crossed`.
_ENOUGH, _CAUTION = 8, 3
_ROUNDS, _SETTLED = 500, 1e-10


@dataclass(frozen=True, slots=True)
class JointTest:
    """The test that several differences are all 0: F with its degrees of freedom, or the least adjusted p of them."""

    p: float | None
    f: float | None = None
    df: float | None = None
    df_error: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class WordingComparison:
    """Ratings by wording and system.

    Parameters
    ----------
    method : str
        "mixed model" or "means of raters".
    means : tuple of tuple of Estimate
        Mean of each system in each wording, by the codes of wording and system.
    shifts : tuple of Estimate
        For each wording after the first, its mean less that of the first: the average of the systems that were rated in
        every wording.
    by_system : tuple of tuple of Estimate
        For each wording after the first, by the code of the system: how much more the system gains by the wording than
        the systems do on average.
    shift_test, system_test : JointTest
        Of all shifts, and of all entries of `by_system`, being 0.
    n_raters : tuple of int
        Raters of each wording.
    sd : dict of str to float
        Standard deviation of each term of the model; empty for means of raters.
    left_out : dict of str to str
        Terms that the design cannot tell apart, with the reason.
    zero : tuple of str
        Terms whose variance is estimated as 0.
    note : str or None
    """

    method: str
    means: tuple[tuple[Estimate, ...], ...]
    shifts: tuple[Estimate, ...]
    by_system: tuple[tuple[Estimate, ...], ...]
    shift_test: JointTest
    system_test: JointTest
    n_raters: tuple[int, ...]
    sd: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    zero: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Given:
    """The ratings that have a value, and the systems that were rated in every wording."""

    values: Floats
    wording: Codes
    system: Codes
    item: Codes
    rater: Codes
    n_wordings: int
    n_systems: int
    confidence: float

    @property
    def everywhere(self) -> Codes:
        """The codes of the systems that were rated in every wording."""
        rated_cells = np.zeros((self.n_wordings, self.n_systems), dtype=bool)
        rated_cells[self.wording, self.system] = True
        return np.flatnonzero(rated_cells.all(axis=0))

    @property
    def n_raters(self) -> tuple[int, ...]:
        """The number of raters of each wording."""
        return tuple(len(np.unique(self.rater[self.wording == code])) for code in range(self.n_wordings))

    def counts(self, *wordings: int, system: int | None = None) -> dict[str, int]:
        """Return the numbers of ratings, items and raters of some wordings, of one system or all."""
        mask = np.isin(self.wording, wordings) & (True if system is None else self.system == system)
        return {
            "n_ratings": int(np.count_nonzero(mask)),
            "n_items": len(np.unique(self.item[mask])),
            "n_raters": len(np.unique(self.rater[mask])),
        }


def compare_wordings(
    values: ArrayLike,
    wordings: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_wordings: int,
    n_systems: int,
    confidence: float,
) -> WordingComparison:
    """Compare the wordings of a question, each of which some of the raters read.

    The model is value ~ wording:system + (1|item) + (1|text) + (1|text:wording) + (1|rater) + (1|rater:system), where a
    text is what a system wrote for an item; estimated by REML, with Satterthwaite's degrees of freedom for single
    differences and those of Fai and Cornelius [1]_ for several. Terms that the design cannot tell apart are left out.
    Beyond the limits of the model, the means of raters are compared by Welch's t test, after texts are taken out.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        On one scale, whatever the screen showed. NaN = not rated.
    wordings, systems : array_like of int, shape (n,)
        Codes below `n_wordings` and `n_systems`; wording 0 is what the others are compared with.
    items, raters : array_like of int, shape (n,)
        Codes from 0. A rater belongs to one wording.
    n_wordings, n_systems : int
    confidence : float

    Returns
    -------
    WordingComparison

    Raises
    ------
    ValueError
        Wrong shapes or codes, fewer than two wordings, a rater who read two of them, or a wrong confidence.

    References
    ----------
    .. [1] A. H.-T. Fai and P. L. Cornelius (1996). Approximate F-tests of multiple degree of freedom hypotheses in
       generalized least squares analyses of unbalanced split-plot experiments. Journal of Statistical Computation and
       Simulation 54(4), 363-378.

    Examples
    --------
    >>> found = compare_wordings(
    ...     [3, 4, 2, 4, 3, 3] + [4, 5, 5, 5, 4, 6], [0] * 6 + [1] * 6, [0, 1] * 6, [0] * 12,
    ...     [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], n_wordings=2, n_systems=2, confidence=0.95,
    ... )
    >>> round(found.shifts[0].value, 3), round(found.shifts[0].p, 3), round(found.by_system[0][1].value, 3)
    (1.667, 0.001, 0.0)
    """
    check_settings(0, confidence)
    if n_wordings < 2:
        raise ValueError("A comparison takes at least two wordings.")
    every = checked_values(values)
    checked_codes(wordings, every.size, below=n_wordings)
    checked_codes(systems, every.size, below=n_systems)
    numbers, (wording, system, item, rater) = rated(every, wordings, systems, items, raters)
    if numbers.size and int(combined(rater, wording).max()) > int(compressed(rater)[1].max()):
        raise ValueError("A rater read two wordings.")
    given = _Given(numbers, wording, system, item, rater, n_wordings, n_systems, float(confidence))
    if not given.everywhere.size:
        return _described(given, note=NOT_READ if 0 in given.n_raters else NO_SYSTEM)
    crossed = design(
        numbers,
        wording * n_systems + system,
        combined(item, system),
        compressed(rater)[1],
        compressed(item)[1],
    )
    cells = crossed.system
    means = np.bincount(cells, numbers) / np.bincount(cells)
    if np.ptp(numbers - means[cells]) <= 1e-12 * np.abs(numbers).max(initial=1.0):
        return _described(given, note=NO_SPREAD)
    places = layout(crossed)
    if places.n_columns > MOST_COLUMNS or places.n_entries > MOST_ENTRIES or places.work > MOST_WORK:
        return _by_rater_means(given, _BEYOND)
    fit = fitted(crossed, places)
    return _by_model(given, crossed, fit) if fit.converged else _by_rater_means(given, _NOT_FITTED)


def _contrasts(given: _Given) -> tuple[list[Floats], list[list[Floats | None]]]:
    """Return the weights of cells (wordings by systems) in each shift, and in the gain of each system beyond it."""
    shape, systems = (given.n_wordings, given.n_systems), given.everywhere
    shifts: list[Floats] = []
    gains: list[list[Floats | None]] = []
    for wording in range(1, given.n_wordings):
        shift = np.zeros(shape)
        share = 1 / max(1, systems.size)
        shift[wording, systems], shift[0, systems] = share, -share
        shifts.append(shift.ravel())
        of_systems: list[Floats | None] = []
        for system in range(given.n_systems):
            if system not in systems or systems.size < 2:
                of_systems.append(None)
                continue
            own = np.zeros(shape)
            own[wording, system], own[0, system] = 1.0, -1.0
            of_systems.append((own - shift).ravel())
        gains.append(of_systems)
    return shifts, gains


@dataclass(frozen=True, slots=True)
class _Model:
    """A fit with the codes of its cells, and the most degrees of freedom of differences between and within raters."""

    given: _Given
    fit: Fit
    cells: Codes
    between: int | None
    within: int | None

    def estimate(self, weights: Floats, most: int | None, counts: dict[str, int], tested: float | None) -> Estimate:
        """Return a weighted sum of cells with its interval, and its test against a value."""
        value, se, df = self.fit.contrast(weights[self.cells], most)
        return estimate(value, se, df, self.given.confidence, counts, tested=tested)

    def joint(self, rows: Sequence[Floats], most: int | None) -> JointTest:
        """Return the F test that several weighted sums of cells are all 0, with Fai and Cornelius's degrees."""
        from scipy.special import fdtrc  # noqa: PLC0415  lazy import: web processes never need it

        matrix = np.array([row[self.cells] for row in rows])
        covariance = matrix @ self.fit.covariance @ matrix.T
        roots, vectors = np.linalg.eigh(covariance)
        kept = roots > 1e-9 * roots.max()
        q = int(np.count_nonzero(kept))
        lines = vectors[:, kept].T @ matrix
        squares, freedoms = 0.0, []
        for line in lines:
            value, se, df = self.fit.contrast(line, most)
            squares += (value / se) ** 2
            freedoms.append(df)
        df_error = _df_of_several(np.array(freedoms))
        f = squares / q
        return JointTest(float(fdtrc(q, df_error, f)), f, float(q), df_error)


def _df_of_several(freedoms: Floats) -> float:
    """Return the denominator degrees of freedom of a sum of squares of independent t variables."""
    q = freedoms.size
    if np.ptp(freedoms) < 1e-8 * freedoms.max():
        return float(freedoms.mean())
    if (freedoms <= 2).any():
        return 2.0
    expected = float((freedoms / (freedoms - 2)).sum())
    return 2 * expected / (expected - q)


def _by_model(given: _Given, crossed: Design, fit: Fit) -> WordingComparison:
    cells = np.unique(given.wording * given.n_systems + given.system)
    variances = dict(zip(fit.names, fit.variances.tolist(), strict=True))
    zero = tuple(name for name, variance in variances.items() if variance == 0)
    model = _Model(given, fit, cells, *_cautious(given, crossed, zero))
    shifts, gains = _contrasts(given)
    enough = [number >= FEWEST_RATERS for number in given.n_raters]
    shape = (given.n_wordings, given.n_systems)
    means = []
    for wording in range(given.n_wordings):
        row = []
        for system in range(given.n_systems):
            weights, numbers = np.zeros(shape), given.counts(wording, system=system)
            weights[wording, system] = 1.0
            if not numbers["n_ratings"]:
                row.append(Estimate(None, note=NOT_READ, **numbers))
                continue
            found = model.estimate(weights.ravel(), model.between, numbers, None)
            row.append(found if enough[wording] else _untested(found))
        means.append(tuple(row))

    def tested(weights: Floats, wording: int, most: int | None, system: int | None = None) -> Estimate:
        found = model.estimate(weights, most, given.counts(0, wording, system=system), 0.0)
        return found if enough[0] and enough[wording] else _untested(found)

    by_system = [
        tuple(
            Estimate(None, note=ONE_SYSTEM) if row is None else tested(row, wording, model.within, system)
            for system, row in enumerate(of_systems)
        )
        for wording, of_systems in enumerate(gains, start=1)
    ]
    rows = [row for of_systems in gains for row in of_systems if row is not None]
    return WordingComparison(
        MIXED_MODEL,
        tuple(means),
        tuple(tested(row, wording, model.between) for wording, row in enumerate(shifts, start=1)),
        tuple(by_system),
        model.joint(shifts, model.between) if all(enough) else JointTest(None, note=TOO_FEW),
        _no_test(given) if not rows or not all(enough) else model.joint(rows, model.within),
        given.n_raters,
        sd={name: variance**0.5 for name, variance in variances.items()} | {"residual": fit.residual**0.5},
        left_out={name: reason for name, reason in crossed.left_out.items() if name != "cluster_system"},
        zero=zero,
        note=None if all(enough) else TOO_FEW,
    )


def _no_test(given: _Given) -> JointTest:
    few = min(given.n_raters) < FEWEST_RATERS
    return JointTest(None, note=TOO_FEW if few else ONE_SYSTEM)


def _cautious(given: _Given, crossed: Design, zero: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the most degrees of freedom between and within raters, where few agree by accident; None for no limit."""
    n_raters, n_systems = sum(given.n_raters), given.everywhere.size
    between: list[int] = []
    within: list[int] = []
    if min(given.n_raters) < _ENOUGH:
        own = max(1, n_raters - given.n_wordings)
        if "rater" in zero:
            between.append(_CAUTION * own)
        if "rater_system" in zero:
            within.append(_CAUTION * own * max(1, n_systems - 1))
        elif "rater_system" not in crossed.groups and "rater" in zero:
            within.append(_CAUTION * own)
    n_items = len(np.unique(given.item))
    if n_items < _ENOUGH and "system_item" in zero:
        of_items = _CAUTION * max(1, n_items - 1) * (given.n_wordings - 1)
        between.append(of_items)
        within.append(of_items * max(1, n_systems - 1))
    return min(between, default=None), min(within, default=None)


def _untested(found: Estimate) -> Estimate:
    return replace(found, low=None, high=None, se=None, df=None, p=None, note=joined(TOO_FEW, found.note))


def _described(given: _Given, note: str) -> WordingComparison:
    """Return the means alone, where nothing can be tested."""
    means = []
    for wording in range(given.n_wordings):
        row = []
        for system in range(given.n_systems):
            mask = (given.wording == wording) & (given.system == system)
            value = float(given.values[mask].mean()) if mask.any() else None
            row.append(Estimate(value, note=note if mask.any() else NOT_READ, **given.counts(wording, system=system)))
        means.append(tuple(row))
    none = JointTest(None, note=note)
    cells = np.array([[np.nan if one.value is None else one.value for one in row] for row in means]).ravel()
    shifts, gains = _contrasts(given)

    def described(row: Floats | None) -> Estimate:
        if row is None or not given.everywhere.size:
            return Estimate(None, note=note)
        return Estimate(float(row[row != 0] @ cells[row != 0]), note=note)

    return WordingComparison(
        MIXED_MODEL,
        tuple(means),
        tuple(map(described, shifts)),
        tuple(tuple(map(described, of_systems)) for of_systems in gains),
        none,
        none,
        given.n_raters,
        note=note,
    )


def _by_rater_means(given: _Given, reason: str) -> WordingComparison:
    """Compare the means of raters by Welch's t test, each rater's texts taken out; each rater counts alike."""
    from analytics_app.stats.comparison.corrections import adjust  # noqa: PLC0415

    cleared = given.values - _texts(given)
    raters, rater = compressed(given.rater)
    n = np.zeros((raters.size, given.n_systems))
    sums = np.zeros_like(n)
    np.add.at(n, (rater, given.system), 1)
    np.add.at(sums, (rater, given.system), cleared)
    with np.errstate(invalid="ignore"):
        own = sums / n
    wording = np.zeros(raters.size, dtype=np.intp)
    wording[rater] = given.wording
    plain = _described(given, note=joined(reason, _INSTEAD) or "")
    usual = own[:, given.everywhere].mean(axis=1)

    def compared(values: Floats, code: int) -> Estimate:
        return difference_of_means(values[wording == code], values[wording == 0], confidence=given.confidence).estimate

    shifts = tuple(compared(usual, code) for code in range(1, given.n_wordings))
    by_system = tuple(
        tuple(
            compared(own[:, system] - usual, code)
            if system in given.everywhere and given.everywhere.size > 1
            else Estimate(None, note=ONE_SYSTEM)
            for system in range(given.n_systems)
        )
        for code in range(1, given.n_wordings)
    )
    joint = [
        JointTest(min((p for p in adjust([one.p for one in tests], "holm") if p is not None), default=None))
        for tests in (shifts, [one for row in by_system for one in row])
    ]
    return replace(
        plain, method=RATER_MEANS, shifts=shifts, by_system=by_system, shift_test=joint[0], system_test=joint[1]
    )


def _texts(given: _Given) -> Floats:
    """Return the effect of the text of each rating, in a model of texts and of systems by wording alone."""
    text = combined(given.item, given.system)
    cell = compressed(given.wording * given.n_systems + given.system)[1]
    n_text, n_cell = np.bincount(text), np.bincount(cell)
    effect = np.zeros(n_text.size)
    for _round in range(_ROUNDS):
        means = np.bincount(cell, given.values - effect[text]) / n_cell
        after = np.bincount(text, given.values - means[cell]) / n_text
        settled = np.abs(after - effect).max() <= _SETTLED * np.abs(given.values).max()
        effect = after
        if settled:
            break
    return effect[text]
