"""Macketanz et al. (2022): the four dimensions of the paper, planted in raters, come out, and pairs go one by one.

The authors published no ratings. Each of the eight pairs of Table 1 loads on its dimension; some pairs
that the paper left out go with a dimension as well, one loads on two, and one on none.
"""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from random import Random

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from analytics_app.models import Run, RunState
from analytics_app.runs import start
from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Study
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.semantic_differential import field_name
from tests.published.kit import Results, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

DIMENSIONS = ("precision", "complexity", "grammaticality", "transparency")
# How far texts differ on the dimensions, by system: none is better throughout.
SYSTEMS: Mapping[str, tuple[float, ...]] = {
    "neural": (0.3, 0.0, 0.6, 0.2),
    "statistical": (0.2, -0.3, 0.0, -0.2),
    "rules": (-0.5, 0.3, -0.6, 0.0),
}
# The pairs of Table 1 with their loadings there, the weaker ones raised to what nine raters can show; then others.
LOADINGS: Mapping[str, Mapping[str, float]] = {
    "direct": {"complexity": 0.85},
    "simple": {"complexity": 0.923},
    "unambiguous": {"precision": 0.85},
    "clear": {"precision": 0.85},
    "precise": {"precision": 0.947},
    "complete": {"precision": 0.85},
    "grammatical": {"grammaticality": 0.958},
    "neat": {"transparency": 0.915},
    "fluent": {"grammaticality": 0.85},
    "native": {"grammaticality": 0.85},
    "orderly": {"transparency": 0.85},
    "consistent": {"transparency": 0.85},
    "logical": {"precision": 0.85},
    "congruent": {"transparency": 0.85},
    "written": {"complexity": -0.85},
    "formal": {"complexity": -0.85},
    "professional": {"grammaticality": 0.85},
    "human": {"grammaticality": 0.85},
    "personal": {"precision": 0.68, "transparency": 0.68},
    "polite": {},
}


def rater(system_of: Mapping[str, str], seed: int) -> Answering:
    """Return a rater who perceives four dimensions of a text, and answers each pair by those it is about.

    What is perceived depends on rater, text and pair alone: the order of the pairs is drawn anew with every study.
    """

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        lead = SYSTEMS[system_of[text]]
        rng = Random(f"{seed}/{text}")
        perceived = {name: lead[place] + rng.gauss(0, 1) for place, name in enumerate(DIMENSIONS)}
        given = {}
        for shown in kind.pairs(screen):
            loads = LOADINGS[shown.criterion.key]
            unique = max(0.0, 1 - sum(loading**2 for loading in loads.values())) ** 0.5
            said = sum(loading * perceived[name] for name, loading in loads.items()) + unique * Random(
                f"{seed}/{text}/{shown.criterion.key}"
            ).gauss(0, 1)
            step = min(3, max(-3, round(1.5 * said)))
            given[field_name(shown.place)] = f"{(-step if shown.flipped else step) + 4}"
        return given

    return answer


@pytest.fixture
def study(rosas_browser: Client) -> Study:
    """The published study, closed after the visits of nine raters."""
    found = opened(begun(rosas_browser, "semantic_differential_mt"))
    systems = systems_by_text(found)
    return judged(found, lambda number, _rng: rater(systems, number), 9)


def done(study: Study) -> Results:
    """Compute the newest run here."""
    run = start.compute_here(run=Run.objects.filter(study=study).latest("number"))
    assert run.state == RunState.DONE, run.error
    return Results(run)


def removed(results: Results) -> list[tuple[str | None, str]]:
    """Return the pairs that were removed, each with its reason, in order."""
    return [(row.label, (row.settings or {})["reason"]) for row in results.rows("removed_pair", basis="kept")]


def results_of(results: Results) -> str:
    """Return the address that removes a pair in a run."""
    return f"/admin/studies/{results.run.study.slug}/results/{results.run.number}/pairs/"


def test_four_dimensions_come_out_and_pairs_go_one_by_one(rosas_browser: Client, study: Study, tmp_path: Path) -> None:
    # Simulated raters take seconds for a page, so the rule about working time would leave out every one of them.
    # The other rules would leave out one or the other by chance.
    plan = {
        "rules": [],
        "analyses": [{"analysis": "factors"}],
        "n_resamples": 100,
    }
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(plan))
    call_command("analyse", study.slug, plan=str(path), stdout=StringIO(), stderr=StringIO())
    first = done(study)
    assert first.value("n_factors", basis="kept") == 4
    (suggested,) = first.rows("next_removal", basis="kept")
    assert suggested.label == "polite"
    page = rosas_browser.get(results_of(first).removesuffix("pairs/")).content.decode()
    assert "Suggested next: remove <strong>unhöflich – höflich</strong>." in page

    answer = rosas_browser.post(results_of(first), {"pair": "polite", "reason": "communality"})
    second = done(study)
    assert answer["Location"].endswith(f"/results/{second.run.number}/")
    assert not second.run.planned
    assert removed(second) == [("polite", "communality")]
    assert {row.label for row in second.rows("communality", basis="kept")} == LOADINGS.keys() - {"polite"}
    # Before the removal the loadings are those of the run before it.
    before = {row.label: row.value for row in second.rows("communality_before", basis="kept")}
    assert before == {row.label: row.value for row in first.rows("communality", basis="kept")}
    (suggested,) = second.rows("next_removal", basis="kept")
    assert (suggested.label, (suggested.settings or {})["reason"]) == ("personal", "cross-loading")

    rosas_browser.post(results_of(second), {"pair": "personal", "reason": "cross-loading"})
    third = done(study)
    assert removed(third) == [("polite", "communality"), ("personal", "cross-loading")]
    assert third.value("n_factors", basis="kept") == 4
    (suggested,) = third.rows("next_removal", basis="kept")
    assert suggested.label is None

    # Undone, the earlier runs are shown again: nothing is computed twice or overwritten.
    for later, earlier in ((third, second), (second, first)):
        answer = rosas_browser.post(results_of(later), {"undo": "1"})
        assert answer["Location"].endswith(f"/results/{earlier.run.number}/")
    assert Run.objects.filter(study=study).latest("number") == third.run
    # What cannot be removed, or taken back, starts no run.
    for sent in ({"undo": "1"}, {"pair": "nothing", "reason": "content"}, {"pair": "clear", "reason": "dislike"}):
        refused = "nothing to undo" if "undo" in sent else "cannot be removed"
        assert refused in rosas_browser.post(results_of(first), sent, follow=True).content.decode()
    assert Run.objects.filter(study=study).latest("number") == third.run
