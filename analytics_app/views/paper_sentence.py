"""The sentence for a paper, made of the facts of the headline, with a verdict on whether the data support it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.analyses.krippendorff import TENTATIVE
from analytics_app.charts.ranked import correction
from analytics_app.models import ResultRow, Run
from analytics_app.results import TO_TEXTS
from analytics_app.selectors.carefulness import fast_in
from analytics_app.show import cells
from analytics_app.show.comparisons import Compared
from analytics_app.show.findings import listed
from analytics_app.show.other_verdicts import verdicts_on_steps
from analytics_app.show.scope import NAMES, first_scope
from analytics_app.views import run_words
from analytics_app.views.summary import Place, Summary
from tasks_app.models import Study
from tasks_app.selectors.progress import Collected

# The most pairs whose figures a sentence has; of more, those of the largest difference.
MOST_PAIRS = 3
# Fewer texts or raters than this are few: a cautious colleague says so.
FEW_TEXTS, FEW_RATERS = 10, 6


@dataclass(frozen=True, slots=True)
class Caution:
    """A sentence about a weakness of the data, and the few words for it in the verdict; "" if it is not named there."""

    sentence: str
    brief: str = ""


@dataclass(frozen=True, slots=True)
class PaperSentence:
    """The verdict ("Yes." and the like), the sentence for the paper, and the cautions beside it.

    Where the data do not carry the sentence it is "", but for simulated raters: `example` says what it is then.
    """

    verdict: str
    sentence: str
    example: str = ""
    cautions: Sequence[str] = ()


def paper_sentence(study: Study, run: Run, summary: Summary, counts: Collected) -> PaperSentence | None:
    """Return the sentence of the finding that compares systems; None if the page shows none.

    `counts` are the planned judgments of the study, and those that were collected.
    """
    place = summary.leading
    if summary.hidden or place is None or place.finding is None or place.compared is None:
        return None
    sentence = " ".join(
        _sentence(claimed, claimed.compared, _family(run, summary, claimed))
        for claimed in summary.claimed
        if claimed.compared is not None
    )
    simulated, _raters = run_words.simulated(run)
    if simulated:
        example = _("With the same numbers from people, a paper could say:")
        return PaperSentence(_("No: simulated raters took part."), sentence, example)
    if refusal := _refusal(study, run):
        return PaperSentence(refusal, "")
    if not place.compared.tested:
        return PaperSentence(_("No: there are too few ratings to test a difference."), "")
    cautions = list(_cautions(run, summary, counts))
    return PaperSentence(_verdict(cautions), sentence, cautions=[caution.sentence for caution in cautions])


def _verdict(cautions: Sequence[Caution]) -> str:
    """Return "Yes." or, if there are cautions, "Yes, with reservations" with the weaknesses of the data."""
    briefs = [caution.brief for caution in cautions if caution.brief]
    if briefs:
        return _("Yes, with reservations: %(reservations)s.") % {"reservations": "; ".join(briefs)}
    return _("Yes, with reservations.") if cautions else _("Yes.")


def _refusal(study: Study, run: Run) -> str:
    """Return why nothing can be said; "" if something can."""
    if study.state in study.State.UNDER_WAY:
        return _("Not yet: the study is not closed, and more judgments may change this.")
    if run.uncorrected_tasks:
        return _("Not with these numbers: they were computed before a correction. Compute them again.")
    return ""


def _cautions(run: Run, summary: Summary, counts: Collected) -> Iterator[Caution]:
    """Yield cautions about the run, then those about the criteria in the headline, named where they differ."""
    yield from _on_fieldwork(summary, counts)
    tests = [list(_on_the_test(place.compared)) for place in summary.claimed if place.compared is not None]
    yield from _together(summary.claimed, tests)
    if not run.planned:
        sentence = _("Call it exploratory: no plan that was frozen before the first judgment has this analysis.")
        yield Caution(sentence, _("exploratory"))
    yield from _together(summary.claimed, [list(_on_methods(place)) for place in summary.claimed])


def _together(places: Sequence[Place], cautions: Sequence[Sequence[Caution]]) -> Iterator[Caution]:
    """Yield the cautions of each place, those of all of them once, and others with the name of their criterion."""
    for caution in dict.fromkeys(caution for of_place in cautions for caution in of_place):
        concerned = [place.title for place, own in zip(places, cautions, strict=True) if caution in own]
        if len(concerned) == len(places):
            yield caution
        else:
            names = listed(concerned)
            yield Caution(f"{names}: {caution.sentence}", f"{caution.brief} ({names})" if caution.brief else "")


def _on_methods(place: Place) -> Iterator[Caution]:
    """Yield cautions about agreement, and about methods that come to other verdicts."""
    compared = place.compared
    agreement = place.agreement.leading if place.agreement is not None else None
    if agreement is not None and agreement.statistic == "alpha" and (agreement.value or 0.0) < TENTATIVE:
        about = {"alpha": cells.figure(agreement.value or 0.0, 2)}
        sentence = _("Raters agree little (alpha %(alpha)s); report it beside the finding.") % about
        yield Caution(sentence, _("raters agree little"))
    if compared is not None and compared.disagreements:
        yield Caution(_("The interval and the test of a pair disagree; the note below the pairs explains why."))
    if compared is not None and verdicts_on_steps(compared):
        sentence = _("The model of ordinal steps comes to another verdict; see the note below the pairs.")
        yield Caution(sentence, _("the model of ordinal steps disagrees"))


def _on_fieldwork(summary: Summary, counts: Collected) -> Iterator[Caution]:
    """Yield cautions about missing judgments, and about raters who answered too fast to have read."""
    if not counts.is_complete:
        about = {"n": cells.whole(counts.answered).text, "all": cells.whole(counts.places).text}
        sentence = _("Only %(n)s of %(all)s planned judgments were collected; say so.") % about
        yield Caution(sentence, _("%(n)s of %(all)s judgments") % about)
    fast, timed = fast_in(summary.fast_screens)
    if fast:
        about = {"n": cells.whole(fast).text, "all": cells.whole(timed).text}
        sentence = _(
            "%(n)s of the %(all)s raters answered half of their screens or more faster than anybody can read them: "
            "look at these raters before you report the finding."
        )
        most = _("most raters answered faster than the texts can be read")
        some = _("%(n)s of %(all)s raters answered faster than the texts can be read") % about
        yield Caution(sentence % about, most if 2 * fast > timed else some)


def _on_the_test(compared: Compared) -> Iterator[Caution]:
    """Yield cautions about the power of the test, and about the conclusions that it allows."""
    texts, raters = _most(compared, "n_items"), _raters_of(compared)
    if 0 < texts < FEW_TEXTS:
        sentence = ngettext("The test has only %(n)s text; say so.", "The test has only %(n)s texts; say so.", texts)
        brief = ngettext("only %(n)s text", "only %(n)s texts", texts)
        yield Caution(sentence % {"n": texts}, brief % {"n": texts})
    if 0 < raters < FEW_RATERS:
        sentence = ngettext("Only %(n)s rater judged; say so.", "Only %(n)s raters judged; say so.", raters)
        brief = ngettext("only %(n)s rater", "only %(n)s raters", raters)
        yield Caution(sentence % {"n": raters}, brief % {"n": raters})
    if first_scope(compared.tested) == TO_TEXTS:
        sentence = _("The test is about further texts judged by these raters, not about further raters; say so.")
        yield Caution(sentence, _("about these raters only"))
    if any((row.settings or {}).get("cannot_differ") for row in compared.tested):
        sentence = _("No test could be significant here; the note below the pairs says why.")
        yield Caution(sentence, _("no test could be significant"))
    elif not compared.wins:
        yield Caution(_("“No clear difference” does not show that systems are equal; give the interval."))


def _most(compared: Compared | None, column: str) -> int:
    rows = compared.tested if compared is not None else []
    return max((getattr(row, column) or 0 for row in rows), default=0)


def _family(run: Run, summary: Summary, place: Place) -> str:
    """Return of how many questions a finding is one, if none is primary and p is not adjusted across them; else ""."""
    if run.settings.get("primary") or place.compared is None:
        return ""
    tested = [row.settings or {} for row in place.compared.tested]
    task, analysis = place.key.partition("--")[0], place.compared.comparison.analysis
    alike = [
        other
        for other in summary.places.values()
        if other.compared is not None and other.compared.tested and other.key.partition("--")[0] == task
        and other.compared.comparison.analysis == analysis
    ]  # fmt: skip
    if len(alike) < 2 or not all("of one criterion" in str(settings.get("family", "")) for settings in tested):
        return ""
    return _("one of %(n)s questions that compare systems, not corrected across them") % {"n": len(alike)}


def _sentence(place: Place, compared: Compared, family: str) -> str:
    """Return the finding with its figures: differences, intervals, adjusted p, and the numbers of texts and raters.

    `family` says of how many questions it is one.
    """
    assert place.finding is not None
    text = place.finding.text.removesuffix(".")
    figures = [*_figures(compared), *([family] if family else []), *_counts(compared)]
    sentence = f"{text} ({'; '.join(figures)})." if figures else f"{text}."
    if not compared.wins and compared.tested:
        sentence += " " + _("This does not show that the systems are equal.")
    elif len(compared.wins) < len(compared.tested):
        sentence += " " + _("A difference that is not clear does not show that two systems are equal.")
    return sentence


def _figures(compared: Compared) -> Iterator[str]:
    """Yield the figures of all pairs if they are few; else of those furthest apart that differ clearly, and do not."""
    rows = [row for row in compared.tested if row.value is not None]
    furthest = sorted(rows, key=lambda row: (not compared.better(row), -compared.distance(row)))
    clear = [row for row in furthest if compared.better(row)]
    unclear = furthest[len(clear) :]
    shown = furthest if len(furthest) <= MOST_PAIRS else [*clear[:MOST_PAIRS], *unclear[:1]]
    yield from (_pair(compared, row) for row in shown)
    scope = first_scope(compared.tested)
    if rows and compared.crossed:
        yield _("raters and texts random")
    elif rows and scope in NAMES:
        yield _("test for %(scope)s") % {"scope": NAMES[scope]}
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
    between = dict(zip(("low", "high"), ends, strict=False), level=cells.level(compared.limit))
    interval = _(", %(level)s interval %(low)s to %(high)s") % between if len(ends) == 2 else ""
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
