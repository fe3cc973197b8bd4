"""Search results (Manning et al. 2008): the system with more relevant results among its first is found."""

from collections import defaultdict
from collections.abc import Mapping
from random import Random

import pytest
from django.test import Client

from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Output, Study
from tasks_app.task_types.base import Screen, TaskType
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

RELEVANT, PARTLY, NOT = LABELS = ("Relevant", "Partly relevant", "Not relevant")

# 56 texts three times each, 28 for a rater.
RATERS = 6

# Of the results that both systems returned, those that are relevant or partly relevant, by their titles.
BOTH = {
    "Renewing your card": RELEVANT, "Library cards": PARTLY, "Battery boxes": RELEVANT, "What goes where": PARTLY,
    "Learning to swim as an adult": RELEVANT, "Courses of the pool": PARTLY, "Street lights": RELEVANT,
    "Report a problem": PARTLY, "Visitor permits": RELEVANT, "Parking permits": PARTLY, "Sunday timetable": RELEVANT,
    "Timetables": PARTLY, "Hall for celebrations": RELEVANT, "Rooms of the town": PARTLY, "Dogs in parks": RELEVANT,
    "Rules for dogs": PARTLY,
}  # fmt: skip


def relevance(study: Study) -> Mapping[str, str]:
    """Return how relevant each result is; those that one system alone returned are all relevant or all not."""
    systems: dict[str, set[str]] = defaultdict(set)
    for text, system in Output.objects.filter(item__study=study).values_list("text", "system__key"):
        systems[text].add(system)
    alone = {"meaning": RELEVANT, "words": NOT}
    return {
        text: alone[min(keys)] if len(keys) == 1 else BOTH.get(text.partition(":")[0], NOT)
        for text, keys in systems.items()
    }


def rater(number: int, known: Mapping[str, str]) -> Answering:
    """Return a rater who is a label off at times, which depends on rater and text alone."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        text = screen.parts[0].text
        label = known[text]
        if Random(f"{number}:{text}").random() < 0.1:
            label = PARTLY if label != PARTLY else NOT
        return {"p1-relevance": label}

    return answer


def test_the_system_with_more_relevant_results_is_found(rosas_browser: Client) -> None:
    study = opened(begun(rosas_browser, "search_results"))
    known = relevance(study)
    assert len(known) == 56
    results = analysed(judged(study, lambda number, _rng: rater(number, known), RATERS))

    def at(statistic: str, n: int, system: str) -> float:
        return results.value(statistic, system=system, system_b=None, label=f"at {n}", basis="kept", slice=None)

    planted = {("meaning", 1): 1, ("words", 1): 3 / 8, ("meaning", 3): 19 / 24, ("meaning", 5): 0.6, ("words", 5): 0.2}
    for (system, n), share in planted.items():
        assert at("precision_at", n, system) == pytest.approx(share, abs=0.05)
    assert at("ndcg_at", 5, "meaning") > at("ndcg_at", 5, "words") + 0.3
    assert {row.value for row in results.rows("judged_at", basis="kept")} == {1}
    for measure in ("precision_difference", "ndcg_difference"):
        (row,) = results.rows(measure, label="at 5", basis="kept")
        assert (row.value or 0) > 0.3
        assert (row.p_adjusted or 1) < 0.05
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/").content.decode()
    assert "Search by meaning has more relevant results among its first 3 than Search by words" in page
    assert "Search results by system" in page
    assert "Precision, pairs of systems" in page
    # The chart beside the headline is that of precision, below a heading.
    summary = page.partition('id="summary"')[2].partition("</section>")[0]
    assert "Relevant among the first 5 results on Relevance" in summary
    assert summary.index("<h3") < summary.index("<h4")
