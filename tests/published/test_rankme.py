"""RankME (Novikova, Dušek and Rieser 2018): the effect of its setup 2, planted in raters, comes out of the study.

The sizes come from the paper's ratings, which may not be shipped: `tests/reproduction/test_rankme.py` computes them.
Geometric means of informativeness are 95, 97 and 60 for the three systems, in two clusters. Naturalness does not tell
the systems apart.
"""

from __future__ import annotations

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


def rater(system_of: Mapping[str, str], rng: Random) -> Answering:
    """Return a rater of a modulus of their own who types round numbers, with 15 % of noise."""
    modulus = rng.gauss(0, 0.1)

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        given = {}
        for shown in screen.shown_parts:
            if any(criterion.key == "quality" for criterion in screen.criteria):
                # The retrieval system leaves something out, "missing" is the second option; the others do not.
                given[f"p{shown.position}-tick{2 if system_of[shown.part.text] == 'retrieval' else 3}"] = "1"
            for criterion in kind.asked(screen.shown_criteria):
                worth = PLANTED[criterion.key][system_of[shown.part.text]]
                number = exp(log(worth) + modulus + rng.gauss(0, 0.15))
                given[field_name(shown.position, criterion.key)] = f"{max(1, round(number))}"
        return given

    return answer


def test_the_paper_s_order_and_clusters_come_out(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "rankme"))
    systems = systems_by_text(study)
    results = analysed(judged(study, lambda _number, rng: rater(systems, rng), 9))
    informative = {"criterion": "informativeness", "basis": "kept"}
    means = {row.system: row.value for row in results.rows("geometric_mean", **informative)}
    assert means == pytest.approx(PLANTED["informativeness"], rel=0.15)
    clusters = {row.system: row.value for row in results.rows("trueskill_cluster", **informative)}
    assert clusters["baseline"] == clusters["neural"] < clusters["retrieval"]
    natural = results.rows("magnitude_ratio", criterion="naturalness", basis="kept")
    assert natural
    assert all(row.p_adjusted > 0.05 for row in natural)
    agreement = {name: results.value("icc", criterion=name, basis="kept", label="ICC1k of logs") for name in PLANTED}
    assert agreement["informativeness"] > 0.5 > agreement["naturalness"]
    shares = results.rows("share", criterion="ticks", basis="kept", label="missing")
    assert {row.system: row.value for row in shares} == {"retrieval": 1.0, "baseline": 0.0, "neural": 0.0}
