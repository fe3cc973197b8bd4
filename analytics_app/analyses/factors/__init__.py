"""Factors of adjective pairs, or of the questions of a questionnaire: which of them say the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Filters, Question, Rows, Sample
from analytics_app.analyses.factors.removals import read_steps, removals, without
from analytics_app.analyses.factors.rows import Of, reliability, scores, sensitivity
from analytics_app.analyses.factors.solutions import DRAWS, PURPOSE, QUANTILE, Factored, Solution, factor_names, solve
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.scales_of_texts import scales_of
from analytics_app.results import Row
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.scales.factor import NOT_CONVERGED, regression_scores
from analytics_app.stats.scales.factorability import Factorability, Parallel
from analytics_app.stats.scales.reduction import LEAST_COMMUNALITY, LEAST_GAP, loading_gaps
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

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

    Pairs can be removed one by one, each removal in a run of its own: the settings hold the pairs with the reasons, and
    the rows hold the loadings before the last removal.
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
        "loading_gap": _("Loading gap"),
        "next_removal": _("Pair suggested for removal"),
        "removed_pair": _("Communality of a removed pair, before it was removed"),
        "loading_before": _("Loading before the last removal"),
        "communality_before": _("Communality before the last removal"),
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

        removed = ListField(
            label=_("Pairs removed, in this order"),
            help_text=_(
                "Each as key=reason; the reason is communality, cross-loading or content. The results of a run offer "
                "the next pair."
            ),
        )
        least_communality = forms.FloatField(
            min_value=0,
            max_value=1,
            initial=LEAST_COMMUNALITY,
            label=_("Suggest removing a pair with a communality below"),
        )
        least_gap = forms.FloatField(
            min_value=0,
            max_value=1,
            initial=LEAST_GAP,
            label=_("Suggest removing a pair with a loading gap below"),
        )

        def clean_removed(self) -> list[str]:
            """Refuse a step that names no pair, no known reason, or a pair for the second time."""
            given: list[str] = self.cleaned_data["removed"]
            try:
                read_steps(given)
            except ValueError as problem:
                raise ValidationError(str(problem)) from None
            return given

    def fits(self, question: Question) -> bool:
        """Say whether there are scales enough to look for factors."""
        return super().fits(question) and len(scales_of(question, ())) > 2

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield whether there are factors, how many, what they are and how systems stand on them."""
        scales = scales_of(sample.question, settings["questions"])
        unknown = sorted(set(settings["questions"]) - {one.key for one in scales})
        # Questionnaires are made of known scores: their factors are looked for where a plan asks.
        steps = read_steps(settings["removed"])
        removed = [step for step in steps if step.pair in {scale.key for scale in scales}]
        asked_for = bool(settings["questions"] or settings.get("n_factors") or removed)
        if unknown:
            note = f"This task does not ask on a scale with steps or numbers: {', '.join(unknown)}."
            yield Rows(self.name, sample).row("kmo", note=note)
            return
        if not scales or ("instrument" in sample.question.params and not asked_for):
            return
        solution = solve(sample, without(scales, removed), settings)
        of = Of(Rows(self.name, sample), solution.rows, settings, solution.note)
        yield from _of_solution(of, solution)
        yield from removals(of.make, solution, scales, removed, settings)
        for step in steps:
            if step not in removed:
                yield of.make.row("removed_pair", label=step.pair, note="Not asked in this task, so not removed.")


def _of_solution(of: Of, solution: Solution) -> Iterator[Row]:
    """Yield what a solution reaches: whether there are factors, how many, what they are and where systems stand."""
    if solution.suited is None:
        yield of.row("kmo", Estimate(None, note=solution.refusal))
        return
    yield from _suited(of, solution.suited)
    if solution.parallel is None:
        return
    yield from _eigenvalues(of, solution.parallel)
    yield of.row("n_factors", _number(solution), settings=_by(of.settings))
    if solution.factored is not None:
        yield from _model(of, solution.factored, solution.k)
    elif solution.extraction is not None:
        yield of.row("factor_fit", Estimate(None, note=NOT_CONVERGED), settings=_METHOD)


def _suited(of: Of, found: Factorability) -> Iterator[Row]:
    """Yield KMO, over all scales and of each, and Bartlett's test."""
    yield of.row("kmo", found.kmo, settings={"rows": "rater and text"}, note=joined(found.kmo.note, of.note, DEPENDENT))
    said = {"test": "chi-squared that no scales correlate"}
    yield of.row("bartlett", found.bartlett, note=joined(found.bartlett.note, TESTS), settings=said)
    for key, one in zip(of.keys, found.of_scales, strict=True):
        yield of.make.row("kmo_of_scale", one, label=key, n_items=None)


def _eigenvalues(of: Of, found: Parallel) -> Iterator[Row]:
    said = {"draws": DRAWS, "quantile": QUANTILE, "random": "independent normal values, correlation matrix"}
    said |= {"seed": of.make.sample.seed(PURPOSE)}
    for number, (own, random) in enumerate(zip(found.eigenvalues, found.random, strict=True), start=1):
        yield of.make.row("eigenvalue", value=own, label=f"{number}")
        yield of.make.row("eigenvalue_random", value=random, label=f"{number}", settings=said)


def _number(solution: Solution) -> Estimate:
    if solution.refusal is not None:
        return Estimate(None, note=solution.refusal)
    k, wanted = solution.k, solution.wanted
    few = None if k == wanted else f"{wanted} were wanted; with so few scales more than {k} cannot be told apart."
    return Estimate(k, note=few)


def _by(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"by": "the plan"} if settings.get("n_factors") else {"by": "parallel analysis", "quantile": QUANTILE}


def _model(of: Of, factored: Factored, k: int) -> Iterator[Row]:
    """Yield everything about k factors."""
    found, rotated = factored.extraction, factored.rotation
    names, keys, gaps = factor_names(k), of.keys, loading_gaps(rotated.pattern)
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
        yield of.make.row("communality", value=float(factored.communalities[place]), label=key, note=bound)
        if k > 1:
            yield of.make.row("loading_gap", value=float(gaps[place]), label=key)
    for number, name in enumerate(names):
        yield of.make.row("variance_explained", value=float(rotated.explained[number]), metric=name)
        for other in range(number + 1, k):
            value = float(rotated.factors[number, other])
            yield of.make.row("factor_correlation", value=value, metric=name, metric_b=names[other])
    yield from reliability(of, rotated, names)
    yield from scores(of, regression_scores(of.rows.values, factored.correlations, rotated.structure), names)
    yield from sensitivity(of, rotated, names)


_METHOD = {"extraction": "maximum likelihood", "rotation": "promax, power 4, Kaiser normalisation throughout (SPSS)"}
