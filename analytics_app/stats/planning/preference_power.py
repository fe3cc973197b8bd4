"""Power for a share of wins between two systems, for further raters and further items."""

from dataclasses import dataclass

from analytics_app.stats.planning.power import ITEMS, RATERS, RATINGS, Spread, spread_of_mean, t_power
from analytics_app.stats.planning.sign_power import check_shares


@dataclass(frozen=True, slots=True)
class AssumedShares:
    """Assumptions about a study that asks raters which of two texts is better.

    A preference is 1 (a win), 0 (a loss) or one half (a tie). Of its variance one part is between items, one between
    raters, and the rest within one rater's answers.

    Parameters
    ----------
    wins : float
        Share of the preferences that are not ties in which the first system wins.
    ties : float
        Share of ties, below 1.
    raters_per_item, raters : int
        Raters of each item; raters in all, at least 2, who share the items evenly.
    between_items, between_raters : float
        Shares of the variance of a preference, together below 1.

    Raises
    ------
    ValueError
        A share out of range, fewer than two raters, or more raters of an item than there are.
    """

    wins: float
    ties: float = 0.0
    raters_per_item: int = 3
    raters: int = 30
    between_items: float = 0.2
    between_raters: float = 0.05

    def __post_init__(self) -> None:
        check_shares(self.wins, self.ties)
        if min(self.between_items, self.between_raters) < 0 or self.between_items + self.between_raters >= 1:
            raise ValueError("Shares of the variance are at least 0, and together below 1.")
        if self.raters_per_item < 1 or self.raters < max(2, self.raters_per_item):
            raise ValueError("It takes a rater of each item, two raters, and at least as many as each item is to have.")

    @property
    def share(self) -> float:
        """The share of wins, ties counted as one half."""
        return (1 - self.ties) * self.wins + self.ties / 2

    @property
    def variance(self) -> float:
        """The variance of a single preference."""
        return max(0.0, (1 - self.ties) * self.wins + self.ties / 4 - self.share**2)


def spread_of_share(assumed: AssumedShares, n_items: int) -> Spread:
    """Return the standard error of a share of wins when raters and items are both random.

    With I items, k raters of each item and R raters in all the squared standard error is
    s2_item / I + s2_rater / R + s2_residual / (I k) [1]_: that of the mean in the model preference ~ 1 + (1|item) +
    (1|rater). Where there are more raters than preferences, I k takes the place of R.

    Parameters
    ----------
    assumed : AssumedShares
    n_items : int
        At least 2; each gives the raters a pair of texts.

    Returns
    -------
    Spread
        `difference` is the share of wins (ties count as one half) less one half.

    Raises
    ------
    ValueError
        Fewer than two items.

    References
    ----------
    .. [1] J. Westfall, D. A. Kenny and C. M. Judd (2014). Statistical power and optimal design in experiments in which
       samples of participants respond to samples of stimuli. Journal of Experimental Psychology: General 143(5),
       2020-2045. Here for one mean, so that the effects of items and raters do not cancel.

    Examples
    --------
    >>> alone = AssumedShares(0.6, raters_per_item=1, raters=100, between_items=0, between_raters=0)
    >>> found = spread_of_share(alone, 100)
    >>> round(found.difference, 2), round(found.se, 4)
    (0.1, 0.049)
    """
    if n_items < 2:
        raise ValueError("It takes at least two items to generalise to further items.")
    ratings, total = n_items * assumed.raters_per_item, assumed.variance
    within = 1 - assumed.between_items - assumed.between_raters
    variances = {
        ITEMS: total * assumed.between_items, RATERS: total * assumed.between_raters, RATINGS: total * within,
    }  # fmt: skip
    return spread_of_mean(assumed.share - 0.5, variances, n_items, assumed.raters, ratings)


def power_of_share(assumed: AssumedShares, n_items: int, *, alpha: float) -> float:
    """Return the power of the test of a share of wins against one half, for further raters and further items.

    The share less one half over its standard error has a noncentral t distribution with Satterthwaite's degrees of
    freedom.

    Parameters
    ----------
    assumed : AssumedShares
    n_items : int
        At least 2.
    alpha : float
        Two-sided; divide it by the number of pairs of systems to allow for all of them (Bonferroni).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Alpha out of range, or fewer than two items.

    Examples
    --------
    >>> round(power_of_share(AssumedShares(0.6), 200, alpha=0.05), 3)
    0.892
    >>> round(power_of_share(AssumedShares(0.6, raters=6, between_raters=0.1), 200, alpha=0.05), 3)
    0.237
    """
    return t_power(spread_of_share(assumed, n_items), alpha)
