"""Allocation to groups: exactly balanced in every full block, whatever raters do and however many come at once."""

import uuid
from collections import Counter
from random import Random
from threading import Barrier, Thread
from typing import ClassVar

import pytest
from django.db import connection
from django.db.models import Exists, OuterRef
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from tasks_app.channels.base import Arrival
from tasks_app.models import Booklet, Group, GroupBlock, Judgment, Rater, RaterSet, Study, Task, TaskGroup
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, judgments, leases
from tasks_app.services.study import lifecycle, units
from tests import extent, invariants, walk
from tests.builders import build_study
from tests.tasks_app.services.lives import RaterLives, effects_of
from tests.walk import next_for


def grouped(shares: dict[str, int], **rest: object) -> Study:
    """Open a study with groups of these shares."""
    study = build_study(None, slug=f"s-{uuid.uuid4().hex[:12]}", opened=False, **{"items": 2, "k": 40, **rest})
    for key, share in shares.items():
        Group.objects.create(study=study, key=key, share=share)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def blocks(study: Study) -> list[list[GroupBlock]]:
    """The blocks drawn so far, each with its places in order."""
    places = list(GroupBlock.objects.filter(study=study).select_related("group", "taken_by").order_by("number"))
    size = study.options.block_factor * sum(Group.objects.filter(study=study).values_list("share", flat=True))
    return [places[start : start + size] for start in range(0, len(places), size)]


def check(study: Study) -> None:
    """Every block holds each group in its share; places belong to those who got in, and to nobody else."""
    wanted = Counter({one.key: one.share * study.options.block_factor for one in Group.objects.filter(study=study)})
    drawn = blocks(study)
    for block in drawn:
        assert Counter(place.group.key for place in block) == wanted
        for place in block:
            assert place.taken_by is None or place.taken_by.group_id == place.group_id
    holders = [place for block in drawn for place in block if place.taken_by]
    judged = set(
        Judgment.objects.filter(assignment__rater__study=study, assignment__purpose="main").values_list(
            "assignment__rater", flat=True
        )
    )
    at_work = set(RaterSet.objects.filter(rater__study=study, state="open").values_list("rater", flat=True))
    assert {place.taken_by_id for place in holders} == judged | at_work
    # Each next draw takes the first place that is free: what is before the last one taken was given back since.
    counts = Counter(place.group.key for place in holders)
    for block in drawn:
        if all(place.taken_by for place in block):
            counts.subtract(wanted)
    assert all(n >= 0 for n in counts.values())


def arrive(study: Study, group: str = "", kind: str = Rater.Kind.REAL) -> Rater:
    arrival = Arrival("link", group=group)
    return enrolment.enrol(
        study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, arrival=arrival, kind=kind
    ).rater


def judge(study: Study, rater: Rater) -> None:
    # Whose units all went to others is given new ones first.
    found = next_for(rater=rater) or next_for(rater=rater)
    judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(3)))


@pytest.mark.django_db
def test_each_full_block_holds_every_group_in_its_share_in_an_order_of_its_own() -> None:
    study = grouped({"control": 1, "tailored": 2}, block_factor=2)
    raters = [arrive(study) for _rater in range(12)]
    drawn = [rater.group.key for rater in raters]
    for start in range(0, 12, 6):
        assert Counter(drawn[start : start + 6]) == {"control": 2, "tailored": 4}
    assert len({tuple(drawn[start : start + 6]) for start in range(0, 12, 6)}) > 1, "every block has the same order"
    check(study)


