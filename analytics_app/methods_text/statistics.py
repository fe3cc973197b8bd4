"""The analysis of ratings: plan, intervals, tests and their correction, agreement, software."""

import re
from collections.abc import Iterator, Mapping, Sequence

from analytics_app import analyses
from analytics_app.heds.filling.criteria import agreement_of, method_in_words, value_in_words, wordings_found
from analytics_app.heds.filling.facts import CriterionFacts, Facts
from analytics_app.methods_text.evaluation import WORDINGS, opening, task_name
from analytics_app.methods_text.references import named_in
from analytics_app.methods_text.sentences import Sentence, day, listed, lowered
from analytics_app.models import ResultRow, Run
from analytics_app.ratings.composites import read_composites
from analytics_app.show import labels
from analytics_app.show.scope import first_scope, limited_freedom

DATASHEET = ("shimorina-2022",)
PARTIAL_CREDIT = ("perrella-2026",)
COMPOSITES = ("demattei-2020",)
CEILING = ("agirre-2012",)
SACREBLEU = ("post-2018",)
MODEL = ("bates-2015", "kuznetsova-2017")


def sentences(
    facts: Facts, run: Run, standing: str, others: Sequence[ResultRow], signatures: Mapping[str, str]
) -> Iterator[Sentence]:
    """Yield sentences about the plan, settings and tests of a run, and its agreement.

    `standing` says whether it was planned; `others` are tests of anything but two systems, such as changes of groups;
    `signatures` are those of metrics that were computed here.
    """
    yield from _standing(facts, standing)
    yield from _settings(facts)
    yield from _composites(facts)
    yield from _signatures(signatures)
    yield from _ceiling(facts)
    yield from _tests(facts)
    yield from _other_tests(facts, others)
    yield from _wordings(facts)
    yield from _predicted_marks(facts)
    for frame in facts.main:
        for criterion in frame.criteria:
            yield from _agreement(facts, CriterionFacts(criterion.key, criterion.name, criterion, frame, {}))
    program = f"evalweb {run.code_version}, run {run.number}, seed {run.seed}"
    yield Sentence(f"All analyses were computed with {program}", ("evalweb",))
    if facts.study.options.ethics:
        yield Sentence(f"Ethics approval: {facts.study.options.ethics}".removesuffix("."))
    yield Sentence("Further details are given in a human evaluation datasheet", DATASHEET)


def _standing(facts: Facts, standing: str) -> Iterator[Sentence]:
    for text in standing.split(". "):
        yield Sentence(re.sub("^(Planned|Exploratory): ?", _beginning, text).removesuffix("."))
    version = facts.version
    if version is not None and not facts.study.options.imported:
        yield Sentence(f"The design and the plan were frozen on {day(version.frozen_at)} (SHA-256 {version.digest})")


def _beginning(match: re.Match[str]) -> str:
    """Return the beginning of a sentence for a match of a page's words."""
    return f"The analysis was {match[1].lower()}: "


def _settings(facts: Facts) -> Iterator[Sentence]:
    confidence, n = facts.settings.get("confidence"), facts.settings.get("n_resamples")
    if confidence and n:
        yield Sentence(
            f"All intervals are {confidence:.0%} confidence intervals; bootstrap intervals use {n:,} resamples"
        )


