"""How far standard deviations from a small earlier study can be trusted as assumptions for planning."""

from collections.abc import Collection, Mapping
from math import sqrt

# An estimate below this share of the residual standard deviation counts as 0.
NONE_BELOW = 0.01


def largest_not_ruled_out(residual: float, *, df: int, per_level: float, confidence: float = 0.95) -> float:
    """Return the largest standard deviation that data still allow where it is estimated as 0.

    Of an effect that does not exist the mean square has the expectation of the residual's, s2; of an effect with
    variance v it is s2 + n v, with n ratings of each level of the effect. An estimate of 0 means that the mean square
    is at most s2, so that the one-sided upper limit of v is s2 (df / chi2(1 - confidence, df) - 1) / n [1]_.

    Parameters
    ----------
    residual : float
        Residual standard deviation, above 0.
    df : int
        Degrees of freedom of the effect, at least 1, such as raters - 1.
    per_level : float
        Ratings of each level of the effect on average, above 0, such as ratings of each rater.
    confidence : float
        Of the one-sided limit.

    Returns
    -------
    float
        In units of the scale.

    Raises
    ------
    ValueError
        Fewer than one degree of freedom, or no ratings of a level.

    References
    ----------
    .. [1] R. K. Burdick and F. A. Graybill (1992). Confidence intervals on variance components. Marcel Dekker,
       chapter 3: the interval of a component in a balanced design, here with the mean square equal to the residual's.

    Examples
    --------
    >>> round(largest_not_ruled_out(0.8, df=9, per_level=6), 3)
    0.427
    """
    from scipy.stats import chi2  # noqa: PLC0415  lazy import: scipy loads slowly

    if df < 1 or per_level <= 0:
        raise ValueError("It takes a degree of freedom, and ratings of each level.")
    return residual * sqrt((df / float(chi2.ppf(1 - confidence, df)) - 1) / per_level)


def largest_of_zero(residual: float, *, levels: int, ratings: int, systems: int = 1) -> float | None:
    """Return the largest standard deviation still allowed for a component that an earlier study estimates as 0.

    Parameters
    ----------
    residual : float
        Residual standard deviation of the earlier study.
    levels : int
        Raters or items of the earlier study.
    ratings : int
        All ratings of the earlier study.
    systems : int
        Systems, for a component by system, which is within raters or items: of S systems, S - 1 differences of each.

    Returns
    -------
    float or None
        In units of the scale; None where the counts allow no limit.

    Examples
    --------
    >>> round(largest_of_zero(0.8, levels=10, ratings=60), 3)
    0.427
    >>> largest_of_zero(0.8, levels=1, ratings=60) is None
    True
    """
    df = (levels - 1) * max(1, systems - 1)
    if not residual or df <= 0 or ratings <= 0:
        return None
    return largest_not_ruled_out(residual, df=df, per_level=ratings / (levels * systems))


def shares_of_variance(
    spreads: Mapping[str, float], parts: Mapping[str, Collection[str]], *, most_together: float
) -> dict[str, float]:
    """Return the share of the variance that each part of it has, so that all parts together have at most a given share.

    Parameters
    ----------
    spreads : mapping of str to float
        Standard deviations of the terms of a model, the residual among them.
    parts : mapping of str to collection of str
        Terms that each part is the sum of. A term that the model leaves out counts as 0.
    most_together : float
        Largest share of all parts together, above 0.

    Returns
    -------
    dict of str to float
        Rounded to four decimals; 0 where nothing varies.

    Examples
    --------
    >>> shares_of_variance({"item": 3, "residual": 4}, {"between_items": ["item"]}, most_together=0.99)
    {'between_items': 0.36}
    """
    squares = {name: sd**2 for name, sd in spreads.items()}
    variances = {name: sum(squares.get(term, 0.0) for term in terms) for name, terms in parts.items()}
    total = max(sum(squares.values()), sum(variances.values()) / most_together)
    return {name: round(variance / total, 4) if total else 0.0 for name, variance in variances.items()}


def reach_of_sd(levels: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the ends of the interval of a standard deviation between so many levels, as multiples of its estimate.

    It is the interval of a normal sample's standard deviation: ratings add noise, so that an estimated component is
    known less well.

    Parameters
    ----------
    levels : int
        Raters or items, at least 2.
    confidence : float

    Returns
    -------
    tuple of float
        Below 1, and above 1.

    Examples
    --------
    >>> [round(end, 2) for end in reach_of_sd(10)]
    [0.69, 1.83]
    """
    from scipy.stats import chi2  # noqa: PLC0415  lazy import: scipy loads slowly

    df, tail = levels - 1, (1 - confidence) / 2
    return sqrt(df / float(chi2.ppf(1 - tail, df))), sqrt(df / float(chi2.ppf(tail, df)))