@pytest.mark.django_db
def test_the_draw_follows_from_the_seed() -> None:
    first, second, other = (grouped({"a": 1, "b": 1}) for _study in range(3))
    assert first.seed == second.seed
    Study.objects.filter(pk=other.pk).update(seed=77)
    drawn = [[arrive(one).group.key for _ in range(8)] for one in (first, second, other)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.django_db
@pytest.mark.parametrize("outcome", ["screened_out", "failed", "withdrawn", "returned"])
def test_who_leaves_before_judging_gives_the_place_to_the_next(outcome: str) -> None:
    study = grouped({"a": 1, "b": 1})
    ada = arrive(study)
    assignments.stop(rater=ada, outcome=outcome)
    assert not GroupBlock.objects.exclude(taken_by=None).exists()
    ada.refresh_from_db()
    assert ada.group is not None, "what a rater was drawn for stays known"
    assert arrive(study).group == ada.group
    check(study)


@pytest.mark.django_db
def test_who_leaves_after_judging_keeps_the_place() -> None:
    study = grouped({"a": 1, "b": 1})
    ada = arrive(study)
    judge(study, ada)
    assignments.stop(rater=ada)
    assert GroupBlock.objects.get(taken_by=ada).group == ada.group
    assert Counter(rater.group.key for rater in [ada, *(arrive(study) for _ in range(3))]) == {"a": 2, "b": 2}


@pytest.mark.django_db
def test_who_comes_back_after_the_place_was_taken_gets_the_next_of_their_group() -> None:
    study = grouped({"a": 1, "b": 1}, block_factor=1, items=4)
    ada = arrive(study)
    RaterSet.objects.filter(rater=ada).update(lease_until="2020-01-01T00:00Z")
    bob = arrive(study)
    assert bob.group == ada.group
    judge(study, ada)
    check(study)
    own = GroupBlock.objects.get(taken_by=ada)
    assert (own.group, own.number > 2) == (ada.group, True)


@pytest.mark.django_db
def test_who_comes_back_before_anybody_took_the_place_has_it_again() -> None:
    study = grouped({"a": 1, "b": 1}, block_factor=1, items=4)
    ada = arrive(study)
    own = GroupBlock.objects.get(taken_by=ada)
    RaterSet.objects.filter(rater=ada).update(lease_until="2020-01-01T00:00Z")
    leases.free_expired(study.pk)
    assert not GroupBlock.objects.exclude(taken_by=None).exists()
    assert next_for(rater=ada) is not None
    assert GroupBlock.objects.get(taken_by=ada) == own
    assert arrive(study).group != ada.group, "a block of two holds each group once"
    check(study)


@pytest.mark.django_db
def test_an_arrival_can_name_its_group_and_is_not_drawn() -> None:
    study = grouped({"a": 1, "b": 1})
    named = [arrive(study, "b") for _rater in range(3)]
    assert {rater.group.key for rater in named} == {"b"}
    assert not GroupBlock.objects.exists()
    judge(study, named[0])
    assignments.stop(rater=named[0])
    assert not GroupBlock.objects.exclude(taken_by=None).exists()
    assert Counter(arrive(study).group.key for _rater in range(4)) == {"a": 2, "b": 2}


@pytest.mark.django_db
def test_trying_the_study_out_takes_no_place() -> None:
    study = grouped({"a": 1, "b": 1})
    tried = [arrive(study, kind=Rater.Kind.SANDBOX) for _rater in range(3)]
    assert not GroupBlock.objects.exclude(taken_by=None).exists()
    assert arrive(study).group == tried[0].group


def for_one_group() -> Study:
    """A study whose second task, with places for two raters, is for the group b alone."""
    study = build_study(None, items=2, k=6, set_size=2, opened=False, systems=("a-mt",))
    for key in ("a", "b"):
        Group.objects.create(study=study, key=key)
    task = Task.objects.get(study=study)
    more = Task.objects.create(
        study=study, key="more", order=2, type="questionnaire", k=2, set_size=1, params={"instrument": "panas"}
    )
    TaskGroup.objects.create(task=more, group=Group.objects.get(study=study, key="b"))
    task.units.all().delete()
    units.make_units(study=study)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


@pytest.mark.django_db
def test_a_task_for_one_group_is_given_to_nobody_else_and_a_full_group_is_passed_over() -> None:
    study = for_one_group()
    raters = [arrive(study) for _rater in range(6)]
    assert Counter(rater.group.key for rater in raters) == {"a": 4, "b": 2}
    for rater in raters:
        tasks = set(RaterSet.objects.filter(rater=rater).values_list("task__key", flat=True))
        assert tasks == ({"main", "more"} if rater.group.key == "b" else {"main"})
    assert not enrolment.has_room(study)
    with pytest.raises(enrolment.StudyFull):
        arrive(study)
    # Room again in b: its places in the first block come first.
    leaving = next(rater for rater in raters if rater.group.key == "b")
    assignments.stop(rater=leaving)
    assert enrolment.has_room(study)
    assert arrive(study).group.key == "b"
    invariants.check(study)


@pytest.mark.django_db
def test_a_named_group_without_room_is_full() -> None:
    study = for_one_group()
    for _rater in range(2):
        arrive(study, "b")
    with pytest.raises(enrolment.StudyFull):
        arrive(study, "b")
    assert arrive(study, "a").group.key == "a"


OUTCOMES = ("withdrawn", "screened_out", "failed", "returned", "timed_out")


class Life(RaterLives):
    """A study with groups, and raters who come, judge, stay away, come back and leave."""

    effects: ClassVar[Counter[str]] = Counter()

    @initialize(shares=st.lists(st.integers(1, 3), min_size=2, max_size=3), factor=st.integers(1, 2))
    def begin(self, shares: list[int], factor: int) -> None:
        named = {f"g{number}": share for number, share in enumerate(shares)}
        self.study = grouped(named, block_factor=factor, items=4, systems=("a-mt",), set_size=4)

    def possible(self) -> list[str]:
        everybody = self.working()
        working = len(everybody)
        steps = ["come_back"] * 2 if any(not one.has_place for one in everybody) else []
        steps += ["stay_away", "leave", "judge", "judge"] if working else []
        steps += ["leave_again"] if working < len(self.raters) else []
        return steps + (["arrive"] if working < 6 else [])

    def away(self) -> list[Rater]:
        """Return the raters who have not ended and whose place was given back."""
        return [one for one in self.working() if not one.has_place]

    def working(self) -> list[Rater]:
        """Return the raters who have not ended, oldest first, and whether each holds a place of a group."""
        held = Exists(GroupBlock.objects.filter(taken_by=OuterRef("pk")))
        working = Rater.objects.filter(study=self.study).exclude(state=Rater.State.ENDED)
        return list(working.annotate(has_place=held).order_by("pk"))

    def arrive(self, _number: int) -> None:
        places = GroupBlock.objects.filter(study=self.study, number__lt=self.drawn(), taken_by=None).count()
        self.raters.append(walk.arrive(self.study))
        self.note("arrive")
        self.note("arrive at a place that was given back", places)

    def drawn(self) -> int:
        """Return the number of the last place that somebody has taken."""
        taken = GroupBlock.objects.filter(study=self.study).exclude(taken_by=None)
        return taken.order_by("-number").values_list("number", flat=True).first() or 0

    def judge(self, number: int) -> None:
        rater = self.worker(number)
        if found := next_for(rater=rater):
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(self.study, found, self.rng))
            self.note("judge")

    def stay_away(self, number: int) -> None:
        rater = self.worker(number)
        had = GroupBlock.objects.filter(taken_by=rater).exists()
        self.note(
            "stay away", RaterSet.objects.filter(rater=rater, state="open").update(lease_until="2020-01-01T00:00Z")
        )
        leases.free_expired(self.study.pk)
        self.note("stay away and lose the place", had and not GroupBlock.objects.filter(taken_by=rater).exists())

    def come_back(self, number: int) -> None:
        away = self.away()
        rater = away[number % len(away)]
        found = next_for(rater=rater)
        self.note("come back to a place", GroupBlock.objects.filter(taken_by=rater).exists())
        if found and number % 2:
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(self.study, found, self.rng))
            self.note("judge after the place was given back")

    def leave(self, number: int) -> None:
        rater, outcome = self.worker(number), OUTCOMES[number % len(OUTCOMES)]
        has_judged = Judgment.objects.filter(assignment__rater=rater).exists()
        assignments.stop(rater=rater, outcome=outcome)
        rater.refresh_from_db()
        assert (rater.state, rater.outcome) == (Rater.State.ENDED, outcome)
        self.note("leave after judging" if has_judged else "leave before judging")

    def leave_again(self, number: int) -> None:
        """Stop a rater who has ended: nothing changes."""
        ended = list(Rater.objects.filter(study=self.study, state=Rater.State.ENDED).order_by("pk"))
        rater = ended[number % len(ended)]
        outcome = rater.outcome
        assignments.stop(rater=rater)
        rater.refresh_from_db()
        assert rater.outcome == outcome
        self.note("leave again")

    @invariant()
    def promises_hold(self) -> None:
        if hasattr(self, "study"):
            check(self.study)


# How often common steps have an effect, at least. How often exactly depends on rows of the database.
EFFECTS = {"arrive": 5, "judge": 5, "stay away": 2, "stay away and lose the place": 2, "leave after judging": 1}


@pytest.mark.django_db
def test_arms_stay_balanced_whatever_raters_do() -> None:
    effects = effects_of(Life, examples=3, phases=(Phase.generate, Phase.shrink))
    assert {name: effects[name] for name, least in EFFECTS.items() if effects[name] < least} == {}, effects


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_drawn_without_a_gap() -> None:
    study = grouped({"a": 1, "b": 1}, block_factor=2)
    at_once = 32 if extent.is_exhaustive() else 16
    together = Barrier(at_once)

    def come() -> None:
        together.wait()
        try:
            walk.arrive(study)
        finally:
            connection.close()

    threads = [Thread(target=come) for _rater in range(at_once)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert Counter(Rater.objects.values_list("group__key", flat=True)) == {"a": at_once // 2, "b": at_once // 2}
    assert [place.taken_by is not None for block in blocks(study) for place in block] == [True] * at_once
    assert Booklet.objects.filter(state="taken").count() == at_once
    check(study)
