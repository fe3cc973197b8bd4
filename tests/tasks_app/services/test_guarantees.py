"""Random sequences of arrive, judge, skip, abandon, come back, stop: every guarantee after every step."""

import uuid
from collections import Counter
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from tasks_app.models import Assignment, Judgment, Rater, RaterSet
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import erasure
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, judgments, leases
from tasks_app.services.plan import reopening
from tests import invariants, walk
from tests.builders import build_study
from tests.tasks_app.services.lives import RaterLives, effects_of
from tests.walk import next_for

pytestmark = pytest.mark.django_db


# Settings of checks that the stories are told under: with checks answered at random, many raters fail.
CHECKS: list[dict[str, Any]] = [
    {},
    {"checks": {"repeats": 2, "warm_up": 1}},
    {"known": {"control": 3, "attention": 1}, "checks": {"controls": 2, "on_failing": "end", "fail_after": 2}},
    {"known": {"training": 1, "exam": 2}, "checks": {"exam_pass": 0.5}},
]


class Life(RaterLives):
    """A study with raters who do what raters do."""

    effects: ClassVar[Counter[str]] = Counter()

    @initialize(
        items=st.integers(2, 8),
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

    def possible(self) -> list[str]:
        working, answers = self.working(), Judgment.objects.filter(assignment__rater__study=self.study)
        steps = ["judge", "judge", "skip", "finish_and_go_on", "free", "expire"] if working else []
        if Assignment.objects.filter(rater__in=working, state="expired").exists():
            steps += ["come_back"] * 4 + ["judge_late"] * 2
        steps += ["revise", "ask_again"] if answers.exists() else []
        steps += ["another"] * 2 if self.finished() else []
        # Where one is left, else most stories end before anything happens.
        steps += ["stop", "erase"] if len(working) > 1 else []
        return steps + (["arrive"] if len(working) < 6 else [])

    def finished(self) -> list[Rater]:
        """Return the raters who could take another set where there is one, oldest first."""
        outcomes = (Rater.Outcome.COMPLETED, Rater.Outcome.FULL)
        return list(Rater.objects.filter(study=self.study, outcome__in=outcomes).order_by("pk"))

    def arrive(self, _number: int) -> None:
        before = Rater.objects.count()
        try:
            self.raters.append(walk.arrive(self.study))
            self.note("arrive")
        except enrolment.StudyFull:
            assert Rater.objects.count() == before, "a rater was made although the study is full"
            assert not enrolment.has_room(self.study)
            self.note("be turned away")

    def judge(self, number: int) -> None:
        rater = self.worker(number)
        found = next_for(rater=rater)
        if found:
            given = walk.answer(self.study, found, self.rng)
            assert judgments.submit(screen=RaterScreen(rater, found), submission=given).is_new
            assert not judgments.submit(screen=RaterScreen(rater, found), submission=given).is_new  # posted twice
            self.note("judge")

    def judge_late(self, number: int) -> None:
        """Answer a unit that was shown before the lease ended."""
        late = Assignment.objects.filter(rater__in=self.working(), state="expired").select_related("unit", "rater")
        lost = late.order_by("pk")[number % late.count()]
        receipt = judgments.submit(
            screen=RaterScreen(lost.rater, lost), submission=walk.answer(self.study, lost, self.rng)
        )
        self.note("judge late", receipt.is_new)

    def skip(self, number: int) -> None:
        rater = self.worker(number)
        found = next_for(rater=rater)
        if found:
            given = judgments.Submission(uuid=uuid.uuid4(), answer={}, skip_reason=Judgment.Skip.TECHNICAL)
            judgments.submit(screen=RaterScreen(rater, found), submission=given)
            self.note("skip")

    def finish_and_go_on(self, number: int) -> None:
        """Answer all that is left, perhaps skipping the first, and take another set."""
        if number % 2:
            self.skip(number)
        if not self.working():
            return
        rater = self.worker(number)
        while found := next_for(rater=rater):
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(self.study, found, self.rng))
            rater.refresh_from_db()
        self.note("finish", rater.state == Rater.State.ENDED)
        self.note("go on", assignments.take_another(rater=rater))

    def revise(self, number: int) -> None:
        answers = (
            Judgment.objects.filter(assignment__rater__study=self.study, skip_reason="", replaced_by=None)
            .exclude(assignment__purpose__in=Assignment.Purpose.PRELIMINARY)
            .select_related("assignment__unit", "assignment__rater")
            .order_by("pk")
        )
        # Nobody changes an answer after the end, so mostly somebody tries who works.
        answers = (number % 3 and answers.filter(assignment__rater__in=self.working())) or answers
        if not answers:
            return
        done = answers[number % len(answers)]
        rater = done.assignment.rater
        given = walk.answer(self.study, done.assignment, Random(number), replaces=done.pk)
        try:
            receipt = judgments.submit(screen=RaterScreen(rater, done.assignment), submission=given)
        except judgments.Conflict:
            assert rater.state == Rater.State.ENDED, "an answer could not be changed"
            self.note("be refused to revise")
        else:
            same = rater.state == Rater.State.ENDED
            assert receipt.is_new != same, "after the end an answer is changed by nobody"
            self.note("revise", receipt.is_new)

    def expire(self, number: int) -> None:
        own = RaterSet.objects.filter(rater=self.worker(number), state="open")
        self.note("expire", own.update(lease_until="2020-01-01T00:00Z"))

    def free(self, number: int) -> None:
        """Free what has expired, as upkeep does, and let somebody expire first every other time."""
        if number % 2:
            self.expire(number)
        self.note("free", leases.free_expired(self.study.pk))

    def come_back(self, number: int) -> None:
        late = Assignment.objects.filter(rater__in=self.working(), state="expired").order_by("pk")
        rater = late[number % late.count()].rater
        lost = late.filter(rater=rater).count()
        self.note("come back", next_for(rater=rater))
        self.note("get back what was lost", late.filter(rater=rater).count() < lost)

    def stop(self, number: int) -> None:
        rater = self.worker(number)
        assignments.stop(rater=rater)
        assert rater.state == Rater.State.ENDED
        self.note("stop")

    def ask_again(self, number: int) -> None:
        """Take out a rater's answers and ask somebody else."""
        given = Judgment.objects.filter(assignment__rater=self.rater(number), skip_reason="").values_list(
            "pk", flat=True
        )
        answers = list(given.order_by("pk"))[: 1 + number % 4]
        self.note("ask again", reopening.reopen(study=self.study, judgments=answers, rule="manual"))

    def erase(self, number: int) -> None:
        rater = self.worker(number)
        had = Judgment.objects.filter(assignment__rater=rater).exists()
        erasure.erase(rater=rater)
        assert not Judgment.objects.filter(assignment__rater=rater).exists()
        self.raters.remove(rater)
        self.note("erase", had)

    def another(self, number: int) -> None:
        finished = self.finished()
        self.note("take another set", assignments.take_another(rater=finished[number % len(finished)]))

    @invariant()
    def guarantees(self) -> None:
        if hasattr(self, "study"):
            invariants.check(self.study)


