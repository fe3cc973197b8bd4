"""The finding that the tests of search results support."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed
from analytics_app.show.shown import Rows


@finding_of("search_results", "precision_difference", order=14)
def search_results(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the system with the largest clear difference of precision, and the worse systems."""
    tests = [row for row in rows.of("precision_difference") if row.p_adjusted is not None and row.value is not None]
    if not tests:
        return None
    clear = [row for row in tests if (row.p_adjusted or 0.0) < question.limit and row.value]
    if not clear:
        cannot = any((row.settings or {}).get("cannot_differ") for row in tests)
        rest = _("; there are too few queries for any of the tests to be significant") if cannot else ""
        return Finding(_("The precision of no two systems differs clearly"), rest, criterion=question.name)
    largest = max(clear, key=lambda row: abs(row.value or 0.0))
    winner = _winner(largest)
    cutoff = (largest.settings or {}).get("cutoff", 1)
    beaten = [_loser(row) for row in clear if row.label == largest.label and _winner(row) == winner]
    placeholders = {"system": winner, "others": listed(beaten), "n": cutoff}
    start = ngettext(
        "%(system)s returns a relevant first result more often than %(others)s",
        "%(system)s has more relevant results among its first %(n)s than %(others)s",
        cutoff,
    )
    rest = ""
    if len(clear) > len(beaten):
        rest = _("; %(n)s of %(all)s comparisons of precision are significant") % {"n": len(clear), "all": len(tests)}
    return Finding(start % placeholders, rest, criterion=question.name)


def _winner(row: ResultRow) -> str:
    return str(row.system if (row.value or 0.0) > 0 else row.system_b)


def _loser(row: ResultRow) -> str:
    return str(row.system_b if (row.value or 0.0) > 0 else row.system)
