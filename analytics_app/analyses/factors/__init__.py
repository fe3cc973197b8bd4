"""Factors of adjective pairs, or of the questions of a questionnaire: which of them say the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Filters, Question, Rows, Sample
from analytics_app.analyses.factors.rows import Of, reliability, scores, sensitivity
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.scales_of_texts import Complete, complete_rows, scales_of
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.scales.factor import (
    NOT_CONVERGED,
    Extraction,
    Rotation,
    maximum_likelihood,
    most_factors,
    promax,
    regression_scores,
)
from analytics_app.stats.scales.factorability import (
    Factorability,
    Parallel,
    constant_columns,
    correlations,
    factorability,
    parallel_analysis,
    too_few_rows,
)
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

DRAWS, QUANTILE = 1000, 0.95
DEPENDENT = "Rows are a rater's ratings of a text: those of one rater, and of one text, are not independent."
TESTS = "A test of rows as if they were independent."


@register
class Factors(Analysis):
    """Exploratory factor analysis over rater and text.

    Kaiser, Meyer and Olkin's measure and Bartlett's test; parallel analysis for the number of factors; maximum
    likelihood; promax (power 4) with Kaiser normalisation throughout, as SPSS has it; alpha and omega of each factor;
    factor scores by regression, their means for each system with a bootstrap interval over items. Refused below 5
    complete rows a scale and below a KMO of .5. As a check it is done once more on the means of texts, and on ratings
    less the mean of their rater: Tucker's congruence says how far the factors are the same. In a questionnaire only
    where the plan names questions or a number of factors.
    """

    label = _("Factors")
    summary = _("Do the pairs correlate (KMO, Bartlett), on how many dimensions, and where do systems stand on them?")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval. Horn (1965). Hendrickson and White (1964)."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    task_types = frozenset({"semantic_differential", "questionnaire"})
    whole_task = True
    splits = False
    statistics = {
        "kmo": _("Kaiser, Meyer and Olkin's measure"),
        "kmo_of_scale": _("KMO of a scale"),
        "bartlett": _("Bartlett's test of sphericity"),
        "eigenvalue": _("Eigenvalue"),
        "eigenvalue_random": _("Eigenvalue of random data"),
        "n_factors": _("Number of factors"),
        "factor_fit": _("Fit of the factors, chi-squared"),
        "loading": _("Loading"),
        "communality": _("Communality"),
        "variance_explained": _("Share of variance explained"),
        "factor_correlation": _("Correlation of factors"),
        "factor_alpha": _("Cronbach's alpha of a factor"),
        "factor_omega": _("McDonald's omega of a factor"),
        "factor_score": _("Factor score"),
        "factor_congruence": _("Tucker's congruence with factors of other rows"),
    }

    class Settings(Filters):
        n_factors = forms.IntegerField(
            min_value=1,
            max_value=20,
            required=False,
            initial=None,
            label=_("Number of factors"),
            help_text=_("Empty: by parallel analysis."),
        )
        questions = ListField(
            label=_("Pairs or questions"),
            help_text=_("Keys of those that enter; empty: every pair, the words of PANAS, or most of the same steps."),
        )
        cut = forms.FloatField(
            min_value=0,
            max_value=1,
            initial=0.4,
            label=_("A scale belongs to the factor it loads on most, from this loading on"),
        )

    def fits(self, question: Question) -> bool:
        """Say whether there are scales enough to look for factors."""
        return super().fits(question) and len(scales_of(question, ())) > 2

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield whether there are factors, how many, what they are and how systems stand on them."""
        scales = scales_of(sample.question, settings["questions"])
        unknown = sorted(set(settings["questions"]) - {one.key for one in scales})
        rows = complete_rows(sample, scales)
        # Questionnaires are made of known scores: their factors are looked for where a plan asks.
        asked_for = bool(settings["questions"] or settings.get("n_factors"))
        if unknown:
            note = f"This task does not ask on a scale with steps or numbers: {', '.join(unknown)}."
            yield Rows(self.name, sample).row("kmo", note=note)
            return
        if not len(rows.scales) or ("instrument" in sample.question.params and not asked_for):
            return
        alike = constant_columns(rows.values) if len(rows.values) else np.empty(0, dtype=np.intp)
        of = Of(Rows(self.name, sample), rows.without(alike.tolist()), settings, _left_out(rows, alike.tolist()))
        n, p = of.rows.values.shape
        if n < 2 or p < 1:
            yield of.row("kmo", Estimate(None, note=too_few_rows(n, max(p, 1)) or "No scale varies."))
            return
        r = correlations(of.rows.values)
        suited = factorability(r, n)
        yield from _suited(of, suited)
        if n <= p:
            return
        parallel = parallel_analysis(r, n, n_draws=DRAWS, quantile=QUANTILE, rng=sample.rng("parallel analysis"))
        yield from _eigenvalues(of, parallel)
        wanted = settings.get("n_factors") or parallel.n_factors
        k = min(wanted, most_factors(p))
        refusal = suited.refusal or (None if k else "Parallel analysis finds no factor above random data.")
        yield of.row("n_factors", _number(k, wanted, refusal), settings=_by(settings))
        if refusal is None:
            found = maximum_likelihood(r, k, n)
            if found.converged:
                yield from _model(of, found, promax(found.loadings), r, k)
            else:
                yield of.row("factor_fit", Estimate(None, note=NOT_CONVERGED), settings=_METHOD)


