"""The number of judgments per text that gives nearly the same joint labels as all judgments."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.shown import Rows


@finding_of("fewer_judgments", "majority_error", order=90)
def fewer_judgments(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the number of judgments per text from which on the majority hardly changes."""
    sentence = enough([row for row in rows.of("majority_error") if row.label is not None])
    return Finding(sentence, tested=False, criterion=question.name, on_design=True) if sentence else None


def enough(rows: Sequence[ResultRow]) -> str:
    """Return the sentence without its full stop; empty if there is no curve.

    The upper end of the interval has to lie below the accepted share. All judgments are never named: their error is 0
    by construction.
    """
    if not rows or not rows[0].settings:
        return ""
    most, tolerated = rows[0].settings["judgments"], rows[0].settings["tolerated"]
    placeholders = {"most": most, "share": _percent(tolerated)}
    fewer = sorted((row for row in rows if int(str(row.label)) < most), key=lambda row: int(str(row.label)))
    settled = [row for row in fewer if row.high is not None]
    # From m on: no larger number of judgments may be worse.
    first = None
    for row in reversed(settled):
        if row.high is None or row.high >= tolerated:
            # Texts of which none has an error bound it by their number alone, which is no reason to expect more.
            if row.value == 0:
                continue
            break
        first = row
    if first is not None and first.value is not None:
        placeholders |= {"n": first.label, "error": _percent(first.value)}
        return (
            _(
                "From %(n)s of %(most)s judgments per text on, fewer than %(share)s of majority labels differ "
                "(%(error)s, upper end of the interval below %(share)s)"
            )
            % placeholders
        )
    last = fewer[-1] if fewer else None
    if last is None or last.value is None:
        return ""
    placeholders |= {"n": last.label, "error": _percent(last.value)}
    changed = _("With %(n)s instead of %(most)s judgments per text, %(error)s of majority labels would change")
    if last.high is None:
        return changed % placeholders
    return changed % placeholders + _(" (interval up to %(high)s)") % {"high": _percent(last.high)}


def _percent(share: float) -> str:
    return f"{share * 100:.1f}\u00a0%"
