"""May I say so?: a sentence for the paper, made of the facts of the headline, and whether the data carry it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.analyses.krippendorff.charts import TENTATIVE
from analytics_app.charts.ranked import correction
from analytics_app.models import ResultRow, Run
from analytics_app.results import TO_TEXTS
from analytics_app.show import cells
from analytics_app.show.comparisons import Compared
from analytics_app.show.other_verdicts import verdicts_on_steps
from analytics_app.show.scope import first_scope
from analytics_app.views import run_words
from analytics_app.views.summary import Place, Summary
from tasks_app.models import Study

# The most pairs whose figures a sentence has; of more, those of the largest difference.
MOST_PAIRS = 3
# Fewer texts or raters than this are few: a cautious colleague says so.
FEW_TEXTS, FEW_RATERS = 10, 5


@dataclass(frozen=True, slots=True)
class Saying:
    """The verdict ("Yes." and the like), the sentence for the paper, and what to say beside it.

    Where the data do not carry the sentence it is "", but for simulated raters: `example` says what it is then.
    """

    verdict: str
    sentence: str
    example: str = ""
    cautions: Sequence[str] = ()


def saying_of(study: Study, run: Run, summary: Summary) -> Saying | None:
    """Return the sentence of the finding that compares systems; None if the page shows none."""
    place = summary.leading
    if summary.hidden or place is None or place.finding is None or place.compared is None:
        return None
    sentence = _sentence(place, place.compared)
    simulated, _raters = run_words.simulated(run)
    if simulated:
        example = _("With the same numbers from people, a paper could say:")
        return Saying(_("No: simulated raters took part."), sentence, example)
    if refusal := _refusal(study, run):
        return Saying(refusal, "")
    if not place.compared.tested:
        return Saying(_("No: there are too few ratings to test a difference."), "")
    cautions = list(_cautions(run, place))
    return Saying(_("Yes, with care.") if cautions else _("Yes."), sentence, cautions=cautions)


def _refusal(study: Study, run: Run) -> str:
    """Return why nothing can be said; "" if something can."""
    if study.state in study.State.UNDER_WAY:
        return _("Not yet: the study is not closed, and more judgments may change this.")
    if run.uncorrected_tasks:
        return _("Not with these numbers: they were computed before a correction. Compute them again.")
    return ""


def _cautions(run: Run, place: Place) -> Iterator[str]:
    compared, agreement = place.compared, place.agreement
    if not run.planned:
        yield _("Call it exploratory: no plan that was frozen before the first judgment has this analysis.")
    if compared is not None and first_scope(compared.tested) == TO_TEXTS:
        yield _("The test is about further texts judged by these raters, not about further raters; say so.")
    if compared is not None and any((row.settings or {}).get("cannot_differ") for row in compared.tested):
        yield _("No test could be significant here; the note below the pairs says why.")
    elif compared is not None and not compared.wins:
        yield _("“No clear difference” does not show that systems are equal; give the interval.")
    texts, raters = _most(compared, "n_items"), _raters_of(compared)
    if 0 < texts < FEW_TEXTS:
        yield ngettext("The test has only %(n)s text; say so.", "The test has only %(n)s texts; say so.", texts) % {
            "n": texts
        }
    if 0 < raters < FEW_RATERS:
        yield ngettext("Only %(n)s rater judged; say so.", "Only %(n)s raters judged; say so.", raters) % {"n": raters}
    if agreement is not None and agreement.leading.statistic == "alpha":
        value = agreement.leading.value
        if value is not None and value < TENTATIVE:
            about = {"alpha": cells.figure(value, 2)}
            yield _("Raters agree little (alpha %(alpha)s); report it beside the finding.") % about
    if compared is not None and compared.disagreements:
        yield _("An interval and a test differ; see the note below the pairs.")
    if compared is not None and verdicts_on_steps(compared):
        yield _("The model of ordinal steps comes to another verdict; see the note below the pairs.")


def _most(compared: Compared | None, column: str) -> int:
    rows = compared.tested if compared is not None else []
    return max((getattr(row, column) or 0 for row in rows), default=0)


def _sentence(place: Place, compared: Compared) -> str:
    """Return the finding with its figures: differences, intervals, adjusted p, and the numbers of texts and raters."""
    assert place.finding is not None
    text = place.finding.text.removesuffix(".")
    figures = [*_figures(compared), *_counts(compared)]
    sentence = f"{text} ({'; '.join(figures)})." if figures else f"{text}."
    if not compared.wins and compared.tested:
        sentence += " " + _("This does not show that the systems are equal.")
    return sentence


def _figures(compared: Compared) -> Iterator[str]:
    """Yield the figures of the pairs that differ clearly or, if none does, of the pair furthest apart."""
    rows = [row for row in compared.tested if row.value is not None]
    clear = [row for row in rows if compared.better(row)]
    furthest = sorted(clear or rows, key=lambda row: -compared.distance(row))
    shown = furthest if clear and len(furthest) <= MOST_PAIRS else furthest[:1]
    yield from (_pair(compared, row) for row in shown)
    if rows and compared.crossed:
        yield _("raters and texts random")
    if rows:
        method = (rows[0].settings or {}).get("correction")
        if method and method != "none" and len(compared.tested) > 1:
            about = {"method": correction(method), "n": len(compared.tested)}
            yield _("p adjusted for %(n)s comparisons by %(method)s") % about


def _pair(compared: Compared, row: ResultRow) -> str:
    """Return a pair with its value, interval and p, the better system first where the value can be turned."""
    value, low, high = compared.turned(row)
    unit, digits = compared.comparison.unit, cells.digits_for([value])
    flipped = compared.is_turned(row)
    first, second = (row.system_b, row.system) if flipped else (row.system, row.system_b)
    if unit == "share":
        name = _("%(a)s over %(b)s") % {"a": first, "b": second}
        shown, ends = cells.percent(value).text, [cells.percent(end).text for end in (low, high) if end is not None]
    elif unit == "ratio":
        name = f"{first} / {second}"
        shown, ends = f"×{cells.figure(value, 2)}", [cells.figure(end, 2) for end in (low, high) if end is not None]
    else:
        name = f"{first} \N{MINUS SIGN} {second}"
        shown, ends = cells.figure(value, digits), [cells.figure(end, digits) for end in (low, high) if end is not None]
    interval = _(", interval %(low)s to %(high)s") % {"low": ends[0], "high": ends[1]} if len(ends) == 2 else ""
    p = cells.p_value(row.p_adjusted).text
    return f"{name}: {shown}{interval}, p {p if p.startswith('<') else f'= {p}'}"


def _raters_of(compared: Compared | None) -> int:
    rows = [*compared.tested, *compared.levels] if compared is not None else []
    return max((row.n_raters or 0 for row in rows), default=0)


def _counts(compared: Compared) -> Iterator[str]:
    texts, raters = _most(compared, "n_items"), _raters_of(compared)
    counts = []
    if texts:
        counts.append(ngettext("%(n)s text", "%(n)s texts", texts) % {"n": texts})
    if raters:
        counts.append(ngettext("%(n)s rater", "%(n)s raters", raters) % {"n": raters})
    if counts:
        yield ", ".join(counts)
