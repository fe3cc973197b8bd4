"""Tables of robustness: each kind of degradation for raters and metrics, and for each system."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, percent, share_interval
from analytics_app.show.shown import Rows, Shown, named, own, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("robustness")
def robustness(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the tables of degradations that raters and metrics notice, and of the differences of each system."""
    whole = rows.whole
    differences = whole.of("robustness_difference")
    columns = [
        named(_("Degraded copy"), kind_of),
        named(_("Judged by"), judge_of),
        own(_("Items"), items),
        own(_("Original minus copy"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
        Shown(_("Noticed"), "robustness_noticed", percent(0)),
        Shown(_("Interval of noticed"), "robustness_noticed", share_interval),
    ]
    together = [row for row in differences if row.system is None]
    yield from table_of(
        whole, _("Degraded copies noticed by raters and metrics"), columns, together, by=("label", "metric")
    )
    columns = [
        named(_("System"), lambda row: row.system),
        named(_("Degraded copy"), kind_of),
        named(_("Judged by"), judge_of),
        own(_("Items"), items),
        own(_("Original minus copy"), digits(3)),
        own(_("Interval"), interval(3)),
    ]
    alone = [row for row in differences if row.system is not None]
    if len({row.system for row in alone}) > 1:
        yield from table_of(whole, _("Degraded copies by system"), columns, alone)


def kind_of(row: ResultRow) -> str:
    """Return the name of a kind of degradation."""
    return str(row.label).replace("-", " ")


def judge_of(row: ResultRow) -> str:
    """Return who gave the scores: raters, or a metric."""
    return str(row.metric) if row.metric else _("raters")
