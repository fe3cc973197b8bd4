"""Section 4: the questions about each criterion."""

from collections.abc import Iterator, Sequence

from analytics_app import analyses
from analytics_app.analyses.wordings import wordings_finding
from analytics_app.heds.answers import NOT_APPLICABLE
from analytics_app.heds.filling.facts import (
    LIBRARY,
    REPEATS,
    TASKS,
    CriterionFacts,
    Facts,
    Proposal,
    counted,
    proposal,
)
from analytics_app.heds.filling.wording import rules_in_words
from analytics_app.heds.questions import questions
from analytics_app.models import ResultRow
from analytics_app.show import labels
from analytics_app.show.findings import FindingQuestion
from analytics_app.show.index import RowIndex
from analytics_app.show.scope import scope_of
from tasks_app.task_types.base import Criterion

ABSOLUTE, RELATIVE = 1, 2
OTHER = "other"

# The words with which criteria and task types answer, by question, in the order of the options.
WORDS = {
    "4.1.1": ("correctness", "goodness", "feature"),
    "4.1.2": ("form", "content", "both"),
    "4.1.3": ("own right", "relative to input", "relative to something external"),
    "4.2.1": ("objective", "subjective"),
    "4.2.2": ("absolute", "relative"),
    "4.2.3": ("intrinsic", "extrinsic"),
    "4.3.5": ("multiple choice", "check-boxes", "slider", "n/a", OTHER),
    "4.3.8": (
        "agreement with a quality statement", "direct quality estimation", "relative quality estimation",
        "counting occurrences", "qualitative feedback", "post-editing or annotation", "classification or labelling",
        "user-text interaction", "task performance", "user-system interaction", OTHER,
    ),
}  # fmt: skip


def proposals(facts: Facts, about: CriterionFacts) -> dict[str, Proposal]:
    """Return proposals for the questions about a criterion."""
    criterion, kind = about.criterion, about.frame.kind
    answers = {
        number: _worded(number, str(words), LIBRARY)
        for number, words in about.heds.items()
        if words and number in questions()
    }
    answers["4.2.2"] = proposal(TASKS, "", RELATIVE if kind.side_by_side else ABSOLUTE)
    answers["4.3.1.1"] = proposal(LIBRARY, criterion.name or NOT_APPLICABLE)
    answers["4.3.2"] = proposal(LIBRARY, criterion.definition or NOT_APPLICABLE)
    answers["4.3.7"] = proposal(LIBRARY, verbatim(criterion) or NOT_APPLICABLE)
    proposed = {"4.3.6": NOT_APPLICABLE, **kind.heds(criterion)}
    answers |= {number: _worded(number, words, TASKS) for number, words in proposed.items() if words}
    answers["4.3.9"] = proposal(facts.of_the_run, " ".join(_scores(facts, about)))
    return {**answers, **dict(_of_the_run(facts, about))}


def verbatim(criterion: Criterion) -> str:
    """Return the question word for word; of an experiment with its wording, all wordings with their short names."""
    if not criterion.wordings:
        return criterion.wording
    named = "; ".join(f"{one.shown_wording}: {_in_full(one)}" for one in criterion.all_wordings)
    return f"Each rater read one of {len(criterion.wording_keys)} wordings, drawn at random and balanced. {named}"


def _in_full(criterion: Criterion) -> str:
    """Return a wording with the texts above and below the question, and the direction of its scale."""
    parts = [f"“{criterion.wording}”"]
    parts += [f"above it: “{criterion.shown_first}”"] if criterion.shown_first else []
    parts += [f"with the example “{criterion.example}”"] if criterion.example else []
    scale = criterion.labels or tuple(filter(None, (criterion.low, criterion.high)))
    words = f" ({' – '.join(reversed(scale) if criterion.reversed else scale)})" if scale else ""
    if criterion.reversed:
        parts.append(f"scale from its high to its low end{words}")
    elif words:
        parts.append(f"scale{words}")
    return ", ".join(parts)


def wordings_found(facts: Facts, about: CriterionFacts) -> str:
    """Return whether the comparison of systems depends on the wording of a question; empty without an experiment."""
    rows = RowIndex([row for row in _rows_about(facts, about) if row.analysis == "wordings"])
    limit = 1 - float(facts.settings.get("confidence") or 0.95)
    found = wordings_finding(rows, FindingQuestion("", about.frame.task.type, round(limit, 9)))
    return "" if found is None else found.text


