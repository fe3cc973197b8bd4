"""Confidence limits of standardised effect sizes, from the noncentral t distribution."""


def noncentral_limits(t: float, df: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """Limits of the noncentrality of a t statistic [1]_.

    An effect size that is t times a constant, such as d_z = t / sqrt(n), has these limits times that constant.

    Parameters
    ----------
    t : float
        Student's t as observed.
    df : float
        Degrees of freedom, above 0.
    confidence : float

    Returns
    -------
    low, high : float
        The noncentralities with which a t of at least, and of at most, the one observed has half the error
        probability.

    Raises
    ------
    ValueError
        A confidence that is not between 0 and 1, or no degrees of freedom.

    References
    ----------
    .. [1] J. H. Steiger and R. T. Fouladi (1997). Noncentrality interval estimation and the evaluation of statistical
       models. In: What if there were no significance tests? Erlbaum, 221-257.

    Examples
    --------
    >>> low, high = noncentral_limits(2.83, 126)
    >>> round(low, 3), round(high, 3)
    (0.834, 4.815)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    if df <= 0:
        raise ValueError(f"There must be degrees of freedom, not {df}.")
    # Lazy import: web processes import this module and never compute limits.
    from scipy.special import nctdtrinc  # noqa: PLC0415

    tail = (1 - confidence) / 2
    return float(nctdtrinc(df, 1 - tail, t)), float(nctdtrinc(df, tail, t))