def _composites(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences about composite scores of several metrics."""
    declared = read_composites(str(facts.settings.get("composites") or ""))
    if declared:
        definitions = listed(f"“{composite.name}” ({composite.definition})" for composite in declared)
        scores = "A composite score was" if len(declared) == 1 else "Composite scores were"
        yield Sentence(f"{scores} computed from the scores of metrics: {definitions}", COMPOSITES)


def _signatures(signatures: Mapping[str, str]) -> Iterator[Sentence]:
    """Yield a sentence with the signature of each metric that was computed here, as it is to be reported."""
    computed = [f"{name} ({signature})" for name, signature in signatures.items()]
    if computed:
        sources = SACREBLEU if any("|version:" in signature for signature in signatures.values()) else ()
        were = "was" if len(computed) == 1 else "were"
        yield Sentence(f"{listed(computed)} {were} computed on the texts of the study", sources)


def _ceiling(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences that define the figures between people that metrics are shown beside, the human ceiling."""
    n_halves = {
        (row.settings or {}).get("n_comparisons")
        for row in facts.rows
        if row.statistic == "people_pearson_texts" and str(row.label).startswith("half") and row.value is not None
    }
    if n_halves:
        yield Sentence(
            "The agreement of metrics with people is shown beside that between people, by the same statistics over the "
            "texts that at least two raters judged: the ratings of each rater in turn against the mean ratings of all "
            f"others (mean over raters), and those of a random half of the raters against the other half (mean over "
            f"{max(map(int, filter(None, n_halves)))} divisions)",
            CEILING,
        )


def _tests(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences about the comparisons of two systems: each test once, with its criteria."""
    used: dict[tuple[str, str], list[ResultRow]] = {}
    for frame in facts.main:
        keys = dict.fromkeys(row.criterion for row in facts.rows if row.task == frame.task.key)
        for criterion in keys:
            row = main_test([row for row in facts.rows if row.task == frame.task.key and row.criterion == criterion])
            if row is not None:
                used.setdefault((row.analysis, row.statistic), []).append(row)
    names = {about.key: about.name or about.key for about in facts.criteria}
    for (_analysis, statistic), rows in used.items():
        criteria = dict.fromkeys(names.get(row.criterion or "", "") for row in rows)
        about = f" on {listed(f'“{name}”' for name in criteria if name)}" if any(criteria) and len(names) > 1 else ""
        measure = lowered(labels.statistic(statistic))
        yield Sentence(f"Systems were compared in pairs{about}: {measure}{test_in_words(rows[0])}")
        yield from _conclusion(rows)


def _conclusion(rows: Sequence[ResultRow]) -> Iterator[Sentence]:
    """Yield sentences about the model of a comparison, if it has one, and the conclusions that its test allows."""
    model = next((row.settings["model"] for row in rows if row.settings and "model" in row.settings), None)
    if model:
        degrees = "by restricted maximum likelihood, with Satterthwaite's degrees of freedom"
        yield Sentence(f"The model was {model}, fitted {degrees}", MODEL)
    if limit := next(filter(None, map(limited_freedom, rows)), None):
        zero = "a variance between systems that is estimated as 0 may well be larger"
        yield Sentence(
            f"With only {limit.among}, {zero}, so the degrees of freedom were at most {limit.most} and the test is "
            "cautious"
        )
    if scope := first_scope(rows):
        yield Sentence(f"The conclusions hold for {scope}")


def _other_tests(facts: Facts, tested: Sequence[ResultRow]) -> Iterator[Sentence]:
    """Yield sentences about other corrected tests, such as changes of groups: each kind of test once for a task."""
    for frame in facts.main:
        rows = [row for row in tested if row.task == frame.task.key]
        kinds = {(row.analysis, row.statistic): row for row in reversed(rows)}
        for (_analysis, statistic), row in sorted(kinds.items()):
            tested_one = opening(task_name(facts, frame), labels.statistic(statistic))
            yield Sentence(f"{tested_one} was tested{test_in_words(row)}")


def _wordings(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences about the tests of wordings: whether ratings shift, and whether systems gain or lose."""
    for about in facts.criteria:
        rows = {row.statistic: row for row in facts.rows if row.analysis == "wordings" and row.criterion == about.key}
        tested = [
            f"{what}, {_f_in_words(row)}"
            for name, what in (
                ("wording_shift_test", "shift of ratings"),
                ("wording_system_test", "systems by wording"),
            )
            if (row := rows.get(name)) is not None and row.p is not None
        ]
        if tested:
            of_question = f"Wordings of “{about.name or about.key}” were compared between raters"
            model = str((rows["wording_shift_test"].settings or {}).get("model", "means of raters by Welch's t test"))
            yield Sentence(f"{of_question} ({model}): {listed(tested)}", WORDINGS)
        if rows and (found := wordings_found(facts, about)):
            yield Sentence(found.removesuffix("."))


def _f_in_words(row: ResultRow) -> str:
    p = f"p = {row.p:.3f}" if row.p is not None and row.p >= 0.001 else "p < .001"
    if row.value is None or row.df is None:
        return p
    return f"F({(row.settings or {}).get('df'):g}, {row.df:.1f}) = {row.value:.2f}, {p}"


def _predicted_marks(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences about marks of metrics that were compared with those of people."""
    rows = [row for row in facts.rows if row.analysis == "predicted_marks"]
    metrics = sorted({row.metric for row in rows if row.metric and row.statistic == "metric_marks_f1"})
    if not metrics:
        return
    marks = "Error spans predicted by " + listed(metrics)
    measure = "precision, recall and F1 of a one-to-one matching with partial credit, micro over these comparisons"
    yield Sentence(f"{marks} were compared with those of each person: {measure}", PARTIAL_CREDIT)
    if any(row.statistic == "people_marks_f1_shared" and row.value is not None for row in rows):
        yield Sentence(
            "As the human ceiling, each person was held out and compared with the others, beside the metric on the "
            "same texts"
        )


def main_test(rows: Sequence[ResultRow]) -> ResultRow | None:
    """Return the first test of a difference between two systems, one with a corrected p value before others."""
    tested = [row for row in rows if row.system_b is not None and row.p is not None]
    return next((row for row in tested if row.p_adjusted is not None), next(iter(tested), None))


def test_in_words(row: ResultRow) -> str:
    """Return the name of a row's test and the correction of its p values, without counts of the pair."""
    settings = row.settings or {}
    test = str(settings.get("test", "")).partition(":")[0]
    named = f" ({test})" if test else ""
    correction = str(settings.get("correction", "none"))
    if correction == "none":
        return f"{named}; p values were not corrected"
    family = settings.get("family")
    over = f" over {family}" if family else ""
    return f"{named}; p values were corrected by the method of {labels.CORRECTIONS.get(correction, correction)}{over}"


def _agreement(facts: Facts, about: CriterionFacts) -> Iterator[Sentence]:
    rows = agreement_of(facts, about)
    if rows:
        name = task_name(facts, about.frame)
        values = " and ".join(map(_value, rows))
        analysis = rows[0].analysis
        source = named_in(analyses.registry[analysis].source) if analysis in analyses.registry else ()
        yield Sentence(f"{name}{'a' if name else 'A'}greement on “{about.name or about.key}” was {values}", source)


def _value(row: ResultRow) -> str:
    """Return a value with its interval, its measure and its numbers of ratings and raters."""
    value, _space, interval = value_in_words(row).partition(" ")
    confidence = (row.settings or {}).get("confidence")
    between = [f"{confidence:.0%} CI {interval}" if confidence else interval] if interval else []
    measure, _bracket, about = method_in_words(row).partition(" (")
    return f"{value} ({'; '.join([*between, measure, about.removesuffix(')')])})"
