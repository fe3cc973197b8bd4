"""Lai et al. (2022): systems that differ in another way for each criterion are told apart, by direction as well."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.grid import field_name
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# The position of the slider for each system, by criterion.
PLANTED = {
    "content": {"rules": 85, "tuned": 80, "paraphraser": 30, "human": 85},
    "style": {"rules": 30, "tuned": 80, "paraphraser": 45, "human": 85},
    "fluency": {"rules": 70, "tuned": 90, "paraphraser": 75, "human": 95},
}
# The rules keep the style of a sentence that was to be made informal: they have so much less there.
LESS_INFORMAL = 20


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater with a place of their own on the slider."""
    own = Random(number).gauss(0, 4)

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        given = {}
        for shown in screen.shown_parts:
            system = system_of[shown.part.text]
            for criterion in kind.asked(screen.shown_criteria):
                less = LESS_INFORMAL * (system == "rules" and screen.source.startswith("Make informal"))
                noise = Random(f"{number}:{criterion.key}:{shown.part.text}").gauss(0, 5)
                place = PLANTED[criterion.key][system] + own + noise - less * (criterion.key == "style")
                given[field_name(shown.position, criterion.key)] = f"{round(min(100, max(0, place)))}"
        return given

    return answer


def test_each_criterion_has_its_own_order(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "formality_rewrites"))
    systems = systems_by_text(study)
    results = analysed(judged(study, lambda number, _rng: rater(systems, number), 2), drawn=False)
    for criterion, planted in PLANTED.items():
        rows = results.rows("mean", criterion=criterion, basis="kept", slice=None)
        means = {row.system: row.value or 0 for row in rows}
        less = {system: LESS_INFORMAL / 2 if (criterion, system) == ("style", "rules") else 0 for system in planted}
        assert means == pytest.approx({system: planted[system] - less[system] for system in planted}, abs=6)
    style = {
        row.slice: row.value or 0
        for row in results.rows("mean", criterion="style", basis="kept", system="rules")
        if row.slice
    }
    assert style["direction=to formal"] - style["direction=to informal"] == pytest.approx(LESS_INFORMAL, abs=6)
    z = {row.system: row.value or 0 for row in results.rows("mean_z", criterion="content", basis="kept", slice=None)}
    assert min(z, key=lambda system: z[system]) == "paraphraser"
