"""Answers that are erased while a run is computed, or after it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from analytics_app.models import Exclusion, Plot, ResultRow, Run, RunPart
from analytics_app.runs import start, upkeep
from analytics_app.runs.compute import Outcome
from analytics_app.services.erasing import FOLLOWED, LEFT
from tasks_app.models import Rater, Study
from tasks_app.services import erasure
from tests.analytics_app.filling import Filler
from tests.analytics_app.runs.conftest import Stand, small_outcome

pytestmark = pytest.mark.django_db

Use = Callable[[Stand], None]


def erasing(kind: str, rater: Rater) -> Stand:
    """Compute as usual, and have a rater's answers erased just before a part of some kind is stored."""

    def compute(part: RunPart) -> Outcome:
        found = small_outcome(part)
        if part.kind == kind:
            erasure.erase(rater=rater)
        return found

    return compute


@pytest.fixture
def leaving(rated: Study) -> Rater:
    """The rater whose answers are erased, and whom the rules of `small_outcome` name."""
    return Rater.objects.get(study=rated, pseudonym="R-0001")


@pytest.mark.parametrize("kind", ["quality", "criterion"])
def test_a_run_in_the_middle_is_given_up_and_one_without_them_follows(
    rated: Study, rosa: User, leaving: Rater, stand_in: Use, rung: list[int], kind: str
) -> None:
    """Parts before and after it would differ in which answers they have."""
    stand_in(erasing(kind, leaving))
    run = start.compute_here(run=start.start(study=rated, by=rosa, settings={"ddof": 0}))
    assert (run.state, run.error, run.erased_since) == ("cancelled", FOLLOWED, 8)
    assert not Exclusion.objects.exists()  # of what is gone
    stand_in(small_outcome)
    (again,) = upkeep.start_again()
    assert (again.by, again.trigger, again.settings["ddof"], again.n_seen) == (rosa, "demand", 0, 16)
    assert upkeep.start_again() == []
    assert start.compute_here(run=again).state == "done"


def test_a_run_of_a_command_is_for_who_gave_it(rated: Study, leaving: Rater, stand_in: Use) -> None:
    stand_in(erasing("quality", leaving))
    run = start.compute_here(run=start.start(study=rated, by=None, trigger="command"))
    assert (run.state, run.error) == ("cancelled", LEFT)
    assert upkeep.start_again() == []


def test_a_run_that_saw_none_of_them_goes_on(rated: Study, stand_in: Use, rung: list[int]) -> None:
    stand_in(small_outcome)
    run = start.start(study=rated, by=None)
    Filler(rated).judge("R-0009", "i0", "alpha-mt", {"fluency": 3})
    erasure.erase(rater=Rater.objects.get(study=rated, pseudonym="R-0009"))
    assert start.compute_here(run=run).state == "done"
    assert run.erased_since == 0


def test_a_plan_that_cannot_be_used_any_more_is_said(rated: Study, leaving: Rater, stand_in: Use) -> None:
    stand_in(erasing("quality", leaving))
    run = start.compute_here(run=start.start(study=rated, by=None))
    Run.objects.filter(pk=run.pk).update(settings={"rules": [{"rule": "gone"}]})
    (refused,) = upkeep.start_again()
    assert (refused.state, refused.number) == ("failed", 2)
    assert upkeep.start_again() == []


def test_answers_without_a_rating_that_are_erased_make_another_run(rated: Study) -> None:
    """Such as texts in which nobody found an error: no number of ratings and no mark tells."""
    for rater in ("R-0007", "R-0008"):
        Filler(rated).judge(rater, "i0", "alpha-mt", {})
    run = start.start(study=rated, by=None)
    erasure.erase(rater=Rater.objects.get(study=rated, pseudonym="R-0007"))
    again = start.start(study=rated, by=None)
    assert (again.n_seen, again.judgment_high_water) == (run.n_seen, run.judgment_high_water)
    assert again != run


def test_who_came_and_who_ended_makes_another_run_where_that_is_analysed(rated: Study) -> None:
    fieldwork = {"analyses": [{"analysis": "fieldwork"}]}
    of_people, of_ratings = (start.start(study=rated, by=None, settings=one) for one in (fieldwork, None))
    Rater.objects.filter(study=rated, pseudonym="R-0001").update(ended_at=Now(), state="ended", outcome="completed")
    assert start.start(study=rated, by=None, settings=fieldwork) != of_people
    assert start.start(study=rated, by=None) == of_ratings


def test_nothing_keeps_the_name(rated: Study, leaving: Rater, stand_in: Use) -> None:
    """Not labels of pairs, nor plots of raters; what only looks like the name stays."""
    stand_in(small_outcome)
    run = start.compute_here(run=start.start(study=rated, by=None))
    pair = {"run": run, "analysis": "correlation", "basis": "kept", "planned": False, "task": "main"}
    labels = ["R-0001 and R-0002", "R-0002 and R-0001", "R-0002 and R-00012", "R-00011 and R-0002"]
    for order, label in enumerate(labels):
        ResultRow.objects.create(order=10**6 + order, statistic="pearson_pair", label=label, **pair)
    ResultRow.objects.create(order=2 * 10**6, statistic="correlation", label="R-0001 and fluency", **pair)

    def plot(key: str, head: str, name: str) -> None:
        spec = {"usermeta": {"columns": [["name", head], ["value", "x"]]}, "data": {"values": [{"name": name, "n": 1}]}}
        Plot.objects.create(run=run, key=key, spec=spec, svg="<svg/>", digest="0" * 64)

    plot("of a rater", "Rater", "R-0001")
    plot("of another", "Rater", "R-0002")
    plot("of a system", "System", "R-0001")
    erasure.erase(rater=leaving)
    found = ResultRow.objects.filter(run=run, analysis="correlation").order_by("order").values_list("label", flat=True)
    assert list(found) == ["erased and R-0002", "R-0002 and erased", *labels[2:], "R-0001 and fluency"]
    assert {"of another", "of a system"} < set(Plot.objects.filter(run=run).values_list("key", flat=True))
    assert not Plot.objects.filter(key="of a rater").exists()


@pytest.mark.charts
def test_nothing_that_is_computed_keeps_the_name(rated: Study, leaving: Rater) -> None:
    """With real analyses of raters, pairs of raters and their plots."""
    filler = Filler(rated)
    for number, (item, system) in enumerate(sorted(filler.parts)):
        for step, rater in enumerate(("R-0003", "R-0004")):
            filler.judge(rater, item, system, {"fluency": 1 + (number + step) % 5, "content": 1 + number % 3})
    asked = {"analyses": [{"analysis": name} for name in ("correlation", "trust")]}
    run = start.compute_here(run=start.start(study=rated, by=None, settings={**asked, "n_resamples": 100}))
    assert named_in(run, leaving.pseudonym) == {"label", "plot", "rater"}
    left = ResultRow.objects.filter(run=run).count()
    name = leaving.pseudonym
    erasure.erase(rater=leaving)
    assert named_in(run, name) == set()
    assert ResultRow.objects.filter(run=run).count() == left


def named_in(run: Run, name: str) -> set[str]:
    """Where the rows and plots of a run hold a word: names of columns, and plot."""
    rows = ResultRow.objects.filter(run=run).values("rater", "label", "slice", "note", "settings", "system", "group")
    found = {column for row in rows for column, value in row.items() if name in str(value)}
    plots = Plot.objects.filter(run=run).values_list("title", "spec", "svg")
    return found | ({"plot"} if any(name in str(one) for one in plots) else set())
