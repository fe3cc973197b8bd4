"""Power before a study: of differences of means by simulation, and of one t test in closed form."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd, isnan, sqrt

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.values import Estimate, Floats

# Numbers (ratings, differences of item means) computed at once, and in all: 2**25 take about a second.
_CHUNK, MOST_DRAWS = 2**20, 2**25
# With fewer simulated studies the power would be too uncertain.
FEWEST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions about a study that compares systems on the means of their items.

    A rating is difference + item + system x item + rater + residual, all normal and independent.

    Parameters
    ----------
    difference : float
        Difference between the first system and all others, which are equal, in units of the scale.
    systems, raters_per_text, raters : int
        Systems compared; raters of each text; raters in all, who share the texts evenly.
    sd_item, sd_system_item, sd_rater, sd_residual : float
        Standard deviations.
    same_raters : bool
        Whether the raters of an item judge the texts of all its systems, as side by side: their leniency cancels.
    steps : int
        Steps of the scale to which ratings are rounded and cut, 0 for none.
    middle : float
        Mean rating of the equal systems, as a step from 1; only with steps.
    """

    difference: float
    systems: int = 2
    raters_per_text: int = 3
    raters: int = 30
    sd_item: float = 0.0
    sd_system_item: float = 0.3
    sd_rater: float = 0.0
    sd_residual: float = 0.8
    same_raters: bool = False
    steps: int = 0
    middle: float = 3.0

    def __post_init__(self) -> None:
        spreads = (self.sd_item, self.sd_system_item, self.sd_rater, self.sd_residual)
        if not all(np.isfinite(sd) and sd >= 0 for sd in spreads) or not np.isfinite(self.difference):
            raise ValueError("Standard deviations are at least 0, and the difference is a number.")
        if not any(spreads[1:]):
            raise ValueError("Something must vary: the system x item, rater or residual standard deviation.")
        if self.systems < 2 or self.raters_per_text < 1 or self.raters < self.raters_per_text or self.steps < 0:
            raise ValueError("It takes two systems, and at least as many raters as each text is to have.")


@dataclass(frozen=True, slots=True)
class Power:
    """Power at one number of items: of the test of one pair of systems, and after Holm over all pairs."""

    n_items: int
    single: Estimate
    adjusted: Estimate


