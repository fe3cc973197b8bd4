"""The verdict of triangle tests."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.evidence import MOST_FIGURES, Evidence, corrected, figure
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
    evidence = _evidence(tests, question.limit, risk, similarity=similarity, n_shown=len(shown))
    if not shown:
        not_shown = _not_shown([f"{row.system} and {row.system_b}" for row in tests], similarity=similarity)
        return Finding(not_shown, evidence=evidence)
    pairs = listed_pairs([_("%(a)s and %(b)s") % {"a": row.system, "b": row.system_b} for row in shown])
    start = _("Raters hardly tell %(pairs)s apart") if similarity else _("Raters can tell %(pairs)s apart")
    counts = "" if len(shown) == len(tests) else _(" (%(n)s of %(all)s pairs)") % {"n": len(shown), "all": len(tests)}
    return Finding(start % {"pairs": pairs}, counts, evidence=evidence)


def _evidence(tests: Sequence[ResultRow], limit: float, risk: float, *, similarity: bool, n_shown: int) -> Evidence:
    """Return the facts for a sentence in a paper: right choices with exact limits, and conclusions to avoid."""
    nearest = sorted(tests, key=lambda row: row.p_adjusted or 0.0)
    planned = _("planned for similarity") if similarity else _("planned for a difference")
    exact = _("exact one-sided binomial test, %(planned)s at a risk of %(risk)s") % {
        "planned": planned,
        "risk": f"{risk:g}",
    }
    if n_shown:
        unproven = [] if n_shown == len(tests) else [_("What was not shown of a pair is not refuted.")]
    elif similarity:
        unproven = [_("This does not show that they differ.")]
    else:
        unproven = [_("This does not show that they cannot be told apart.")]
    return Evidence(
        tests,
        [_figure(row, limit) for row in nearest[:MOST_FIGURES]],
        [exact, *corrected(tests)],
        unproven,
        [*_cautions(tests, similarity=similarity)],
    )


def _cautions(tests: Sequence[ResultRow], *, similarity: bool) -> Iterator[str]:
    """Yield cautions: about the better system, about other texts, and about raters with several choices."""
    yield _("The test does not say which system is better.")
    yield _("It is about the texts that were shown: other texts may be easier or harder to tell apart.")
    # Tests of similarity take the first choice of each rater alone.
    if not similarity and any((row.n_ratings or 0) > (row.n_raters or 0) > 0 for row in tests):
        yield _("Some raters chose several times: p is right all the same, but the intervals are too narrow.")


def _figure(row: ResultRow, limit: float) -> str:
    """Return the right choices about a pair, with their exact interval and p."""
    share, *ends = [cells.percent(end).text for end in (row.value or 0.0, row.low, row.high) if end is not None]
    n = row.n_ratings or 0
    shown = _("%(right)s of %(n)s choices right, %(share)s where guessing gives 33\u00a0%%") % {
        "right": round((row.value or 0.0) * n),
        "n": n,
        "share": share,
    }
    return figure(row, _("%(a)s and %(b)s") % {"a": row.system, "b": row.system_b}, shown, ends, limit)


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
