"""Expected width of the interval of Krippendorff's alpha for a number of texts and raters, by simulated studies."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from analytics_app.stats.values import Codes, Estimate, Floats

Level = Literal["nominal", "ordinal", "interval"]

# Ratings simulated at once, and in all: 2**24 ratings take about a second.
_CHUNK, MOST_DRAWS = 2**19, 2**23
FEWEST_RUNS = 100
# Points at which the latent quality of a text is integrated; errors are then below 1e-6.
_NODES = 64
_MOST_STEPS = 101


@dataclass(frozen=True, slots=True)
class Expected:
    """Agreement that is expected of raters, and their use of the scale.

    Parameters
    ----------
    alpha : float
        Krippendorff's alpha of the population, from 0 to below 1.
    level : str
    shares : sequence of float
        How often each step of the scale is used; they need not sum to 1.
    """

    alpha: float
    level: Level
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        shares = np.array(self.shares)
        if not 0 <= self.alpha < 1:
            raise ValueError(f"The alpha that is expected is from 0 to below 1, not {self.alpha}.")
        if self.level not in {"nominal", "ordinal", "interval"}:
            raise ValueError(f"There is no level {self.level!r}.")
        if not 2 <= shares.size <= _MOST_STEPS or not (shares > 0).all() or not np.isfinite(shares).all():
            raise ValueError(f"There are 2 to {_MOST_STEPS} steps, each used by somebody.")


def alpha_width(
    expected: Expected, n_texts: Sequence[int], k: int, *, confidence: float, n_runs: int, rng: np.random.Generator
) -> list[Estimate]:
    """Distribution of alpha for numbers of texts with k ratings each, from simulated studies.

    A nominal rating is the text's own label, or else a random label. On other scales a text has a normal quality, and a
    rating is this quality plus normal noise, cut into steps at the given shares; the share of noise is chosen so that
    alpha of the population is the expected alpha.

    Parameters
    ----------
    expected : Expected
    n_texts : sequence of int
        Each at least 2; all use the same simulated studies, so that they can be compared.
    k : int
        Ratings of a text, at least 2.
    n_runs : int
        Simulated studies; fewer if there would be more than 2**23 ratings in all.

    Returns
    -------
    list of Estimate
        Mean of alpha over the studies, `low` and `high` the percentiles between which it falls, `se` its standard
        deviation. Studies in which alpha is undefined are left out and counted in the note.

    References
    ----------
    .. [1] K. Krippendorff (2004). Content Analysis, 2nd ed. Sage, chapter 11.

    Examples
    --------
    >>> likert = Expected(0.5, "ordinal", (1, 1, 1, 1, 1))
    >>> found = alpha_width(likert, [100], 3, confidence=0.95, n_runs=400, rng=np.random.default_rng(1))[0]
    >>> abs(found.value - 0.5) < 0.02, found.low < 0.42 < 0.58 < found.high
    (True, True)
    """
    sizes = list(n_texts)
    if not sizes or min(sizes) < 2 or k < 2:
        raise ValueError("Agreement takes at least two texts with two ratings each.")
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    runs = runs_within(max(sizes), k, n_runs)
    draw = _drawn_nominal if expected.level == "nominal" else _drawn_ordered
    noise = sqrt(expected.alpha) if expected.level == "nominal" else _shared(expected)
    alphas = np.concatenate(
        [
            _alphas(draw(expected, noise, (n_studies, max(sizes), k), rng), sizes, expected)
            for n_studies in _in_parts(runs, max(1, _CHUNK // (max(sizes) * k)))
        ]
    )
    return [_summary(alphas[:, i], confidence) for i in range(len(sizes))]


def runs_within(n_texts: int, k: int, n_runs: int) -> int:
    """Return how many studies are simulated; ValueError if fewer than a hundred are possible."""
    most = MOST_DRAWS // (n_texts * k)
    if n_runs < FEWEST_RUNS or most < FEWEST_RUNS:
        raise ValueError("The study is too large to be simulated here: take fewer texts or raters of a text.")
    return min(n_runs, most)


def _in_parts(total: int, size: int) -> list[int]:
    return [min(size, total - begin) for begin in range(0, total, size)]


def _marginal(expected: Expected) -> Floats:
    shares = np.array(expected.shares, dtype=np.float64)
    probabilities: Floats = shares / shares.sum()
    return probabilities


def _drawn_nominal(expected: Expected, knows: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Floats:
    """Draw labels: raters agree beyond chance if both know the label, so alpha is the square of the share that know."""
    ends = np.cumsum(_marginal(expected))[:-1]
    own = np.searchsorted(ends, rng.random(shape[:2]), side="right")
    guessed = np.searchsorted(ends, rng.random(shape), side="right")
    return np.where(rng.random(shape) < knows, own[..., np.newaxis], guessed).astype(np.float64)


def _drawn_ordered(expected: Expected, shared: float, shape: tuple[int, int, int], rng: np.random.Generator) -> Floats:
    quality = rng.standard_normal(shape[:2])[..., np.newaxis] * sqrt(shared)
    perceived = rng.standard_normal(shape)
    perceived *= sqrt(1 - shared)
    perceived += quality
    return np.searchsorted(_cuts(expected), perceived, side="right").astype(np.float64)


def _cuts(expected: Expected) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415  lazy import: scipy loads slowly

    cuts: Floats = ndtri(np.cumsum(_marginal(expected))[:-1])
    return cuts


def _distances(expected: Expected) -> Floats:
    """Return Krippendorff's squared distances between steps, at the marginal shares of the population."""
    m = _marginal(expected)
    if expected.level == "nominal":
        unequal: Floats = 1 - np.eye(m.size)
        return unequal
    steps = np.arange(m.size, dtype=np.float64) if expected.level == "interval" else np.cumsum(m) - m / 2
    return np.subtract.outer(steps, steps) ** 2


