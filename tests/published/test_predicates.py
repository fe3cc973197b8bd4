"""Frequent and rare predicates (van Miltenburg et al. 2020): the planted interaction of system and feature is found."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.grid import field_name
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# The step of 7 that the texts of a system get by the predicate: the trained model is worse on rare ones alone.
PLANTED = {
    ("rules", "frequent"): 6, ("rules", "rare"): 6, ("trained", "frequent"): 6, ("trained", "rare"): 3,
}  # fmt: skip

# Enough for two ratings of each of 60 texts; a rater has 20.
RATERS = 6


def rater(number: int, steps: Mapping[str, int]) -> Answering:
    """Return a rater who is a step off at times, which depends on rater and text alone."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        (shown,) = screen.shown_parts
        text = shown.part.text
        off = Random(f"{number}:{text}").choice([-1, 0, 0, 1])
        return {field_name(shown.position, "adequacy"): str(steps[text] + off)}

    return answer


def test_the_interaction_of_system_and_predicate_is_found(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "predicates"))
    outputs = Output.objects.filter(item__study=study).select_related("item", "system")
    steps = {one.text: PLANTED[one.system.key, one.item.features["predicates"]] for one in outputs}
    assert len(steps) == 60
    results = analysed(judged(study, lambda number, _rng: rater(number, steps), RATERS))
    for (system, predicates), step in PLANTED.items():
        mean = results.value("feature_mean", system=system, label=f"predicates: {predicates}", basis="kept")
        assert mean == pytest.approx(step, abs=0.3)
    contrasts = {row.label: row for row in results.rows("feature_contrast", basis="kept")}
    assert contrasts.keys() == {"predicates: rare", "pronoun: yes", "length: over 11"}
    rare = contrasts.pop("predicates: rare")
    assert (rare.system, rare.system_b) == ("rules", "trained")
    assert rare.value == pytest.approx(3, abs=0.3)
    assert (rare.p_adjusted or 1) < 0.001
    assert all((row.p_adjusted or 0) > 0.05 for row in contrasts.values())
    assert rare.planned
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Does the difference depend on the feature?" in page
