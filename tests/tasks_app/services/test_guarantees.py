"""Random sequences of arrive, judge, skip, abandon, come back, stop: every guarantee after every step."""

import uuid
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tasks_app.models import Assignment, Judgment, Rater, RaterSet, Study
from tasks_app.services import assignments, enrolment, erasure, judgments, reopening
from tests import invariants, walk
from tests.builders import build_study

pytestmark = pytest.mark.django_db

which = st.integers(min_value=0, max_value=1_000_000)


# Settings of checks that the stories are told under: with checks answered at random, many raters fail.
CHECKS: list[dict[str, Any]] = [
    {},
    {"checks": {"repeats": 2, "warm_up": 1}},
    {"known": {"control": 3, "attention": 1}, "checks": {"controls": 2, "on_failing": "end", "fail_after": 2}},
    {"known": {"training": 1, "exam": 2}, "checks": {"exam_pass": 0.5}},
]


class Life(RuleBasedStateMachine):
    """A study with raters who do what raters do."""

    study: Study

    def __init__(self) -> None:
        super().__init__()
        self.raters: list[Rater] = []
        self.rng = Random(7)

    @initialize(
        items=st.integers(2, 5),
        systems=st.integers(1, 3),
        k=st.integers(1, 3),
        size=st.integers(1, 6),
        together=st.booleans(),
        sets=st.integers(1, 4),
        checks=st.sampled_from(CHECKS),
    )
    def begin(
        self, items: int, systems: int, k: int, size: int, together: bool, sets: int, checks: dict[str, Any]
    ) -> None:
        units = items if together else items * systems
        if "repeats" in checks.get("checks", {}):
            checks = {"checks": {**checks["checks"], "repeats": min(2, size, units)}}
        self.study = build_study(
            None,
            slug=f"s-{uuid.uuid4().hex[:12]}",
            items=items,
            systems=("a-mt", "b-mt", "c-mt")[:systems],
            k=k,
            set_size=min(size, units),
            params={"layout": "together" if together else "single"},
            sets_per_rater=sets,
            **checks,
        )

    def pick(self, number: int) -> Rater | None:
        if not self.raters:
            return None
        rater = self.raters[number % len(self.raters)]
        rater.refresh_from_db()
        return rater

    @rule()
    def arrive(self) -> None:
        before = Rater.objects.count()
        try:
            self.raters.append(walk.arrive(self.study))
        except enrolment.StudyFull:
            assert Rater.objects.count() == before, "a rater was made although the study is full"
            assert not enrolment.has_room(self.study)

    @rule(number=which)
    def judge(self, number: int) -> None:
        rater = self.pick(number)
        found = rater and assignments.next_for(rater=rater)
        if rater and found:
            given = walk.answer(self.study, found, self.rng)
            assert judgments.submit(assignment=found, rater=rater, given=given).is_new
            assert not judgments.submit(assignment=found, rater=rater, given=given).is_new  # posted twice

    @rule(number=which)
    def judge_late(self, number: int) -> None:
        """Answer a unit that was shown before the lease ended."""
        rater = self.pick(number)
        lost = rater and Assignment.objects.select_related("unit").filter(rater=rater, state="expired").first()
        if rater and lost and rater.state != Rater.State.ENDED:
            judgments.submit(assignment=lost, rater=rater, given=walk.answer(self.study, lost, self.rng))

    @rule(number=which)
    def skip(self, number: int) -> None:
        rater = self.pick(number)
        found = rater and assignments.next_for(rater=rater)
        if rater and found:
            given = judgments.Submission(uuid=uuid.uuid4(), answer={}, skip_reason=Judgment.Skip.TECHNICAL)
            judgments.submit(assignment=found, rater=rater, given=given)

    @rule(number=which, skips=st.booleans())
    def finish_and_go_on(self, number: int, skips: bool) -> None:
        """Answer all that is left, perhaps skipping the first, and take another set."""
        if not self.raters:
            self.arrive()
        if skips:
            self.skip(number)
        rater = self.pick(number)
        while rater and (found := assignments.next_for(rater=rater)):
            judgments.submit(assignment=found, rater=rater, given=walk.answer(self.study, found, self.rng))
            rater.refresh_from_db()
        if rater:
            assignments.take_another(rater=rater)

    @rule(number=which)
    def revise(self, number: int) -> None:
        rater = self.pick(number)
        done = rater and (
            Judgment.objects.filter(assignment__rater=rater, skip_reason="", replaced_by=None)
            .exclude(assignment__purpose__in=judgments.FINAL)
            .select_related("assignment__unit")
            .first()
        )
        if rater and done:
            given = walk.answer(self.study, done.assignment, Random(number), replaces=done.pk)
            try:
                receipt = judgments.submit(assignment=done.assignment, rater=rater, given=given)
            except judgments.Conflict:
                assert rater.state == Rater.State.ENDED, "an answer could not be changed"
            else:
                same = rater.state == Rater.State.ENDED
                assert receipt.is_new != same, "after the end an answer is changed by nobody"

    @rule(number=which)
    def expire(self, number: int) -> None:
        rater = self.pick(number)
        if rater:
            RaterSet.objects.filter(rater=rater, state="open").update(lease_until="2020-01-01T00:00Z")

    @rule(number=which)
    def come_back(self, number: int) -> None:
        rater = self.pick(number)
        if rater:
            assignments.next_for(rater=rater)

    @rule(number=which)
    def stop(self, number: int) -> None:
        rater = self.pick(number)
        if rater and number % 5 == 0:  # else most stories end before anything happens
            assignments.stop(rater=rater)
            assert rater.state == Rater.State.ENDED

    @rule(number=which)
    def ask_again(self, number: int) -> None:
        """Take out a rater's answers and ask somebody else."""
        rater = self.pick(number)
        if rater and number % 3 == 0:
            given = Judgment.objects.filter(assignment__rater=rater, skip_reason="").values_list("pk", flat=True)
            reopening.reopen(study=self.study, judgments=list(given)[: 1 + number % 4], rule="manual")

    @rule(number=which)
    def erase(self, number: int) -> None:
        rater = self.pick(number)
        if rater and number % 7 == 0:
            erasure.erase(rater=rater)
            assert not Judgment.objects.filter(assignment__rater=rater).exists()
            self.raters.remove(rater)

    @rule(number=which)
    def another(self, number: int) -> None:
        rater = self.pick(number)
        if rater:
            assignments.take_another(rater=rater)

    @invariant()
    def guarantees(self) -> None:
        if hasattr(self, "study"):
            invariants.check(self.study)


@pytest.mark.parametrize("examples", [40])
def test_every_guarantee_after_every_step(examples: int) -> None:
    steps: Any = settings(
        max_examples=examples,
        stateful_step_count=30,
        phases=[Phase.generate],  # shrinking a story of forty steps against a database takes minutes
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Life, settings=steps)
