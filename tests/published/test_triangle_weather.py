"""The triangle test of weather forecasts (González Corbelle et al. 2020): 36 of 98 right show similarity.

The paper's example takes half a minute by the pages, so that all 98 judges come in `make test-all` only; the other run
has 12. Both are compared with scipy's binomial distribution, the example with the paper's printed numbers as well.
"""

from collections import Counter
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from scipy.stats import binom

from analytics_app.selectors.codes_by_verdict import Counts, counts_of
from tasks_app.management.simulated_raters import Answering
from tasks_app.models import Place, Rating, Study
from tasks_app.selectors.coding import answers_to, coding_of
from tasks_app.services import coding
from tasks_app.task_types.base import Screen, TaskType
from tasks_app.task_types.triangle.screen import odd_position
from tests.published.kit import analysed, begun, judged, opened

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

# Share of right choices if 30 % can tell, and the risk of missing them.
P, BETA = 0.3 + 0.7 / 3, 0.01

# What judges who are right and wrong say, in turn.
REASONS = {True: ("The verbs are in the future.", "Longer sentences.", ""), False: ("The weather.", "", "I guessed.")}


def judge(is_right: bool, motive: str, rng: Random) -> Answering:
    """Return a judge who finds the odd one, or does not, and says why."""

    def answer(kind: TaskType, screen: Screen) -> dict[str, str]:
        odd = odd_position(screen)
        chosen = odd if is_right else rng.choice([place for place in (1, 2, 3) if place != odd])
        return {"odd-one-out": str(chosen), "motive": motive}

    return answer


def counted(study: Study) -> Counts:
    """Let two people code the motives alike, a code for each sentence, and count the codes by verdict."""
    names = [(motive, "") for motives in REASONS.values() for motive in motives if motive]
    people = [User.objects.create_user(name) for name in ("one", "other")]
    codebook = coding.save_codes(study=study, criterion="motive", codes=names, by=people[0])
    for answer in answers_to(study, "motive"):
        for by in people:
            coding.code_answer(codebook=codebook, rating=answer, codes=[answer.text or ""], by=by)
    return counts_of(coding_of(codebook))


@pytest.mark.parametrize(("judges", "right"), [(12, 5), pytest.param(98, 36, marks=pytest.mark.exhaustive)])
def test_the_verdict_of_the_paper_s_test_comes_out(rosas_browser: Client, judges: int, right: int) -> None:
    study = opened(begun(rosas_browser, "triangle_weather"))
    finds = [True] * right + [False] * (judges - right)
    Random(2020).shuffle(finds)
    motives = [REASONS[is_right][number % 3] for number, is_right in enumerate(finds)]
    study = judged(study, lambda number, rng: judge(finds[number], motives[number], rng), judges)
    results = analysed(study, drawn=False)
    (correct,) = results.rows("triangle_correct", basis="kept")
    assert (correct.value, correct.n_raters) == (right, judges)
    assert {correct.system, correct.system_b} == {"first", "second"}
    critical = max(x for x in range(judges) if binom.cdf(x, judges, P) <= BETA)
    assert results.value("triangle_critical", basis="kept") == critical
    (share,) = results.rows("triangle_share", basis="kept")
    assert share.p_adjusted == pytest.approx(binom.cdf(right, judges, P), rel=1e-6)
    assert results.value("triangle_judges", basis="kept") == 98, "the paper's table 1"
    said = Rating.objects.filter(rater__study=study, criterion__key="motive").values_list("text", flat=True)
    assert Counter(said) == Counter(filter(None, motives))
    counts = counted(study)
    for row in counts.rows:
        with_it = [is_right for is_right, motive in zip(finds, motives, strict=True) if motive == row.name]
        assert (row.right, row.wrong) == (with_it.count(True), with_it.count(False))
    assert (counts.n_right, counts.n_wrong) == tuple(
        sum(bool(motive) for is_right, motive in zip(finds, motives, strict=True) if is_right is verdict)
        for verdict in (True, False)
    )
    if judges == 98:
        verbs = next(row for row in counts.rows if row.name == REASONS[True][0])
        assert verbs.p_adjusted is not None
        assert verbs.p_adjusted < 0.05, "the motive planted in those who were right"
        assert critical == 40, "the paper's table 3"
        (normal,) = results.rows("discriminators_normal", basis="kept")
        assert normal.value == pytest.approx(0.221, abs=5e-4), "printed"
        assert results.value("discriminators_upper", basis="kept") == pytest.approx(0.2340, abs=5e-5)


def test_orders_are_shown_as_often_as_in_the_paper(rosas_browser: Client) -> None:
    """Four of the six orders 16 times, two 17 times."""
    study = opened(begun(rosas_browser, "triangle_weather"))
    odd = "unit__parts__part_outputs__output__system__key"
    places = Place.objects.filter(unit__task__study=study, unit__parts__number=1)
    orders = Counter((place[odd], place["arrangement"]["order"]) for place in places.values(odd, "arrangement"))
    assert sorted(orders.values()) == [16, 16, 16, 16, 17, 17]
