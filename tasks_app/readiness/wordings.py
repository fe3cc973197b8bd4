"""Experiments with the wording of a question: too few raters, unsuitable words, and analyses that pool wordings."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Level, Point, register
from tasks_app.readiness.wording import language_point
from tasks_app.texts.language_guess import differs

KIND = "wordings"

# With fewer raters of each wording results have no test, and with fewer than these a test finds large shifts only.
FEWEST, ENOUGH = 3, 6

_WORDS_OF_SCALE = ("low", "high", "labels", "anchors")


def _experiments(facts: Facts) -> Iterator[tuple[int, Mapping[str, Any], list[tuple[int, Mapping[str, Any]]]]]:
    """Yield the main tasks with questions in several wordings, and these questions, each with its place."""
    for place, task in facts.main_tasks:
        asked = [(number, row) for number, row in facts.criteria_of(task) if row.get("wordings")]
        if asked:
            yield place, task, asked


def _path(number: int) -> Path:
    return ("criteria", number, "wordings")


@register
def few_raters_a_wording(facts: Facts) -> Iterator[Point]:
    """Yield the questions with too few raters for each wording, as far as the plan says how many raters come."""
    for _place, task, asked in _experiments(facts):
        load = facts.workload.tasks.get(str(task["key"])) if facts.workload else None
        if load is None or not load.sets:
            continue
        raters = load.sets / (facts.section("flow").get("sets_per_rater") or 1)
        for number, row in asked:
            # Where raters judge by one criterion each, only those of this criterion read its wordings.
            shared = len(task["criteria"]) if task["criteria_mode"] == "rater" else 1
            n = raters / shared / (len(row["wordings"]) + 1)
            words = {"name": row["name"], "n": ceil(n), "least": FEWEST, "enough": ENOUGH}
            if n < FEWEST:
                yield Point(
                    KIND,
                    _(
                        "About %(n)d raters will read each wording of “%(name)s”. With fewer than %(least)d, results "
                        "cannot tell the wording from the raters: use fewer wordings, smaller sets or more judgments."
                    )
                    % words,
                    _path(number),
                )
            elif n < ENOUGH:
                yield Point(
                    KIND,
                    _(
                        "About %(n)d raters will read each wording of “%(name)s”: enough for a test, which finds large "
                        "differences only. %(enough)d or more are better."
                    )
                    % words,
                    _path(number),
                    Level.NOTE,
                )


@register
def what_is_pooled(facts: Facts) -> Iterator[Point]:
    """Yield a note on each experiment: other analyses take the raters of all wordings together."""
    for _place, _task, asked in _experiments(facts):
        for number, row in asked:
            sentence = _(
                "Each rater reads one of %(n)d wordings of “%(name)s”. Agreement and comparisons of systems take the "
                "raters of all wordings together; the analysis “Wordings of the question” compares the wordings."
            )
            words = {"n": len(row["wordings"]) + 1, "name": row["name"]}
            yield Point(KIND, sentence % words, _path(number), Level.NOTE)
        if len(asked) > 1:
            sentence = _(
                "Several questions of one task have wordings, and these are drawn independently: raters read them in "
                "many combinations. To see the effect of one question alone, keep the others in one wording."
            )
            yield Point(KIND, sentence, _path(asked[0][0]), Level.NOTE)


@register
def reversed_with_the_same_words(facts: Facts) -> Iterator[Point]:
    """Yield wordings that ask another question on a reversed scale with the words of the first one."""
    for _place, _task, asked in _experiments(facts):
        for number, row in asked:
            for one in row["wordings"]:
                own = any(one[name] for name in _WORDS_OF_SCALE)
                if one["reversed"] and one["question"] and not own and any(row[name] for name in _WORDS_OF_SCALE):
                    sentence = _(
                        "The wording “%(key)s” asks another question on the reversed scale, with the words of the "
                        "first question. If it asks for the opposite, word its steps or ends, from the worst text to "
                        "the best."
                    )
                    yield Point(KIND, sentence % {"key": one["key"]}, _path(number))


@register
def attention_checks_in_other_words(facts: Facts) -> Iterator[Point]:
    """Yield questions with attention checks that name a step which raters of another wording do not see."""
    for _place, task, asked in _experiments(facts):
        if not facts.counts(task, "attention"):
            continue
        for number, row in asked:
            if any(any(one[name] for name in _WORDS_OF_SCALE) for one in row["wordings"]):
                sentence = _(
                    "Attention checks name a step of “%(name)s” in the words of the question itself, which raters of "
                    "another wording do not see. Remove the attention checks, or keep the words of the scale."
                )
                yield Point(KIND, sentence % {"name": row["name"]}, _path(number))


@register
def in_another_language(facts: Facts) -> Iterator[Point]:
    """Yield wordings that are clearly in another language than raters read."""
    own = str(facts.section("study").get("language") or "en")
    for _place, _task, asked in _experiments(facts):
        for number, row in asked:
            language = str(row.get("language") or own)
            for one in row["wordings"]:
                text = " ".join(filter(None, (one[name] for name in ("question", "definition", "shown_first"))))
                if found := differs(text, language, 2):
                    yield language_point(found, language, _path(number))
