"""Factors of adjective pairs, or of the questions of a questionnaire: groups that measure the same construct."""

from collections.abc import Iterator

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.factors.removals import next_removal, read_steps, removals, without
from analytics_app.analyses.factors.rows import Context, reliability, scores, sensitivity
from analytics_app.analyses.factors.solutions import DRAWS, PURPOSE, QUANTILE, Factored, Solution, factor_names, solve
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.scales_of_texts import scales_of
from analytics_app.results import Row
from analytics_app.stats.scales.factor import NOT_CONVERGED, regression_scores
from analytics_app.stats.scales.factorability import Factorability, Parallel
from analytics_app.stats.scales.reduction import LEAST_COMMUNALITY, LEAST_GAP, loading_gaps
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import number_field, whole_field
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

DEPENDENT = "Rows are a rater's ratings of a text: those of one rater, and of one text, are not independent."
TESTS = "A test of rows as if they were independent."

# The settings of the row of the number of factors.
BY_PLAN = {"by": "the plan"}
BY_ANALYSIS = {"by": "parallel analysis", "quantile": QUANTILE}


@register
class Factors(FilteredAnalysis):
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

    n_factors = whole_field(_("Number of factors"), _("Leave empty to have parallel analysis decide."), within=(1, 20))
    questions = ListField(
        label=_("Pairs or questions"),
        help_text=_("Keys of those that enter; empty: every pair, the words of PANAS, or most of the same steps."),
    )
    cut = number_field(
        _("A scale belongs to the factor it loads on most, from this loading on"), within=(0, 1), initial=0.4
    )
    removed = ListField(
        label=_("Pairs removed, in this order"),
        help_text=_(
            "Each as key=reason; the reason is communality, cross-loading or content. The results of a run offer "
            "the next pair."
        ),
    )
    least_communality = number_field(
        _("Suggest removing a pair with a communality below"), within=(0, 1), initial=LEAST_COMMUNALITY
    )
    least_gap = number_field(_("Suggest removing a pair with a loading gap below"), within=(0, 1), initial=LEAST_GAP)

    class Settings(Block):
        def clean_removed(self) -> list[str]:
            """Refuse a step without a pair or a known reason, or a pair that is named twice."""
            removed_steps: list[str] = self.cleaned_data["removed"]
            try:
                read_steps(removed_steps)
            except ValueError as problem:
                raise ValidationError(str(problem)) from None
            return removed_steps

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether there are enough scales to look for factors."""
        return super().fits(question) and len(scales_of(question, ())) > 2

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the suitability of the data, the number of factors, their loadings, and the scores of systems."""
        scales = scales_of(sample.question, self.questions)
        unknown = sorted(set(self.questions) - {scale.key for scale in scales})
        # Questionnaires have published scores: their factors are computed only if a plan asks for them.
        steps = read_steps(self.removed)
        removed = [step for step in steps if step.pair in {scale.key for scale in scales}]
        asked_for = bool(self.questions or self.n_factors or removed)
        if unknown:
            note = f"This task does not ask on a scale with steps or numbers: {', '.join(unknown)}."
            yield Rows(self.name, sample).row("kmo", note=note)
            return
        if not scales or ("instrument" in sample.question.params and not asked_for):
            return
        solution = solve(sample, without(scales, removed), self.n_factors)
        context = Context(Rows(self.name, sample), solution.rows, self.cut, solution.note)
        yield from _of_solution(context, solution, by_plan=bool(self.n_factors))
        yield from next_removal(context.make, solution, self.least_communality, self.least_gap)
        yield from removals(context.make, solution, scales, removed, self.n_factors)
        for step in steps:
            if step not in removed:
                yield context.make.row("removed_pair", label=step.pair, note="Not asked in this task, so not removed.")