def _left_out(rows: Complete, alike: Sequence[int]) -> str | None:
    said = []
    if rows.incomplete:
        said.append(f"{rows.incomplete} of {rows.incomplete + len(rows.values)} rows lack a rating and are left out.")
    if alike:
        names = ", ".join(rows.scales[place].key for place in alike)
        said.append(f"Left out, since all ratings are the same: {names}.")
    return " ".join(said) or None


def _suited(of: Of, found: Factorability) -> Iterator[Row]:
    """Yield KMO, over all scales and of each, and Bartlett's test."""
    yield of.row("kmo", found.kmo, settings={"rows": "rater and text"}, note=joined(found.kmo.note, of.note, DEPENDENT))
    said = {"test": "chi-squared that no scales correlate"}
    yield of.row("bartlett", found.bartlett, note=joined(found.bartlett.note, TESTS), settings=said)
    for key, one in zip(of.keys, found.of_scales, strict=True):
        yield of.make.row("kmo_of_scale", one, label=key, n_items=None)


def _eigenvalues(of: Of, found: Parallel) -> Iterator[Row]:
    said = {"draws": DRAWS, "quantile": QUANTILE, "random": "independent normal values, correlation matrix"}
    said |= {"seed": of.make.sample.seed("parallel analysis")}
    for number, (own, random) in enumerate(zip(found.eigenvalues, found.random, strict=True), start=1):
        yield of.make.row("eigenvalue", value=own, label=f"{number}")
        yield of.make.row("eigenvalue_random", value=random, label=f"{number}", settings=said)


def _number(k: int, wanted: int, refusal: str | None) -> Estimate:
    if refusal is not None:
        return Estimate(None, note=refusal)
    few = None if k == wanted else f"{wanted} were wanted; with so few scales more than {k} cannot be told apart."
    return Estimate(k, note=few)


def _by(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"by": "the plan"} if settings.get("n_factors") else {"by": "parallel analysis", "quantile": QUANTILE}


def _model(of: Of, found: Extraction, rotated: Rotation, r: Floats, k: int) -> Iterator[Row]:
    """Yield everything about k factors."""
    names = [f"factor {number}" for number in range(1, k + 1)]
    keys = of.keys
    heywood = [keys[place] for place in found.heywood]
    at_bound = (
        f"Heywood case: nothing of {', '.join(heywood)} is left unexplained; doubt the model." if heywood else None
    )
    yield of.row(
        "factor_fit",
        found.fit,
        note=joined(found.fit.note, at_bound, TESTS),
        settings={**_METHOD, "test": "chi-squared"},
    )
    for place, key in enumerate(keys):
        for number, name in enumerate(names):
            value = float(rotated.pattern[place, number])
            yield of.make.row("loading", value=value, label=key, metric=name, settings=_METHOD)
        bound = at_bound if place in found.heywood else None
        yield of.make.row("communality", value=float(1 - found.uniquenesses[place]), label=key, note=bound)
    for number, name in enumerate(names):
        yield of.make.row("variance_explained", value=float(rotated.explained[number]), metric=name)
        for other in range(number + 1, k):
            value = float(rotated.factors[number, other])
            yield of.make.row("factor_correlation", value=value, metric=name, metric_b=names[other])
    yield from reliability(of, rotated, names)
    yield from scores(of, regression_scores(of.rows.values, r, rotated.structure), names)
    yield from sensitivity(of, rotated, names)


_METHOD = {"extraction": "maximum likelihood", "rotation": "promax, power 4, Kaiser normalisation throughout (SPSS)"}
