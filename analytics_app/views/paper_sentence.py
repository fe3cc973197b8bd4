"""The sentence for a paper, made of the facts of the headline, with a verdict on whether the data support it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.analyses.krippendorff import TENTATIVE
from analytics_app.models import ResultRow, Run
from analytics_app.results import TO_TEXTS
from analytics_app.selectors.carefulness import fast_in
from analytics_app.show import cells
from analytics_app.show.evidence import Evidence
from analytics_app.show.findings import Finding, listed, listed_pairs
from analytics_app.show.other_verdicts import verdicts_on_steps
from analytics_app.show.scope import NAMES, first_scope, limited_freedom
from analytics_app.views import run_words
from analytics_app.views.summary import MOST_CLAIMED, Place, Summary
from tasks_app.models import Study
from tasks_app.selectors.progress import Collected

# Fewer texts or raters than this are few: a cautious colleague says so.
FEW_TEXTS, FEW_RATERS = 10, 6
# A system with less than this share of the ratings of another has far fewer.
FAR_FEWER = 0.8


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
    """Return the sentences of the findings in the headline, or of agreement where nothing is found; None without any.

    `counts` are the planned judgments of the study, and those that were collected.
    """
    claims = [] if summary.hidden else _claims(run, summary)
    if not claims:
        return None
    untested = claims[0].evidence.refusal
    claims = [claim for claim in claims if not claim.evidence.refusal]
    sentence = " ".join(claim.sentence(_family(run, summary, claim)) for claim in claims)
    simulated, _raters = run_words.simulated(run)
    if simulated:
        example = _("With the same numbers from people, a paper could say:")
        return PaperSentence(_("No: simulated raters took part."), sentence, example if sentence else "")
    if refusal := _refusal(study, run) or ("" if claims else untested):
        return PaperSentence(refusal, "")
    cautions = list(_cautions(run, summary, claims, counts))
    return PaperSentence(_verdict(cautions), sentence, cautions=[caution.sentence for caution in cautions])


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim for a paper about one criterion, without its full stop, and its evidence."""

    place: Place
    text: str
    evidence: Evidence
    n_raters: int

    def sentence(self, family: str) -> str:
        """Return the claim with its figures, scope, numbers of texts and raters, and the conclusions to avoid.

        `family` says of how many questions the claim is one.
        """
        evidence = self.evidence
        figures = [*evidence.figures, *evidence.conditions, *([family] if family else []), *self._counts()]
        first = f"{self.text} ({'; '.join(figures)})." if figures else f"{self.text}."
        return " ".join([first, *evidence.unproven])

    def _counts(self) -> Iterator[str]:
        counts, texts = [], self.evidence.most("n_items")
        if texts and self.evidence.of_queries:
            counts.append(ngettext("%(n)s query", "%(n)s queries", texts) % {"n": texts})
        elif texts:
            counts.append(ngettext("%(n)s text", "%(n)s texts", texts) % {"n": texts})
        if self.n_raters:
            counts.append(ngettext("%(n)s rater", "%(n)s raters", self.n_raters) % {"n": self.n_raters})
        if counts:
            yield ", ".join(counts)


def _claims(run: Run, summary: Summary) -> list[Claim]:
    """Return the claims of the headline, as many as are read at once; without any finding, those about agreement."""
    _simulated, all_raters = run_words.simulated(run)
    if summary.headline:
        claims = [(place, _text(place.finding), place.finding.evidence) for place in summary.said if place.finding]
    else:
        agreeing = [place for place in summary.places.values() if place.agreement is not None]
        claims = [(place, *agreement_claim(place)) for place in agreeing[:MOST_CLAIMED]]
    return [
        Claim(place, text.removesuffix("."), evidence, evidence.most("n_raters") or all_raters)
        for place, text, evidence in claims
        if evidence is not None
    ]


def _text(finding: Finding) -> str:
    """Return the words of a finding; where the figures of a description have its interval, without that."""
    described = not finding.tested and finding.evidence is not None and finding.evidence.figures
    return (replace(finding, rest="") if described else finding).text


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


def _cautions(run: Run, summary: Summary, claims: Sequence[Claim], counts: Collected) -> Iterator[Caution]:
    """Yield cautions about the run, then those about the criteria in the headline, named where they differ."""
    yield from _on_fieldwork(summary, counts)
    yield from _together(claims, [list(_on_the_test(claim)) for claim in claims])
    if not run.planned:
        sentence = _("Call it exploratory: no plan that was frozen before the first judgment has this analysis.")
        yield Caution(sentence, _("exploratory"))
    yield from _together(claims, [list(_on_methods(claim)) for claim in claims])


def _together(claims: Sequence[Claim], cautions: Sequence[Sequence[Caution]]) -> Iterator[Caution]:
    """Yield the cautions of each claim, those of all of them once, and others with the name of their criterion."""
    for caution in dict.fromkeys(caution for of_place in cautions for caution in of_place):
        concerned = [claim.place.title for claim, own in zip(claims, cautions, strict=True) if caution in own]
        if len(concerned) == len(claims):
            yield caution
        else:
            names = listed(concerned)
            yield Caution(f"{names}: {caution.sentence}", f"{caution.brief} ({names})" if caution.brief else "")


def _on_methods(claim: Claim) -> Iterator[Caution]:
    """Yield cautions about agreement, and about methods that come to other verdicts."""
    place = claim.place
    compared = place.compared if _compares(claim) else None
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


