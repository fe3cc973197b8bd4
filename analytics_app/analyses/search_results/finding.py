"""The finding that the tests of search results support."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.show.findings import (
    Finding,
    FindingQuestion,
    finding_of,
    largest_difference,
    listed,
)
from analytics_app.show.leading import leading
from analytics_app.show.shown import StoredRows


@finding_of("search_results", "precision_difference", "precision_difference_crossed", order=14)
def search_results(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the system with the largest clear difference of precision, and the worse systems."""
    these = _("; they do by the labels of these raters, but other raters may not agree")
    by = leading(rows, question, "precision_difference", these=these)
    tests = by.tests
    if not tests:
        return None
    clear = [row for row in question.clear(tests) if row.value]
    if not clear:
        return Finding(_("The precision of no two systems differs clearly"), by.unclear, criterion=question.name)
    largest, winner, beaten = largest_difference(clear)
    cutoff = (largest.settings or {}).get("cutoff", 1)
    placeholders = {"system": winner, "others": listed(beaten), "n": cutoff}
    start = ngettext(
        "%(system)s returns a relevant first result more often than %(others)s",
        "%(system)s has more relevant results among its first %(n)s than %(others)s",
        cutoff,
    )
    counts = ""
    if len(clear) > len(beaten):
        counts = _("; %(n)s of %(all)s comparisons of precision are significant") % {"n": len(clear), "all": len(tests)}
    return Finding(start % placeholders, counts + by.claimed, criterion=question.name)
