"""Facts counted (Wiseman et al. 2017): raters who find twice as many contradicted facts in the texts of one system."""

from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from analytics_app.heds.filling import known_of
from tasks_app.management.simulated_raters import Answering
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened, systems_by_text

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# Two sets of 12 sentences, five times each; a rater takes one.
RATERS = 10

# The option "Counting occurrences in text" of question 4.3.8 of the datasheet.
COUNTING = 4

# Mean counts of contradicted and of supported facts.
PLANTED = {"rules": (1.0, 5.0), "trained": (3.0, 5.0)}


def rater(system_of: Mapping[str, str], number: int) -> Answering:
    """Return a rater whose counts are drawn about the planted means, by rater and text alone."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        contradicted, supported = PLANTED[system_of[text]]
        rng = Random(f"{number}:{text}")
        # Binomial counts of 20 trials.
        drawn = [sum(rng.random() < mean / 20 for _trial in range(20)) for mean in (contradicted, supported)]
        return {"p1-contradicted": str(drawn[0]), "p1-supported": str(drawn[1])}

    return answer


def test_the_planted_ratio_is_found_and_none_where_none_is(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "fact_counts"))
    systems = systems_by_text(study)
    results = analysed(judged(study, lambda number, _rng: rater(systems, number), RATERS), drawn=False)
    pair = {"system": "rules", "system_b": "trained", "basis": "kept", "slice": None}
    (found,) = results.rows("count_ratio_crossed", criterion="contradicted", **pair)
    assert found.low < 1 / 3 < found.high
    assert found.p_adjusted < 0.01
    (none,) = results.rows("count_ratio_crossed", criterion="supported", **pair)
    assert none.low < 1 < none.high
    assert none.p_adjusted > 0.05
    mean = results.value("count_mean", criterion="contradicted", system="trained", basis="kept", slice=None)
    assert mean == pytest.approx(3, abs=0.5)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Trained model has higher counts than Templates" in page
    assert "Ratios of mean counts" in page
    # The datasheet fills in question 4.3.8 of both criteria.
    answers = known_of(study).criterion_answers
    assert {answers[key]["4.3.8"].answer.options for key in ("contradicted", "supported")} == {(COUNTING,)}
