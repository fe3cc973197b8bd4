"""The amount of work for one rater: screens, texts and answers, and an estimate of the minutes.

The estimate stands in for real times until there are some (docs/decisions/0052): reading at the speed of
tasks_app/texts/reading_time.py, and seconds for every answer and screen, for the consent and the instructions.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

SECONDS_A_SCREEN = 2.0
# Consent and instructions, which are paid as well.
SECONDS_BEFORE = 90.0

# Texts and answers that one screen can comfortably have; beyond them, raters are slow and anchor on the first texts.
MOST_TEXTS = 8
MOST_ANSWERS = 20


@dataclass(frozen=True, slots=True)
class TaskLoad:
    """One rater's set of a task: its screens, and the texts and answers of a screen on average and at most.

    `units` are those to judge in the whole task, `places` the judgments of them, `sets` the sets that these make; all 0
    for a task without a plan.
    """

    screens: int
    texts: float
    answers: float
    seconds: float
    most_texts: int = 0
    most_answers: int = 0
    units: int = 0
    places: int = 0
    sets: int = 0

    def times(self, screens: float) -> tuple[int, int]:
        """Return the texts and answers of so many screens."""
        return round(self.texts * screens), round(self.answers * screens)

    @property
    def is_crowded(self) -> bool:
        """Whether a screen asks for more than raters do well."""
        return self.most_texts > MOST_TEXTS or self.most_answers > MOST_ANSWERS


@dataclass(frozen=True, slots=True)
class Workload:
    """Everything that one rater is given, by task and together."""

    screens: int
    texts: int
    answers: int
    minutes: float
    tasks: Mapping[str, TaskLoad] = field(default_factory=dict)

    @classmethod
    def of(cls, tasks: Mapping[str, TaskLoad], given: Mapping[str, bool]) -> Self:
        """Add up the tasks that one rater is `given`."""
        own = [load for key, load in tasks.items() if given.get(key)]
        amounts = [load.times(load.screens) for load in own]
        return cls(
            screens=sum(load.screens for load in own),
            texts=sum(texts for texts, _answers in amounts),
            answers=sum(answers for _texts, answers in amounts),
            minutes=float(round((SECONDS_BEFORE + sum(load.seconds * load.screens for load in own)) / 60)),
            tasks=tasks,
        )

    @classmethod
    def stored(cls, contents: Mapping[str, Any]) -> Self:
        """Read the workload that was stored with a study."""
        tasks = {key: TaskLoad(**load) for key, load in contents["tasks"].items()}
        return cls(**{**contents, "tasks": tasks})

    def to_store(self) -> dict[str, Any]:
        """Return the same as JSON."""
        return asdict(self)
