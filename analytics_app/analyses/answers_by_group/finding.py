"""The finding about answers that differ clearly between groups."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.analyses.answers_by_group.tables import TESTS
from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed, sentence, tests_of
from analytics_app.show.shown import Rows


@finding_of("answers_by_group", *TESTS, order=40, parts=True)
def answers_by_group(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the questions that pairs of groups answered differently; None without tests."""
    tests = tests_of(rows, *TESTS)
    if not tests:
        return None
    differing: dict[tuple[str, str], list[str]] = {}
    for row in question.clear(tests):
        pair = ((row.slice or "").removeprefix("against="), row.group or "")
        differing.setdefault(pair, []).append(_question(row))
    if not differing:
        n = len({_question(row) for row in tests})
        text = ngettext(
            "No clear difference between groups in the answers to %(n)d question",
            "No clear difference between groups in the answers to %(n)d questions",
            n,
        )
        return Finding(text % {"n": n})
    return Finding(
        sentence(
            "; ".join(
                _("%(first)s and %(second)s answered %(questions)s differently")
                % {"first": first, "second": second, "questions": listed(list(dict.fromkeys(questions)))}
                for (first, second), questions in differing.items()
            )
        )
    )


def _question(row: ResultRow) -> str:
    return f"“{(row.settings or {}).get('question') or row.label}”"
