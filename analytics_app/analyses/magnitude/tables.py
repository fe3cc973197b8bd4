"""Tables of magnitudes: systems, and ratios of systems."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.cells import digits_for
from analytics_app.show.formats import digits, interval, items, p, p_below, ratings, share
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Rows, Shown, by_pair, by_system, facts, subsets, tables_of
from analytics_app.show.table import Table


@tables_of("magnitude")
def magnitude(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the tables of systems by geometric mean, and of ratios, for each normalisation in the plan."""
    for normalisation in dict.fromkeys(_normalisation(row) for row in rows.rows):
        yield from _normalised(
            RowIndex([row for row in rows.rows if _normalisation(row) == normalisation]), limit, normalisation
        )


def _normalisation(row: ResultRow) -> str:
    return str((row.settings or {}).get("normalisation"))


def _normalised(rows: Rows, limit: float, normalisation: str) -> Iterator[Table]:
    mean = "range_mean" if normalisation == "range" else "geometric_mean"
    ratio = "range_difference" if normalisation == "range" else "magnitude_ratio"
    n = digits_for(row.value for row in rows.whole.of(mean))
    suffix = "" if normalisation == "log" else f" ({normalisation})"
    columns = [
        Shown(_("Ratings"), mean, ratings),
        Shown(_("Mean place in the range") if normalisation == "range" else _("Geometric mean"), mean, digits(n)),
        Shown(_("Over items"), mean, interval(n)),
        Shown(_("Over raters"), f"{mean}_over_raters", interval(n)),
        Shown(_("By the model"), f"{mean}_crossed", digits(n)),
        Shown(_("For further texts and raters"), f"{mean}_crossed", interval(n)),
        Shown(_("Mean z of logarithms"), "log_mean_z", digits(3)),
        Shown(_("z over items"), "log_mean_z", interval(3)),
        Shown(_("z over raters"), "log_mean_z_over_raters", interval(3)),
    ]
    yield from by_system(rows.whole, _("Magnitudes%(how)s") % {"how": suffix}, columns, lead=mean)
    measure, crossed = (_("Difference") if normalisation == "range" else _("Ratio")), f"{ratio}_crossed"
    pairs = [
        Shown(_("Items"), ratio, items),
        Shown(measure, crossed, digits(2)),
        Shown(_("For further texts and raters"), crossed, interval(2)),
        Shown(_("p"), crossed, p),
        Shown(_("Adjusted p"), crossed, p_below(limit)),
        Shown(_("%(measure)s, these raters") % {"measure": measure}, ratio, digits(2)),
        Shown(_("Over items, these raters"), ratio, interval(2)),
        Shown(_("p, these raters"), ratio, p),
        Shown(_("Adjusted p, these raters"), ratio, p_below(limit)),
    ]
    sign = "−" if normalisation == "range" else "/"
    yield from by_pair(rows.whole, _("Ratios of systems%(how)s") % {"how": suffix}, pairs, lead=ratio, sign=sign)
    yield from facts(rows.whole, _("Ratings equal to the standard"), {"at_standard": share})
    yield from subsets(rows, limit, _("Magnitudes by subset"))
