"""Results of comparisons in which raters and items are both random."""

from dataclasses import dataclass, field

from analytics_app.stats.values import Estimate

MIXED_MODEL = "mixed model"
ROBUST = "two-way robust"

# The terms of the model, in the order in which they are shown. "cluster" and "cluster_system" are there where items
# belong to documents.
TERMS = ("item", "system_item", "rater", "rater_system", "cluster", "cluster_system", "residual")


@dataclass(frozen=True, slots=True)
class CrossedPair:
    """System a against system b, for further raters and further items.

    Parameters
    ----------
    a, b : int
        System codes.
    difference : Estimate
        Mean of a minus mean of b, with interval, `se`, `df` and two-sided `p`; `n_items` and `n_raters` count those
        who have ratings of both systems. For preferences `value` is the share of wins of a over b, and p tests .5.
    effect_size : float or None
        Difference over the standard deviation of a single rating (the root of the sum of all variances of the model).
        None for the robust method and where nothing varies.
    """

    a: int
    b: int
    difference: Estimate
    effect_size: float | None = None


@dataclass(frozen=True, slots=True)
class CrossedComparison:
    """All systems and pairs of a comparison.

    Parameters
    ----------
    method : str
        "mixed model" or "two-way robust".
    means : tuple of Estimate
        Mean of each system, by code; for the mixed model the marginal mean (every item and rater counts alike).
    pairs : tuple of CrossedPair
        In the order asked for.
    sd : dict of str to Estimate
        Standard deviation of each term of `TERMS` that the model has, in units of the scale. Empty for the robust
        method.
    left_out : dict of str to str
        Terms that the design cannot tell apart from others, each with a sentence that says why.
    zero : tuple of str
        Terms of the model whose variance is estimated as 0.
    df_rule : str
        Sentence that says how the degrees of freedom were found.
    note : str or None
        Why the robust method took the place of the model, and other remarks on the whole comparison.
    """

    method: str
    means: tuple[Estimate, ...]
    pairs: tuple[CrossedPair, ...]
    sd: dict[str, Estimate] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    zero: tuple[str, ...] = ()
    df_rule: str = ""
    note: str | None = None
