"""The columns of a difference: for further raters and texts, where a run has that, and for these raters."""

from django.utils.translation import gettext as _

from analytics_app.show.cells import Words
from analytics_app.show.formats import digits, interval, p, p_adjusted
from analytics_app.show.shown import Shown


def differences(statistic: str, limit: float, measure: Words, *, crossed: bool) -> list[Shown]:
    """Return the columns of a difference and its test.

    `statistic` is that over texts; that for further raters and texts ends in `_crossed` and comes first, if the rows
    have it (`crossed`).
    """
    further = f"{statistic}_crossed"
    if not crossed:
        return [
            Shown(measure, statistic, digits(3)),
            Shown(_("Over items"), statistic, interval(3)),
            Shown(_("p"), statistic, p),
            Shown(_("Adjusted p"), statistic, p_adjusted(limit)),
        ]
    return [
        Shown(measure, further, digits(3)),
        Shown(_("For further texts and raters"), further, interval(3)),
        Shown(_("p"), further, p),
        Shown(_("Adjusted p"), further, p_adjusted(limit)),
        Shown(_("%(measure)s, these raters") % {"measure": measure}, statistic, digits(3)),
        Shown(_("Interval, these raters"), statistic, interval(3)),
        Shown(_("p, these raters"), statistic, p),
        Shown(_("Adjusted p, these raters"), statistic, p_adjusted(limit)),
    ]
