"""The stored plan: exactly k places a unit, and every text in every column of the screen equally often."""

from collections import Counter

import pytest

from tasks_app.models import Booklet, Place
from tasks_app.services.plan import plans, reports
from tests.builders import build_study

pytestmark = pytest.mark.django_db

SYSTEMS = ("a-mt", "b-mt", "c-mt")


def test_every_unit_has_k_places_and_no_booklet_holds_one_twice() -> None:
    study = build_study(None, items=7, systems=SYSTEMS, k=3, set_size=5)
    assert set(Counter(Place.objects.values_list("unit", flat=True)).values()) == {3}
    for booklet in Booklet.objects.filter(task__study=study):
        units = list(booklet.places.values_list("unit", flat=True))
        assert len(units) == len(set(units)) <= 5


def test_after_every_booklet_each_system_was_in_each_column_equally_often() -> None:
    study = build_study(None, items=7, systems=SYSTEMS, k=4, set_size=3, params={"layout": "together"})
    counts: Counter[tuple[int, int]] = Counter()
    for booklet in Booklet.objects.filter(task__study=study).order_by("number"):
        for place in booklet.places.order_by("order"):
            order = place.arrangement["parts"]
            assert sorted(order) == [0, 1, 2]
            counts.update((part, column) for column, part in enumerate(order))
        seen = [counts[part, column] for part in range(3) for column in range(3)]
        assert max(seen) - min(seen) <= 1, f"after booklet {booklet.number}"


def test_the_plan_is_drawn_from_the_seed_and_read_back_as_it_was_drawn() -> None:
    study = build_study(None, items=6, systems=SYSTEMS, k=2, set_size=6)
    task = study.tasks.get()
    again = plans.draw(task, version=1)
    assert plans.stored(task).booklets == again.booklets
    (report,) = reports.reports(study)
    assert (report.places, report.systems) == (36, [("a-mt", 12), ("b-mt", 12), ("c-mt", 12)])


def test_a_draft_is_told_what_opening_would_draw_or_why_it_cannot() -> None:
    study = build_study(None, items=2, systems=SYSTEMS, k=2, set_size=6, spacing=10, opened=False)
    (report,) = reports.reports(study)
    assert report.balance is None
    assert report.refusal
    assert report.nearest
    for name, value in report.nearest.items():
        study.tasks.update(**{name: value})
        assert reports.reports(study)[0].balance is not None, f"{name}: {value} was said to work"
        study.tasks.update(set_size=6, spacing=10)
    assert not Place.objects.exists()
