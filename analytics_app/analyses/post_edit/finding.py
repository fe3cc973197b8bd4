"""The finding that the tests of chosen suggestions support."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.evidence import Evidence, conditions, figure, selected, unproven
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed_pairs, tests_of
from analytics_app.show.shown import StoredRows


@finding_of("post_edit", "suggestion_chosen_over", "hter", order=10)
def post_edit(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the pairs of systems in choices; with one suggestion, about the amount of editing."""
    tests = [row for row in tests_of(rows, "suggestion_chosen_over") if row.value is not None]
    clear = [row for row in question.clear(tests) if row.value != 0.5]
    evidence = _evidence(tests, question.limit, n_clear=len(clear))
    if clear:
        chosen = [
            (row.system, row.system_b) if (row.value or 0.0) > 0.5 else (row.system_b, row.system) for row in clear
        ]
        phrase = listed_pairs([_("%(a)s over %(b)s") % {"a": a, "b": b} for a, b in chosen])
        counts = _(" (%(n)s of %(all)s pairs)") % {"n": len(clear), "all": len(tests)} if len(tests) > 1 else ""
        return Finding(_("Editors choose suggestions of %(pairs)s") % {"pairs": phrase}, counts, evidence=evidence)
    if tests:
        return Finding(_("No system's suggestions are chosen clearly more often than another's"), evidence=evidence)
    edited = [row for row in rows.of("hter") if row.system and row.label is None and row.value is not None]
    if not edited:
        return None
    edited.sort(key=lambda row: row.value or 0.0)
    phrase = ", ".join(f"{row.system} {row.value:.2f}" for row in edited)
    return Finding(
        _("Edits per word (HTER) of each system's suggestions: %(values)s") % {"values": phrase}, tested=False
    )


def _evidence(tests: Sequence[ResultRow], limit: float, *, n_clear: int) -> Evidence:
    """Return the facts for a sentence in a paper: how often the suggestion of one system is chosen over another's."""
    figures = []
    for row in selected(tests, limit, lambda row: abs((row.value or 0.0) - 0.5)):
        share, *ends = [cells.percent(end).text for end in (row.value or 0.0, row.low, row.high) if end is not None]
        name = _("%(a)s over %(b)s") % {"a": row.system, "b": row.system_b}
        figures.append(figure(row, name, share, ends, limit))
    return Evidence(tests, figures, conditions(tests), unproven(n_clear, len(tests)))
