"""Section 3.3: the design of the experiment."""

from collections.abc import Iterator

from analytics_app.heds.filling.facts import (
    STUDY,
    TASKS,
    Facts,
    Proposal,
    counted,
    extension_in_words,
    proposal,
    were,
    withdrawn_in_words,
)
from analytics_app.heds.filling.wording import failing, rules_in_words
from analytics_app.selectors import taken_over
from tasks_app import designs
from tasks_app.channels import UNANSWERED_MINUTES
from tasks_app.models import Rater
from tasks_app.selectors.screens import Frame
from tasks_app.task_types.clock import TimedPart

AUTOMATIC, MANUAL, EVALUATORS_EXCLUDED, ANSWERS_EXCLUDED, NO_CHECKS = 2, 3, 4, 5, 7
# Rules that leave out raters as a whole, and one that people apply.
OF_RATERS = frozenset({"control_accuracy", "inconsistency", "skips", "straight_lining", "trust", "working_time"})
BY_HAND = "manual"
SET_TIME, NO_LIMIT = 2, 5
CAN_ASK = 1
OWN_CHOOSING = 1


def proposals(facts: Facts) -> dict[str, Proposal]:
    """Return proposals for the questions about the design."""
    answers = dict(_registered(facts))
    answers["3.3.4.2"] = proposal(TASKS, "\n".join(_seen(facts)))
    if facts.study.options.imported:
        return answers
    answers["3.3.2"] = proposal(TASKS, "\n".join(_collected(facts)))
    answers |= _quality(facts)
    minutes = facts.study.options.lease_minutes
    first = f" ({UNANSWERED_MINUTES} minutes before a rater's first answer)" if minutes > UNANSWERED_MINUTES else ""
    lease = f"A unit that is not answered within {minutes:g} minutes{first} may go to somebody else."
    times = list(_set_times(facts))
    if times:
        answers["3.3.5"] = proposal(TASKS, "\n".join([*times, lease]), SET_TIME)
    else:
        answers["3.3.5"] = proposal(STUDY, f"There is no limit. {lease}", NO_LIMIT)
    if facts.study.options.contact:
        answers["3.3.6"] = proposal(STUDY, "", CAN_ASK)
    answers["3.3.7"] = proposal("because raters work in their browsers", "", OWN_CHOOSING)
    return answers


def _set_times(facts: Facts) -> Iterator[str]:
    """Yield the set time of each task that has one, with the raters who had more."""
    for frame in facts.main:
        time = frame.kind.set_time
        if time is None:
            continue
        seconds = counted(int(time.seconds), "second")
        ends = (
            f"each text was shown for {seconds} and then covered; the questions had no limit"
            if time.part == TimedPart.READING
            else f"each text and its questions had {seconds}"
        )
        yield f"{facts.called(frame)}: {ends}. Every evaluator could take twice the time or no limit, without a reason."
        for row in facts.of_task(frame, "raters_with_more_time"):
            n = row.n_raters or 0
            yield f"{round((row.value or 0) * n)} of {counted(n, 'evaluator')} chose more time at least once."
        for row in facts.of_task(frame, "time_lapses"):
            n = row.n_ratings or 0
            yield f"The time was over before {round((row.value or 0) * n)} of {counted(n, 'answer')}."


def _registered(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    version = facts.version
    if version is not None and not facts.study.options.imported:
        yield (
            "3.3.1",
            proposal(
                "from the frozen design",
                f"The design and the analysis plan were frozen on {version.frozen_at:%d %b %Y} "
                f"(SHA-256 {version.digest}). Add the address where they were registered.",
            ),
        )


def _collected(facts: Facts) -> Iterator[str]:
    yield "Evaluators answer in their browsers, on pages of evalweb; every answer is stored when it is sent."
    for frame in facts.main:
        task, design = frame.task, designs.registry[frame.task.design]
        yield (
            f"{facts.called(frame)}: {frame.kind.label}; design: {design.label}; "
            f"{counted(task.k, 'judgment')} of each unit, sets of {counted(task.set_size, 'unit')}."
        )
        if extended := extension_in_words(facts, frame):
            yield f"{extended}."
    if withdrawn := withdrawn_in_words(facts):
        yield withdrawn
    if facts.evaluators.get(Rater.Kind.IMPORTED):
        yield from taken_over.in_words(facts.study)


def _seen(facts: Facts) -> Iterator[str]:
    for frame in facts.main:
        params = frame.kind.params
        shown = [
            *(["instructions"] if frame.task.instructions else []),
            *(["the source"] if facts.n_sources and params.get("show_source", True) else []),
            *(["the reference"] if params.get("show_reference") else []),
            "several texts" if frame.kind.side_by_side else "the text",
            *(["definitions"] if any(criterion.definition for criterion in frame.criteria) else []),
            "the questions",
        ]
        yield f"{facts.called(frame)} ({frame.kind.label}): {', '.join(shown)}."


def _quality(facts: Facts) -> dict[str, Proposal]:
    rules = [str(entry["rule"]) for entry in facts.settings.get("rules", ())]
    checks = [line for frame in facts.main for line in checks_in_words(facts, frame)]
    automatic = [rule for rule in rules if rule != BY_HAND]
    ends = any(settings.on_failing == "end" for settings in facts.checks.values()) and bool(checks)
    kinds = [
        *([AUTOMATIC] if automatic or checks else []),
        *([MANUAL] if BY_HAND in rules else []),
        *([EVALUATORS_EXCLUDED] if ends or OF_RATERS & set(rules) else []),
        *([ANSWERS_EXCLUDED] if set(automatic) - OF_RATERS else []),
    ]
    words = [*checks, *(f"Rule of the analysis: {rule}." for rule in rules_in_words(facts.settings))]
    words += [
        f"{counted(int(row.value or 0), 'evaluator')} left out altogether." for row in facts.of_main("raters_excluded")
    ]
    return {
        "3.3.3.1": proposal(facts.of_the_run, "", *(kinds or [NO_CHECKS])),
        "3.3.3.2": proposal(f"from the checks, and {facts.of_the_run}", "\n".join(words) or "N/A"),
    }


def checks_in_words(facts: Facts, frame: Frame) -> Iterator[str]:
    """Yield the checks of a task, a sentence each."""
    checks = facts.checks[frame.task.pk]
    controls = checks.controls_among(frame.task.set_size, facts.known_answers(frame, "control"))
    attention = checks.attention_among(facts.known_answers(frame, "attention"))
    if controls:
        yield f"Each set contained {counted(controls, 'unit')} with a known answer."
    if attention:
        yield f"Each set contained {counted(attention, 'attention check')}."
    if checks.repeats:
        yield f"{counted(checks.repeats, 'unit')} of each set {were(checks.repeats)} shown twice."
    if checks.degraded:
        yield f"Each set contained {counted(checks.degraded, 'degraded copy', 'degraded copies')} of texts."
    watched = (controls + attention + checks.degraded) * (facts.study.options.sets_per_rater or 1)
    if (controls or attention) and watched >= checks.limit_after:
        yield from failing(checks.on_failing, checks.fail_below, checks.limit_after)
