"""Why the interval of a pair and its test may differ."""

from django.utils.translation import gettext_noop

from analytics_app.results import CannotDiffer

AHEAD_ON_MORE = gettext_noop(
    "the test is significant although the interval includes %(even)s. The test counts on how many texts a system is "
    "ahead, the interval how often it is chosen."
)
COMPUTED_APART = gettext_noop(
    "the test is significant although the interval includes %(even)s: the two are computed in different ways, which "
    "shows with few texts."
)
FEW_DIFFER = gettext_noop(
    "the interval leaves out %(even)s, but the two differ on %(differing)s of %(units)s texts only, so p is at least "
    "%(p)s. The interval is rough with so few. Go by the test."
)
NONE_CAN = {
    CannotDiffer.UNITS: gettext_noop(
        "the interval leaves out %(even)s, but with so few texts no test of this family can be significant. Go by the "
        "test."
    ),
    CannotDiffer.DIFFERING: gettext_noop(
        "the interval leaves out %(even)s, but systems differ on so few texts that no test of this family can be "
        "significant. Go by the test."
    ),
    CannotDiffer.PERMUTATIONS: gettext_noop(
        "the interval leaves out %(even)s, but with so few permutations no test of this family can be significant. "
        "Compute the run again with more."
    ),
}
NONE_COULD = gettext_noop(
    "the interval leaves out %(even)s, but no test of this family can be significant. Go by the test."
)
ADJUSTED = gettext_noop(
    "the interval leaves out %(even)s, but the adjusted p is not significant. The interval is about one pair alone; p "
    "is adjusted for all %(n)s comparisons. Go by p."
)
NOT_SIGNIFICANT = gettext_noop(
    "the interval leaves out %(even)s, but the test is not significant: the two are computed in different ways, which "
    "shows with few texts. Go by the test."
)
