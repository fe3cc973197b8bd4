"""The course of agreement that automatic runs leave behind, after they are superseded."""

from random import Random

import pytest

from analytics_app.models import AgreementPoint, ResultRow, Run
from analytics_app.runs import start as runs
from analytics_app.runs import upkeep
from tasks_app.models import Study
from tests.analytics_app.filling import Filler

pytestmark = pytest.mark.django_db


def judge_more(study: Study, rater: str, n: int) -> None:
    """Have an imported rater judge the first n texts."""
    filler, rng = Filler(study), Random(rater)
    for item, system in sorted(filler.parts)[:n]:
        filler.judge(rater, item, system, {"fluency": rng.randint(1, 5), "content": rng.randint(1, 5)})


def run_once(study: Study, **how: object) -> Run:
    """Start a run and finish it."""
    run = runs.compute_here(run=runs.start(study=study, by=None, **{"trigger": "schedule", **how}))
    assert run.state == "done", run.error
    return run


def course(study: Study, criterion: str = "fluency") -> list[tuple[int, int]]:
    """Return the numbers of the runs whose agreement is kept, with their ratings."""
    points = AgreementPoint.objects.filter(study=study, criterion=criterion).order_by("run_number")
    return list(points.values_list("run_number", "n_ratings"))


def test_the_agreement_of_automatic_runs_is_kept_when_they_are_deleted(rated: Study) -> None:
    first = run_once(rated)
    alpha = ResultRow.objects.get(
        run=first, analysis="krippendorff", statistic="alpha", criterion="fluency", basis="kept"
    )
    point = AgreementPoint.objects.get(study=rated, criterion="fluency")
    assert (point.value, point.low, point.high, point.n_ratings) == (alpha.value, alpha.low, alpha.high, 16)
    assert point.task == "main"
    judge_more(rated, "R-0003", 8)
    run_once(rated, trigger="command")  # somebody asked for it: its rules may be others
    judge_more(rated, "R-0004", 8)
    last = run_once(rated)
    upkeep.clear_superseded()
    assert not Run.objects.filter(pk=first.pk).exists()
    assert course(rated) == [(first.number, 16), (last.number, 32)]
    assert len(course(rated, "content")) == 2


def test_the_newest_point_moves_on_until_ratings_have_grown(rated: Study) -> None:
    kept = {"fluency": [(90, 100), (91, 104)], "content": [(90, 100), (91, 105)]}
    for criterion, points in kept.items():
        for number, n in points:
            AgreementPoint.objects.create(
                study=rated, task="main", criterion=criterion, run_number=number, value=0.5, n_ratings=n
            )
    run = run_once(rated)
    # 104 is less than a twentieth above 100, and 105 is not.
    assert course(rated) == [(run.number, 16), (90, 100)]
    assert course(rated, "content") == [(run.number, 16), (90, 100), (91, 105)]