def _shared(expected: Expected) -> float:
    """Return the share of the variance due to texts at which alpha of the population is the expected alpha."""
    from scipy.optimize import brentq  # noqa: PLC0415
    from scipy.special import ndtr  # noqa: PLC0415

    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    cuts, m, distances = _cuts(expected), _marginal(expected), _distances(expected)
    by_chance = float(m @ distances @ m)

    def alpha(shared: float) -> float:
        below = ndtr((cuts[np.newaxis, :] - nodes[:, np.newaxis] * sqrt(shared)) / sqrt(1 - shared))
        p = np.diff(below, axis=1, prepend=0.0, append=1.0)
        return 1 - float(np.einsum("t,ta,tb,ab->", weights, p, p, distances, optimize=True)) / by_chance

    if expected.alpha == 0:
        return 0.0
    most = 0.9999
    if alpha(most) < expected.alpha:
        raise ValueError("So high an alpha cannot be simulated with these steps.")
    return float(brentq(lambda shared: alpha(shared) - expected.alpha, 0.0, most, xtol=1e-6))


def _alphas(values: Floats, sizes: Sequence[int], expected: Expected) -> Floats:
    """Return alpha of each study and number of texts, shape (runs, sizes); NaN where undefined."""
    alpha_of = {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval}[expected.level]
    return np.column_stack([alpha_of(values[:, :size], len(expected.shares)) for size in sizes])


def _interval(values: Floats, _steps: int) -> Floats:
    """Compute alpha from moments: 1 minus the variance within texts over the variance of all ratings."""
    flat = values.reshape(len(values), -1)
    return _one_minus(values.var(axis=2, ddof=1).mean(axis=1), flat.var(axis=1, ddof=1))


def _ordinal(values: Floats, steps: int) -> Floats:
    """Compute alpha as on an interval scale, with each step at the mid-rank of its ratings in the study."""
    return _interval(np.take_along_axis(_middles(values, steps), _flat(values), axis=1).reshape(values.shape), steps)


def _nominal(values: Floats, steps: int) -> Floats:
    """Compute alpha from how often two ratings of a text, and of all texts, are the same."""
    _runs, texts, k = values.shape
    ordered = np.sort(values, axis=2)
    n_equal = sum((ordered[:, :, gap:] == ordered[:, :, :-gap]).sum(axis=(1, 2)) for gap in range(1, k))
    n = texts * k
    counts = _counts(values, steps)
    by_chance = 1 - (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    return _one_minus(1 - n_equal / (texts * k * (k - 1) / 2), by_chance)


def _flat(values: Floats) -> Codes:
    return values.reshape(len(values), -1).astype(np.intp)


def _counts(values: Floats, steps: int) -> Floats:
    """Return how often each step is used in each study, shape (runs, steps)."""
    codes = _flat(values)
    cells = codes + np.arange(len(codes), dtype=np.intp)[:, np.newaxis] * steps
    return np.bincount(cells.ravel(), minlength=len(codes) * steps).reshape(-1, steps).astype(np.float64)


def _middles(values: Floats, steps: int) -> Floats:
    """Return the mid-rank of each step, since the ordinal distance is that between mid-ranks, squared."""
    counts = _counts(values, steps)
    middles: Floats = np.cumsum(counts, axis=1) - counts / 2
    return middles


def _one_minus(observed: Floats, by_chance: Floats) -> Floats:
    ratio = np.full(len(observed), np.nan)
    np.divide(observed, by_chance, out=ratio, where=by_chance > 1e-12)
    return 1 - ratio


def _summary(alphas: Floats, confidence: float) -> Estimate:
    defined = alphas[~np.isnan(alphas)]
    if defined.size < 2:
        return Estimate(None, note="Raters will give the same value everywhere, so alpha will be undefined.")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    n_undefined = alphas.size - defined.size
    note = f"Alpha is undefined in {n_undefined} of {alphas.size} simulated studies." if n_undefined else None
    return Estimate(float(defined.mean()), low=float(low), high=float(high), se=float(defined.std(ddof=1)), note=note)
