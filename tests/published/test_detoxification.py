"""Detoxification (Logacheva et al. 2022): a careless rater is stopped and paid; few judgments err more than many."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Judgment, Payment, Rater
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = pytest.mark.django_db

# How often raters call the text of a system toxic, and the same as its source. Known answers are given rightly.
PLANTED = {"rewriting": (0.05, 0.9), "deleting": (0.2, 0.4)}

# Texts of known answers that are toxic, and those that say something else than their source.
TOXIC, OTHER = {"dumb", "thick"}, {"drawer", "kitchen"}

CARELESS = 3


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater whose errors depend on rater and text alone; the careless one says Yes to everything."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        words = set(text.replace(",", "").replace(".", "").split())
        if number == CARELESS:
            toxic, same = True, True
        elif (system := system_of[text]) == "known":
            toxic, same = bool(words & TOXIC), not words & OTHER
        else:
            toxic, same = (
                Random(f"{number}:{asked}:{text}").random() < share
                for asked, share in zip(("toxic", "same"), PLANTED[system], strict=True)
            )
        return {"p1-toxic": "Yes" if toxic else "No", "p1-same": "Yes" if same else "No"}

    return answer


def test_a_careless_rater_is_stopped_and_paid_and_few_judgments_err_more(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "detoxification"))
    systems = systems_by_text(study)
    study = judged(study, lambda number, _rng: rater(systems, number), 20)
    raters = list(Rater.objects.filter(study=study).order_by("pk"))
    outcomes = [str(one.outcome) for one in raters]
    assert outcomes[CARELESS] == "stopped"
    assert {*outcomes[:CARELESS], *outcomes[CARELESS + 1 :]} == {"completed"}
    stopped = raters[CARELESS]
    assert stopped.prefs["stopped"]["limit"] == "checks"
    assert Payment.objects.get(rater=stopped).amount == study.options.amount
    results = analysed(study, drawn=False)
    # What the careless rater said is not excluded by the limit.
    assert Judgment.objects.filter(assignment__rater=stopped, assignment__purpose="main").count() == 8
    for criterion in ("toxic", "same"):
        curve = {
            row.label: row.value
            for row in results.rows("majority_error", criterion=criterion, basis="kept", slice=None)
        }
        assert list(curve) == [str(m) for m in range(1, 11)]
        assert curve["1"] > curve["3"] > curve["5"] > 0
        assert curve["10"] == 0
        model = results.rows("model_error", criterion=criterion, basis="kept", label="3")
        assert model[0].value is not None
    shares = {row.system: row.value for row in results.rows("joint_share", basis="kept") if row.system}
    assert shares["rewriting"] > shares["deleting"]
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Error of the joint label with fewer judgments" in page
