"""Quality control: training of raters, checks, and ratings that rules left out."""

from collections.abc import Iterator, Sequence

from analytics_app import quality
from analytics_app.heds.filling.design import BY_HAND, checks_in_words
from analytics_app.heds.filling.evaluators import before_in_words
from analytics_app.heds.filling.facts import Facts, counted
from analytics_app.heds.filling.wording import rule_in_words
from analytics_app.methods_text.evaluation import opening, task_name
from analytics_app.methods_text.references import named_in
from analytics_app.methods_text.sentences import Sentence
from analytics_app.models import ResultRow

REMOVED_NOTHING = "removed no ratings"


def sentences(facts: Facts, removed: Sequence[ResultRow]) -> Iterator[Sentence]:
    """Yield sentences about training, checks and rules; `removed` are the funnel rows of each rule's exclusions."""
    if not facts.study.options.imported:
        for frame in facts.main:
            for text in (*before_in_words(facts, frame), *checks_in_words(facts, frame)):
                yield Sentence(opening(task_name(facts, frame), text).removesuffix("."))
    rules = facts.settings.get("rules", ())
    for entry in rules:
        name = str(entry["rule"])
        removal = removal_in_words(facts, [row for row in removed if row.label == name])
        if name == BY_HAND:
            yield Sentence(
                f"Manual exclusion {removal}" if removal != REMOVED_NOTHING else "No ratings were excluded manually"
            )
        else:
            cites = named_in(quality.registry[name].source) if name in quality.registry else ()
            yield Sentence(f"The rule “{rule_in_words(entry)}” {removal}", cites)
    if not rules:
        yield Sentence("No quality rules were applied")


def removal_in_words(facts: Facts, rows: Sequence[ResultRow]) -> str:
    """Return a phrase about the ratings that a rule left out, task by task if the study has several."""
    titles = {frame.task.key: facts.called(frame) for frame in facts.main}
    removals = [row for row in rows if row.task in titles and row.n_ratings]
    if not removals:
        return REMOVED_NOTHING
    return "; ".join(
        f"removed {counted(row.n_ratings or 0, 'rating')}"
        + (f" ({row.value:.1%})" if row.value is not None else "")
        + (f" from {counted(row.n_raters, 'rater')}" if row.n_raters else "")
        + (f" in the task “{titles[row.task or '']}”" if len(titles) > 1 else "")
        for row in removals
    )