def power_of_means(
    assumed: Assumed, n_items: Sequence[int], *, alpha: float, n_runs: int = 2000, rng: np.random.Generator
) -> list[Power]:
    """Power of paired t tests on item means, by simulated studies [1]_.

    All numbers of items use the same simulated studies, the smaller ones as parts of the largest, so that
    they can be compared. `adjusted` is the power for the first pair with Holm's correction over all pairs.

    Parameters
    ----------
    assumed : Assumed
    n_items : sequence of int
        Each at least 2.
    alpha : float
    n_runs : int
        Simulated studies; fewer are run if they would take much longer than a second.
    rng : numpy.random.Generator

    Returns
    -------
    list of Power
        In the order of `n_items`. `se` is the Monte-Carlo error, `low` and `high` two of it, within 0 and 1.

    References
    ----------
    .. [1] D. Card et al. (2020). With little power comes great responsibility. EMNLP, 9263-9274.

    Examples
    --------
    >>> found = power_of_means(Assumed(0.2), [100], alpha=0.05, rng=np.random.default_rng(1))
    >>> abs(found[0].single.value - 0.72) < 0.03
    True
    """
    sizes = list(n_items)
    if not sizes or min(sizes) < 2:
        raise ValueError("A test of means takes at least two items.")
    if not 0 < alpha < 1:
        raise ValueError(f"Alpha is between 0 and 1, not {alpha}.")
    runs = runs_within(assumed, max(sizes), n_runs)
    ratings = max(sizes) * _of_an_item(assumed)
    hits = np.zeros((2, len(sizes)))
    n_done = 0
    while n_done < runs:
        n_studies = min(runs - n_done, max(1, _CHUNK // ratings))
        p = _p_values(_item_means(assumed, max(sizes), n_studies, rng), sizes)
        hits[0] += (p[:, :, 0] <= alpha).sum(axis=0)
        hits[1] += (_holm_of_first(p) <= alpha).sum(axis=0)
        n_done += n_studies
    return [
        Power(size, *(share_of_runs(float(hits[i_test, i]), runs) for i_test in range(2)))
        for i, size in enumerate(sizes)
    ]


def runs_within(assumed: Assumed, n_items: int, n_runs: int) -> int:
    """Return how many studies are simulated: `n_runs`, or fewer so that the limit of numbers is kept.

    Raises
    ------
    ValueError
        Fewer than a hundred studies are possible.
    """
    if n_runs < FEWEST_RUNS:
        raise ValueError(f"There are at least {FEWEST_RUNS} runs, not {n_runs}.")
    most = MOST_DRAWS // (n_items * _of_an_item(assumed))
    if most < FEWEST_RUNS:
        raise ValueError("The study is too large to be simulated here: take fewer items, systems or raters of a text.")
    return min(n_runs, most)


def _of_an_item(assumed: Assumed) -> int:
    """Return how many numbers an item of a simulated study takes: its ratings, and a difference per pair of systems."""
    return assumed.systems * assumed.raters_per_text + 2 * assumed.systems * (assumed.systems - 1) // 2


def share_of_runs(hits: float, runs: int) -> Estimate:
    """Return a share of simulated studies with its Monte-Carlo error and limits at two errors (Wilson).

    Examples
    --------
    >>> power = share_of_runs(1600, 2000)
    >>> power.value, round(power.low, 3), round(power.high, 3)
    (0.8, 0.782, 0.817)
    """
    share = hits / runs
    # Wilson's interval at two standard errors, which keeps a width where all runs agree.
    middle, half_width = (hits + 2) / (runs + 4), 2 * sqrt(share * (1 - share) * runs + 1) / (runs + 4)
    se = sqrt(share * (1 - share) / runs)
    return Estimate(share, low=max(0.0, middle - half_width), high=min(1.0, middle + half_width), se=se)


def _item_means(assumed: Assumed, n: int, runs: int, rng: np.random.Generator) -> Floats:
    """Simulate studies; return the mean of every text, shape (runs, n, systems)."""
    k, systems = assumed.raters_per_text, assumed.systems
    text = rng.standard_normal((runs, n, systems)) * assumed.sd_system_item
    text += assumed.sd_item * rng.standard_normal((runs, n, 1))
    text[:, :, 0] += assumed.difference
    ratings = rng.standard_normal((runs, n, systems, k)) * assumed.sd_residual
    ratings += text[..., np.newaxis]
    if assumed.sd_rater:
        rater = rng.standard_normal((runs, assumed.raters)) * assumed.sd_rater
        ratings += rater[:, _raters_of_texts(assumed, n)]
    if assumed.steps:
        ratings += assumed.middle
        np.clip(np.rint(ratings, out=ratings), 1, assumed.steps, out=ratings)
    means: Floats = ratings.mean(axis=3)
    return means


def _raters_of_texts(assumed: Assumed, n: int) -> NDArray[np.intp]:
    """Return the raters of each text, shape (n, systems, k): in turn, k different raters per text.

    The raters of an item change systems at each turn, as in balanced designs, so that leniency
    is not mistaken for a difference between systems.
    """
    k, systems = assumed.raters_per_text, assumed.systems
    item = np.arange(n, dtype=np.intp)[:, np.newaxis, np.newaxis]
    system = np.arange(systems, dtype=np.intp)[np.newaxis, :, np.newaxis]
    slot = np.arange(k, dtype=np.intp)
    if assumed.same_raters:
        return np.broadcast_to((item * k + slot) % assumed.raters, (n, systems, k))
    # The number of items after which the same raters are in the same positions again.
    period = assumed.raters // gcd(systems * k, assumed.raters)
    place = (system + item // period) % systems
    return (item * systems * k + place * k + slot) % assumed.raters


def _p_values(means: Floats, sizes: Sequence[int]) -> Floats:
    """Return two-sided p of the paired t test of every pair, shape (runs, sizes, pairs); 1 where nothing varies."""
    from scipy.special import stdtr  # noqa: PLC0415  lazy import: scipy loads slowly

    pairs = list(combinations(range(means.shape[2]), 2))
    p = np.ones((len(means), len(sizes), len(pairs)))
    ends = np.array(sizes) - 1
    n = np.array(sizes, dtype=float)
    for column, (a, b) in enumerate(pairs):
        differences = means[:, :, a] - means[:, :, b]
        mean = np.cumsum(differences, axis=1)[:, ends] / n
        squares = np.cumsum(differences**2, axis=1)[:, ends] - n * mean**2
        varies = squares > 1e-12 * n
        se = np.sqrt(np.where(varies, squares, 1) / (n - 1) / n)
        p[:, :, column] = np.where(varies, 2 * stdtr(n - 1, -np.abs(mean) / se), np.where(mean == 0, 1.0, 0.0))
    return p


def _holm_of_first(p: Floats) -> Floats:
    """Return Holm's adjusted p of the first pair, shape (runs, sizes)."""
    m = p.shape[2]
    order = np.argsort(p, axis=2, kind="stable")
    scaled = np.take_along_axis(p, order, axis=2) * (m - np.arange(m))
    adjusted = np.minimum(np.maximum.accumulate(scaled, axis=2), 1)
    place = np.argmax(order == 0, axis=2)
    p_first: Floats = np.take_along_axis(adjusted, place[..., np.newaxis], axis=2)[..., 0]
    return p_first


def power_of_t(assumed: Assumed, n_items: int, *, alpha: float) -> float:
    """Power of one paired t test in closed form: without rounding, and with raters who cancel or are new each time.

    The difference over sqrt(2 (s2_system_item + (s2_residual + s2_rater)/k)) has a noncentral t; rater variance counts
    as residual unless the same raters judge both.

    Examples
    --------
    >>> round(power_of_t(Assumed(0.2), 100, alpha=0.05), 4)
    0.72
    """
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415

    if n_items < 2 or not 0 < alpha < 1:
        raise ValueError("The test takes two items, and alpha between 0 and 1.")
    noise = assumed.sd_residual**2 + (0 if assumed.same_raters else assumed.sd_rater**2)
    spread = sqrt(2 * (assumed.sd_system_item**2 + noise / assumed.raters_per_text))
    df, shift = n_items - 1, abs(assumed.difference) / spread * sqrt(n_items)
    limit = float(stdtrit(df, 1 - alpha / 2))
    missed, against = (float(nctdtr(df, shift, end)) for end in (limit, -limit))
    # scipy has no number for some tails below about 1e-15; against: a significant difference in the wrong direction.
    return 1 - (0.0 if isnan(missed) else missed) + (0.0 if isnan(against) else against)
