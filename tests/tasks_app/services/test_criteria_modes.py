"""How several criteria are asked: on one screen, in blocks, or one a rater; also where raters leave, others go on."""

from random import Random

import pytest

from tasks_app.models import Assignment, Rater, Rating, Study
from tasks_app.selectors import screens
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, judgments
from tests import invariants
from tests.builders import build_study
from tests.walk import answer, arrive, next_for

pytestmark = pytest.mark.django_db

ASKED = ("fluency", "content", "style")


def criteria_met(rater: Rater) -> list[str]:
    """The criterion of every unit of a rater, in the order of the screens."""
    return list(rater.assignments.order_by("order").values_list("unit__features__criterion", flat=True))


def judge(study: Study, rater: Rater, n: int) -> None:
    """Answer the next n units."""
    for number in range(n):
        assignment = next_for(rater=rater)
        assert assignment is not None
        screen = screens.screen_of(assignment, study)
        assert [one.key for one in screen.criteria] == [assignment.unit.features["criterion"]]
        judgments.submit(screen=RaterScreen(rater, assignment), submission=answer(study, assignment, Random(number)))


def test_one_criterion_a_rater_also_after_others_left() -> None:
    study = build_study(None, items=12, criteria=ASKED, criteria_mode="rater", k=2, set_size=4, sets_per_rater=2)
    first = [arrive(study) for _rater in range(6)]
    assert [len(set(criteria_met(rater))) for rater in first] == [1] * 6
    assert sorted(criteria_met(rater)[0] for rater in first) == sorted([*ASKED, *ASKED])
    for rater in first:
        judge(study, rater, 2)
        assignments.stop(rater=rater)
    later = [arrive(study) for _rater in range(3)]
    assert all(len(set(criteria_met(rater))) == 1 for rater in later)
    for rater in later:
        judge(study, rater, 4)
        assert assignments.take_another(rater=rater)
        assert len(set(criteria_met(rater))) == 1, "another set brought another criterion"
    invariants.check(study)
    rated = Rating.objects.filter(judgment__assignment__rater=later[0])
    assert set(rated.values_list("criterion__key", flat=True)) == set(criteria_met(later[0]))


def test_blocks_come_one_after_the_other_also_in_what_others_left() -> None:
    study = build_study(None, items=6, criteria=ASKED[:2], criteria_mode="block", k=2, set_size=6)
    raters = [arrive(study) for _rater in range(4)]
    for rater in raters:
        met = criteria_met(rater)
        assert met == sorted(met, key=met.index), "a criterion comes back"
        texts = list(rater.assignments.order_by("order").values_list("unit__parts__part_outputs__output", flat=True))
        assert texts[:3] == texts[3:], "other texts on the second criterion"
    assert len({criteria_met(rater)[0] for rater in raters}) == 2, "the order of criteria is not balanced"
    for rater in raters[:3]:
        judge(study, rater, 1)
        assignments.stop(rater=rater)
    joined = criteria_met(arrive(study))
    assert len(joined) == 6
    assert joined == sorted(joined, key=joined.index)
    invariants.check(study)


def test_page_shows_all_criteria_of_a_text_on_one_screen_one_at_a_time() -> None:
    study = build_study(None, criteria=ASKED, criteria_mode="page")
    assignment = next_for(rater=arrive(study))
    assert isinstance(assignment, Assignment)
    screen = screens.screen_of(assignment, study)
    assert screen.paged
    assert {one.key for one in screen.criteria} == set(ASKED)
