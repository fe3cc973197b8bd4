"""Section 3.2: the evaluators."""

from collections.abc import Iterator

from analytics_app.heds.filling.facts import RATERS, STUDY, TASKS, Facts, Proposal, counted, proposal, were
from tasks_app import channels
from tasks_app.models import Rater, Task
from tasks_app.selectors.screens import Frame
from tasks_app.settings.study import StudySettings

PAID, NOT_PAID = 1, 3


def proposals(facts: Facts) -> dict[str, Proposal]:
    """Return proposals for the questions about evaluators."""
    answers = dict(_number(facts))
    options = facts.study.options
    if not options.imported:
        answers["3.2.2.2"] = _payment(facts)
        answers["3.2.3"] = _recruitment(facts)
        if training := "\n".join(_training(facts)):
            answers["3.2.4"] = proposal(TASKS, training)
        if questions := "\n".join(_questions(facts)):
            answers["3.2.5"] = proposal("from the questionnaires", questions)
    return answers


def _number(facts: Facts) -> Iterator[tuple[str, Proposal]]:
    """Yield the number of raters with answers that the run analysed; before a run, of those who judged."""
    analysed = facts.of_main("raters_analysed")
    simulated = facts.evaluators.get(Rater.Kind.SIMULATED, 0)
    of_whom = f", {simulated:,} of them simulated" if simulated else ""
    if facts.run is not None and len(analysed) == 1:
        yield "3.2.1", proposal(facts.of_the_run + of_whom, int(analysed[0].value or 0))
    elif n := sum(facts.evaluators.values()):
        yield "3.2.1", proposal(RATERS + of_whom, n)


def _payment(facts: Facts) -> Proposal:
    words = payment_in_words(facts.study.options)
    return proposal(STUDY, " ".join(words), PAID) if words else proposal(STUDY, "", NOT_PAID)


def payment_in_words(options: StudySettings) -> list[str]:
    """Return sentences about the payment of raters; none if they are not paid."""
    if not options.amount and not options.part_amount and not options.bonus:
        return []
    words = [f"{options.amount:.2f} {options.currency} for a full set of about {options.expected_minutes:g} minutes."]
    if options.part_amount:
        words.append(
            f"{options.part_amount:.2f} {options.currency} for evaluators who are screened out or fail the exam."
        )
    return [*words, *(text for text in (options.bonus, options.paid) if text)]


def _recruitment(facts: Facts) -> Proposal:
    options = facts.study.options
    ways = [str(channels.registry[name].label) for name in options.channels if name in channels.registry]
    words = [f"Evaluators came by: {', '.join(ways)}."]
    for frame in facts.frames:
        if frame.task.stage == Task.Stage.SCREENING:
            questions = "; ".join(criterion.wording for criterion in frame.criteria)
            words.append(f"Questions that decided who could take part: {questions}.")
    return proposal("from the channels and the screening", " ".join(words))


def _training(facts: Facts) -> Iterator[str]:
    """Yield sentences about the instructions and training of raters, task by task."""
    for frame in facts.main:
        words = list(before_in_words(facts, frame))
        if words:
            title = f"{facts.called(frame)}: " if len(facts.main) > 1 else ""
            yield f"{title}{' '.join(words)}"


def before_in_words(facts: Facts, frame: Frame) -> Iterator[str]:
    """Yield sentences about the instructions and training of a task."""
    checks = facts.checks[frame.task.pk]
    if frame.task.instructions:
        yield f"Raters read instructions of {counted(len(frame.task.instructions.split()), 'word')}."
    if training := _units(checks.training, facts.known_answers(frame, "training")):
        yield f"They were trained on {counted(training, 'unit')} with feedback."
    if exam := _units(checks.exam, facts.known_answers(frame, "exam")):
        yield (
            f"They took an exam of {counted(exam, 'unit')}; {checks.exam_pass:.0%} correct answers were needed to "
            f"pass, with at most {counted(checks.exam_attempts, 'attempt')}."
        )
    if checks.warm_up:
        first = f"The first {checks.warm_up} units" if checks.warm_up > 1 else "The first unit"
        yield f"{first} of each rater served as warm-up and {were(checks.warm_up)} excluded from all results."


def _units(most: int | None, available: int) -> int:
    return available if most is None else min(most, available)


def _questions(facts: Facts) -> Iterator[str]:
    for frame in facts.frames:
        if frame.task.stage != Task.Stage.MAIN:
            questions = " · ".join(criterion.wording for criterion in frame.criteria)
            yield f"{facts.called(frame)}: {questions}"
