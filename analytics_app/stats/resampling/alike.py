"""Exact intervals of shares where all judgments agree, so that resamples have no width."""

from analytics_app.stats.resampling.bootstrap import ALL_ALIKE, Interval, tail_of

DEPENDENT = (
    "No interval: all judgments agree, so resamples give this value again and again, and an exact interval takes "
    "independent judgments: one for each unit that is drawn."
)
EXACT = (
    "All judgments agree, so resamples give no interval. This is Clopper and Pearson's exact one, which takes one "
    "judgment for each unit that is drawn."
)


def exact_if_all_alike(
    found: Interval, share: float, *, n_judgments: int, n_units: int, confidence: float
) -> tuple[Interval, bool]:
    """Return the interval of a share of judgments, and whether it is exact instead of the bootstrap's.

    Where all judgments agree, resamples have no width. If each unit that is drawn has one judgment, the judgments are
    independent of each other, and the limits are Clopper and Pearson's [1]_: of n wins of n, (alpha / 2)^(1 / n) to 1.
    Otherwise there is no interval, and the note says why.

    The limits also hold for the mean of values between 0 and 1, such as probabilities, that are all 0 or all 1: the
    share of units with another value has the same limits, and no such unit moves the mean by more than 1.

    Parameters
    ----------
    found : Interval
        The interval from resamples.
    share : float
        From 0 to 1.
    n_judgments, n_units : int
        Numbers of judgments, and of the units (items, documents or raters) that were drawn.
    confidence : float

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of
       the binomial. Biometrika 26(4), 404-413.

    Examples
    --------
    >>> alike = Interval(None, None, None, ALL_ALIKE)
    >>> limits, exact = exact_if_all_alike(alike, 1.0, n_judgments=12, n_units=12, confidence=0.95)
    >>> round(limits.low, 3), limits.high, exact
    (0.735, 1.0, True)
    """
    if found.note != ALL_ALIKE or share not in {0.0, 1.0}:
        return found, False
    if n_judgments != n_units:
        return Interval(None, None, None, DEPENDENT), False
    far = float(tail_of(confidence) ** (1 / n_units))
    low, high = (far, 1.0) if share else (0.0, 1 - far)
    return Interval(low, high, None, EXACT), True
