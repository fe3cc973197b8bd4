"""MQM re-annotation (Riley et al. 2026): what raters do with given marks is found again, and agreement grows."""

import json

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

RATERS = 2


def annotator(number: int, systems: dict[str, str]) -> Answering:
    """Return an annotator who keeps the marks of “phrase” and removes those of the others and the planted ones.

    The first one overlooks the planted marks.
    """

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        given = json.loads(str(kind.form(screen)["p1-spans"].value() or "[]"))
        if systems[text] == "check" and number > 0:
            given = [mark for mark in given if text[mark["start"] : mark["end"]] == "stairs"]
        stays = systems[text] in {"phrase", "check"}
        return {"p1-spans": json.dumps(given)} if given and stays else {"p1-spans": "[]", "p1-none": "1"}

    return answer


def test_what_became_of_the_marks_is_found_again(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "mqm_reannotation"))
    systems = dict(systems_by_text(study))
    study = judged(study, lambda number, _rng: annotator(number, systems), RATERS)
    results = analysed(study, drawn=False)
    about = {"basis": "all", "label": None}
    assert results.value("given_kept", system="phrase", **about) == 1
    assert results.value("given_removed", system="neural", **about) == 1
    assert results.value("given_removed", system="translator", **about) == 1
    assert results.value("marks_added", system=None, **about) == 0
    assert results.value("false_marks_kept", **about) == pytest.approx(0.5)
    # Two lists, each shown to one annotator of each text: what they keep of them is what they had before.
    before, after = (results.value(f"f1_exact_{stage}", **about) for stage in ("before", "after"))
    assert 0 < before < 1
    assert after > before
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Marks given beforehand, by severity" in page
