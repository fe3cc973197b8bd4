"""Which degradations raters notice."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analytics_app.analyses.robustness.tables import kind_of
from analytics_app.show.findings import Asked, Finding, finding_of
from analytics_app.show.shown import Rows


@finding_of("robustness", "robustness_difference", order=16)
def robustness(rows: Rows, asked: Asked) -> Finding | None:
    """Name the kinds of degraded copies that raters rate lower than the originals, and those for which it is open."""
    tested = [
        row
        for row in rows.of("robustness_difference")
        if row.system is None and row.metric is None and row.p_adjusted is not None and row.value is not None
    ]
    if not tested:
        return None
    lower = [kind_of(row) for row in tested if (row.p_adjusted or 0) < asked.limit and (row.value or 0) > 0]
    others = [kind_of(row) for row in tested if kind_of(row) not in lower]
    if not lower:
        return Finding(
            _("It was not shown that raters rate any degraded copy lower than its original"), criterion=asked.name
        )
    said = {"lower": ", ".join(lower), "others": ", ".join(others)}
    if others:
        sentence = _("Raters rate degraded copies lower for %(lower)s; this was not shown for %(others)s")
    else:
        sentence = _("Raters rate all kinds of degraded copies lower than their originals: %(lower)s")
    return Finding(sentence % said, criterion=asked.name)
