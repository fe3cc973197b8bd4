"""How far standard deviations from a small earlier study can be trusted as assumptions for planning."""

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
