"""The finding that tests of labels support: a system that has a label more often than others."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analytics_app.show.findings import Finding, FindingQuestion, listed
from analytics_app.show.shown import Rows


def of_labels(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the largest significant difference, with the number of significant tests."""
    tests = [row for row in rows.of("label_difference") if row.p_adjusted is not None and row.value is not None]
    if not tests:
        return None
    clear = [row for row in tests if (row.p_adjusted or 0.0) < question.limit and row.value]
    if not clear:
        cannot = any((row.settings or {}).get("cannot_differ") for row in tests)
        rest = _("; there are too few texts for any of the tests to be significant") if cannot else ""
        return Finding(_("The labels of no two systems differ clearly"), rest, criterion=question.name)
    largest = max(clear, key=lambda row: abs(row.value or 0.0))
    rose = (largest.value or 0.0) > 0
    winner = largest.system if rose else largest.system_b
    beaten = [
        str(row.system_b if row.system == winner else row.system)
        for row in clear
        if row.label == largest.label and winner in {row.system, row.system_b}
        and ((row.value or 0.0) > 0) == (row.system == winner)
    ]  # fmt: skip
    start = _("%(system)s gets the label “%(label)s” more often than %(others)s")
    placeholders = {"system": winner, "label": largest.label, "others": listed(beaten)}
    rest = ""
    if len(clear) > len(beaten):
        rest = _("; %(n)s of %(all)s label comparisons are significant") % {"n": len(clear), "all": len(tests)}
    return Finding(start % placeholders, rest, criterion=question.name)
