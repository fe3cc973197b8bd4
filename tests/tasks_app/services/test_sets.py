"""What a set is made of: training and exam once, warm-up, checks shared out evenly, and what a late return leaves."""

from collections import Counter

import pytest

from tasks_app.models import Assignment, Gold, Rater, Study, Task, Unit
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle, units
from tests import invariants
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study, give, walk
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db


def purposes_of(rater: Rater) -> list[str]:
    return list(rater.assignments.order_by("order").values_list("purpose", flat=True))


def expire(rater: Rater) -> None:
    """Let the leases of a rater run out: whoever comes next takes what they held."""
    rater.sets.update(lease_until="2020-01-01T00:00Z")


def test_training_and_exam_come_once_and_leave_room_for_another_attempt() -> None:
    study = checked_study(checks={"exam_attempts": 3}, sets_per_rater=2)
    rater = arrive(study)
    assert purposes_of(rater)[:4] == ["training"] * 2 + ["exam"] * 2
    orders = list(rater.assignments.order_by("order").values_list("order", flat=True))
    assert orders[:4] == [1, 2, 3, 4]
    assert orders[4] == 4 + 2 * 2 + 1, "two further attempts have no room"
    walk(study, rater)
    assert assignments.take_another(rater=rater)
    second = rater.assignments.filter(set__number=2)
    assert not second.filter(purpose__in=("training", "exam")).exists()
    controls = Counter(rater.assignments.filter(purpose__in=("control", "attention")).values_list("unit", flat=True))
    assert set(controls.values()) == {1}, "a check was met twice"
    assert second.filter(purpose="control").count() == 2


def test_every_known_unit_is_used_equally_often() -> None:
    """To within one, after every set."""
    study = checked_study()
    used = Counter(dict.fromkeys(Unit.objects.filter(gold__purpose="control").values_list("pk", flat=True), 0))
    for number in range(1, 11):
        units = arrive(study).assignments.filter(purpose="control").values_list("unit", flat=True)
        used.update(units)
        assert max(used.values()) - min(used.values()) <= 1
        assert sum(used.values()) == 2 * number


def test_controls_are_at_every_place_of_a_set_alike() -> None:
    study = checked_study(checks={"controls": 1, "attention": 0}, purposes={"i6": "control"}, k=12)
    stood: Counter[int] = Counter()
    for _rater in range(16):
        met = [one for one in purposes_of(arrive(study)) if one in {"main", "control"}]
        stood[met.index("control")] += 1
    assert stood == {0: 4, 1: 4, 2: 4, 3: 4}


def test_warm_up_units_are_of_other_items_and_never_judged_later() -> None:
    study = build_study(None, items=10, k=4, set_size=4, spacing=4, sets_per_rater=4, opened=False)
    Task.objects.filter(study=study).update(checks={"warm_up": 2})
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    rater = arrive(study)
    assert purposes_of(rater) == ["warm_up"] * 2 + ["main"] * 4
    items = list(rater.assignments.order_by("order").values_list("unit__item", flat=True))
    assert len(set(items[:2])) == 2
    assert not set(items[:2]) & set(items[2:])
    warm = set(rater.assignments.filter(purpose="warm_up").values_list("unit", flat=True))
    walk(study, rater)
    while assignments.take_another(rater=rater):
        walk(study, rater)
    assert purposes_of(rater).count("warm_up") == 2
    assert not warm & set(rater.assignments.filter(purpose="main").values_list("unit", flat=True))
    invariants.check(study)


def test_without_another_item_there_is_no_warm_up() -> None:
    study = build_study(None, items=4, systems=("a", "b"), k=2, set_size=4, opened=False)
    Task.objects.filter(study=study).update(checks={"warm_up": 3}, spacing=4)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    assert purposes_of(arrive(study)) == ["main"] * 4


@pytest.mark.parametrize("mode", ["block", "rater"])
def test_checks_ask_what_the_units_around_them_ask(mode: str) -> None:
    study = checked_study(criteria=("fluency", "style"), criteria_mode=mode, checks={"repeats": 2}, set_size=8)
    for _rater in range(6):
        rater = arrive(study)
        rows = list(rater.assignments.order_by("order").values_list("purpose", "unit__features__criterion"))
        judged = [criterion for purpose, criterion in rows if purpose not in {"training", "exam"}]
        assert judged == sorted(judged, key=judged.index), "a criterion comes back"
        assert Counter(purpose for purpose, _one in rows)["control"] == 2
        if mode == "rater":
            assert len({criterion for _purpose, criterion in rows}) == 1


