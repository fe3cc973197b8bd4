"""RankME (Novikova, Dušek and Rieser 2018): the effect of its setup 2, planted in raters, comes out of the study.

The sizes come from the paper's ratings, which may not be shipped: `tests/reproduction/test_rankme.py` computes them.
Geometric means of informativeness are 95, 97 and 60 for the three systems, in two clusters. Naturalness does not tell
the systems apart.
"""

from collections.abc import Mapping
from math import exp, log
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.grid import field_name
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = pytest.mark.django_db

# What each system's texts are worth beside the reference's 100, by criterion.
PLANTED = {
    "informativeness": {"baseline": 95.0, "neural": 97.0, "retrieval": 60.0},
    "naturalness": {"baseline": 82.0, "neural": 82.0, "retrieval": 82.0},
    "quality": {"baseline": 96.0, "neural": 99.0, "retrieval": 70.0},
}


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater of a modulus of their own; of naturalness they say the same about all three texts of an item."""
    modulus = Random(number).gauss(0, 0.03)

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        given = {}
        for shown in screen.shown_parts:
            system = system_of[shown.part.text]
            if any(criterion.key == "quality" for criterion in screen.criteria):
                # The retrieval system leaves something out, "missing" is the second option; the others do not.
                given[f"p{shown.position}-tick{2 if system == 'retrieval' else 3}"] = "1"
            for criterion in kind.asked(screen.shown_criteria):
                # By rater and text, or item, so that nothing depends on the order in which they are met.
                about = screen.source if criterion.key == "naturalness" else shown.part.text
                noise = Random(f"{number}:{criterion.key}:{about}").gauss(0, 0.1)
                worth = exp(log(PLANTED[criterion.key][system]) + modulus + noise)
                given[field_name(shown.position, criterion.key)] = f"{round(worth)}"
        return given

    return answer


def test_the_paper_s_order_and_clusters_come_out(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "rankme"))
    systems = systems_by_text(study)
    results = analysed(judged(study, lambda number, _rng: rater(systems, number), 9), drawn=False)
    informative = {"criterion": "informativeness", "basis": "kept"}
    means = {row.system: row.value for row in results.rows("geometric_mean", **informative)}
    assert means == pytest.approx(PLANTED["informativeness"], rel=0.15)
    clusters = {row.system: row.value for row in results.rows("trueskill_cluster", **informative)}
    assert all((clusters["retrieval"] or 0) > (clusters[other] or 0) for other in ("baseline", "neural"))
    natural = results.rows("magnitude_ratio", criterion="naturalness", basis="kept")
    assert natural
    assert all(row.value == pytest.approx(1) and row.p_adjusted == 1 for row in natural)
    assert results.value("icc", label="ICC1k of logs", **informative) > 0.5
    shares = results.rows("share", criterion="ticks", basis="kept", label="missing")
    assert {row.system: row.value for row in shares} == {"retrieval": 1.0, "baseline": 0.0, "neural": 0.0}