def _of_solution(context: Context, solution: Solution, *, by_plan: bool) -> Iterator[Row]:
    """Yield the rows of a solution, as far as it got: suitability, number of factors, loadings, scores of systems.

    `by_plan` says that the plan chose the number of factors.
    """
    if solution.suited is None:
        yield context.row("kmo", Estimate(None, note=solution.refusal))
        return
    yield from _suited(context, solution.suited)
    if solution.parallel is None:
        return
    yield from _eigenvalues(context, solution.parallel)
    yield context.row("n_factors", _number(solution), settings=BY_PLAN if by_plan else BY_ANALYSIS)
    if solution.factored is not None:
        yield from _model(context, solution.factored, solution.k)
    elif solution.extraction is not None:
        yield context.row("factor_fit", Estimate(None, note=NOT_CONVERGED), settings=_METHOD)


def _suited(context: Context, suitability: Factorability) -> Iterator[Row]:
    """Yield KMO, over all scales and of each scale, and Bartlett's test."""
    yield context.row(
        "kmo",
        suitability.kmo,
        settings={"rows": "rater and text"},
        note=joined(suitability.kmo.note, context.note, DEPENDENT),
    )
    settings = {"test": "chi-squared that no scales correlate"}
    yield context.row(
        "bartlett", suitability.bartlett, note=joined(suitability.bartlett.note, TESTS), settings=settings
    )
    for key, estimate in zip(context.keys, suitability.of_scales, strict=True):
        yield context.make.row("kmo_of_scale", estimate, label=key, n_items=None)


def _eigenvalues(context: Context, parallel: Parallel) -> Iterator[Row]:
    settings = {"draws": DRAWS, "quantile": QUANTILE, "random": "independent normal values, correlation matrix"}
    settings |= {"seed": context.make.sample.seed(PURPOSE)}
    for number, (eigenvalue, random) in enumerate(zip(parallel.eigenvalues, parallel.random, strict=True), start=1):
        yield context.make.row("eigenvalue", value=eigenvalue, label=f"{number}")
        yield context.make.row("eigenvalue_random", value=random, label=f"{number}", settings=settings)


def _number(solution: Solution) -> Estimate:
    if solution.refusal is not None:
        return Estimate(None, note=solution.refusal)
    k, target = solution.k, solution.target
    few = None if k == target else f"{target} were wanted; with so few scales more than {k} cannot be told apart."
    return Estimate(k, note=few)


def _model(context: Context, factored: Factored, k: int) -> Iterator[Row]:
    """Yield the rows of a model with k factors."""
    extraction, rotated = factored.extraction, factored.rotation
    names, keys, gaps = factor_names(k), context.keys, loading_gaps(rotated.pattern)
    heywood = [keys[place] for place in extraction.heywood]
    at_bound = (
        f"Heywood case: nothing of {', '.join(heywood)} is left unexplained; doubt the model." if heywood else None
    )
    yield context.row(
        "factor_fit",
        extraction.fit,
        note=joined(extraction.fit.note, at_bound, TESTS),
        settings={**_METHOD, "test": "chi-squared"},
    )
    for place, key in enumerate(keys):
        for number, name in enumerate(names):
            value = float(rotated.pattern[place, number])
            yield context.make.row("loading", value=value, label=key, metric=name, settings=_METHOD)
        bound = at_bound if place in extraction.heywood else None
        yield context.make.row("communality", value=float(factored.communalities[place]), label=key, note=bound)
        if k > 1:
            yield context.make.row("loading_gap", value=float(gaps[place]), label=key)
    for number, name in enumerate(names):
        yield context.make.row("variance_explained", value=float(rotated.explained[number]), metric=name)
        for other in range(number + 1, k):
            value = float(rotated.factors[number, other])
            yield context.make.row("factor_correlation", value=value, metric=name, metric_b=names[other])
    yield from reliability(context, rotated, names)
    yield from scores(context, regression_scores(context.rows.values, factored.correlations, rotated.structure), names)
    yield from sensitivity(context, rotated, names)


_METHOD = {"extraction": "maximum likelihood", "rotation": "promax, power 4, Kaiser normalisation throughout (SPSS)"}