def test_a_repeat_is_of_the_rarest_system_and_in_an_arrangement_of_its_own() -> None:
    study = build_study(
        None, type="pairwise", systems=("a", "b", "c"), items=8, k=4, set_size=6, spacing=2, opened=False
    )
    Task.objects.filter(study=study).update(checks={"repeats": 3})
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    drawn = []
    for _rater in range(8):
        for repeat in arrive(study).assignments.filter(purpose="repeat").select_related("repeat_of"):
            assert sorted(repeat.arrangement["parts"]) == [0, 1]
            assert repeat.unit_id == repeat.repeat_of.unit_id
            drawn.append(repeat.arrangement["parts"] == repeat.repeat_of.arrangement["parts"])
    assert set(drawn) == {True, False}, "repeats keep the sides of the first time, or always change them"
    invariants.check(study)


@pytest.mark.parametrize("kind", ["pairwise", "triangle"])
def test_known_units_of_several_texts_are_arranged(kind: str) -> None:
    study = build_study(None, type=kind, systems=("a", "b"), items=6, k=2, set_size=4, opened=False, criteria=())
    unit = Unit.objects.filter(task__study=study).first()
    answer = {"pairwise": "first", "triangle": 1}[kind]
    Gold.objects.create(unit=unit, purpose="control", kind="exact", answer=answer)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    control = arrive(study).assignments.get(purpose="control")
    assert control.unit_id == unit.pk
    assert set(control.arrangement["parts"]) <= {0, 1, 2}


def test_who_tries_a_study_out_gets_the_same_kind_of_set_without_places() -> None:
    study = checked_study()
    before = arrive(study, kind=Rater.Kind.SANDBOX)
    assert Counter(purposes_of(before)) == Counter(purposes_of(arrive(study)))
    assert not before.assignments.exclude(place=None).exists()
    used = Counter(Assignment.objects.filter(rater__kind="real", purpose="control").values_list("unit", flat=True))
    assert set(used.values()) == {1}


def test_who_lost_the_whole_set_is_trained_and_examined_with_the_next_one() -> None:
    study = checked_study(k=1, sets_per_rater=1)
    idle = arrive(study)
    first = next_for(rater=idle)
    give(study, idle, first, 3)
    expire(idle)
    other = arrive(study)
    assert set(other.assignments.filter(purpose="main").values_list("unit", flat=True)) == set(
        idle.assignments.filter(purpose="main").values_list("unit", flat=True)
    )
    # Nothing of the set is left: a new one is claimed, which the next page shows.
    found = next_for(rater=idle) or next_for(rater=idle)
    assert (found.purpose, found.unit_id == first.unit_id) == ("training", False)
    left = idle.assignments.filter(state__in=("reserved", "live")).order_by("order")
    assert list(left.values_list("purpose", flat=True))[:3] == ["training", "exam", "exam"]
    walk(study, idle)
    idle.refresh_from_db()
    assert idle.outcome == "completed"
    invariants.check(study)


def test_a_late_return_finds_no_check_without_a_unit_and_no_repeat_of_a_lost_one() -> None:
    study = checked_study(checks={"repeats": 2}, k=1, spacing=1)
    late = arrive(study)
    while (assignment := next_for(rater=late)).purpose != "main":
        give(study, late, assignment, 3)
    give(study, late, assignment, 3)
    expire(late)
    walk(study, arrive(study))
    assert next_for(rater=late) is None or late.assignments.filter(state="live").exists()
    walk(study, late)
    answered = set(late.assignments.filter(state="submitted", purpose="main").values_list("pk", flat=True))
    repeats = late.assignments.filter(purpose="repeat", state="submitted")
    assert set(repeats.values_list("repeat_of", flat=True)) <= answered
    late.refresh_from_db()
    assert late.outcome == "full", "others have answered the rest meanwhile"
    invariants.check(study)


def two_tasks(instructions: str = "", slug: str = "hidden-slug") -> Study:
    """Make a study of two tasks over the same texts, each with known answers; `instructions` are of the second."""
    study = build_study(None, items=9, k=8, set_size=4, opened=False, slug=slug)
    first = study.tasks.get()
    second = Task.objects.create(
        study=study, key="second", order=2, type="likert", k=8, set_size=2, spacing=1, instructions=instructions
    )
    second.task_criteria.create(criterion=first.task_criteria.get().criterion, order=1)
    Unit.objects.filter(task=first).delete()
    units.make_units(study=study)
    for task, item, purpose in ((first, "i6", "control"), (second, "i4", "training"), (second, "i5", "control")):
        for unit in Unit.objects.filter(task=task, item__key=item):
            Gold.objects.create(unit=unit, purpose=purpose, kind="exact", answer=3)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def test_every_task_has_its_own_training_and_checks() -> None:
    study = two_tasks()
    rater = arrive(study)
    rows = list(rater.assignments.order_by("order").values_list("unit__task__key", "purpose"))
    tasks = [task for task, _purpose in rows]
    assert tasks == sorted(tasks)
    second = [purpose for task, purpose in rows if task == "second"]
    assert second[:2] == ["training", "training"]
    assert Counter(second) == {"training": 2, "main": 2, "control": 1}
    walk(study, rater)
    rater.refresh_from_db()
    assert rater.outcome == "completed"
