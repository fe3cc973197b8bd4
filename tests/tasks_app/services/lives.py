"""What state machines about raters share: steps that find somebody to act on, and a count of what they did.

A step that finds nobody does nothing, and a machine of such steps passes whatever the code does. So a step is drawn
from those that are possible, and each test asserts how often each of them had an effect.
"""

from collections import Counter
from random import Random
from typing import ClassVar

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tasks_app.models import Rater, Study
from tests import extent


class RaterLives(RuleBasedStateMachine):
    """A study, the raters in it, and how often each step had an effect in all stories of the machine."""

    effects: ClassVar[Counter[str]] = Counter()
    study: Study

    def __init__(self) -> None:
        super().__init__()
        self.raters: list[Rater] = []
        self.rng = Random(7)
        self.steps = 0

    def possible(self) -> list[str]:
        """Return the methods that can be the next step; one that is named twice is taken twice as often."""
        raise NotImplementedError

    @rule(seed=st.integers(min_value=0, max_value=2**32))
    def step(self, seed: int) -> None:
        """Let one of the possible things happen, each as often as any other.

        Hypothesis prefers small numbers and first choices, with which some steps are hardly ever taken.
        """
        self.steps += 1
        rng = Random(f"{self.steps} {seed}")
        name, number = rng.choice(self.possible()), rng.randrange(1_000_000)
        hypothesis.note(f"{name}({number})")
        getattr(self, name)(number)

    def working(self) -> list[Rater]:
        """Return the raters who have not ended, oldest first."""
        return list(Rater.objects.filter(study=self.study).exclude(state=Rater.State.ENDED).order_by("pk"))

    def worker(self, number: int) -> Rater:
        """Return one of the raters who have not ended."""
        working = self.working()
        return working[number % len(working)]

    def rater(self, number: int) -> Rater:
        """Return one of all raters, as the database has them now."""
        rater = self.raters[number % len(self.raters)]
        rater.refresh_from_db()
        return rater

    def note(self, effect: str, times: object = True) -> None:
        """Count an effect where there was one."""
        if times:
            type(self).effects[effect] += 1


def effects_of(machine: type[RaterLives], examples: int, phases: tuple[Phase, ...]) -> Counter[str]:
    """Tell stories of 30 steps, eight times as many in an exhaustive run; return how often each step had an effect."""
    machine.effects.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples * extent.times_as_many(),
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
            phases=phases,
        ),
    )
    return Counter(machine.effects)