def _worded(number: str, words: str, source: str) -> Proposal:
    """Return a proposal with the option that the words name; other words are the text of "other"."""
    if number not in WORDS:
        return proposal(source, words)
    head, _colon, tail = words.partition(":")
    name = head.strip().lower()
    if name in WORDS[number]:
        return proposal(source, tail, WORDS[number].index(name) + 1)
    return (
        proposal(source, words, WORDS[number].index(OTHER) + 1) if OTHER in WORDS[number] else proposal(source, words)
    )


def _scores(facts: Facts, about: CriterionFacts) -> Iterator[str]:
    rules = rules_in_words(facts.settings)
    yield f"Left out by rules: {'; '.join(rules)}." if rules else "No rule leaves out answers."
    if statistics := facts.scores.get((about.frame.task.key, about.key), ()):
        yield f"Computed for each system: {', '.join(map(labels.statistic, statistics))}."
    confidence, n = facts.settings.get("confidence"), facts.settings.get("n_resamples")
    if confidence and n:
        yield f"Intervals: {confidence:.0%}, bootstrap with {n:,} samples."


def _of_the_run(facts: Facts, about: CriterionFacts) -> Iterator[tuple[str, Proposal]]:
    run = facts.run
    if run is None:
        return
    rows = _rows_about(facts, about)
    compared = list(dict.fromkeys(row.statistic for row in rows if row.system_b is not None))
    if compared:
        named = ", ".join(labels.statistic(name) for name in compared)
        correction = facts.settings.get("correction", "none")
        corrected = (
            "p values are not corrected"
            if correction == "none"
            else f"p values corrected by {labels.CORRECTIONS[correction]}"
        )
        scopes = "".join(f" {sentence}" for sentence in _scopes(rows))
        compared_how = f"For each pair of systems: {named}; {corrected}.{scopes}"
    else:
        compared_how = "None: no systems are compared."
    by_wording = wordings_found(facts, about)
    yield "4.3.10", proposal(facts.of_the_run, f"{compared_how} {by_wording}".rstrip())
    source = facts.of_the_run
    for method, value, best, none in (
        ("4.3.11.1", "4.3.11.2", agreement_of(facts, about), "None: the run computed no agreement on this criterion."),
        ("4.3.12.1", "4.3.12.2", _first_of(rows, REPEATS), "None: nobody was asked the same question twice."),
    ):
        yield method, proposal(source, "; ".join(method_in_words(row) for row in best) or none)
        yield value, proposal(source, "; ".join(value_in_words(row) for row in best) or NOT_APPLICABLE)


def _scopes(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yield a sentence for each conclusion that tests of pairs of systems allow, with the names of these tests."""
    tests: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.system_b is not None and row.p is not None and (scope := scope_of(row)):
            tests.setdefault(scope, {})[labels.statistic(row.statistic)] = None
    for scope, named in tests.items():
        yield f"Tests that generalise to {scope}: {', '.join(named)}."


def agreement_of(facts: Facts, about: CriterionFacts) -> list[ResultRow]:
    """Return the rows of the reported measure of agreement on a criterion; none if none was computed."""
    return _first_of(_rows_about(facts, about), analyses.measures_of_agreement())


def _rows_about(facts: Facts, about: CriterionFacts) -> list[ResultRow]:
    return [row for row in facts.rows if row.criterion == about.key and row.task == about.frame.task.key]


def _first_of(rows: Sequence[ResultRow], statistics: Sequence[str]) -> list[ResultRow]:
    """Return the rows of the first statistic that has any."""
    return next((matches for name in statistics if (matches := _named(rows, name))), [])


def _named(rows: Sequence[ResultRow], statistic: str) -> list[ResultRow]:
    return [row for row in rows if row.statistic == statistic and row.system is None and row.value is not None]


def method_in_words(row: ResultRow) -> str:
    """Return the name of a measure with its level of measurement and its numbers of ratings and raters."""
    settings = row.settings or {}
    about = [f"{name}: {settings[name]}" for name in ("level", "weights") if settings.get(name)]
    # Alpha leaves out ratings of texts that have one rating only.
    of_texts = " of texts with two or more" if row.statistic == "alpha" else ""
    about += [f"{counted(row.n_ratings, 'rating')}{of_texts}"] if row.n_ratings else []
    about += [counted(row.n_raters, "rater")] if row.n_raters else []
    return f"{labels.statistic(row.statistic)} ({', '.join(about)})"


def value_in_words(row: ResultRow) -> str:
    value = f"{row.value:.3f}"
    if row.low is not None and row.high is not None:
        value += f" [{row.low:.3f}, {row.high:.3f}]"
    return value
