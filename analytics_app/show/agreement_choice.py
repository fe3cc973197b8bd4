"""Choose the measure of agreement that fits the scale and the design, with the reason.

The choice depends on what was asked and who rated what, never on the values: a menu of measures invites picking.
"""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats, labels
from analytics_app.show.cells import Words
from analytics_app.show.index import RowIndex

# What tells the scale: AC1 is computed for labels, AC2 for steps in order.
OF_LABELS, OF_STEPS = "gwet_ac1", "gwet_ac2"
ALPHA, KAPPA, ICC = "alpha", "cohen_kappa", "icc"
# The form of the ICC for magnitudes: of the mean over raters, as published for this method.
OF_LOGS = "ICC1k of logs"
# A study with two raters is reported with Cohen's kappa.
TWO = 2
DIGITS = 2

# The analyses whose rows are chosen from.
ANALYSES = ("krippendorff", "agreement", "kappa", "icc")
STATISTICS = frozenset({ALPHA, KAPPA, OF_LABELS, OF_STEPS, ICC})

MAGNITUDES = _(
    "The intraclass correlation of the mean over raters, of logarithms: magnitudes are compared as ratios, and this is "
    "the form published for the method."
)
STEPS = _(
    "Krippendorff's alpha with ordinal distances, since the scale has steps in order and texts need not have the "
    "same raters."
)
NUMBERS = _(
    "Krippendorff's alpha with interval distances, since the scale is numeric and texts need not have the same raters."
)
TWO_RATERS = _("Cohen's kappa, since two raters gave labels without an order.")
LABELS = _("Krippendorff's alpha for labels, since labels have no order and texts need not have the same raters.")


@dataclass(frozen=True, slots=True)
class Choice:
    """The leading measure, and the reason for it."""

    leading: ResultRow
    reason: Words

    @property
    def measure(self) -> str:
        """The measure with its form or level: "Krippendorff's alpha (ordinal)"."""
        row = self.leading
        if row.statistic == ICC:
            return str(row.label)
        level = (row.settings or {}).get("level")
        return f"{labels.statistic(row.statistic)} ({level})" if level else formats.statistic(row)

    @property
    def value(self) -> str:
        """The value with its interval: "0.63 (interval 0.39 to 0.80)"."""
        row = self.leading
        if row.value is None:
            return row.note or cells.DASH
        ends = cells.interval(row.low, row.high, DIGITS).text if row.low is not None else ""
        value = cells.figure(row.value, DIGITS)
        return gettext("%(value)s (interval %(ends)s)") % {"value": value, "ends": ends} if ends else value


def chosen(rows: RowIndex[ResultRow]) -> Choice | None:
    """Return the measure that fits, from the rows on kept ratings of one criterion; None if it was not computed."""
    whole = rows.whole
    of_logs = whole.one(ICC, label=OF_LOGS)
    if of_logs is not None:
        return Choice(of_logs, MAGNITUDES)
    alpha, kappa = whole.one(ALPHA), whole.one(KAPPA)
    if whole.has(OF_LABELS):
        if kappa is not None and kappa.value is not None and kappa.n_raters == TWO:
            return Choice(kappa, TWO_RATERS)
        return Choice(alpha, LABELS) if alpha is not None else None
    return Choice(alpha, STEPS if whole.has(OF_STEPS) else NUMBERS) if alpha is not None else None


def is_alpha(row: ResultRow) -> bool:
    """Return whether Krippendorff's bounds apply to a measure."""
    return row.statistic == ALPHA
