"""Wording of a question (Schoch, Yang and Ji 2020): a system that one wording makes look worse is found."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Assignment
from tasks_app.task_types.base import Screen, TaskType
from tests.analytics_app.views.reading import text
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# 16 texts 24 times each; a rater reads all of them.
RATERS = 24


def rater(number: int, system_of: Mapping[str, str], loss: float) -> Answering:
    """Return a rater to whom texts of the template read worse by `loss` steps when asked how badly they read."""

    def answer(_kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,), (asked,) = screen.shown_parts, screen.shown_criteria
        draw = Random(f"{number}:{shown.part.text}")
        level = 3 + (0.4 if asked.shown_wording == "anchor" else 0.0) + draw.gauss(0, 0.7)
        if asked.shown_wording == "bad" and system_of[shown.part.text] == "template":
            level -= loss
        step = min(5, max(1, round(level)))
        return {"p1-fluency": str(6 - step if asked.reversed else step)}

    return answer


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (1.5, "The comparison of systems depends on the wording of the question on Fluency"),
        (0.0, "No clear sign that the comparison of systems depends on the wording of the question on Fluency"),
    ],
)
def test_a_system_that_a_wording_makes_look_worse_is_found(rosas_browser: Client, loss: float, said: str) -> None:
    study = opened(begun(rosas_browser, "framing"))
    systems = systems_by_text(study)
    study = judged(study, lambda number, _rng: rater(number, systems, loss), RATERS)
    raters = Assignment.objects.filter(rater__study=study).values_list("arrangement__wordings__fluency", "rater")
    by_wording = {name: len({one for wording, one in raters if wording == name}) for name, _rater in raters}
    assert by_wording == {"first": 6, "good": 6, "bad": 6, "anchor": 6}
    results = analysed(study, drawn=False)
    (test,) = results.rows("wording_system_test", criterion="fluency", basis="kept")
    assert ((test.p or 1) < 0.01) is bool(loss)
    page = text(rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode())
    assert said in page
    assert ("with “bad”, Slot filling loses" in page) is bool(loss)