# How often common steps have an effect, at least. The exact number depends on rows of the database, and rare steps may
# not occur at all: they are in the story below.
EFFECTS = {"arrive": 6, "judge": 3, "skip": 3, "finish": 4, "expire": 4, "free": 2, "ask again": 2}


def test_every_guarantee_after_every_step() -> None:
    # Shrinking a story of thirty steps against a database takes minutes.
    effects = effects_of(Life, examples=4, phases=(Phase.generate,))
    assert {name: effects[name] for name, least in EFFECTS.items() if effects[name] < least} == {}, effects


# A number says whose step it is, oldest first; an odd one lets the first unit be skipped, or a set expire first.
STORY = [
    ("arrive", 0), ("arrive", 0), ("judge", 0), ("revise", 0), ("free", 1), ("come_back", 0), ("free", 1),
    ("judge_late", 0), ("finish_and_go_on", 1), ("ask_again", 0), ("arrive", 0), ("skip", 1),
    ("erase", 1), ("stop", 0), ("finish_and_go_on", 0), ("finish_and_go_on", 0),
]  # fmt: skip


def test_every_guarantee_in_a_story_of_rare_steps() -> None:
    life = Life()
    Life.effects.clear()
    life.begin(items=8, systems=1, k=3, size=3, together=False, sets=3, checks={})
    for step, number in STORY:
        getattr(life, step)(number)
        life.guarantees()
    rare = {
        "revise",
        "free",
        "come back",
        "get back what was lost",
        "judge late",
        "go on",
        "ask again",
        "erase",
        "stop",
    }
    assert rare <= set(Life.effects), Life.effects
