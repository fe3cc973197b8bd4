"""The progress of raters, from the consent to the end, and the points where they leave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tasks_app.models import Rater, Task
from tasks_app.selectors.fieldwork.pace import Pace
from tasks_app.selectors.fieldwork.raters import Fieldwork, RaterWork, Standing
from tasks_app.selectors.fieldwork.tasks import StudyProgress

Outcome = Rater.Outcome

# Channels through which only invited people come.
BY_INVITATION = frozenset({"invited", "account"})


class Step(StrEnum):
    """A step of a rater's way. A study has those of screening and practice only where it screens and trains."""

    INVITED = "invited"
    CONSENTED = "consented"
    SCREENED = "screened"
    INSTRUCTED = "instructed"
    PASSED = "passed"
    JUDGED = "judged"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """The number of raters who reached a step, and among those who stopped there, those who left and those still there.

    `departed` counts those who ended and those who went without a word.
    """

    step: Step
    reached: int
    departed: int
    present: int


def _passed_screening(work: RaterWork) -> bool:
    return work.rater.outcome != Outcome.SCREENED_OUT and not any(rater_set.screening_left for rater_set in work.sets)


def _passed_practice(work: RaterWork) -> bool:
    return work.rater.outcome != Outcome.FAILED and not any(rater_set.practice_left for rater_set in work.sets)


# In the order of the way; who reaches one has reached those before it.
_REACHED: dict[Step, Callable[[RaterWork], bool]] = {
    Step.CONSENTED: lambda work: True,
    Step.SCREENED: _passed_screening,
    Step.INSTRUCTED: lambda work: work.rater.instructed_at is not None,
    Step.PASSED: _passed_practice,
    Step.JUDGED: lambda work: work.judged > 0,
    Step.FINISHED: lambda work: work.rater.outcome == Outcome.COMPLETED,
}


def funnel(progress: StudyProgress, pace: Pace, fieldwork: Fieldwork, channels: Sequence[str]) -> list[FunnelStep]:
    """Count the raters who reached each step of the way, and where those who left have left.

    Visits before the consent are not stored, so that it begins with people who were invited where only they can come,
    and else with the consent.
    """
    steps = _steps_of(progress, fieldwork)
    furthest = {work.rater.pk: _furthest(work, steps) for work in fieldwork.counted}
    funnel_steps = []
    for place, step in enumerate(steps):
        stopped = [work for work in fieldwork.counted if furthest[work.rater.pk] == place]
        present = sum(work.standing in {Standing.AT_WORK, Standing.WAITING} for work in stopped)
        done = step == Step.FINISHED
        reached = sum(far >= place for far in furthest.values())
        funnel_steps.append(FunnelStep(step, reached, 0 if done else len(stopped) - present, 0 if done else present))
    if channels and BY_INVITATION.issuperset(channels):
        invited = max(pace.invited, len(fieldwork.counted))
        funnel_steps.insert(0, FunnelStep(Step.INVITED, invited, 0, invited - len(fieldwork.counted)))
    return funnel_steps


def _steps_of(progress: StudyProgress, fieldwork: Fieldwork) -> list[Step]:
    screens = any(task.task.stage == Task.Stage.SCREENING for task in progress.tasks)
    trains = fieldwork.trains
    skipped = {*(() if screens else (Step.SCREENED,)), *(() if trains else (Step.PASSED,))}
    return [step for step in _REACHED if step not in skipped]


def _furthest(work: RaterWork, steps: Sequence[Step]) -> int:
    """Return the place of the last step that a rater has reached without missing a step before it.

    A rater who has completed the study has reached every step, even where the answers that show it were erased.
    """
    if work.rater.outcome == Outcome.COMPLETED:
        return len(steps) - 1
    place = 0
    while place + 1 < len(steps) and _REACHED[steps[place + 1]](work):
        place += 1
    return place
