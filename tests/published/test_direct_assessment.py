"""Kim and Kim (2022): what raters do before they know the scale, and single slips, do not hide the order of systems."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Assignment
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.grid import field_name
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

PLANTED = {"phrase": 62.0, "neural": 70.0, "translator": 80.0}
RATERS, TEXTS, BURNED = 3, 36, 10


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater who says 50 of the first ten texts, and whose slider slips to 0 once."""
    seen: list[str] = []

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        seen.append(shown.part.text)
        noise = Random(f"{number}:{shown.part.text}").gauss(0, 4)
        place = PLANTED[system_of[shown.part.text]] + noise
        place = 50 if len(seen) <= BURNED else 0 if len(seen) == TEXTS else place
        return {field_name(shown.position, "adequacy"): f"{round(place)}"}

    return answer


def test_the_first_ten_and_slips_are_left_out(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "direct_assessment"))
    order = Assignment.objects.filter(rater__study=study)
    systems = systems_by_text(study)
    results = analysed(judged(study, lambda number, _rng: rater(systems, number), RATERS), drawn=False)
    assert order.count() == RATERS * TEXTS
    means = {row.system: row.value or 0 for row in results.rows("mean", criterion="adequacy", basis="kept")}
    assert means == pytest.approx(PLANTED, abs=5)
    before = {row.system: row for row in results.rows("mean", criterion="adequacy", basis="all")}
    assert sum(row.n_ratings or 0 for row in before.values()) == RATERS * TEXTS
    assert abs((before["phrase"].value or 0) - PLANTED["phrase"]) < abs(50 - PLANTED["phrase"])
    removed = {rule: results.run.exclusions.filter(rule=rule).count() for rule in ("burn_in", "iqr")}
    assert removed == {"burn_in": RATERS * BURNED, "iqr": RATERS}
