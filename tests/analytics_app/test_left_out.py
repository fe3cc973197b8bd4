"""What is left out before any rule: every stored rating is in the funnel, with the reason why it does not count."""

import pytest

from tasks_app.models import Rating, Study
from tests.analytics_app.filling import Filler, new_run, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def filler(study: Study) -> Filler:
    """Two raters who judged two texts each."""
    filler = Filler(study)
    filler.fill((who, item, "alpha-mt", {"fluency": 3}) for who in ("ada", "bob") for item in ("i0", "i1"))
    return filler


def steps(study: Study, **settings: object) -> list[tuple[str, str | None, int | None]]:
    """Return the steps of a run up to what counts."""
    found = [row for row in work(new_run(study, rules=[], **settings)).rows if row.analysis == "funnel"]
    assert found[-1].statistic == "kept"
    return [(row.statistic, row.label, row.n_ratings) for row in found[:-1]]


def test_where_all_ratings_count_the_funnel_begins_with_them(filler: Filler) -> None:
    assert steps(filler.study) == [("collected", None, 4)]


def test_every_reason_has_a_row_and_the_numbers_add_up(filler: Filler) -> None:
    study = filler.study
    for number, purpose in enumerate(("training", "exam", "warm_up", "control", "attention")):
        for _time in range(number + 1):
            filler.judge("ada", "i2", "alpha-mt", {"fluency": 2}, purpose=purpose)
    first = filler.raters["ada"].assignments.get(order=1)
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 4}, purpose="repeat", repeat_of=first)
    for state in ("surplus", "withdrawn", "returned"):
        filler.judge("bob", "i3", "alpha-mt", {"fluency": 5}, state=state)
    filler.judge("bob", "i3", "beta-mt", {"fluency": 5}, skip_reason="other", state="skipped")
    filler.judge("eve", "i0", "alpha-mt", {"fluency": 1}, rater_kind="sandbox")
    old = filler.judge("zoe", "i0", "alpha-mt", {"fluency": 1})
    filler.answer(old.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 2}, replaces=old)
    found = steps(study)
    n_stored = Rating.objects.filter(task__study=study).count()
    assert found == [
        ("stored", None, n_stored),
        ("left_out", "sandbox", 1),
        ("left_out", "attention", 5),
        ("left_out", "control", 4),
        ("left_out", "exam", 2),
        ("left_out", "repeat", 1),
        ("left_out", "training", 1),
        ("left_out", "warm_up", 3),
        ("left_out", "withdrawn", 1),
        ("left_out", "returned", 1),
        ("left_out", "revised", 1),
        ("left_out", "skipped", 1),
        ("left_out", "surplus", 1),
        ("collected", None, 5),
    ]
    assert n_stored - sum(n or 0 for statistic, _label, n in found if statistic == "left_out") == 5
    # Surplus answers count where the plan says so, and are then left out by nobody.
    assert ("left_out", "surplus", 1) not in steps(study, surplus=True)
    assert steps(study, surplus=True)[-1] == ("collected", None, 6)


def test_questions_repeated_on_a_screen_are_left_out_with_their_raters_and_texts(filler: Filler) -> None:
    judgment = filler.raters["ada"].assignments.get(order=1).judgments.get()
    first = judgment.ratings.get()
    Rating.objects.create(
        judgment=judgment, task=first.task, rater=first.rater, unit=first.unit, part=first.part,
        criterion=first.criterion, value=5, number=2,
    )  # fmt: skip
    rows = {row.statistic: row for row in work(new_run(filler.study, rules=[])).rows if row.analysis == "funnel"}
    again = rows["left_out"]
    assert (again.label, again.n_ratings, again.n_raters, again.n_items) == ("within", 1, 1, 1)
    assert (rows["stored"].n_ratings, rows["collected"].n_ratings) == (5, 4)
