"""The verdict of triangle tests."""

from django.utils.translation import gettext as _

from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed_pairs, tests_of
from analytics_app.show.shown import StoredRows


@finding_of("triangle", "triangle_share", order=10)
def triangle(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the pairs that were shown to differ, or to be similar, at the planned risk."""
    tests = tests_of(rows, "triangle_share")
    if not tests:
        return None
    settings = tests[0].settings or {}
    similarity = settings.get("goal") == "similarity"
    risk = float(settings.get("beta" if similarity else "alpha") or 0.0)
    shown = [row for row in tests if row.p_adjusted is not None and row.p_adjusted <= risk]
    if not shown:
        return Finding(_not_shown([f"{row.system} and {row.system_b}" for row in tests], similarity=similarity))
    pairs = listed_pairs([_("%(a)s and %(b)s") % {"a": row.system, "b": row.system_b} for row in shown])
    start = _("Raters hardly tell %(pairs)s apart") if similarity else _("Raters can tell %(pairs)s apart")
    counts = "" if len(shown) == len(tests) else _(" (%(n)s of %(all)s pairs)") % {"n": len(shown), "all": len(tests)}
    return Finding(start % {"pairs": pairs}, counts)


def _not_shown(pairs: list[str], *, similarity: bool) -> str:
    if len(pairs) == 1:
        sentence = (
            _("It was not shown that %(pair)s are similar")
            if similarity
            else _("It was not shown that raters can tell %(pair)s apart")
        )
        return sentence % {"pair": pairs[0]}
    if similarity:
        return _("It was not shown of any two systems that they are similar")
    return _("It was not shown that raters can tell any two systems apart")
