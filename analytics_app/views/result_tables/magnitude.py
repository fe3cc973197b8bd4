"""Tables of magnitudes: systems, and ratios of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.result_tables._comparisons import (
    Parts,
    Shown,
    digits,
    interval,
    items,
    p,
    p_below,
    ratings,
    share,
)
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Table


@tables_of("magnitude")
def magnitude(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield systems by their geometric mean, then ratios; a table for each normalisation that was asked for."""
    hows = list(dict.fromkeys(str((row.settings or {}).get("normalisation")) for row in rows))
    for how in hows:
        yield from _normalised([row for row in rows if (row.settings or {}).get("normalisation") == how], limit, how)


def _normalised(rows: Sequence[ResultRow], limit: float, how: str) -> Iterator[Table]:
    parts = Parts(rows)
    mean = "range_mean" if how == "range" else "geometric_mean"
    ratio = "range_difference" if how == "range" else "magnitude_ratio"
    n = tables.digits_for(row.value for row in parts.found.of(mean))
    said = "" if how == "log" else f" ({how})"
    columns = [
        Shown(_("Ratings"), mean, ratings),
        Shown(_("Mean place in the range") if how == "range" else _("Geometric mean"), mean, digits(n)),
        Shown(_("Over items"), mean, interval(n)),
        Shown(_("Over raters"), f"{mean}_over_raters", interval(n)),
        Shown(_("Mean z of logarithms"), "log_mean_z", digits(3)),
        Shown(_("z over items"), "log_mean_z", interval(3)),
        Shown(_("z over raters"), "log_mean_z_over_raters", interval(3)),
    ]
    yield from parts.by_system(_("Magnitudes%(how)s") % {"how": said}, columns, lead=mean)
    pairs = [
        Shown(_("Items"), ratio, items),
        Shown(_("Difference") if how == "range" else _("Ratio"), ratio, digits(2)),
        Shown(_("Interval"), ratio, interval(2)),
        Shown(_("p"), ratio, p),
        Shown(_("Adjusted p"), ratio, p_below(limit)),
    ]
    sign = "−" if how == "range" else "/"
    yield from parts.by_pair(_("Ratios of systems%(how)s") % {"how": said}, pairs, lead=ratio, sign=sign)
    yield from parts.facts(_("Ratings equal to the standard"), {"at_standard": share})
    yield from parts.part_by_part(_("Magnitudes by subset"), limit)