def _compares(claim: Claim) -> bool:
    """Return whether the claim is about the comparison of systems, and not about another analysis beside it."""
    compared = claim.place.compared
    return compared is not None and claim.evidence.tests == compared.tested


def _on_the_test(claim: Claim) -> Iterator[Caution]:
    """Yield cautions about the power of the test, and about the conclusions that it allows."""
    evidence, raters = claim.evidence, claim.n_raters
    texts = evidence.most("n_items")
    if 0 < texts < FEW_TEXTS:
        sentence = ngettext("The test has only %(n)s text; say so.", "The test has only %(n)s texts; say so.", texts)
        brief = ngettext("only %(n)s text", "only %(n)s texts", texts)
        yield Caution(sentence % {"n": texts}, brief % {"n": texts})
    if 0 < raters < FEW_RATERS:
        sentence = ngettext("Only %(n)s rater judged; say so.", "Only %(n)s raters judged; say so.", raters)
        brief = ngettext("only %(n)s rater", "only %(n)s raters", raters)
        yield Caution(sentence % {"n": raters}, brief % {"n": raters})
    if first_scope(evidence.tests) == TO_TEXTS:
        sentence = _("The test is about further texts judged by these raters, not about further raters; say so.")
        yield Caution(sentence, _("about these raters only"))
    elif first_scope(evidence.rows) == TO_TEXTS:
        sentence = _("The interval is about further texts judged by these raters, not about further raters; say so.")
        yield Caution(sentence, _("about these raters only"))
    if any((row.settings or {}).get("cannot_differ") for row in evidence.tests):
        sentence = _("No test could be significant here; the note below the pairs says why.")
        yield Caution(sentence, _("no test could be significant"))
    if strangers := [row for row in evidence.tests if row.n_items == 0]:
        pairs = listed_pairs([_("%(a)s and %(b)s") % {"a": row.system, "b": row.system_b} for row in strangers])
        sentence = _(
            "%(pairs)s have no text in common: their difference also takes for granted that their texts were equally "
            "difficult."
        )
        yield Caution(sentence % {"pairs": pairs}, _("systems without a text in common"))
    if uneven := _uneven(evidence.values):
        yield Caution(uneven, _("unequal numbers of ratings"))
    if evidence.unproven and evidence.tests and not any(row.low is not None for row in evidence.tests):
        yield Caution(_("There is no interval, so nothing says how large a difference may still be."))
    if limit := next(filter(None, map(limited_freedom, evidence.tests)), None):
        sentence = _(
            "Among only %(among)s, no disagreement about the systems was found, which may be chance. The test allows "
            "for that and is cautious: it misses small differences more often."
        )
        yield Caution(sentence % {"among": limit.among})
    yield from map(Caution, evidence.cautions)


def _uneven(levels: Sequence[ResultRow]) -> str:
    """Return a sentence about systems of which one has far fewer ratings than another; "" if none has."""
    counted = sorted((row for row in levels if row.system and row.n_ratings), key=lambda row: row.n_ratings or 0)
    if len(counted) < 2 or (counted[0].n_ratings or 0) >= FAR_FEWER * (counted[-1].n_ratings or 0):
        return ""
    about = {
        "fewest": counted[0].system, "n": cells.whole(counted[0].n_ratings).text,
        "most": counted[-1].system, "all": cells.whole(counted[-1].n_ratings).text,
    }  # fmt: skip
    return (
        _(
            "%(fewest)s has %(n)s ratings, %(most)s %(all)s: if ratings are missing because of what the texts are "
            "like, the difference may come from that."
        )
        % about
    )


def _family(run: Run, summary: Summary, claim: Claim) -> str:
    """Return of how many questions a claim is one, if none is primary and p is not adjusted across them; else ""."""
    if run.settings.get("primary") or not claim.evidence.tests:
        return ""
    task, analysis = claim.place.key.partition("--")[0], claim.evidence.tests[0].analysis
    alike = [
        place.key
        for place in summary.places.values()
        if place.key.partition("--")[0] == task and place.finding is not None and place.finding.evidence is not None
        and any(row.analysis == analysis for row in place.finding.evidence.tests[:1])
    ]  # fmt: skip
    families = [str((row.settings or {}).get("family", "")) for row in claim.evidence.tests]
    if len(alike) < 2 or not all("of one criterion" in family for family in families):
        return ""
    return _("one of %(n)s questions that compare systems, not corrected across them") % {"n": len(alike)}


def agreement_claim(place: Place) -> tuple[str, Evidence]:
    """Return the claim about the agreement on a criterion, and its evidence."""
    assert place.agreement is not None
    row = place.agreement.leading
    about = {"measure": place.agreement.measure, "criterion": place.title, "value": place.agreement.value}
    text = _("Raters agreed on %(criterion)s with a value of %(value)s by %(measure)s") % about
    over = str((row.settings or {}).get("interval", ""))
    over_texts = row.low is not None and any(over.endswith(f"over {unit}") for unit in ("texts", "items", "documents"))
    conditions = [_("interval for %(scope)s") % {"scope": NAMES[TO_TEXTS]}] if over_texts else []
    agree = _("Agreement does not show that ratings are right: raters may agree on an error.")
    return text, Evidence([], conditions=conditions, values=[row], cautions=[agree])
