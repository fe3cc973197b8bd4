"""Tables of agreement between raters: what the scale calls for first, then pairs of raters."""

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from analytics_app.analyses.agreement.choice import chosen
from analytics_app.models import ResultRow
from analytics_app.show import formats
from analytics_app.show.cells import Cell
from analytics_app.show.formats import digits, interval, items, raters, ratings
from analytics_app.show.shown import Rows, Shown, named, own, shared_table, table_of
from analytics_app.show.table import Table

CORRELATIONS = (
    "pearson",
    "pearson_mean",
    "pearson_mean_fisher",
    "spearman",
    "spearman_mean",
    "spearman_mean_fisher",
)
# The measures in the order in which they are shown, for labels, for steps, and for numeric scales.
OF_LABELS = ("percent_agreement", "alpha", "cohen_kappa", "gwet_ac1", "fleiss_kappa")
OF_STEPS = (
    "alpha",
    "cohen_kappa_quadratic",
    "cohen_kappa_linear",
    "gwet_ac2",
    *CORRELATIONS[3:],
    "kendall_w",
    "percent_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    *CORRELATIONS[:3],
    "noise_bound",
)
OF_NUMBERS = ("icc", "alpha", *CORRELATIONS, "noise_bound")

MEASURES = tuple(dict.fromkeys((*OF_NUMBERS, *OF_STEPS, *OF_LABELS)))
OF_RATER_PAIRS = (
    "pearson_pair",
    "spearman_pair",
    "cohen_kappa_quadratic_pair",
    "cohen_kappa_linear_pair",
    "cohen_kappa_pair",
)


@shared_table("krippendorff", "agreement", "kappa", "icc", "correlation", order=30)
def agreement(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the table of agreement between raters, with ratings before and after the rules side by side.

    An undefined measure is a dash, and the notes say why. If no measure is defined, one sentence says so.
    """
    whole = rows.whole
    if not whole.has(*MEASURES):
        return
    caption, lines = _("Agreement between raters"), list(_measures(whole))
    earlier = (whole.one(row.statistic, before=True, label=row.label) for row in lines)
    if all(row is None or row.value is None for row in (*lines, *earlier)):
        reason = next(
            (row.note for row in lines if row.note), _("The rules left no ratings on which raters could agree.")
        )
        yield Table(caption, [], [], [f"{caption}: {reason}"])
        return
    columns = [
        Shown(_("Measure"), "", _called, number=False),
        own(_("Value"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Ratings"), ratings),
        own(_("Texts"), items),
        own(_("Raters"), raters),
        Shown(_("Before rules"), "", digits(3), before=True),
        Shown(_("Interval before rules"), "", interval(3), before=True),
    ]
    for table in table_of(whole, caption, columns, lines, by=("label",)):
        yield replace(table, aside=_aside(whole, len(lines)))


def _aside(rows: Rows, n: int) -> str:
    """Return the sentence that explains why a table of several measures is folded behind the chosen one."""
    if n < 2 or chosen(rows) is None:
        return ""
    return _(
        "All measures that this run computed, to compare with other studies. The measure above was chosen by scale and "
        "design; choosing the highest value among them would overstate agreement."
    )


def _measures(rows: Rows) -> Iterator[ResultRow]:
    order = OF_LABELS if rows.has("gwet_ac1") else OF_STEPS if rows.has("gwet_ac2") else OF_NUMBERS
    for statistic in order:
        of_statistic = rows.of(statistic)
        # If there are rows of logarithms, only the file of results has the rows of the values as given.
        logs = [row for row in of_statistic if (row.label or "").endswith("of logs")]
        yield from (logs or of_statistic) if statistic in {"icc", "noise_bound"} else of_statistic[:1]


def _called(row: ResultRow | None) -> Cell:
    measure = _with_settings(row) if row is not None else ""
    return Cell(measure, measure)


def _with_settings(row: ResultRow) -> str:
    """Return the name of a measure, with its level, form or weights."""
    settings = row.settings or {}
    if row.statistic == "icc":
        model = str(settings.get("model", "")).replace(" k ", f" {settings.get('k', 'k')} ")
        return f"{row.label}: {model}" if model else str(row.label)
    more = settings.get("level") or (settings.get("weights") if row.statistic == "gwet_ac2" else None)
    return f"{formats.statistic(row)} ({more})" if more else formats.statistic(row)


@shared_table("kappa", "correlation", order=10, folded=True)
def pairs_of_raters(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each pair of raters."""
    columns = [
        named(_("Raters"), lambda row: row.label),
        named(_("Measure"), formats.statistic),
        own(_("Value"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Texts"), items),
    ]
    yield from table_of(rows.whole, _("Pairs of raters"), columns, rows.whole.of(*OF_RATER_PAIRS))
